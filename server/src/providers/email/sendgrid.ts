/** Mail through SendGrid's v3 API: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
import { type Static, Type } from 'typebox'
import type { MailAddress, MailAttachment } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { parseMailAddress } from '../../base/mail-address.ts'
import { isReservedMailHeader } from '../../base/mail-header-names.ts'
import { httpSignIn } from '../credentials-check.ts'
import { given, headersAt, lineAt, objectAt, read } from '../draft.ts'
import { addressAt, addressesAt, attachmentsAt } from '../mail-parts.ts'
import { byStatus, rejected } from '../outcome.ts'
import { type Attempt, type Composition, DraftInvalid, provider } from '../provider.ts'
import { Address, BaseUrl, Secret } from '../settings.ts'
import { apiAddress } from '../web-address.ts'

const HOME = 'https://api.sendgrid.com'

const Settings = Type.Object(
  {
    apiKey: Secret('API key', 'A key with the permission "Mail Send"'),
    fromAddress: Address('From address', 'A verified sender'),
    fromName: Type.Optional(Type.String({ title: 'From name', description: 'The name of the sender', maxLength: 200 })),
    replyTo: Type.Optional(Address('Reply to', 'Where replies go')),
    baseUrl: BaseUrl(HOME),
  },
  { additionalProperties: false },
)

type Settings = Static<typeof Settings>
type Draft = { body: JsonObject }

export default provider({
  key: 'sendgrid',
  title: 'SendGrid',
  description: 'Mail through Twilio SendGrid',
  website: 'https://sendgrid.com',
  channels: ['email'],
  dialect: 'html',
  settings: Settings,
  profileKeys: ['email'],

  contact: (profile): MailAddress | undefined =>
    typeof profile.email === 'string' ? parseMailAddress(profile.email) : undefined,

  compose({ content, email, to, settings, message }: Composition<MailAddress, Settings>): Draft {
    const sender = addressAt(email.from, 'from')
    const [replyTo, ...moreReplies] = addressesAt(email.replyTo ?? settings.replyTo, 'replyTo').map(party)
    const cc = addressesAt(email.cc, 'cc').map(party)
    const bcc = addressesAt(email.bcc, 'bcc').map(party)
    const headers = headersAt(email.headers, 'headers', isReservedMailHeader)
    const attachments = attachmentsAt(email.attachments, 'attachments').map(attached)
    const body: JsonObject = {
      personalizations: [{ to: [party(to)], ...(cc.length > 0 ? { cc } : {}), ...(bcc.length > 0 ? { bcc } : {}) }],
      from: party(sender ?? { name: settings.fromName ?? '', address: settings.fromAddress }),
      subject: lineAt(content.subject, 'subject') ?? '',
      // The plain part must come first, and an empty part is refused.
      content: [
        { type: 'text/plain', value: content.text },
        { type: 'text/html', value: content.html },
      ].filter((part) => part.value !== ''),
      custom_args: { message_id: message.id, delivery_id: message.deliveryId },
    }
    if (replyTo)
      Object.assign(body, moreReplies.length > 0 ? { reply_to_list: [replyTo, ...moreReplies] } : { reply_to: replyTo })
    if (Object.keys(headers).length > 0) body.headers = headers
    if (attachments.length > 0) body.attachments = attachments
    return { body }
  },

  /** Every key may read what it is allowed: https://www.twilio.com/docs/sendgrid/api-reference/api-key-permissions */
  signIn({ apiKey, baseUrl }) {
    const url = apiAddress(baseUrl ?? HOME, '/v3/scopes')
    const headers = { accept: 'application/json', authorization: `Bearer ${apiKey}` }
    return url === undefined
      ? undefined
      : httpSignIn({ method: 'GET', url, headers }, { explain: firstError, secrets: [apiKey] })
  },

  *deliver({ draft, settings, now }: Attempt<MailAddress, Draft, Settings>) {
    const body = read(() => checkedBody(draft))
    if ('refusal' in body) return body.refusal
    if (!settings.apiKey) return rejected('configuration', 'The integration has no API key for this address')
    const url = apiAddress(settings.baseUrl ?? HOME, '/v3/mail/send')
    if (!url) return rejected('configuration', 'The base URL is not a web address')
    const reply = yield {
      kind: 'http',
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${settings.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body.value),
      final: true,
    }
    const trouble = byStatus(reply, now, { explain: firstError, secrets: [settings.apiKey] })
    if (trouble) return trouble
    const id = reply.kind === 'http' ? reply.headers['x-message-id'] : undefined
    return { kind: 'sent', reference: id ? { 'x-message-id': id } : {}, delivered: false }
  },
})

const party = ({ name, address }: MailAddress) => ({ email: address, ...(name ? { name } : {}) })

const attached = ({ content, contentType, filename, disposition, contentId }: MailAttachment) => ({
  content,
  type: contentType,
  filename,
  ...(disposition ? { disposition } : {}),
  ...(contentId ? { content_id: contentId } : {}),
})

/** The body as the caller's override left it, with every address in SendGrid's form and no line break in a header. */
function checkedBody(draft: Draft): JsonObject {
  const body = objectAt(draft, 'body')
  const from = addressAt(body.from, 'from')
  if (!from) throw new DraftInvalid('from is missing')
  const { personalizations } = body
  if (!Array.isArray(personalizations) || personalizations.length === 0)
    throw new DraftInvalid('personalizations must be an array with an entry')
  lineAt(body.subject, 'subject')
  headersAt(body.headers, 'headers', isReservedMailHeader)
  if (given(body.attachments) && !Array.isArray(body.attachments))
    throw new DraftInvalid('attachments must be an array')
  const replyTo = addressAt(body.reply_to, 'reply_to')
  return {
    ...body,
    personalizations: personalizations.map(checkedPersonalization),
    from: party(from),
    ...(replyTo ? { reply_to: party(replyTo) } : {}),
    ...(given(body.reply_to_list)
      ? { reply_to_list: addressesAt(body.reply_to_list, 'reply_to_list').map(party) }
      : {}),
  }
}

function checkedPersonalization(entry: unknown): JsonObject {
  if (!isObject(entry)) throw new DraftInvalid('personalizations must hold objects')
  lineAt(entry.subject, 'personalizations.subject')
  headersAt(entry.headers, 'personalizations.headers', isReservedMailHeader)
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
