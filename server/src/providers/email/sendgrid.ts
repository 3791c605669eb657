/** Mail through SendGrid's v3 API: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
import { createPublicKey, verify } from 'node:crypto'
import { Type } from 'typebox'
import type { MailAddress, MailAttachment } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import {
  accepted,
  isExpired,
  type Receipt,
  type ReceiptKind,
  readEvents,
  readReceipt,
  refused,
  unreadable,
} from '../callback.ts'
import { apiAddress, apiUrl, bearer, credential, postJson, signInByGet } from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { isAboutAddressee } from '../mail-events.ts'
import { addressAt, addressesAt, composeMail, mailHeadersAt, mailProvider, withoutEmpty } from '../mail-parts.ts'
import { byStatus, type Gone } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, sender } from '../settings.ts'

const HOME = 'https://api.sendgrid.com'

export default defineProvider({
  ...mailProvider,
  key: 'sendgrid',
  title: 'SendGrid',
  description: 'Mail through Twilio SendGrid',
  website: 'https://sendgrid.com',
  // https://www.twilio.com/docs/sendgrid/ui/account-and-settings/how-to-set-up-domain-authentication
  senderRecords: { hosts: /^smtp\.(?:eu\.)?sendgrid\.net$/, selectors: ['s1', 's2'] },
  // https://www.twilio.com/docs/sendgrid/api-reference/mail-send/limitations
  limits: { requestBytes: megabytes(30) },
  settings: {
    apiKey: Secret('API key', 'A key with the permission "Mail Send"'),
    ...sender('A verified sender'),
    baseUrl: BaseUrl(HOME),
    ...inGroup('callbacks', {
      webhookKey: Type.Optional(
        Secret(
          'Webhook verification key',
          'Verifies callbacks. SendGrid shows this key under Mail Settings, Event Webhook, Signature Verification',
        ),
      ),
    }),
  },
  example: {
    settings: { apiKey: 'SG.…', fromAddress: 'hello@example.com', fromName: 'Example' },
    profile: { email: 'ada@example.com' },
    override: { body: { template_id: 'd-0123456789abcdef0123456789abcdef', categories: ['orders'] } },
  },

  compose(composition): { body: JsonObject } {
    const { from, to, cc, bcc, replyTo, subject, html, text, headers, attachments } = composeMail(composition)
    const { id, deliveryId } = composition.message
    const replies = replyTo.map(party)
    const body = {
      personalizations: [withoutEmpty({ to: to.map(party), cc: cc.map(party), bcc: bcc.map(party) })],
      from: party(from),
      subject,
      // The plain part must come first, and an empty part is refused.
      content: [
        { type: 'text/plain', value: text },
        { type: 'text/html', value: html },
      ].filter((part) => part.value !== ''),
      custom_args: { message_id: id, delivery_id: deliveryId },
    }
    const replyField = replies.length > 1 ? { reply_to_list: replies } : { reply_to: replies[0] }
    return {
      body: { ...body, ...withoutEmpty({ ...replyField, headers, attachments: attachments.map(attachmentOf) }) },
    }
  },

  /** Every key may read its own scopes: https://www.twilio.com/docs/sendgrid/api-reference/api-key-permissions */
  signIn: ({ apiKey, baseUrl }) =>
    signInByGet(apiAddress(baseUrl ?? HOME, '/v3/scopes'), bearer(apiKey), { explain: firstError, secrets: [apiKey] }),

  callbacks: {
    setup:
      'At SendGrid, enter `callback_url` of the integration as an Event Webhook and turn on Signature Verification. Store its key as `webhookKey`.',
    read({ headers, body, now }, { webhookKey }) {
      if (!webhookKey) return refused('The integration has no webhookKey to verify callbacks with')
      const error = signatureError(headers, body, webhookKey, now)
      if (error) return refused(error)
      const events = readEvents(body)
      return events ? accepted(events.map((event) => receiptOf(event, now))) : unreadable
    },
  },

  *deliver({ draft, settings, now }) {
    const body = checkedBody(draft)
    const apiKey = credential(settings.apiKey, 'API key')
    const reply = yield postJson(apiUrl(settings.baseUrl ?? HOME, '/v3/mail/send'), bearer(apiKey), body)
    const failed = byStatus(reply, now, { explain: firstError, secrets: [apiKey] })
    if (failed) return failed
    const id = reply.kind === 'http' ? reply.headers['x-message-id'] : undefined
    return { kind: 'sent', reference: id ? { 'x-message-id': id } : {}, delivered: false }
  },
})

const party = ({ name, address }: MailAddress) => ({ email: address, ...(name ? { name } : {}) })

const attachmentOf = ({ content, contentType, filename, disposition, contentId }: MailAttachment) => ({
  content,
  type: contentType,
  filename,
  ...(disposition ? { disposition } : {}),
  ...(contentId ? { content_id: contentId } : {}),
})

/** The body after the override, with every address in SendGrid's form and no line break in a header. */
function checkedBody(draft: JsonObject): JsonObject {
  const body = objectAt(draft, 'body')
  const from = addressAt(body.from, 'from')
  if (!from) throw new DraftInvalid('from is missing')
  const { personalizations } = body
  if (!Array.isArray(personalizations) || personalizations.length === 0)
    throw new DraftInvalid('personalizations must be an array with an entry')
  lineAt(body.subject, 'subject')
  mailHeadersAt(body.headers, 'headers')
  if (isPresent(body.attachments) && !Array.isArray(body.attachments))
    throw new DraftInvalid('attachments must be an array')
  const replyTo = addressAt(body.reply_to, 'reply_to')
  const replyToList = addressesAt(body.reply_to_list, 'reply_to_list').map(party)
  return {
    ...body,
    personalizations: personalizations.map(checkedPersonalization),
    from: party(from),
    ...(replyTo ? { reply_to: party(replyTo) } : {}),
    ...(replyToList.length > 0 ? { reply_to_list: replyToList } : {}),
  }
}

function checkedPersonalization(entry: unknown): JsonObject {
  if (!isObject(entry)) throw new DraftInvalid('personalizations must hold objects')
  lineAt(entry.subject, 'personalizations.subject')
  mailHeadersAt(entry.headers, 'personalizations.headers')
  const to = addressesAt(entry.to, 'to').map(party)
  if (to.length === 0) throw new DraftInvalid('to is missing')
  const cc = addressesAt(entry.cc, 'cc').map(party)
  const bcc = addressesAt(entry.bcc, 'bcc').map(party)
  return { ...entry, to, ...(cc.length > 0 ? { cc } : {}), ...(bcc.length > 0 ? { bcc } : {}) }
}

function firstError(body: unknown): string | undefined {
  const first: unknown = isObject(body) && Array.isArray(body.errors) ? body.errors[0] : undefined
  return isObject(first) && typeof first.message === 'string' ? first.message : undefined
}

const SIGNATURE = 'x-twilio-email-event-webhook-signature'
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp'

/** ECDSA over the time and the body: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features */
function signatureError(headers: Readonly<Record<string, string>>, body: Buffer, key: string, now: number) {
  const { [SIGNATURE]: signature, [TIMESTAMP]: timestamp } = headers
  if (!signature || !timestamp) return 'The callback is not signed'
  const signed = Buffer.concat([Buffer.from(timestamp), body])
  const publicKey = publicKeyOf(key)
  if (!publicKey) return 'webhookKey must be a public key'
  if (!verify('sha256', signed, publicKey, Buffer.from(signature, 'base64'))) return 'The signature is wrong'
  return isExpired(timestamp, now) ? 'The signature has expired' : undefined
}

function publicKeyOf(key: string) {
  try {
    return createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event; `processed` is no receipt. */
const KINDS: ReadonlyMap<unknown, ReceiptKind> = new Map([
  ['delivered', 'delivered'],
  ['deferred', 'delayed'],
  ['bounce', 'bounced'],
  ['dropped', 'bounced'],
  ['open', 'opened'],
  ['click', 'clicked'],
  ['spamreport', 'complained'],
  ['unsubscribe', 'unsubscribed'],
  ['group_unsubscribe', 'unsubscribed'],
])

/** The lists of SendGrid and addresses that are none; it drops mails for other reasons, too, such as a used-up quota. */
const DROPPED: ReadonlyMap<unknown, Gone> = new Map([
  ['bounced address', 'hard_bounce'],
  ['invalid', 'hard_bounce'],
  ['unsubscribed address', 'unsubscribed'],
])
/** https://www.twilio.com/docs/sendgrid/ui/analytics-and-reporting/bounce-and-block-classifications: not about the address. */
const OTHER_CAUSES = /^(?:content|reputation|frequency|technical)/i

function receiptOf(event: JsonObject, now: number): Receipt | undefined {
  const { delivery_id: deliveryId, timestamp: at, email: address, reason, response, url } = event
  const isAutomated = event.sg_machine_open === true
  const gone = goneOf(event)
  const fields = { deliveryId, kind: KINDS.get(event.event), at, address, url, gone, isAutomated }
  return readReceipt({ ...fields, error: reason || response }, now)
}

/** A block, and a mail that has expired, is about this mail. */
function goneOf({
  event,
  type,
  reason,
  status,
  email: address,
  bounce_classification: cause,
}: JsonObject): Gone | undefined {
  if (event === 'dropped') return DROPPED.get(typeof reason === 'string' ? reason.trim().toLowerCase() : undefined)
  if (event !== 'bounce' || type === 'blocked' || type === 'expired') return undefined
  if (typeof cause === 'string' && OTHER_CAUSES.test(cause)) return undefined
  return isAboutAddressee(address, status, reason) ? 'hard_bounce' : undefined
}
