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

test('cells that are left out at the end of a row are empty, and those beyond the header a problem', async () => {
  const { rows } = await read('id,name,town\n1\n2,b,c,d\n3,d,e,\n4,f\n')
  expect(rows.map((row) => [...cells(row), row.problem])).toEqual([
    [2, '1', '', '', undefined],
    [3, '2', 'b', 'c', '4 cells, but the header has 3'],
    [4, '3', 'd', 'e', undefined],
    [5, '4', 'f', '', undefined],
  ])
})

test.each([
  ['delimiters', 'id,name\n1,a\n,\n , \n2,b\n,\n'],
  ['semicolons', 'id;name\r\n1;a\r\n;\r\n;;;\r\n2;b\r\n;\r\n'],
  ['empty quotes', 'id,name\n1,a\n"",""\n" "\n2,b\n'],
])('rows of %s alone are none', async (_name, content) => {
  const { rows } = await read(content)
  expect(rows.map(cells)).toEqual([
    [2, '1', 'a'],
    [5, '2', 'b'],
  ])
})

test.each([
  ['a semicolon', 'sep=;\r\nid;name\r\n1;"Lovelace, Ada"\r\n'],
  ['a byte order mark before it', '\ufeffsep=;\r\nid;name\r\n1;"Lovelace, Ada"\r\n'],
  ['a comma', 'sep=,\nid,name\n1,"Lovelace, Ada"\n'],
  ['a tab', 'sep=\t\nid\tname\n1\tLovelace, Ada\n'],
  ['a tab in words', '"sep=\\t"\nid\tname\n1\tLovelace, Ada\n'],
  ['capitals and quotes', '"SEP=|"\nid|name\n1|Lovelace, Ada\n'],
  ['the cells of another program', 'sep=;;\nid;name\n1;Lovelace, Ada\n'],
  ['quotes of another kind', "sep=';'\nid;name\n1;Lovelace, Ada\n"],
  ['line ends of old', 'sep=;\rid;name\r1;Lovelace, Ada\r'],
  ['UTF-16', Buffer.from('\ufeffsep=;\r\nid;name\r\n1;Lovelace, Ada\r\n', 'utf16le')],
])('a line before the header names the delimiter: %s', async (_name, content) => {
  const { columns, rows } = await read(content)
  expect(columns).toEqual(['id', 'name'])
  expect(rows.map(cells)).toEqual([[3, '1', 'Lovelace, Ada']])
})

test('a delimiter of the command wins over the line before the header', async () => {
  const { columns, rows } = await read('sep=;\nid,name\n1,a;b\n', { delimiter: ',' })
  expect(columns).toEqual(['id', 'name'])
  expect(rows.map(cells)).toEqual([[3, '1', 'a;b']])
})

test.each([
  ['after the header', 'id,name\n1,a\r\n2,"b\r\nc"\r\n3,d\n'],
  ['between the rows', 'id,name\r\n1,a\n2,"b\r\nc"\r3,d'],
])('line ends that change %s', async (_name, content) => {
  const { columns, rows } = await read(content)
  expect(columns).toEqual(['id', 'name'])
  expect(rows.map(cells)).toEqual([
    [2, '1', 'a'],
    [3, '2', 'b\r\nc'],
    [5, '3', 'd'],
  ])
})

test.each([
  ['after the last line', 'id,name\r\n1,a\r\n\x1a'],
  ['behind the last cell', 'id,name\n"1","a"\x1a'],
  ['before a line break', 'id,name\n1,a\n\x1a\r\n'],
  ['up to 128 bytes', `id,name\n1,a\n${'\x1a'.repeat(115)}`],
])('the end mark of DOS is no row: %s', async (_name, content) => {
  expect((await read(content)).rows.map(cells)).toEqual([[2, '1', 'a']])
  const chunks = (async function* () {
    yield* content
  })()
  const { rows } = await readRows({ name: 'text', text: chunks } as never)
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  expect(all.map(cells)).toEqual([[2, '1', 'a']])
})

test('the same character elsewhere stays, and JSON lines end with it as well', async () => {
  expect((await read('id,name\n\x1a,a\x1ab\n2,c')).rows.map(cells)).toEqual([
    [2, '\x1a', 'a\x1ab'],
    [3, '2', 'c'],
  ])
  expect((await read('{"id":1}\n\x1a')).rows.map(({ problem }) => problem)).toEqual([undefined])
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
  ['a delimiter alone', 'sep=;\r\n', /is empty$/],
  ['an end mark alone', '\x1a', /is empty$/],
  ['bytes of another encoding', Buffer.from('id,name\n1,M\xfcller\n', 'latin1'), /is not UTF-8$/],
  ['a JSON array', '[{"id":1},\n{"id":2}]\n', /is a JSON array$/],
  ['a column twice', 'id,id\n', /has the column `id` twice/],
  ['a quote that is not closed', `id,name\n1,"a\n2,b\n${'x'.repeat(2_000_000)}`, /a quote is not closed/],
  ['something after a closing quote', 'id,name\n1,"a"b\n', /line 2: the quotes of a cell do not match/],
  ['a quote in the middle of a cell', 'id,name\n1,a"b\n', /line 2: the quotes of a cell do not match/],
  ['such a quote after a line for the delimiter', 'sep=,\nid,name\n1,a"b\n', /line 3: the quotes of a cell do not/],
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
