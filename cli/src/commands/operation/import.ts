/** `postrider import <folder>`: an exported installation into an empty database. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { bytes } from '../../plain.ts'
import { serverModules } from '../../server-modules.ts'
import { sessionOf } from '../../session.ts'
import { runTransfer } from '../../transfer.ts'

export function addImport(program: Command): void {
  program
    .command('import')
    .description('Import an exported installation into an empty database.')
    .argument('<folder>', 'folder written by postrider export')
    .addHelpText(
      'after',
      `
Examples:
  $ POSTRIDER_DATABASE_URL=postgres://… POSTRIDER_SECRET_KEY_FILE=/run/secrets/key postrider import ./postrider-move
  $ POSTRIDER_DATA_DIR=/var/lib/postrider postrider import ./postrider-move

Imports into the configured database: an empty one on a server, or the local database of a data folder that contains
only secret.key. The import creates the schema. It needs the secret key of the exported installation and the same
version of Postrider. Files are checked before anything changes, and rows are compared with the export at the end.
If the import is interrupted, run the same command again: no server starts on the database until it is complete.`,
    )
    .action(async (folder: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const { importFrom } = await serverModules()
      const report = await runTransfer(session, resolve(folder), importFrom)
      session.terminal.answer(report, () => {
        const tables = Object.values(report.tables).filter((rows) => rows > 0).length
        return `${report.rows} rows of ${tables} tables are imported and compared (${bytes(report.bytes)} in ${folder}). Next: postrider serve`
      })
    })
}
