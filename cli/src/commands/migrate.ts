/** `postrider migrate`: brings the schema of the database up to this version, or says what is missing. */

import type { Command } from 'commander'
import { hasDatabase } from '../data-folder.ts'
import { exitCodes } from '../failure.ts'
import { schemaStatus } from '../schema-status.ts'
import { serverModules } from '../server-modules.ts'
import { type Session, sessionOf, withDatabase } from '../session.ts'

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database up to this version. The server does it as well whenever it starts.')
    .option('--status', 'only say what is applied and what is pending; exit code 1 when something is')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider migrate
  $ postrider migrate --status --json

On a PostgreSQL server it may run beside nodes of this version and the one before it. The local database belongs to
one process at a time: stop the server first. With --status it need not be stopped.`,
    )
    .action(async ({ status }: { status?: boolean }, command: Command) => {
      const session = sessionOf(command)
      if (status) await show(session)
      else await migrateNow(session)
    })
}

async function migrateNow({ terminal }: Session): Promise<void> {
  const { createLog, migrate, refuseMoved } = await serverModules()
  terminal.progress.step('opening the database …')
  const before = await withDatabase(async (engine) => {
    await refuseMoved(engine)
    terminal.progress.step('migrating …')
    return await migrate(engine, createLog('warn'))
  })
  terminal.progress.end()
  terminal.answer({ applied: before.pending, version: before.applied + before.pending.length }, () =>
    before.pending.length === 0
      ? `Nothing to do: the schema is at version ${before.applied}.`
      : `Applied ${before.pending.join(', ')}. The schema is at version ${before.applied + before.pending.length}.`,
  )
}

async function show({ terminal }: Session): Promise<void> {
  const { FolderTaken, readConfig } = await serverModules()
  const { dataDir, databaseUrl } = readConfig()
  // Looking must not create a database.
  if (!databaseUrl && !(await hasDatabase(dataDir))) {
    terminal.answer({ applied: 0, pending: [], exists: false }, () => `There is no database in ${dataDir} yet.`)
    return
  }
  const status = await withDatabase(schemaStatus).catch((error: unknown) => {
    if (error instanceof FolderTaken) return undefined
    throw error
  })
  if (!status) {
    const text = 'A running server has the database open. It brought it up to its own version when it started.'
    terminal.answer({ pending: [], exists: true, running: true }, () => text)
    return
  }
  terminal.answer({ ...status, exists: true }, () =>
    status.pending.length === 0
      ? `Up to date: version ${status.applied}.`
      : `At version ${status.applied}; pending: ${status.pending.join(', ')}.`,
  )
  if (status.pending.length > 0) process.exitCode = exitCodes.failed
}
