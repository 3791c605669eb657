/** Mail through Mailgun: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages/post-v3--domain-name--messages */
import { createHash, createHmac, hash } from 'node:crypto'
import { Type } from 'typebox'
import type { MailAttachment } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { HOUR } from '../../base/time/duration.ts'
import {
  accepted,
  CALLBACK_TOLERANCE_MS,
  isExpired,
  isSameText,
  type Receipt,
  type ReceiptKind,
  readJson,
  readReceipt,
  refused,
  unreadable,
} from '../callback.ts'
import { apiAddress, apiUrl, basicAuth, credential, httpSignIn } from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { isAboutAddressee } from '../mail-events.ts'
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
import { byStatus, type FailedOutcome, type Gone, parseBody, rejected } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, sender } from '../settings.ts'

const HOMES = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' } as const

interface Place {
  region?: keyof typeof HOMES
  baseUrl?: string
}

type Draft = { body: JsonObject; attachments?: unknown }

const baseOf = ({ region, baseUrl }: Place) => baseUrl ?? HOMES[region ?? 'us']
const pathOf = (domain: string) => `/v3/${encodeURIComponent(domain)}/messages`

export default defineProvider({
  ...mailProvider,
  key: 'mailgun',
  title: 'Mailgun',
  description: 'Mail through Mailgun',
  website: 'https://www.mailgun.com',
  // https://documentation.mailgun.com/docs/mailgun/user-manual/domains/domains-verify
  senderRecords: { spfInclude: 'mailgun.org' },
  // https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/send-http
  limits: { requestBytes: megabytes(25) },
  settings: {
    apiKey: Secret('API key', 'A key of the account, or a sending key of the domain'),
    domain: Type.String({
      title: 'Domain',
      description: 'The sending domain, such as mg.example.com',
      pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$',
      patternText: 'a domain, such as `mg.example.com`',
      maxLength: 253,
    }),
    ...sender('An address of the domain'),
    region: Type.Optional(
      Type.Enum(['us', 'eu'], {
        title: 'Region',
        description: 'The region of the domain',
        default: 'us',
        destination: true,
      }),
    ),
    baseUrl: BaseUrl(),
    ...inGroup('callbacks', {
      webhookSigningKey: Type.Optional(
        Secret(
          'HTTP webhook signing key',
          'Verifies callbacks. Mailgun shows this key under API Security, HTTP webhook signing key',
        ),
      ),
    }),
  },
  example: {
    settings: { apiKey: '…', domain: 'mg.example.com', fromAddress: 'hello@example.com', fromName: 'Example' },
    profile: { email: 'ada@example.com' },
    override: {
      body: { 'o:tag': ['orders'], 'o:tracking': 'no' },
      attachments: [{ filename: 'a.txt', contentType: 'text/plain', data: 'aGk=' }],
    },
    reply: { id: '<20261120120000.1.ABC@mg.example.com>', message: 'Queued. Thank you.' },
  },

  compose(composition): Draft {
    const { from, to, cc, bcc, replyTo, subject, html, text, headers, attachments } = composeMail(composition)
    const { id, deliveryId } = composition.message
    const custom = Object.entries(headers).map(([name, value]) => [`h:${name}`, value])
    const optional = {
      cc: cc.map(formatAddress),
      bcc: bcc.map(formatAddress),
      text,
      html,
      'h:Reply-To': replyTo.map(formatAddress).join(', '),
      ...Object.fromEntries(custom),
    }
    return {
      body: {
        from: formatAddress(from),
        to: to.map(formatAddress),
        subject,
        ...withoutEmpty(optional),
        // Callbacks repeat them as `user-variables`.
        'v:message_id': id,
        'v:delivery_id': deliveryId,
      },
      ...(attachments.length > 0 ? { attachments } : {}),
    }
  },

  /** A message without any field, which Mailgun refuses with a 400 for a key that may send: sending keys may do nothing else. */
  signIn(settings) {
    const { apiKey, domain } = settings
    const { authorization, secrets } = loginOf(apiKey)
    const url = apiAddress(baseOf(settings), pathOf(domain))
    if (!url) return undefined
    const headers = { accept: 'application/json', authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const check = httpSignIn({ method: 'POST', url, headers, body: '' }, { explain: errorOf, secrets })
    return {
      ...check,
      failureIn: (reply) => (reply.kind === 'http' && reply.status === 400 ? undefined : check.failureIn(reply)),
    }
  },

  callbacks: {
    setup:
      'At Mailgun, add `callback_url` of the integration as a webhook of the domain, for each event. Store the HTTP webhook signing key of the account as `webhookSigningKey`.',
    read({ body, now }, { webhookSigningKey }) {
      if (!webhookSigningKey) return refused('The integration has no webhookSigningKey to verify callbacks with')
      const callback = readJson(body)
      if (!isObject(callback)) return unreadable
      const signature = readSignature(callback.signature, webhookSigningKey, now)
      if ('error' in signature) return refused(signature.error)
      // The signature does not cover the event: with another one it could be used again.
      const event = callback['event-data']
      const keptMs = REPEATED_MS + CALLBACK_TOLERANCE_MS
      const once = [
        { mark: `signature ${signature.token}`, keptMs, content: hash('sha256', JSON.stringify(event) ?? '') },
      ]
      return { ...accepted([receiptOf(event, now)]), once }
    },
  },

  *deliver({ draft, settings, message, now }) {
    const files = attachmentsAt(draft.attachments, 'attachments').map(fileOf)
    const { contentType, bytes } = multipartForm(formFields(objectAt(draft, 'body')), files, message.deliveryId)
    const { authorization, secrets } = loginOf(credential(settings.apiKey, 'API key'))
    if (!settings.domain) return rejected('configuration', 'The integration has no domain')
    const reply = yield {
      kind: 'http',
      method: 'POST',
      url: apiUrl(baseOf(settings), pathOf(settings.domain)),
      headers: { accept: 'application/json', authorization, 'content-type': contentType },
      bytes,
      final: true,
    }
    const failed = byStatus(reply, now, { explain: errorOf, secrets })
    if (failed) return byError(failed)
    const answer = reply.kind === 'http' ? parseBody(reply) : undefined
    // A proxy may have answered 200 instead of Mailgun.
    if (!isObject(answer) || typeof answer.id !== 'string')
      return { kind: 'in_doubt', error: 'Mailgun answered without an id' }
    return { kind: 'sent', reference: { id: answer.id }, delivered: false }
  },
})

function loginOf(apiKey: string) {
  const authorization = basicAuth('api', apiKey)
  return { authorization, secrets: [apiKey, authorization.slice('Basic '.length)] }
}

/** The content id of an inline file is its name. */
const fileOf = ({ content, contentType, filename, contentId, disposition }: MailAttachment) => {
  const isInline = contentId !== undefined && disposition !== 'attachment'
  return { field: isInline ? 'inline' : 'attachment', filename: isInline ? contentId : filename, contentType, content }
}

/** The fields after the override: addresses in one form, no line break in a header, objects as JSON. */
function formFields(body: JsonObject): [string, string][] {
  const from = addressAt(body.from, 'from')
  if (!from) throw new DraftInvalid('from is missing')
  lineAt(body.subject, 'subject')
  checkHeaders(body)
  const checked: JsonObject = { ...body, from: formatAddress(from) }
  for (const field of ['to', 'cc', 'bcc'])
    if (isPresent(body[field])) checked[field] = addressesAt(body[field], field).map(formatAddress)
  if (!Array.isArray(checked.to) || checked.to.length === 0) throw new DraftInvalid('to is missing')
  return Object.entries(checked).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(isPresent)
      .map((item): [string, string] => [name, typeof item === 'object' ? JSON.stringify(item) : String(item)]),
  )
}

function checkHeaders(body: JsonObject): void {
  const named = Object.entries(body).flatMap(([name, value]) => (name.startsWith('h:') ? [[name.slice(2), value]] : []))
  const { 'Reply-To': replyTo, ...headers } = Object.fromEntries(named)
  addressesAt(replyTo, 'h:Reply-To')
  mailHeadersAt(headers, 'h')
}

/** Mailgun has no codes: a 400 names the parameter. */
function byError(failed: FailedOutcome): FailedOutcome {
  const isRecipient = failed.kind === 'rejected' && /\b'?to'? parameter is not a valid address/i.test(failed.error)
  return isRecipient ? { ...failed, scope: 'recipient' } : failed
}

function errorOf(body: unknown): string | undefined {
  return isObject(body) && typeof body.message === 'string' ? body.message : undefined
}

/** A callback that failed is repeated for eight hours, and the documentation does not say that it is signed again. */
const REPEATED_MS = 8 * HOUR

/** HMAC-SHA256 over time and token: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks */
function readSignature(fields: unknown, key: string, now: number): { token: string } | { error: string } {
  if (!isObject(fields)) return { error: 'The callback is not signed' }
  const { timestamp, token, signature, 'parent-signature': parent } = fields
  // A subaccount signs with its own key, and its account beside it.
  const signatures = [signature, parent].filter((value) => typeof value === 'string')
  if (!isPresent(timestamp) || typeof token !== 'string' || signatures.length === 0)
    return { error: 'The callback is not signed' }
  const expected = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex')
  if (!signatures.some((value) => isSameText(value, expected))) return { error: 'The signature is wrong' }
  return isExpired(timestamp, now, REPEATED_MS)
    ? { error: 'The signature has expired' }
    : { token: `${timestamp}${token}` }
}

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads; `accepted` is no receipt. */
const KINDS: ReadonlyMap<unknown, ReceiptKind> = new Map([
  ['delivered', 'delivered'],
  ['failed', 'bounced'],
  ['rejected', 'bounced'],
  ['complained', 'complained'],
  ['unsubscribed', 'unsubscribed'],
  ['opened', 'opened'],
  ['clicked', 'clicked'],
])

/** Mailgun sends nothing more to these addresses: they bounced, now or before, or have unsubscribed. */
const GONE: ReadonlyMap<unknown, Gone> = new Map([
  ['bounce', 'hard_bounce'],
  ['suppress-bounce', 'hard_bounce'],
  ['suppress-unsubscribe', 'unsubscribed'],
])

function receiptOf(event: unknown, now: number): Receipt | undefined {
  if (!isObject(event)) return undefined
  const { timestamp: at, recipient: address, reason, url, severity } = event
  const [variables, status, client, reject] = ['user-variables', 'delivery-status', 'client-info', 'reject'].map(
    (field) => (isObject(event[field]) ? event[field] : {}),
  )
  const words = status?.message || status?.description
  const isOfMail =
    reason === 'bounce' &&
    (status?.['bounce-type'] === 'soft' || !isAboutAddressee(address, status?.['enhanced-code'], words))
  const kind = KINDS.get(event.event)
  return readReceipt(
    {
      // A temporary failure is tried again.
      kind: kind === 'bounced' && severity === 'temporary' ? 'delayed' : kind,
      ...{ deliveryId: variables?.delivery_id, at, address, url },
      error: words || reason || reject?.reason,
      gone: isOfMail ? undefined : GONE.get(reason),
      // https://documentation.mailgun.com/docs/mailgun/user-manual/tracking-messages/open-click-bot-detect
      isAutomated: typeof client?.bot === 'string' && client.bot !== '',
    },
    now,
  )
}

interface FormFile {
  field: string
  filename: string
  contentType: string
  /** Base64 of the bytes. */
  content: string
}

/** RFC 7578. `seed` is unique to the message: an author cannot guess the boundary that is made of it. */
function multipartForm(
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FormFile[],
  seed: string,
): { contentType: string; bytes: Uint8Array } {
  const boundary = `form-${createHash('sha256').update(seed).digest('hex').slice(0, 32)}`
  const head = (field: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(field)}"${more}\r\n`
  const parts: (string | Uint8Array)[] = fields.map(([name, value]) => `${head(name)}\r\n${value}\r\n`)
  for (const { field, filename, contentType, content } of files) {
    parts.push(`${head(field, `; filename="${escaped(filename)}"`)}Content-Type: ${oneLine(contentType)}\r\n\r\n`)
    parts.push(Buffer.from(content, 'base64'), '\r\n')
  }
  parts.push(`--${boundary}--\r\n`)
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes }
}

/** As browsers write names: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const escaped = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const oneLine = (text: string) => text.replace(/[\r\n]/g, '')
