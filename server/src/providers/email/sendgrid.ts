/** Mail through SendGrid's v3 API: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
import type { MailAddress, MailAttachment } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { apiAddress, apiUrl, bearer, credential, postJson, signInByGet } from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { addressAt, addressesAt, composeMail, mailHeadersAt, mailProvider, withoutEmpty } from '../mail-parts.ts'
import { byStatus } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt } from '../provider.ts'
import { BaseUrl, Secret, sender } from '../settings.ts'

const HOME = 'https://api.sendgrid.com'

export default defineProvider({
  ...mailProvider,
  key: 'sendgrid',
  title: 'SendGrid',
  description: 'Mail through Twilio SendGrid',
  website: 'https://sendgrid.com',
  // https://www.twilio.com/docs/sendgrid/api-reference/mail-send/limitations
  limits: { requestBytes: megabytes(30) },
  settings: {
    apiKey: Secret('API key', 'A key with the permission "Mail Send"'),
    ...sender('A verified sender'),
    baseUrl: BaseUrl(HOME),
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
