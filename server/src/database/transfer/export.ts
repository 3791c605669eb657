/** Writes every row of a stopped installation into a folder; a run that was interrupted is continued by the next one. */
import { randomBytes } from 'node:crypto'
import { failpoint } from '../../base/failpoint.ts'
import type { Engine } from '../engine.ts'
import { refuseOtherNodes } from '../other-nodes.ts'
import { partitionedWeeks } from '../partitions.ts'
import { clearMove, type Move, moveStateWrite, moveWrite, readMove } from '../tables/installation/moves.ts'
import { readSequences, readTables } from './catalog.ts'
import { writeRows } from './chunks.ts'
import { addDigests, emptyDigest } from './digest.ts'
import {
  discardExport,
  type ExportFolder,
  FORMAT,
  type Header,
  makeExportFolder,
  readExportFolder,
  refuseImported,
  refuseMissingChunks,
  repairExportFolder,
  startJournal,
  TransferRefused,
  writeManifest,
} from './manifest.ts'
import { countsOf, refuseOtherSchema, schemaOfProgram, type TransferOptions, type TransferReport } from './transfer.ts'

export interface ExportOptions extends TransferOptions {
  /** The installation stays in use and is not marked as moved. */
  keep: boolean
  /** JSON of the rows of a chunk, which an import commits at once. */
  chunkBytes?: number
}

// Memory grows to a few times as much; a commit of this size takes well below a second.
const CHUNK_BYTES = 4_000_000

/** Throws `TransferRefused` and `OtherNodes` before anything is written, else what the database or the disk refused. */
export async function exportInstallation(engine: Engine, options: ExportOptions): Promise<TransferReport> {
  const found = await readExportFolder(options.folder)
  const next = nextStep(await readMove(engine), found, options.keep)
  if (!(await hasWorkspaces(engine))) throw new TransferRefused('The database is empty: there is nothing to export')
  await refuseOtherSchema(engine)
  if (next === 'finished') return await finished(engine, found)
  if (options.shared) await refuseOtherNodes(engine)
  const writesBefore = options.keep ? await rowsWritten(engine) : ''
  const folder = next === 'begin' ? await begin(engine, options) : await resume(found)
  await writeRows(engine, folder, { ...options, chunkBytes: options.chunkBytes ?? CHUNK_BYTES })
  if (options.keep) await refuseChanged(engine, folder, options, writesBefore)
  failpoint('before-export-end')
  return { ...(await finish(engine, folder, options)), continued: next === 'continue' }
}

/** The first start of a server makes them. */
async function hasWorkspaces(engine: Engine): Promise<boolean> {
  if (!(await readTables(engine)).some(({ name }) => name === 'workspaces')) return false
  return (await engine.run({ text: 'select from workspaces limit 1', values: [] })).rows.length > 0
}

/** What a run does, from what earlier ones left. Throws `TransferRefused`. */
export function nextStep(
  move: Move | undefined,
  { path, header, manifest }: ExportFolder,
  keep: boolean,
): 'begin' | 'continue' | 'finished' {
  const isOut = move?.state === 'exporting' || move?.state === 'exported'
  if (move && !isOut && move.state !== 'imported')
    throw new TransferRefused(`The import of ${move.folder} into this installation is not finished`)
  if (!header) {
    // Marked, and died before it wrote anything.
    if (!isOut || (!keep && move.state === 'exporting' && move.folder === path)) return 'begin'
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

/** The mark comes first: once a row was read, no server may deliver what it says. */
async function begin(engine: Engine, options: ExportOptions): Promise<ExportFolder> {
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
    // A node that started meanwhile may have looked before the mark was there.
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
      const own = chunks.filter(({ table }) => table === name)
      const digest = own.reduce((sum, chunk) => addDigests(sum, chunk.digest), emptyDigest)
      return { name, rows: counts.tables[name] ?? 0, chunks: own.length, digest }
    }),
    sequences: await readSequences(engine, tables),
    weeks: await partitionedWeeks(engine),
    rows: counts.rows,
    bytes: counts.bytes,
  })
  if (!options.keep) await engine.batch([moveStateWrite(header.id, 'exporting', 'exported')])
  return { folder: path, id: header.id, ...counts }
}

/** A copy is of one moment only if nothing was written while it was made. */
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

/** How many writes the tables have seen: PostgreSQL's statistics, which are up to date once a writer is gone. */
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
  // The files first: with them gone nobody can import what is delivered here again.
  const discarded = await discardExport(move.folder, move.exportId)
  await clearMove(engine, move.exportId)
  return { folder: move.folder, host: move.host, discarded }
}
