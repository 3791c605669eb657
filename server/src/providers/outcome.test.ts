/** Promises of outcomes: what a reply or a failure means for a delivery, and how long a provider may ask to wait. */
import { describe, expect, test } from 'vitest'
import type { Failure } from '../base/exchange.ts'
import { RUN_AT, replied } from './adapter.harness.ts'
import { byStatus, retryAfterMs, tidy } from './outcome.ts'

describe('outcomes', () => {
  const read = (status: number, reading = {}) => byStatus(replied(status, 'why'), RUN_AT, reading)

  test.each([200, 201, 202, 204])('%i is for the adapter to judge', (status) => {
    expect(read(status)).toBeUndefined()
  })

  test.each([408, 425, 500, 502, 503, 504, 529])('%i is tried again', (status) => {
    expect(read(status)).toMatchObject({ kind: 'retry', attempted: true })
  })

  test('429 is tried again without using up an attempt, at the time that the provider names', () => {
    const reply = replied(429, '', { 'retry-after': '30' })
    expect(byStatus(reply, RUN_AT)).toEqual({
      kind: 'retry',
      error: '429 Too Many Requests',
      attempted: false,
      retryAfterMs: 30_000,
    })
  })

  test.each([
    [301, 'configuration'],
    [307, 'configuration'],
    [400, 'content'],
    [401, 'configuration'],
    [402, 'configuration'],
    [403, 'configuration'],
    [404, 'configuration'],
    [409, 'content'],
    [410, 'configuration'],
    [413, 'content'],
    [418, 'content'],
    [422, 'content'],
  ])('%i is refused for its %s', (status, scope) => {
    expect(read(status)).toMatchObject({ kind: 'rejected', scope })
  })

  test('404 concerns the recipient where the adapter says so', () => {
    expect(read(404, { missing: 'recipient' })).toMatchObject({ scope: 'recipient' })
    expect(read(410, { missing: 'recipient' })).toMatchObject({ scope: 'recipient' })
  })

  test('wrong credentials are an error of their source', () => {
    for (const status of [301, 401, 403, 404])
      expect(read(status, { owner: 'recipient' })).toMatchObject({ scope: 'recipient' })
    expect(read(422, { owner: 'recipient' })).toMatchObject({ scope: 'content' })
  })

  const failed = (failure: Failure['failure'], reached: boolean, reading = {}) =>
    byStatus({ kind: 'failure', failure, message: 'it broke', reached }, RUN_AT, reading)

  test.each(['dns', 'connect', 'tls', 'timeout', 'reset', 'too_large', 'aborted'] as const)(
    '%s is in doubt only when the final request may have arrived',
    (failure) => {
      expect(failed(failure, false)).toEqual({ kind: 'retry', error: `${failure}: it broke`, attempted: true })
      expect(failed(failure, true)).toEqual({ kind: 'in_doubt', error: `${failure}: it broke` })
      expect(failed(failure, true, { final: false })).toMatchObject({ kind: 'retry' })
    },
  )

  test.each(['address_refused', 'invalid_request', 'unencrypted'] as const)('%s will not get better', (failure) => {
    for (const reached of [true, false])
      expect(failed(failure, reached)).toMatchObject({ kind: 'rejected', scope: 'configuration' })
  })

  test('an error is the message of the provider in one line of 500 characters at most', () => {
    const explain = (body: unknown) => (typeof body === 'object' && body && 'm' in body ? String(body.m) : undefined)
    const error = (m: string) => byStatus(replied(400, { m }), RUN_AT, { explain })
    expect(error('no\r\n such\u2028thing\u0000')).toMatchObject({ error: '400 Bad Request: no such thing' })
    expect(tidy('😀'.repeat(400)).length).toBeLessThanOrEqual(500)
    expect(tidy('😀'.repeat(400))).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
  })

  test('an error repeats no secret, not even a part of one at the cut', () => {
    const secret = 'xoxb-very-secret'
    expect(tidy(`Bearer ${secret} is wrong, ${secret}`, [secret, undefined, ''])).toBe(
      'Bearer ******** is wrong, ********',
    )
    expect(tidy(`${'a'.repeat(492)}${secret}`, [secret])).not.toContain('xoxb')
  })

  test('a reply of another protocol is an assertion', () => {
    expect(() => byStatus({ kind: 'keep' }, RUN_AT)).toThrow(TypeError)
  })
})

describe('Retry-After', () => {
  const NOW = Date.UTC(2026, 10, 20, 12)
  const waitOf = (headers: Record<string, string>) =>
    retryAfterMs({ kind: 'http', status: 429, headers, body: '' }, NOW)

  test.each([
    ['30', 30_000],
    ['1.5', 1_500],
    ['0', 1_000],
    ['999999999999', 86_400_000],
    [' 7 ', 7_000],
    ['', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['1e9', undefined],
    ['0x10', undefined],
    ['Fri, 32 Nov 2026 12:00:00 GMT', undefined],
  ])('%j seconds', (text, wait) => {
    expect(waitOf({ 'retry-after': text })).toBe(wait)
  })

  test.each(['Fri, 20 Nov 2026 12:02:00 GMT', 'Friday, 20-Nov-26 12:02:00 GMT', 'Fri Nov 20 12:02:00 2026'])(
    'the date %s is read as GMT',
    (text) => {
      expect(waitOf({ 'retry-after': text })).toBe(120_000)
    },
  )

  test('a date counts from the clock of the provider, not from ours', () => {
    const headers = { 'retry-after': 'Fri, 20 Nov 2026 15:00:10 GMT', date: 'Fri, 20 Nov 2026 15:00:00 GMT' }
    expect(waitOf(headers)).toBe(10_000)
  })

  test('a date in the past waits a second, one far ahead a day', () => {
    expect(waitOf({ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' })).toBe(1_000)
    expect(waitOf({ 'retry-after': 'Fri, 20 Nov 2027 12:00:00 GMT' })).toBe(86_400_000)
  })

  test('no header, no wish', () => {
    expect(waitOf({})).toBeUndefined()
  })
})
