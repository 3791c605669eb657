/**
 * Access tokens of OAuth 2.0 (RFC 6749): one exchange for every adapter. The transport keeps them in memory until shortly
 * before they expire, and makes one request at a time for each.
 */
import type { CopiesRequest, HttpRequest, Reply, Request } from '../base/exchange.ts'
import { isObject } from '../base/json/json.ts'
import { HOUR, MINUTE, SECOND } from '../base/time/duration.ts'
import { credential, formBody, webAddress } from './http-api.ts'
import { byStatus, type FailedOutcome, parseBody } from './outcome.ts'
import { Rejection, type SignIn } from './provider.ts'
import type { ServiceAccount } from './settings.ts'
import { signedToken } from './signed-token.ts'

export const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'
/** Assertions hold for an hour: with one for each half hour none is used in its last minutes. */
const ASSERTION_PERIOD_MS = 30 * MINUTE
/** A token that was revoked is noticed by the service; without a stated lifetime it is an hour at most. */
const TOKEN_MAX_MS = HOUR

/** The reason for which a token endpoint gives an access token. */
export interface Grant {
  url: string
  form: Record<string, string | undefined>
  /** Masked in errors. */
  secrets: readonly (string | undefined)[]
  lifetimeMs: number
  /** By the code of an error of the endpoint: how to mend it. */
  hints?: Readonly<Record<string, string>>
}

/** The settings of a client that was registered with a service. */
export interface OAuthClient {
  clientId?: string
  clientSecret?: string
  refreshToken?: string
  scope?: string
}

/** RFC 6749 §6 with a refresh token, else §4.4: the client for itself. */
export function clientGrant(tokenUrl: unknown, client: OAuthClient): Grant {
  const { clientId, clientSecret, refreshToken, scope } = client
  const secret = refreshToken ? clientSecret : credential(clientSecret, 'client secret or refresh token')
  const grant = refreshToken
    ? { grant_type: 'refresh_token', refresh_token: refreshToken }
    : { grant_type: 'client_credentials' }
  return {
    url: tokenAddress(tokenUrl),
    form: { ...grant, client_id: clientId, client_secret: secret, scope },
    secrets: [clientSecret, refreshToken],
    lifetimeMs: TOKEN_MAX_MS,
    hints: {
      invalid_grant: 'authorize the client again, and store its new refresh token',
      invalid_client: 'check `clientId` and `clientSecret`',
    },
  }
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest; `subject`: the user it acts for. */
export function serviceAccountGrant(account: ServiceAccount, scope: string, now: number, subject?: string): Grant {
  const { client_email, private_key, token_uri = GOOGLE_TOKEN_URL } = account
  const issued = Math.floor(now / ASSERTION_PERIOD_MS) * (ASSERTION_PERIOD_MS / SECOND)
  const claims = { iss: client_email, scope, aud: token_uri, iat: issued, exp: issued + HOUR / SECOND }
  const assertion = signedToken({
    algorithm: 'RS256',
    privateKey: private_key,
    claims: subject === undefined ? claims : { ...claims, sub: subject },
  })
  return {
    url: webAddress(token_uri) ?? GOOGLE_TOKEN_URL,
    form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion },
    secrets: [assertion],
    lifetimeMs: ASSERTION_PERIOD_MS,
  }
}

function tokenAddress(url: unknown): string {
  const address = webAddress(url)
  if (address === undefined) throw new Rejection('configuration', 'The token URL is not a web address')
  return address
}

/** Performs a request with an access token. One that the service refuses is replaced, once. */
export function* withAccessToken<R extends Request | CopiesRequest>(
  grant: Grant,
  now: number,
  request: (token: string) => R,
  isRefused: (reply: Reply) => boolean,
): Generator<R | HttpRequest, { token: string; reply: Reply } | FailedOutcome, Reply> {
  const first = yield* accessToken(grant, now)
  if (typeof first !== 'string') return first
  const reply = yield request(first)
  if (!isRefused(reply)) return { token: first, reply }
  const second = yield* accessToken(grant, now, first)
  if (typeof second !== 'string') return second
  return { token: second, reply: yield request(second) }
}

function* accessToken(
  grant: Grant,
  now: number,
  refused?: string,
): Generator<HttpRequest, string | FailedOutcome, Reply> {
  const reply = yield tokenRequest(grant, refused)
  return tokenFailure(reply, grant, now) ?? tokenIn(reply) ?? NO_TOKEN
}

const NO_TOKEN: FailedOutcome = {
  kind: 'retry',
  error: 'The answer to the request for a token has none',
  attempted: true,
}

function tokenRequest({ url, form, lifetimeMs }: Grant, refused?: string): HttpRequest {
  return {
    kind: 'http',
    method: 'POST',
    url,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: formBody(form, 'json'),
    final: false,
    cache: {
      key: 'oauth2:token',
      lifetimeMs,
      lifetimeField: 'expires_in',
      containing: '"access_token"',
      ...(refused !== undefined && { refused }),
    },
  }
}

function tokenIn(reply: Reply): string | undefined {
  const body = reply.kind === 'http' ? parseBody(reply) : undefined
  return isObject(body) && typeof body.access_token === 'string' && body.access_token !== ''
    ? body.access_token
    : undefined
}

/** RFC 6749 §5.2: anything but an overload is due to the client, its grant, or a clock that is wrong. */
function tokenFailure(reply: Reply, { secrets, hints }: Grant, now: number): FailedOutcome | undefined {
  const failed = byStatus(reply, now, { explain: (body) => tokenError(body, hints), final: false, secrets })
  if (failed?.kind !== 'rejected') return failed
  const { error } = failed
  return isTemporary(reply) ? { kind: 'retry', error, attempted: true } : { ...failed, scope: 'configuration' }
}

const errorCode = (body: unknown) => (isObject(body) ? body.error : undefined)

/** Codes of §4.1.2.1 that some services give at this endpoint, too. */
const isTemporary = (reply: Reply): boolean =>
  reply.kind === 'http' && ['temporarily_unavailable', 'server_error'].includes(String(errorCode(parseBody(reply))))

function tokenError(body: unknown, hints: Grant['hints']): string | undefined {
  const { error, error_description: description } = isObject(body) ? body : {}
  const texts = [error, description].filter((text) => typeof text === 'string')
  if (texts.length === 0) return undefined
  const hint = hints && Object.hasOwn(hints, String(error)) ? `; ${hints[String(error)]}` : ''
  return `${texts.join(': ')}${hint}`
}

/** Shows that the endpoint gives a token, and with `next` what that token opens. */
export function tokenSignIn(grant: Grant, next?: (token: string) => SignIn | undefined): SignIn {
  const { cache: _cache, ...request } = tokenRequest(grant)
  return {
    request,
    failureIn: (reply) => tokenFailure(reply, grant, 0)?.error ?? (tokenIn(reply) ? undefined : NO_TOKEN.error),
    next(reply) {
      const token = tokenIn(reply)
      return token === undefined ? undefined : next?.(token)
    },
  }
}
