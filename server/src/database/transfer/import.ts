/** Fills an empty database from an exported folder, one chunk per commit; an interrupted import can be continued. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import { ConflictError, type Engine, type Statement } from '../engine.ts'
import { migrate } from '../migrate.ts'
import { refuseOtherNodes } from '../other-nodes.ts'
import { makePartitionedWeeks } from '../partitions.ts'
import { voidEveryLease } from '../queues.ts'
import { type Move, moveStateWrite, moveWrite, readMove } from '../tables/installation/installation.ts'
import { pagesOf, quotedIdentifier, readTables, selfReferences, type Table, writeSequence } from './catalog.ts'
import {
  addDigests,
  type Chunk,
  type ExportFolder,
  emptyDigest,
  type Manifest,
  noteImport,
  readChunk,
  readExportFolder,
  refuseImported,
  refuseMissingChunks,
  rowsDigest,
  TransferRefused,
} from './manifest.ts'
import { refuseOtherSchema, schemaOfProgram, type TransferOptions, type TransferReport } from './transfer.ts'

export interface ImportOptions extends TransferOptions {
  log: Log
}

/** A page of the comparison; it is not kept in memory. */
const PAGE_BYTES = 4_000_000

/** Tables with rows that migrations insert: the export holds their current state. */
const SEEDED = new Set(['audience_writes'])

/** Checks the folder only. Throws `TransferRefused` before the database is changed. */
export async function readImport({ folder, secretKey }: Pick<ImportOptions, 'folder' | 'secretKey'>): Promise<Import> {
  const source = await readExportFolder(folder)
  const { header, manifest } = source
  if (!header) throw new TransferRefused(`${folder} holds no export`)
  if (!manifest)
    throw new TransferRefused(`The export in ${folder} is not finished: run "postrider export" on its source again`)
  const { version, name } = schemaOfProgram()
  if (manifest.schema.version > version)
    throw new TransferRefused(
      `The export has schema ${manifest.schema.version} (${manifest.schema.name}), this program ${version}: import it with the version of Postrider that exported it, or a newer one`,
    )
  if (manifest.schema.version < version || manifest.schema.name !== name)
    throw new TransferRefused(
      `The export has schema ${manifest.schema.version} (${manifest.schema.name}), this program ${version} (${name}): on the source run "postrider export --abandon", "postrider migrate" with this version, and export again; or import with the version that exported it`,
    )
  if (manifest.secretKey !== secretKey)
    throw new TransferRefused(
      'The secret key of this machine is another one than that of the exported installation. Give POSTRIDER_SECRET_KEY the value it has there, or copy its secret.key into the data folder',
    )
  await refuseMissingChunks(source)
  return { ...source, manifest }
}

export interface Import extends ExportFolder {
  manifest: Manifest
}

/** Throws `TransferRefused` and `OtherNodes` before the database is changed, and errors of the database. */
export async function importInstallation(
  engine: Engine,
  source: Import,
  options: ImportOptions,
): Promise<TransferReport> {
  const { manifest } = source
  const move = await readMove(engine)
  const ours = move?.exportId === manifest.id ? move : undefined
  if (ours?.state !== 'imported') {
    if (options.shared) await refuseOtherNodes(engine)
    if (!ours) await refuseFilled(engine, move)
    if (!ours && !manifest.keep) await refuseImported(source.path)
    await checkChunks(source, options)
    const tables = ours ? await tablesOf(engine, source) : await startImport(engine, source, options)
    if (ours?.state !== 'verified') {
      await importRows(engine, source, tables, ours?.steps ?? 0, options)
      await compare(engine, source, tables, options)
      for (const sequence of manifest.sequences) await writeSequence(engine, sequence)
      await engine.batch([moveStateWrite(manifest.id, 'importing', 'verified')])
    }
    failpoint('before-import-end')
    // The owners of all leases stopped before the export started.
    await voidEveryLease(engine, options.now())
    // The note comes first: without it the folder could be imported into a second database.
    await noteImport(source.path, { at: ours?.at ?? options.now(), host: ours?.host ?? options.host })
    await engine.batch([moveStateWrite(manifest.id, 'verified', 'imported')])
  }
  const { id, rows, bytes } = manifest
  const counts = Object.fromEntries(manifest.tables.map((table) => [table.name, table.rows]))
  return { folder: source.path, id, rows, bytes, tables: counts, continued: ours !== undefined }
}

/** Throws unless the database is empty; it may have no schema. */
async function refuseFilled(engine: Engine, move: Move | undefined): Promise<void> {
  if (move && (move.state === 'importing' || move.state === 'verified'))
    throw new TransferRefused(
      `This database holds an unfinished import of another export (${move.folder}). Continue that one, or name an empty database`,
    )
  for (const { name } of await readTables(engine)) {
    if (SEEDED.has(name)) continue
    const { rows } = await engine.run({ text: `select from ${quotedIdentifier(name)} limit 1`, values: [] })
    if (rows.length > 0)
      throw new TransferRefused(
        `The database is not empty: ${name} has rows. Import into an empty database or data folder, on which no server has started`,
      )
  }
}

/** Verifies every chunk before the first row is inserted, so that a damaged copy is found before any change. */
async function checkChunks(source: Import, { progress, signal }: ImportOptions): Promise<void> {
  const { manifest, chunks, path } = source
  let [rows, bytes] = [0, 0]
  const names = manifest.tables.map(({ name }) => name)
  for (const chunk of chunks) {
    signal.throwIfAborted()
    await readChunk(path, chunk)
    rows += chunk.rows
    bytes += chunk.bytes
    const place = { table: chunk.table, tablesDone: names.indexOf(chunk.table), tables: names.length }
    progress({ phase: 'checking', ...place, rows, rowsTotal: manifest.rows, bytes })
  }
}

async function startImport(
  engine: Engine,
  source: Import,
  { folder, host, now, log }: ImportOptions,
): Promise<Table[]> {
  await migrate(engine, log)
  const tables = await tablesOf(engine, source)
  await engine.batch([
    ...[...SEEDED].map((name) => ({ text: `delete from ${quotedIdentifier(name)}`, values: [] })),
    moveWrite({ state: 'importing', exportId: source.manifest.id, folder, host, at: now(), steps: 0 }),
  ])
  failpoint('after-import-mark')
  return tables
}

/** The tables of the target database. Throws when the export has an unknown table. */
async function tablesOf(engine: Engine, { manifest }: Import): Promise<Table[]> {
  await refuseOtherSchema(engine)
  const tables = await readTables(engine)
  const unknown = manifest.tables.find(({ name }) => !tables.some((table) => table.name === name))
  if (unknown) throw new TransferRefused(`The export has a table ${unknown.name}, which this schema does not know`)
  return tables
}

/** Executes the remaining steps, in the same order in every run. */
async function importRows(
  engine: Engine,
  source: Import,
  tables: readonly Table[],
  done: number,
  { signal, progress }: ImportOptions,
): Promise<void> {
  await makePartitionedWeeks(engine, source.manifest.weeks)
  const steps = stepsOf(tables, source.chunks)
  const { path, manifest } = source
  const read = (step: Step | undefined) => step && readChunk(path, step.chunk).then((packed) => unpacked(packed, step))
  const inserted = steps.slice(0, done).filter(({ kind }) => kind === 'rows')
  let rows = inserted.reduce((sum, { chunk }) => sum + chunk.rows, 0)
  let bytes = inserted.reduce((sum, { chunk }) => sum + chunk.bytes, 0)
  let next = read(steps[done])
  for (const [index, step] of steps.entries()) {
    if (index < done) continue
    signal.throwIfAborted()
    const { table, chunk, kind } = step
    const place = { table: table.name, tablesDone: tables.indexOf(table), tables: tables.length }
    progress({ phase: 'importing', ...place, rows, rowsTotal: manifest.rows, bytes })
    const json = await next
    // Reads the next chunk during the insert; the next iteration awaits it.
    next = read(steps[index + 1])
    next?.catch(() => undefined)
    if (!json) throw new Error(`No rows were read from ${chunk.file}`)
    failpoint('mid-import')
    await engine.batch(stepStatements(step, json, { exportId: manifest.id, index })).catch((error: unknown) => {
      if (!(error instanceof ConflictError)) throw error
      throw new Error(`The rows of ${chunk.file} could not be inserted: another import is running on this database`)
    })
    failpoint('after-import-chunk')
    if (kind === 'rows') {
      rows += chunk.rows
      bytes += chunk.bytes
    }
  }
}

/** Reads all rows back and compares them with the exported digests. */
async function compare(
  engine: Engine,
  { manifest }: Import,
  tables: readonly Table[],
  { signal, progress }: ImportOptions,
): Promise<void> {
  const { bytes, rows: rowsTotal } = manifest
  let compared = 0
  for (const [tablesDone, table] of tables.entries()) {
    let rows = 0
    let digest = emptyDigest
    for await (const page of pagesOf(engine, table, { bytesMax: PAGE_BYTES })) {
      signal.throwIfAborted()
      rows += page.rows.length
      digest = addDigests(digest, rowsDigest(page.rows))
      const place = { table: table.name, tablesDone, tables: tables.length }
      progress({ phase: 'comparing', ...place, rows: compared + rows, rowsTotal, bytes })
    }
    compared += rows
    const exported = manifest.tables.find(({ name }) => name === table.name) ?? { rows: 0, digest: emptyDigest }
    if (rows !== exported.rows || digest !== exported.digest)
      throw new Error(
        `${table.name} has ${rows} rows that differ from the ${exported.rows} exported ones. No server starts on this database: import into another, empty one`,
      )
  }
}

/** A step of an import: a chunk, and the statements that commit it once. */
interface Step {
  /** `references` follows the rows of a table: it sets columns by which they reference each other. */
  kind: 'rows' | 'references'
  table: Table
  chunk: Chunk
}

const unpack = promisify(gunzip)

/** In the order of the tables, which is that of their references. */
function stepsOf(tables: readonly Table[], chunks: readonly Chunk[]): Step[] {
  return tables.flatMap((table) => {
    const chunksOfTable = chunks.filter((chunk) => chunk.table === table.name)
    const stepsOfKind = (kind: Step['kind']) => chunksOfTable.map((chunk): Step => ({ kind, table, chunk }))
    return [...stepsOfKind('rows'), ...(selfReferences(table).length > 0 ? stepsOfKind('references') : [])]
  })
}

const NEWLINE = 0x0a
const COMMA = 0x2c

/** The rows of a chunk as one JSON array, not parsed here. Throws `TransferRefused` when the number of rows differs. */
async function unpacked(packed: Buffer, { chunk }: Step): Promise<Buffer> {
  const lines = await unpack(packed, { maxOutputLength: chunk.bytesUnpacked })
  const array = Buffer.allocUnsafe(lines.length + 1)
  array[0] = 0x5b
  lines.copy(array, 1)
  let rows = 0
  // Rows contain no newline: JSON escapes it.
  for (let at = array.indexOf(NEWLINE); at >= 0; at = array.indexOf(NEWLINE, at + 1)) {
    array[at] = COMMA
    rows += 1
  }
  array[array.length - 1] = 0x5d
  if (rows !== chunk.rows)
    throw new TransferRefused(`${chunk.file} has ${rows} rows instead of ${chunk.rows}: it is damaged`)
  return array
}

/** Rows and step counter in one commit, exactly once: conflicts unless the counter is `index` and every row was written. */
function stepStatements(
  { kind, table, chunk }: Step,
  json: Buffer,
  { exportId, index }: { exportId: string; index: number },
): Statement[] {
  const name = quotedIdentifier(table.name)
  const write = kind === 'rows' ? insertText(table) : updateText(table)
  const expected = kind === 'rows' ? 'and (select count(*) from written) = $4' : ''
  const statement = {
    text: `with source as (select * from json_populate_recordset(null::${name}, $1::json)), written as (${write} returning 1)
      update moves set steps = $3 + 1
      where export_id = $2 and state = 'importing' and steps = $3 ${expected}`,
    values: [json, exportId, index, ...(kind === 'rows' ? [chunk.rows] : [])],
    expectRows: true,
  }
  if (!table.triggers) return [statement]
  // Rows that triggers derive are in the export already.
  return [
    { text: `alter table ${name} disable trigger user` },
    statement,
    { text: `alter table ${name} enable trigger user`, values: [] },
  ]
}

function insertText(table: Table): string {
  const later = selfReferences(table)
  const columns = table.columns.filter(({ name }) => !later.includes(name)).map(({ name }) => quotedIdentifier(name))
  return `insert into ${quotedIdentifier(table.name)} (${columns.join(', ')}) overriding system value
    select ${columns.join(', ')} from source`
}

function updateText(table: Table): string {
  const later = selfReferences(table).map(quotedIdentifier)
  const key = table.key.map(({ name }) => quotedIdentifier(name))
  return `update ${quotedIdentifier(table.name)} t set ${later.map((column) => `${column} = s.${column}`).join(', ')} from source s
    where ${key.map((column) => `t.${column} = s.${column}`).join(' and ')}
      and (${later.map((column) => `s.${column} is not null`).join(' or ')})`
}
