/** Mail through Mailjet's Send API v3.1: https://dev.mailjet.com/email/guides/send-api-v31/ */
import { Type } from 'typebox'
import type { HttpReply, MailAddress, MailAttachment } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import {
  accepted,
  type Receipt,
  type ReceiptKind,
  readEvents,
  readJson,
  readReceipt,
  refused,
  tokenError,
  unreadable,
} from '../callback.ts'
import {
  apiAddress,
  apiUrl,
  basicAuth,
  credential,
  entriesOf,
  postInArray,
  replyToOne,
  signInByGet,
} from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { isAboutAddressee } from '../mail-events.ts'
import {
  addressAt,
  addressesAt,
  composeMail,
  mailHeadersAt,
  mailProvider,
  oneReplyTo,
  withoutEmpty,
} from '../mail-parts.ts'
import { byStatus, type FailedOutcome, parseBody, type Scope, statusText } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, sender } from '../settings.ts'

const HOME = 'https://api.mailjet.com'

export default defineProvider({
  ...mailProvider,
  key: 'mailjet',
  title: 'Mailjet',
  description: 'Mail through Mailjet',
  website: 'https://www.mailjet.com',
  // https://documentation.mailjet.com/hc/en-us/articles/360042412734
  senderRecords: { hosts: /^in(?:-v3)?\.mailjet\.com$/, selectors: ['mailjet'] },
  // https://dev.mailjet.com/email/guides/send-api-v31/#send-with-attached-files
  limits: { requestBytes: megabytes(15) },
  settings: {
    apiKey: Secret('API key', 'The public key of the pair'),
    secretKey: Secret('Secret key', 'The private key of the pair'),
    ...sender('A validated sender, or an address of a validated domain'),
    baseUrl: BaseUrl(HOME),
    ...inGroup('callbacks', {
      webhookPassword: Type.Optional(
        Secret(
          'Webhook password',
          'A random text that verifies callbacks. It is the password in the URL that you enter at Mailjet',
        ),
      ),
    }),
  },
  example: {
    settings: { apiKey: '…', secretKey: '…', fromAddress: 'hello@example.com', fromName: 'Example' },
    profile: { email: 'ada@example.com' },
    override: { body: { Globals: { CustomCampaign: 'orders', TrackOpens: 'disabled' } } },
    reply: { Messages: [{ Status: 'success', To: [{ Email: 'ada@example.com', MessageUUID: '5d4710f5-9aff' }] }] },
    rejections: [
      {
        reply: { Messages: [{ Status: 'error', Errors: [{ ErrorCode: 'send-0008', StatusCode: 403 }] }] },
        outcome: { kind: 'rejected', scope: 'configuration' },
      },
    ],
  },

  compose(composition): { body: JsonObject } {
    const { from, to, cc, bcc, replyTo, subject, html, text, headers, attachments } = composeMail(composition)
    const { id, deliveryId } = composition.message
    const reply = oneReplyTo(replyTo)
    const optional = {
      Cc: cc.map(party),
      Bcc: bcc.map(party),
      ReplyTo: reply && party(reply),
      TextPart: text,
      HTMLPart: html,
      Attachments: attachments.filter(({ contentId }) => !contentId).map(attachmentOf),
      InlinedAttachments: attachments.filter(({ contentId }) => contentId).map(attachmentOf),
      Headers: headers,
    }
    const message = {
      From: party(from),
      To: to.map(party),
      Subject: subject,
      ...withoutEmpty(optional),
      // Callbacks repeat both.
      CustomID: deliveryId,
      EventPayload: JSON.stringify({ message_id: id, delivery_id: deliveryId }),
    }
    return { body: { Messages: [message] } }
  },

  /** https://dev.mailjet.com/email/reference/sender-addresses-and-domains/sender/ */
  signIn({ apiKey, secretKey, baseUrl }) {
    const { authorization, secrets } = loginOf(apiKey, secretKey)
    return signInByGet(
      apiAddress(baseUrl ?? HOME, '/v3/REST/sender?Limit=1'),
      { authorization },
      { explain: errorOf, secrets },
    )
  },

  callbacks: {
    setup:
      'Mailjet does not sign callbacks. Store a random text of letters and digits as `webhookPassword`. At Mailjet, enter `callback_url` of the integration for each event, with that text as the password: `https://postrider:<webhookPassword>@…`.',
    read({ headers, body, now }, { webhookPassword }) {
      const error = tokenError(headers, webhookPassword, 'webhookPassword')
      if (error) return refused(error)
      const events = readEvents(body)
      return events ? accepted(events.map((event) => receiptOf(event, now))) : unreadable
    },
  },

  // https://dev.mailjet.com/email/guides/send-api-v31/#send-in-bulk
  batch: {
    max: 50,
    // Each message has a status beside that of the call.
    replies: (reply, count) =>
      entriesOf(messagesIn(parseBody(reply)), count)?.map((entry) => replyToOne(reply, 200, { Messages: [entry] })),
  },

  *deliver({ draft, settings, now }) {
    const { message, ...common } = checkedBody(objectAt(draft, 'body'))
    const apiKey = credential(settings.apiKey, 'API key')
    const { authorization, secrets } = loginOf(apiKey, credential(settings.secretKey, 'secret key'))
    const url = apiUrl(settings.baseUrl ?? HOME, '/v3.1/send')
    const reply = yield postInArray(
      url,
      { authorization },
      { before: '{"Messages":[', message, after: afterOf(common) },
    )
    const meaning = { explain: errorOf, secrets }
    const failed = byStatus(reply, now, meaning)
    if (reply.kind !== 'http') return failed ?? { kind: 'in_doubt', error: 'Mailjet gave no answer' }
    if (failed) return byError(failed, firstError(parseBody(reply)))
    const answer = firstMessage(parseBody(reply))
    // Every message has a status of its own in a reply of 200.
    if (answer?.Status === 'error') return byStatusOfMessage(reply, now, answer, meaning)
    const [to] = Array.isArray(answer?.To) ? answer.To : []
    // A proxy may have answered 200 instead of Mailjet.
    if (!isObject(to) || typeof to.MessageUUID !== 'string')
      return { kind: 'in_doubt', error: 'Mailjet answered without a message id' }
    return { kind: 'sent', reference: { MessageUUID: to.MessageUUID }, delivered: false }
  },
})

function loginOf(apiKey: string, secretKey: string) {
  const authorization = basicAuth(apiKey, secretKey)
  return { authorization, secrets: [secretKey, apiKey, authorization.slice('Basic '.length)] }
}

const party = ({ name, address }: MailAddress) => ({ Email: address, ...(name ? { Name: name } : {}) })

const attachmentOf = ({ content, contentType, filename, contentId }: MailAttachment) => ({
  ContentType: contentType,
  Filename: filename,
  Base64Content: content,
  ...(contentId ? { ContentID: contentId } : {}),
})

/** The body after the override: addresses in one form, no line break in a header. */
function checkedBody({ Messages, ...common }: JsonObject): JsonObject {
  if (!Array.isArray(Messages) || Messages.length !== 1)
    throw new DraftInvalid('Messages must be an array with one entry')
  const globals = isPresent(common.Globals) ? objectAt(common, 'Globals') : {}
  checkHeaders(globals, 'Globals')
  return { ...common, message: checkedMessage(Messages[0], globals) }
}

/** The rest of the body after its messages. */
const afterOf = (common: JsonObject) =>
  Object.keys(common).length === 0 ? ']}' : `],${JSON.stringify(common).slice(1)}`

function checkedMessage(message: unknown, globals: JsonObject): JsonObject {
  if (!isObject(message)) throw new DraftInvalid('Messages must hold objects')
  checkHeaders(message, 'Messages')
  const from = addressOf(message.From, 'From')
  if (!from && !isPresent(globals.From)) throw new DraftInvalid('From is missing')
  const reply = addressOf(message.ReplyTo, 'ReplyTo')
  const lists = Object.fromEntries(['To', 'Cc', 'Bcc'].map((field) => [field, addressesOf(message[field], field)]))
  if (lists.To?.length === 0) throw new DraftInvalid('To is missing')
  return {
    ...message,
    ...(from ? { From: party(from) } : {}),
    ...(reply ? { ReplyTo: party(reply) } : {}),
    ...withoutEmpty(Object.fromEntries(Object.entries(lists).map(([field, list]) => [field, list.map(party)]))),
  }
}

function checkHeaders(message: JsonObject, field: string): void {
  lineAt(message.Subject, `${field}.Subject`)
  mailHeadersAt(message.Headers, `${field}.Headers`)
  for (const name of ['Attachments', 'InlinedAttachments'])
    if (isPresent(message[name]) && !Array.isArray(message[name])) throw new DraftInvalid(`${name} must be an array`)
}

/** Mailjet's names of the parts of an address, as the reader of addresses knows them. */
const readable = (value: unknown): unknown =>
  isObject(value) && 'Email' in value ? { email: value.Email, name: value.Name } : value
const addressOf = (value: unknown, field: string) => addressAt(readable(value), field)
const addressesOf = (value: unknown, field: string): MailAddress[] =>
  addressesAt(Array.isArray(value) ? value.map(readable) : readable(value), field)

const messagesIn = (answer: unknown): unknown[] =>
  isObject(answer) && Array.isArray(answer.Messages) ? answer.Messages : []

const firstMessage = (answer: unknown): JsonObject | undefined => messagesIn(answer).find(isObject)

/** The error of the message, or of the whole request. */
function firstError(answer: unknown): JsonObject {
  const errors = firstMessage(answer)?.Errors
  const first: unknown = Array.isArray(errors) ? errors[0] : answer
  return isObject(first) ? first : {}
}

function errorOf(body: unknown): string | undefined {
  const { ErrorMessage, ErrorCode } = firstError(body)
  if (typeof ErrorMessage !== 'string') return undefined
  return typeof ErrorCode === 'string' ? `${ErrorMessage} (${ErrorCode})` : ErrorMessage
}

function byStatusOfMessage(
  reply: HttpReply,
  now: number,
  message: JsonObject,
  meaning: Parameters<typeof statusText>[1],
): FailedOutcome {
  const error = firstError({ Messages: [message] })
  const status = typeof error.StatusCode === 'number' && error.StatusCode >= 400 ? error.StatusCode : 400
  const failed = byStatus({ ...reply, status }, now, meaning)
  return byError(failed ?? { kind: 'rejected', scope: 'content', error: statusText(reply, meaning) }, error)
}

/** Its field says whose fault an error is: https://dev.mailjet.com/email/guides/send-api-v31/#send-in-bulk */
function byError(failed: FailedOutcome, { ErrorRelatedTo, ErrorCode }: JsonObject): FailedOutcome {
  if (failed.kind !== 'rejected') return failed
  const [field] = Array.isArray(ErrorRelatedTo) ? ErrorRelatedTo.filter((name) => typeof name === 'string') : []
  const scope = scopeOf(field ?? '', ErrorCode)
  return scope ? { ...failed, scope } : failed
}

function scopeOf(field: string, code: unknown): Scope | undefined {
  // The sender is not validated.
  if (code === 'send-0008' || /^(?:From|Sender)\b/.test(field)) return 'configuration'
  return /^To\b/.test(field) ? 'recipient' : undefined
}

/** https://dev.mailjet.com/email/guides/webhooks/ */
const KINDS: ReadonlyMap<unknown, ReceiptKind> = new Map([
  ['sent', 'delivered'],
  ['bounce', 'bounced'],
  ['blocked', 'bounced'],
  ['spam', 'complained'],
  ['unsub', 'unsubscribed'],
  ['open', 'opened'],
  ['click', 'clicked'],
])

/** Errors of the content, of the sender or of Mailjet; those of the recipient and of its domain are about the address. */
const NOT_OF_ADDRESS = new Set<unknown>(['spam', 'content', 'sender', 'system', 'mailjet'])

function receiptOf(event: JsonObject, now: number): Receipt | undefined {
  const { time: at, email: address, comment, error: reason, url, CustomID, Payload } = event
  const payload = typeof Payload === 'string' ? readJson(Payload) : undefined
  const deliveryId = CustomID || (isObject(payload) ? payload.delivery_id : undefined)
  const error = comment || reason
  return readReceipt({ deliveryId, kind: kindOf(event), at, address, error, url, isHard: isHard(event) }, now)
}

/** Mailjet tries a greylisted mail again, and reports it as a bounce: `sent` or another bounce follows. */
function kindOf({ event: name, error, hard_bounce: hard }: JsonObject): ReceiptKind | undefined {
  const kind = KINDS.get(name)
  const isGreylisted = typeof error === 'string' && /^gr[ea]ylist/i.test(error.trim())
  return kind === 'bounced' && isGreylisted && hard !== true ? 'delayed' : kind
}

/**
 * A mail that Mailjet blocked never left, for one of several reasons. An error of the recipient may be that of its quota:
 * https://dev.mailjet.com/email/guides/webhooks/#possible-values-for-errors
 */
function isHard(event: JsonObject): boolean {
  const { event: name, email: address, hard_bounce: hard, error_related_to: subject, error, comment } = event
  if (name !== 'bounce' || hard !== true || NOT_OF_ADDRESS.has(subject)) return false
  return isAboutAddressee(address, error) && isAboutAddressee(address, comment)
}
