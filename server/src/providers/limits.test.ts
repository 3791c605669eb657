/** Size limits: bytes of a request, characters of a field, and the sentence that names both sizes. */
import { expect, test } from 'vitest'
import type { HttpRequest } from '../base/exchange.ts'
import { excessOf, limitsText, megabytes, type SizeLimits } from './limits.ts'

const json = (body: unknown): HttpRequest => ({
  kind: 'http',
  method: 'POST',
  url: 'https://example.com',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
  final: true,
})
const form = (fields: Record<string, string>): HttpRequest => ({
  ...json({}),
  headers: { 'content-type': 'application/x-www-form-urlencoded;charset=utf-8' },
  body: new URLSearchParams(fields).toString(),
})
const excess = (request: HttpRequest, limits: SizeLimits) => excessOf(request, limits, 'Example')

test('bytes are counted, not characters', () => {
  const request = json({ a: 'ü'.repeat(100) })
  expect(excess(request, { requestBytes: 208 })).toBeUndefined()
  expect(excess(request, { requestBytes: 207 })).toBe('The request has 208 bytes, and Example takes at most 207')
  expect(excess({ ...request, bytes: new Uint8Array(208) }, { requestBytes: 207 })).toContain('208 bytes')
})

test('a field is measured in a form and in JSON, by its path', () => {
  const long = 'x'.repeat(1_601)
  const limits = { characters: { Body: 1_600, 'message.text': 1_600 } }
  expect(excess(form({ Body: long }), limits)).toBe('`Body` has 1,601 characters, and Example takes at most 1,600')
  expect(excess(json({ message: { text: long } }), limits)).toMatch(/^`message.text` has 1,601 characters/)
  expect(excess(json({ text: long }), limits)).toBeUndefined()
})

test('a character is a code point', () => {
  expect(excess(json({ text: '👋'.repeat(10) }), { characters: { text: 10 } })).toBeUndefined()
  expect(excess(json({ text: '👋'.repeat(11) }), { characters: { text: 10 } })).toContain('11 characters')
})

test('only the request that hands the message over is measured', () => {
  expect(excess({ ...json({ text: 'long' }), final: false }, { requestBytes: 1 })).toBeUndefined()
})

test('limits in words', () => {
  expect(limitsText({ requestBytes: megabytes(30) })).toBe('a request of 30 MB (31,457,280 bytes)')
  expect(limitsText({ requestBytes: 4_096, characters: { text: 1_600 } })).toBe(
    'a request of 4,096 bytes, 1,600 characters in `text`',
  )
  expect(limitsText({})).toBe('')
})
