/** The message as JSON to an address of the recipient (profile) or of the integration (settings). */
import { Type } from 'typebox'
import type { HttpRequest } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { mustBeOneOf } from '../../base/quote.ts'
import { basicAuth, connection, webAddress } from '../http-api.ts'
import { byStatus, rejected, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, headersAt, isPresent, lineAt } from '../provider.ts'
import { inGroup, Login, Secret, Url } from '../settings.ts'

const METHODS = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const

/** The settings of the address and its authentication. */
interface Settings {
  url?: string
  authentication?: string
  username?: string
  password?: string
  token?: string
}

type Draft = { url?: unknown; method: unknown; headers: unknown; body: unknown }

/** The address and what belongs to it. Those of the settings are read when the request is composed. */
interface Target {
  source: 'profile' | 'settings'
  url?: string
  method?: unknown
  headers?: unknown
  authentication: JsonObject
  profile?: unknown
}

export default defineProvider({
  key: 'webhook',
  title: 'Webhook',
  description: 'The message as JSON to any address',
  website: 'https://www.standardwebhooks.com',
  channels: ['webhook'],
  dialect: 'plain',
  profileKeys: ['webhook'],
  profileOf: (url) => ({ webhook: { url } }),
  ownAddresses: ['webhook'],
  settings: {
    url: Type.Optional(Url('URL', 'The URL for recipients whose profile has none')),
    method: Type.Optional(
      Type.Enum([...METHODS], { title: 'Method', description: 'The HTTP method; POST by default' }),
    ),
    authentication: Type.Optional(
      Type.Enum(['none', 'basic', 'bearer'], { title: 'Authentication', description: 'How requests authenticate' }),
    ),
    username: Type.Optional(Login('User name', 'For basic authentication', { maxLength: 255 })),
    password: Type.Optional(Secret('Password', 'For basic authentication')),
    token: Type.Optional(Secret('Token', 'For bearer authentication')),
    ...inGroup('advanced', {
      profile: Type.Optional(
        Type.Enum(['limited', 'expanded'], {
          title: 'Profile',
          description: '`expanded` adds the profile of the recipient to the body; `limited`, the default, does not',
        }),
      ),
    }),
  },
  example: {
    settings: { url: 'https://example.com/hooks/postrider', authentication: 'bearer', token: '…' },
    profile: {},
    override: { headers: { 'x-team': 'orders' }, body: { note: 'added' } },
  },

  settingsError({ authentication: mode, ...login }) {
    const error = loginError({ mode, ...login })
    return error && `authentication: ${error}`
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

  compose({ content, message, to, settings }): Draft {
    const { title, subject, body, text, html, blocks, actions } = content
    return {
      method: to.method ?? settings.method ?? 'POST',
      headers: {},
      body: {
        event: message.event,
        recipient: message.recipient,
        profile: (to.profile ?? settings.profile) === 'expanded' ? withoutEndpoint(message.profile()) : {},
        data: message.data,
        messageId: message.id,
        notification: message.notification,
        content: { title, subject, body, text, ...(html ? { html } : {}), blocks, actions },
      },
    }
  },

  /** Only a connection: any request has an effect on the program that listens there. */
  signIn: ({ url }) => connection(url),

  *deliver({ draft, to, settings, message, now }) {
    const endpoint = endpointOf(draft, to, settings)
    const { owner } = endpoint
    if (!endpoint.url) return rejected(owner, 'The URL is not a web address')
    const error = loginError(endpoint.authentication)
    if (error) return rejected(owner, `authentication: ${error}`)
    const request = requestTo(endpoint, draft, message.deliveryId)
    const reply = yield request
    const secrets = () => secretsOf(endpoint, draft, request)
    const failed = byStatus(reply, now, { explain: errorOf, owner, secrets })
    return failed ?? { kind: 'sent', reference: { 'webhook-id': message.deliveryId }, delivered: true }
  },
})

/** The profile's own endpoint settings are not sent to the endpoint. */
const withoutEndpoint = ({ webhook: _, ...profile }: JsonObject): JsonObject => profile

interface Endpoint {
  url: string | undefined
  owner: Scope
  headers: unknown
  authentication: JsonObject
}

/** Credentials and headers belong to the address they were stored with, and go to no other. */
function endpointOf(draft: Draft, to: Target, settings: Settings): Endpoint {
  const isIntegration = to.source === 'settings'
  const storedUrl = webAddress(isIntegration ? settings.url : to.url)
  const url = isPresent(draft.url) ? webAddress(draft.url) : storedUrl
  if (isPresent(draft.url) && url !== storedUrl) return { url, owner: 'content', headers: {}, authentication: {} }
  if (!isIntegration) return { url, owner: 'recipient', headers: to.headers, authentication: to.authentication }
  const { authentication: mode, username, password, token } = settings
  return { url, owner: 'configuration', headers: {}, authentication: { mode, username, password, token } }
}

/** Longer ones first: a value that is part of another would leave the rest of that one readable. */
function secretsOf({ url, headers, authentication }: Endpoint, draft: Draft, request: HttpRequest): string[] {
  const [, credentials] = request.headers.authorization?.split(' ') ?? []
  const { token, password } = authentication
  return [url, credentials, token, password, ...headerValues(headers), ...headerValues(draft.headers)]
    .filter((value) => typeof value === 'string')
    .sort((left, right) => right.length - left.length)
}

/** Whole, and without the scheme before a credential. Values of up to two characters are no secrets. */
function headerValues(headers: unknown): string[] {
  if (!isObject(headers)) return []
  const values = Object.values(headers).map(String)
  return [...values, ...values.map((value) => value.slice(value.indexOf(' ') + 1))].filter(({ length }) => length > 2)
}

/** Headers of the connection, and the id of the message. */
const RESERVED: ReadonlySet<string> = new Set(
  `host connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer transfer-encoding
   upgrade content-length expect cookie webhook-id`.split(/\s+/),
)

function requestTo(endpoint: Endpoint, draft: Draft, deliveryId: string): HttpRequest {
  const name = lineAt(draft.method, 'method')?.toUpperCase()
  const method = METHODS.find((candidate) => candidate === name)
  if (!method) throw new DraftInvalid(`method ${mustBeOneOf(METHODS)}`)
  const body = method === 'GET' || !isPresent(draft.body) ? undefined : draft.body
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  const login = authorization(endpoint.authentication)
  if (login) headers.authorization = login
  for (const source of [endpoint.headers, draft.headers]) {
    const ownHeaders = headersAt(source, 'headers', (name) => RESERVED.has(name.toLowerCase()))
    for (const name in ownHeaders) headers[name.toLowerCase()] = ownHeaders[name] ?? ''
  }
  headers['webhook-id'] = deliveryId
  const request: HttpRequest = { kind: 'http', method, url: endpoint.url ?? '', headers, final: true }
  // A string is a format of the caller's own.
  if (body !== undefined) request.body = typeof body === 'string' ? body : JSON.stringify(body)
  return request
}

/** Authentication without its credentials is an error: a message never goes out unauthenticated instead. */
function loginError({ mode, username, password, token }: JsonObject): string | undefined {
  if (!isPresent(mode) || mode === 'none') return undefined
  if (mode === 'basic')
    return isPresent(username) || isPresent(password) ? undefined : 'basic needs username or password'
  if (mode === 'bearer') return isPresent(token) ? undefined : 'bearer needs token'
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

/** The error message of the endpoint; a page of HTML is none. */
function errorOf(body: unknown): string | undefined {
  if (isObject(body))
    return [body.message, body.error, body.detail].find((value) => typeof value === 'string') as string
  return typeof body === 'string' && !/^\s*</.test(body) ? body : undefined
}
