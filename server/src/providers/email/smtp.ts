/** Mail through any SMTP server. */
import { Type } from 'typebox'
import type { Mail, MailAddress, MailReply, MailRequest, Reply, SmtpServer } from '../../base/exchange.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { failureOf } from '../http-api.ts'
import {
  addressAt,
  addressesAt,
  attachmentsAt,
  composeMail,
  mailHeadersAt,
  mailProvider,
  withoutEmpty,
} from '../mail-parts.ts'
import { byStatus, type Gone, type Outcome, rejected, type Scope, tidy } from '../outcome.ts'
import { type Attempt, DraftInvalid, defineProvider, lineAt, objectAt, textAt } from '../provider.ts'
import { Secret, sender, Text } from '../settings.ts'

/** A name or an address, of which only IPv6 has colons. The transport checks the address it resolves to. */
const HOST = '^([A-Za-z0-9_.-]{1,255}|(?=.{2,45}$)[0-9A-Fa-f]*(:[0-9A-Fa-f.]*){2,7})$'

/** Merged settings, as an override may leave them. */
interface Settings {
  host?: string
  port?: number
  security?: SmtpServer['security']
  user?: string
  password?: string
}

type Draft = { body: JsonObject }

export default defineProvider({
  ...mailProvider,
  key: 'smtp',
  title: 'SMTP',
  description: 'Mail through any SMTP server',
  website: 'https://www.rfc-editor.org/rfc/rfc5321',
  settings: {
    host: Type.String({
      title: 'Host',
      description: 'Name of the mail server',
      pattern: HOST,
      patternInWords: 'the name or address of a host, without a port or a path',
      destination: true,
    }),
    port: Type.Optional(
      Type.Integer({
        title: 'Port',
        description: '587, or 465 for TLS',
        minimum: 1,
        maximum: 65535,
        destination: true,
      }),
    ),
    security: Type.Optional(
      Type.Enum(['tls', 'starttls', 'opportunistic'], {
        title: 'Security',
        description:
          'TLS from the first byte, STARTTLS required, or STARTTLS when offered. By default what the port says',
        destination: true,
      }),
    ),
    user: Type.Optional(Text('User', 'Name to sign in with', { maxLength: 320 })),
    password: Type.Optional(Secret('Password', 'Password to sign in with')),
    ...sender(),
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

  compose(composition): Draft {
    const { from, to, subject, html, text, ...optional } = composeMail(composition)
    return { body: { from, to, subject, html, text, ...withoutEmpty(optional) } }
  },

  signIn: (settings) => ({
    request: { kind: 'sign-in', server: serverOf(settings) },
    failureIn(reply) {
      if (reply.kind !== 'mail') return failureOf(reply)
      return reply.code < 300 ? undefined : tidy(reply.response, [settings.password])
    },
  }),

  *deliver(attempt) {
    const mail = mailOf(attempt)
    if (!attempt.settings.host) return rejected('configuration', 'The integration has no host')
    const request: MailRequest = { kind: 'mail', final: true, server: serverOf(attempt.settings), mail }
    return outcomeOf(yield request, mail, attempt)
  },
})

/** The default port is that of submission, which encrypts. */
function serverOf({ host = '', port = 587, security, user, password }: Settings): SmtpServer {
  const credentials = user && password ? { user, password } : {}
  return { host, port, security: security ?? (port === 465 ? 'tls' : 'starttls'), ...credentials }
}

function mailOf({ draft, message, now }: Attempt<MailAddress, Draft, Settings>): MailRequest['mail'] {
  const body = objectAt(draft, 'body')
  const from = addressAt(body.from, 'from')
  if (!from) throw new DraftInvalid('from is missing')
  const to = addressesAt(body.to, 'to')
  if (to.length === 0) throw new DraftInvalid('to is missing')
  const html = textAt(body.html, 'html')
  const text = textAt(body.text, 'text')
  const lists = {
    replyTo: addressesAt(body.replyTo ?? body.reply_to, 'replyTo'),
    cc: addressesAt(body.cc, 'cc'),
    bcc: addressesAt(body.bcc, 'bcc'),
  }
  const attachments = attachmentsAt(body.attachments, 'attachments')
  return {
    messageId: `${message.deliveryId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
    date: now,
    from,
    to,
    subject: lineAt(body.subject, 'subject') ?? '',
    ...(html === undefined ? {} : { html }),
    ...(text === undefined && html !== undefined ? {} : { text: text ?? '' }),
    ...Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0)),
    headers: mailHeadersAt(body.headers, 'headers'),
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

function outcomeOf(reply: Reply, mail: Mail, attempt: Attempt<MailAddress, Draft, Settings>): Outcome {
  const secrets = [attempt.settings.password]
  if (reply.kind !== 'mail') {
    const failed = byStatus(reply, attempt.now, { secrets })
    if (failed) return failed
    throw new TypeError(`A mail request was answered by an ${reply.kind} reply`)
  }
  if (reply.code >= 200 && reply.code < 300)
    return {
      kind: 'sent',
      reference: { message_id: mail.messageId, response: tidy(reply.response, secrets) },
      delivered: false,
    }
  const error = tidy(
    reply.response.startsWith(String(reply.code)) ? reply.response : `${reply.code} ${reply.response}`,
    secrets,
  )
  if (reply.code < 500) return { kind: 'retry', error, attempted: true }
  const gone = goneOf(reply, mail, attempt.to)
  return { kind: 'rejected', error, scope: scopeOf(reply), ...(gone && { gone }) }
}

/**
 * The enhanced codes that say that an address does not exist: https://www.iana.org/assignments/smtp-enhanced-status-codes
 * Not 5.2.1, which large providers also give for too much mail, and no code without a detail.
 */
const GONE: ReadonlyMap<string, Gone> = new Map([
  ['1.1', 'hard_bounce'],
  ['1.2', 'hard_bounce'],
  ['1.3', 'invalid_address'],
  ['1.6', 'hard_bounce'],
  ['1.10', 'hard_bounce'],
])

/** Only where the code is about the addressee of the message, neither about a copy nor about an address of an override. */
function goneOf({ code, response, refused }: MailReply, mail: Mail, addressee: MailAddress): Gone | undefined {
  const [to, ...others] = [...mail.to, ...(mail.cc ?? []), ...(mail.bcc ?? [])]
  if (code < 500 || to?.address !== addressee.address) return undefined
  if (refused !== 'recipient' && others.length > 0) return undefined
  const [, detail = ''] = /^(?:5\d\d[ -])?5\.(\d{1,3}\.\d{1,3})(?![\d.])/.exec(response) ?? []
  return GONE.get(detail)
}

/** RFC 5321 codes, made precise by the enhanced codes of RFC 3463 where a server gives them. */
function scopeOf({ code, response }: { code: number; response: string }): Scope {
  const [, subject, detail] = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(response) ?? []
  // 1.7 and 1.8: the sender's address; 7.8 and 7.9: the credentials.
  if (subject === '1') return detail === '7' || detail === '8' ? 'configuration' : 'recipient'
  if (subject === '7' && (detail === '8' || detail === '9')) return 'configuration'
  if (subject === '2') return detail === '3' ? 'content' : 'recipient'
  if (subject === '6' || (subject === '3' && detail === '4')) return 'content'
  if (code === 550 || code === 551 || code === 553 || code === 554) return 'recipient'
  return code === 552 ? 'content' : 'configuration'
}
