/** One SMTP conversation: greeted, encrypted as the server's settings demand, logged in, and able to say how far a mail came. */
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { SECOND } from '../base/duration.ts'
import type { Failure, FailureKind, MailReply, SmtpServer } from '../base/exchange.ts'
import { type AddressGuard, isPublicPeer, Unreachable } from './address.ts'
import { dial, tlsOptions } from './dial.ts'
import type { BuiltMail } from './mime.ts'

/** Greeting, STARTTLS and each answer; the whole mail is bounded by its own limit. */
const ANSWER_TIMEOUT_MS = 30 * SECOND
const RESPONSE_MAX = 1_000

export type SmtpAnswer = MailReply | Failure

export interface SmtpSession {
  /** Mails sent so far. */
  sent: number
  /** True from the moment the server may have begun to receive the current mail. */
  reached: boolean
  readonly isOpen: boolean
  send(mail: BuiltMail): Promise<SmtpAnswer>
  /** At once; a mail in flight never gets its answer. */
  close(): void
  /** With a word of goodbye. */
  quit(): void
}

/** `ended` is called once, however the session ends. */
export async function openSession(
  addresses: AddressGuard,
  server: SmtpServer,
  authorities: string[] | undefined,
  ended: () => void,
): Promise<SmtpSession | SmtpAnswer> {
  let socket: Socket
  try {
    socket = await dial(addresses, { ...server, encrypted: server.security === 'tls', authorities })
  } catch (error) {
    ended()
    if (!(error instanceof Unreachable)) throw error
    return { kind: 'failure', failure: error.failure, message: error.message, reached: false }
  }
  const isPlainAllowed = mayBePlain(server, socket.remoteAddress)
  const connection = new SMTPConnection({
    connection: socket,
    host: server.host,
    secure: server.security === 'tls',
    secured: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    opportunisticTLS: server.security === 'opportunistic',
    tls: {
      ...tlsOptions(server.host, authorities),
      // Where plain text would do, a certificate that nobody vouches for does no harm.
      rejectUnauthorized: !isPlainAllowed,
    },
    greetingTimeout: ANSWER_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
    socketCloseTimeout: SECOND,
    maxResponseSize: 16_384,
  })
  connection.once('end', ended)
  const refusal = await greeted(connection, server, isPlainAllowed)
  if (refusal) {
    connection.close()
    return refusal
  }
  return session(connection)
}

/** Encryption may be missing, or unproven, where it is a bonus: with no password to tell, or on a private network. */
export function mayBePlain({ security, user }: SmtpServer, peer: string | undefined): boolean {
  if (security !== 'opportunistic') return false
  return user === undefined || (peer !== undefined && !isPublicPeer(peer))
}

function greeted(
  connection: SMTPConnection,
  server: SmtpServer,
  isPlainAllowed: boolean,
): Promise<SmtpAnswer | undefined> {
  return new Promise((resolve) => {
    const fail = (error: SmtpError) =>
      resolve(isTlsFault(error) ? failure('tls', error.message, false) : answerOf(error, false))
    // Stays for the whole life of the session: an error event nobody hears ends the process.
    connection.on('error', fail)
    connection.connect((error) => {
      if (error) return fail(error)
      if (!connection.secure && !isPlainAllowed)
        return resolve(
          failure('tls', 'The server offers no encryption, and a password is not sent in the clear', false),
        )
      const { user, password } = server
      if (user === undefined) return resolve(undefined)
      if (!connection.allowsAuth) return resolve(failure('connect', 'The server offers no login', false))
      connection.login({ user, pass: password ?? '' }, (error) => resolve(error ? answerOf(error, false) : undefined))
    })
  })
}

function session(connection: SMTPConnection): SmtpSession {
  let settle: ((answer: SmtpAnswer) => void) | undefined
  let isClean = true

  const transmit = (mail: BuiltMail) => {
    // The stream is read when the server has asked for the data, not earlier.
    const data = new Readable({
      read() {
        self.reached = true
        this.push(Buffer.from(mail.text, 'latin1'))
        this.push(null)
      },
    })
    connection.send({ ...mail.envelope, size: mail.text.length }, data, (error, info) => {
      isClean = !error
      settle?.(error ? answerOf(error, self.reached) : accepted(mail, info))
    })
  }
  const self: SmtpSession = {
    sent: 0,
    reached: false,
    get isOpen() {
      return !connection.destroyed
    },
    send(mail) {
      self.sent += 1
      self.reached = false
      return new Promise((resolve) => {
        settle = resolve
        if (isClean) return transmit(mail)
        // What a refused mail left behind would be added to this one.
        connection.reset((error) => {
          if (!error) return transmit(mail)
          connection.close()
          resolve(failure('reset', error.message, false))
        })
      })
    },
    close: () => connection.close(),
    quit: () => connection.quit(),
  }
  // A closed connection forgets whom it owes an answer; a better one, if there is any, comes in the same turn.
  connection.once('end', () => {
    setImmediate(() => settle?.(failure('reset', 'The connection was closed', self.reached)))
  })
  return self
}

interface SendInfo {
  response?: string | undefined
  rejectedErrors?: SmtpError[] | undefined
}

interface SmtpError extends Error {
  code?: string | undefined
  syscall?: string | undefined
  response?: string | false | undefined
  responseCode?: number | false | undefined
  recipient?: string | undefined
}

/** The first recipient is who the mail is for: when only copies were taken, the mail was not. */
function accepted(mail: BuiltMail, info: SendInfo | undefined): MailReply {
  const refused = info?.rejectedErrors ?? []
  const main = refused.find(({ recipient }) => recipient === mail.envelope.to[0])
  if (main) return { kind: 'mail', code: main.responseCode || 550, response: shortened(main.response || main.message) }
  const copies = refused.map((error) => `; not taken: ${error.recipient} (${error.response || error.message})`)
  return { kind: 'mail', code: 250, response: shortened(`${info?.response ?? ''}${copies.join('')}`) }
}

/** What the operating system did not call an error of the socket is one of the encryption. */
const isTlsFault = ({ code, syscall }: SmtpError) => code === 'ESOCKET' && syscall === undefined

function answerOf(error: SmtpError, reached: boolean): SmtpAnswer {
  // A server that refuses STARTTLS gives a code of its own, which says nothing about the mail.
  if (error.code === 'ETLS') return failure('tls', error.message, false)
  if (error.responseCode && error.responseCode >= 400)
    return { kind: 'mail', code: error.responseCode, response: shortened(error.response || error.message) }
  if (error.code === 'ETIMEDOUT') return failure('timeout', error.message, reached)
  if (error.code === 'EMESSAGE') return failure('too_large', error.message, false)
  if (error.code === 'EENVELOPE' || error.code === 'EAUTH') return failure('invalid_request', error.message, false)
  return failure('reset', error.message, reached)
}

const failure = (kind: FailureKind, message: string, reached: boolean): Failure => ({
  kind: 'failure',
  failure: kind,
  message: shortened(message),
  reached,
})

const shortened = (text: string) => text.slice(0, RESPONSE_MAX)
