/** Turns tables into chunk files: the rows of one commit of an import each, in bounded memory. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { failpoint } from '../../base/failpoint.ts'
import type { Engine } from '../engine.ts'
import { readTables, type Table } from './catalog.ts'
import { rowsDigest } from './digest.ts'
import { type Chunk, type ExportFolder, hashOf, writeChunk } from './manifest.ts'
import { type Page, pagesOf } from './pages.ts'
import { countsOf, type TransferOptions } from './transfer.ts'

/** Level 3 packs rows about as small as 6 in half the time. */
const PACKING = { level: 3 }

const pack = promisify(gzip)

/** Adds the chunks that the folder does not have yet. */
export async function writeRows(
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
        // It is awaited by the next turn; until then a failure must not end the process.
        writing.catch(() => undefined)
        failpoint('mid-export')
      }
    }
  } finally {
    await written()
  }
}

/** Pages put together until they fill a chunk. */
async function* chunksOf(
  engine: Engine,
  table: Table,
  after: readonly string[] | undefined,
  chunkBytes: number,
): AsyncGenerator<Page> {
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

async function store(folder: string, { name }: Table, number: number, { rows, last }: Page): Promise<Chunk> {
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
