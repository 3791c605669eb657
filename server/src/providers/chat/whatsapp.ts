/** WhatsApp, by Meta's Cloud API: https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages */
import { createHmac } from 'node:crypto'
import { Type } from 'typebox'
import type { Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { digitsOf, phoneNumber } from '../../base/phone-number.ts'
import type { Content } from '../../base/rendered-content.ts'
import {
  accepted,
  type CallbackOutcome,
  type CallbackRequest,
  isSameText,
  type Receipt,
  readDeliveryId,
  readJson,
  readTime,
  refused,
} from '../callback.ts'
import { isButton, isPicture, shortened, textOf } from '../chat-parts.ts'
import { apiAddress, apiUrl, bearer, credential, postJson, signInByGet } from '../http-api.ts'
import { byStatus, type FailedOutcome, parseBody, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt, textAt } from '../provider.ts'
import { BaseUrl, inGroup, Secret, Text } from '../settings.ts'

const HOME = 'https://graph.facebook.com/v23.0'

export default defineProvider({
  key: 'whatsapp',
  title: 'WhatsApp',
  description: 'Templates and texts through the Cloud API of WhatsApp',
  website: 'https://developers.facebook.com/docs/whatsapp',
  limits: { characters: { 'text.body': 4_096 } },
  channels: ['direct_message'],
  dialect: 'whatsapp',
  profileKeys: ['phone_number'],
  profileOf: (number) => ({ phone_number: number }),
  settings: {
    phoneNumberId: Text('Phone number id', 'The id of the sender at Meta, not its number', {
      minLength: 1,
      maxLength: 64,
    }),
    accessToken: Secret('Access token', 'A token of a system user with whatsapp_business_messaging'),
    template: Type.Optional(
      Text(
        'Template',
        'An approved template with one variable in its body. The variable gets the text of the message',
        {
          maxLength: 512,
        },
      ),
    ),
    templateLanguage: Type.Optional(
      Type.String({
        title: 'Language of the template',
        description: 'The language code of the template at Meta',
        default: 'en_US',
        minLength: 2,
        maxLength: 16,
      }),
    ),
    baseUrl: BaseUrl(HOME),
    ...inGroup('callbacks', {
      appSecret: Type.Optional(
        Secret('App secret', 'Verifies callbacks. Meta shows it under App settings, Basic, App secret'),
      ),
      verifyToken: Type.Optional(
        Secret('Verify token', 'A text of your choice. Meta repeats it when it verifies the callback address'),
      ),
    }),
  },
  example: {
    settings: { phoneNumberId: '106540352242922', accessToken: '…' },
    profile: { phone_number: '+12025550143' },
    override: { body: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } } },
    reply: { messaging_product: 'whatsapp', messages: [{ id: 'wamid.HBgL' }] },
  },

  contact: phoneNumber,

  compose({ content, to, settings, message }): { body: JsonObject } {
    const { template, templateLanguage = 'en_US' } = settings
    const ownTemplate = rawTemplate(content.raw?.whatsappTemplate)
    const shown = ownTemplate
      ? { type: 'template', template: ownTemplate }
      : template
        ? { type: 'template', template: filled(template, templateLanguage, content) }
        : free(content)
    return {
      body: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: digitsOf(to),
        ...shown,
        // Receipts repeat it.
        biz_opaque_callback_data: message.deliveryId,
      },
    }
  },

  /** https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status/ */
  signIn({ phoneNumberId, accessToken, baseUrl }) {
    const url = apiAddress(baseUrl ?? HOME, `/${encodeURIComponent(phoneNumberId)}?fields=verified_name`)
    return signInByGet(url, bearer(accessToken), { explain: errorOf, secrets: [accessToken] })
  },

  callbacks: {
    setup:
      'Store the secret of the app as `appSecret`, and a text of your choice as `verifyToken`. Then open the Configuration of WhatsApp in the App Dashboard of Meta, enter `callback_url` of the integration and that text, and subscribe to `messages`.',
    read: (request, { appSecret, verifyToken }) =>
      request.method === 'GET' ? verified(request, verifyToken) : received(request, appSecret),
  },

  *deliver({ draft, settings, now }) {
    const body = checkedBody(objectAt(draft, 'body'))
    const token = credential(settings.accessToken, 'access token')
    const url = apiUrl(settings.baseUrl ?? HOME, `/${encodeURIComponent(settings.phoneNumberId)}/messages`)
    const reply = yield postJson(url, bearer(token), body)
    const { template } = body
    // A template that only one message names is no error of the integration.
    const isOwn = isObject(template) && template.name !== settings.template
    const failed = byAnswer(reply, now, token, isOwn ? 'content' : 'configuration')
    if (failed) return failed
    const { messages } = answerOf(reply)
    const [first] = Array.isArray(messages) ? messages : []
    if (!isObject(first) || typeof first.id !== 'string')
      return { kind: 'in_doubt', error: 'WhatsApp answered without a message id' }
    return { kind: 'sent', reference: { id: first.id }, delivered: false }
  },
})

function rawTemplate(value: unknown): JsonObject | undefined {
  if (!isPresent(value)) return undefined
  if (!isObject(value)) throw new DraftInvalid('raw.whatsappTemplate must be an object')
  return value
}

/** Refused in parameters (132018): line breaks, tabs and more than four spaces. */
const inOneLine = (text: string) =>
  text.replace(/\s+/g, (run) => (run.length > 4 || /[^ \u00a0\u202f]/.test(run) ? ' ' : run)).trim()

/** A template with the texts of its parameters in one line: of header, body and buttons, and of the cards of a carousel. */
function withOneLineTexts<Part>(part: Part): Part {
  if (!isObject(part)) return part
  const { components, parameters, cards } = part
  return {
    ...part,
    ...(Array.isArray(components) && { components: components.map(withOneLineTexts) }),
    ...(Array.isArray(cards) && { cards: cards.map(withOneLineTexts) }),
    ...(Array.isArray(parameters) && { parameters: parameters.map(parameterInOneLine) }),
  }
}

/** https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages#parameter-object */
function parameterInOneLine(parameter: unknown): unknown {
  if (!isObject(parameter)) return parameter
  const shown = { ...parameter }
  if (typeof shown.text === 'string') shown.text = inOneLine(shown.text)
  for (const name of ['currency', 'date_time']) {
    const value = shown[name]
    if (isObject(value) && typeof value.fallback_value === 'string')
      shown[name] = { ...value, fallback_value: inOneLine(value.fallback_value) }
  }
  return shown
}

/** A parameter is one line without runs of spaces, and the body with it has at most 1,024 characters. */
function filled(name: string, code: string, { body, text, title }: Content): JsonObject {
  const parameter = { type: 'text', text: shortened((body || text || title).replace(/\s+/g, ' ').trim(), 1_024) }
  return { name, language: { code }, components: [{ type: 'body', parameters: [parameter] }] }
}

/** https://developers.facebook.com/docs/whatsapp/cloud-api/messages/interactive-cta-url-messages */
const INTERACTIVE_TEXT_MAX = 1_024
const LABEL_MAX = 20
/** https://developers.facebook.com/docs/whatsapp/cloud-api/messages/image-messages */
const CAPTION_MAX = 1_024
const BUTTON_URL_MAX = 2_000

/** Delivered only while the recipient's last message is at most 24 hours old. One button, one picture, or text. */
function free({ elements = [], text, title }: Content): JsonObject {
  const all = text || title
  const [button, ...furtherButtons] = elements.filter((element) => isButton(element, BUTTON_URL_MAX))
  const [picture, ...furtherPictures] = elements.filter(isPicture)
  const asText = { type: 'text', text: { body: all, preview_url: /https?:\/\//i.test(all) } }
  if (furtherPictures.length > 0 || picture?.href !== undefined) return asText
  const rest = textOf(elements.filter((element) => element !== button && element !== picture))
  if (button && furtherButtons.length === 0) {
    if (rest === '' || rest.length > INTERACTIVE_TEXT_MAX || button.plain.length > LABEL_MAX) return asText
    const header = picture ? { header: { type: 'image', image: { link: picture.url } } } : {}
    const action = { name: 'cta_url', parameters: { display_text: button.plain, url: button.url } }
    return { type: 'interactive', interactive: { type: 'cta_url', ...header, body: { text: rest }, action } }
  }
  if (!picture || furtherButtons.length > 0 || rest.length > CAPTION_MAX) return asText
  return { type: 'image', image: { link: picture.url, ...(rest && { caption: rest }) } }
}

/** Contents of the types that an override may choose; those of other types are refused by the API. */
const TYPES = [
  'text',
  'template',
  'interactive',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
]

function checkedBody(body: JsonObject): JsonObject {
  if (!lineAt(body.to, 'to')) throw new DraftInvalid('to is missing')
  // An override with a template means it, whatever the content would have been.
  const type = isPresent(body.template) ? 'template' : (textAt(body.type, 'type') ?? 'text')
  const content = body[type]
  if (!isPresent(content)) throw new DraftInvalid(`${type} is missing`)
  if (type === 'text' && (!isObject(content) || !textAt(content.body, 'text.body')))
    throw new DraftInvalid('text.body is missing')
  const others = Object.fromEntries(Object.entries(body).filter(([name]) => !TYPES.includes(name)))
  return { ...others, type, [type]: type === 'template' ? withOneLineTexts(content) : content }
}

function answerOf(reply: Reply): JsonObject {
  const body = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(body) ? body : {}
}

/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes; others mean what their status means. */
const SCOPES: ReadonlyMap<number, Scope> = new Map([
  // Not on WhatsApp, an experiment, the sender itself, outside the 24 hours, limits of marketing, opted out.
  ...[130472, 130497, 131021, 131026, 131030, 131047, 131049, 131050].map((code) => [code, 'recipient'] as const),
  ...[
    0, 3, 10, 33, 190, 368, 131005, 131031, 131037, 131042, 131045, 131055, 133000, 133004, 133005, 133006, 133008,
    133009, 133010, 133015,
  ].map((code) => [code, 'configuration'] as const),
  ...[100, 131008, 131009, 131051, 131052, 131053, 132000, 132005, 132012, 132018, 135000].map(
    (code) => [code, 'content'] as const,
  ),
])
/** Unknown, paused, disabled or against a policy. */
const TEMPLATE_UNUSABLE = [132001, 132007, 132015, 132016]
/** The app, the account, the number, spam, the pair of sender and recipient. */
const LIMITS = [4, 80007, 130429, 131048, 131056, 133016]
const UNAVAILABLE = [1, 2, 131000, 131016, 131057]

function byAnswer(reply: Reply, now: number, token: string, templateOwner: Scope): FailedOutcome | undefined {
  const failed = byStatus(reply, now, { explain: errorOf, secrets: [token] })
  const { error: failure } = answerOf(reply)
  if (!failed || !isObject(failure) || typeof failure.code !== 'number') return failed
  const { code } = failure
  const { error } = failed
  if (LIMITS.includes(code)) {
    const after =
      failed.kind === 'retry' && failed.retryAfterMs !== undefined ? { retryAfterMs: failed.retryAfterMs } : {}
    return { kind: 'retry', error, attempted: false, ...after }
  }
  if (UNAVAILABLE.includes(code)) return { kind: 'retry', error, attempted: true }
  if (TEMPLATE_UNUSABLE.includes(code)) return { kind: 'rejected', scope: templateOwner, error }
  const isPermission = code >= 200 && code < 300
  const scope = isPermission ? 'configuration' : SCOPES.get(code)
  // Some rejections come with status 500; a 503 of a proxy has no code.
  return scope ? { kind: 'rejected', scope, error } : failed
}

function errorOf(body: unknown): string | undefined {
  const { message, code, error_data: data } = isObject(body) && isObject(body.error) ? body.error : {}
  if (typeof message !== 'string') return undefined
  const details = isObject(data) && typeof data.details === 'string' ? `: ${data.details}` : ''
  return `${message}${typeof code === 'number' && !message.includes(`(#${code})`) ? ` (${code})` : ''}${details}`
}

/** https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests */
function verified({ url }: CallbackRequest, verifyToken: string | undefined): CallbackOutcome {
  if (!verifyToken) return refused('The integration has no verifyToken to verify the address with')
  const parameters = new URL(url).searchParams
  const challenge = parameters.get('hub.challenge')
  if (parameters.get('hub.mode') !== 'subscribe' || !challenge) return refused('The request verifies no address')
  if (!isSameText(parameters.get('hub.verify_token') ?? '', verifyToken)) return refused('The verify token is wrong')
  return { kind: 'accepted', receipts: [], reply: challenge }
}

/** HMAC-SHA256 over the body: https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validate-payloads */
function received({ headers, body, now }: CallbackRequest, appSecret: string | undefined): CallbackOutcome {
  if (!appSecret) return refused('The integration has no appSecret to verify callbacks with')
  const expected = `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
  if (!isSameText(headers['x-hub-signature-256'] ?? '', expected)) return refused('The signature is missing or wrong')
  return accepted(statusesOf(readJson(body)).map((status) => receiptOf(status, now)))
}

/** Those of all numbers of the account; changes may be something else, as a message of a person. */
function statusesOf(body: unknown): JsonObject[] {
  const objectsAt = (value: unknown, name: string) => {
    const list = isObject(value) ? value[name] : undefined
    return Array.isArray(list) ? list.filter(isObject) : []
  }
  return objectsAt(body, 'entry')
    .flatMap((entry) => objectsAt(entry, 'changes'))
    .flatMap(({ value }) => objectsAt(value, 'statuses'))
}

/**
 * https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/reference/messages/status; `sent` is no receipt. No
 * failure is for good: 131026 has several causes, and 131050 stops only what is marketing.
 */
function receiptOf(status: JsonObject, now: number): Receipt | undefined {
  const deliveryId = readDeliveryId(status.biz_opaque_callback_data)
  if (deliveryId === undefined) return undefined
  const at = readTime(status.timestamp, now)
  const address = typeof status.recipient_id === 'string' && { address: status.recipient_id }
  switch (status.status) {
    case 'delivered':
      return { deliveryId, kind: 'delivered', at, ...address }
    case 'read':
      return { deliveryId, kind: 'opened', at, ...address }
    case 'failed': {
      const [failure]: unknown[] = Array.isArray(status.errors) ? status.errors : []
      const error = errorOf({ error: isObject(failure) ? { message: failure.title, ...failure } : {} })
      return { deliveryId, kind: 'bounced', at, error: error ?? 'WhatsApp reported a failure', ...address }
    }
    default:
      return undefined
  }
}
