/** The message as JSON to an address of the recipient (profile) or of the integration (settings). */
import { type Static, Type } from 'typebox'
import type { HttpRequest } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { mustBeOneOf } from '../../base/quote.ts'
import { connection } from '../credentials-check.ts'
import { given, headersAt, lineAt, read } from '../draft.ts'
import { byStatus, rejected, type Scope } from '../outcome.ts'
import { type Attempt, type Composition, DraftInvalid, provider } from '../provider.ts'
import { Secret, Url } from '../settings.ts'
import { basicAuth, webAddress } from '../web-address.ts'

const METHODS = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const

const Settings = Type.Object(
  {
    url: Type.Optional(Url('URL', 'Where messages go when the profile names no address')),
    method: Type.Optional(Type.Enum([...METHODS], { title: 'Method', description: 'POST by default' })),
    authentication: Type.Optional(
      Type.Enum(['none', 'basic', 'bearer'], { title: 'Authentication', description: 'How to sign in at the URL' }),
    ),
    username: Type.Optional(
      Type.String({ title: 'User name', description: 'For basic authentication', maxLength: 255 }),
    ),
    password: Type.Optional(Secret('Password', 'For basic authentication')),
    token: Type.Optional(Secret('Token', 'For bearer authentication')),
    profile: Type.Optional(
      Type.Enum(['limited', 'expanded'], {
        title: 'Profile',
        description: 'expanded sends the profile of the recipient along; limited, the default, does not',
      }),
    ),
  },
  { additionalProperties: false },
)

type Settings = Static<typeof Settings>
type Draft = { url?: unknown; method: unknown; headers: unknown; body: unknown }

/** The address and what belongs to it. From the settings, `url` and credentials are read when the request is made. */
interface Target {
  source: 'profile' | 'settings'
  url?: string
  method?: unknown
  headers?: unknown
  authentication: JsonObject
  profile?: unknown
}

export default provider({
  key: 'webhook',
  title: 'Webhook',
  description: 'The message as JSON to any address',
  website: 'https://www.standardwebhooks.com',
  channels: ['webhook'],
  dialect: 'plain',
  settings: Settings,
  profileKeys: ['webhook'],
  ownAddresses: ['webhook'],

  settingsFault({ authentication: mode, ...login }) {
    const fault = loginFault({ mode, ...login })
    return fault && `authentication: ${fault}`
  },

  contact(profile, settings): Target | undefined {
    const webhook = isObject(profile.webhook) ? profile.webhook : {}
    if (typeof webhook.url === 'string' && webhook.url !== '') {
      const authentication = isObject(webhook.authentication) ? webhook.authentication : {}
      const { url, method, headers, profile: extent } = webhook
      return { source: 'profile', url, method, headers, authentication, profile: extent }
    }
    return settings.url ? { source: 'settings', authentication: {} } : undefined
  },

  compose({ content, message, to, settings }: Composition<Target, Settings>): Draft {
    const { title, subject, body, text, html, blocks, actions } = content
    return {
      method: to.method ?? settings.method ?? 'POST',
      headers: {},
      body: {
        event: message.event,
        recipient: message.recipient,
        profile: (to.profile ?? settings.profile) === 'expanded' ? told(message.profile()) : {},
        data: message.data,
        messageId: message.id,
        notification: message.notification,
        content: { title, subject, body, text, ...(html ? { html } : {}), blocks, actions },
      },
    }
  },

  /** Any request has an effect on the program that listens there. */
  signIn: ({ url }) => connection(url),

  *deliver({ draft, to, settings, message, now }: Attempt<Target, Draft, Settings>) {
    const place = placeOf(draft, to, settings)
    if (!place.url) return rejected(place.owner, 'The URL is not a web address')
    const fault = loginFault(place.authentication)
    if (fault) return rejected(place.owner, `authentication: ${fault}`)
    const request = read(() => requestTo(place, draft, message.deliveryId))
    if ('refusal' in request) return request.refusal
    const reply = yield request.value
    const secrets = () => secretsOf(place, draft, request.value)
    const trouble = byStatus(reply, now, { explain: words, owner: place.owner, secrets })
    return trouble ?? { kind: 'sent', reference: { 'webhook-id': message.deliveryId }, delivered: true }
  },
})

/** The recipient's own endpoint settings are not told to the endpoint. */
const told = ({ webhook: _, ...profile }: JsonObject): JsonObject => profile

interface Place {
  url: string | undefined
  owner: Scope
  headers: unknown
  authentication: JsonObject
}

/** Credentials and headers belong to the address they were stored with, and go to no other. */
function placeOf(draft: Draft, to: Target, settings: Settings): Place {
  const ours = to.source === 'settings'
  const stored = webAddress(ours ? settings.url : to.url)
  const url = given(draft.url) ? webAddress(draft.url) : stored
  if (given(draft.url) && url !== stored) return { url, owner: 'content', headers: {}, authentication: {} }
  if (!ours) return { url, owner: 'recipient', headers: to.headers, authentication: to.authentication }
  const { authentication: mode, username, password, token } = settings
  return { url, owner: 'configuration', headers: {}, authentication: { mode, username, password, token } }
}

/** Longer ones first: a value that is part of another would leave the rest of that one readable. */
function secretsOf({ url, headers, authentication }: Place, draft: Draft, request: HttpRequest): string[] {
  const [, credentials] = request.headers.authorization?.split(' ') ?? []
  const { token, password } = authentication
  return [url, credentials, token, password, ...headerValues(headers), ...headerValues(draft.headers)]
    .filter((value) => typeof value === 'string')
    .sort((one, other) => other.length - one.length)
}

/** Whole, and without the scheme before a credential. Up to two characters are in every sentence, and no secret. */
function headerValues(headers: unknown): string[] {
  if (!isObject(headers)) return []
  const values = Object.values(headers).map(String)
  return [...values, ...values.map((value) => value.slice(value.indexOf(' ') + 1))].filter(({ length }) => length > 2)
}

/** Headers of the connection, and those that say whose message this is. */
const RESERVED: ReadonlySet<string> = new Set(
  `host connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer transfer-encoding
   upgrade content-length expect cookie webhook-id`.split(/\s+/),
)

function requestTo(place: Place, draft: Draft, deliveryId: string): HttpRequest {
  const name = lineAt(draft.method, 'method')?.toUpperCase()
  const method = METHODS.find((known) => known === name)
  if (!method) throw new DraftInvalid(`method ${mustBeOneOf(METHODS)}`)
  const body = method === 'GET' || !given(draft.body) ? undefined : draft.body
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  const login = authorization(place.authentication)
  if (login) headers.authorization = login
  for (const source of [place.headers, draft.headers]) {
    const own = headersAt(source, 'headers', (name) => RESERVED.has(name.toLowerCase()))
    for (const name in own) headers[name.toLowerCase()] = own[name] ?? ''
  }
  headers['webhook-id'] = deliveryId
  const request: HttpRequest = { kind: 'http', method, url: place.url ?? '', headers, final: true }
  // A text is somebody's own format.
  if (body !== undefined) request.body = typeof body === 'string' ? body : JSON.stringify(body)
  return request
}

/** Who asks for a login must get one: a message never goes out without it instead. */
function loginFault({ mode, username, password, token }: JsonObject): string | undefined {
  if (!given(mode) || mode === 'none') return undefined
  if (mode === 'basic') return given(username) || given(password) ? undefined : 'basic needs username or password'
  if (mode === 'bearer') return given(token) ? undefined : 'bearer needs token'
  return 'must be one of `none`, `basic`, `bearer`'
}

function authorization({ mode, username, password, token }: JsonObject): string | undefined {
  if (mode === 'basic') {
    const [user, secret] = [lineAt(username, 'username') ?? '', lineAt(password, 'password') ?? '']
    return user === '' && secret === '' ? undefined : basicAuth(user, secret)
  }
  const bearer = mode === 'bearer' ? lineAt(token, 'token') : undefined
  return bearer && `Bearer ${bearer}`
}

/** A sentence of the endpoint, where it gives one; pages of HTML are not. */
function words(body: unknown): string | undefined {
  if (isObject(body))
    return [body.message, body.error, body.detail].find((value) => typeof value === 'string') as string
  return typeof body === 'string' && !/^\s*</.test(body) ? body : undefined
}
