/** `postrider migrate`: brings the schema of the database up to this version, or says what is missing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine, MigrationStatus } from '@postrider/server'
import type { Command } from 'commander'
import { exitCodes } from '../failure.ts'
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

On PostgreSQL it may run beside servers of this version and the one before it. The embedded database belongs to
one process at a time: stop the server first.`,
    )
    .action(async ({ status }: { status?: boolean }, command: Command) => {
      const session = sessionOf(command)
      if (status) await show(session)
      else await migrateNow(session)
    })
}

async function migrateNow({ terminal }: Session): Promise<void> {
  const { createLog, migrate } = await import('@postrider/server')
  terminal.progress.step('opening the database …')
  const before = await withDatabase(async (engine) => {
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
  const { readConfig } = await import('@postrider/server')
  const { dataDir, databaseUrl } = readConfig()
  // Looking must not create a database.
  if (!databaseUrl && !existsSync(join(dataDir, 'database'))) {
    terminal.answer({ applied: 0, pending: [], exists: false }, () => `There is no database in ${dataDir} yet.`)
    return
  }
  const status = await withDatabase(statusOf)
  terminal.answer({ ...status, exists: true }, () =>
    status.pending.length === 0
      ? `Up to date: version ${status.applied}.`
      : `At version ${status.applied}; pending: ${status.pending.join(', ')}.`,
  )
  if (status.pending.length > 0) process.exitCode = exitCodes.failed
}

const UNDEFINED_TABLE = '42P01'

/** In an empty database every migration is pending. */
export async function statusOf(engine: Engine): Promise<MigrationStatus> {
  const { migrationStatus, readMigrations } = await import('@postrider/server')
  try {
    return await migrationStatus(engine)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE)) throw error
    return { applied: 0, pending: readMigrations().map(({ name }) => name) }
  }
}
