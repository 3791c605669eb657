/** Size limits: bytes of a request, characters of a field, and the sentence that names both sizes. */
import { expect, test } from 'vitest'
import type { HttpRequest } from '../base/exchange.ts'
import { excessOf, limitsText, megabytes, type SizeLimits, type SmsEncoding, segmentsError } from './limits.ts'

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

test('a field is measured as the service counts it', () => {
  const counted = (text: string, valueAt: (path: string) => unknown) =>
    valueAt('mode') === 'html' ? text.replace(/<[^>]*>/g, '') : text
  const limits = { characters: { text: 3 }, counted }
  expect(excess(json({ text: '<b>abc</b>', mode: 'html' }), limits)).toBeUndefined()
  expect(excess(json({ text: '<b>abc</b>' }), limits)).toBe('`text` has 10 characters, and Example takes at most 3')
  expect(limitsText(limits)).toBe('3 characters in `text` without its markup')
})

test.each<[string, number, SmsEncoding | undefined, boolean]>([
  ['x', 306, undefined, true],
  ['x', 307, undefined, false],
  ['€', 152, undefined, true],
  ['€', 153, undefined, false],
  ['ж', 134, undefined, true],
  ['ж', 135, undefined, false],
  ['👋', 66, undefined, true],
  ['👋', 67, undefined, false],
  ['x', 134, 'UCS-2', true],
  ['x', 135, 'UCS-2', false],
  ['ж', 306, 'GSM-7', true],
  ['ж', 307, 'GSM-7', false],
])('two segments and %s times %i in %s: %s', (character, count, encoding, fits) => {
  const error = segmentsError('text', character.repeat(count), 2, 'Example', encoding)
  const details = '306 characters of GSM-7, or 134 of Unicode'
  expect(error).toBe(fits ? undefined : `\`text\` has 3 segments, and Example takes at most 2: ${details}`)
})

test('only the request that hands the message over is measured', () => {
  expect(excess({ ...json({ text: 'long' }), final: false }, { requestBytes: 1 })).toBeUndefined()
})

test('limits in words', () => {
  expect(limitsText({ requestBytes: megabytes(30) })).toBe('a request of 30 MB (31,457,280 bytes)')
  expect(limitsText({ requestBytes: 4_096, characters: { text: 1_600 } })).toBe(
    'a request of 4,096 bytes, 1,600 characters in `text`',
  )
  expect(limitsText({ payloadBytes: 4_096, segments: { text: 10 } })).toBe(
    'a payload of 4,096 bytes, 10 segments in `text` (1,530 characters of GSM-7, or 670 of Unicode)',
  )
  expect(limitsText({})).toBe('')
})
