/** Text messages through Vonage: https://developer.vonage.com/en/api/sms */
import { createHmac, hash } from 'node:crypto'
import { Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { digitsOf, phoneNumber } from '../../base/phone-number.ts'
import { smsSegments } from '../../base/sms-segments.ts'
import { SECOND } from '../../base/time/duration.ts'
import {
  accepted,
  acceptedText,
  CALLBACK_TOLERANCE_MS,
  type CallbackRequest,
  isSameText,
  type Receipt,
  readDeliveryId,
  readForm,
  readInboundText,
  readJson,
  readTime,
  refused,
} from '../callback.ts'
import { apiAddress, apiUrl, basicAuth, postJson, signInByGet } from '../http-api.ts'
import { inboundSettings } from '../inbound-keyword.ts'
import { tooLarge } from '../limits.ts'
import {
  byStatus,
  type FailedOutcome,
  type Gone,
  type Outcome,
  parseBody,
  rejected,
  type Scope,
  tidy,
} from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt, textAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, Text } from '../settings.ts'
import { readToken } from '../signed-token.ts'

const HOME = 'https://rest.nexmo.com'

export default defineProvider({
  key: 'vonage',
  aliases: ['nexmo'],
  title: 'Vonage',
  description: 'Text messages through the SMS API of Vonage',
  website: 'https://www.vonage.com',
  // https://documentation.luminatewholesale.com/how-do-sms-charges-work; Vonage names none for a text.
  limits: { characters: { text: 3_600 } },
  channels: ['sms'],
  dialect: 'plain',
  profileKeys: ['phone_number'],
  settings: {
    apiKey: Secret('API key', 'The key of the account'),
    apiSecret: Secret('API secret', 'The secret of the account'),
    from: Text('From', 'The sender: a number, or a sender id of up to 11 letters and digits', {
      minLength: 1,
      maxLength: 20,
    }),
    baseUrl: BaseUrl(HOME),
    ...inGroup('callbacks', {
      signatureSecret: Type.Optional(
        Secret(
          'Signature secret',
          'Verifies callbacks: the Signature secret in the API Settings of the Vonage dashboard',
        ),
      ),
    }),
    ...inboundSettings,
  },
  example: {
    settings: { apiKey: '…', apiSecret: '…', from: 'Postrider' },
    profile: { phone_number: '+12025550143' },
    override: { body: { ttl: 900_000 } },
    reply: { 'message-count': '1', messages: [{ to: '12025550143', 'message-id': '0A1', status: '0' }] },
  },

  contact: phoneNumber,

  compose({ content, to, settings, message }): { body: JsonObject } {
    const text = content.body || content.text
    // Receipts repeat the reference.
    return { body: { from: settings.from, to: digitsOf(to), text, 'client-ref': message.deliveryId } }
  },

  /** https://developer.vonage.com/en/api/account#getAccountBalance */
  signIn({ apiKey, apiSecret, baseUrl }) {
    const { authorization, secrets } = loginOf(apiKey, apiSecret)
    const url = apiAddress(baseUrl ?? HOME, '/account/get-balance')
    return signInByGet(url, { authorization }, { explain: errorOf, secrets })
  },

  callbacks: {
    setup:
      'Ask the support of Vonage to turn on signed callbacks. In the API Settings of the Vonage dashboard, choose `SHA-256 HMAC` as the signature method, and store the signature secret as `signatureSecret`. If `POSTRIDER_PUBLIC_URL` is set, each message then names the address of its callbacks. For incoming messages, enter `callback_url` of the integration in the API Settings as the inbound SMS webhook.',
    read(request, { signatureSecret }) {
      if (!signatureSecret) return refused('The integration has no signatureSecret to verify callbacks with')
      const fields = fieldsOf(request)
      const error = signatureError(request, fields, signatureSecret)
      if (error) return refused(error)
      const text = textIn(fields, request.now)
      return text ? acceptedText(text) : accepted([receiptOf(fields, request.now)])
    },
  },

  *deliver({ draft, to, settings, callbackUrl, now }) {
    const body = { ...checkedBody(objectAt(draft, 'body')) }
    const { apiKey, apiSecret, signatureSecret } = settings
    // Without the secret it could not be verified, and the address of the account stays in use.
    if (callbackUrl && signatureSecret && !isPresent(body.callback)) body.callback = callbackUrl
    if (!apiKey || !apiSecret) return rejected('configuration', 'The integration has no credentials for this address')
    const { authorization, secrets } = loginOf(apiKey, apiSecret)
    const reply = yield postJson(apiUrl(settings.baseUrl ?? HOME, '/sms/json'), { authorization }, body)
    const failed = byStatus(reply, now, { explain: errorOf, secrets })
    if (failed || reply.kind !== 'http') return failed ?? NOT_VONAGE
    return byMessages(parseBody(reply), secrets, body.to === digitsOf(to))
  },
})

const NOT_VONAGE: FailedOutcome = { kind: 'in_doubt', error: 'The answer is not from Vonage' }

function loginOf(apiKey: string, apiSecret: string) {
  const authorization = basicAuth(apiKey, apiSecret)
  return { authorization, secrets: [apiSecret, authorization.slice('Basic '.length), apiKey] }
}

function checkedBody(body: JsonObject): JsonObject {
  for (const name of ['api_key', 'api_secret', 'sig'])
    if (isPresent(body[name])) throw new DraftInvalid(`body.${name} cannot be set, config can`)
  if (!lineAt(body.to, 'to')) throw new DraftInvalid('to is missing')
  if (!lineAt(body.from, 'from')) throw new DraftInvalid('from is missing')
  const text = textAt(body.text, 'text')
  if (!text && !isPresent(body.body)) throw new DraftInvalid('text is missing')
  const octets = [body.udh, body.body].reduce<number>((sum, part) => sum + hexBytes(part), 0)
  if (octets > BINARY_BYTES_MAX)
    throw new DraftInvalid(tooLarge('`udh` with `body`', octets, BINARY_BYTES_MAX, 'bytes', 'Vonage'))
  // Without it, what GSM-7 does not have arrives as question marks.
  const isUnicode = text !== undefined && !isPresent(body.type) && smsSegments(text).encoding === 'UCS-2'
  return isUnicode ? { ...body, type: 'unicode' } : body
}

/** https://developer.vonage.com/en/messaging/sms/guides/troubleshooting-sms: code 12 */
const BINARY_BYTES_MAX = 140
const hexBytes = (part: unknown): number => (typeof part === 'string' ? Math.floor(part.length / 2) : 0)

/** One entry for each segment, each with a status of its own: all of it comes with HTTP 200. */
function byMessages(answer: unknown, secrets: readonly string[], isOwnAddress: boolean): Outcome {
  const messages = isObject(answer) && Array.isArray(answer.messages) ? answer.messages.filter(isObject) : []
  const failed = messages.find(({ status }) => String(status) !== '0')
  const accepted = messages.find(({ status }) => String(status) === '0')
  if (!failed) {
    const id = accepted?.['message-id']
    return typeof id === 'string' ? { kind: 'sent', reference: { id }, delivered: false } : NOT_VONAGE
  }
  const error = tidy(errorOf({ messages: [failed] }) ?? '', secrets)
  // Another attempt would repeat the segments that were taken.
  if (accepted) return { kind: 'in_doubt', error: `Some segments were not accepted: ${error}` }
  const code = Number(failed.status)
  const outcome = byCode(code, error)
  const isGone = outcome.kind === 'rejected' && code === DEACTIVATED && isOwnAddress
  return isGone ? { ...outcome, gone: 'invalid_address' } : outcome
}

/** https://developer.vonage.com/en/messaging/sms/guides/troubleshooting-sms */
const SCOPES: ReadonlyMap<number, Scope> = new Map([
  ...[6, 7, 29, 33].map((code) => [code, 'recipient'] as const),
  ...[4, 8, 9, 11, 14, 15, 32].map((code) => [code, 'configuration'] as const),
])
const THROTTLED = 1
const INTERNAL_ERROR = 5
const TOO_MANY_BINDS = 10
const DEACTIVATED = 33

function byCode(code: number, error: string): FailedOutcome {
  if (code === THROTTLED || code === TOO_MANY_BINDS) return { kind: 'retry', error, attempted: false }
  if (code === INTERNAL_ERROR) return { kind: 'retry', error, attempted: true }
  return { kind: 'rejected', scope: SCOPES.get(code) ?? 'content', error }
}

/** The error of the first entry, or that of the gateway and the account API. */
function errorOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  const [first] = Array.isArray(body.messages) ? body.messages : []
  if (isObject(first)) return `${first['error-text'] ?? 'not accepted'} (${first.status})`
  const text = body['error-code-label'] ?? body.detail ?? body.title
  return typeof text === 'string' ? text : undefined
}

/** The account chooses the form: parameters of a GET, JSON, or a form. No signature covers the type in the headers. */
function fieldsOf({ method, url, body }: CallbackRequest): JsonObject {
  if (method === 'GET') return Object.fromEntries(new URL(url).searchParams)
  const content = readJson(body)
  return isObject(content) ? content : Object.fromEntries(readForm(body))
}

function signatureError(request: CallbackRequest, fields: JsonObject, secret: string): string | undefined {
  const [, token] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  return token === undefined ? sigError(fields, secret, request.now) : tokenError(request, fields, token, secret)
}

/** The account chooses the method; the default, MD5, is not safe. */
const METHODS: ReadonlyMap<number, string> = new Map([
  [64, 'sha256'],
  [128, 'sha512'],
])

/** https://developer.vonage.com/en/getting-started/concepts/signing-messages */
function sigError({ sig, ...fields }: JsonObject, secret: string, now: number): string | undefined {
  if (typeof sig !== 'string') return 'The callback is not signed'
  const method = METHODS.get(sig.length)
  if (!method) return 'The signature method of the account must be SHA-256 HMAC or SHA-512 HMAC'
  const names = Object.keys(fields)
  // Values are signed without these signs, names with them: two fields could become one.
  if (names.some((name) => /[&=]/.test(name))) return 'The signature is of other fields'
  const signed = names
    .sort()
    .map((name) => `&${name}=${String(fields[name]).replace(/[&=]/g, '_')}`)
    .join('')
  if (!isSameText(sig.toLowerCase(), createHmac(method, secret).update(signed).digest('hex')))
    return 'The signature is wrong'
  const age = Math.abs(now - Number(fields.timestamp) * SECOND)
  return age <= CALLBACK_TOLERANCE_MS ? undefined : 'The signature has expired'
}

/** https://developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks */
function tokenError(
  { method, body, now }: CallbackRequest,
  fields: JsonObject,
  token: string,
  secret: string,
): string | undefined {
  const claims = readToken(token, secret, now)
  if (typeof claims === 'string') return claims
  const payload = method === 'GET' ? JSON.stringify(fields) : body
  return claims.payload_hash === hash('sha256', payload) ? undefined : 'The signature is of another payload'
}

/** https://developer.vonage.com/en/messaging/sms/guides/inbound-sms: a receipt has a status. */
function textIn({ messageId, msisdn, to, text, status, 'message-timestamp': at }: JsonObject, now: number) {
  return isPresent(status) ? undefined : readInboundText({ id: messageId, from: msisdn, to, text, at: utc(at) }, now)
}

/** UTC, without saying so. */
const utc = (time: unknown) => (typeof time === 'string' ? `${time.replace(' ', 'T')}Z` : undefined)

/** A number that is no longer active; a person who answered STOP (https://developer.vonage.com/en/opt-out-assist). */
const RECEIPT_GONE: ReadonlyMap<number, Gone> = new Map([
  [3, 'invalid_address'],
  [9, 'unsubscribed'],
])

/** https://developer.vonage.com/en/messaging/sms/guides/delivery-receipts; each segment has a receipt of its own. */
function receiptOf(fields: JsonObject, now: number): Receipt | undefined {
  const deliveryId = readDeliveryId(fields['client-ref'])
  const { status, msisdn, 'err-code': code, 'message-timestamp': time } = fields
  if (deliveryId === undefined) return undefined
  const at = readTime(utc(time), now)
  const address = typeof msisdn === 'string' && msisdn !== '' && { address: msisdn }
  switch (status) {
    case 'delivered':
      return { deliveryId, kind: 'delivered', at, ...address }
    case 'expired':
    case 'failed':
    case 'rejected': {
      const gone = RECEIPT_GONE.get(Number(code))
      const error = `Vonage reported the message as ${status}${isPresent(code) ? ` (${code})` : ''}`
      return { deliveryId, kind: 'bounced', at, error, ...address, ...(gone && { gone }) }
    }
    default:
      return undefined
  }
}
