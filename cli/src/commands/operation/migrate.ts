/** `postrider migrate`: applies pending migrations of the database, or lists them. */

import type { Command } from 'commander'
import { hasDatabase } from '../../data-folder.ts'
import { exitCodes } from '../../failure.ts'
import { schemaStatus } from '../../schema-status.ts'
import { serverModules } from '../../server-modules.ts'
import { type Session, sessionOf, withDatabase } from '../../session.ts'

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Apply pending migrations of the database. The server also does this when it starts.')
    .option('--status', 'show applied and pending migrations without changes; exit code 1 if any are pending')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider migrate
  $ postrider migrate --status --json

On a PostgreSQL server, migrations can run while nodes of this version and the previous one are running. Only one process
can open a local database: stop the server first, except for --status.`,
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
