/** An SMTP session: opened by its handshake, then one mail after another, each with how far it came. */
import { createHmac } from 'node:crypto'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import type { CopyNotTaken, Failure, FailureKind, MailReply, SmtpServer } from '../../base/exchange.ts'
import { addressBytes, type BuiltMail } from '../../base/mime/mime.ts'
import { SECOND } from '../../base/time/duration.ts'
import { type AddressGuard, isPublicPeer, Unreachable } from '../address-guard.ts'
import { dial, encryptConnection } from '../connect.ts'
import { Limit } from '../time-limit.ts'
import { type SmtpReply, SmtpWire } from './connection.ts'

export type SmtpAnswer = MailReply | Failure

/** The extensions of a server, by keyword in capitals, with their values. */
type Extensions = ReadonlyMap<string, readonly string[]>

export interface SmtpSession {
  /** Mails sent so far. */
  readonly sent: number
  /** True as soon as the server may have started to receive the current mail. */
  readonly reached: boolean
  readonly isOpen: boolean
  send(mail: BuiltMail): Promise<SmtpAnswer>
  /** At once; a mail in flight gets no answer of the server any more. */
  close(): void
  /** Sends QUIT, and closes. */
  quit(): void
}

/** From the greeting to the login: some servers delay their greeting for unknown clients, seldom longer than 20 s. */
const OPENING_MAX_MS = 30 * SECOND

interface Opening {
  addresses: AddressGuard
  server: SmtpServer
  authorities: string[] | undefined
  /** Aborted when the client closes: a session that is not ready yet is given up. */
  signal: AbortSignal
  /** Called once, however the session ends. */
  ended: () => void
}

export async function openSession(opening: Opening): Promise<SmtpSession | SmtpAnswer> {
  const { addresses, server, authorities, signal, ended } = opening
  let socket: Socket
  try {
    socket = await dial(addresses, { ...server, encrypted: server.security === 'tls', authorities, signal })
  } catch (error) {
    ended()
    return unreachable(error)
  }
  socket.once('close', ended)
  let isLate = false
  const limit = new Limit(
    { signal, timeoutMs: OPENING_MAX_MS },
    {
      cut(failure) {
        isLate = failure === 'timeout'
        socket.destroy()
      },
    },
  )
  const opened = await greet(socket, opening)
  limit.end()
  if (!('kind' in opened)) return opened
  socket.destroy()
  return isLate ? failed('timeout', `${server.host} was not ready within ${OPENING_MAX_MS} ms`) : opened
}

/** Encryption may be absent or unverified where it is optional: without a password to send, or on a private network. */
export function mayBePlain({ security, user }: SmtpServer, peer: string | undefined): boolean {
  if (security !== 'opportunistic') return false
  return user === undefined || (peer !== undefined && !isPublicPeer(peer))
}

async function greet(socket: Socket, { server, authorities, signal }: Opening): Promise<SmtpSession | SmtpAnswer> {
  const isPlainAllowed = mayBePlain(server, socket.remoteAddress)
  let wire = new SmtpWire(socket)
  const [greeting] = await wire.receive(1)
  if (greeting?.code !== 220) return failureOf(wire, greeting)
  let offered = await hello(wire)
  if ('kind' in offered) return offered
  if (server.security === 'starttls' || (server.security === 'opportunistic' && offered.has('STARTTLS'))) {
    const [ready] = await wire.exchange('STARTTLS')
    if (wire.failure) return failureOf(wire, ready)
    if (ready?.code === 220) {
      try {
        // RFC 3207 §4.2: earlier replies are void; a new wire has none of them.
        wire = new SmtpWire(
          await encryptConnection(wire.release(), { ...server, authorities, signal }, !isPlainAllowed),
        )
      } catch (error) {
        return unreachable(error)
      }
      offered = await hello(wire)
      if ('kind' in offered) return offered
    } else if (!isPlainAllowed) return notEncrypted(server, ready)
  } else if (server.security === 'opportunistic' && !isPlainAllowed) return notEncrypted(server)
  if (server.user === undefined) return smtpSession(wire, server.host, offered)
  const methods = offered.get('AUTH')
  if (!methods) return failed('connect', 'The server offers no login')
  const reply = await login(wire, methods, server)
  return reply && isYes(reply) ? smtpSession(wire, server.host, offered) : failureOf(wire, reply)
}

/** The extensions of the server: none, when it supports only HELO. */
async function hello(wire: SmtpWire): Promise<Extensions | SmtpAnswer> {
  const name = ownName(hostname())
  const [reply] = await wire.exchange(`EHLO ${name}`)
  if (reply && isYes(reply)) return extensionsOf(reply.text)
  if (wire.failure) return failureOf(wire, reply)
  const [old] = await wire.exchange(`HELO ${name}`)
  return old && isYes(old) ? new Map() : failureOf(wire, old)
}

/**
 * RFC 5321 §4.1.1.1: a keyword a line, with its values; logins are also listed as `AUTH=…`, from before the standard.
 */
function extensionsOf(text: string): Extensions {
  const offered = new Map<string, string[]>()
  for (const line of text.toUpperCase().split('\n').slice(1)) {
    const [keyword = '', ...values] = line.slice('250-'.length).split(/[ =]+/)
    offered.set(keyword, [...(offered.get(keyword) ?? []), ...values])
  }
  return offered
}

/** RFC 5321 §4.1.3: a client without a name gives an address. */
export const ownName = (host: string) => (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(host) ? host : '[127.0.0.1]')

function failureOf({ failure }: SmtpWire, reply: SmtpReply | undefined): SmtpAnswer {
  return reply ? errorReply(reply) : failed(failure?.failure ?? 'reset', failure?.message ?? 'No answer')
}

/** RFC 3207 §4: 454 is an error for a while; any other answer, like no offer, stays until the settings change. */
function notEncrypted({ host, security }: SmtpServer, reply?: SmtpReply): Failure {
  const answer = reply ? `: ${reply.text}` : ''
  if (reply && reply.code >= 400 && reply.code < 500) return failed('tls', `${host} does not encrypt now${answer}`)
  const cure =
    security === 'opportunistic'
      ? 'a password goes unencrypted only over a private network. Set a port where it encrypts, or remove the user'
      : `security=${security} requires it. Set security=opportunistic to send without encryption, or a port where it encrypts`
  return failed('unencrypted', `${host} does not encrypt, and ${cure}${answer}`)
}

function unreachable(error: unknown): SmtpAnswer {
  if (!(error instanceof Unreachable)) throw error
  return failed(error.failure, error.message)
}

type Credentials = Pick<SmtpServer, 'host' | 'port' | 'user' | 'password' | 'accessToken'>

/** The answer to each challenge; the first line comes before any. */
type Method = readonly ((credentials: Credentials, challenge: string) => string)[]

const base64 = (text: string) => Buffer.from(text).toString('base64')

const PASSWORD_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['PLAIN', [({ user, password = '' }) => `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`]],
  ['LOGIN', [() => 'AUTH LOGIN', ({ user = '' }) => base64(user), ({ password = '' }) => base64(password)]],
  [
    'CRAM-MD5',
    [
      () => 'AUTH CRAM-MD5',
      ({ user, password = '' }, challenge) => {
        const digest = createHmac('md5', password).update(Buffer.from(challenge, 'base64')).digest('hex')
        return base64(`${user} ${digest}`)
      },
    ],
  ],
])

/**
 * A rejection comes as a challenge with its reason in JSON; after an answer to it the server ends the login.
 * https://developers.google.com/workspace/gmail/imap/xoauth2-protocol and RFC 7628 §3.2.3
 */
const TOKEN_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'XOAUTH2',
    [
      ({ user, accessToken }) => `AUTH XOAUTH2 ${base64(`user=${user}\x01auth=Bearer ${accessToken}\x01\x01`)}`,
      () => '',
    ],
  ],
  [
    'OAUTHBEARER',
    [
      ({ user, host, port, accessToken }) =>
        `AUTH OAUTHBEARER ${base64(`n,a=${user},\x01host=${host}\x01port=${port}\x01auth=Bearer ${accessToken}\x01\x01`)}`,
      () => base64('\x01'),
    ],
  ],
])

/** The last reply, a yes when signed in; undefined when the connection ended. */
async function login(
  wire: SmtpWire,
  offered: readonly string[],
  credentials: Credentials,
): Promise<SmtpReply | undefined> {
  // Without a common method, the server's reply to the usual one is the clearest error.
  const methods = credentials.accessToken === undefined ? PASSWORD_METHODS : TOKEN_METHODS
  const name = [...methods.keys()].find((method) => offered.includes(method)) ?? [...methods.keys()][0] ?? ''
  let reply: SmtpReply | undefined
  for (const line of methods.get(name) ?? []) {
    const challenge = reply?.text.slice('334 '.length) ?? ''
    ;[reply] = await wire.exchange(line(credentials, challenge))
    if (reply?.code !== 334) break
  }
  return reply
}

function smtpSession(wire: SmtpWire, host: string, offered: Extensions): SmtpSession {
  let sent = 0
  let reached = false
  let isClean = true

  const lost = () => failed('reset', wire.failure?.message ?? 'No answer', reached)

  const rejection = (reply: SmtpReply, refused: MailReply['refused'] = 'content'): SmtpAnswer => {
    // Out of step: the next answer would be taken for another one's.
    if (reply.code < 400) wire.close()
    const answer = errorReply(reply, reached)
    return answer.kind === 'mail' ? Object.assign(answer, { refused }) : answer
  }

  const exchange = async (commands: readonly string[], mail: BuiltMail): Promise<SmtpReply[]> => {
    if (offered.has('PIPELINING')) return wire.exchange(...commands)
    const replies: SmtpReply[] = []
    for (const command of commands) {
      const [reply] = await wire.exchange(command)
      if (!reply) break
      replies.push(reply)
      if (objection(replies, commands, mail)) break
    }
    return replies
  }

  return {
    get sent() {
      return sent
    },
    get reached() {
      return reached
    },
    get isOpen() {
      return wire.failure === undefined
    },
    close: () => wire.close(),
    quit: () => wire.quit(),
    async send(mail) {
      sent += 1
      reached = false
      const excess = excessOf(mail, host, offered)
      if (excess) return excess
      if (!isClean) {
        // Recipients of a rejected mail would be added to this one.
        const [reset] = await wire.exchange('RSET')
        if (!reset || !isYes(reset)) {
          wire.close()
          return lost()
        }
      }
      isClean = false
      const commands = envelope(mail, offered)
      const replies = await exchange(commands, mail)
      const no = objection(replies, commands, mail)
      if (no) {
        // The server accepts DATA all the same: ending it would send an empty mail to the copies, so the connection is
        // closed.
        if (replies[commands.length - 1]?.code === 354) wire.close()
        return withCopies(rejection(no, partOf(no, replies, commands)), mail, replies)
      }
      if (replies.length < commands.length || wire.failure) return lost()
      reached = true
      const [taken] = await wire.transmit(mail.text)
      if (!taken) return lost()
      if (!isYes(taken)) return rejection(taken)
      isClean = true
      return accepted(mail, taken, replies)
    },
  }
}

/** The part of the mail that a reply is about. */
function partOf(reply: SmtpReply, replies: readonly SmtpReply[], { length }: readonly string[]): MailReply['refused'] {
  if (reply === replies[0]) return 'sender'
  return reply === replies[length - 1] ? 'content' : 'recipient'
}

/** Why a mail cannot be sent by the extensions of the server. */
function excessOf({ text, needsUtf8 }: BuiltMail, host: string, offered: Extensions): Failure | undefined {
  // Without a value, or with 0, the server names no limit.
  const sizeMax = Number(offered.get('SIZE')?.[0]) || Number.POSITIVE_INFINITY
  if (text.length > sizeMax) {
    const [size, most] = [text.length, sizeMax].map((bytes) => bytes.toLocaleString('en-US'))
    // Another server may take it; this one refuses it again.
    return failed('unsupported', `The mail has ${size} bytes, and ${host} takes at most ${most}`)
  }
  if (needsUtf8 && !offered.has('SMTPUTF8'))
    return failed('unsupported', `${host} does not take addresses beyond ASCII: it does not offer SMTPUTF8`)
  return undefined
}

/** The sender, then the recipients, the addressee first, then the data. */
function envelope({ envelope: { from, to }, text, needsUtf8 }: BuiltMail, offered: Extensions): string[] {
  const size = offered.has('SIZE') ? ` SIZE=${text.length}` : ''
  const utf8 = needsUtf8 ? ' SMTPUTF8' : ''
  const recipients = to.map((address) => `RCPT TO:<${addressBytes(address)}>`)
  return [`MAIL FROM:<${addressBytes(from)}>${size}${utf8}`, ...recipients, 'DATA']
}

/** The reply that keeps the mail from being sent. Copies may be rejected: the addressee, or another copy, gets it nevertheless. */
function objection(
  replies: readonly SmtpReply[],
  commands: readonly string[],
  { toAny = false }: BuiltMail,
): SmtpReply | undefined {
  const [sender, recipient] = replies
  if (sender && !isYes(sender)) return sender
  const last = commands.length - 1
  if (toAny) {
    const recipients = replies.slice(1, last)
    // One that is refused for now may be taken later.
    if (recipients.length === last - 1 && !recipients.some(isYes))
      return recipients.find(({ code }) => code < 500) ?? recipient
  } else if (recipient && !isYes(recipient)) return recipient
  const data = replies[last]
  return data && data.code !== 354 ? data : undefined
}

/** Each copy has its answer, where none is taken. */
const withCopies = (answer: SmtpAnswer, mail: BuiltMail, replies: readonly SmtpReply[]): SmtpAnswer =>
  mail.toAny && answer.kind === 'mail' && answer.refused === 'recipient'
    ? { ...answer, ...copiesIn(mail, replies) }
    : answer

const accepted = (mail: BuiltMail, taken: SmtpReply, replies: readonly SmtpReply[]): MailReply => ({
  ...replied(taken, taken.text),
  ...copiesIn(mail, replies),
})

/** Those that were not taken. */
function copiesIn(
  { envelope: { to } }: BuiltMail,
  replies: readonly SmtpReply[],
): { copiesNotTaken?: readonly CopyNotTaken[] } {
  const copiesNotTaken = to.flatMap((address, index): CopyNotTaken[] => {
    const reply = replies[index + 1]
    if (!reply || isYes(reply)) return []
    return [{ address, error: reply.text.slice(0, RESPONSE_MAX), isTemporary: reply.code < 500 }]
  })
  return copiesNotTaken.length > 0 ? { copiesNotTaken } : {}
}

const RESPONSE_MAX = 1_000

const isYes = ({ code }: SmtpReply) => code >= 200 && code < 300

const replied = ({ code }: SmtpReply, response: string): MailReply => ({
  kind: 'mail',
  code,
  response: response.slice(0, RESPONSE_MAX),
})

const failed = (failure: FailureKind, message: string, reached = false): Failure => ({
  kind: 'failure',
  failure,
  message: message.slice(0, RESPONSE_MAX),
  reached,
})

/** An unexpected reply: an error of the server, or one out of step, which says nothing about the mail. */
function errorReply(reply: SmtpReply, reached = false): SmtpAnswer {
  if (reply.code >= 400) return replied(reply, reply.text)
  return failed('reset', `Unexpected answer: ${reply.text}`, reached)
}
