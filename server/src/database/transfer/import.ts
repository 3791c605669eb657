/** Fills an empty database from an exported folder, a chunk a commit; a run that was interrupted is continued by the next one. */
import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import { ConflictError, type Engine } from '../engine.ts'
import { migrate } from '../migrate.ts'
import { refuseOtherNodes } from '../other-nodes.ts'
import { makePartitionedWeeks } from '../partitions.ts'
import { type Move, moveStateWrite, moveWrite, readMove } from '../tables/installation/moves.ts'
import { voidEveryLease } from '../void-leases.ts'
import { quotedIdentifier, readTables, type Table, writeSequence } from './catalog.ts'
import { addDigests, emptyDigest, rowsDigest } from './digest.ts'
import {
  type ExportFolder,
  type Manifest,
  noteImport,
  readChunk,
  readExportFolder,
  refuseImported,
  refuseMissingChunks,
  TransferRefused,
} from './manifest.ts'
import { pagesOf } from './pages.ts'
import { type Step, stepStatements, stepsOf, unpacked } from './steps.ts'
import { refuseOtherSchema, schemaOfProgram, type TransferOptions, type TransferReport } from './transfer.ts'

export interface ImportOptions extends TransferOptions {
  log: Log
}

/** A page of the comparison; nothing of it is kept. */
const PAGE_BYTES = 4_000_000

/** Rows that the migrations themselves insert: the export holds them as they became. */
const SEEDED = new Set(['audience_writes'])

/** Throws `TransferRefused` before the database is changed. The folder alone decides. */
export async function readImport({ folder, secretKey }: Pick<ImportOptions, 'folder' | 'secretKey'>): Promise<Import> {
  const found = await readExportFolder(folder)
  const { header, manifest } = found
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
  await refuseMissingChunks(found)
  return { ...found, manifest }
}

export interface Import extends ExportFolder {
  manifest: Manifest
}

/** Throws `TransferRefused` and `OtherNodes` before the database is changed, else what the database refused. */
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
    const tables = ours ? await tablesOf(engine, source) : await begin(engine, source, options)
    if (ours?.state !== 'verified') {
      await importRows(engine, source, tables, ours?.steps ?? 0, options)
      await compare(engine, source, tables, options)
      for (const sequence of manifest.sequences) await writeSequence(engine, sequence)
      await engine.batch([moveStateWrite(manifest.id, 'importing', 'verified')])
    }
    failpoint('before-import-end')
    // Their owners stopped before the export began.
    await voidEveryLease(engine, options.now())
    // The note first: without it the folder could be imported into a second database.
    await noteImport(source.path, { at: ours?.at ?? options.now(), host: ours?.host ?? options.host })
    await engine.batch([moveStateWrite(manifest.id, 'verified', 'imported')])
  }
  const { id, rows, bytes } = manifest
  const counts = Object.fromEntries(manifest.tables.map((table) => [table.name, table.rows]))
  return { folder: source.path, id, rows, bytes, tables: counts, continued: ours !== undefined }
}

/** Only a database without rows is filled; one without a schema has none. */
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

/** All of them, before the first row is inserted: a copy that went wrong is found while nothing is changed. */
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

async function begin(engine: Engine, source: Import, { folder, host, now, log }: ImportOptions): Promise<Table[]> {
  await migrate(engine, log)
  const tables = await tablesOf(engine, source)
  await engine.batch([
    ...[...SEEDED].map((name) => ({ text: `delete from ${quotedIdentifier(name)}`, values: [] })),
    moveWrite({ state: 'importing', exportId: source.manifest.id, folder, host, at: now(), steps: 0 }),
  ])
  failpoint('after-import-mark')
  return tables
}

/** Of the target. Throws when the export has a table that is not there. */
async function tablesOf(engine: Engine, { manifest }: Import): Promise<Table[]> {
  await refuseOtherSchema(engine)
  const tables = await readTables(engine)
  const unknown = manifest.tables.find(({ name }) => !tables.some((table) => table.name === name))
  if (unknown) throw new TransferRefused(`The export has a table ${unknown.name}, which this schema does not know`)
  return tables
}

/** Step by step, in the same order in every run. */
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
    // The next one is read while this one is inserted; it is awaited by the next turn.
    next = read(steps[index + 1])
    next?.catch(() => undefined)
    if (!json) throw new Error(`No rows were read from ${chunk.file}`)
    failpoint('mid-import')
    await engine.batch(stepStatements(step, json, { exportId: manifest.id, index })).catch((error: unknown) => {
      if (!(error instanceof ConflictError)) throw error
      throw new Error(`The rows of ${chunk.file} could not be inserted: another import goes on in this database`)
    })
    failpoint('after-import-chunk')
    if (kind === 'rows') {
      rows += chunk.rows
      bytes += chunk.bytes
    }
  }
}

/** What is in the database now is read back, and compared with what was exported. */
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
