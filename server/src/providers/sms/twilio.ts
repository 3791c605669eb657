/** Text messages through Twilio: https://www.twilio.com/docs/messaging/api/message-resource#create-a-message */
import { createHmac } from 'node:crypto'
import { Type } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { phoneNumber } from '../../base/phone-number.ts'
import {
  accepted,
  acceptedText,
  callbackUrlOf,
  deliveryIdOf,
  isSameText,
  isSignedAddress,
  type Receipt,
  readForm,
  readInboundText,
  refused,
} from '../callback.ts'
import { apiAddress, apiUrl, basicAuth, formBody, signInByGet } from '../http-api.ts'
import { decidedKeyword, inboundSettings } from '../inbound-keyword.ts'
import { byStatus, type Gone, parseBody, rejected, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, Login, Secret, Text } from '../settings.ts'

const HOME = 'https://api.twilio.com'

export default defineProvider({
  key: 'twilio',
  title: 'Twilio',
  description: 'Text messages through Twilio',
  website: 'https://www.twilio.com',
  // https://www.twilio.com/docs/api/errors/21617
  limits: { characters: { Body: 1_600 } },
  channels: ['sms'],
  dialect: 'plain',
  profileKeys: ['phone_number'],
  settings: {
    accountSid: Login('Account SID', 'The SID of the account. It begins with AC', { minLength: 1, maxLength: 64 }),
    authToken: Secret('Auth token', 'The token of the account'),
    from: Type.Optional(Text('From', 'The sender: a number or a sender id', { maxLength: 64 })),
    messagingServiceSid: Type.Optional(
      Text('Messaging service SID', 'A messaging service that chooses the sender, instead of `from`', {
        maxLength: 64,
      }),
    ),
    baseUrl: BaseUrl(HOME),
    ...inboundSettings,
  },
  example: {
    settings: { accountSid: `AC${'0'.repeat(32)}`, authToken: '…', from: '+12025550100' },
    profile: { phone_number: '+12025550143' },
    override: { body: { mediaUrl: ['https://example.com/picture.png'] } },
    reply: { sid: 'SM1', status: 'queued' },
  },

  settingsError: ({ from, messagingServiceSid }) =>
    from || messagingServiceSid ? undefined : 'from: a sender is needed, from or messagingServiceSid',

  contact: phoneNumber,

  compose({ content, to, settings }): { body: JsonObject } {
    const { from, messagingServiceSid } = settings
    const sender = messagingServiceSid ? { MessagingServiceSid: messagingServiceSid } : from ? { From: from } : {}
    return { body: { To: to, Body: content.body || content.text, ...sender } }
  },

  /** https://www.twilio.com/docs/iam/api/account#fetch-an-account-resource */
  signIn({ accountSid, authToken, baseUrl }) {
    const { authorization, secrets } = loginOf(accountSid, authToken)
    const url = apiAddress(baseUrl ?? HOME, `/2010-04-01/Accounts/${encodeURIComponent(accountSid)}.json`)
    return signInByGet(url, { authorization }, { explain: errorOf, secrets })
  },

  callbacks: {
    setup:
      'Receipts need no setup if `POSTRIDER_PUBLIC_URL` is set: each message names the address of its callbacks. For incoming messages, enter `callback_url` of the integration at the number or the messaging service, as the webhook for incoming messages.',
    read({ url, headers, body, now }, { authToken }) {
      const form = readForm(body)
      const signature = headers['x-twilio-signature']
      if (!isSigned(url, form, authToken, signature)) return refused('The signature is missing or wrong')
      const text = textIn(form, now)
      return text ? acceptedText(text, signature) : accepted([receiptOf(deliveryIdOf(url), form, now)])
    },
  },

  *deliver({ draft, to, settings, message, callbackUrl, now }) {
    const body = formFields(objectAt(draft, 'body'), settings)
    if (callbackUrl && !isPresent(body.StatusCallback))
      body.StatusCallback = callbackUrlOf(callbackUrl, message.deliveryId)
    const { accountSid, authToken } = settings
    if (!accountSid || !authToken)
      return rejected('configuration', 'The integration has no credentials for this address')
    if (!body.From && !body.MessagingServiceSid)
      return rejected('configuration', 'Neither From nor a messaging service is set')
    const { authorization, secrets } = loginOf(accountSid, authToken)
    const reply = yield {
      kind: 'http',
      method: 'POST',
      url: apiUrl(settings.baseUrl ?? HOME, `/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`),
      headers: { accept: 'application/json', authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: formBody(body, 'repeated'),
      final: true,
    }
    const failed = byStatus(reply, now, { explain: errorOf, secrets })
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    const fields = isObject(answer) ? answer : {}
    if (failed) {
      if (failed.kind !== 'rejected') return failed
      const code = Number(fields.code)
      const gone = body.To === to ? GONE.get(code) : undefined
      const scope = SCOPES.get(code) ?? failed.scope
      return { ...failed, scope, ...(gone && { gone }) }
    }
    // A proxy may have answered 200 instead of Twilio.
    if (typeof fields.sid !== 'string') return { kind: 'in_doubt', error: 'Twilio answered without a message SID' }
    return { kind: 'sent', reference: { sid: fields.sid }, delivered: false }
  },
})

function loginOf(accountSid: string, authToken: string) {
  const authorization = basicAuth(accountSid, authToken)
  return { authorization, secrets: [authToken, authorization.slice('Basic '.length)] }
}

/** https://www.twilio.com/docs/api/errors; codes not listed mean what their status means. */
const SCOPES: ReadonlyMap<number, Scope> = new Map([
  ...[21211, 21217, 21265, 21401, 21407, 21421, 21610, 21612, 21614].map((code) => [code, 'recipient'] as const),
  ...[20003, 20404, 21212, 21408, 21603, 21606, 21659, 21660, 21701, 21703, 21705].map(
    (code) => [code, 'configuration'] as const,
  ),
])

/** A number that is not one, a landline, a person who answered STOP. Not 21612: another sender may reach the number. */
const GONE: ReadonlyMap<number, Gone> = new Map([
  [21211, 'invalid_address'],
  [21217, 'invalid_address'],
  [21401, 'invalid_address'],
  [21421, 'invalid_address'],
  [21610, 'unsubscribed'],
  [21614, 'invalid_address'],
  // Reported later, by a callback.
  [30005, 'invalid_address'],
  [30006, 'invalid_address'],
])

/** Overrides may use the names of the API (`MediaUrl`) or of the SDK (`mediaUrl`); the last one wins. */
function formFields(body: JsonObject, settings: { from?: string }): JsonObject {
  const fields: JsonObject = {}
  for (const [name, value] of Object.entries(body)) fields[name.charAt(0).toUpperCase() + name.slice(1)] = value
  if (!lineAt(fields.To, 'To')) throw new DraftInvalid('To is missing')
  lineAt(fields.From, 'From')
  const hasContent = [fields.Body, fields.ContentSid, fields.MediaUrl].some(
    (value) => value !== undefined && value !== '',
  )
  if (!hasContent) throw new DraftInvalid('Body is missing')
  // The service of an override chooses among its own senders; that of the settings need not belong to it.
  if (fields.MessagingServiceSid && fields.From === settings.from) delete fields.From
  return fields
}

function errorOf(body: unknown): string | undefined {
  if (!isObject(body) || typeof body.message !== 'string') return undefined
  return typeof body.code === 'number' ? `${body.message} (${body.code})` : body.message
}

/** HMAC-SHA1 over the address and the sorted fields: https://www.twilio.com/docs/usage/security#validating-requests */
function isSigned(url: string, form: URLSearchParams, authToken: string, signature: string | undefined): boolean {
  if (!authToken || !signature) return false
  const fields = [...form].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
  // Nothing separates the address from the first name: its digits would be the end of the delivery in the address.
  if (fields.some(([name]) => /^\d/.test(name))) return false
  const text = fields.map(([name, value]) => name + value).join('')
  return isSignedAddress(url, (spelling) =>
    isSameText(signature, createHmac('sha1', authToken).update(`${spelling}${text}`).digest('base64')),
  )
}

/** https://www.twilio.com/docs/messaging/guides/webhook-request: only they are `received`. Advanced Opt-Out has words of its own. */
function textIn(form: URLSearchParams, now: number) {
  if (form.get('SmsStatus') !== 'received') return undefined
  const fields = { id: form.get('MessageSid'), from: form.get('From'), to: form.get('To'), text: form.get('Body') }
  return readInboundText({ ...fields, at: now }, now, decidedKeyword(form.get('OptOutType')))
}

/** https://www.twilio.com/docs/messaging/guides/track-outbound-message-status; earlier statuses are no receipts. */
function receiptOf(deliveryId: string | undefined, form: URLSearchParams, at: number): Receipt | undefined {
  if (deliveryId === undefined) return undefined
  const code = form.get('ErrorCode')
  switch (form.get('MessageStatus')) {
    case 'delivered':
      return { deliveryId, kind: 'delivered', at }
    case 'read':
      return { deliveryId, kind: 'opened', at }
    case 'failed':
    case 'canceled':
    case 'undelivered': {
      const gone = GONE.get(Number(code))
      const error = `Twilio reported an error${code ? ` (${code})` : ''}`
      const address = form.get('To')
      return { deliveryId, kind: 'bounced', at, error, ...(address && { address }), ...(gone && { gone }) }
    }
    default:
      return undefined
  }
}
