/** Verifies that a backup can be restored: unpacks it, starts it, and reads every row. */
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { extract } from 'tar'
import { createLog } from '../../base/log.ts'
import { HOUR } from '../../base/time/duration.ts'
import type { Engine } from '../engine.ts'
import { findCluster } from './cluster.ts'
import { LocalServerError } from './errors.ts'
import { openLocal } from './local.ts'

export interface CheckedBackup {
  /** Tables; each partition counts as one. */
  tables: number
  rows: number
  unpackedBytes: number
  files: number
}

export interface CheckOptions {
  /** POSTRIDER_POSTGRES_BIN. */
  binFolder: string | undefined
  /** Called with the current step. */
  progress(text: string): void
}

const READ_TIMEOUT_MS = HOUR

/** Works in a folder beside `file` and removes it afterwards. Throws `LocalServerError` when the backup is unusable. */
export async function checkBackup(file: string, { binFolder, progress }: CheckOptions): Promise<CheckedBackup> {
  const folder = `${file}.check`
  mkdirSync(folder, { mode: 0o700 })
  try {
    progress('unpacking the copy …')
    const unpacked = await unpack(file, folder)
    if (!findCluster(folder)) throw new LocalServerError('The copy is not a database: it holds no postgres-<version>')
    progress('starting the copy …')
    const engine = await openLocal({ folder, binFolder, log: createLog('silent'), connectionsMax: 1, isDurable: false })
    try {
      return { ...unpacked, ...(await readAll(engine, progress)) }
    } finally {
      await engine.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function unpack(file: string, folder: string): Promise<{ files: number; unpackedBytes: number }> {
  const unpacked = { files: 0, unpackedBytes: 0 }
  try {
    await extract({
      file,
      cwd: folder,
      strict: true,
      preserveOwner: false,
      onReadEntry: ({ size, type }) => {
        if (type === 'File') unpacked.files += 1
        unpacked.unpackedBytes += size
      },
    })
    return unpacked
  } catch (cause) {
    const { bavail, bsize } = statfsSync(dirname(file))
    const full = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC'
    throw new LocalServerError(
      full
        ? `There is no room beside ${file} to unpack the copy and check it`
        : 'The copy is damaged: it cannot be unpacked',
      {
        cause,
        ...(full && { hint: `${Math.round((bavail * bsize) / 1e6)} MB are free; --no-check leaves the check out.` }),
      },
    )
  }
}

/** Every page of every table is read, and with it its checksum. */
async function readAll(engine: Engine, progress: CheckOptions['progress']): Promise<{ tables: number; rows: number }> {
  const { rows: tables } = await engine.run<{ name: string }>({
    text: `select quote_ident(relname) as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by pg_relation_size(oid)`,
    values: [],
  })
  progress('reading every table of the copy …')
  let rows = 0
  for (const { name } of tables) {
    // Identifiers come from the catalog and are quoted there. The timeout allows for a table of any size.
    const [counted] = await engine.batch([{ text: `select count(*) as count from ${name}`, values: [] }], {
      timeoutMs: READ_TIMEOUT_MS,
    })
    rows += Number(counted?.rows[0]?.count ?? 0)
  }
  return { tables: tables.length, rows }
}
