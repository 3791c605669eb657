/** A CSV file is read in slices as if it were read whole. */
import { expect, test } from 'vitest'
import { CsvError, csvLine, csvOf, delimiterOf, openCsv } from './csv.ts'

async function rowsIn(text: string | Uint8Array<ArrayBuffer>, sliceBytes: number) {
  const { header, parts } = await openCsv(new Blob([text]), sliceBytes)
  const rows: [line: number, ...cells: string[]][] = []
  for await (const part of parts()) for (const { line, cells } of part.rows) rows.push([line, ...cells])
  return { header, rows }
}

test.each([1_000, 24, 7])(
  'rows, quotes over lines and the last line without an end, in slices of %d bytes',
  async (size) => {
    const text = '\ufeffid;name\r\na;"Ada; ""the first""\r\nof them"\r\n\r\nb;Zoë\nc;"x"'
    expect(await rowsIn(text, size)).toEqual({
      header: ['id', 'name'],
      rows: [
        [2, 'a', 'Ada; "the first"\nof them'],
        [5, 'b', 'Zoë'],
        [6, 'c', 'x'],
      ],
    })
  },
)

test.each([
  ['after the last line', 'id,name\r\n1,a\r\n\x1a'],
  ['behind the last cell', 'id,name\n"1","a"\x1a'],
  ['before a line break', 'id,name\n1,a\n\x1a\r\n'],
  ['up to 128 bytes', `id,name\n1,a\n${'\x1a'.repeat(115)}`],
])('the end mark of DOS is no row: %s', async (_name, text) => {
  for (const size of [1_000, 13, 5])
    expect(await rowsIn(text, size)).toEqual({ header: ['id', 'name'], rows: [[2, '1', 'a']] })
})

test('the same character elsewhere stays', async () =>
  expect((await rowsIn('id,name\n\x1a,a\n2,b', 1_000)).rows).toEqual([
    [2, '\x1a', 'a'],
    [3, '2', 'b'],
  ]))

test('the code page of Windows and UTF-16 are recognized', async () => {
  const windows = Uint8Array.from([...'id,name\na,J'].map((letter) => letter.charCodeAt(0)).concat(0xfc, 0x72))
  expect((await rowsIn(windows, 1_000)).rows).toEqual([[2, 'a', 'Jür']])
  const utf16 = new Uint8Array(
    Uint16Array.from([...'\ufeffid\tname\na\tJür'].map((letter) => letter.charCodeAt(0))).buffer,
  )
  expect((await rowsIn(utf16, 6)).rows).toEqual([[2, 'a', 'Jür']])
})

test('one letter of the code page of Windows at the end decides for the whole file', async () => {
  const ascii = `id,name\n${'a,Ada\n'.repeat(100)}b,J`
  const windows = Uint8Array.from([...ascii].map((letter) => letter.charCodeAt(0)).concat(0xfc, 0x72))
  expect((await rowsIn(windows, 50)).rows.at(-1)).toEqual([102, 'b', 'Jür'])
})

test.each([
  ['a semicolon', '\ufeffsep=;\r\nid;name\r\na;Lovelace, Ada\r\n'],
  ['a comma in quotes', '"sep=,"\nid,name\na,"Lovelace, Ada"\n'],
  ['a tab', 'sep=\t\nid\tname\na\tLovelace, Ada\n'],
  ['a tab in words', 'sep=\\t\r\rid\tname\ra\tLovelace, Ada'],
])('a line before the header names the delimiter: %s', async (name, text) => {
  const line = name === 'a tab in words' ? 4 : 3
  for (const size of [1_000, 12, 5])
    expect(await rowsIn(text, size)).toEqual({ header: ['id', 'name'], rows: [[line, 'a', 'Lovelace, Ada']] })
})

test.each([1_000, 9])('line ends that change, and rows of delimiters alone, in slices of %d bytes', async (size) => {
  const text = 'id,name\ra,"one\r\ntwo"\r\n,\r\n , \nb,Zoë\r"",""\r\nc\r'
  expect((await rowsIn(text, size)).rows).toEqual([
    [2, 'a', 'one\ntwo'],
    [6, 'b', 'Zoë'],
    [8, 'c'],
  ])
})

test('a quote that is not closed is named by its line', async () => {
  await expect(rowsIn('id\na\n"b\nc', 1_000)).rejects.toThrow(CsvError)
})

test('an empty file has no header', async () => expect(await rowsIn('', 10)).toEqual({ header: [], rows: [] }))

test('the delimiter is the sign of the header that stands most often outside of quotes', () => {
  expect(delimiterOf('"a,b,c,d";e;f\n1,2,3,4,5')).toBe(';')
  expect(delimiterOf('id')).toBe(',')
})

test('cells that a spreadsheet would run are defused', () => {
  expect(csvLine([2, '=1+1', 'a "b", c'])).toBe(`2,'=1+1,"a ""b"", c"\r\n`)
})

test('a file has every row of a long list, in its order', async () => {
  const rows = 120_001
  async function* all() {
    for (let n = 0; n < rows; n += 1) yield [`user-${n}`, 'UNROUTABLE']
  }
  const reports: number[] = []
  const file = await csvOf(['recipient', 'status'], all(), (count) => void reports.push(count))
  const lines = (await file.text()).split('\r\n')
  // The text of a blob has no byte order mark, its bytes do.
  expect([...new Uint8Array(await file.slice(0, 3).arrayBuffer())]).toEqual([0xef, 0xbb, 0xbf])
  expect([lines.length, lines[0], lines[1], lines.at(-2), lines.at(-1)]).toEqual([
    ...[rows + 2, 'recipient,status', 'user-0,UNROUTABLE', `user-${rows - 1},UNROUTABLE`, ''],
  ])
  expect(lines.slice(1, -1).every((line, n) => line.startsWith(`user-${n},`))).toBe(true)
  expect(reports.at(-1)).toBe(120_000)
})
