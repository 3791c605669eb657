/** A key that comes again with another body: replayed and named, or refused where the call is strict. */
import { expect, test } from 'vitest'
import { CallerError } from '../base/errors.ts'
import type { CallContext } from './call.ts'
import { bodyDigest, repeatedReply } from './idempotency.ts'

const storedReply = { status: 200, content: '{"messageId":"m1"}', digest: bodyDigest(undefined, { recipient: 'ada' }) }

function repeated(body: unknown, more: Partial<CallContext> = {}) {
  const lines: unknown[] = []
  const ctx = {
    app: { log: { warn: (fields: object) => lines.push(fields) } },
    caller: { name: 'key/backend', workspaceId: 1 },
    idempotency: { route: 'send.send', key: 'order-1', expires: 0, digest: bodyDigest(undefined, body) },
    ...more,
  } as unknown as CallContext
  return { lines, reply: () => repeatedReply(ctx, storedReply) }
}

test('the same body is replayed without a word, strict or not', () => {
  for (const strict of [false, true]) {
    const { lines, reply } = repeated({ recipient: 'ada' }, { strict })
    expect(reply().headers).toEqual({ 'idempotent-replayed': 'true' })
    expect(lines).toEqual([])
  }
})

test('another body is replayed, named in a header and in the log, which holds neither key nor body', () => {
  const { lines, reply } = repeated({ recipient: 'bea' })
  expect(reply()).toMatchObject({
    status: 200,
    raw: { content: storedReply.content },
    headers: { 'idempotent-replayed': 'true', 'idempotency-mismatch': 'true' },
  })
  expect(lines).toEqual([{ event: 'idempotency.mismatch', caller: 'key/backend', workspace: 1, route: 'send.send' }])
})

test('a strict call with another body gets a 409 that no client repeats', () => {
  const { lines, reply } = repeated({ recipient: 'bea' }, { strict: true })
  expect(reply).toThrow(CallerError)
  expect(reply).toThrow(expect.objectContaining({ status: 409, retryable: false }))
  expect(lines).toHaveLength(2)
})

test('a reply without a digest, as steps of automations and earlier versions store it, is never a mismatch', () => {
  const ctx = { idempotency: { digest: 'x' } } as unknown as CallContext
  expect(repeatedReply(ctx, { status: 200, content: '{}' }).headers).toEqual({ 'idempotent-replayed': 'true' })
})

test('the digest is that of what a body says; a large one is taken as it is', () => {
  const digest = (text: string) => bodyDigest(Buffer.from(text), JSON.parse(text))
  expect(digest('{"a":[1,{"b":2,"c":"x"}]}')).toBe(digest('{ "a": [1, { "c": "x", "b": 2.0 }] }'))
  const texts = ['{"a":1}', '{"a":"1"}', '{"a":[1]}', '[1,2]', '[2,1]', '[12]', '{"a":null}', '{}', '[]', 'null', '"a"']
  expect(new Set(texts.map(digest)).size).toBe(texts.length)
  expect(bodyDigest(undefined, undefined)).not.toBe(digest('null'))
  const long = 'x'.repeat(300_000)
  expect(digest(`{"a":1,"b":"${long}"}`)).not.toBe(digest(`{"b":"${long}","a":1}`))
})
