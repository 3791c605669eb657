/** Mail through any SMTP server. */
import { Type } from 'typebox'
import {
  type CopiesRequest,
  type CopyNotTaken,
  type HttpRequest,
  MAY_HAVE_IT,
  type Mail,
  type MailAddress,
  type MailReply,
  type MailRequest,
  type Reply,
  type SmtpServer,
} from '../../base/exchange.ts'
import { bounceAddressError, bounceCallbacks, bounceSettings, bounceTokens, goneByStatus } from '../bounce-mails.ts'
import { DKIM_DOMAIN, DKIM_SELECTOR, type DkimSettings, dkimError, dkimSignerOf } from '../dkim-keys.ts'
import { failureOf } from '../http-api.ts'
import { blamesSender, failureCodesIn, isAboutAddressee, saysUnknownAddress } from '../mail-events.ts'
import { composeMimeMail, type MimeDraft, mimeMailOf, unicodeMailProvider } from '../mail-parts.ts'
import { clientGrant, type OAuthClient, tokenSignIn, withAccessToken } from '../oauth2.ts'
import { byStatus, type FailedOutcome, type Gone, type Outcome, rejected, type Scope, tidy } from '../outcome.ts'
import { type Attempt, type CopiesOutcome, defineProvider, type SignIn } from '../provider.ts'
import { inGroup, Login, Secret, SigningKey, sender, Text, Url } from '../settings.ts'

/** A name or an address, of which only IPv6 has colons. The transport checks the address it resolves to. */
const HOST = '^([A-Za-z0-9_.-]{1,255}|(?=.{2,45}$)[0-9A-Fa-f]*(:[0-9A-Fa-f.]*){2,7})$'

/** Merged settings, as an override may leave them. */
interface Settings extends OAuthClient, DkimSettings {
  host?: string
  port?: number
  security?: SmtpServer['security']
  user?: string
  password?: string
  accessToken?: string
  tokenUrl?: string
  bounceAddress?: string
}

export default defineProvider({
  ...unicodeMailProvider,
  key: 'smtp',
  title: 'SMTP',
  description: 'Mail through any SMTP server',
  website: 'https://www.rfc-editor.org/rfc/rfc5321',
  settings: {
    host: Type.String({
      title: 'Host',
      description: 'The name of the mail server',
      pattern: HOST,
      patternText: 'the name or address of a host, without a port or a path',
      destination: true,
    }),
    port: Type.Optional(
      Type.Integer({
        title: 'Port',
        description: 'The port of the mail server; 587 by default',
        minimum: 1,
        maximum: 65535,
        destination: true,
      }),
    ),
    security: Type.Optional(
      Type.Enum(['tls', 'starttls', 'opportunistic'], {
        title: 'Security',
        description:
          '`tls` from the first byte (default on port 465), `starttls` (default on other ports), or `opportunistic`: STARTTLS if offered',
        destination: true,
      }),
    ),
    user: Type.Optional(Login('User', 'The user name to sign in with', { maxLength: 320 })),
    password: Type.Optional(Secret('Password', 'The password to sign in with')),
    ...inGroup('oauth', {
      clientId: Type.Optional(
        Login('Client id', 'The OAuth 2.0 client to sign in with (XOAUTH2), instead of a password', {
          maxLength: 500,
        }),
      ),
      clientSecret: Type.Optional(Secret('Client secret', 'The secret of the client, if it has one')),
      refreshToken: Type.Optional(
        Secret(
          'Refresh token',
          'The refresh token of a user who has consented. Without it, the client signs in as itself',
        ),
      ),
      tokenUrl: Type.Optional(
        Url('Token URL', 'The URL that issues access tokens, such as `https://oauth2.googleapis.com/token`'),
      ),
      scope: Type.Optional(
        Text('Scope', 'The scope of the access token, such as `https://outlook.office365.com/.default`', {
          maxLength: 1_000,
        }),
      ),
      accessToken: Type.Optional(
        Secret(
          'Access token',
          'An access token that does not expire, instead of a client. Postrider does not renew it',
        ),
      ),
    }),
    ...inGroup('dkim', {
      dkimDomain: Type.Optional(DKIM_DOMAIN),
      dkimSelector: Type.Optional(DKIM_SELECTOR),
      dkimPrivateKey: Type.Optional(
        SigningKey(
          'DKIM private key',
          'The private key as PEM, RSA or Ed25519. Write several keys one after the other',
          'DKIM keys',
        ),
      ),
    }),
    ...sender(),
    ...bounceSettings,
  },
  example: {
    settings: {
      host: 'smtp.example.com',
      port: 587,
      user: 'postrider',
      password: 'secret',
      fromAddress: 'hello@example.com',
      fromName: 'Example',
    },
    profile: { email: 'ada@example.com' },
    override: {
      body: {
        from: 'Sales <sales@example.com>',
        replyTo: 'ada.support@example.com',
        headers: { 'List-Id': '<orders.example.com>' },
      },
    },
  },

  settingsError: (settings) => loginError(settings) ?? dkimError(settings) ?? bounceAddressError(settings),
  callbacks: bounceCallbacks,
  compose: composeMimeMail,

  signIn(settings) {
    if (settings.clientId === undefined)
      return sessionSignIn(serverOf(settings), settings.password ?? settings.accessToken)
    return tokenSignIn(clientGrant(settings.tokenUrl, settings), (token) =>
      sessionSignIn({ ...serverOf(settings), accessToken: token }, token),
    )
  },

  *deliver(attempt) {
    const { settings, now } = attempt
    const mail = withBounceAddress(mimeMailOf(attempt), attempt)
    if (!settings.host) return rejected('configuration', 'The integration has no host')
    const sent = yield* signedIn(settings, now, (server) => mailRequest(server, mail, settings))
    return 'kind' in sent ? sent : outcomeOf(sent.reply, mail, attempt, sent.token)
  },

  *deliverCopies({ mail, settings, now }) {
    const sent = yield* signedIn(settings, now, (server): CopiesRequest => ({ kind: 'copies', server, mail }))
    if ('kind' in sent) return allFor(mail.to, { error: sent.error, isTemporary: true }, true)
    const tokens = bounceTokens({ envelopeFrom: mail.from })
    return notTaken(sent.reply, mail.to, [settings.password, settings.accessToken, sent.token, ...tokens])
  },
})

function loginError(settings: Settings): string | undefined {
  const { user, password, accessToken, clientId, clientSecret, refreshToken, tokenUrl } = settings
  if (clientId === undefined) {
    const left = Object.entries({ clientSecret, refreshToken, tokenUrl }).find(([, value]) => value !== undefined)
    if (left) return `clientId is required with ${left[0]}`
    if (accessToken !== undefined && password !== undefined) return 'accessToken: it takes the place of a password'
    return accessToken !== undefined && user === undefined ? 'user is required with accessToken' : undefined
  }
  if (user === undefined) return 'user is required with clientId'
  if (tokenUrl === undefined) return 'tokenUrl is required with clientId'
  if (refreshToken === undefined && clientSecret === undefined) return 'refreshToken is required with clientId'
  const other = Object.entries({ password, accessToken }).find(([, value]) => value !== undefined)
  return other && `${other[0]}: a client signs in without it`
}

const sessionSignIn = (server: SmtpServer, secret: string | undefined): SignIn => ({
  request: { kind: 'sign-in', server },
  failureIn(reply) {
    if (reply.kind !== 'mail') return failureOf(reply)
    return reply.code < 300 ? undefined : tidy(reply.response, [secret])
  },
})

/** The default port is that of submission, which encrypts. */
function serverOf({ host = '', port = 587, security, user, password, accessToken, clientId }: Settings): SmtpServer {
  const at = { host, port, security: security ?? (port === 465 ? ('tls' as const) : ('starttls' as const)) }
  if (!user) return at
  if (clientId !== undefined) return { ...at, user }
  if (password) return { ...at, user, password }
  return accessToken ? { ...at, user, accessToken } : at
}

function mailRequest(server: SmtpServer, mail: Mail, settings: Settings): MailRequest {
  const dkim = dkimSignerOf(settings)
  return { kind: 'mail', final: true, server, mail, ...(dkim && { dkim }) }
}

/** The reply to a request, and the access token that it was made with, or why there is no token. */
function* signedIn<R extends MailRequest | CopiesRequest>(
  settings: Settings,
  now: number,
  request: (server: SmtpServer) => R,
): Generator<R | HttpRequest, { token?: string; reply: Reply } | FailedOutcome, Reply> {
  const server = serverOf(settings)
  if (settings.clientId === undefined) return { reply: yield request(server) }
  const grant = clientGrant(settings.tokenUrl, settings)
  return yield* withAccessToken(grant, now, (token) => request({ ...server, accessToken: token }), isTokenRefused)
}

/** Without an answer about them, or where the sender is refused, the copies wait for a repair: their mail has left once. */
function notTaken(reply: Reply, addresses: readonly string[], secrets: readonly (string | undefined)[]): CopiesOutcome {
  if (reply.kind === 'mail') {
    const { code, response, refused, copiesNotTaken = code < 300 ? [] : undefined } = reply
    if (copiesNotTaken)
      return { notTaken: copiesNotTaken.map((copy) => ({ ...copy, error: tidy(copy.error, secrets) })) }
    const isOfSession = refused === undefined || refused === 'sender'
    return allFor(addresses, { error: tidy(response, secrets), isTemporary: code < 500 || isOfSession }, isOfSession)
  }
  if (reply.kind !== 'failure') throw new TypeError(`A mail request was answered by an ${reply.kind} reply`)
  const isTemporary = reply.failure === 'aborted' || !reply.reached
  const error = tidy(`${isTemporary ? '' : MAY_HAVE_IT}${reply.failure}: ${reply.message}`, secrets)
  return allFor(addresses, { error, isTemporary }, !reply.reached)
}

const allFor = (
  addresses: readonly string[],
  copy: Omit<CopyNotTaken, 'address'>,
  isUnreachable: boolean,
): CopiesOutcome => ({ notTaken: addresses.map((address) => ({ address, ...copy })), isUnreachable })

/** The credentials are invalid (RFC 4954 §6): of a token, that it was revoked or has expired. */
const isTokenRefused = (reply: Reply): boolean => reply.kind === 'mail' && reply.code === 535

/**
 * The mail with an envelope sender of this delivery, where there is an address for bounces. Copies have another one: who
 * reads them could make up a bounce of the addressee.
 */
function withBounceAddress(
  mail: Mail,
  { settings: { bounceAddress }, bounceAddressFor }: Attempt<MailAddress, MimeDraft, Settings>,
): Mail {
  const [to, ...others] = mail.to
  if (!bounceAddress || !to) return mail
  const fromOf = (ofCopies: boolean) => bounceAddressFor?.(bounceAddress, to.address, ofCopies) ?? bounceAddress
  const hasCopies = others.length + (mail.cc?.length ?? 0) + (mail.bcc?.length ?? 0) > 0
  const from = { envelopeFrom: fromOf(false) }
  return { ...mail, ...from, ...(hasCopies && bounceAddressFor && { copiesFrom: fromOf(true) }) }
}

function outcomeOf(
  reply: Reply,
  mail: Mail,
  { settings, now, to }: Attempt<MailAddress, MimeDraft, Settings>,
  token: string | undefined,
): Outcome {
  const secrets = [settings.password, settings.accessToken, token, ...bounceTokens(mail)]
  if (reply.kind !== 'mail') {
    const failed = byStatus(reply, now, { secrets })
    if (failed) return failed
    throw new TypeError(`A mail request was answered by an ${reply.kind} reply`)
  }
  if (reply.code >= 200 && reply.code < 300) {
    const { copiesNotTaken = [], deferred } = reply
    const findings = copiesNotTaken.map(({ address, error, isTemporary }) => {
      const result = isTemporary ? 'was deferred, and is tried again' : 'was not taken'
      return `The copy to ${address} ${result}: ${tidy(error, secrets)}`
    })
    return {
      kind: 'sent',
      reference: { message_id: mail.messageId, response: tidy(responseOf(reply), secrets) },
      delivered: false,
      ...(findings.length > 0 && { findings }),
      ...(deferred && { deferred }),
    }
  }
  const error = tidy(
    reply.response.startsWith(String(reply.code)) ? reply.response : `${reply.code} ${reply.response}`,
    secrets,
  )
  if (reply.code < 500) return { kind: 'retry', error, attempted: true }
  const scope = scopeOf(reply)
  const gone = scope === 'recipient' ? goneOf(reply, mail, to) : undefined
  return { kind: 'rejected', error, scope, ...(gone && { gone }) }
}

function responseOf({ response, copiesNotTaken = [] }: MailReply): string {
  const byError = new Map<string, string[]>()
  for (const { address, error } of copiesNotTaken) byError.set(error, [...(byError.get(error) ?? []), address])
  const parts = [...byError].map(([error, addresses]) => `; not taken: ${addresses.join(', ')} (${error})`)
  return (response + parts.join('')).slice(0, RESPONSE_MAX)
}

/** More is shown by the findings. */
const RESPONSE_MAX = 1_000

/** Only where the code and its words are about the addressee of the message, neither about a copy nor about an address of an override. */
function goneOf({ response, refused }: MailReply, mail: Mail, addressee: MailAddress): Gone | undefined {
  const [to, ...others] = [...mail.to, ...(mail.cc ?? []), ...(mail.bcc ?? [])]
  if (to?.address !== addressee.address) return undefined
  if (refused !== 'recipient' && others.length > 0) return undefined
  return isAboutAddressee(addressee.address, response) ? goneByStatus(permanentCodeIn(response)) : undefined
}

/** Most write it first, qmail behind the words: `550 sorry, no mailbox here by that name. (#5.1.1)`. */
const permanentCodeIn = (response: string): string =>
  failureCodesIn(response).find((status) => status.startsWith('5.')) ?? ''

/** The address of the sender is refused. */
const SENDER_CODES = new Set(['5.1.7', '5.1.8'])

/** RFC 5321 codes, made precise by the enhanced codes of RFC 3463 where a server gives them. */
function scopeOf({ code, response, refused }: MailReply): Scope {
  const status = permanentCodeIn(response)
  const [, subject] = status.split('.')
  const isOfSender = SENDER_CODES.has(status) || (refused === 'recipient' && blamesSender(response))
  if (refused === 'recipient' && !isOfSender && saysUnknownAddress(response)) return 'recipient'
  const isTooLarge = status === '' ? code === 552 : status === '5.2.3' || status === '5.3.4'
  if (isTooLarge || subject === '6') return 'content'
  // The server takes no mail, or not from this sender: another integration may. Some answer for the sender only when they
  // have a recipient, and by the code of an unknown one.
  if (refused === undefined || refused === 'sender' || isOfSender) return 'configuration'
  if (subject === '1' || subject === '2') return 'recipient'
  if (![550, 551, 553, 554].includes(code)) return 'configuration'
  if (refused === 'content') return 'content'
  // Security and policy, not the address: mostly that this server does not relay for us.
  return subject === '7' || /\brelay/i.test(response) ? 'configuration' : 'recipient'
}
