/** Telegram, by a bot: https://core.telegram.org/bots/api#sendmessage */
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { Content, ContentElement } from '../../base/rendered-content.ts'
import { isButton, isPicture, textOf } from '../chat-parts.ts'
import { apiAddress, apiUrl, credential, postJson, signInByGet } from '../http-api.ts'
import { byStatus, type FailedOutcome, type Gone, parseBody, pauseMs, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, lineAt, objectAt, Rejection, textAt } from '../provider.ts'
import { BaseUrl, Secret } from '../settings.ts'

const HOME = 'https://api.telegram.org'

interface Target {
  chat_id: string | number
  message_thread_id?: number
}

export default defineProvider({
  key: 'telegram',
  title: 'Telegram',
  description: 'Messages of a bot to chats of Telegram',
  website: 'https://core.telegram.org/bots',
  // After the entities are parsed: https://core.telegram.org/bots/api#sendmessage
  limits: { characters: { text: 4_096 }, counted: (text, valueAt) => parsedText(text, valueAt('parse_mode')) },
  channels: ['direct_message'],
  dialect: 'telegram',
  profileKeys: ['telegram'],
  profileOf: (chat) => ({ telegram: { chat_id: chat } }),
  settings: {
    botToken: Secret('Bot token', 'The token from @BotFather: a number, a colon and letters'),
    baseUrl: BaseUrl(HOME),
  },
  example: {
    settings: { botToken: '123456:ABC-DEF' },
    profile: { telegram: { chat_id: 123456789 } },
    override: { body: { disable_notification: true } },
    reply: { ok: true, result: { message_id: 7, chat: { id: 123456789 } } },
  },

  settingsError: ({ botToken }) => (isToken(botToken) ? undefined : 'botToken: a token has no spaces and no slashes'),

  contact({ telegram }): Target | undefined {
    if (!isObject(telegram)) return undefined
    const { chat_id: chat, message_thread_id: thread } = telegram
    if (!isChat(chat)) return undefined
    return { chat_id: chat, ...(Number.isSafeInteger(thread) && { message_thread_id: thread as number }) }
  },

  compose: ({ content, to }): { body: JsonObject } => ({
    body: { ...to, ...shown(content), parse_mode: 'HTML' },
  }),

  /** https://core.telegram.org/bots/api#getme */
  signIn({ botToken, baseUrl }) {
    const url = isToken(botToken) ? apiAddress(baseUrl ?? HOME, `/bot${botToken}/getMe`) : undefined
    return signInByGet(url, {}, { explain: errorOf, secrets: [botToken] })
  },

  *deliver({ draft, to, settings, now }) {
    const body = checkedBody(objectAt(draft, 'body'))
    const token = credential(settings.botToken, 'bot token')
    if (!isToken(token)) throw new Rejection('configuration', 'The bot token has characters that no token has')
    const url = apiUrl(settings.baseUrl ?? HOME, `/bot${token}/sendMessage`)
    const post = (fields: JsonObject): HttpRequest => postJson(url, {}, fields)
    let reply = yield post(body)
    // A text that was written by hand need not be HTML; nothing was sent.
    if (isUnparsable(reply) && isPresent(body.parse_mode)) {
      const { parse_mode: _, ...plain } = body
      reply = yield post(plain)
    }
    const failed = byAnswer(reply, now, token, body.chat_id === to.chat_id)
    if (failed) return failed
    const { result } = answerOf(reply)
    const { message_id: id, chat } = isObject(result) ? result : {}
    if (typeof id !== 'number') return { kind: 'in_doubt', error: 'Telegram answered without a message id' }
    const reference = { chat_id: String(isObject(chat) ? chat.id : body.chat_id), message_id: String(id) }
    return { kind: 'sent', reference, delivered: true }
  },
})

/** It stands in the path of a request. */
const isToken = (token: string) => /^[\w:-]+$/.test(token)

/** An id, or the name of a public channel or group. */
const isChat = (value: unknown): value is string | number =>
  Number.isSafeInteger(value) || (typeof value === 'string' && /^(?:-?\d{1,20}|@\w{3,64})$/.test(value))

/** An inline keyboard has at most 100 buttons. */
const BUTTONS_MAX = 100
const BUTTON_URL_MAX = 2_048

function shown({ elements, text, title }: Content): JsonObject {
  if (!elements) return { text: text || title }
  const buttons = elements.filter((element) => isButton(element, BUTTON_URL_MAX)).slice(0, BUTTONS_MAX)
  const picture = elements.find(isPicture)
  const native = new Set<ContentElement>(buttons)
  // A message shows one picture, as the preview of its address; one with a link stays in the text as well.
  if (picture && picture.href === undefined) native.add(picture)
  const rest = textOf(elements.filter((element) => !native.has(element)))
  return {
    // A message must have a text.
    text: rest || title || text,
    ...(buttons.length > 0 && {
      reply_markup: { inline_keyboard: buttons.map(({ plain, url }) => [{ text: plain, url }]) },
    }),
    ...(picture && {
      link_preview_options: {
        url: picture.url,
        prefer_large_media: true,
        ...(elements[0] === picture && { show_above_text: true }),
      },
    }),
  }
}

const REFERENCES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }
const codePoint = (code: number) => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '')

/**
 * The text that Telegram counts, and nothing that it may drop: https://core.telegram.org/bots/api#formatting-options
 * In Markdown every mark and every target of a link is taken for one, so that no text is refused that Telegram takes.
 */
function parsedText(text: string, mode: unknown): string {
  const name = typeof mode === 'string' ? mode.toLowerCase() : ''
  if (name.startsWith('markdown'))
    return text
      .replace(/\]\([^)]*\)/g, ']')
      .replace(/[*_~|`[\]\\>!]/g, '')
      .trim()
  if (name !== 'html') return text.trim()
  return text
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot));/gi, (_, decimal, hex, word) =>
      word ? (REFERENCES[word.toLowerCase()] ?? '') : codePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .trim()
}

function checkedBody(body: JsonObject): JsonObject {
  if (!isPresent(body.chat_id)) throw new DraftInvalid('chat_id is missing')
  if (typeof body.chat_id !== 'number') lineAt(body.chat_id, 'chat_id')
  if (!textAt(body.text, 'text')) throw new DraftInvalid('text is missing')
  return body
}

function answerOf(reply: Reply): JsonObject {
  const body = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(body) ? body : {}
}

const isUnparsable = (reply: Reply) =>
  reply.kind === 'http' && reply.status === 400 && /can't parse entities/i.test(errorOf(answerOf(reply)) ?? '')

/** Errors have a sentence and no codes: https://core.telegram.org/bots/api#making-requests */
const NO_RECIPIENT =
  /chat not found|user not found|peer_id_invalid|chat_id is empty|upgraded to a supergroup|not enough rights|have no rights|administrator rights|chat_write_forbidden|topic_closed|message thread not found|bots? (?:was|is) (?:kicked|not a member)/i

function byAnswer(reply: Reply, now: number, token: string, isOwnAddress: boolean): FailedOutcome | undefined {
  const failed = byStatus(reply, now, { explain: errorOf, secrets: [token] })
  if (reply.kind !== 'http') return failed
  const answer = answerOf(reply)
  if (!failed) {
    if (answer.ok === true) return undefined
    return { kind: 'in_doubt', error: 'The answer is not from Telegram' }
  }
  if (failed.kind === 'retry') {
    const { retry_after: pause } = isObject(answer.parameters) ? answer.parameters : {}
    const wait = pauseMs(pause)
    return wait === undefined ? failed : { ...failed, retryAfterMs: wait }
  }
  const scope = scopeOf(reply.status, answer)
  if (failed.kind !== 'rejected' || !scope) return failed
  const gone = isOwnAddress ? goneOf(errorOf(answer) ?? '') : undefined
  return { ...failed, scope, ...(gone && { gone }) }
}

function goneOf(error: string): Gone | undefined {
  if (/bot was blocked by the user/i.test(error)) return 'unsubscribed'
  return /user is deactivated|upgraded to a supergroup/i.test(error) ? 'invalid_address' : undefined
}

function scopeOf(status: number, answer: JsonObject): Scope | undefined {
  // 403: the user blocked the bot, never started it or is deactivated, or the bot is not in the group.
  if (status === 403 && answer.ok === false) return 'recipient'
  return status === 400 && NO_RECIPIENT.test(errorOf(answer) ?? '') ? 'recipient' : undefined
}

function errorOf(body: unknown): string | undefined {
  if (!isObject(body) || typeof body.description !== 'string') return undefined
  const { migrate_to_chat_id: moved } = isObject(body.parameters) ? body.parameters : {}
  return moved === undefined ? body.description : `${body.description}; its chat_id is now ${moved}`
}
