/** Apple Push Notification service, by its HTTP/2 API and signed tokens. */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { MINUTE, SECOND } from '../../base/time/duration.ts'
import { apiUrl, bearer, connection, credential } from '../http-api.ts'
import { addressGone, byStatus, type Outcome, parseBody, rejected } from '../outcome.ts'
import { type DeviceToken, defineProvider, headersAt, isPresent, objectAt } from '../provider.ts'
import { checkContent, checkPayload, pushFields, tokensIn } from '../push-parts.ts'
import { BaseUrl, inGroup, Login, SigningKey, Text } from '../settings.ts'
import { signedToken } from '../signed-token.ts'

const HOMES = { production: 'https://api.push.apple.com', sandbox: 'https://api.sandbox.push.apple.com' }
/** Apple takes a token for an hour, and a new one at most every 20 minutes. */
const TOKEN_PERIOD_MS = 30 * MINUTE
/** https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification */
const PAYLOAD_BYTES_MAX = 4_096
const VOIP_BYTES_MAX = 5_120

interface Settings {
  teamId: string
  keyId: string
  privateKey: string
  topic: string
  environment?: string
  baseUrl?: string
}

export default defineProvider({
  key: 'apn',
  title: 'Apple Push Notification service',
  description: 'Push to iOS, iPadOS, macOS, watchOS and tvOS',
  website: 'https://developer.apple.com/documentation/usernotifications',
  limits: { payloadBytes: PAYLOAD_BYTES_MAX },
  channels: ['push'],
  dialect: 'plain',
  profileKeys: ['apn'],
  profileOf: (token) => ({ apn: { token } }),
  settings: {
    teamId: Login('Team id', 'The id of your team: ten characters', { minLength: 1, maxLength: 64 }),
    keyId: Login('Key id', 'The id of the key: ten characters', { minLength: 1, maxLength: 64 }),
    privateKey: SigningKey('Private key', 'The content of the .p8 file of the key', 'private key'),
    topic: Text('Topic', 'The bundle id of the app', { minLength: 1, maxLength: 200 }),
    // No destination: both are Apple's, and take the same key.
    environment: Type.Optional(
      Type.Enum(['production', 'sandbox'], {
        title: 'Environment',
        description: '`sandbox` for apps that Xcode installed. `production`, the default, for all other apps',
      }),
    ),
    ...inGroup('advanced', {
      ttl: Type.Optional(
        Type.Integer({
          title: 'Time to live',
          description: 'How many seconds Apple keeps a push for a device that is off. With 0, Apple tries once',
          minimum: 0,
          maximum: 2_592_000,
        }),
      ),
    }),
    baseUrl: BaseUrl(HOMES.production),
  },
  example: {
    settings: {
      teamId: 'A1B2C3D4E5',
      keyId: 'F6G7H8J9K0',
      privateKey: [
        '-----BEGIN PRIVATE KEY-----',
        'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXvzslVZNxzKcjZKF',
        'OuE3wbU2OniT2Glk6OhPxlYianShRANCAASdQFmzwv1WZrkzg9z3URUaVyG6mcfA',
        'Q/MNCLPAzYCpawjo/4BgrBBeBvvLsQ5cXUxWIptaIT1EbMI7jKQCW7XJ',
        '-----END PRIVATE KEY-----',
      ].join('\n'),
      topic: 'com.example.shop',
    },
    profile: { apn: { token: '5f3c9a' } },
    override: { body: { aps: { sound: 'default', badge: 1 } }, headers: { 'apns-collapse-id': 'order-7' } },
  },

  devices: { inProfile: devicesIn, contact: (device) => device },
  contact: (profile): DeviceToken | undefined => devicesIn(profile)[0],

  /** https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification */
  compose({ content, push }): { headers: JsonObject; body: JsonObject } {
    const { data, clickAction } = pushFields(push)
    const aps = {
      alert: { title: content.title, body: content.body || content.text },
      ...(clickAction && { category: clickAction }),
    }
    return { headers: {}, body: { ...data, aps } }
  },

  /** Only a connection: an authorized request needs a device, and a token that is signed now. */
  signIn: (settings) => connection(settings.baseUrl ?? homeOf(settings)),

  *deliver({ draft, to, settings, message, now }) {
    const key = credential(settings.privateKey, 'private key')
    const body = objectAt(draft, 'body')
    checkContent(body)
    const headers = headersOf(draft, body, settings, now)
    const text = JSON.stringify(body)
    const type = headers['apns-push-type'] ?? ''
    checkPayload(Buffer.byteLength(text), type === 'voip' ? VOIP_BYTES_MAX : PAYLOAD_BYTES_MAX, 'Apple')
    const url = apiUrl(settings.baseUrl ?? homeOf(settings), `/3/device/${encodeURIComponent(to.token)}`)
    const id = uuidOf(message.deliveryId)
    const request = (token: string): HttpRequest => ({
      kind: 'http',
      protocol: 'h2',
      method: 'POST',
      url,
      headers: { ...bearer(token), ...headers, 'apns-id': id, 'content-type': 'application/json' },
      body: text,
      final: true,
    })
    const isOtherApp = headers['apns-topic'] !== topicFor(type, settings.topic)
    const outcome = (last: Reply, secret: string) =>
      outcomeOf(last, now, [secret, to.token], { isOtherApp, isOtherToken: SUFFIXES.has(type) })
    const token = tokenOf({ ...settings, privateKey: key }, now, TOKEN_PERIOD_MS)
    const reply = yield request(token)
    // Apple's clock is ahead of ours: the token of this minute.
    const renewed = tokenOf({ ...settings, privateKey: key }, now, MINUTE)
    if (reasonOf(reply) !== 'ExpiredProviderToken' || renewed === token) return outcome(reply, token)
    return outcome(yield request(renewed), renewed)
  },
})

function devicesIn(profile: JsonObject): DeviceToken[] {
  return tokensIn(profile.apn)
}

const homeOf = ({ environment }: Pick<Settings, 'environment'>): string =>
  environment === 'sandbox' ? HOMES.sandbox : HOMES.production

/** The same in each period, on every node. */
function tokenOf({ teamId, keyId, privateKey }: Settings, now: number, periodMs: number): string {
  const issued = Math.floor(now / periodMs) * (periodMs / SECOND)
  return signedToken({
    algorithm: 'ES256',
    privateKey,
    header: { kid: keyId },
    claims: { iss: teamId, iat: issued },
  })
}

/** https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns */
function headersOf(
  draft: JsonObject,
  body: JsonObject,
  { topic, ttl }: { topic: string; ttl?: number },
  now: number,
): Record<string, string> {
  const headers = headersAt(draft.headers, 'headers', (name) => !/^apns-(?!id$)/i.test(name))
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const isSilent = isBackground(body.aps)
  const { 'apns-push-type': type = isSilent ? 'background' : 'alert' } = lower
  return {
    'apns-push-type': type,
    // Anything else is refused for a background push.
    ...(isSilent && { 'apns-priority': '5' }),
    ...(ttl !== undefined && { 'apns-expiration': String(ttl === 0 ? 0 : Math.floor(now / SECOND) + ttl) }),
    ...lower,
    'apns-topic': topicFor(type, lower['apns-topic'] ?? topic),
  }
}

/** https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns#Know-when-to-use-push-types */
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['voip', '.voip'],
  ['complication', '.complication'],
  ['location', '.location-query'],
  ['fileprovider', '.pushkit.fileprovider'],
  ['pushtotalk', '.voip-ptt'],
  ...['liveactivity', 'widgets', 'controls'].map((type) => [type, `.push-type.${type}`] as const),
])

/** With the suffix of the type. An integration for one type may have the whole topic in its settings. */
function topicFor(type: string, topic: string): string {
  const suffix = SUFFIXES.get(type) ?? ''
  return topic.endsWith(suffix) ? topic : `${topic}${suffix}`
}

function isBackground(aps: unknown): boolean {
  if (!isObject(aps) || aps['content-available'] !== 1) return false
  return ![aps.alert, aps.sound, aps.badge].some(isPresent)
}

/** An id in the form of a UUID, the same for all attempts of a delivery. */
function uuidOf(text: string): string {
  const hex = hash('sha256', text)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return parts.join('-')
}

/** https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns */
const REASONS = {
  gone: 'Unregistered ExpiredToken',
  /** Gone, unless the app has another token for the push type. */
  bad: 'BadDeviceToken',
  /** The token of another app: those beside it may be of this one. */
  recipient: 'DeviceTokenNotForTopic',
  configuration: `BadTopic MissingTopic TopicDisallowed BadCertificate BadCertificateEnvironment ExpiredProviderToken
    Forbidden InvalidProviderToken MissingProviderToken UnrelatedKeyIdInToken BadEnvironmentKeyIdInToken BadPath`,
  transient: 'IdleTimeout Shutdown ServiceUnavailable InternalServerError',
}
const isAmong = (list: string, reason: string) => list.split(/\s+/).includes(reason)

function reasonOf(reply: Reply): string | undefined {
  const body = reply.kind === 'http' ? parseBody(reply) : undefined
  return reasonIn(body)
}

const reasonIn = (body: unknown): string | undefined =>
  isObject(body) && typeof body.reason === 'string' ? body.reason : undefined

/**
 * `isOtherApp`: the topic is that of an override, for which alone the token is no more. `isOtherToken`: the app has
 * another token for pushes of this type.
 */
function outcomeOf(
  reply: Reply,
  now: number,
  secrets: readonly string[],
  { isOtherApp, isOtherToken }: { isOtherApp: boolean; isOtherToken: boolean },
): Outcome {
  const failed = byStatus(reply, now, { explain: reasonIn, secrets })
  if (!failed) {
    const id = reply.kind === 'http' ? reply.headers['apns-id'] : undefined
    return { kind: 'sent', reference: id === undefined ? {} : { 'apns-id': id }, delivered: false }
  }
  const reason = reasonOf(reply)
  if (failed.kind !== 'rejected' || reason === undefined) return failed
  const { error } = failed
  const isGone = isAmong(REASONS.gone, reason) || (reason === REASONS.bad && !isOtherToken)
  if (isGone && !isOtherApp) return addressGone('invalid_address', error, goneAtOf(reply))
  if (isGone || reason === REASONS.bad || reason === REASONS.recipient) return rejected('recipient', error)
  if (isAmong(REASONS.configuration, reason)) return rejected('configuration', error)
  if (isAmong(REASONS.transient, reason)) return { kind: 'retry', error, attempted: true }
  return failed
}

/** When Apple found that the token is no more: an app that registered it again later has a good one. */
function goneAtOf(reply: Reply): number | undefined {
  const body = reply.kind === 'http' ? parseBody(reply) : undefined
  const timestamp = isObject(body) ? body.timestamp : undefined
  return typeof timestamp === 'number' && Number.isSafeInteger(timestamp) && timestamp > 0 ? timestamp : undefined
}
