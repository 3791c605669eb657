/** A push by APNs is the same request as from `@parse/node-apn`, over real HTTP/2 with TLS, and its replies are understood. */
import { runAdapter, type Scene } from '@postrider/server/providers/harness'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Arrived, type Http2Peer, startHttp2Peer } from '../../support/peers/http2.ts'
import { adapter } from './likeness.ts'
import { hasSdks } from './sdks.ts'

interface Sdk {
  Provider: new (
    options: object,
  ) => {
    send(notification: object, token: string): Promise<{ sent: unknown[]; failed: unknown[] }>
    shutdown(): Promise<void>
  }
  Notification: new (fields: object) => object
}

const key = String(adapter('apn').example.settings.privateKey)
const token = 'abc123'

const comparable = ({ path, headers, body }: Arrived) => {
  const ours = Object.entries(headers).filter(([name]) => name.startsWith('apns-'))
  const [header = '', claims = ''] = String(headers.authorization)
    .replace(/^bearer /i, '')
    .split('.')
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { iat: _at, ...stated } = decoded(claims)
  return { path, headers: Object.fromEntries(ours), signed: [decoded(header), stated], body: JSON.parse(body) }
}

describe.skipIf(!hasSdks)('APNs', () => {
  let peer: Http2Peer
  let sdk: Sdk
  let client: InstanceType<Sdk['Provider']>
  beforeAll(async () => {
    peer = await startHttp2Peer()
    const name: string = '@parse/node-apn'
    sdk = ((await import(name)) as { default: Sdk }).default
    client = new sdk.Provider({
      token: { key, keyId: 'KEY', teamId: 'TEAM' },
      ...{ address: 'localhost', port: peer.port, rejectUnauthorized: false },
    })
  })
  afterAll(async () => {
    await client?.shutdown()
    await peer?.close()
  })

  /** Our request, sent over the real transport; the outcome is that of the real reply. */
  async function ours(changes: Partial<Scene> = {}) {
    const scene: Scene = {
      profile: { apn: token },
      settings: { teamId: 'TEAM', keyId: 'KEY', privateKey: key, topic: 'com.example.shop', baseUrl: peer.url },
      content: { title: 'Grüße 👋', body: 'On its way' },
      ...changes,
    }
    const [request] = runAdapter(adapter('apn'), scene, { kind: 'http', status: 200, headers: {}, body: '' }).requests
    if (request?.kind !== 'http') throw new Error('APNs is called over HTTP')
    const reply = await peer.perform(request)
    return { id: request.headers['apns-id'], outcome: runAdapter(adapter('apn'), scene, reply).outcome }
  }

  test('a message with everything', async () => {
    const headers = { 'apns-collapse-id': 'order-7', 'apns-priority': '10', 'apns-expiration': '1900000000' }
    const override = { body: { aps: { sound: 'default', badge: 1 } }, headers }
    const { id, outcome } = await ours({ override, push: { data: { order: 7 }, clickAction: 'ORDER' } })
    expect(outcome).toEqual({ kind: 'sent', reference: { 'apns-id': id }, delivered: false })
    const notification = new sdk.Notification({
      ...{ id, topic: 'com.example.shop', pushType: 'alert', collapseId: 'order-7', expiry: 1_900_000_000 },
      ...{ alert: { title: 'Grüße 👋', body: 'On its way' }, sound: 'default', badge: 1, category: 'ORDER' },
      payload: { order: 7 },
    })
    expect((await client.send(notification, token)).sent).toHaveLength(1)
    const [first, second] = peer.all.map(comparable)
    expect(first).toEqual(second)
  })

  test('a device that is gone', async () => {
    peer.answer(410, { reason: 'Unregistered' })
    expect((await ours()).outcome).toMatchObject({ kind: 'rejected', scope: 'recipient', gone: 'invalid_address' })
  })
})
