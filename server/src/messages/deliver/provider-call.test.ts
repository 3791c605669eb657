/**
 * A faulty adapter never causes a second copy where the first may have arrived. A circuit breaker opens for what concerns
 * the integration, and for nothing that concerns one message or recipient.
 */
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import type { Failure, FailureKind, HttpReply, Reply, Request } from '../../base/exchange.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { createLog } from '../../base/log.ts'
import type { Content } from '../../base/rendered-content.ts'
import { providers } from '../../providers/catalog.ts'
import { byStatus } from '../../providers/outcome.ts'
import type { Outcome, Provider } from '../../providers/provider.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import type { Rendered } from '../decide/render.ts'
import { callClass, callHealth, callProvider, isAddressOfIntegration, isRepeated } from './provider-call.ts'

const ok: Reply = { kind: 'http', status: 200, headers: {}, body: '' }
const http = (final: boolean): Request => ({
  kind: 'http',
  method: 'POST',
  url: 'https://x.example/',
  headers: {},
  final,
})

async function delivered(steps: () => Generator<Request, Outcome, Reply>) {
  const performed: Request[] = []
  const provider = { key: 'faulty', settings: Type.Object({}), deliver: steps } as unknown as Provider
  const plan = {
    messageId: '1',
    input: { event: 'e', recipient: 'r' },
  } as unknown as Routed
  const candidate = { channel: 'email', integration: { provider, settings: {} }, to: {} } as unknown as RouteCandidate
  const message = {
    id: '1',
    deliveryId: '1-0',
    workspace: 'production',
    event: 'e',
    notification: 'N',
    recipient: 'r',
    data: {},
    profile: () => ({}),
  }
  const rendered: Rendered = { content: {} as Content, draft: {}, message }
  const { outcome } = await callProvider(
    plan,
    candidate,
    rendered,
    { signal: new AbortController().signal, withinMs: 30_000, isShort: false },
    {
      transport: {
        perform: async (request) => {
          performed.push(request as Request)
          return ok
        },
      },
      now: () => 0,
      log: createLog('silent'),
    },
  )
  return { outcome, performed }
}

test('a fault before anything was handed over is tried again', async () => {
  const { outcome } = await delivered(function* () {
    yield http(false)
    throw new TypeError('adapter')
  })
  expect(outcome).toMatchObject({ kind: 'retry', attempted: true })
})

test('a fault after the message was handed over leaves it in doubt', async () => {
  const { outcome } = await delivered(function* () {
    yield http(true)
    throw new TypeError('adapter')
  })
  expect(outcome.kind).toBe('in_doubt')
})

test('an adapter makes at most four requests', async () => {
  const { outcome, performed } = await delivered(function* () {
    for (;;) yield http(false)
  })
  expect(performed).toHaveLength(4)
  expect(outcome.kind).toBe('retry')
})

const replyWith = (status: number): Reply => ({ kind: 'http', status, headers: {}, body: '' })
const mail = (code: number): Reply => ({ kind: 'mail', code, response: String(code) })
const failure = (kind: FailureKind, reached: boolean): Reply => ({
  kind: 'failure',
  failure: kind,
  message: '',
  reached,
})
const sent: Outcome = { kind: 'sent', reference: {}, delivered: false }
const health = (reply: Reply, isShort = false) => callHealth(byStatus(reply, 0) ?? sent, reply, isShort)

describe('the health of a call', () => {
  test.each([
    [200, 'good'],
    [400, 'good'],
    [401, 'unauthorized'],
    [403, 'misconfigured'],
    [404, 'misconfigured'],
    [429, undefined],
    [500, 'failed'],
    [503, 'failed'],
  ])('HTTP %i: %s', (status, expected) => {
    expect(health(replyWith(status))).toBe(expected)
  })
  test('a bad address of a recipient is a good call', () => {
    const outcome = byStatus(replyWith(404), 0, { missing: 'recipient' }) as Outcome
    expect(callHealth(outcome, replyWith(404), false)).toBe('good')
  })
  test.each([
    ['dns', false, 'unreachable'],
    ['connect', false, 'unreachable'],
    ['tls', false, 'unreachable'],
    ['timeout', true, 'failed'],
    ['reset', true, 'failed'],
    ['aborted', true, undefined],
    ['address_refused', false, 'misconfigured'],
  ] as const)('%s: %s', (kind, reached, expected) => {
    expect(health(failure(kind, reached))).toBe(expected)
  })
  test('a timeout of the message itself says nothing', () => {
    expect(health(failure('timeout', true), true)).toBeUndefined()
  })
  test('mail: the server is busy, one recipient is deferred, the password is wrong', () => {
    const retry: Outcome = { kind: 'retry', error: '', attempted: true }
    expect(callHealth(retry, mail(421), false)).toBe('failed')
    expect(callHealth(retry, mail(451), false)).toBeUndefined()
    expect(callHealth({ kind: 'rejected', scope: 'configuration', error: '' }, mail(535), false)).toBe('unauthorized')
    expect(callHealth({ kind: 'rejected', scope: 'recipient', error: '' }, mail(550), false)).toBe('good')
  })
  test('without a call only unusable settings count', () => {
    expect(callHealth({ kind: 'rejected', scope: 'configuration', error: '' }, undefined, false)).toBe('misconfigured')
    expect(callHealth({ kind: 'rejected', scope: 'content', error: '' }, undefined, false)).toBeUndefined()
    expect(callHealth({ kind: 'retry', error: '', attempted: true }, undefined, false)).toBeUndefined()
  })
})

test('each message of a call has its class, and the reply to all of them counts once', () => {
  const replies = [failure('connect', false), replyWith(401), replyWith(503)] as (HttpReply | Failure)[]
  const inCall = (place: number) =>
    replies.map((reply) => ({ ...reply, batch: { messages: 2, isRepeated: place > 0 } }))
  const classes = (all: Reply[]) => all.map((reply) => callClass(byStatus(reply, 0) as Outcome, health(reply)))
  expect(classes(inCall(0))).toEqual(['connection', 'authentication', 'failed'])
  expect(classes(inCall(1))).toEqual(['connection', 'authentication', 'failed'])
  expect(inCall(0).map(isRepeated)).toEqual([false, false, false])
  expect(inCall(1).map(isRepeated)).toEqual([true, true, true])
})

test('a message whose send names settings shares no call with those of the integration: its reply says nothing about them', async () => {
  const provider = providers.get('postmark')!
  const groupWith = async (override?: JsonObject) => {
    let group: string | undefined
    const settings = { serverToken: 'token', fromAddress: 'a@example.org' }
    const to = { address: 'ada@example.com' }
    const draft = { body: { From: 'a@example.org', To: 'ada@example.com', Subject: 'Hi', TextBody: 'Hi' } }
    await callProvider(
      {
        messageId: '1',
        input: { event: 'e', recipient: 'ada', ...(override && { override: { postmark: override } }) },
        profile: { stored: {}, received: {}, merged: {} },
      } as unknown as Routed,
      { channel: 'email', integration: { id: 'I1', provider, settings }, to } as unknown as RouteCandidate,
      { content: {} as Content, draft, message: {} as Rendered['message'] },
      { signal: new AbortController().signal, withinMs: 30_000, isShort: false },
      {
        transport: {
          perform: async (_request, { batch }) => {
            group = batch?.group
            return ok
          },
        },
        now: () => 0,
        log: createLog('silent'),
      },
    )
    return group
  }
  const ofIntegration = await groupWith()
  expect(ofIntegration).toBe('I1')
  expect(await groupWith({ body: { Tag: 'orders' } })).toBe(ofIntegration)
  const other = await groupWith({ config: { fromName: 'Other' } })
  expect(other).toBeDefined()
  expect(other).not.toBe(ofIntegration)
})

test('an address of the recipient or of the send is not that of the integration', () => {
  const provider = providers.get('webhook')!
  const settings = { url: 'https://own.example/hook' }
  const isOwn = (profile: JsonObject, override?: JsonObject) =>
    isAddressOfIntegration(
      {
        profile: { merged: profile },
        input: { recipient: 'ada', ...(override && { override: { webhook: override } }) },
      } as unknown as Routed,
      {
        channel: 'webhook',
        integration: { provider, settings },
        to: provider.contact(profile, settings, { recipient: 'ada', channel: 'webhook' }),
      } as unknown as RouteCandidate,
    )
  expect(isOwn({})).toBe(true)
  expect(isOwn({ webhook: {} })).toBe(true)
  expect(isOwn({ webhook: { url: 'https://ada.example/hook' } })).toBe(false)
  expect(isOwn({}, { body: { a: 1 } })).toBe(true)
  expect(isOwn({}, { url: 'https://else.example' })).toBe(false)
  expect(isOwn({}, { config: { url: 'https://else.example' } })).toBe(false)
})

test('the push service of a browser is not that of the integration', () => {
  const isOwn = (key: string) =>
    isAddressOfIntegration(
      { profile: { merged: {} }, input: { recipient: 'ada' } } as unknown as Routed,
      {
        channel: 'push',
        device: { id: 'd' },
        integration: { provider: providers.get(key), settings: {} },
      } as unknown as RouteCandidate,
    )
  expect(isOwn('web-push')).toBe(false)
  expect(isOwn('expo')).toBe(true)
})
