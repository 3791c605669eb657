/** Writes every row of a stopped installation into a folder; an interrupted export can be continued. */
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { failpoint } from '../../base/failpoint.ts'
import type { Engine } from '../engine.ts'
import { refuseOtherNodes } from '../other-nodes.ts'
import { partitionedWeeks } from '../partitions.ts'
import { clearMove, type Move, moveStateWrite, moveWrite, readMove } from '../tables/installation/installation.ts'
import { pagesOf, type RowPage, readSequences, readTables, type Table } from './catalog.ts'
import {
  addDigests,
  type Chunk,
  discardExport,
  type ExportFolder,
  emptyDigest,
  FORMAT,
  type Header,
  hashOf,
  makeExportFolder,
  readExportFolder,
  refuseImported,
  refuseMissingChunks,
  repairExportFolder,
  rowsDigest,
  startJournal,
  TransferRefused,
  writeChunk,
  writeManifest,
} from './manifest.ts'
import { countsOf, refuseOtherSchema, schemaOfProgram, type TransferOptions, type TransferReport } from './transfer.ts'

export interface ExportOptions extends TransferOptions {
  /** The installation stays in use and is not marked as moved. */
  keep: boolean
  /** The size of the JSON of a chunk, which an import inserts in one commit. */
  chunkBytes?: number
}

// The process needs a few times this memory; a commit of this size takes well below a second.
const CHUNK_BYTES = 4_000_000

/** Throws `TransferRefused` and `OtherNodes` before anything is written, and errors of the database or the disk. */
export async function exportInstallation(engine: Engine, options: ExportOptions): Promise<TransferReport> {
  const earlierExport = await readExportFolder(options.folder)
  const next = nextStep(await readMove(engine), earlierExport, options.keep)
  if (!(await hasWorkspaces(engine))) throw new TransferRefused('The database is empty: there is nothing to export')
  await refuseOtherSchema(engine)
  if (next === 'finished') return await finished(engine, earlierExport)
  if (options.shared) await refuseOtherNodes(engine)
  const writesBefore = options.keep ? await rowsWritten(engine) : ''
  const folder = next === 'start' ? await startExport(engine, options) : await resume(earlierExport)
  await writeRows(engine, folder, { ...options, chunkBytes: options.chunkBytes ?? CHUNK_BYTES })
  if (options.keep) await refuseChanged(engine, folder, options, writesBefore)
  failpoint('before-export-end')
  return { ...(await finish(engine, folder, options)), continued: next === 'continue' }
}

/** Whether a server has started on the database: its first start creates workspaces. */
async function hasWorkspaces(engine: Engine): Promise<boolean> {
  if (!(await readTables(engine)).some(({ name }) => name === 'workspaces')) return false
  return (await engine.run({ text: 'select from workspaces limit 1', values: [] })).rows.length > 0
}

/** Decides from the state of earlier runs. Throws `TransferRefused`. */
export function nextStep(
  move: Move | undefined,
  { path, header, manifest }: ExportFolder,
  keep: boolean,
): 'start' | 'continue' | 'finished' {
  const isOut = move?.state === 'exporting' || move?.state === 'exported'
  if (move && !isOut && move.state !== 'imported')
    throw new TransferRefused(`The import of ${move.folder} into this installation is not finished`)
  if (!header) {
    // A run that was killed between the mark and the first file.
    if (!isOut || (!keep && move.state === 'exporting' && move.folder === path)) return 'start'
    throw new TransferRefused(
      `This installation was exported to ${move.folder} on ${move.host}. Continue in that folder, or undo that export with "postrider export --abandon"`,
    )
  }
  const isSame = isOut && move.exportId === header.id
  if (isSame) return manifest ? 'finished' : 'continue'
  if (manifest) throw new TransferRefused(`${path} holds a finished export already: name an empty or a new folder`)
  throw new TransferRefused(
    header.keep
      ? `${path} holds an unfinished copy, and the installation may have changed since: delete it, or name a new folder`
      : `${path} holds an unfinished export of another installation, or one that was abandoned: name a new folder`,
  )
}

async function finished(engine: Engine, { path, header, chunks }: ExportFolder): Promise<TransferReport> {
  const id = header?.id ?? ''
  const move = await readMove(engine)
  if (move?.state === 'exporting') await engine.batch([moveStateWrite(id, 'exporting', 'exported')])
  return { folder: path, id, ...countsOf(chunks), continued: true }
}

/** The mark comes first: once a row is read, no server may deliver it. */
async function startExport(engine: Engine, options: ExportOptions): Promise<ExportFolder> {
  const { folder, host, keep, secretKey, shared, now } = options
  const { rows } = await engine.run<{ version: string }>({
    text: `select current_setting('server_version') as version`,
    values: [],
  })
  const header: Header = {
    format: FORMAT,
    id: randomBytes(16).toString('hex'),
    schema: schemaOfProgram(),
    created: now(),
    host,
    postgres: rows[0]?.version ?? '',
    secretKey,
    keep,
  }
  await makeExportFolder(folder)
  if (!keep) {
    await engine.batch([
      moveWrite({ state: 'exporting', exportId: header.id, folder, host, at: header.created, steps: 0 }),
    ])
    failpoint('after-export-mark')
    // A node that started meanwhile may have read the row before the mark.
    if (shared)
      await refuseOtherNodes(engine).catch(async (error: unknown) => {
        await clearMove(engine, header.id)
        throw error
      })
  }
  await startJournal(folder, header)
  return { path: folder, header, chunks: [] }
}

async function resume(folder: ExportFolder): Promise<ExportFolder> {
  await refuseMissingChunks(folder)
  await repairExportFolder(folder)
  return folder
}

async function finish(
  engine: Engine,
  { path, header, chunks }: ExportFolder,
  options: ExportOptions,
): Promise<Omit<TransferReport, 'continued'>> {
  if (!header) throw new Error('An export without a header cannot be finished')
  const tables = await readTables(engine)
  const counts = countsOf(chunks)
  await writeManifest(path, {
    ...header,
    finished: options.now(),
    tables: tables.map(({ name }) => {
      const chunksOfTable = chunks.filter(({ table }) => table === name)
      const digest = chunksOfTable.reduce((sum, chunk) => addDigests(sum, chunk.digest), emptyDigest)
      return { name, rows: counts.tables[name] ?? 0, chunks: chunksOfTable.length, digest }
    }),
    sequences: await readSequences(engine, tables),
    weeks: await partitionedWeeks(engine),
    rows: counts.rows,
    bytes: counts.bytes,
  })
  if (!options.keep) await engine.batch([moveStateWrite(header.id, 'exporting', 'exported')])
  return { folder: path, id: header.id, ...counts }
}

/** Level 3 packs rows about as small as 6 in half the time. */
const PACKING = { level: 3 }

const pack = promisify(gzip)

/** Writes the chunks that the folder does not have yet. */
async function writeRows(
  engine: Engine,
  folder: ExportFolder,
  { signal, progress, chunkBytes }: TransferOptions & { chunkBytes: number },
): Promise<void> {
  const tables = await readTables(engine)
  const rowsTotal = tables.reduce((sum, { rowsEstimated }) => sum + rowsEstimated, 0)
  let { rows, bytes } = countsOf(folder.chunks)
  // One chunk is packed and written while the next one is read.
  let writing: Promise<Chunk> | undefined
  const written = async () => {
    const chunk = await writing
    writing = undefined
    if (!chunk) return
    folder.chunks.push(chunk)
    failpoint('after-export-chunk')
    rows += chunk.rows
    bytes += chunk.bytes
  }
  try {
    for (const [tablesDone, table] of tables.entries()) {
      const before = folder.chunks.filter((chunk) => chunk.table === table.name)
      let number = before.length
      for await (const read of chunksOf(engine, table, before.at(-1)?.last, chunkBytes)) {
        await written()
        signal.throwIfAborted()
        progress({ phase: 'exporting', table: table.name, tablesDone, tables: tables.length, rows, rowsTotal, bytes })
        number += 1
        writing = store(folder.path, table, number, read)
        // The next iteration awaits it; until then a failure must not end the process.
        writing.catch(() => undefined)
        failpoint('mid-export')
      }
    }
  } finally {
    await written()
  }
}

/** Combines pages until they fill a chunk. */
async function* chunksOf(
  engine: Engine,
  table: Table,
  after: readonly string[] | undefined,
  chunkBytes: number,
): AsyncGenerator<RowPage> {
  let rows: string[] = []
  let last: string[] = []
  let size = 0
  for await (const page of pagesOf(engine, table, { after, bytesMax: Math.ceil(chunkBytes / 2) })) {
    for (const row of page.rows) size += row.length
    rows.push(...page.rows)
    last = page.last
    if (size < chunkBytes) continue
    yield { rows, last }
    rows = []
    size = 0
  }
  if (rows.length > 0) yield { rows, last }
}

async function store(folder: string, { name }: Table, number: number, { rows, last }: RowPage): Promise<Chunk> {
  const lines = Buffer.from(`${rows.join('\n')}\n`)
  const packed = await pack(lines, PACKING)
  const chunk: Chunk = {
    table: name,
    file: `${name}-${String(number).padStart(6, '0')}.jsonl.gz`,
    rows: rows.length,
    bytes: packed.length,
    bytesUnpacked: lines.length,
    sha256: hashOf(packed),
    digest: rowsDigest(rows),
    last,
  }
  await writeChunk(folder, packed, chunk)
  return chunk
}

/** Discards a copy when the database was written to meanwhile: it would be inconsistent. */
async function refuseChanged(
  engine: Engine,
  { path, header }: ExportFolder,
  { shared }: ExportOptions,
  before: string,
): Promise<void> {
  try {
    if (shared) await refuseOtherNodes(engine)
    if ((await rowsWritten(engine)) !== before)
      throw new TransferRefused('The database was written to while it was copied, so the copy was discarded')
  } catch (error) {
    await discardExport(path, header?.id ?? '')
    throw error
  }
}

/** The number of rows written, by PostgreSQL's statistics, which are exact once the writers are disconnected. */
async function rowsWritten(engine: Engine): Promise<string> {
  const { rows } = await engine.run<{ count: string }>({
    text: 'select sum(n_tup_ins + n_tup_upd + n_tup_del)::text as count from pg_stat_user_tables where schemaname = current_schema()',
    values: [],
  })
  return rows[0]?.count ?? ''
}

export interface Abandoned {
  folder: string
  host: string
  /** The exported files were on this machine and were removed. */
  discarded: boolean
}

/** Makes an exported installation usable again. Undefined when it was not exported. */
export async function abandonExport(engine: Engine): Promise<Abandoned | undefined> {
  const move = await readMove(engine)
  if (move?.state !== 'exporting' && move?.state !== 'exported') return undefined
  if (move.state === 'exported') await refuseImported(move.folder)
  // The files first: without them the messages that this installation delivers again cannot be imported elsewhere.
  const discarded = await discardExport(move.folder, move.exportId)
  await clearMove(engine, move.exportId)
  return { folder: move.folder, host: move.host, discarded }
}
