/** Mail through Resend: https://resend.com/docs/api-reference/emails/send-email */
import { createHmac } from 'node:crypto'
import { Type } from 'typebox'
import type { HttpReply, HttpRequest, MailAttachment, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import {
  accepted,
  type CallbackRequest,
  isExpired,
  isSameText,
  type Receipt,
  type ReceiptKind,
  readEvents,
  readReceipt,
  refused,
  unreadable,
} from '../callback.ts'
import {
  apiAddress,
  apiUrl,
  bearer,
  credential,
  entriesOf,
  inArray,
  postJson,
  replyToOne,
  signInByGet,
} from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { complaintKind, isAboutAddressee } from '../mail-events.ts'
import {
  addressAt,
  addressesAt,
  attachmentsAt,
  composeMail,
  formatAddress,
  mailHeadersAt,
  mailProvider,
  withoutEmpty,
} from '../mail-parts.ts'
import { byStatus, type FailedOutcome, parseBody } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, sender } from '../settings.ts'

const HOME = 'https://api.resend.com'

type Draft = { body: JsonObject; attachments?: unknown }

export default defineProvider({
  ...mailProvider,
  key: 'resend',
  title: 'Resend',
  description: 'Mail through Resend',
  website: 'https://resend.com',
  // https://resend.com/docs/dashboard/domains/introduction
  senderRecords: { hosts: /^smtp\.resend\.com$/, selectors: ['resend'] },
  // After base64: https://resend.com/docs/api-reference/emails/send-email#body-parameters
  limits: { requestBytes: megabytes(40) },
  settings: {
    apiKey: Secret('API key', 'A key with sending access'),
    ...sender('An address of a verified domain'),
    baseUrl: BaseUrl(HOME),
    ...inGroup('callbacks', {
      webhookSecret: Type.Optional(
        Secret(
          'Webhook signing secret',
          'Verifies callbacks: the Signing Secret of the webhook at Resend. It begins with whsec_',
        ),
      ),
    }),
  },
  example: {
    settings: { apiKey: 're_…', fromAddress: 'hello@example.com', fromName: 'Example' },
    profile: { email: 'ada@example.com' },
    override: { body: { scheduled_at: '2026-12-01T08:00:00Z' } },
    reply: { id: '4d1f3c52-7f0a-4b7d-9c63-1f0a2b3c4d5e' },
  },

  compose(composition): Draft {
    const { from, to, cc, bcc, replyTo, subject, html, text, headers, attachments } = composeMail(composition)
    const lists = { to, cc, bcc, reply_to: replyTo }
    const addresses = Object.entries(lists).map(([field, list]) => [field, list.map(formatAddress)])
    const optional = {
      ...Object.fromEntries(addresses),
      html,
      text,
      headers,
      attachments: attachments.map(attachmentOf),
    }
    const { id, deliveryId } = composition.message
    const tags = [
      { name: 'message_id', value: id },
      { name: 'delivery_id', value: deliveryId },
    ]
    return { body: { from: formatAddress(from), subject, ...withoutEmpty(optional), tags } }
  },

  /** Lists domains. A key with sending access only is refused by a code of its own, and can send. */
  signIn({ apiKey, baseUrl }) {
    const url = apiAddress(baseUrl ?? HOME, '/domains')
    const check = signInByGet(url, headersOf(apiKey), { explain: errorOf, secrets: [apiKey] })
    return (
      check && { ...check, failureIn: (reply) => (codeOf(reply) === SENDING_ONLY ? undefined : check.failureIn(reply)) }
    )
  },

  callbacks: {
    setup:
      'At Resend, add `callback_url` of the integration under Webhooks and select the events of `email`. Store the signing secret of the webhook as `webhookSecret`.',
    read(request, { webhookSecret }) {
      if (!webhookSecret) return refused('The integration has no webhookSecret to verify callbacks with')
      const error = signatureError(request, webhookSecret)
      if (error) return refused(error)
      const events = readEvents(request.body)
      return events ? accepted(events.map((event) => receiptOf(event, request.now))) : unreadable
    },
  },

  // https://resend.com/docs/api-reference/emails/send-batch-emails
  batch: { max: 100, replies: repliesIn },

  *deliver({ draft, settings, message, now }) {
    const body = checkedBody(withAttachments(draft))
    const apiKey = credential(settings.apiKey, 'API key')
    // Kept by Resend for 24 hours: an attempt after one in doubt sends no second mail.
    const headers = { ...headersOf(apiKey), 'idempotency-key': message.deliveryId }
    const reply = yield shared(postJson(apiUrl(settings.baseUrl ?? HOME, '/emails'), headers, body), body)
    const failed = byStatus(reply, now, { explain: errorOf, secrets: [apiKey] })
    if (failed) return byCode(failed, codeOf(reply))
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    // A proxy may have answered 200 instead of Resend.
    if (!isObject(answer) || typeof answer.id !== 'string')
      return { kind: 'in_doubt', error: 'Resend answered without an id' }
    return { kind: 'sent', reference: { id: answer.id }, delivered: false }
  },
})

/** A call of several takes neither attachments nor times. */
function shared(request: HttpRequest, { attachments, scheduled_at: scheduledAt }: JsonObject): HttpRequest {
  if (isPresent(attachments) || isPresent(scheduledAt)) return request
  const { 'idempotency-key': idempotencyKey, ...headers } = request.headers
  return inArray(request, {
    url: `${request.url}/batch`,
    // The mails that are valid are sent, whatever the others are.
    headers: { ...headers, 'x-batch-validation': 'permissive' },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
}

/** The ids of the mails that were taken, in their order, and beside them the errors of the others by their place. */
function repliesIn(reply: HttpReply, count: number): HttpReply[] | undefined {
  const body = parseBody(reply)
  if (!isObject(body) || !Array.isArray(body.data)) return undefined
  const errors = new Map(
    (Array.isArray(body.errors) ? body.errors : [])
      .filter(isObject)
      .map((error): [unknown, JsonObject] => [error.index, error]),
  )
  if ([...errors.keys()].some((index) => !isPlace(index, count))) return undefined
  const taken = entriesOf(body.data, count - errors.size)?.values()
  if (!taken) return undefined
  return Array.from({ length: count }, (_, index) => {
    const error = errors.get(index)
    if (!error) return replyToOne(reply, 200, taken.next().value ?? {})
    return replyToOne(reply, 422, { name: 'validation_error', message: error.message })
  })
}

const isPlace = (index: unknown, count: number) =>
  Number.isInteger(index) && Number(index) >= 0 && Number(index) < count

const SENDING_ONLY = 'restricted_api_key'

/** Requests without a user agent are refused: https://resend.com/docs/api-reference/introduction#user-agent */
const headersOf = (apiKey: string) => ({ ...bearer(apiKey), 'user-agent': 'Postrider' })

const attachmentOf = ({ content, contentType, filename, contentId }: MailAttachment) => ({
  content,
  filename,
  content_type: contentType,
  ...(contentId ? { content_id: contentId } : {}),
})

/** Attachments beside the body of an override replace those of the channel. */
function withAttachments(draft: Draft): JsonObject {
  const body = objectAt(draft, 'body')
  if (!isPresent(draft.attachments)) return body
  return { ...body, attachments: attachmentsAt(draft.attachments, 'attachments').map(attachmentOf) }
}

/** The body after the override: addresses in one form, no line break in a header. */
function checkedBody(body: JsonObject): JsonObject {
  const from = addressAt(body.from, 'from')
  if (!from) throw new DraftInvalid('from is missing')
  lineAt(body.subject, 'subject')
  mailHeadersAt(body.headers, 'headers')
  if (isPresent(body.attachments) && !Array.isArray(body.attachments))
    throw new DraftInvalid('attachments must be an array')
  const checked: JsonObject = { ...body, from: formatAddress(from) }
  for (const field of ['to', 'cc', 'bcc', 'reply_to'])
    if (isPresent(body[field])) checked[field] = addressesAt(body[field], field).map(formatAddress)
  if (!Array.isArray(checked.to) || checked.to.length === 0) throw new DraftInvalid('to is missing')
  return checked
}

/** https://resend.com/docs/api-reference/errors; codes that are not listed mean what their status means. */
function byCode(failed: FailedOutcome, code: string | undefined): FailedOutcome {
  const { error } = failed
  if (failed.kind !== 'rejected') return failed
  // The first request with the key is still in progress, or had another body and may have been sent.
  if (code === 'concurrent_idempotent_requests') return { kind: 'retry', error, attempted: true }
  if (code === 'invalid_idempotent_request') return { kind: 'in_doubt', error }
  const isConfiguration = code === 'invalid_from_address' || code === 'invalid_region'
  return isConfiguration ? { ...failed, scope: 'configuration' } : failed
}

function codeOf(reply: Reply): string | undefined {
  const answer = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(answer) && typeof answer.name === 'string' ? answer.name : undefined
}

function errorOf(body: unknown): string | undefined {
  return isObject(body) && typeof body.message === 'string' ? body.message : undefined
}

/** HMAC-SHA256 over id, time and body, by Svix: https://docs.svix.com/receiving/verifying-payloads/how-manual */
function signatureError({ headers, body, now }: CallbackRequest, secret: string): string | undefined {
  const { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signatures } = headers
  if (!id || !timestamp || !signatures) return 'The callback is not signed'
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (key.length === 0) return 'webhookSecret must be a signing secret'
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  // While a secret is replaced there is a signature by each.
  if (!signatures.split(' ').some((candidate) => isSameText(candidate, `v1,${signature}`)))
    return 'The signature is wrong'
  return isExpired(timestamp, now) ? 'The signature has expired' : undefined
}

/** https://resend.com/docs/webhooks/event-types; `email.sent` and `scheduled` are no receipts. */
const KINDS: ReadonlyMap<unknown, ReceiptKind> = new Map([
  ['email.delivered', 'delivered'],
  ['email.delivery_delayed', 'delayed'],
  ['email.bounced', 'bounced'],
  ['email.failed', 'bounced'],
  ['email.suppressed', 'bounced'],
  ['email.complained', 'complained'],
  ['email.opened', 'opened'],
  ['email.clicked', 'clicked'],
])

function receiptOf({ type, created_at: at, data }: JsonObject, now: number): Receipt | undefined {
  if (!isObject(data)) return undefined
  const [bounce, failed, suppressed, click, complaint] = [
    ...[data.bounce, data.failed, data.suppressed, data.click, data.complaint],
  ].map((part) => (isObject(part) ? part : {}))
  const { to } = data
  const kind = KINDS.get(type)
  const diagnostic = Array.isArray(bounce?.diagnosticCode) ? bounce.diagnosticCode : [bounce?.diagnosticCode]
  // An event does not say which one of several addressees it is about.
  const address: unknown = Array.isArray(to) && to.length === 1 ? to[0] : undefined
  return readReceipt(
    {
      ...{ deliveryId: tagOf(data.tags), kind: kind === 'complained' ? complaintKind(complaint?.type) : kind, at },
      address,
      isOfAnyRecipient: true,
      error: bounce?.message ?? failed?.reason ?? suppressed?.message,
      url: click?.link,
      // Its message explains bounces in general, with the reputation of the sender.
      isHard: bounce?.type === 'Permanent' && isAboutAddressee(address, ...diagnostic),
    },
    now,
  )
}

/** By name, or a list as it was sent. */
function tagOf(tags: unknown): unknown {
  if (!Array.isArray(tags)) return isObject(tags) ? tags.delivery_id : undefined
  return tags.filter(isObject).find(({ name }) => name === 'delivery_id')?.value
}
