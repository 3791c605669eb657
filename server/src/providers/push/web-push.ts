/** Web Push to browsers, without a service between: encrypted for the subscription, signed with our own VAPID keys. */
import { createCipheriv, createECDH, createHmac, type ECDH } from 'node:crypto'
import { Type } from 'typebox'
import type { HttpReply, HttpRequest, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import { HOUR, SECOND } from '../../base/time/duration.ts'
import { credential, webAddress } from '../http-api.ts'
import {
  addressGone,
  byStatus,
  type FailedOutcome,
  type Outcome,
  rejected,
  retryAfterMs,
  statusText,
} from '../outcome.ts'
import {
  type Attempt,
  type DeviceToken,
  DraftInvalid,
  defineProvider,
  lineAt,
  objectAt,
  Rejection,
} from '../provider.ts'
import { checkContent, checkPayload, isToken, pushFields } from '../push-parts.ts'
import { inGroup, SigningKey } from '../settings.ts'
import { signedToken, vapidPem, vapidPublicKey } from '../signed-token.ts'

/** Four weeks, as long as Firebase keeps a message at most. */
const TTL_MAX = 2_419_200
const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const
/** RFC 8291 §4: one record of 4,096 bytes, of which header, delimiter and tag take 103. */
const PAYLOAD_BYTES_MAX = 3_993
/** RFC 8292 §2: at most 24 hours ahead. The same token for six hours ends 12 to 18 hours ahead. */
const TOKEN_PERIOD_MS = 6 * HOUR

interface Subscription {
  /** Its address in the list of suppressed ones. */
  token: string
  endpoint: string
  /** The public key of the browser. */
  p256dh: Buffer
  auth: Buffer
}

export default defineProvider({
  key: 'web-push',
  title: 'Web Push',
  description: 'Push to browsers with your own VAPID keys, without an account anywhere',
  website: 'https://www.rfc-editor.org/rfc/rfc8030',
  limits: { payloadBytes: PAYLOAD_BYTES_MAX },
  channels: ['push'],
  dialect: 'plain',
  profileKeys: ['web_push'],
  profileOf: (subscription) => ({ web_push: parsed(subscription) }),
  ownAddresses: ['web_push'],
  settings: {
    subject: Type.String({
      title: 'Subject',
      description: 'Your contact for push services: `mailto:` and an address, or an https URL',
      pattern: '^(mailto:[^\\s@]+@[^\\s@]+|https://[^\\s]+)$',
      patternText: '`mailto:` and an address, or an https URL',
      maxLength: 320,
    }),
    publicKey: Type.String({
      title: 'Public key',
      description:
        'The public key of the pair: the `applicationServerKey` of subscriptions. `postrider providers vapid-keys` makes a pair',
      pattern: '^[A-Za-z0-9_-]{87}$',
      patternText: 'the public key of `postrider providers vapid-keys`',
    }),
    privateKey: SigningKey('Private key', 'The private key of the pair', 'VAPID key'),
    ...inGroup('advanced', {
      ttl: Type.Optional(
        Type.Integer({
          title: 'Time to live',
          description: 'How many seconds push services keep a push for a browser that is off',
          default: TTL_MAX,
          minimum: 0,
          maximum: TTL_MAX,
        }),
      ),
    }),
  },
  example: {
    settings: {
      subject: 'mailto:push@example.com',
      publicKey: 'BAWlRUk8mNa-ap3eSJdNgLfcqr8lM5kQD6Yv9kn6ijHjB0t6ftIBVG5Jk8wRUZt6yQ_cgH9vHhv0a--uS1Z7MLQ',
      privateKey: 'PvDeWRJu1NOpLAz9hKCPWTnCAxDAPAcmRJmYHgF-WEU',
    },
    profile: {
      web_push: {
        endpoint: 'https://push.example.com/send/abc',
        keys: {
          p256dh: 'BIorJKiN4g2ixHX97w5r1XaliwQSrmAlU-pLMo-6PX5qwJkL0BP1pr5Nla4MqCVkfsB0lZFCWMPulK5ALCueLdc',
          auth: 'iuqeS5rSdcXKL1yTj-e3Qg',
        },
      },
    },
    override: { ttl: 3600, urgency: 'high', topic: 'order-7', body: { badge: '/badge.png' } },
  },

  settingsError({ publicKey, privateKey }) {
    const isPair = privateKey === undefined || vapidPublicKey(privateKey) === publicKey
    return isPair ? undefined : 'publicKey: it does not belong to privateKey'
  },

  devices: { inProfile: devicesIn, contact: subscriptionOf },
  contact: (profile): Subscription | undefined => devicesIn(profile).map(subscriptionOf).find(Boolean),

  /** The service worker reads the body with `event.data.json()`. */
  compose({ content, push, settings }): { body: JsonObject; ttl: unknown } {
    const { icon, data, clickAction } = pushFields(push)
    return {
      body: {
        title: content.title,
        body: content.body || content.text,
        ...(icon && { icon }),
        ...(data && { data }),
        ...(clickAction && { clickAction }),
      },
      ttl: settings.ttl ?? TTL_MAX,
    }
  },

  *deliver({ draft, to, settings, now, random }) {
    const body = objectAt(draft, 'body')
    checkContent(body)
    const text = JSON.stringify(body)
    checkPayload(Buffer.byteLength(text), PAYLOAD_BYTES_MAX, 'the push service')
    const headers = {
      authorization: vapid(
        to.endpoint,
        { ...settings, privateKey: credential(settings.privateKey, 'private key') },
        now,
      ),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ...optionsOf(draft),
    }
    const request: HttpRequest = {
      kind: 'http',
      method: 'POST',
      url: to.endpoint,
      headers,
      bytes: encrypted(Buffer.from(text), to, random),
      final: true,
    }
    return outcomeOf(yield request, now, to)
  },
})

/** One subscription as the browser gives it, or a list. */
function devicesIn(profile: JsonObject): DeviceToken[] {
  const all: unknown[] = Array.isArray(profile.web_push) ? profile.web_push : [profile.web_push]
  return all.flatMap((entry) => {
    if (!isObject(entry) || !isToken(entry.endpoint)) return []
    return [{ token: entry.endpoint, properties: { keys: entry.keys } }]
  })
}

/** The token is the JSON of a subscription, or its endpoint with its `keys` beside it. */
function subscriptionOf({ token, properties }: DeviceToken): Subscription | undefined {
  const candidate: unknown = token.startsWith('{') ? parsed(token) : { ...properties, endpoint: token }
  if (!isObject(candidate)) return undefined
  const endpoint = webAddress(candidate.endpoint)
  const { p256dh, auth } = isObject(candidate.keys) ? candidate.keys : {}
  const [key, secret] = [bytesOf(p256dh), bytesOf(auth)]
  if (!endpoint || key?.length !== 65 || key[0] !== 4 || !secret || secret.length < 16) return undefined
  return { token: endpoint, endpoint, p256dh: key, auth: secret }
}

const bytesOf = (text: unknown): Buffer | undefined =>
  typeof text === 'string' && text.length <= 200 ? Buffer.from(text, 'base64url') : undefined

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** RFC 8292: who sends it, for the origin of the push service. */
function vapid(
  endpoint: string,
  { subject, publicKey, privateKey }: { subject: string; publicKey: string; privateKey: string },
  now: number,
): string {
  const ends = (Math.floor(now / TOKEN_PERIOD_MS) + 3) * (TOKEN_PERIOD_MS / SECOND)
  const claims = { aud: new URL(endpoint).origin, exp: ends, sub: subject }
  return `vapid t=${signedToken({ algorithm: 'ES256', privateKey: vapidPem(privateKey), claims })}, k=${publicKey}`
}

/** RFC 8030 §5.2 to §5.4. */
function optionsOf({ ttl, urgency, topic }: JsonObject): Record<string, string> {
  if (!Number.isInteger(ttl) || Number(ttl) < 0) throw new DraftInvalid('ttl must be a number of seconds')
  const level = lineAt(urgency, 'urgency')
  if (level !== undefined && !URGENCIES.some((urgency) => urgency === level))
    throw new DraftInvalid(`urgency must be one of ${URGENCIES.map(quoted).join(', ')}`)
  const name = lineAt(topic, 'topic')
  if (name !== undefined && !/^[\w-]{1,32}$/.test(name))
    throw new DraftInvalid('topic must be at most 32 letters, digits, `-` or `_`')
  return {
    ttl: String(ttl),
    ...(level !== undefined && { urgency: level }),
    ...(name !== undefined && { topic: name }),
  }
}

type Random = Attempt<unknown, JsonObject, JsonObject>['random']

/** RFC 8291 §3.4 and RFC 8188: one record, with a key pair of this message alone. */
function encrypted(text: Buffer, { p256dh, auth }: Subscription, random: Random): Buffer {
  const salt = random(16)
  const ephemeralKeys = ephemeralKey(random)
  const publicKey = ephemeralKeys.getPublicKey()
  const shared = sharedSecret(ephemeralKeys, p256dh)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey])
  const input = derived(auth, shared, info, 32)
  const key = derived(salt, input, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derived(salt, input, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // 2 delimits the last record.
  const sealed = Buffer.concat([cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()])
  const header = Buffer.alloc(5)
  header.writeUInt32BE(4_096, 0)
  header.writeUInt8(publicKey.length, 4)
  return Buffer.concat([salt, header, publicKey, sealed])
}

/** One number in 2³² is no key: the next one is. */
function ephemeralKey(random: Random): ECDH {
  const pair = createECDH('prime256v1')
  for (let tries = 1; ; tries += 1) {
    try {
      pair.setPrivateKey(random(32))
      return pair
    } catch (error) {
      if (tries === 8) throw error
    }
  }
}

function sharedSecret(ownKeys: ECDH, theirs: Buffer): Buffer {
  try {
    return ownKeys.computeSecret(theirs)
  } catch {
    throw new Rejection('recipient', 'The p256dh key of the subscription is not a point of P-256')
  }
}

/** HKDF with SHA-256 for at most 32 bytes: one block. */
function derived(salt: Uint8Array, input: Buffer, info: Buffer, length: number): Buffer {
  const key = createHmac('sha256', salt).update(input).digest()
  return createHmac('sha256', key).update(info).update(Buffer.of(1)).digest().subarray(0, length)
}

function outcomeOf(reply: Reply, now: number, { endpoint }: Subscription): Outcome {
  const secrets = [endpoint, new URL(endpoint).pathname]
  const explain = (body: unknown) => messageIn(body) || windowsError(reply)
  const windows = reply.kind === 'http' ? byWindows(reply, now, statusText(reply, { explain, secrets })) : undefined
  if (windows) return windows
  // The endpoint is the recipient's: a redirect and a refused address are faults of the subscription.
  const failed = byStatus(reply, now, { explain, owner: 'recipient', secrets })
  if (!failed) return { kind: 'sent', reference: {}, delivered: false }
  if (failed.kind !== 'rejected' || reply.kind !== 'http') return failed
  return rejectionOf(reply, statusText(reply, { explain, secrets }))
}

const windowsError = (reply: Reply): string | undefined =>
  reply.kind === 'http' ? reply.headers['x-wns-error-description'] : undefined

/**
 * The service of Windows says 406 for 429, and drops messages that it has answered with success:
 * https://learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/push-request-response-headers
 */
function byWindows(reply: HttpReply, now: number, error: string): FailedOutcome | undefined {
  const { 'x-wns-status': status = '', 'x-wns-notificationstatus': state = status } = reply.headers
  const isThrottled = reply.status === 406 || /^channelthrottled$/i.test(state)
  if (isThrottled) {
    const wait = retryAfterMs(reply, now)
    return { kind: 'retry', error, attempted: false, ...(wait !== undefined && { retryAfterMs: wait }) }
  }
  const isDropped = reply.status < 300 && /^dropped$/i.test(state)
  return isDropped ? rejected('recipient', 'The push service of Windows dropped the message') : undefined
}

/** https://web.dev/articles/push-notifications-web-push-protocol#response_from_push_service */
function rejectionOf(reply: HttpReply, error: string): Outcome {
  const { status } = reply
  if (status === 404 || status === 410) return addressGone('invalid_address', error)
  // Made with another public key: those of other browsers may have been made with ours.
  if (/do(es)? not correspond|VapidPkHashMismatch/i.test(reply.body)) return rejected('recipient', error)
  if (status === 401 || status === 403) return rejected('configuration', error)
  return rejected(status < 400 ? 'recipient' : 'content', error)
}

/** Mozilla and Apple answer in JSON, Google in plain text. */
function messageIn(body: unknown): string | undefined {
  if (isObject(body)) return [body.reason, body.message].find((value) => typeof value === 'string') as string
  return typeof body === 'string' && !/^\s*</.test(body) ? body : undefined
}
