/** Backs up the running cluster with PostgreSQL's low-level API, as a gzipped tar that unpacks into a data folder. */
// https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { Header } from 'tar'
import { failpoint } from '../../base/failpoint.ts'
import type { ServerAddress } from '../engine.ts'
import { databaseError } from '../engine.ts'
import { isErrno } from './errors.ts'

/** The fastest level compresses pages threefold; a higher one costs more CPU than it saves disk space. */
const GZIP_LEVEL = 1
const BLOCK_BYTES = 512
const CHUNK_BYTES = 262_144

/** Rebuilt at every start, or useless to another server. The folders themselves are kept. */
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|\.s\.PGSQL\..*|backup_label.*|tablespace_map.*)$/
/** Copied last: it names the point at which recovery begins. */
const CONTROL = join('global', 'pg_control')

/** Ends early when the caller stops reading. Throws `DatabaseUnavailable` and `DatabaseRefused`. */
export async function* backUp(cluster: string, address: ServerAddress): AsyncIterable<Uint8Array> {
  const gzip = createGzip({ level: GZIP_LEVEL })
  const packed = pipeline(Readable.from(archive(cluster, address)), gzip)
  // The error surfaces where the archive is read.
  packed.catch(() => undefined)
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array
    await packed
  } catch (error) {
    throw databaseError(error)
  } finally {
    gzip.destroy()
  }
}

async function* archive(cluster: string, address: ServerAddress): AsyncGenerator<Uint8Array> {
  const root = basename(cluster)
  // When this session ends, PostgreSQL aborts the backup and no longer keeps the log.
  const client = new pg.Client({ ...address, application_name: 'postrider backup' })
  // Files are read between its queries: when the server ends meanwhile, the next query fails, and the process goes on.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`select pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)`)
    const first = await queryRow(client, `select pg_walfile_name(pg_backup_start('postrider', true)) as name`)
    yield directory(root)
    yield* folder(cluster, root, '')
    failpoint('mid-backup')
    yield* file(join(cluster, CONTROL), `${root}/global/pg_control`)
    const end = await queryRow(
      client,
      'select lsn, labelfile as label, pg_walfile_name(lsn) as name from pg_backup_stop(false)',
    )
    yield* text(`${root}/backup_label`, String(end.label))
    yield* log(cluster, root, String(first.name), String(end.name))
    // https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html: two empty blocks end an archive.
    yield Buffer.alloc(2 * BLOCK_BYTES)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function queryRow(client: pg.Client, text: string): Promise<Record<string, unknown>> {
  const { rows } = await client.query<Record<string, unknown>>(text)
  if (!rows[0]) throw new Error('PostgreSQL returned no row')
  return rows[0]
}

async function* folder(cluster: string, root: string, path: string): AsyncGenerator<Uint8Array> {
  for (const entry of await readdir(join(cluster, path), { withFileTypes: true })) {
    const child = join(path, entry.name)
    const name = `${root}/${child.replaceAll('\\', '/')}`
    if (LEFT_OUT.test(entry.name) || child === CONTROL) continue
    if (entry.isDirectory()) {
      yield directory(name)
      if (child === 'pg_wal') yield directory(`${name}/archive_status`)
      if (!EMPTIED.has(child)) yield* folder(cluster, root, child)
    } else if (entry.isFile()) yield* file(join(cluster, child), name)
  }
}

/** The segments of the log from the first to the last, which the slot keeps. */
async function* log(cluster: string, root: string, first: string, last: string): AsyncGenerator<Uint8Array> {
  const segments = (await readdir(join(cluster, 'pg_wal'))).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort()
  for (const name of segments.filter((segment) => segment >= first && segment <= last))
    yield* file(join(cluster, 'pg_wal', name), `${root}/pg_wal/${name}`)
}

/** The size at opening counts: later writes are in the log. A table that is dropped meanwhile is left out. */
async function* file(path: string, name: string): AsyncGenerator<Uint8Array> {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return
    throw error
  }
  try {
    const { size } = await handle.stat()
    yield header(name, 'File', size)
    let left = size
    while (left > 0) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(left, CHUNK_BYTES)))
      if (bytesRead === 0) break
      left -= bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    // Truncated meanwhile by a vacuum: the log repeats the truncation during recovery.
    while (left > 0) {
      const zeros = Buffer.alloc(Math.min(left, CHUNK_BYTES))
      left -= zeros.length
      yield zeros
    }
    yield padding(size)
  } finally {
    await handle.close()
  }
}

function* text(name: string, content: string): Generator<Uint8Array> {
  const bytes = Buffer.from(content)
  yield header(name, 'File', bytes.length)
  yield bytes
  yield padding(bytes.length)
}

const directory = (name: string) => header(`${name}/`, 'Directory', 0)

const padding = (size: number) => Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES)

/** Owner and modes are those that PostgreSQL requires, so that the unpacked cluster starts. */
function header(path: string, type: 'File' | 'Directory', size: number): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES)
  const encoded = new Header({ path, type, size, mode: type === 'File' ? 0o600 : 0o700, mtime: new Date() })
  if (encoded.encode(block)) throw new Error(`${path} does not fit the header of a tar`)
  return block
}
