/** A faulty adapter never causes a second copy where the first may have arrived. */
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Reply, Request } from '../../base/exchange.ts'
import { createLog } from '../../base/log.ts'
import type { Content } from '../../base/rendered-content.ts'
import type { Outcome, Provider } from '../../providers/provider.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import type { Rendered } from '../decide/render.ts'
import { callProvider } from './provider-call.ts'

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
    { signal: new AbortController().signal, withinMs: 30_000 },
    {
      transport: {
        perform: async (request) => {
          performed.push(request)
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
