/** Brings the schema up to this version: numbered scripts, each with its record in one commit, safe when nodes race. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { migrationsFolder } from '../assets.ts'
import { failpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { DAY, SECOND } from '../base/time/duration.ts'
import { DatabaseRefused, type Engine, type Reader, UNIQUE_VIOLATION } from './engine.ts'

/** How often a waiting start logs its reason. */
const PROGRESS_MS = 5 * SECOND
/** A script may rewrite a table of any size, or wait for the node that does. */
const MIGRATION = { timeoutMs: DAY }

export class SchemaUnusable extends Error {
  override readonly name = 'SchemaUnusable'
}

interface Migration {
  version: number
  name: string
  /** The previous version cannot run on the new schema: `0007_split.breaking.sql`. */
  breaking: boolean
  checksum: string
  script: string
}

/** Any number; the same on every node. Held until the commit, so that it works behind connection poolers. */
export const lockSchema = { text: 'select pg_advisory_xact_lock($1)', values: [7_305_001] }

export function readMigrations(): Migration[] {
  const files = readdirSync(migrationsFolder).filter((file) => file.endsWith('.sql'))
  return files.sort().map((file, index) => {
    const script = readFileSync(new URL(file, migrationsFolder), 'utf8')
    const version = Number(file.slice(0, 4))
    if (version !== index + 1) throw new SchemaUnusable(`Migrations are numbered without gaps; found ${file}`)
    return {
      version,
      name: file.slice(5).replace(/(\.breaking)?\.sql$/, ''),
      breaking: file.endsWith('.breaking.sql'),
      checksum: createHash('sha256').update(script).digest('hex'),
      script,
    }
  })
}

export interface MigrationStatus {
  applied: number
  pending: string[]
}

/** Throws `SchemaUnusable` when a newer, incompatible version migrated the database, or when a script was changed. */
export async function migrate(engine: Engine, log: Log, migrations = readMigrations()): Promise<MigrationStatus> {
  const table = {
    text: `create table if not exists migrations (
      version integer primary key, name text not null, breaking boolean not null,
      checksum text not null, applied timestamptz not null default now())`,
  }
  await logWhileWaiting(
    log,
    'waiting for another node that changes the schema',
    engine.batch([lockSchema, table], MIGRATION),
  )
  const before = await migrationStatus(engine, migrations)
  for (const migration of migrations.slice(before.applied)) {
    const { version, name } = migration
    await logWhileWaiting(
      log,
      `migration ${version} (${name}) is still running, here or on another node`,
      apply(engine, migration),
    )
    if (before.applied > 0) log.info({ event: 'schema.migrated', migration: name, version }, 'schema migrated')
  }
  if (before.applied === 0) log.info({ event: 'schema.created', version: migrations.length }, 'schema created')
  return before
}

function logWhileWaiting<Done>(log: Log, message: string, work: Promise<Done>): Promise<Done> {
  const timer = setInterval(() => log.info({ event: 'schema.waiting' }, message), PROGRESS_MS)
  return work.finally(() => clearInterval(timer))
}

async function apply(engine: Engine, { version, name, breaking, checksum, script }: Migration): Promise<void> {
  try {
    // First: of two racing nodes the second one fails here, before it changes anything.
    const record = {
      text: 'insert into migrations (version, name, breaking, checksum) values ($1, $2, $3, $4)',
      values: [version, name, breaking, checksum],
    }
    await engine.batch([lockSchema, record, { text: script }], MIGRATION)
    failpoint('mid-migration')
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNIQUE_VIOLATION) return
    throw new SchemaUnusable(`Migration ${version} (${name}) failed`, { cause: error })
  }
}

export async function migrationStatus(engine: Reader, migrations = readMigrations()): Promise<MigrationStatus> {
  const { rows } = await engine.run<{ version: number; name: string; breaking: boolean; checksum: string }>({
    text: 'select version, name, breaking, checksum from migrations order by version',
    values: [],
  })
  for (const row of rows) {
    const migration = migrations[row.version - 1]
    if (!migration && row.breaking)
      throw new SchemaUnusable(
        `The database has schema ${row.version} (${row.name}), which this version cannot use. Start the version that migrated it, or a newer one.`,
      )
    if (migration && migration.checksum !== row.checksum)
      throw new SchemaUnusable(
        `Migration ${row.version} (${row.name}) differs from the one the database was made with.`,
      )
  }
  return {
    applied: Math.min(rows.length, migrations.length),
    pending: migrations.slice(rows.length).map((migration) => migration.name),
  }
}
