/** Options, progress and schema checks that export and import share. */
import type { Engine } from '../engine.ts'
import { migrationStatus, readMigrations } from '../migrate.ts'
import { type Header, TransferRefused } from './manifest.ts'

export interface TransferOptions {
  /** Absolute. */
  folder: string
  /** The fingerprint of this machine's secret key, see `Header.secretKey`. */
  secretKey: string
  /** Other nodes can be connected to this database. */
  shared: boolean
  host: string
  now(): number
  progress(progress: TransferProgress): void
  /** Stops between two chunks; the same command continues later. */
  signal: AbortSignal
}

export interface TransferProgress {
  phase: 'checking' | 'exporting' | 'importing' | 'comparing'
  /** The current table. */
  table: string
  tablesDone: number
  tables: number
  rows: number
  /** Estimated while exporting. */
  rowsTotal: number
  /** Packed. */
  bytes: number
}

export interface TransferReport {
  folder: string
  id: string
  rows: number
  bytes: number
  /** By table. */
  tables: Record<string, number>
  /** An earlier run was continued, or had finished. */
  continued: boolean
}

/** The schema of this version of the program. */
export function schemaOfProgram(): Header['schema'] {
  const { version = 0, name = '' } = readMigrations().at(-1) ?? {}
  return { version, name }
}

/** Throws `TransferRefused` unless the database has exactly the schema of this program. */
export async function refuseOtherSchema(engine: Engine): Promise<void> {
  const { pending } = await migrationStatus(engine)
  if (pending.length > 0)
    throw new TransferRefused('The database has the schema of an older version: run "postrider migrate" first')
  const { rows } = await engine.run<{ version: number }>({
    text: 'select max(version) as version from migrations',
    values: [],
  })
  const { version } = schemaOfProgram()
  if (rows[0]?.version !== version)
    throw new TransferRefused(
      `The database has schema ${rows[0]?.version}, this program ${version}: use the version that migrated the database`,
    )
}

/** Rows and packed bytes of the chunks by table. */
export function countsOf(chunks: readonly { table: string; rows: number; bytes: number }[]) {
  const tables: Record<string, number> = {}
  let [rows, bytes] = [0, 0]
  for (const chunk of chunks) {
    tables[chunk.table] = (tables[chunk.table] ?? 0) + chunk.rows
    rows += chunk.rows
    bytes += chunk.bytes
  }
  return { tables, rows, bytes }
}
