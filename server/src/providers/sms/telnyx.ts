/** Text messages through Telnyx: https://developers.telnyx.com/api/messaging/send-message */
import { createPublicKey, verify } from 'node:crypto'
import { Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { digitsOf, phoneNumber } from '../../base/phone-number.ts'
import { SECOND } from '../../base/time/duration.ts'
import {
  accepted,
  acceptedText,
  CALLBACK_TOLERANCE_MS,
  callbackUrlOf,
  deliveryIdOf,
  type Receipt,
  readInboundText,
  readJson,
  readTime,
  refused,
} from '../callback.ts'
import { apiAddress, apiUrl, bearer, credential, postJson, signInByGet } from '../http-api.ts'
import { decidedKeyword, inboundSettings } from '../inbound-keyword.ts'
import { segmentsError } from '../limits.ts'
import { byStatus, type Gone, parseBody, rejected, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, Text } from '../settings.ts'

const HOME = 'https://api.telnyx.com/v2'
/** Most carriers refuse more. */
const SEGMENTS_MAX = 10

export default defineProvider({
  key: 'telnyx',
  title: 'Telnyx',
  description: 'Text messages through Telnyx',
  website: 'https://telnyx.com',
  // https://developers.telnyx.com/docs/messaging/messages/sms-chunking
  limits: { segments: { text: SEGMENTS_MAX } },
  channels: ['sms'],
  dialect: 'plain',
  profileKeys: ['phone_number'],
  settings: {
    apiKey: Secret('API key', 'An API key. It begins with KEY'),
    from: Type.Optional(Text('From', 'The sender: a number, a short code or a sender id', { maxLength: 20 })),
    messagingProfileId: Type.Optional(
      Text(
        'Messaging profile id',
        'A messaging profile, which chooses the sender from its pool. Required if `from` is a sender id',
        {
          maxLength: 64,
        },
      ),
    ),
    baseUrl: BaseUrl(HOME),
    ...inGroup('advanced', {
      segmentsMax: Type.Optional(
        Type.Integer({
          title: 'Segments at most',
          description:
            'The maximum of segments. Raise it if the messaging profile has `auto_chunk_long_messages`, or the route takes more',
          default: SEGMENTS_MAX,
          minimum: 1,
          maximum: 255,
        }),
      ),
    }),
    ...inGroup('callbacks', {
      publicKey: Type.Optional(
        Text(
          'Public key',
          'Verifies callbacks. Telnyx shows this key in Mission Control under Keys & Credentials, Public Key',
          { maxLength: 64 },
        ),
      ),
    }),
    ...inboundSettings,
  },
  example: {
    settings: { apiKey: 'KEY…', from: '+12025550100' },
    profile: { phone_number: '+12025550143' },
    override: { body: { media_urls: ['https://example.com/picture.png'] } },
    reply: { data: { id: '40385f64-5717-4562-b3fc-2c963f66afa6', to: [{ status: 'queued' }] } },
  },

  settingsError: ({ from, messagingProfileId }) =>
    from || messagingProfileId ? undefined : 'from: a sender is needed, from or messagingProfileId',

  contact: phoneNumber,

  compose({ content, to, settings }): { body: JsonObject } {
    const { from, messagingProfileId } = settings
    const sender = {
      ...(from ? { from } : {}),
      ...(messagingProfileId ? { messaging_profile_id: messagingProfileId } : {}),
    }
    return { body: { ...sender, to: internationalOf(to), text: content.body || content.text } }
  },

  /** https://developers.telnyx.com/api/account/get-user-balance */
  signIn({ apiKey, baseUrl }) {
    return signInByGet(apiAddress(baseUrl ?? HOME, '/balance'), bearer(apiKey), { explain: errorOf, secrets: [apiKey] })
  },

  callbacks: {
    setup:
      'Store the public key of the account as `publicKey`. If `POSTRIDER_PUBLIC_URL` is set, each message then names the address of its callbacks. For incoming messages, enter `callback_url` of the integration as the webhook of the messaging profile.',
    read({ headers, body, now }, { publicKey }) {
      if (!publicKey) return refused('The integration has no publicKey to verify callbacks with')
      const error = signatureError(headers, body, publicKey, now)
      if (error) return refused(error)
      const event = readJson(body)
      const text = textIn(event, now)
      return text ? acceptedText(text) : accepted([receiptOf(event, now)])
    },
  },

  *deliver({ draft, to, settings, message, callbackUrl, now }) {
    const body = { ...checkedBody(objectAt(draft, 'body'), settings.segmentsMax) }
    // Without the key it could not be verified, and the address of the messaging profile stays in use.
    if (callbackUrl && settings.publicKey && !isPresent(body.webhook_url))
      body.webhook_url = callbackUrlOf(callbackUrl, message.deliveryId)
    const apiKey = credential(settings.apiKey, 'API key')
    if (!isPresent(body.from) && !isPresent(body.messaging_profile_id))
      return rejected('configuration', 'Neither from nor a messaging profile is set')
    const reply = yield postJson(apiUrl(settings.baseUrl ?? HOME, '/messages'), bearer(apiKey), body)
    const failed = byStatus(reply, now, { explain: errorOf, secrets: [apiKey] })
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    if (failed) {
      const [code] = errorsOf(answer).map((error) => Number(error.code))
      // The sender has its own queue, whose limit is no error of the message.
      if (code === QUEUE_FULL) return { kind: 'retry', error: failed.error, attempted: false }
      if (failed.kind !== 'rejected') return failed
      const gone = body.to === internationalOf(to) ? GONE.get(code ?? 0) : undefined
      return { ...failed, scope: SCOPES.get(code ?? 0) ?? failed.scope, ...(gone && { gone }) }
    }
    const data = isObject(answer) && isObject(answer.data) ? answer.data : {}
    if (typeof data.id !== 'string') return { kind: 'in_doubt', error: 'Telnyx answered without a message id' }
    return { kind: 'sent', reference: { id: data.id }, delivered: false }
  },
})

/** Short codes stay as they are; every other number needs its `+`. */
const internationalOf = (number: string) => (digitsOf(number).length > 6 ? `+${digitsOf(number)}` : number)

function checkedBody(body: JsonObject, segmentsMax = SEGMENTS_MAX): JsonObject {
  if (!lineAt(body.to, 'to')) throw new DraftInvalid('to is missing')
  lineAt(body.from, 'from')
  if (!isPresent(body.text) && !isPresent(body.media_urls)) throw new DraftInvalid('text is missing')
  const coding = body.encoding === 'gsm7' ? 'GSM-7' : body.encoding === 'ucs2' ? 'UCS-2' : undefined
  // An MMS has no segments.
  const error = isPresent(body.media_urls) ? undefined : segmentsError('text', body.text, segmentsMax, 'Telnyx', coding)
  if (error !== undefined) throw new DraftInvalid(error)
  return body
}

const QUEUE_FULL = 40318

/** https://developers.telnyx.com/docs/messaging/messages/error-codes; codes not listed mean what their status means. */
const SCOPES: ReadonlyMap<number, Scope> = new Map([
  ...[10001, 10002, 10016, 40001, 40008, 40012, 40300, 40309, 40310, 40319].map((code) => [code, 'recipient'] as const),
  ...[
    10009, 10010, 20100, 40003, 40010, 40013, 40305, 40306, 40308, 40311, 40312, 40313, 40314, 40315, 40320, 40321,
    40329,
  ].map((code) => [code, 'configuration'] as const),
])

/** A number that is not one or has no text messages, a person who answered STOP. */
const GONE: ReadonlyMap<number, Gone> = new Map([
  [10002, 'invalid_address'],
  [40001, 'invalid_address'],
  [40012, 'invalid_address'],
  [40300, 'unsubscribed'],
  [40310, 'invalid_address'],
])

function errorsOf(body: unknown): JsonObject[] {
  return isObject(body) && Array.isArray(body.errors) ? body.errors.filter(isObject) : []
}

function errorOf(body: unknown): string | undefined {
  const texts = errorsOf(body).flatMap(({ code, title, detail }) => {
    const text = [title, detail].filter((part) => typeof part === 'string' && part !== '').join(': ')
    return text ? [isPresent(code) ? `${text} (${code})` : text] : []
  })
  return texts.length > 0 ? texts.join('; ') : undefined
}

/** Ed25519 over the time and the body: https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks */
function signatureError(
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  key: string,
  now: number,
): string | undefined {
  const { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp } = headers
  if (!signature || !timestamp) return 'The callback is not signed'
  const publicKey = publicKeyOf(key)
  if (!publicKey) return 'publicKey must be an Ed25519 key in base64'
  const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body])
  if (!verify(null, signed, publicKey, Buffer.from(signature, 'base64'))) return 'The signature is wrong'
  const age = Math.abs(now - Number(timestamp) * SECOND)
  return age <= CALLBACK_TOLERANCE_MS ? undefined : 'The signature has expired'
}

function publicKeyOf(key: string) {
  try {
    const x = Buffer.from(key, 'base64').toString('base64url')
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** https://developers.telnyx.com/docs/messaging/messages/receive-message, and /advanced-opt-in-out for words of its own. */
function textIn(event: unknown, now: number) {
  const data = isObject(event) && isObject(event.data) ? event.data : {}
  if (data.event_type !== 'message.received' || !isObject(data.payload)) return undefined
  const { id, from, to, text, received_at: at, autoresponse_type: decided } = data.payload
  const [first]: unknown[] = Array.isArray(to) ? to : []
  const numberOf = (party: unknown) => (isObject(party) ? party.phone_number : undefined)
  const fields = { id, from: numberOf(from), to: numberOf(first), text, at }
  return readInboundText(fields, now, decidedKeyword(decided))
}

/** The delivery in the address of the message, as the event repeats it: the signature does not cover the one requested. */
const signedDeliveryId = ({ webhook_url: url }: JsonObject, event: JsonObject): string | undefined =>
  [url, isObject(event.meta) ? event.meta.delivered_to : undefined]
    .filter((address) => typeof address === 'string')
    .filter((address) => URL.canParse(address))
    .map(deliveryIdOf)
    .find((deliveryId) => deliveryId !== undefined)

/** Earlier statuses are no receipts, and an unconfirmed delivery says nothing. */
function receiptOf(event: unknown, now: number): Receipt | undefined {
  if (!isObject(event) || !isObject(event.data) || event.data.event_type !== 'message.finalized') return undefined
  const { data } = event
  const payload = isObject(data.payload) ? data.payload : {}
  const deliveryId = signedDeliveryId(payload, event)
  if (deliveryId === undefined) return undefined
  const [first]: unknown[] = Array.isArray(payload.to) ? payload.to : []
  const { status, phone_number: number } = isObject(first) ? first : {}
  const at = readTime(payload.completed_at ?? data.occurred_at, now)
  const address = typeof number === 'string' && { address: number }
  switch (status) {
    case 'delivered':
      return { deliveryId, kind: 'delivered', at, ...address }
    case 'delivery_failed':
    case 'sending_failed': {
      const gone = GONE.get(Number(errorsOf(payload)[0]?.code))
      const error = errorOf(payload) ?? `Telnyx reported ${status}`
      return { deliveryId, kind: 'bounced', at, error, ...address, ...(gone && { gone }) }
    }
    default:
      return undefined
  }
}
