/** Rows come with their line and their cells, whatever wrote the file; what cannot be read is named. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ReadOptions, type Row, readRows } from './read.ts'
import { openSource } from './source.ts'

const folder = mkdtempSync(join(tmpdir(), 'postrider-rows-'))

async function read(content: string | Buffer, options: ReadOptions = {}) {
  const path = join(folder, 'rows')
  writeFileSync(path, content)
  const { columns, format, rows } = await readRows(openSource(path), options)
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return { columns, format, rows: all }
}

const cells = ({ line, values }: Row) => [line, ...values.map(([, value]) => value)]

test('quotes, line breaks in cells, empty lines and line endings of Windows', async () => {
  const { columns, rows } = await read('\ufeffid,name\r\n1,"a, ""b""\nc"\r\n\r\n2,d\r\n')
  expect(columns).toEqual(['id', 'name'])
  expect(rows.map(cells)).toEqual([
    [2, '1', 'a, "b"\nc'],
    [5, '2', 'd'],
  ])
})

test('line breaks of Windows in cells do not shift the lines of later rows', async () => {
  const { rows } = await read('id,name\r\n1,"a\r\nb\r\nc"\r\n2,"d\ne"\r\n3,f\r\n')
  expect(rows.map(({ line }) => line)).toEqual([2, 5, 7])
  await expect(read('id,name\r\n1,"a\r\nb"\r\n2,"c"d\r\n')).rejects.toThrow(/line 4: the quotes/)
})

test.each([
  ['semicolons', 'id;"na,me";x\n1;a,b;c\n', {}],
  ['tabs', 'id\tna\tx\n1\ta,b\tc\n', {}],
  ['UTF-16 of a spreadsheet', Buffer.from('\ufeffid\tna\tx\r\n1\ta,b\tc\r\n', 'utf16le'), {}],
  ['a delimiter of its own', 'id|na|x\n1|a,b|c\n', { delimiter: '|' }],
])('%s separate cells', async (_name, content, options) => {
  const { rows } = await read(content, options)
  expect(rows.map(cells)).toEqual([[2, '1', 'a,b', 'c']])
})

test('a row with too many or too few cells has a problem, one with empty ones at its end has none', async () => {
  const { rows } = await read('id,name\n1\n2,b,c\n3,d,\n')
  expect(rows.map(({ line, problem }) => [line, problem])).toEqual([
    [2, '1 cells, but the header has 2'],
    [3, '3 cells, but the header has 2'],
    [4, undefined],
  ])
})

test('JSON lines are recognized, and lines that are none have a problem', async () => {
  const { format, rows } = await read('{"id":1,"tags":["a"]}\n\n[1]\nno\n{"id":2}')
  expect(format).toBe('jsonl')
  expect(rows.map(({ line, problem }) => [line, problem])).toEqual([
    [1, undefined],
    [3, 'The line is not a JSON object'],
    [4, 'The line is not JSON'],
    [5, undefined],
  ])
  expect(rows[0]?.values).toEqual([
    ['id', 1],
    ['tags', ['a']],
  ])
})

test.each([
  ['nothing', '\n\n', /is empty$/],
  ['bytes of another encoding', Buffer.from('id,name\n1,M\xfcller\n', 'latin1'), /is not UTF-8$/],
  ['a JSON array', '[{"id":1},\n{"id":2}]\n', /is a JSON array$/],
  ['a column twice', 'id,id\n', /has the column `id` twice/],
  ['a quote that is not closed', `id,name\n1,"a\n2,b\n${'x'.repeat(2_000_000)}`, /a quote is not closed/],
  ['something after a closing quote', 'id,name\n1,"a"b\n', /line 2: the quotes of a cell do not match/],
  ['a quote in the middle of a cell', 'id,name\n1,a"b\n', /line 2: the quotes of a cell do not match/],
])('%s is refused', async (_name, content, message) => {
  await expect(read(content)).rejects.toThrow(message)
})

test('a file that is not there is named', () => {
  expect(() => openSource(join(folder, 'none'))).toThrow(/none does not exist/)
})

test('a large file is read as it is needed, not all at once', async () => {
  const path = join(folder, 'large.csv')
  writeFileSync(path, `id,name\n${'1,abcdefghijklmnopqrstuvwxyz\n'.repeat(200_000)}`)
  const source = openSource(path)
  const { rows } = await readRows(source)
  const some = rows[Symbol.asyncIterator]()
  await some.next()
  // Time enough to read all of it, for a reader that does not wait.
  for (let turn = 0; turn < 2_000; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(source.bytesRead()).toBeLessThan(1_000_000)
  await some.return?.()
})
