/** Good replies are requested once during their lifetime, others every time, and the cache stays small. */
import { expect, test } from 'vitest'
import type { Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { replyCache } from './reply-cache.ts'

let now = 1_000_000
const cache = () => replyCache({ now: () => now })

const token = (key = 'token', more: Partial<HttpRequest> = {}): HttpRequest => ({
  kind: 'http',
  method: 'POST',
  url: 'https://auth.example/token',
  headers: { authorization: 'one' },
  final: false,
  cache: { key, lifetimeMs: 60_000 },
  ...more,
})

const ok = (body: string, status = 200): HttpReply => ({ kind: 'http', status, headers: {}, body })
const broken: Failure = { kind: 'failure', failure: 'reset', message: '', reached: true }

/** Counts its requests; the answers come in order and the last one stays. */
function answering(...answers: (HttpReply | Failure)[]) {
  const perform = async () => answers[Math.min(perform.times++, answers.length - 1)] ?? broken
  perform.times = 0
  return perform
}

test('a good reply is requested once until its lifetime is over, also by many callers at a time', async () => {
  const { through } = cache()
  const perform = answering(ok('1'), ok('2'))
  const replies = await Promise.all([1, 2, 3].map(() => through(token(), perform)))
  expect(replies).toEqual([ok('1'), ok('1'), ok('1')])
  now += 59_999
  expect(await through(token(), perform)).toEqual(ok('1'))
  now += 1
  expect(await through(token(), perform)).toEqual(ok('2'))
  expect(perform.times).toBe(2)
})

test('the same key with other credentials, address or body is another thing', async () => {
  const { through } = cache()
  const perform = answering(ok('1'), ok('2'), ok('3'), ok('4'))
  await through(token(), perform)
  await through(token('token', { headers: { authorization: 'two' } }), perform)
  await through(token('token', { url: 'https://other.example/token' }), perform)
  await through(token('token', { body: 'x' }), perform)
  expect(perform.times).toBe(4)
})

test('a bad reply is never kept, and callers that waited for it make their own request', async () => {
  const { through } = cache()
  const perform = answering(ok('', 500), ok('', 302), broken, ok('good'))
  expect(await through(token(), perform)).toMatchObject({ status: 500 })
  const [first, second] = await Promise.all([through(token(), perform), through(token(), perform)])
  expect(first).toMatchObject({ status: 302 })
  expect(second).toEqual(broken)
  expect(await through(token(), perform)).toEqual(ok('good'))
})

test('a 200 without the text of a success is not kept', async () => {
  const { through } = cache()
  const perform = answering(ok('{"ok":false}'), ok('{"ok":true}'))
  const request = token('user', { cache: { key: 'user', lifetimeMs: 60_000, containing: '"ok":true' } })
  expect(await through(request, perform)).toEqual(ok('{"ok":false}'))
  expect(await through(request, perform)).toEqual(ok('{"ok":true}'))
  expect(await through(request, perform)).toEqual(ok('{"ok":true}'))
  expect(perform.times).toBe(2)
})

test('a token is kept until shortly before it expires, and not longer than its request allows', async () => {
  const { through } = cache()
  const lifetime = { lifetimeMs: 3_600_000, lifetimeField: 'expires_in' }
  const perform = answering(ok('{"expires_in":300}'), ok('{"expires_in":"86400"}'), ok('{}'))
  const request = token('token', { cache: { key: 'token', ...lifetime } })
  await through(request, perform)
  now += 239_999
  await through(request, perform)
  expect(perform.times).toBe(1)
  now += 1
  await through(request, perform)
  now += 3_599_999
  await through(request, perform)
  expect(perform.times).toBe(2)
  now += 1
  await through(request, perform)
  expect(perform.times).toBe(3)
})

test('a kept token that was refused is requested anew, once for all who were refused', async () => {
  const { through } = cache()
  const perform = answering(ok('{"token":"old"}'), ok('{"token":"new"}'))
  await through(token(), perform)
  const again = token('token', { cache: { key: 'token', lifetimeMs: 60_000, refused: '"old"' } })
  const replies = await Promise.all([through(again, perform), through(again, perform), through(again, perform)])
  expect(replies).toEqual([1, 2, 3].map(() => ok('{"token":"new"}')))
  expect(await through(token(), perform)).toEqual(ok('{"token":"new"}'))
  expect(perform.times).toBe(2)
})

test('a request without a cache key is performed each time', async () => {
  const { through } = cache()
  const perform = answering(ok('1'))
  const { cache: _none, ...plain } = token()
  await through(plain, perform)
  await through(plain, perform)
  expect(perform.times).toBe(2)
})

test('the oldest replies make room, and a huge one is not kept at all', async () => {
  const { through } = cache()
  const perform = answering(ok('x'))
  for (let count = 0; count <= 5_000; count += 1) await through(token(`k${count}`), perform)
  await through(token('k5000'), perform)
  expect(perform.times).toBe(5_001)
  await through(token('k0'), perform)
  expect(perform.times).toBe(5_002)
  const huge = answering(ok('x'.repeat(100_000)))
  await through(token('huge'), huge)
  await through(token('huge'), huge)
  expect(huge.times).toBe(2)
})
