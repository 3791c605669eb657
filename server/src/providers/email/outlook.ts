/** Outlook and Microsoft 365, by Microsoft Graph. */
import { Type } from 'typebox'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { apiUrl, bearer } from '../http-api.ts'
import { megabytes } from '../limits.ts'
import { composeMimeMail, mimeBytes, mimeMailOf, unicodeMailProvider } from '../mail-parts.ts'
import { clientGrant, type Grant, type OAuthClient, tokenSignIn, withAccessToken } from '../oauth2.ts'
import { byStatus, type Outcome, parseBody, rejected } from '../outcome.ts'
import { defineProvider } from '../provider.ts'
import { BaseUrl, inGroup, Login, Secret, sender, Text, Url } from '../settings.ts'

const HOME = 'https://graph.microsoft.com'
const LOGIN = 'https://login.microsoftonline.com'
/** https://learn.microsoft.com/en-us/graph/outlook-large-attachments: a write request has at most 4 MB. */
const REQUEST_BYTES_MAX = megabytes(4)

interface Settings extends OAuthClient {
  tenantId?: string
  user?: string
  tokenUrl?: string
  baseUrl?: string
  fromAddress: string
}

export default defineProvider({
  ...unicodeMailProvider,
  key: 'outlook',
  title: 'Outlook',
  description: 'Mail from an Outlook or Microsoft 365 mailbox',
  website: 'https://learn.microsoft.com/en-us/graph/api/user-sendmail',
  // https://learn.microsoft.com/en-us/defender-office-365/email-authentication-about
  senderRecords: {
    hosts: /^smtp(?:-mail\.outlook|\.office365)\.com$/,
    spfInclude: 'spf.protection.outlook.com',
    selectors: ['selector1', 'selector2'],
  },
  limits: { requestBytes: REQUEST_BYTES_MAX },
  settings: {
    tenantId: Type.Optional({
      ...Login('Tenant id', 'The directory (tenant) of the app: its id or domain. Required without a refresh token', {
        maxLength: 253,
      }),
      default: 'common',
      pattern: '^[A-Za-z0-9.-]+$',
      patternText: 'the id or the domain of a tenant',
    }),
    clientId: Login('Client id', 'The id of the app registration', { minLength: 1, maxLength: 500 }),
    clientSecret: Type.Optional(Secret('Client secret', 'A secret of the app')),
    refreshToken: Type.Optional(
      Secret(
        'Refresh token',
        'The refresh token of a mailbox that has consented to `Mail.Send`. Without it, the app signs in as itself',
      ),
    ),
    user: Type.Optional(
      Login('User', 'The mailbox to send from, if the app signs in as itself. By default the from address', {
        maxLength: 320,
      }),
    ),
    ...inGroup('advanced', {
      tokenUrl: Type.Optional(
        Url('Token URL', `The URL that issues access tokens. By default that of the tenant at ${LOGIN}`),
      ),
      scope: Type.Optional(
        Text(
          'Scope',
          'The scope of the access token in a national cloud, such as `https://graph.microsoft.us/.default`',
          {
            maxLength: 1_000,
          },
        ),
      ),
    }),
    baseUrl: BaseUrl(HOME),
    ...sender('The from address: the mailbox, or an address that it may send as'),
  },
  example: {
    settings: {
      tenantId: 'example.onmicrosoft.com',
      clientId: '8d6a5e43-1c0a-4a5e-9a53-0f6f1f1d2c3b',
      clientSecret: 'app-secret',
      fromAddress: 'hello@example.com',
      fromName: 'Example',
    },
    profile: { email: 'ada@example.com' },
    override: { body: { replyTo: 'ada.support@example.com', headers: { 'List-Id': '<orders.example.com>' } } },
    reply: { access_token: 'eyJ0.token' },
    status: 202,
  },

  settingsError({ clientSecret, refreshToken, tenantId }) {
    if (refreshToken !== undefined) return undefined
    if (clientSecret === undefined) return 'clientSecret is required, or refreshToken'
    return tenantId === undefined ? 'tenantId is required without refreshToken' : undefined
  },
  compose: composeMimeMail,

  /** `Mail.Send` allows no request but a message. */
  signIn: (settings) => tokenSignIn(grantOf(settings)),

  /** As MIME, because JSON takes no header but those that begin with `X-`, and a mail for many needs `List-Unsubscribe`. */
  *deliver(attempt) {
    const { settings, now } = attempt
    const body = mimeBytes(mimeMailOf(attempt), REQUEST_BYTES_MAX, 'Outlook').toString('base64')
    const { refreshToken, user, fromAddress } = settings
    const mailbox = refreshToken ? 'me' : `users/${pathSegment(user ?? fromAddress)}`
    const url = apiUrl(settings.baseUrl ?? HOME, `/v1.0/${mailbox}/sendMail`)
    const sent = yield* withAccessToken(
      grantOf(settings),
      now,
      (token): HttpRequest => ({
        kind: 'http',
        method: 'POST',
        url,
        headers: { accept: 'application/json', ...bearer(token), 'content-type': 'text/plain' },
        body,
        final: true,
      }),
      (reply) => reply.kind === 'http' && reply.status === 401,
    )
    return 'kind' in sent ? sent : outcomeOf(sent.reply, now, [sent.token])
  },
})

const pathSegment = (address: string) => encodeURIComponent(address).replaceAll('%40', '@')

/** https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
function grantOf({ tenantId = 'common', tokenUrl, ...client }: Settings): Grant {
  const url = tokenUrl ?? `${LOGIN}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`
  const scope = client.scope ?? `${HOME}/${client.refreshToken ? 'Mail.Send' : '.default'}`
  return clientGrant(url, { ...client, scope })
}

function outcomeOf(reply: Reply, now: number, secrets: readonly string[]): Outcome {
  const failed = byStatus(reply, now, { explain: errorMessage, secrets })
  if (failed) {
    const scope =
      reply.kind === 'http' && failed.kind === 'rejected' ? SCOPES.get(errorCode(parseBody(reply))) : undefined
    return scope ? rejected(scope, failed.error) : failed
  }
  if (reply.kind !== 'http' || reply.status !== 202)
    return { kind: 'in_doubt', error: 'The answer is not from Microsoft Graph' }
  // It names no id of the message: by this one its support finds the request.
  const { 'request-id': id } = reply.headers
  return { kind: 'sent', reference: id ? { request_id: id } : {}, delivered: false }
}

/** https://learn.microsoft.com/en-us/graph/errors and the response codes of Exchange Web Services that it passes on. */
const SCOPES: ReadonlyMap<unknown, 'recipient' | 'configuration' | 'content'> = new Map([
  ['ErrorInvalidRecipients', 'recipient'],
  ['ErrorSendAsDenied', 'configuration'],
  ['ErrorAccessDenied', 'configuration'],
  ['ErrorInvalidUser', 'configuration'],
  ['ErrorMessageSizeExceeded', 'content'],
] as const)

const errorIn = (body: unknown): JsonObject => (isObject(body) && isObject(body.error) ? body.error : {})

const errorCode = (body: unknown): unknown => errorIn(body).code

function errorMessage(body: unknown): string | undefined {
  const { code, message } = errorIn(body)
  return [code, message].filter((text) => typeof text === 'string').join(': ') || undefined
}
