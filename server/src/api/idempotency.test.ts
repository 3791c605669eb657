/** A key that comes again with another body: refused, but for the content of a send by an official SDK of the public API. */
import { expect, test } from 'vitest'
import { CallerError } from '../base/errors.ts'
import type { CallContext } from './call.ts'
import { bodyDigest, isOfficialSdk, repeatedReply, sendDigest } from './idempotency.ts'

type Digest = typeof bodyDigest

const ada = { message: { to: { user_id: 'ada' }, template: 'welcome', data: { at: 1 } } }
const withMessage = (change: object) => ({ message: { ...ada.message, ...change } })

function repeated(body: unknown, [first, second]: [Digest, Digest]) {
  const storedReply = { status: 202, content: '{"requestId":"m1"}', digest: first(undefined, ada) }
  const lines: unknown[] = []
  const ctx = {
    app: { log: { warn: (fields: object) => lines.push(fields) } },
    caller: { name: 'key/backend', workspaceId: 1 },
    idempotency: { route: 'send.send', key: 'order-1', expires: 0, digest: second(undefined, body) },
  } as unknown as CallContext
  return { lines, reply: () => repeatedReply(ctx, storedReply) }
}

const pairs: [string, [Digest, Digest]][] = [
  ['a caller of its own', [bodyDigest, bodyDigest]],
  ['an SDK', [sendDigest, sendDigest]],
  ['an SDK after a caller of its own', [bodyDigest, sendDigest]],
  ['a caller of its own after an SDK', [sendDigest, bodyDigest]],
]

test.each(pairs)('the same body is replayed without a mismatch: %s', (_, digests) => {
  const { lines, reply } = repeated(structuredClone(ada), digests)
  expect(reply()).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } })
  expect(reply().headers).not.toHaveProperty('idempotency-mismatch')
  expect(lines).toEqual([])
})

test.each(pairs)('another recipient is a 409 that no client repeats: %s', (_, digests) => {
  for (const other of [
    withMessage({ to: { user_id: 'bea' } }),
    withMessage({ to: [{ user_id: 'ada' }, { user_id: 'bea' }] }),
    withMessage({ to: { user_id: 'ada', email: 'bea@example.com' } }),
    withMessage({ providers: { smtp: { override: { to: 'bea@example.com' } } } }),
    { event: 'welcome', recipient: 'bea', data: { at: 1 } },
  ]) {
    const { lines, reply } = repeated(other, digests)
    expect(reply).toThrow(CallerError)
    expect(reply).toThrow(expect.objectContaining({ status: 409, retryable: false, code: 'idempotency_key_reused' }))
    expect(lines[0]).toEqual({
      event: 'idempotency.mismatch',
      caller: 'key/backend',
      workspace: 1,
      route: 'send.send',
    })
  }
})

test('other content is a 409, too, unless both sends are those of an SDK', () => {
  const others = [withMessage({ data: { at: 2 } }), withMessage({ content: { title: 'x' }, metadata: { tags: ['y'] } })]
  for (const other of others)
    for (const [, digests] of pairs) {
      const { lines, reply } = repeated(other, digests)
      if (digests.every((digest) => digest === sendDigest))
        expect(reply().headers).toEqual({ 'idempotent-replayed': 'true', 'idempotency-mismatch': 'true' })
      else expect(reply).toThrow(expect.objectContaining({ status: 409 }))
      expect(lines).toHaveLength(1)
    }
})

test('a large send of an SDK is compared as a whole', () => {
  const large = Buffer.from(JSON.stringify(withMessage({ data: { text: 'x'.repeat(300_000) } })))
  expect(sendDigest(large, JSON.parse(large.toString()))).toBe(bodyDigest(large, {}))
})

test('official SDKs are recognized by their headers, of every generation', () => {
  const isSdk = (headers: Record<string, string>) => isOfficialSdk((name) => headers[name])
  for (const agent of [
    ...['courier-node/1.7.0', 'courier-python/1.3.0', '@trycourier/courier/6.6.0'],
    ...['Courier/JS 7.10.2', 'Courier/Python 7.0.0'],
  ])
    expect([agent, isSdk({ 'user-agent': agent })]).toEqual([agent, true])
  expect(isSdk({ 'user-agent': 'node', 'x-fern-sdk-name': '@trycourier/courier' })).toBe(true)
  // As the clients of other languages name themselves, and that of Node in a bundle with short names.
  for (const agent of [
    'AsyncCourier/Python 9.1.0',
    'Courier::Client/Ruby 6.1.0',
    'CourierClientImpl/Java',
    'p/JS 7.10.2',
  ])
    expect([agent, isSdk({ 'user-agent': agent, 'x-stainless-package-version': '9.1.0' })]).toEqual([agent, true])
  for (const agent of ['', 'node', 'curl/8.5.0', 'axios/1.7', 'OpenAI/JS 4.0', 'my-courier/1', 'Couriers/1', 'courier'])
    expect([agent, isSdk({ 'user-agent': agent })]).toEqual([agent, false])
  expect(isSdk({})).toBe(false)
})

test('a reply without a digest, as earlier versions stored it for steps, is never a mismatch', () => {
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
