/** Expo's push service: a ticket for each message, in a reply with status 200. */
import { Type } from 'typebox'
import type { HttpReply, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { MASK } from '../../base/secret.ts'
import { DAY, MINUTE } from '../../base/time/duration.ts'
import { apiUrl, bearer, entriesOf, postInArray, postJson, replyToOne } from '../http-api.ts'
import { addressGone, byStatus, type Outcome, parseBody, rejected, retryAfterMs, tidy } from '../outcome.ts'
import { type DeliveryResult, type DeviceToken, DraftInvalid, defineProvider, isPresent } from '../provider.ts'
import { checkContent, checkPayload, pushFields, tokensIn } from '../push-parts.ts'
import { BaseUrl, Secret } from '../settings.ts'

const HOME = 'https://exp.host'
/** https://docs.expo.dev/push-notifications/sending-notifications/#message-request-format */
const PAYLOAD_BYTES_MAX = 4_096

export default defineProvider({
  key: 'expo',
  title: 'Expo',
  description: 'Push to apps that are built with Expo',
  website: 'https://docs.expo.dev/push-notifications/sending-notifications/',
  limits: { payloadBytes: PAYLOAD_BYTES_MAX },
  channels: ['push'],
  dialect: 'plain',
  profileKeys: ['expo'],
  profileOf: (token) => ({ expo: { token } }),
  settings: {
    accessToken: Type.Optional(Secret('Access token', 'Required if enhanced push security is on')),
    baseUrl: BaseUrl(HOME),
  },
  example: {
    settings: { accessToken: '…' },
    profile: { expo: { token: 'ExponentPushToken[example]' } },
    override: { sound: 'default', badge: 1, ttl: 3600 },
    reply: { data: [{ status: 'ok', id: '019a9c5e-7d1b-7c0c-9b6e-2d3f4a5b6c7d' }] },
  },

  /** https://docs.expo.dev/push-notifications/sending-notifications/#push-receipts */
  results: {
    afterMs: 15 * MINUTE,
    keptMs: DAY,
    idsMax: 1_000,
    request: (ids, { accessToken, baseUrl }) => ({
      ...postJson(apiUrl(baseUrl ?? HOME, '/--/api/v2/push/getReceipts'), accessToken ? bearer(accessToken) : {}, {
        ids,
      }),
      final: false,
    }),
    read: resultsIn,
  },

  devices: { inProfile: devicesIn, contact: (device) => device },
  contact: (profile): DeviceToken | undefined => devicesIn(profile)[0],

  compose({ content, push }): JsonObject {
    const { data, clickAction } = pushFields(push)
    return {
      title: content.title,
      body: content.body || content.text,
      ...(data && { data }),
      ...(clickAction && { categoryId: clickAction }),
    }
  },

  // https://docs.expo.dev/push-notifications/sending-notifications/#http2-api
  batch: {
    max: 100,
    replies: (reply, count) =>
      entriesOf(ticketsIn(parseBody(reply)), count)?.map((ticket) => replyToOne(reply, 200, { data: [ticket] })),
  },

  *deliver({ draft, to, settings, now }) {
    if (isPresent(draft.to)) throw new DraftInvalid('to cannot be set: the recipient decides it')
    checkContent(draft)
    const { title, subtitle, body, data } = draft
    checkPayload(Buffer.byteLength(JSON.stringify({ title, subtitle, body, data })), PAYLOAD_BYTES_MAX, 'Expo')
    const { accessToken } = settings
    const url = apiUrl(settings.baseUrl ?? HOME, '/--/api/v2/push/send')
    const headers = accessToken ? bearer(accessToken) : {}
    const reply = yield postInArray(url, headers, { message: { to: to.token, ...draft } })
    return outcomeOf(reply, now, [accessToken, to.token])
  },
})

function devicesIn(profile: JsonObject): DeviceToken[] {
  return tokensIn(profile.expo)
}

type Secrets = readonly (string | undefined)[]

function outcomeOf(reply: Reply, now: number, secrets: Secrets): Outcome {
  const failed = byStatus(reply, now, { explain: requestError, secrets })
  if (failed || reply.kind !== 'http') return failed ?? notFromExpo
  const body = parseBody(reply)
  const error = requestError(body)
  if (error !== undefined) return rejected('content', tidy(error, secrets))
  const data = ticketsIn(body)
  const ticket: unknown = Array.isArray(data) ? data[0] : data
  if (!isObject(ticket)) return notFromExpo
  if (ticket.status === 'ok')
    return { kind: 'sent', reference: typeof ticket.id === 'string' ? { id: ticket.id } : {}, delivered: false }
  return ticket.status === 'error' ? rejectionOf(ticket, reply, now, secrets) : notFromExpo
}

const ticketsIn = (body: unknown): unknown => (isObject(body) ? body.data : undefined)

const notFromExpo: Outcome = { kind: 'in_doubt', error: 'The answer is not from Expo' }

/** https://docs.expo.dev/push-notifications/sending-notifications/#individual-errors */
function rejectionOf({ message, details }: JsonObject, reply: HttpReply, now: number, secrets: Secrets): Outcome {
  const code = isObject(details) && typeof details.error === 'string' ? details.error : undefined
  const text = [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ')
  const error = tidy(text || 'The ticket names no error', secrets)
  switch (code) {
    case 'DeviceNotRegistered':
      return addressGone('invalid_address', error)
    case 'MessageTooBig':
      return rejected('content', error)
    case 'InvalidCredentials':
    case 'MismatchSenderId':
      return rejected('configuration', error)
    case 'MessageRateExceeded': {
      const wait = retryAfterMs(reply, now)
      return { kind: 'retry', error, attempted: false, ...(wait !== undefined && { retryAfterMs: wait }) }
    }
    case 'ExpoError':
    case 'ProviderError':
      return { kind: 'retry', error, attempted: true }
    default:
      return rejected(/is not a (valid|registered) Expo push token/i.test(text) ? 'recipient' : 'content', error)
  }
}

/** Errors of the whole request: `{errors: [{code, message}]}`. */
function requestError(body: unknown): string | undefined {
  const first: unknown = isObject(body) && Array.isArray(body.errors) ? body.errors[0] : undefined
  if (!isObject(first)) return undefined
  const texts = [first.code, first.message].filter((text) => typeof text === 'string' && text !== '')
  return texts.join(': ') || 'unknown error'
}

/** `ok` says that the service of the device has the message. Undefined for an error of the whole request. */
function resultsIn(reply: Reply): ReadonlyMap<string, DeliveryResult> | undefined {
  const body = reply.kind === 'http' && reply.status < 300 ? parseBody(reply) : undefined
  if (!isObject(body) || !isObject(body.data)) return undefined
  return new Map(
    Object.entries(body.data).flatMap(([id, receipt]): [string, DeliveryResult][] =>
      isObject(receipt) && (receipt.status === 'ok' || receipt.status === 'error') ? [[id, resultOf(receipt)]] : [],
    ),
  )
}

const TOKEN = /Expo(?:nent)?PushToken\[[^\]\s]{1,200}\]/

function resultOf({ status, message, details }: JsonObject): DeliveryResult {
  if (status === 'ok') return {}
  const { error: code, expoPushToken } = isObject(details) ? details : {}
  const error = tidy([code, message].filter((part) => typeof part === 'string' && part !== '').join(': '))
  if (code !== 'DeviceNotRegistered') return { error: error || 'The receipt names no error' }
  const address = typeof expoPushToken === 'string' ? expoPushToken : TOKEN.exec(String(message))?.[0]
  // The token is a secret of the device.
  return {
    error: address ? error.replaceAll(address, MASK) : error,
    gone: 'invalid_address',
    ...(address && { address }),
  }
}
