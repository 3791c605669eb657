/** Discord, by a bot: to a channel, or to a user in a direct message. https://docs.discord.com/developers/resources/message#create-message */
import { createHash } from 'node:crypto'
import type { HttpRequest, Reply, Request } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { Content, ContentElement } from '../../base/rendered-content.ts'
import { HOUR } from '../../base/time/duration.ts'
import { isButton, isPicture, shortened, textOf } from '../chat-parts.ts'
import { apiAddress, apiUrl, credential, postJson, signInByGet } from '../http-api.ts'
import { byStatus, type FailedOutcome, parseBody, pauseMs, rejected, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, objectAt, textAt } from '../provider.ts'
import { BaseUrl, Secret } from '../settings.ts'

const HOME = 'https://discord.com/api/v10'

type Target = { channelId: string } | { userId: string }

export default defineProvider({
  key: 'discord',
  title: 'Discord',
  description: 'Messages of a bot to channels and users of Discord',
  website: 'https://discord.com/developers',
  limits: { characters: { content: 2_000 } },
  channels: ['direct_message'],
  dialect: 'discord',
  profileKeys: ['discord'],
  profileOf: (channel) => ({ discord: { channel_id: channel } }),
  settings: {
    botToken: Secret('Bot token', 'The token of the bot, without the word Bot'),
    baseUrl: BaseUrl(HOME),
  },
  example: {
    settings: { botToken: '…' },
    profile: { discord: { user_id: '80351110224678912' } },
    override: { body: { embeds: [{ title: 'Hello', color: 5_814_783 }] } },
    reply: { id: '162701077035089920', channel_id: '319674150115610528' },
  },

  contact: ({ discord }): Target | undefined => {
    if (!isObject(discord)) return undefined
    if (isSnowflake(discord.channel_id)) return { channelId: discord.channel_id }
    return isSnowflake(discord.user_id) ? { userId: discord.user_id } : undefined
  },

  compose: ({ content, message }): { body: JsonObject } => ({
    body: {
      ...shown(content),
      // Values of a message must not call everyone; an override may allow it.
      allowed_mentions: { parse: [] },
      nonce: nonceOf(message.deliveryId),
      enforce_nonce: true,
    },
  }),

  /** https://docs.discord.com/developers/resources/user#get-current-user */
  signIn({ botToken, baseUrl }) {
    const url = apiAddress(baseUrl ?? HOME, '/users/@me')
    return signInByGet(url, headersOf(botToken), { explain: errorOf, secrets: [botToken] })
  },

  *deliver({ draft, to, settings, now }) {
    const body = checkedBody(objectAt(draft, 'body'))
    const token = credential(settings.botToken, 'bot token')
    const base = apiUrl(settings.baseUrl ?? HOME, '')
    const channel = 'channelId' in to ? to.channelId : yield* directChannel(base, token, to.userId, now)
    if (typeof channel !== 'string') return channel
    const reply = yield postJson(`${base}/channels/${channel}/messages`, headersOf(token), body)
    const failed = byAnswer(reply, now, token, true)
    if (failed) return failed
    const { id, channel_id: posted } = answerOf(reply)
    if (typeof id !== 'string') return { kind: 'in_doubt', error: 'Discord answered without a message id' }
    const reference = { channel_id: typeof posted === 'string' ? posted : channel, id }
    return { kind: 'sent', reference, delivered: true }
  },
})

const isSnowflake = (value: unknown): value is string => typeof value === 'string' && /^\d{5,20}$/.test(value)

/** The same for every attempt: Discord returns the message that has it. It has at most 25 characters. */
const nonceOf = (deliveryId: string) => createHash('sha256').update(deliveryId).digest('base64url').slice(0, 25)

/** A user agent in this form is required: https://docs.discord.com/developers/reference#user-agent */
const headersOf = (token: string) => ({
  authorization: `Bot ${token}`,
  'user-agent': 'DiscordBot (https://www.npmjs.com/package/postrider, 1)',
})

/** https://docs.discord.com/developers/components/reference: five rows of five buttons. */
const BUTTONS_A_ROW = 5
const BUTTONS_MAX = 25
const LABEL_MAX = 80
const BUTTON_URL_MAX = 512
/** https://docs.discord.com/developers/resources/message#create-message */
const EMBEDS_MAX = 10

function shown({ elements, text, title }: Content): JsonObject {
  if (!elements) return { content: text || title }
  const buttons = elements.filter((element) => isButton(element, BUTTON_URL_MAX)).slice(0, BUTTONS_MAX)
  const pictures = elements.filter(isPicture).slice(0, EMBEDS_MAX)
  const native = new Set<ContentElement>([...buttons, ...pictures])
  const rows = Array.from({ length: Math.ceil(buttons.length / BUTTONS_A_ROW) }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * BUTTONS_A_ROW, (row + 1) * BUTTONS_A_ROW).map(({ plain, url }) => ({
      type: 2,
      style: 5,
      label: shortened(plain, LABEL_MAX),
      url,
    })),
  }))
  const rest = textOf(
    elements.filter((element) => !native.has(element)),
    markdownOf,
  )
  return {
    // Buttons alone are refused.
    content: rest || (pictures.length > 0 ? '' : title || text),
    ...(pictures.length > 0 && { embeds: pictures.map(embedOf) }),
    ...(rows.length > 0 && { components: rows }),
  }
}

const embedOf = ({ url, href, plain }: Extract<ContentElement, { type: 'image' }>) => ({
  image: { url },
  ...(plain && { description: shortened(plain, 4_096) }),
  ...(href !== undefined && { title: shortened(plain || href, 256), url: href }),
})

/** Headings and small text have a mark at the beginning of a line; a heading is one line. */
function markdownOf(element: ContentElement): string {
  if (element.type === 'heading') return `${'#'.repeat(element.level)} ${element.inner.replace(/\n+/g, ' ')}`
  return element.type === 'subtext' ? element.text.replace(/^(?=.)/gm, '-# ') : element.text
}

function checkedBody(body: JsonObject): JsonObject {
  textAt(body.content, 'content')
  const filled = [body.content, body.sticker_ids, body.poll, body.message_reference].some(isPresent)
  const listed = [body.embeds, body.components].some((list) => Array.isArray(list) && list.length > 0)
  if (!filled && !listed) throw new DraftInvalid('content is missing')
  return body
}

/** https://docs.discord.com/developers/resources/user#create-dm: the same channel each time. */
function* directChannel(
  base: string,
  token: string,
  userId: string,
  now: number,
): Generator<Request, string | FailedOutcome, Reply> {
  // The base is part of the key: the reply of another host is never used for Discord's.
  const key = createHash('sha256')
    .update(JSON.stringify([base, token, userId]))
    .digest('hex')
  const request: HttpRequest = {
    ...postJson(`${base}/users/@me/channels`, headersOf(token), { recipient_id: userId }),
    final: false,
    cache: { key: `discord:dm:${key}`, lifetimeMs: HOUR, containing: '"id"' },
  }
  const reply = yield request
  const failed = byAnswer(reply, now, token, false)
  if (failed) return failed
  const { id } = answerOf(reply)
  return isSnowflake(id) ? id : rejected('recipient', 'Discord opened no channel for direct messages')
}

function answerOf(reply: Reply): JsonObject {
  const body = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(body) ? body : {}
}

const UNKNOWN_CHANNEL = 10003
const UNKNOWN_USER = 10013
/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json; others mean what their status means. */
const SCOPES: ReadonlyMap<unknown, Scope> = new Map([
  // No access to the channel, no permission to write there, direct messages closed or archived.
  ...[UNKNOWN_CHANNEL, UNKNOWN_USER, 50001, 50007, 50008, 50013, 50083, 50278].map(
    (code) => [code, 'recipient'] as const,
  ),
  ...[40001, 40002, 50014].map((code) => [code, 'configuration'] as const),
])
/** Direct messages opened too fast, slow mode, and the limit of a channel. */
const LIMITS: ReadonlySet<unknown> = new Set([40003, 20016, 20028, 20029])

function byAnswer(reply: Reply, now: number, token: string, final: boolean): FailedOutcome | undefined {
  const failed = byStatus(reply, now, { explain: errorOf, missing: 'recipient', final, secrets: [token] })
  if (!failed || reply.kind !== 'http') return failed
  const { code, retry_after: pause } = answerOf(reply)
  if (reply.status === 429 || (reply.status < 500 && LIMITS.has(code))) {
    const wait = pauseMs(pause) ?? pauseMs(reply.headers['x-ratelimit-reset-after'])
    const statedPause = 'retryAfterMs' in failed ? failed.retryAfterMs : undefined
    const retryAfterMs = wait ?? statedPause
    return { kind: 'retry', error: failed.error, attempted: false, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  }
  if (failed.kind !== 'rejected') return failed
  const isGone = code === UNKNOWN_CHANNEL || code === UNKNOWN_USER
  return { ...failed, scope: SCOPES.get(code) ?? failed.scope, ...(isGone && { gone: 'invalid_address' }) }
}

/** The sentence, its code, and the first field that is at fault. */
function errorOf(body: unknown): string | undefined {
  if (!isObject(body) || typeof body.message !== 'string') return undefined
  const error = typeof body.code === 'number' ? `${body.message} (${body.code})` : body.message
  const field = isObject(body.errors) ? fieldOf(body.errors, '', 0) : undefined
  return field ? `${error}: ${field}` : error
}

const ERROR_DEPTH_MAX = 8

function fieldOf(errors: JsonObject, at: string, depth: number): string | undefined {
  const { _errors: ownErrors } = errors
  const [first] = Array.isArray(ownErrors) ? ownErrors : []
  if (isObject(first) && typeof first.message === 'string') return `${at} ${first.message}`.trim()
  if (depth === ERROR_DEPTH_MAX) return undefined
  for (const [name, value] of Object.entries(errors)) {
    const field = isObject(value) ? fieldOf(value, at ? `${at}.${name}` : name, depth + 1) : undefined
    if (field) return field
  }
  return undefined
}
