/** Messages that are ready together share a call, a message that is alone has its own, and one never costs another its delivery. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { batchedCalls } from './batched-calls.ts'

interface Call {
  request: HttpRequest
  messages: string[]
  signal: AbortSignal
  timeoutMs: number
  answer(reply: HttpReply | Failure): void
}

const replied = (status: number, body: unknown): HttpReply => ({
  kind: 'http',
  status,
  headers: {},
  body: JSON.stringify(body),
})
const cutOff: Failure = { kind: 'failure', failure: 'reset', message: 'Connection reset', reached: true }

/** An entry for each message; a list of another length says nothing about each. */
function repliesIn({ status, body }: HttpReply, count: number): HttpReply[] | undefined {
  const entries: unknown = status === 200 ? JSON.parse(body) : undefined
  return Array.isArray(entries) && entries.length === count ? entries.map((entry) => replied(200, entry)) : undefined
}

/** A service with one address for a message and one for an array; a call ends when the test answers it. */
function service({ max = 100, withKeys = false, replies = repliesIn } = {}) {
  const calls: Call[] = []
  const batched = batchedCalls(
    (request, { signal, timeoutMs }) =>
      new Promise((answer) => {
        const body: unknown = JSON.parse(request.body ?? '')
        calls.push({ request, messages: Array.isArray(body) ? body : [String(body)], signal, timeoutMs, answer })
      }),
  )
  const terms = { max, replies }
  return {
    calls,
    send(message: string, options: { group?: string; token?: string; signal?: AbortSignal; timeoutMs?: number } = {}) {
      const { group = 'integration', token = 'token', signal = new AbortController().signal } = options
      const { timeoutMs = 30_000 } = options
      const headers = { authorization: token }
      const body = JSON.stringify(message)
      const request: HttpRequest = {
        kind: 'http',
        method: 'POST',
        url: 'https://x.test/one',
        headers,
        body,
        final: true,
      }
      const key = withKeys ? { idempotencyKey: message } : {}
      const inBatch = { url: 'https://x.test/many', headers, before: '[', part: body, after: ']', ...key }
      return batched.send(request, inBatch, { signal, timeoutMs }, { group, ...terms })
    },
  }
}

test('messages that are ready together share a call, and each gets its reply', async () => {
  const { calls, send } = service()
  const replies = Promise.all(['a', 'b', 'c'].map((message) => send(message)))
  await turn()
  expect(calls.map(({ request, messages }) => [request.url, messages])).toEqual([
    ['https://x.test/many', ['a', 'b', 'c']],
  ])
  calls[0]?.answer(replied(200, ['A', 'B', 'C']))
  expect(await replies).toEqual(
    ['A', 'B', 'C'].map((body) => ({ ...replied(200, body), batch: { messages: 3, isRepeated: false } })),
  )
})

test('a message that is alone goes as it would without batches, at the end of the turn', async () => {
  const { calls, send } = service()
  for (const message of ['a', 'b']) {
    const reply = send(message)
    await turn()
    expect(calls.at(-1)).toMatchObject({ request: { url: 'https://x.test/one' }, messages: [message] })
    calls.at(-1)?.answer(replied(200, message))
    expect(await reply).toEqual(replied(200, message))
  }
  // Beside a call of one message in progress, too.
  send('c')
  await turn()
  send('d')
  await turn()
  expect(calls.map(({ messages }) => messages)).toEqual([['a'], ['b'], ['c'], ['d']])
})

test('while a call of several is in progress, those of the next turns share one', async () => {
  const { calls, send } = service()
  send('a')
  send('b')
  await turn()
  send('c')
  await turn()
  send('d')
  await expect
    .poll(() => calls.map(({ messages }) => messages))
    .toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
})

test('a call has no more messages and bytes than the service takes', async () => {
  const { calls, send } = service({ max: 2 })
  for (const message of ['a', 'b', 'c']) send(message)
  // A full call does not wait for the end of the turn.
  expect(calls.map(({ messages }) => messages)).toEqual([['a', 'b']])
  await expect.poll(() => calls.map(({ messages }) => messages)).toEqual([['a', 'b'], ['c']])
  const large = service()
  const megabytes = 'x'.repeat(1_500_000)
  for (let n = 0; n < 3; n += 1) large.send(megabytes)
  await expect.poll(() => large.calls.map(({ messages }) => messages.length)).toEqual([2, 1])
})

test('integrations, and requests that differ in more than the message, share nothing', async () => {
  const { calls, send } = service()
  send('a', { group: 'one' })
  send('b', { group: 'other' })
  send('c', { group: 'one', token: 'other' })
  await turn()
  expect(calls.map(({ messages }) => messages)).toEqual([['a'], ['b'], ['c']])
})

test('a call that is refused for one message is halved until that one is alone', async () => {
  const { calls, send } = service()
  const replies = Promise.all(['a', 'b', 'bad', 'd'].map((message) => send(message)))
  for (let at = 0; at < 5; at += 1) {
    await expect.poll(() => calls.length).toBeGreaterThan(at)
    const { messages, answer } = calls[at] as Call
    if (messages.includes('bad')) answer(replied(422, 'invalid'))
    else answer(replied(200, messages.length > 1 ? messages : messages[0]))
  }
  expect((await replies).map((reply) => reply.kind === 'http' && [reply.status, reply.body])).toEqual([
    [200, '"a"'],
    [200, '"b"'],
    [422, '"invalid"'],
    [200, '"d"'],
  ])
  expect(calls.map(({ messages }) => messages)).toEqual([
    ['a', 'b', 'bad', 'd'],
    ['a', 'b'],
    ['bad', 'd'],
    ['bad'],
    ['d'],
  ])
})

test('an outage is the reply of each message, and counts once', async () => {
  for (const reply of [replied(503, ''), cutOff]) {
    const { calls, send } = service()
    const replies = Promise.all([send('a'), send('b')])
    await turn()
    calls[0]?.answer(reply)
    expect(await replies).toEqual([
      { ...reply, batch: { messages: 2, isRepeated: false } },
      { ...reply, batch: { messages: 2, isRepeated: true } },
    ])
    expect(calls).toHaveLength(1)
  }
})

test('a call that is cut off is repeated once where its key lets the service recognize it', async () => {
  const { calls, send } = service({ withKeys: true })
  const replies = Promise.all([send('a'), send('b')])
  await turn()
  calls[0]?.answer(cutOff)
  await expect.poll(() => calls.length).toBe(2)
  expect(calls[0]?.request.headers['idempotency-key']).toMatch(/^[0-9a-f]{64}$/)
  expect(calls[1]?.request).toEqual(calls[0]?.request)
  calls[1]?.answer(cutOff)
  expect((await replies).map(({ kind }) => kind)).toEqual(['failure', 'failure'])
  expect(calls).toHaveLength(2)
})

test('a call is aborted when none of its messages needs the reply any more', async () => {
  const { calls, send } = service()
  const leases = [new AbortController(), new AbortController()]
  for (const { signal } of leases) void send('a', { signal })
  await turn()
  const [call] = calls
  leases[0]?.abort()
  expect(call?.signal.aborted).toBe(false)
  leases[1]?.abort()
  expect(call?.signal.aborted).toBe(true)
})

test('a reply about some of the messages is the reply of none: it could be about another', async () => {
  const { calls, send } = service()
  const replies = Promise.all(['a', 'b', 'c', 'd'].map((message) => send(message)))
  await turn()
  calls[0]?.answer(replied(200, ['A', 'B']))
  expect((await replies).map((reply) => reply.kind === 'http' && [reply.status, reply.body])).toEqual(
    Array.from({ length: 4 }, () => [200, '']),
  )
})

test.each([
  ['no connection', { kind: 'failure', failure: 'connect', message: 'Refused', reached: false } as Failure],
  ['the end of the process', { kind: 'failure', failure: 'aborted', message: 'Aborted', reached: false } as Failure],
  ['the first call still in progress', replied(409, { name: 'concurrent_idempotent_requests' })],
  ['a limit', replied(429, '')],
  ['an outage', replied(503, '')],
  ['a rejection', replied(422, '')],
])('a call that was cut off stays in doubt when its repeat meets %s', async (_what, reply) => {
  const { calls, send } = service({ withKeys: true })
  const replies = Promise.all([send('a'), send('b')])
  await turn()
  calls[0]?.answer(cutOff)
  await expect.poll(() => calls.length).toBe(2)
  calls[1]?.answer(reply)
  expect(await replies).toMatchObject([cutOff, cutOff])
  expect(calls).toHaveLength(2)
})

test('a message that has no time left is in no further call', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const { calls, send } = service({ withKeys: true })
    const replies = Promise.all(['a', 'b', 'c', 'd'].map((message) => send(message)))
    await turn()
    vi.advanceTimersByTime(20_000)
    calls[0]?.answer(replied(422, ''))
    await turn()
    expect(calls.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 10_000, 10_000])
    vi.advanceTimersByTime(10_000)
    calls[1]?.answer(replied(422, ''))
    calls[2]?.answer(cutOff)
    const unsent = { kind: 'failure', failure: 'timeout', reached: false }
    expect(await replies).toMatchObject([unsent, unsent, cutOff, cutOff])
    expect(calls).toHaveLength(3)
  } finally {
    vi.useRealTimers()
  }
})

test('a message whose lease is lost before a call is not in it', async () => {
  const { calls, send } = service()
  const lease = new AbortController()
  const replies = Promise.all([send('a'), send('b', { signal: lease.signal }), send('c')])
  lease.abort()
  await turn()
  expect(calls.map(({ messages }) => messages)).toEqual([['a', 'c']])
  calls[0]?.answer(replied(200, ['A', 'C']))
  expect(await replies).toMatchObject([
    { body: '"A"' },
    { kind: 'failure', failure: 'aborted', reached: false },
    { body: '"C"' },
  ])
})

test('a fault of an adapter ends each message of the call', async () => {
  const { calls, send } = service({
    replies: () => {
      throw new Error('a fault')
    },
  })
  const replies = Promise.allSettled([send('a'), send('b')])
  await turn()
  calls[0]?.answer(replied(200, ['A', 'B']))
  expect((await replies).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
