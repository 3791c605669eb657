/** Slack, by its Web API (to a channel, a user or a looked-up mail address) or an incoming webhook. */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { HttpRequest, Reply, Request } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { ContentElement } from '../../base/rendered-content.ts'
import { HOUR } from '../../base/time/duration.ts'
import { alternativeOf, isButton, isPicture, partsOf, shortened } from '../chat-parts.ts'
import { apiAddress, apiUrl, connection, formBody, httpSignIn, webAddress } from '../http-api.ts'
import {
  byStatus,
  type FailedOutcome,
  type Outcome,
  parseBody,
  rejected,
  retryAfterMs,
  type Scope,
} from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, objectAt, textAt } from '../provider.ts'
import { BaseUrl, Secret, Url } from '../settings.ts'

const HOME = 'https://slack.com/api'

/** One of `webhookUrl`, `channel` or `email` is there; the token may be the integration's. */
interface Target {
  token?: string
  channel?: string
  email?: string
  webhookUrl?: string
}

interface Credentials {
  token: string
  owner: Scope
}

export default defineProvider({
  key: 'slack',
  title: 'Slack',
  description: 'Messages to Slack channels and users',
  website: 'https://api.slack.com',
  // Slack cuts off what is longer: https://docs.slack.dev/reference/methods/chat.postMessage#truncating
  limits: { characters: { text: 40_000 } },
  channels: ['direct_message'],
  dialect: 'slack',
  profileKeys: ['slack'],
  profileOf: (address) => ({
    slack: /^https?:/.test(address)
      ? { incoming_webhook: { url: address } }
      : address.includes('@')
        ? { email: address }
        : { channel: address },
  }),
  ownAddresses: ['slack.incoming_webhook'],
  settings: {
    accessToken: Type.Optional(Secret('Access token', 'The bot token for profiles without a token of their own')),
    webhookUrl: Type.Optional(
      Url('Incoming webhook', 'An incoming webhook. If it is set, every message goes there', { secret: true }),
    ),
    baseUrl: BaseUrl(HOME),
  },
  example: {
    settings: { accessToken: 'xoxb-…' },
    profile: { slack: { email: 'ada@example.com' } },
    override: { body: { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Hello*' } }] } },
    reply: { ok: true, user: { id: 'U1' }, channel: 'C1', ts: '1.1' },
    rejections: [
      { reply: { ok: false, error: 'channel_not_found' }, outcome: { kind: 'rejected', scope: 'recipient' } },
    ],
  },

  contact: (profile, settings): Target | undefined => targetOf(profile) ?? (settings.webhookUrl ? {} : undefined),

  compose({ content }): { body: JsonObject } {
    const blocks = rawBlocks(content.raw?.slackBlocks) ?? blocksOf(content.elements)
    return { body: { text: content.text || content.title, ...(blocks ? { blocks } : {}) } }
  },

  /** https://docs.slack.dev/reference/methods/auth.test; a webhook would post any request as a message. */
  signIn({ accessToken, webhookUrl, baseUrl }) {
    if (webhookUrl) return connection(webhookUrl)
    const base = apiAddress(baseUrl ?? HOME, '')
    if (!accessToken || !base) return undefined
    const credentials: Credentials = { token: accessToken, owner: 'configuration' }
    const { kind: _kind, final: _final, ...request } = call(base, 'auth.test', accessToken, {}, false)
    return httpSignIn(request, { secrets: [accessToken] }, (reply) => byAnswer(reply, 0, credentials, false)?.error)
  },

  *deliver({ draft, to, settings, now }) {
    const body = checkedBody(draft)
    const channel = textAt(body.channel, 'channel') ?? to.channel
    if (settings.webhookUrl) return yield* postToWebhook(settings.webhookUrl, body, 'configuration', now)
    if (!channel && !to.email && to.webhookUrl) return yield* postToWebhook(to.webhookUrl, body, 'recipient', now)

    const token = to.token ?? settings.accessToken
    if (!token)
      return rejected('configuration', 'There is no access token, neither of the profile nor of the integration')
    // A revoked token of one profile does not concern the integration.
    const credentials: Credentials = { token, owner: to.token ? 'recipient' : 'configuration' }
    const base = apiUrl(settings.baseUrl ?? HOME, '')
    const target = channel ?? (yield* userByEmail(base, credentials, to.email ?? '', now))
    if (typeof target !== 'string') return target

    let reply = yield call(base, 'chat.postMessage', token, { ...body, channel: target }, true)
    const without = answerOf(reply).error === 'invalid_blocks' ? withoutPictures(body) : undefined
    if (without) reply = yield call(base, 'chat.postMessage', token, { ...without, channel: target }, true)
    const failed = byAnswer(reply, now, credentials, true)
    if (failed) return failed
    const { ts, channel: posted } = answerOf(reply)
    const reference = {
      channel: typeof posted === 'string' ? posted : target,
      ...(typeof ts === 'string' ? { ts } : {}),
    }
    return { kind: 'sent', reference, delivered: true }
  },
})

/** Reads every form a profile may have, a whole OAuth reply among them; an explicit channel wins over its webhook. */
function targetOf(profile: JsonObject): Target | undefined {
  const slack = isObject(profile.slack) ? profile.slack : {}
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const incoming = isObject(slack.incoming_webhook) ? slack.incoming_webhook : {}
  const installer = isObject(slack.authed_user) ? slack.authed_user : {}
  const token = text(slack.access_token) ?? text(profile.slackToken)
  const tokenOfTarget = token ? { token } : {}

  const channel = text(slack.channel) ?? text(profile.slackChannel)
  if (channel) return { ...tokenOfTarget, channel }
  const email = text(slack.email)
  if (email) return { ...tokenOfTarget, email }
  const webhookUrl = text(incoming.url)
  if (webhookUrl) return { ...tokenOfTarget, webhookUrl }
  const user = text(slack.user_id) ?? text(installer.id)
  return user ? { ...tokenOfTarget, channel: user } : undefined
}

function rawBlocks(value: unknown): unknown[] | undefined {
  if (!isPresent(value)) return undefined
  const blocks = typeof value === 'string' ? parsed(value) : value
  if (!Array.isArray(blocks)) throw new DraftInvalid('raw.slackBlocks must be an array of blocks')
  return blocks
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** https://docs.slack.dev/reference/block-kit/blocks */
type Block = JsonObject & { type: string }
const BLOCKS_MAX = 50
const TEXT_MAX = 3_000
const HEADER_MAX = 150
const ALTERNATIVE_MAX = 2_000
const URL_MAX = 3_000
const LABEL_MAX = 75
const BUTTONS_A_BLOCK = 25

/** Undefined where the text says as much, or more than blocks hold. It is shown in notifications in any case. */
function blocksOf(elements: readonly ContentElement[] = []): Block[] | undefined {
  if (elements.every(({ type }) => type === 'text' || type === 'list' || type === 'quote')) return undefined
  const blocks: Block[] = []
  for (const part of partsOf<Block>(elements, blockOf)) {
    const last = blocks.at(-1)
    if (typeof part === 'string') {
      if (part.length > TEXT_MAX) return undefined
      blocks.push(section(part))
    } else if (part.type === 'actions' && last?.type === 'actions') {
      const buttons = [...(last.elements as unknown[]), ...(part.elements as unknown[])]
      if (buttons.length > BUTTONS_A_BLOCK) blocks.push(part)
      else last.elements = buttons
    } else blocks.push(part)
  }
  return blocks.length > BLOCKS_MAX ? undefined : blocks
}

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: true })
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
const section = (text: string): Block => ({ type: 'section', text: mrkdwn(text) })

function blockOf(element: ContentElement): Block | undefined {
  if (isButton(element, URL_MAX)) {
    const label = plainText(shortened(element.plain, LABEL_MAX))
    return { type: 'actions', elements: [{ type: 'button', text: label, url: element.url }] }
  }
  // A picture of a block leads nowhere.
  if (isPicture(element) && element.href === undefined && element.url.length <= URL_MAX)
    return { type: 'image', image_url: element.url, alt_text: shortened(alternativeOf(element), ALTERNATIVE_MAX) }
  if (element.type === 'heading' && element.plain.length <= HEADER_MAX && !element.plain.includes('\n'))
    return { type: 'header', text: plainText(element.plain) }
  if (element.type === 'subtext' && element.text.length <= TEXT_MAX)
    return { type: 'context', elements: [mrkdwn(element.text)] }
  return element.type === 'divider' ? { type: 'divider' } : undefined
}

/** Slack fetches pictures before it posts, and refuses the message when one is not there: its link says as much. */
function withoutPictures({ blocks, ...body }: JsonObject): JsonObject | undefined {
  const list = Array.isArray(blocks) ? blocks : []
  const isImage = (block: unknown): block is JsonObject =>
    isObject(block) && block.type === 'image' && typeof block.image_url === 'string'
  if (!list.some(isImage)) return undefined
  const link = ({ image_url: url, alt_text: alternative }: JsonObject) => {
    const label = typeof alternative === 'string' && alternative !== '' ? `|${slackText(alternative)}` : ''
    return section(`<${slackText(String(url))}${label}>`)
  }
  return { ...body, blocks: list.map((block) => (isImage(block) ? link(block) : block)) }
}

const slackText = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

function checkedBody(draft: JsonObject): JsonObject {
  const body = objectAt(draft, 'body')
  // A body is kept in the history, a token must not be.
  if (isPresent(body.token)) throw new DraftInvalid('body.token cannot be set, config.accessToken can')
  textAt(body.channel, 'channel')
  if (![body.text, body.blocks, body.attachments].some(isPresent)) throw new DraftInvalid('text is missing')
  return body
}

function* userByEmail(
  base: string,
  credentials: Credentials,
  email: string,
  now: number,
): Generator<Request, string | FailedOutcome, Reply> {
  // The base is part of the key: the reply of another host is never used for Slack's.
  const key = createHash('sha256')
    .update(JSON.stringify([base, credentials.token, email]))
    .digest('hex')
  // A user keeps their id for life; an hour bounds how long a changed mail address is missed.
  const cache = { key: `slack:user:${key}`, lifetimeMs: HOUR, containing: '"ok":true' }
  const reply = yield { ...call(base, 'users.lookupByEmail', credentials.token, { email }, false), cache }
  const failed = byAnswer(reply, now, credentials, false)
  if (failed) return failed
  const { user } = answerOf(reply)
  if (isObject(user) && typeof user.id === 'string') return user.id
  return rejected('recipient', 'users.lookupByEmail named no user')
}

/** Form-encoded, which every method takes; only some take JSON. */
const call = (base: string, method: string, token: string, fields: JsonObject, final: boolean): HttpRequest => ({
  kind: 'http',
  method: 'POST',
  url: `${base}/${method}`,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
  body: formBody(fields, 'json'),
  final,
})

function answerOf(reply: Reply): JsonObject {
  const body = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(body) ? body : {}
}

/** https://docs.slack.dev/reference/methods/chat.postMessage#errors */
const ERRORS = {
  recipient: `users_not_found user_not_found user_not_visible channel_not_found is_archived not_in_channel user_disabled
    messages_tab_disabled cannot_dm_bot no_channel restricted_action_read_only_channel channel_is_limited_access`,
  configuration: `not_authed invalid_auth account_inactive token_revoked token_expired missing_scope no_permission
    not_allowed_token_type access_denied ekm_access_denied org_login_required team_access_not_granted
    accesslimited enterprise_is_restricted two_factor_setup_required deprecated_endpoint method_deprecated`,
  transient: 'ratelimited rate_limited request_timeout service_unavailable team_added_to_org',
  /** Documented as: part of the operation may have succeeded. */
  uncertain: 'fatal_error internal_error',
}
const isAmong = (list: string, error: string) => list.split(/\s+/).includes(error)

/** Undefined for `ok`; most errors of Slack come with status 200. */
function byAnswer(reply: Reply, now: number, { token, owner }: Credentials, final: boolean): FailedOutcome | undefined {
  const explain = (body: unknown) => (isObject(body) && typeof body.error === 'string' ? body.error : undefined)
  const failed = byStatus(reply, now, { explain, owner, final, secrets: [token] })
  if (failed || reply.kind !== 'http') return failed
  const answer = parseBody(reply)
  if (!isObject(answer) || typeof answer.ok !== 'boolean') {
    const error = 'The answer is not from Slack'
    return final ? { kind: 'in_doubt', error } : { kind: 'retry', error, attempted: true }
  }
  if (answer.ok) return undefined
  const error = explain(answer) ?? 'unknown error'
  if (isAmong(ERRORS.transient, error)) {
    const wait = retryAfterMs(reply, now)
    const limited = error === 'ratelimited' || error === 'rate_limited'
    return { kind: 'retry', error, attempted: !limited, ...(wait === undefined ? {} : { retryAfterMs: wait }) }
  }
  if (isAmong(ERRORS.uncertain, error))
    return final ? { kind: 'in_doubt', error } : { kind: 'retry', error, attempted: true }
  if (isAmong(ERRORS.recipient, error)) return rejected('recipient', error)
  return rejected(isAmong(ERRORS.configuration, error) ? owner : 'content', withDetail(error, answer))
}

/** Some errors name their cause: the missing scope, the invalid block. */
function withDetail(error: string, answer: JsonObject): string {
  const metadata = isObject(answer.response_metadata) ? answer.response_metadata.messages : undefined
  const detail = typeof answer.needed === 'string' ? answer.needed : Array.isArray(metadata) ? metadata.join(', ') : ''
  return detail ? `${error}: ${detail}` : error
}

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
function* postToWebhook(
  address: string,
  body: JsonObject,
  owner: Scope,
  now: number,
): Generator<Request, Outcome, Reply> {
  const url = webAddress(address)
  if (!url) return rejected(owner, 'The incoming webhook is not a web address')
  // A webhook belongs to one channel and ignores others.
  const { channel: _, ...message } = body
  const headers = { 'content-type': 'application/json' }
  const post = (body: JsonObject): HttpRequest => ({
    ...{ kind: 'http', method: 'POST', url, headers, final: true },
    body: JSON.stringify(body),
  })
  let reply = yield post(message)
  const isRefused = reply.kind === 'http' && reply.status === 400 && reply.body.trim() === 'invalid_blocks'
  const without = isRefused ? withoutPictures(message) : undefined
  if (without) reply = yield post(without)
  const explain = (text: unknown) => (typeof text === 'string' ? text : undefined)
  const failed = byStatus(reply, now, { explain, owner, secrets: [url, address, new URL(url).pathname] })
  return failed ?? { kind: 'sent', reference: {}, delivered: true }
}
