/** Gmail, by the API of a mailbox. */
import { Type } from 'typebox'
import type { HttpReply, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { apiUrl, bearer, postJson } from '../http-api.ts'
import { composeMimeMail, mimeBytes, mimeMailOf, unicodeMailProvider } from '../mail-parts.ts'
import {
  clientGrant,
  GOOGLE_TOKEN_URL,
  type Grant,
  type OAuthClient,
  serviceAccountGrant,
  tokenSignIn,
  withAccessToken,
} from '../oauth2.ts'
import { byStatus, type FailedOutcome, type Outcome, parseBody, statusText } from '../outcome.ts'
import { defineProvider, Rejection } from '../provider.ts'
import { BaseUrl, inGroup, Login, Secret, SigningKey, sender, serviceAccountOf, Url } from '../settings.ts'

const HOME = 'https://gmail.googleapis.com'
const SCOPE = 'https://www.googleapis.com/auth/gmail.send'
/** `maxSize` of `users.messages.send` in https://gmail.googleapis.com/$discovery/rest?version=v1 */
const REQUEST_BYTES_MAX = 36_700_160

interface Settings extends OAuthClient {
  serviceAccount?: string
  user?: string
  tokenUrl?: string
  fromAddress: string
}

export default defineProvider({
  ...unicodeMailProvider,
  key: 'gmail',
  title: 'Gmail',
  description: 'Mail from a Gmail or Google Workspace mailbox',
  website: 'https://developers.google.com/workspace/gmail/api',
  // https://support.google.com/a/answer/33786 and https://support.google.com/a/answer/174124
  senderRecords: { hosts: /^smtp(?:-relay)?\.gmail\.com$/, spfInclude: '_spf.google.com', selectors: ['google'] },
  limits: { requestBytes: REQUEST_BYTES_MAX },
  settings: {
    clientId: Type.Optional(
      Login('Client id', 'The id of an OAuth client in your Google Cloud project. Needs a refresh token', {
        maxLength: 500,
      }),
    ),
    clientSecret: Type.Optional(Secret('Client secret', 'The secret of the client')),
    refreshToken: Type.Optional(
      Secret(
        'Refresh token',
        'The refresh token of a mailbox that has consented to the scope `https://www.googleapis.com/auth/gmail.send`',
      ),
    ),
    serviceAccount: Type.Optional(
      SigningKey(
        'Service account',
        'Instead of a client: the JSON file of a service account with domain-wide delegation for the same scope',
        'service account',
      ),
    ),
    user: Type.Optional(
      Login('User', 'The mailbox that the service account sends from. By default the from address', { maxLength: 320 }),
    ),
    ...inGroup('advanced', {
      tokenUrl: Type.Optional({
        ...Url('Token URL', 'The URL that issues access tokens to the client'),
        default: GOOGLE_TOKEN_URL,
      }),
    }),
    baseUrl: BaseUrl(HOME),
    ...sender('The from address: the mailbox, or an address that it may send as'),
  },
  example: {
    settings: {
      clientId: '1234567890-abc.apps.googleusercontent.com',
      clientSecret: 'GOCSPX-secret',
      refreshToken: '1//refresh-token',
      fromAddress: 'hello@example.com',
      fromName: 'Example',
    },
    profile: { email: 'ada@example.com' },
    override: { body: { replyTo: 'ada.support@example.com', headers: { 'List-Id': '<orders.example.com>' } } },
    reply: { id: '18c5a1b2c3d4e5f6', threadId: '18c5a1b2c3d4e5f6', labelIds: ['SENT'], access_token: 'ya29.token' },
  },

  settingsError: ({ clientId, clientSecret, refreshToken, serviceAccount }) => {
    if (serviceAccount !== undefined)
      return clientId === undefined ? undefined : 'serviceAccount: it takes the place of a client'
    const missing = Object.entries({ clientId, clientSecret, refreshToken }).find(([, value]) => value === undefined)
    return missing && `${missing[0]} is required, or serviceAccount`
  },
  compose: composeMimeMail,

  /** The scope allows no request but a message. */
  signIn: (settings, now) => tokenSignIn(grantOf(settings, now)),

  /** https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/send */
  *deliver(attempt) {
    const { settings, now } = attempt
    const raw = mimeBytes(mimeMailOf(attempt), REQUEST_BYTES_MAX, 'Gmail').toString('base64url')
    const url = apiUrl(settings.baseUrl ?? HOME, '/gmail/v1/users/me/messages/send')
    const sent = yield* withAccessToken(
      grantOf(settings, now),
      now,
      (token) => postJson(url, bearer(token), { raw }),
      (reply) => reply.kind === 'http' && reply.status === 401,
    )
    return 'kind' in sent ? sent : outcomeOf(sent.reply, now, [sent.token])
  },
})

function grantOf(settings: Settings, now: number): Grant {
  const { clientId, refreshToken, serviceAccount, tokenUrl = GOOGLE_TOKEN_URL, user, fromAddress } = settings
  const account = serviceAccount === undefined ? undefined : serviceAccountOf(serviceAccount)
  if (account) return serviceAccountGrant(account, SCOPE, now, user ?? fromAddress)
  // Google gives no token for a mailbox to a client without its consent.
  if (!clientId || !refreshToken)
    throw new Rejection(
      'configuration',
      'The integration has neither a refresh token nor a service account for this address',
    )
  return clientGrant(tokenUrl, settings)
}

function outcomeOf(reply: Reply, now: number, secrets: readonly string[]): Outcome {
  const failed = byStatus(reply, now, { explain: errorMessage, secrets })
  if (failed) return failed.kind === 'rejected' && reply.kind === 'http' ? rejectionOf(reply, failed, secrets) : failed
  const body = reply.kind === 'http' ? parseBody(reply) : undefined
  if (!isObject(body) || typeof body.id !== 'string') return { kind: 'in_doubt', error: 'The answer is not from Gmail' }
  return { kind: 'sent', reference: { id: body.id }, delivered: false }
}

/**
 * Reasons of https://developers.google.com/workspace/gmail/api/guides/handle-errors: limits come as 403, too. A day's limit
 * of mails ends within a day.
 */
const LIMITS: ReadonlySet<unknown> = new Set([
  'dailyLimitExceeded',
  'userRateLimitExceeded',
  'rateLimitExceeded',
  'quotaExceeded',
])
/** The mailbox cannot send: it has no Gmail, or its domain does not allow the app. */
const CONFIGURATION: ReadonlySet<unknown> = new Set(['failedPrecondition', 'domainPolicy'])

function rejectionOf(reply: HttpReply, failed: FailedOutcome, secrets: readonly string[]): FailedOutcome {
  const error = statusText(reply, { explain: errorMessage, secrets })
  const reasons = reasonsIn(parseBody(reply))
  if (reasons.some((reason) => LIMITS.has(reason))) return { kind: 'retry', error, attempted: false }
  if (reasons.some((reason) => CONFIGURATION.has(reason))) return { kind: 'rejected', scope: 'configuration', error }
  return failed
}

const errorIn = (body: unknown): JsonObject => (isObject(body) && isObject(body.error) ? body.error : {})

function reasonsIn(body: unknown): unknown[] {
  const { errors } = errorIn(body)
  return Array.isArray(errors) ? errors.filter(isObject).map(({ reason }) => reason) : []
}

function errorMessage(body: unknown): string | undefined {
  const { message } = errorIn(body)
  const texts = [reasonsIn(body)[0], message].filter((text) => typeof text === 'string')
  return texts.join(': ') || undefined
}
