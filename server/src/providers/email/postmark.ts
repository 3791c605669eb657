/** Mail through Postmark: https://postmarkapp.com/developer/api/email-api#send-a-single-email */
import { Type } from 'typebox'
import type { MailAttachment, Reply } from '../../base/exchange.ts'
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
import { apiAddress, apiUrl, credential, entriesOf, inArray, postJson, replyToOne, signInByGet } from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { isAboutAddressee } from '../mail-events.ts'
import {
  addressAt,
  addressesAt,
  composeMail,
  formatAddress,
  mailHeadersAt,
  mailProvider,
  withoutEmpty,
} from '../mail-parts.ts'
import { byStatus, type FailedOutcome, parseBody, type Scope, statusText } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, sender, Text } from '../settings.ts'

const HOME = 'https://api.postmarkapp.com'

export default defineProvider({
  ...mailProvider,
  key: 'postmark',
  title: 'Postmark',
  description: 'Mail through Postmark',
  website: 'https://postmarkapp.com',
  senderRecords: { hosts: /^smtp(?:-broadcasts)?\.postmarkapp\.com$/ },
  // https://postmarkapp.com/developer/user-guide/send-email-with-api#size-limits
  limits: { requestBytes: megabytes(10), characters: { HtmlBody: megabytes(5), TextBody: megabytes(5) } },
  settings: {
    serverToken: Secret('Server token', 'A token of the server, from its API Tokens'),
    ...sender('A confirmed sender signature, or an address of a verified domain'),
    ...inGroup('advanced', {
      messageStream: Type.Optional(
        Text('Message stream', 'The message stream that mails go through; outbound by default', { maxLength: 100 }),
      ),
    }),
    baseUrl: BaseUrl(HOME),
    ...inGroup('callbacks', {
      webhookToken: Type.Optional(
        Secret(
          'Webhook token',
          'A random text that verifies callbacks. The webhook sends it in the header X-Postrider-Token',
        ),
      ),
    }),
  },
  example: {
    settings: { serverToken: '…', fromAddress: 'hello@example.com', fromName: 'Example' },
    profile: { email: 'ada@example.com' },
    override: { body: { Tag: 'orders', TrackOpens: true, MessageStream: 'broadcast' } },
    reply: { ErrorCode: 0, Message: 'OK', MessageID: 'b7bc2f4a-e38e-4336-af7d-e6c392c2f817' },
    rejections: [{ reply: { ErrorCode: 406, Message: 'Inactive' }, outcome: { kind: 'rejected', scope: 'recipient' } }],
  },

  compose(composition): { body: JsonObject } {
    const { from, to, cc, bcc, replyTo, subject, html, text, headers, attachments } = composeMail(composition)
    const { id, deliveryId } = composition.message
    const lists = { To: to, Cc: cc, Bcc: bcc, ReplyTo: replyTo }
    const addresses = Object.entries(lists).map(([field, list]) => [field, list.map(formatAddress).join(', ')])
    const optional = {
      ...Object.fromEntries(addresses),
      HtmlBody: html,
      TextBody: text,
      Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      Attachments: attachments.map(attachmentOf),
      MessageStream: composition.settings.messageStream,
    }
    return {
      body: {
        From: formatAddress(from),
        Subject: subject,
        ...withoutEmpty(optional),
        // Callbacks repeat it: https://postmarkapp.com/support/article/1125-custom-metadata-faq
        Metadata: { message_id: id, delivery_id: deliveryId },
      },
    }
  },

  /** https://postmarkapp.com/developer/api/server-api#get-server */
  signIn: ({ serverToken, baseUrl }) =>
    signInByGet(apiAddress(baseUrl ?? HOME, '/server'), headersOf(serverToken), {
      explain: errorOf,
      secrets: [serverToken],
    }),

  callbacks: {
    setup:
      'Postmark does not sign callbacks. Store a random text as `webhookToken`. At Postmark, add `callback_url` of the integration as a webhook of the message stream, with the header `X-Postrider-Token: <webhookToken>`, and select the events.',
    read({ headers, body, now }, { webhookToken }) {
      const error = tokenError(headers, webhookToken, 'webhookToken')
      if (error) return refused(error)
      const events = readEvents(body)
      return events ? accepted(events.map((event) => receiptOf(event, now))) : unreadable
    },
  },

  // https://postmarkapp.com/developer/api/email-api#send-batch-emails
  batch: {
    max: 500,
    replies: (reply, count) =>
      entriesOf(parseBody(reply), count)?.map((entry) => replyToOne(reply, isError(entry) ? 422 : 200, entry)),
  },

  *deliver({ draft, settings, now }) {
    const body = checkedBody(objectAt(draft, 'body'))
    const serverToken = credential(settings.serverToken, 'server token')
    const url = apiUrl(settings.baseUrl ?? HOME, '/email')
    const reply = yield inArray(postJson(url, headersOf(serverToken), body), { url: `${url}/batch` })
    const meaning = { explain: errorOf, secrets: [serverToken] }
    const failed = byStatus(reply, now, meaning)
    const answer = answerOf(reply)
    const { ErrorCode: code, MessageID } = answer
    if (failed) return byCode(failed, code)
    // A code other than 0 is an error, whatever the status.
    if (reply.kind === 'http' && isError(answer))
      return byCode({ kind: 'rejected', scope: 'content', error: statusText(reply, meaning) }, code)
    // A proxy may have answered 200 instead of Postmark.
    if (typeof MessageID !== 'string') return { kind: 'in_doubt', error: 'Postmark answered without a message id' }
    return { kind: 'sent', reference: { MessageID }, delivered: false }
  },
})

const headersOf = (token: string) => ({ 'x-postmark-server-token': token })

const attachmentOf = ({ content, contentType, filename, contentId }: MailAttachment) => ({
  Name: filename,
  Content: content,
  ContentType: contentType,
  ...(contentId ? { ContentID: `cid:${contentId}` } : {}),
})

/** The body after the override: addresses in one form, no line break in a header. */
function checkedBody(body: JsonObject): JsonObject {
  const from = addressAt(body.From, 'From')
  if (!from) throw new DraftInvalid('From is missing')
  lineAt(body.Subject, 'Subject')
  for (const field of ['Headers', 'Attachments'])
    if (isPresent(body[field]) && !Array.isArray(body[field])) throw new DraftInvalid(`${field} must be an array`)
  const headers = Array.isArray(body.Headers) ? body.Headers.filter(isObject) : []
  mailHeadersAt(Object.fromEntries(headers.map(({ Name, Value }) => [String(Name), Value])), 'Headers')
  const checked: JsonObject = { ...body, From: formatAddress(from) }
  for (const field of ['To', 'Cc', 'Bcc', 'ReplyTo'])
    if (isPresent(body[field])) checked[field] = addressesAt(body[field], field).map(formatAddress).join(', ')
  if (!isPresent(checked.To)) throw new DraftInvalid('To is missing')
  return checked
}

/** https://postmarkapp.com/developer/api/overview#error-codes; codes not listed mean what their status means. */
const SCOPES: ReadonlyMap<unknown, Scope> = new Map([
  // The address bounced or complained before: Postmark sends nothing more to it.
  [406, 'recipient'],
  // Token, sender signature, credits, approval of the account, message stream.
  ...[10, 400, 401, 405, 412, 413, 1235].map((code) => [code, 'configuration'] as const),
])

function byCode(failed: FailedOutcome, code: unknown): FailedOutcome {
  if (failed.kind !== 'rejected') return failed
  // Maintenance, and a limit of the account.
  if (code === 100) return { kind: 'retry', error: failed.error, attempted: true }
  if (code === 429) return { kind: 'retry', error: failed.error, attempted: false }
  // One code for all fields of a mail.
  if (code === 300 && /invalid '?to'?\b/i.test(failed.error)) return { ...failed, scope: 'recipient' }
  const scope = SCOPES.get(code)
  return scope ? { ...failed, scope } : failed
}

const isError = ({ ErrorCode: code }: JsonObject) => typeof code === 'number' && code !== 0

function answerOf(reply: Reply): JsonObject {
  const answer = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(answer) ? answer : {}
}

function errorOf(body: unknown): string | undefined {
  if (!isObject(body) || typeof body.Message !== 'string') return undefined
  return typeof body.ErrorCode === 'number' ? `${body.Message} (${body.ErrorCode})` : body.Message
}

/** https://postmarkapp.com/developer/webhooks/webhooks-overview */
function receiptOf(event: JsonObject, now: number): Receipt | undefined {
  const { RecordType: type, Metadata: metadata, Details, Description, OriginalLink: url } = event
  return readReceipt(
    {
      deliveryId: isObject(metadata) ? metadata.delivery_id : undefined,
      kind:
        type === 'Bounce' ? BOUNCES.get(event.Type) : type === 'SubscriptionChange' ? optOut(event) : KINDS.get(type),
      at: event.DeliveredAt ?? event.BouncedAt ?? event.ReceivedAt ?? event.ChangedAt,
      address: event.Email ?? event.Recipient,
      error: Details || Description,
      url,
      isHard:
        (event.Type === 'HardBounce' || event.Type === 'BadEmailAddress') && isAboutAddressee(event.Email, Details),
    },
    now,
  )
}

const KINDS: ReadonlyMap<unknown, ReceiptKind> = new Map([
  ['Delivery', 'delivered'],
  ['SpamComplaint', 'complained'],
  ['Open', 'opened'],
  ['Click', 'clicked'],
])

/**
 * https://postmarkapp.com/developer/api/bounce-api#bounce-types; the others are replies of programs and questions of
 * servers. A notice that a server took the mail for spam is no complaint of a person.
 */
const BOUNCES: ReadonlyMap<unknown, ReceiptKind> = new Map([
  ...['HardBounce', 'BadEmailAddress', 'SoftBounce', 'Blocked', 'DnsError', 'SpamNotification', 'VirusNotification']
    .concat(['Unknown', 'Undeliverable', 'ManuallyDeactivated', 'SMTPApiError', 'DMARCPolicy'])
    .concat(['TemplateRenderingFailed'])
    .map((type) => [type, 'bounced'] as const),
  ['Transient', 'delayed'],
  ['SpamComplaint', 'complained'],
  ['Unsubscribe', 'unsubscribed'],
])

/** A bounce and a complaint change the subscription, too, and are events of their own. */
const optOut = ({ SuppressSending, SuppressionReason, Origin }: JsonObject): ReceiptKind | undefined =>
  SuppressSending === true && SuppressionReason === 'ManualSuppression' && Origin === 'Recipient'
    ? 'unsubscribed'
    : undefined
