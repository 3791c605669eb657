/** Pages hold every row once, in bounded size, for rows of any width; and incomplete files are recognized. */
import { appendFile, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pagesOf, type RowPage, readTables } from '@postrider/server/internal/database/transfer/catalog'
import {
  type Chunk,
  makeExportFolder,
  readExportFolder,
  repairExportFolder,
  startJournal,
  writeChunk,
} from '@postrider/server/internal/database/transfer/manifest'
import { describe, expect, test } from 'vitest'
import { execute, newInstallation, onDatabaseOf } from '../support/installation.ts'

const WIDE_BYTES = 1_048_576
const PAGE_BYTES = 3_000_000

describe('pages', () => {
  test('pages of narrow and wide rows have every row once and end with the row that exceeds their size', async () => {
    const installation = await newInstallation()
    await execute(
      installation,
      `create table wide (part integer, name text collate "C", body text, extra jsonb, twice integer generated always as (part * 2) stored,
        primary key (part, name))`,
      // One that compresses to nothing and one that does not; among them thousands of narrow ones.
      `insert into wide select n % 7, 'n' || n, case when n % 500 = 0 then repeat('x', ${WIDE_BYTES})
          when n % 501 = 0 then (select string_agg(md5(n || ' ' || i), '') from generate_series(1, ${WIDE_BYTES / 32}) i) end,
        '{"a": 9007199254740993}' from generate_series(1, 6000) n`,
    )
    const pages = await onDatabaseOf(installation, async (engine) => {
      const table = (await readTables(engine)).find(({ name }) => name === 'wide')
      const pages: RowPage[] = []
      if (table) for await (const page of pagesOf(engine, table, { bytesMax: PAGE_BYTES })) pages.push(page)
      return pages
    })
    const rows = pages.flatMap((page) => page.rows)
    const names = rows.map((row) => `${JSON.parse(row).part} ${JSON.parse(row).name}`)
    expect(new Set(names).size).toBe(6_000)
    expect(names).toEqual(names.toSorted())
    for (const page of pages)
      expect(page.rows.reduce((sum, row) => sum + row.length, 0)).toBeLessThan(PAGE_BYTES + 1.1 * WIDE_BYTES)
    expect(pages.length).toBeGreaterThan(8)
    expect(rows.every((row) => row.includes('"extra":{"a": 9007199254740993}') && !row.includes('twice'))).toBe(true)
  })
})

describe('a folder of an export', () => {
  const header = {
    ...{
      format: 1 as const,
      id: 'a'.repeat(32),
      created: 1,
      host: 'host',
      postgres: '18',
      secretKey: 'x',
      keep: false,
    },
    schema: { version: 1, name: 'initial' },
  }
  const chunk: Chunk = {
    ...{ table: 'keys', file: 'keys-000001.jsonl.gz', rows: 1, bytes: 3, bytesUnpacked: 3, last: ['k'] },
    ...{ sha256: 'b'.repeat(64), digest: 'c'.repeat(32) },
  }
  const newFolder = async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'postrider-move-')), 'move')
    await makeExportFolder(folder)
    await startJournal(folder, header)
    await writeChunk(folder, Buffer.from('abc'), chunk)
    return folder
  }

  test('a journal that ends in half a line is continued after the last complete one', async () => {
    const folder = await newFolder()
    await appendFile(join(folder, 'chunks.jsonl'), '{"table":"key')
    await writeFile(join(folder, 'keys-000002.jsonl.gz.part'), 'half')
    const exportFolder = await readExportFolder(folder)
    expect(exportFolder).toEqual({ path: folder, header, chunks: [chunk] })
    await repairExportFolder(exportFolder)
    expect((await readdir(folder)).toSorted()).toEqual(['chunks.jsonl', 'keys-000001.jsonl.gz'])
    await writeChunk(folder, Buffer.from('abc'), { ...chunk, file: 'keys-000002.jsonl.gz' })
    expect((await readExportFolder(folder)).chunks).toHaveLength(2)
  })

  test('a journal that names files elsewhere, or another format, is refused', async () => {
    const folder = await newFolder()
    await appendFile(join(folder, 'chunks.jsonl'), `${JSON.stringify({ ...chunk, file: '../secret.key' })}\n`)
    await expect(readExportFolder(folder)).rejects.toThrow('line 3 of chunks.jsonl')
    await writeFile(join(folder, 'chunks.jsonl'), `${JSON.stringify({ ...header, format: 2 })}\n`)
    await expect(readExportFolder(folder)).rejects.toThrow('not one that this version can read')
  })
})
