/** Callbacks of every provider: no byte of one says anything else under the same signature, and none counts for the delivery of another integration. */
import { isDeepStrictEqual } from 'node:util'
import type { IntegrationId } from '@postrider/client'
import { providers } from '@postrider/server/providers'
import { replied, runCallback } from '@postrider/server/providers/harness'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import {
  type Cover,
  type SignedCallback,
  type SignedRequest,
  signedCallbacks,
  snsCertificate,
} from '../support/signed-callbacks.ts'
import { until } from '../support/until.ts'
import { changesOf } from './callback-changes.ts'
import { inForce } from './templates.ts'

const titled = signedCallbacks.map((callback) => {
  const { provider, signature, reports } = callback
  return { title: [provider, ...(signature ? ['by its', signature] : []), `(${reports})`].join(' '), callback }
})

type Outcome = ReturnType<typeof runCallback>
type Accepted = Extract<Outcome, { kind: 'accepted' }>

const NOW = Date.UTC(2026, 10, 20, 12)
const sample = {
  ...{ deliveryId: '1-691f0000-0000000000000000000000ab-12', at: NOW },
  ...{ address: '+12025550143', url: 'https://notify.example.com/callbacks/t.s' },
}

/** Messages of SNS are verified with this certificate, whatever address they name. */
const replies = [replied(200, snsCertificate), replied(200)]

function read({ provider, settings }: SignedCallback, request: SignedRequest): Outcome {
  const adapter = providers.get(provider)!
  const body = Buffer.from(request.body, 'latin1')
  try {
    return runCallback(
      adapter,
      { ...adapter.example.settings, ...settings },
      { ...request, body, now: NOW },
      ...replies,
    )
  } catch (error) {
    // As the server answers it: an adapter cannot read an address that is none.
    return { kind: 'refused', error: String(error) }
  }
}

/** The weakest cover under which a change may have this outcome. */
function coverOf(original: Accepted, changed: Outcome): Cover {
  if (changed.kind === 'refused' || isDeepStrictEqual(changed, original)) return 'all'
  const marks = original.once ?? []
  const isRepetition = changed.once?.some(({ mark, content }) =>
    marks.some((used) => used.mark === mark && (content === undefined || used.content !== content)),
  )
  if (isRepetition) return 'once'
  return saysLess(original, changed) ? 'joined' : 'token'
}

/** The covers that changes of a callback may show: what can be changed can be left out, too. */
function coversOf({ covers, reports }: SignedCallback): Cover[] {
  const canSayLess = covers === 'token' || (covers === 'once' && reports === 'text')
  return ['all', covers, ...(canSayLess ? (['joined'] as const) : [])]
}

/** Nothing, or a receipt without its address or without the cause for good: it changes less than the original. */
function saysLess({ receipts: [original] }: Accepted, { receipts, texts, mail }: Accepted): boolean {
  return (
    texts === undefined &&
    mail === undefined &&
    receipts.every((receipt) =>
      Object.entries({ ...receipt, error: '', at: NOW }).every(([name, value]) =>
        isDeepStrictEqual(value, { ...original, error: '', at: NOW }[name as 'kind']),
      ),
    )
  )
}

describe('a changed callback', () => {
  test('every provider that has callbacks is in the table', () => {
    const withCallbacks = [...providers.values()].filter(({ callbacks }) => callbacks).map(({ key }) => key)
    expect([...new Set(signedCallbacks.map(({ provider }) => provider))].sort()).toEqual(withCallbacks.sort())
  })

  test.each(titled)('$title is read as what its provider has signed', ({ callback }) => {
    const { deliveryId } = sample
    expect(read(callback, callback.request(sample))).toMatchObject(
      {
        bounce: { kind: 'accepted', receipts: [{ deliveryId, kind: 'bounced' }] },
        delivery: { kind: 'accepted', receipts: [{ deliveryId, kind: 'delivered' }] },
        text: { kind: 'accepted', receipts: [], texts: [{ text: 'STOP' }] },
        mail: { kind: 'accepted', receipts: [], mail: { contentType: 'message/rfc822' } },
      }[callback.reports],
    )
  })

  test.each(titled)('$title is refused or without effect, as far as its signature covers it', ({ callback }) => {
    const request = callback.request(sample)
    const original = read(callback, request) as Accepted
    const changes = changesOf(request).map((change) => {
      const outcome = read(callback, change.request)
      return { ...change, outcome, cover: coverOf(original, outcome) }
    })
    expect(changes.find(({ cover }) => !coversOf(callback).includes(cover))).toBeUndefined()
    expect(changes.map(({ cover }) => cover)).toContain(callback.covers)
    // Whatever it covers, a secret or a signature is right to the last byte.
    const isOther = ({ part, request: { headers }, outcome }: (typeof changes)[number]) =>
      outcome.kind === 'accepted' && proofIn(headers, part) !== proofIn(request.headers, part)
    expect(changes.find(isOther)).toBeUndefined()
  })
})

/** The same bytes have several texts in base64, and a login has any user. */
function proofIn(headers: SignedRequest['headers'], name: string): string {
  const text = name === 'content-type' ? '' : (headers[name] ?? '')
  const bytes = (base64: string) => Buffer.from(base64, 'base64').toString('latin1')
  if (/-signature(?:-|$)/.test(name)) return bytes(text)
  const [, scheme = '', proof = text] = /^(basic|bearer) +(.+)$/i.exec(text) ?? []
  return scheme.toLowerCase() === 'basic' ? bytes(proof).replace(/^[^:]*:/, '') : proof
}

/**
 * Two providers are left out: messages of SNS are verified with a certificate of Amazon, and the token in a bounced mail
 * names its delivery whichever integration passes the mail on.
 */
const reporting = titled.filter(({ callback: { provider, reports } }) => reports === 'bounce' && provider !== 'aws-ses')

withApp((open) => {
  let app: App
  let peer: Recorder

  beforeAll(async () => {
    // Providers sign the address that they were given; here its path is enough.
    const env = { POSTRIDER_PUBLIC_URL: 'https://notify.example.com' }
    ;[app, peer] = await Promise.all([open({ env }), startRecorder()])
    peer.answer(({ path }) => path.endsWith('/Messages.json'), { status: 201, body: { sid: 'SM1' } })
    peer.answer(({ path }) => path === '/email', { body: { ErrorCode: 0, MessageID: 'm-1' } })
  })
  afterAll(() => peer.close())

  const integrationOf = async ({ provider, settings }: SignedCallback) => {
    // A header has no `…`, the secret of the examples.
    const example = JSON.parse(JSON.stringify(providers.get(provider)!.example.settings).replaceAll('…', 'x'))
    const all = { ...example, ...settings, baseUrl: peer.url }
    return app.client.providers.create({ provider, settings: all } as never)
  }
  const post = async ({ method, url, headers, body }: SignedRequest) => {
    const path = url.slice(new URL(url).origin.length)
    const answer = await fetch(app.url + path, { method, headers, ...(body && { body }) })
    return answer.status
  }

  /** A message that an integration of the provider has sent. */
  async function sent(provider: string, to: Record<string, string>) {
    const callback = signedCallbacks.find((row) => row.provider === provider && row.reports === 'delivery')!
    const integration = await integrationOf(callback)
    const { callback_url: url = '', channel } = integration
    await inForce(app.client, integration)
    const { requestId: id } = await app.client.send({
      message: {
        ...{ to, content: { title: 'Hello', body: 'Good to see you.' } },
        routing: { method: 'single', channels: [channel] },
        channels: { [channel]: { providers: [integration.id as IntegrationId] } },
      },
    })
    const settled = (status: string) =>
      until(
        () => app.client.messages.get(id),
        (message) => message.status === status,
      )
    await settled('SENT')
    const [address = ''] = Object.values(to)
    return { callback, id, url, deliveryId: `${id}-0`, address, settled }
  }

  test('one that is signed changes nothing about the delivery of another integration', async () => {
    const messages = await Promise.all([
      sent('twilio', { phone_number: sample.address }),
      sent('postmark', { email: 'ada@example.com' }),
    ])
    const foreign = await Promise.all(
      reporting.map(async (row) => ({ ...row, url: (await integrationOf(row.callback)).callback_url! })),
    )
    for (const { title, callback, url } of foreign)
      for (const { deliveryId, address } of messages)
        expect(await post(callback.request({ deliveryId, address, at: Date.now(), url })), title).toBe(200)
    expect(foreign.length).toBeGreaterThan(10)

    // Receipts are applied in their order: those of the integrations themselves come last.
    for (const { callback, ...event } of messages)
      expect(await post(callback.request({ ...event, at: Date.now() }))).toBe(200)
    for (const { id, settled } of messages) {
      await settled('DELIVERED')
      expect((await app.client.messages.history(id, { type: 'UNDELIVERABLE' })).results).toEqual([])
    }
    expect((await app.client.suppressions.list()).results).toEqual([])
  })
})
