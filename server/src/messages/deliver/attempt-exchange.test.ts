/** A kept text holds no secret: whole, encoded, cut in half, or under a telling name. */
import { expect, test } from 'vitest'
import { MASK } from '../../base/secret.ts'
import { textMask } from './attempt-exchange.ts'

const secret = 'k"ey/7 ü+=\\'

test.each([
  ['as it stands', secret],
  ['in JSON', JSON.stringify({ a: secret })],
  ['in JSON of JSON', JSON.stringify({ a: JSON.stringify({ b: secret }) })],
  ['in a URL', `https://x.example/?v=${encodeURIComponent(secret)}`],
  ['in a form', new URLSearchParams({ v: secret }).toString()],
  ['in base64', Buffer.from(secret).toString('base64')],
])('a known value is masked %s', (_title, text) => {
  const masked = textMask([secret])(text, 1_000)
  expect(masked).toContain(MASK)
  for (const part of ['ey', Buffer.from(secret).toString('base64').slice(0, 6)]) expect(masked).not.toContain(part)
})

test('a value that is part of another one leaves nothing of it', () => {
  expect(textMask(['abc', 'abcdef'])('see abcdef', 100)).toBe(`see ${MASK}`)
})

test.each([0, 1, 5, 9, 10, 11, 15])(
  'no half of a secret is left at the end, %i characters before the cut',
  (before) => {
    const long = 'S3CR3T-S3CR3T-S3CR3T'
    const masked = textMask([long])(`${'-'.repeat(20 - before)}${long}${'-'.repeat(500)}${long}`, 20)
    expect(masked).not.toMatch(/S|3|C/)
    const shifted = textMask([long])(`${long}${long}${'.'.repeat(before)}${long}`, 40)
    expect(shifted).not.toMatch(/S|3|C/)
  },
)

test.each([
  ['{"api_key":"v1","name":"Ada"}', `{"api_key":"${MASK}","name":"Ada"}`],
  ['{"accessToken": "cut', `{"accessToken": "${MASK}`],
  ['{"text":"{\\"password\\":\\"v1\\"}"}', `{"text":"{\\"password\\":\\"${MASK}\\"}"}`],
  ['to=ada&client_secret=v1&a=b', `to=ada&client_secret=${MASK}&a=b`],
  ['https://x.example/?key=v1#top', `https://x.example/?key=${MASK}#top`],
  ['got Bearer abcdefghij', `got Bearer ${MASK}`],
  ['got eyJhbGciOiJI.eyJzdWIiOiIx.c2ln', `got ${MASK}`],
])('a value under a telling name is masked: %s', (text, expected) => {
  expect(textMask([])(text, 1_000)).toBe(expected)
})

test('too many values to look for leave nothing', () => {
  expect(textMask(Array.from({ length: 5_000 }, (_, n) => `value ${n}`))('any text', 100)).toBe(MASK)
  expect(textMask(['x'.repeat(300_000)])('any text', 100)).toBe(MASK)
})

test('garbage is kept as text that every database stores', () => {
  const masked = textMask([])('a\u0000b\r\nc\ud800', 100)
  expect(masked).toBe('a\uFFFDb\nc\uFFFD')
})
