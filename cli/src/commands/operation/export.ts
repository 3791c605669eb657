/** `postrider export <folder>`: every row of a stopped installation, to be imported into another database. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { refuseMissingDatabase } from '../../data-folder.ts'
import { exitCodes, Failure } from '../../failure.ts'
import { bytes } from '../../plain.ts'
import { serverModules } from '../../server-modules.ts'
import { type Session, sessionOf } from '../../session.ts'
import { runTransfer } from '../../transfer.ts'

interface ExportFlags {
  keep?: boolean
  abandon?: boolean
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description('Copy a stopped installation into a folder, to import it into another database.')
    .argument('[folder]', 'new or empty folder, or the folder of an interrupted export to continue it')
    .option('--keep', 'copy only; this installation can still be started')
    .option('--abandon', 'undo an export: remove the exported files and allow this installation to start again')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider export /var/backups/postrider-move
  $ postrider export --abandon

Moves an installation to a new major version of PostgreSQL, from the local database to a server, or back:
stop every node, export, then run "postrider import" with the configuration of the new database.
Messages keep their ids. As soon as the export starts, no server starts on this installation any more, so that pending
messages are delivered by the new installation only. If the export is interrupted, run the same command again.

With --keep this installation can still be started: both installations then deliver the pending messages, once each.
An interrupted export with --keep starts over.

The secret key is not exported. Configure the same key for the new installation (POSTRIDER_SECRET_KEY, or secret.key
in the data folder). The folder contains personal data, readable by its owner only: delete it after the import.`,
    )
    .action(async (folder: string | undefined, flags: ExportFlags, command: Command) => {
      const session = sessionOf(command)
      if (flags.abandon) return await abandonExport(session, folder)
      if (!folder)
        throw new Failure('The folder is missing', {
          hint: 'postrider export <folder>',
          exitCode: exitCodes.wrong,
        })
      await exportInto(session, resolve(folder), flags.keep === true)
    })
}

async function exportInto(session: Session, folder: string, keep: boolean): Promise<void> {
  await refuseMissing()
  const { exportTo } = await serverModules()
  const report = await runTransfer(session, folder, (request) => exportTo({ ...request, keep }))
  const { terminal } = session
  terminal.answer({ ...report, keep }, () => {
    const tables = Object.keys(report.tables).length
    return `${folder}: ${report.rows} rows of ${tables} tables, ${bytes(report.bytes)}.`
  })
  terminal.note(
    keep
      ? 'Pending messages are delivered by this installation and by every installation that imports the copy.'
      : 'No server starts on this installation any more. Next, with the configuration of the new database and the same secret key: postrider import',
  )
}

async function abandonExport({ terminal }: Session, folder: string | undefined): Promise<void> {
  if (folder)
    throw new Failure('--abandon takes no folder', {
      hint: 'The database stores the folder of its export.',
      exitCode: exitCodes.wrong,
    })
  await refuseMissing()
  const { abandon, createLog, readConfig } = await serverModules()
  const config = readConfig()
  const abandoned = await abandon({ config, log: createLog('warn') })
  terminal.answer({ abandoned: abandoned !== undefined, ...abandoned }, () => {
    if (!abandoned) return 'Nothing to undo: this installation was not exported.'
    const { folder, host, discarded } = abandoned
    return discarded
      ? `The export is undone, and its files in ${folder} are removed.`
      : `The export is undone. Delete ${folder} on ${host}, and every copy of it: an installation that imports it delivers the same pending messages.`
  })
}

/** Exporting must not create a database. */
async function refuseMissing(): Promise<void> {
  const { databaseUrl, dataDir } = (await serverModules()).readConfig()
  await refuseMissingDatabase(databaseUrl, dataDir)
}
