/** Mail through SparkPost: https://developers.sparkpost.com/api/transmissions/#transmissions-post-send-inline-content */
import { Type } from 'typebox'
import type { MailAddress, MailAttachment, Reply } from '../../base/exchange.ts'
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
import { apiAddress, apiUrl, credential, postJson, signInByGet } from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { complaintKind, isAboutAddressee } from '../mail-events.ts'
import {
  addressAt,
  addressesAt,
  composeMail,
  formatAddress,
  mailHeadersAt,
  mailProvider,
  withoutEmpty,
} from '../mail-parts.ts'
import { byStatus, type FailedOutcome, parseBody, rejected, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, sender } from '../settings.ts'

const HOMES = { us: 'https://api.sparkpost.com', eu: 'https://api.eu.sparkpost.com' } as const

interface Place {
  region?: keyof typeof HOMES
  baseUrl?: string
}

const baseOf = ({ region, baseUrl }: Place) => baseUrl ?? HOMES[region ?? 'us']

export default defineProvider({
  ...mailProvider,
  key: 'sparkpost',
  title: 'SparkPost',
  description: 'Mail through SparkPost',
  website: 'https://www.sparkpost.com',
  senderRecords: { hosts: /^smtp\.(?:eu\.)?sparkpostmail\.com$/ },
  // https://developers.sparkpost.com/api/transmissions/#header-content-object
  limits: { requestBytes: megabytes(20) },
  settings: {
    apiKey: Secret('API key', 'A key with the permission "Transmissions: Read/Write"'),
    ...sender('An address of a verified sending domain'),
    region: Type.Optional(
      Type.Enum(['us', 'eu'], {
        title: 'Region',
        description: 'The region of the account',
        default: 'us',
        destination: true,
      }),
    ),
    baseUrl: BaseUrl(),
    ...inGroup('callbacks', {
      webhookToken: Type.Optional(
        Secret(
          'Webhook token',
          'A random text that verifies callbacks. The webhook sends it as the password of basic authentication',
        ),
      ),
    }),
  },
  example: {
    settings: { apiKey: '…', fromAddress: 'hello@example.com', fromName: 'Example' },
    profile: { email: 'ada@example.com' },
    override: { body: { campaign_id: 'orders', options: { transactional: true, click_tracking: false } } },
    reply: { results: { total_rejected_recipients: 0, total_accepted_recipients: 1, id: '11668787484950529' } },
    rejections: [
      {
        reply: { results: { total_rejected_recipients: 1, total_accepted_recipients: 0, id: '1' } },
        outcome: { kind: 'rejected', scope: 'recipient' },
      },
    ],
  },

  compose(composition): { body: JsonObject } {
    const { from, to, cc, bcc, replyTo, subject, html, text, headers, attachments } = composeMail(composition)
    const { id, deliveryId } = composition.message
    const header_to = to.map(formatAddress).join(', ')
    const copies = [...cc, ...bcc].map(({ address }) => ({ address: { email: address, header_to } }))
    const optional = {
      reply_to: replyTo.map(formatAddress).join(', '),
      headers: { ...headers, ...(cc.length > 0 ? { CC: cc.map(formatAddress).join(', ') } : {}) },
      text: literal(text),
      html: literal(html),
      attachments: attachments.filter(({ contentId }) => !contentId).map(attachmentOf),
      inline_images: attachments.filter(({ contentId }) => contentId).map(attachmentOf),
    }
    return {
      body: {
        recipients: [...to.map((address) => ({ address: party(address) })), ...copies],
        content: { from: party(from), subject: literal(subject), ...withoutEmpty(optional) },
        // Callbacks repeat it as `rcpt_meta`.
        metadata: { message_id: id, delivery_id: deliveryId },
      },
    }
  },

  /** https://developers.sparkpost.com/api/account/; a key that may only send is recognized, and refused with a 403. */
  signIn(settings) {
    const { apiKey } = settings
    const url = apiAddress(baseOf(settings), '/api/v1/account')
    const check = signInByGet(url, { authorization: apiKey }, { explain: errorOf, secrets: [apiKey] })
    return (
      check && {
        ...check,
        failureIn: (reply) => (reply.kind === 'http' && reply.status === 403 ? undefined : check.failureIn(reply)),
      }
    )
  },

  callbacks: {
    setup:
      'SparkPost does not sign callbacks. Store a random text as `webhookToken`. At SparkPost, add `callback_url` of the integration as a webhook with basic authentication (any user, that text as the password), and select the events.',
    read({ headers, body, now }, { webhookToken }) {
      const error = tokenError(headers, webhookToken, 'webhookToken')
      if (error) return refused(error)
      const events = readEvents(body)
      return events ? accepted(events.map((event) => receiptOf(event, now))) : unreadable
    },
  },

  *deliver({ draft, settings, now }) {
    const body = checkedBody(objectAt(draft, 'body'))
    const apiKey = credential(settings.apiKey, 'API key')
    const url = apiUrl(baseOf(settings), '/api/v1/transmissions')
    const reply = yield postJson(url, { authorization: apiKey }, body)
    const failed = byStatus(reply, now, { explain: errorOf, secrets: [apiKey] })
    if (failed) return byCode(failed, reply)
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    const results = isObject(answer) && isObject(answer.results) ? answer.results : {}
    if (results.total_accepted_recipients === 0) return rejected('recipient', 'SparkPost accepted no recipient')
    // A proxy may have answered 200 instead of SparkPost.
    if (typeof results.id !== 'string') return { kind: 'in_doubt', error: 'SparkPost answered without an id' }
    return { kind: 'sent', reference: { id: results.id }, delivered: false }
  },
})

const MACROS: Readonly<Record<string, string>> = {
  '{{{': '{{opening_triple_curly()}}',
  '{{': '{{opening_double_curly()}}',
  '}}}': '{{closing_triple_curly()}}',
  '}}': '{{closing_double_curly()}}',
}

/** Every content is a template to SparkPost; ours is rendered: https://developers.sparkpost.com/api/template-language/ */
const literal = (text: string) => text.replace(/\{\{\{?|\}\}\}?/g, (braces) => MACROS[braces] ?? braces)

const party = ({ name, address }: MailAddress) => ({ email: address, ...(name ? { name } : {}) })

/** An inline image is named by its content id. */
const attachmentOf = ({ content, contentType, filename, contentId }: MailAttachment) => ({
  name: contentId ?? filename,
  type: contentType,
  data: content,
})

/** The body after the override: addresses in one form, no line break in a header. */
function checkedBody(body: JsonObject): JsonObject {
  const content = objectAt(body, 'content')
  // A stored template has its own sender.
  const from = addressAt(content.from, 'from')
  if (!from && !isPresent(content.template_id)) throw new DraftInvalid('from is missing')
  lineAt(content.subject, 'subject')
  lineAt(content.reply_to, 'reply_to')
  const { CC: cc, ...headers } = isPresent(content.headers) ? objectAt(content, 'headers') : {}
  addressesAt(cc, 'headers.CC')
  mailHeadersAt(headers, 'headers')
  for (const field of ['attachments', 'inline_images'])
    if (isPresent(content[field]) && !Array.isArray(content[field])) throw new DraftInvalid(`${field} must be an array`)
  const { recipients } = body
  // A stored list of recipients is an object.
  if (!isObject(recipients) && (!Array.isArray(recipients) || recipients.length === 0))
    throw new DraftInvalid('recipients must be an array with an entry')
  return {
    ...body,
    content: { ...content, ...(from ? { from: party(from) } : {}) },
    recipients: Array.isArray(recipients) ? recipients.map(checkedRecipient) : recipients,
  }
}

function checkedRecipient(entry: unknown): JsonObject {
  if (!isObject(entry)) throw new DraftInvalid('recipients must hold objects')
  const address = addressAt(entry.address, 'recipients.address')
  if (!address) throw new DraftInvalid('recipients.address is missing')
  const headerTo = isObject(entry.address) ? lineAt(entry.address.header_to, 'header_to') : undefined
  return { ...entry, address: { ...party(address), ...(headerTo ? { header_to: headerTo } : {}) } }
}

/** https://support.sparkpost.com/docs/deliverability/sparkpost-api-error-codes; others mean what their status means. */
const SCOPES: ReadonlyMap<string, Scope> = new Map([
  ['1902', 'recipient'],
  ['5002', 'recipient'],
  ['7001', 'configuration'],
])

function byCode(failed: FailedOutcome, reply: Reply): FailedOutcome {
  if (failed.kind !== 'rejected' || reply.kind !== 'http') return failed
  // A sending limit of the account, which fills up again.
  if (reply.status === 420) return { kind: 'retry', error: failed.error, attempted: false }
  const scope = SCOPES.get(String(firstError(parseBody(reply)).code))
  return scope ? { ...failed, scope } : failed
}

function firstError(body: unknown): JsonObject {
  const first: unknown = isObject(body) && Array.isArray(body.errors) ? body.errors[0] : undefined
  return isObject(first) ? first : {}
}

function errorOf(body: unknown): string | undefined {
  const { message, description, code } = firstError(body)
  if (typeof message !== 'string') return undefined
  const details = typeof description === 'string' ? `${message}: ${description}` : message
  return typeof code === 'string' ? `${details} (${code})` : details
}

/** https://developers.sparkpost.com/api/webhooks/; `injection` is no receipt. */
const KINDS: ReadonlyMap<unknown, ReceiptKind> = new Map([
  ['delivery', 'delivered'],
  ['delay', 'delayed'],
  ...['bounce', 'out_of_band', 'policy_rejection', 'generation_failure', 'generation_rejection'].map(
    (type) => [type, 'bounced'] as const,
  ),
  ['spam_complaint', 'complained'],
  ['list_unsubscribe', 'unsubscribed'],
  ['link_unsubscribe', 'unsubscribed'],
  ...['open', 'initial_open', 'amp_open', 'amp_initial_open'].map((type) => [type, 'opened'] as const),
  ['click', 'clicked'],
  ['amp_click', 'clicked'],
])

/** https://support.sparkpost.com/docs/deliverability/bounce-classification-codes: no such recipient. */
const HARD = new Set(['10', '30'])
/** A vacation reply, a subscription, a challenge: the mail arrived. */
const NO_BOUNCE = new Set(['60', '80', '100'])
const DELAYED = '70'
const UNSUBSCRIBE = '90'

/** The class of an event (`message_event`, `track_event`, …) is the only field of `msys`. */
function receiptOf({ msys }: JsonObject, now: number): Receipt | undefined {
  const event: unknown = isObject(msys) ? Object.values(msys)[0] : undefined
  // Copies have the metadata of the message, and a type.
  if (!isObject(event) || isPresent(event.rcpt_type)) return undefined
  const { rcpt_meta: metadata, user_agent_parsed: agent, timestamp: at, target_link_url: url } = event
  const bounceClass = String(event.bounce_class)
  const error = event.raw_reason || event.reason
  const address = event.raw_rcpt_to || event.rcpt_to
  return readReceipt(
    {
      deliveryId: isObject(metadata) ? metadata.delivery_id : undefined,
      kind: kindOf(event, bounceClass),
      at,
      address,
      error: error || event.fbtype,
      url,
      isHard: HARD.has(bounceClass) && isAboutAddressee(address, error),
      isAutomated: isObject(agent) && agent.is_prefetched === true,
    },
    now,
  )
}

function kindOf({ type, fbtype }: JsonObject, bounceClass: string): ReceiptKind | undefined {
  const kind = KINDS.get(type)
  if (kind === 'complained') return complaintKind(fbtype)
  if (kind !== 'bounced') return kind
  if (NO_BOUNCE.has(bounceClass)) return undefined
  if (bounceClass === DELAYED) return 'delayed'
  return bounceClass === UNSUBSCRIBE ? 'unsubscribed' : 'bounced'
}
