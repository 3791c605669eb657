/** Text messages through Plivo: https://www.plivo.com/docs/messaging/api/message/send-a-message/ */
import { createHmac, hash } from 'node:crypto'
import { Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { phoneNumber } from '../../base/phone-number.ts'
import {
  accepted,
  acceptedText,
  addressSpellings,
  type CallbackOutcome,
  type CallbackRequest,
  callbackUrlOf,
  deliveryIdOf,
  ENDLESS_MS,
  isSameText,
  type Receipt,
  readForm,
  readInboundText,
  readTime,
  refused,
} from '../callback.ts'
import { apiAddress, apiUrl, basicAuth, postJson, signInByGet } from '../http-api.ts'
import { inboundSettings } from '../inbound-keyword.ts'
import { byStatus, type Gone, parseBody, rejected, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, Login, Secret, Text } from '../settings.ts'

const HOME = 'https://api.plivo.com/v1'

export default defineProvider({
  key: 'plivo',
  title: 'Plivo',
  description: 'Text messages through Plivo',
  website: 'https://www.plivo.com',
  // https://www.plivo.com/docs/messaging/api/message/send-a-message/
  limits: { characters: { text: 1_600 } },
  channels: ['sms'],
  dialect: 'plain',
  profileKeys: ['phone_number'],
  settings: {
    authId: Login('Auth ID', 'The id of the account. It begins with MA or SA', { minLength: 1, maxLength: 64 }),
    authToken: Secret('Auth token', 'The token of the account'),
    from: Type.Optional(Text('From', 'The sender: a number or a sender id', { maxLength: 20 })),
    powerpackUuid: Type.Optional(
      Text('Powerpack UUID', 'A Powerpack that chooses the sender, instead of `from`', { maxLength: 64 }),
    ),
    baseUrl: BaseUrl(HOME),
    ...inboundSettings,
  },
  example: {
    settings: { authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: '…', from: '+12025550100' },
    profile: { phone_number: '+12025550143' },
    override: { body: { log: false } },
    reply: { message: 'message(s) queued', message_uuid: ['db3ce55a-7f1d-11e1-8ea7-1231380bc196'], api_id: '1' },
  },

  settingsError: ({ from, powerpackUuid }) =>
    from || powerpackUuid ? undefined : 'from: a sender is needed, from or powerpackUuid',

  contact: phoneNumber,

  compose({ content, to, settings }): { body: JsonObject } {
    const { from, powerpackUuid } = settings
    const sender = powerpackUuid ? { powerpack_uuid: powerpackUuid } : from ? { src: from } : {}
    return { body: { ...sender, dst: to, text: content.body || content.text } }
  },

  /** https://www.plivo.com/docs/account/api/account/get-account-details */
  signIn({ authId, authToken, baseUrl }) {
    const { authorization, secrets } = loginOf(authId, authToken)
    const url = apiAddress(baseUrl ?? HOME, `/Account/${encodeURIComponent(authId)}/`)
    return signInByGet(url, { authorization }, { explain: errorOf, secrets })
  },

  callbacks: {
    setup:
      'Receipts need no setup if `POSTRIDER_PUBLIC_URL` is set: each message names the address of its callbacks. For incoming messages, enter `callback_url` of the integration as the message URL of the application of the number, with the method POST.',
    read(request, { authToken }) {
      const form = formOf(request)
      const signature = signatureIn(request, form, authToken)
      if (!signature) return refused('The signature is missing or wrong')
      const text = textIn(form, request.now)
      const receipts = text ? [] : [receiptOf(deliveryIdOf(request.url), form, request.now)]
      return withNonce(text ? acceptedText(text, signature) : accepted(receipts), request, form)
    },
  },

  *deliver({ draft, to, settings, message, callbackUrl, now }) {
    const body = { ...checkedBody(objectAt(draft, 'body'), settings) }
    if (callbackUrl && !isPresent(body.url)) {
      body.url = callbackUrlOf(callbackUrl, message.deliveryId)
      body.method = 'POST'
    }
    const { authId, authToken } = settings
    if (!authId || !authToken) return rejected('configuration', 'The integration has no credentials for this address')
    if (!isPresent(body.src) && !isPresent(body.powerpack_uuid))
      return rejected('configuration', 'Neither src nor a powerpack is set')
    const { authorization, secrets } = loginOf(authId, authToken)
    const url = apiUrl(settings.baseUrl ?? HOME, `/Account/${encodeURIComponent(authId)}/Message/`)
    const reply = yield postJson(url, { authorization }, body)
    const failed = byStatus(reply, now, { explain: errorOf, secrets })
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    if (failed) {
      if (failed.kind !== 'rejected' || failed.scope !== 'content') return failed
      const error = errorOf(answer) ?? ''
      const isGone = INVALID_NUMBER.test(error) && body.dst === to
      return { ...failed, scope: scopeOf(error), ...(isGone && { gone: 'invalid_address' }) }
    }
    const { message_uuid: ids, invalid_number: invalid } = isObject(answer) ? answer : {}
    const [id] = Array.isArray(ids) ? ids : []
    if (typeof id === 'string') return { kind: 'sent', reference: { id }, delivered: false }
    if (Array.isArray(invalid) && invalid.length > 0) return rejected('recipient', 'Plivo takes the number for invalid')
    return { kind: 'in_doubt', error: 'Plivo answered without a message UUID' }
  },
})

function loginOf(authId: string, authToken: string) {
  const authorization = basicAuth(authId, authToken)
  return { authorization, secrets: [authToken, authorization.slice('Basic '.length)] }
}

function checkedBody(body: JsonObject, settings: { from?: string }): JsonObject {
  if (!lineAt(body.dst, 'dst')) throw new DraftInvalid('dst is missing')
  lineAt(body.src, 'src')
  if (![body.text, body.media_urls, body.media_ids, body.template, body.interactive, body.location].some(isPresent))
    throw new DraftInvalid('text is missing')
  // The API takes one sender; that of an override replaces the other kind.
  if (!isPresent(body.powerpack_uuid) || !isPresent(body.src)) return body
  const { src, powerpack_uuid: powerpackUuid, ...message } = body
  return src === settings.from ? { ...message, powerpack_uuid: powerpackUuid } : { ...message, src }
}

/** Errors of a request have no codes: https://www.plivo.com/docs/messaging/concepts/destination-number-validation */
function scopeOf(error: string): Scope {
  if (INVALID_NUMBER.test(error) || /\bdst\b|destination|not an mms enabled/i.test(error)) return 'recipient'
  return /\bsrc\b|source|sender|powerpack/i.test(error) ? 'configuration' : 'content'
}
const INVALID_NUMBER = /not a valid phone number|not an sms enabled/i

/** A sentence, or an object with one. */
function errorOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  const error = isObject(body.error) ? (body.error.error ?? body.error.message) : body.error
  return typeof error === 'string' ? error : undefined
}

const formOf = ({ body }: CallbackRequest) => readForm(body)

/**
 * The signature, where it is right: HMAC-SHA256 with the token of the account. Callbacks of messages have version 2,
 * which covers the address without its parameters and the nonce, those of calls version 3, which covers the fields as
 * well; either may come with the main account's: https://www.plivo.com/docs/messaging/concepts/signature-validation.
 */
function signatureIn({ url, headers }: CallbackRequest, form: URLSearchParams, authToken: string): string | undefined {
  const { 'x-plivo-signature-v3-nonce': nonce, 'x-plivo-signature-v2-nonce': nonce2 } = headers
  if (!authToken || !(nonce || nonce2)) return undefined
  // Version 3 covers more, and is not given up for version 2 where both are there.
  const signatures = addressSpellings(url).map((spelling) => {
    const signed = nonce ? `${addressWithFields(spelling, form)}.${nonce}` : `${withoutQuery(spelling)}${nonce2}`
    return createHmac('sha256', authToken).update(signed).digest('base64')
  })
  return signatures.filter((signature) => hasSignature(headers, nonce ? 'v3' : 'v2', signature))[0]
}

const withoutQuery = (url: string) => url.split('?', 1)[0] ?? ''

/** Version 2 covers neither the fields nor a time: with others it could be used again. */
function withNonce(
  outcome: CallbackOutcome,
  { headers, url }: CallbackRequest,
  form: URLSearchParams,
): CallbackOutcome {
  const nonce = headers['x-plivo-signature-v2-nonce']
  if (headers['x-plivo-signature-v3-nonce'] || !nonce || outcome.kind !== 'accepted') return outcome
  const content = hash('sha256', JSON.stringify([url, sorted(form)]))
  return { ...outcome, once: [...(outcome.once ?? []), { mark: `nonce ${nonce}`, keptMs: ENDLESS_MS, content }] }
}

/** Several signatures in one header are those of several tokens. */
const hasSignature = (headers: CallbackRequest['headers'], version: 'v2' | 'v3', expected: string) =>
  [headers[`x-plivo-signature-${version}`], headers[`x-plivo-signature-ma-${version}`]].some((signatures) =>
    signatures?.split(',').some((signature) => isSameText(signature.trim(), expected)),
  )

/** As they are signed: without a sign of where a name or a value ends. */
function addressWithFields(url: string, form: URLSearchParams): string {
  const query = sorted(new URL(url).searchParams).map(([name, value]) => `${name}=${value}`)
  const fields = sorted(form).map(([name, value]) => name + value)
  const address = `${withoutQuery(url)}${query.length > 0 || fields.length > 0 ? '?' : ''}${query.join('&')}`
  return `${address}${query.length > 0 && fields.length > 0 ? '.' : ''}${fields.join('')}`
}

/** By name, then by value. */
const sorted = (fields: URLSearchParams) =>
  [...fields].sort(([left, first], [right, second]) => compare(left, right) || compare(first, second))

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)

/** https://www.plivo.com/docs/messaging/use-cases/receive-messages: a receipt has a status. */
function textIn(form: URLSearchParams, now: number) {
  if (form.has('Status')) return undefined
  const fields = { id: form.get('MessageUUID'), from: form.get('From'), to: form.get('To'), text: form.get('Text') }
  return readInboundText({ ...fields, at: now }, now)
}

/** https://www.plivo.com/docs/messaging/troubleshooting/error-codes; not 80, which is temporary, nor 90, a missing route. */
const GONE: ReadonlyMap<number, Gone> = new Map([
  [50, 'invalid_address'],
  [70, 'invalid_address'],
  [200, 'unsubscribed'],
])

/** https://www.plivo.com/docs/messaging/api/message/message-status-callbacks; earlier statuses are no receipts. */
function receiptOf(deliveryId: string | undefined, form: URLSearchParams, now: number): Receipt | undefined {
  if (deliveryId === undefined) return undefined
  const status = form.get('Status')
  const time = form.get('DeliveryReportTime')
  // UTC, without saying so.
  const at = readTime(time ? `${time.replace(' ', 'T')}Z` : undefined, now)
  const to = form.get('To')
  const address = to && { address: to }
  switch (status) {
    case 'delivered':
      return { deliveryId, kind: 'delivered', at, ...address }
    case 'read':
      return { deliveryId, kind: 'opened', at, ...address }
    case 'failed':
    case 'rejected':
    case 'undelivered': {
      const code = form.get('ErrorCode')
      const gone = GONE.get(Number(code))
      const error = `Plivo reported the message as ${status}${code ? ` (${code})` : ''}`
      return { deliveryId, kind: 'bounced', at, error, ...address, ...(gone && { gone }) }
    }
    default:
      return undefined
  }
}
