/** A push to a browser has the headers of the official library, and a real implementation of RFC 8291 decrypts it. */
import { createECDH, type ECDH, randomBytes } from 'node:crypto'
import { runAdapter, type Scene } from '@postrider/server/providers/harness'
import { beforeAll, describe, expect, test } from 'vitest'
import { adapter } from './likeness.ts'
import { hasSdks } from './sdks.ts'

interface WebPush {
  generateVAPIDKeys(): { publicKey: string; privateKey: string }
  generateRequestDetails(
    subscription: object,
    payload: string,
    options: object,
  ): { method: string; endpoint: string; headers: Record<string, string | number>; body: Buffer }
}
interface Ece {
  decrypt(sealed: Buffer, parameters: { version: string; privateKey: ECDH; authSecret: string }): Buffer
}

const imported = async <Module>(name: string) => ((await import(name)) as { default: Module }).default
const claimsOf = (authorization: string) => {
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? []
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  const { exp, ...stated } = JSON.parse(claims ?? '')
  return { header: JSON.parse(header ?? ''), stated, key, isNumber: Number.isInteger(exp) }
}

describe.skipIf(!hasSdks)('Web Push', () => {
  let library: WebPush
  let ece: Ece
  const browser = createECDH('prime256v1')
  const auth = randomBytes(16).toString('base64url')
  const subscription = {
    endpoint: 'https://push.example.com/send/abc',
    keys: { p256dh: browser.generateKeys().toString('base64url'), auth },
  }
  beforeAll(async () => {
    library = await imported<WebPush>('web-push')
    ece = await imported<Ece>('http_ece')
  })

  test('a message with everything', () => {
    const keys = library.generateVAPIDKeys()
    const subject = 'mailto:push@example.com'
    const scene: Scene = {
      profile: { web_push: subscription },
      settings: { subject, ...keys },
      content: { title: 'Grüße 👋', body: 'On its way' },
      override: { ttl: 60, urgency: 'high', topic: 'order-7' },
    }
    const [request] = runAdapter(adapter('web-push'), scene, {
      kind: 'http',
      status: 201,
      headers: {},
      body: '',
    }).requests
    if (request?.kind !== 'http' || !request.bytes) throw new Error('The request has bytes')
    const payload = JSON.stringify({ title: 'Grüße 👋', body: 'On its way' })
    const options = { vapidDetails: { subject, ...keys }, TTL: 60, urgency: 'high', topic: 'order-7' }
    const theirs = library.generateRequestDetails(subscription, payload, options)

    const {
      'content-length': length,
      authorization = '',
      ...headers
    } = Object.fromEntries(Object.entries(theirs.headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
    const { authorization: vapid = '', ...ownHeaders } = request.headers
    expect({ method: request.method, url: request.url }).toEqual({ method: theirs.method, url: theirs.endpoint })
    expect(ownHeaders).toEqual(headers)
    expect(claimsOf(vapid)).toEqual(claimsOf(authorization))
    expect(String(request.bytes.length)).toBe(length)
    for (const sealed of [Buffer.from(request.bytes), theirs.body]) {
      const text = ece.decrypt(sealed, { version: 'aes128gcm', privateKey: browser, authSecret: auth })
      expect(text.toString()).toBe(payload)
    }
  })
})
