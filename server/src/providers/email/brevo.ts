/** Mail through Brevo: https://developers.brevo.com/reference/send-transac-email */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { HttpRequest, MailAddress, MailAttachment, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import {
  accepted,
  type Receipt,
  type ReceiptKind,
  readEvents,
  readReceipt,
  refused,
  tokenError,
  unreadable,
} from '../callback.ts'
import { apiAddress, apiUrl, credential, inArray, postJson, replyToOne, signInByGet } from '../http-api.ts'
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
import { byStatus, parseBody, pauseMs, type Rejected, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, type MessageView, objectAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, sender } from '../settings.ts'

const HOME = 'https://api.brevo.com/v3'

export default defineProvider({
  ...mailProvider,
  key: 'brevo',
  title: 'Brevo',
  description: 'Mail through Brevo',
  website: 'https://www.brevo.com',
  // https://help.brevo.com/hc/en-us/articles/17286219877778
  senderRecords: {
    hosts: /^smtp-relay\.(?:brevo|sendinblue)\.com$/,
    selectors: ['brevo1', 'brevo2', 'mail'],
  },
  // https://help.brevo.com/hc/en-us/articles/4402811730962
  limits: { requestBytes: megabytes(20) },
  settings: {
    apiKey: Secret('API key', 'An API key. It begins with xkeysib-'),
    ...sender('A verified sender, or an address of an authenticated domain'),
    baseUrl: BaseUrl(HOME),
    ...inGroup('callbacks', {
      webhookToken: Type.Optional(
        Secret('Webhook token', 'A random text that verifies callbacks. The webhook sends it as a bearer token'),
      ),
    }),
  },
  example: {
    settings: { apiKey: 'xkeysib-…', fromAddress: 'hello@example.com', fromName: 'Example' },
    profile: { email: 'ada@example.com' },
    override: { body: { tags: ['orders'], scheduledAt: '2026-12-01T08:00:00.000Z' } },
    reply: { messageId: '<202611201200.12345678901@smtp-relay.mailin.fr>' },
  },

  compose(composition): { body: JsonObject } {
    const { from, to, cc, bcc, replyTo, subject, html, text, headers, attachments } = composeMail(composition)
    const reply = oneReplyTo(replyTo)
    const optional = {
      cc: cc.map(party),
      bcc: bcc.map(party),
      replyTo: reply && party(reply),
      htmlContent: html,
      textContent: text,
      attachment: attachments.map(attachmentOf),
    }
    return {
      body: {
        sender: party(from),
        to: to.map(party),
        subject,
        ...withoutEmpty(optional),
        headers: { ...headers, ...headersOf(composition.message) },
      },
    }
  },

  /** https://developers.brevo.com/reference/get-account */
  signIn: ({ apiKey, baseUrl }) =>
    signInByGet(
      apiAddress(baseUrl ?? HOME, '/account'),
      { 'api-key': apiKey },
      { explain: errorOf, secrets: [apiKey] },
    ),

  callbacks: {
    setup:
      'Brevo does not sign callbacks. Store a random text as `webhookToken`. At Brevo, add `callback_url` of the integration as a webhook for transactional mail, which sends that text as a bearer token or in the header `X-Postrider-Token`.',
    read({ headers, body, now }, { webhookToken }) {
      const error = tokenError(headers, webhookToken, 'webhookToken')
      if (error) return refused(error)
      const events = readEvents(body)
      return events ? accepted(events.map((event) => receiptOf(event, now))) : unreadable
    },
  },

  // https://developers.brevo.com/docs/batch-send-transactional-emails; a call has at most 2,000 recipients, copies included.
  batch: {
    max: 500,
    replies(reply, count) {
      const { messageIds } = answerOf(reply)
      if (!Array.isArray(messageIds) || messageIds.length !== count) return undefined
      return messageIds.map((messageId) => replyToOne(reply, reply.status, { messageId }))
    },
  },

  *deliver({ draft, settings, message, now }) {
    const body = checkedBody(objectAt(draft, 'body'))
    const apiKey = credential(settings.apiKey, 'API key')
    const request = postJson(apiUrl(settings.baseUrl ?? HOME, '/smtp/email'), { 'api-key': apiKey }, body)
    // The headers of a call are those of all its messages: callbacks would not say which one they are about.
    const reply = yield settings.webhookToken ? request : shared(request, body, headersOf(message))
    const failed = byStatus(reply, now, { explain: errorOf, secrets: [apiKey] })
    const { code, messageId } = answerOf(reply)
    if (failed?.kind === 'retry' && reply.kind === 'http') {
      const pause = pauseMs(reply.headers['x-sib-ratelimit-reset'])
      return pause === undefined || failed.retryAfterMs !== undefined ? failed : { ...failed, retryAfterMs: pause }
    }
    if (failed?.kind === 'rejected') {
      // An attempt before this one was taken, and its reply was lost.
      if (code === 'duplicate_request') return { kind: 'sent', reference: {}, delivered: false }
      return byCode(failed, code)
    }
    if (failed) return failed
    // A proxy may have answered 200 instead of Brevo.
    if (typeof messageId !== 'string') return { kind: 'in_doubt', error: 'Brevo answered without a message id' }
    return { kind: 'sent', reference: { messageId }, delivered: false }
  },
})

const headersOf = ({ id, deliveryId }: Pick<MessageView, 'id' | 'deliveryId'>) => ({
  // Callbacks repeat it.
  'X-Mailin-custom': `message_id:${id}|delivery_id:${deliveryId}`,
  // Kept for half an hour: https://developers.brevo.com/docs/heterogenous-versions-batch-emails
  idempotencyKey: uuidOf(deliveryId),
})

/**
 * Each message is a version of one mail, with which it shares what is not its recipient or its content. A version has no
 * headers: one whose override has replaced `headersBefore` goes alone, as does one with a template in place of content.
 */
function shared(request: HttpRequest, body: JsonObject, headersBefore: ReturnType<typeof headersOf>): HttpRequest {
  const { to, cc, bcc, replyTo, subject, htmlContent, textContent, headers: allHeaders, ...rest } = body
  const isWhole = isPresent(to) && isPresent(subject) && isPresent(htmlContent)
  if (!isWhole || ['attachment', 'messageVersions', 'templateId'].some((field) => isPresent(rest[field])))
    return request
  const { 'X-Mailin-custom': custom, idempotencyKey: key, ...headers } = isObject(allHeaders) ? allHeaders : {}
  if (custom !== headersBefore['X-Mailin-custom'] || key !== headersBefore.idempotencyKey) return request
  // Required of the mail itself, and never sent.
  const common = { ...rest, subject: 'Notification', htmlContent: '<p></p>', ...withoutEmpty({ headers }) }
  return inArray(request, {
    url: request.url,
    before: `${JSON.stringify(common).slice(0, -1)},"messageVersions":[`,
    part: JSON.stringify({ to, cc, bcc, replyTo, subject, htmlContent, textContent }),
    after: ']}',
  })
}

const party = ({ name, address }: MailAddress) => ({ email: address, ...(name ? { name } : {}) })

/** The type follows from the name. */
const attachmentOf = ({ content, filename }: MailAttachment) => ({ content, name: filename })

/** The key must be a UUID: the same one for every attempt of a delivery, in the form of version 4. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The body after the override: addresses in one form, no line break in a header. */
function checkedBody(body: JsonObject): JsonObject {
  // A sender may be named by its id.
  const id = isObject(body.sender) && typeof body.sender.id === 'number' ? body.sender.id : undefined
  const from = id === undefined ? addressAt(body.sender, 'sender') : undefined
  if (!from && id === undefined) throw new DraftInvalid('sender is missing')
  lineAt(body.subject, 'subject')
  const { 'sender.ip': ip, ...headers } = isPresent(body.headers) ? objectAt(body, 'headers') : {}
  lineAt(ip, 'headers.sender.ip')
  mailHeadersAt(headers, 'headers')
  if (isPresent(body.attachment) && !Array.isArray(body.attachment))
    throw new DraftInvalid('attachment must be an array')
  const reply = addressAt(body.replyTo, 'replyTo')
  const lists = Object.fromEntries(
    ['to', 'cc', 'bcc'].map((field) => [field, addressesAt(body[field], field).map(party)]),
  )
  if (lists.to?.length === 0 && !isPresent(body.messageVersions)) throw new DraftInvalid('to is missing')
  return {
    ...body,
    sender: from ? party(from) : { id },
    ...withoutEmpty(lists),
    ...(reply ? { replyTo: party(reply) } : {}),
  }
}

/** Codes of the errors of https://developers.brevo.com/reference/send-transac-email; others mean what their status means. */
const SCOPES: ReadonlyMap<unknown, Scope> = new Map(
  ['unauthorized', 'permission_denied', 'not_enough_credits', 'account_under_validation'].map(
    (code) => [code, 'configuration'] as const,
  ),
)

function byCode(failed: Rejected, code: unknown): Rejected {
  const scope = SCOPES.get(code)
  if (scope) return { ...failed, scope }
  if (code !== 'invalid_parameter') return failed
  // One code for all fields of a mail.
  if (/\bsender\b/i.test(failed.error)) return { ...failed, scope: 'configuration' }
  return /email is not valid in to\b/i.test(failed.error) ? { ...failed, scope: 'recipient' } : failed
}

function answerOf(reply: Reply): JsonObject {
  const answer = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(answer) ? answer : {}
}

function errorOf(body: unknown): string | undefined {
  return isObject(body) && typeof body.message === 'string' ? body.message : undefined
}

/** https://developers.brevo.com/docs/transactional-webhooks; `request` is no receipt. */
const KINDS: ReadonlyMap<unknown, ReceiptKind> = new Map([
  ['delivered', 'delivered'],
  ...['hard_bounce', 'soft_bounce', 'invalid_email', 'blocked', 'error'].map((event) => [event, 'bounced'] as const),
  ['deferred', 'delayed'],
  ...['spam', 'complaint'].map((event) => [event, 'complained'] as const),
  ...['unsubscribed', 'unsubscribe'].map((event) => [event, 'unsubscribed'] as const),
  ...['opened', 'unique_opened', 'proxy_open', 'unique_proxy_open'].map((event) => [event, 'opened'] as const),
  ['click', 'clicked'],
])

function receiptOf(event: JsonObject, now: number): Receipt | undefined {
  const { event: name, 'X-Mailin-custom': custom, ts_event: at, email: address, reason: error, link: url } = event
  const kind = KINDS.get(name)
  const deliveryId = typeof custom === 'string' ? /\bdelivery_id:([^|]+)/.exec(custom)?.[1] : undefined
  const isHard = (name === 'hard_bounce' && isAboutAddressee(address, error)) || name === 'invalid_email'
  // Its list has those who bounced, complained or unsubscribed; where the reason says which, it is used.
  const isOptOut = name === 'blocked' && typeof error === 'string' && /\bunsubscri/i.test(error)
  // A proxy fetched the pictures, whether or not a person saw them.
  const isAutomated = name === 'proxy_open' || name === 'unique_proxy_open'
  const gone = isOptOut ? ('unsubscribed' as const) : undefined
  return readReceipt({ deliveryId, kind, at, address, error, url, isHard, gone, isAutomated }, now)
}
