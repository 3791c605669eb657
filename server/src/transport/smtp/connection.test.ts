/** Replies are the same from any pieces, and an endless reply is cut off. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplyReader } from './connection.ts'

const TEXT = '220 hi\r\n250-hi\r\n250-SIZE 10\r\n250 HELP\r\n550 5.1.1 nö ✓\r\n250\r\n\r\n421-a\n421 b\n'
const REPLIES = [
  { code: 220, text: '220 hi' },
  { code: 250, text: '250-hi\n250-SIZE 10\n250 HELP' },
  { code: 550, text: '550 5.1.1 nö ✓' },
  { code: 250, text: '250' },
  { code: 421, text: '421-a\n421 b' },
]

test('replies are the same wherever their bytes are cut', () => {
  const bytes = Buffer.from(TEXT)
  const cuts = fc.uniqueArray(fc.nat(bytes.length), { maxLength: 12 }).map((all) => all.sort((a, b) => a - b))
  fc.assert(
    fc.property(cuts, (at) => {
      const reader = new ReplyReader()
      const replies = [0, ...at].flatMap((start, index) =>
        reader.read(bytes.subarray(start, at[index] ?? bytes.length)),
      )
      expect(replies).toEqual(REPLIES)
      expect(reader.error).toBeUndefined()
    }),
  )
  const reader = new ReplyReader()
  expect([...bytes].flatMap((byte) => reader.read(Buffer.of(byte)))).toEqual(REPLIES)
})

test.each(['HTTP/1.1 400 Bad Request', '25 ok', '2500 ok', '250_ok', '150 ok', '600 no', ' 250 ok', 'hello'])(
  '%j is not SMTP, and nothing after it is read',
  (line) => {
    const reader = new ReplyReader()
    expect(reader.read(Buffer.from(`220 hi\r\n${line}\r\n250 ok\r\n`))).toEqual([{ code: 220, text: '220 hi' }])
    expect(reader.error).toContain(line)
    expect(reader.read(Buffer.from('250 ok\r\n'))).toEqual([])
  },
)

test.each([
  ['a line', 'x'],
  ['a reply', '250-more\r\n'],
])('%s without an end is given up, however it comes', (_what, piece) => {
  for (const size of [1, 100, 4_000]) {
    const reader = new ReplyReader()
    const bytes = Buffer.from(piece.repeat(size))
    let count = 0
    for (; !reader.error && count < 30_000; count += bytes.length) expect(reader.read(bytes)).toEqual([])
    expect(reader.error).toBeDefined()
    expect(count).toBeLessThan(16_384 + 2 * bytes.length + 4_000)
  }
})

test('many replies at once are no long reply', () => {
  const reader = new ReplyReader()
  expect(reader.read(Buffer.from('250 ok\r\n'.repeat(5_000)))).toHaveLength(5_000)
  expect(reader.error).toBeUndefined()
})
