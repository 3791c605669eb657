/** Text messages through MessageBird (Bird): https://developers.messagebird.com/api/sms-messaging/#send-outbound-sms */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { digitsOf, phoneNumber } from '../../base/phone-number.ts'
import {
  accepted,
  acceptedText,
  type CallbackRequest,
  isSignedAddress,
  type Receipt,
  readDeliveryId,
  readForm,
  readInboundText,
  readTime,
  refused,
} from '../callback.ts'
import { apiAddress, apiUrl, credential, postJson, signInByGet } from '../http-api.ts'
import { inboundSettings } from '../inbound-keyword.ts'
import { segmentsError } from '../limits.ts'
import { byStatus, type Gone, parseBody, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt, textAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, Text } from '../settings.ts'
import { readToken } from '../signed-token.ts'

const HOME = 'https://rest.messagebird.com'
const SEGMENTS_MAX = 9

export default defineProvider({
  key: 'messagebird',
  title: 'MessageBird',
  description: 'Text messages through MessageBird',
  website: 'https://www.messagebird.com',
  // https://developers.messagebird.com/api/sms-messaging/#the-message-object: 1,377 characters, or 603 of Unicode
  limits: { segments: { body: SEGMENTS_MAX } },
  channels: ['sms'],
  dialect: 'plain',
  profileKeys: ['phone_number'],
  settings: {
    accessKey: Secret('Access key', 'A live key of the account'),
    originator: Text('Originator', 'The sender: a number, or a sender id of up to 11 letters and digits', {
      minLength: 1,
      maxLength: 20,
    }),
    baseUrl: BaseUrl(HOME),
    ...inGroup('callbacks', {
      signingKey: Type.Optional(
        Secret(
          'Signing key',
          'Verifies callbacks. MessageBird shows this key under Developer settings, Signed requests',
        ),
      ),
    }),
    ...inboundSettings,
  },
  example: {
    settings: { accessKey: '…', originator: 'Postrider' },
    profile: { phone_number: '+12025550143' },
    override: { body: { validity: 900 } },
    reply: { id: 'e8077d80', recipients: { totalSentCount: 1, items: [{ status: 'sent' }] } },
  },

  contact: phoneNumber,

  compose({ content, to, settings, message }): { body: JsonObject } {
    return {
      body: {
        originator: settings.originator,
        recipients: digitsOf(to),
        body: content.body || content.text,
        // GSM-7 where the text allows it, else Unicode; the default replaces what GSM-7 does not have.
        datacoding: 'auto',
        // Receipts repeat the reference.
        reference: message.deliveryId,
      },
    }
  },

  /** https://developers.messagebird.com/api/balance/ */
  signIn({ accessKey, baseUrl }) {
    const url = apiAddress(baseUrl ?? HOME, '/balance')
    return signInByGet(url, headersOf(accessKey), { explain: errorOf, secrets: [accessKey] })
  },

  callbacks: {
    setup:
      'Store the signing key of the account as `signingKey`. If `POSTRIDER_PUBLIC_URL` is set, each message then names the address of its callbacks. For incoming messages, enter `callback_url` of the integration at the number, as the URL to forward them to.',
    read(request, { signingKey }) {
      if (!signingKey) return refused('The integration has no signingKey to verify callbacks with')
      const error = signatureError(request, signingKey)
      if (error) return refused(error)
      const text = textIn(request)
      return text ? acceptedText(text) : accepted([receiptOf(new URL(request.url).searchParams, request.now)])
    },
  },

  *deliver({ draft, to, settings, callbackUrl, now }) {
    const body = { ...checkedBody(objectAt(draft, 'body')) }
    const accessKey = credential(settings.accessKey, 'access key')
    // Without the key it could not be verified, and the address of the account stays in use.
    if (callbackUrl && settings.signingKey && !isPresent(body.reportUrl)) body.reportUrl = callbackUrl
    const url = apiUrl(settings.baseUrl ?? HOME, '/messages')
    const reply = yield postJson(url, headersOf(accessKey), body)
    const failed = byStatus(reply, now, { explain: errorOf, secrets: [accessKey] })
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    if (failed) {
      const scope = scopeOf(answer)
      if (failed.kind !== 'rejected' || !scope) return failed
      // Only the value of a parameter is wrong for good; no recipient may be left for other reasons.
      const isInvalid = scope === 'recipient' && errorsOf(answer)[0]?.code === INVALID_PARAMETER
      return { ...failed, scope, ...(isInvalid && isAddressedTo(body, to) && { gone: 'invalid_address' }) }
    }
    if (!isObject(answer) || typeof answer.id !== 'string')
      return { kind: 'in_doubt', error: 'MessageBird answered without a message id' }
    return { kind: 'sent', reference: { id: answer.id }, delivered: false }
  },
})

const headersOf = (accessKey: string) => ({ authorization: `AccessKey ${accessKey}` })

function checkedBody(body: JsonObject): JsonObject {
  const { recipients } = body
  const all = Array.isArray(recipients) ? recipients : [recipients]
  if (all.length === 0 || !all.every((recipient) => lineAt(recipient, 'recipients')))
    throw new DraftInvalid('recipients is missing')
  if (!lineAt(body.originator, 'originator')) throw new DraftInvalid('originator is missing')
  const text = textAt(body.body, 'body')
  if (!text) throw new DraftInvalid('body is missing')
  const error =
    body.type === 'binary' ? undefined : segmentsError('body', text, SEGMENTS_MAX, 'MessageBird', codingOf(body))
  if (error !== undefined) throw new DraftInvalid(error)
  return body
}

const codingOf = ({ datacoding }: JsonObject) =>
  datacoding === 'plain' ? ('GSM-7' as const) : datacoding === 'unicode' ? ('UCS-2' as const) : undefined

const isAddressedTo = ({ recipients }: JsonObject, to: string) => recipients === digitsOf(to)

function errorsOf(body: unknown): JsonObject[] {
  return isObject(body) && Array.isArray(body.errors) ? body.errors.filter(isObject) : []
}

/** https://developers.messagebird.com/api/#api-errors: most errors name the parameter that is missing or invalid. */
function scopeOf(body: unknown): Scope | undefined {
  for (const { code, parameter } of errorsOf(body)) {
    if (code === NOT_ALLOWED || code === NO_BALANCE) return 'configuration'
    if (parameter === 'originator') return 'configuration'
    if (parameter === 'recipient' || parameter === 'recipients') return 'recipient'
  }
  return undefined
}
const NOT_ALLOWED = 2
const INVALID_PARAMETER = 10
const NO_BALANCE = 25

function errorOf(body: unknown): string | undefined {
  const texts = errorsOf(body).flatMap(({ code, description, parameter }) =>
    typeof description === 'string' ? [`${description} (${[code, parameter].filter(isPresent).join(', ')})`] : [],
  )
  return texts.length > 0 ? texts.join('; ') : undefined
}

/** A token over the address and the body: https://developers.messagebird.com/api/#verifying-http-requests */
function signatureError({ url, headers, body, now }: CallbackRequest, key: string): string | undefined {
  const { 'messagebird-signature-jwt': token } = headers
  if (!token) return 'The callback is not signed'
  const claims = readToken(token, key, now)
  if (typeof claims === 'string') return claims
  if (!isSignedAddress(url, (spelling) => claims.url_hash === hash('sha256', spelling)))
    return 'The signature is of another address'
  const { payload_hash: payload } = claims
  const isOwnBody = payload === undefined ? body.length === 0 : payload === hash('sha256', body)
  return isOwnBody ? undefined : 'The signature is of another payload'
}

/** https://developers.messagebird.com/api/sms-messaging/#receive-a-message: in the address, or as a form; a receipt has a status. */
function textIn({ url, body, now }: CallbackRequest) {
  const fields = new URLSearchParams([...new URL(url).searchParams, ...readForm(body)])
  if (fields.has('status')) return undefined
  const { id, originator: from, recipient: to, body: text, createdDatetime: at } = Object.fromEntries(fields)
  return readInboundText({ id, from, to, text, at }, now)
}

/** https://docs.bird.com/api/channels-api/message-status-and-interactions/message-failure-sources/sms-platform-extended-error-codes */
const GONE: ReadonlyMap<number, Gone> = new Map([
  [1, 'invalid_address'],
  [103, 'unsubscribed'],
])

function goneOf(status: URLSearchParams): Gone | undefined {
  const gone = GONE.get(Number(status.get('statusErrorCode')))
  return gone ?? (/^unknown subscriber$/i.test(status.get('statusReason') ?? '') ? 'invalid_address' : undefined)
}

/** https://developers.messagebird.com/api/sms-messaging/#handle-a-status-report; earlier statuses are no receipts. */
function receiptOf(report: URLSearchParams, now: number): Receipt | undefined {
  const deliveryId = readDeliveryId(report.get('reference'))
  if (deliveryId === undefined) return undefined
  const at = readTime(report.get('statusDatetime'), now)
  const recipient = report.get('recipient')
  const address = recipient && { address: recipient }
  const status = report.get('status')
  switch (status) {
    case 'delivered':
      return { deliveryId, kind: 'delivered', at, ...address }
    case 'delivery_failed':
    case 'expired': {
      const gone = goneOf(report)
      const details = [report.get('statusReason'), report.get('statusErrorCode')].filter(Boolean).join(', ')
      const error = `MessageBird reported the message as ${status}${details && ` (${details})`}`
      return { deliveryId, kind: 'bounced', at, error, ...address, ...(gone && { gone }) }
    }
    default:
      return undefined
  }
}
