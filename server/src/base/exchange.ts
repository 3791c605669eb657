/** Requests of adapters and their replies: plain values, performed by `transport/`. */
import type { KeyObject } from 'node:crypto'

export interface HttpRequest {
  kind: 'http'
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: string
  /** The body, where it is no text. */
  bytes?: Uint8Array
  /** Over HTTP/2 alone, which some APIs require; without TLS it is HTTP/1.1. */
  protocol?: 'h2'
  /** The one request that hands the message over. Only it can leave the outcome in doubt. */
  final: boolean
  /** Where the service takes several messages in one call, and this one can be among them. */
  inBatch?: BatchPart
  /** A successful reply may be kept under this key and reused without a request (a looked-up user, a token). */
  cache?: {
    key: string
    lifetimeMs: number
    /** Keep it only when its body has this text: some providers answer 200 to what failed. */
    containing?: string
    /** The field of its JSON with its lifetime in seconds (`expires_in`): it ends shortly before, and `lifetimeMs` is the most. */
    lifetimeField?: string
    /** A reply in the cache with this text is not reused: a service has refused the token in it. */
    refused?: string
  }
}

/**
 * A message as a part of a call with several. Those that are alike in all but `part` and `idempotencyKey` can share one,
 * whose body is `before`, the parts with a comma between two, and `after`.
 */
export interface BatchPart {
  url: string
  headers: Record<string, string>
  before: string
  part: string
  after: string
  /** That of the call is made from those of its messages, and goes into the header `idempotency-key`. */
  idempotencyKey?: string
}

export interface SmtpServer {
  host: string
  port: number
  /** `tls`: encrypted from the first byte; `starttls`: must upgrade; `opportunistic`: upgrades when offered. */
  security: 'tls' | 'starttls' | 'opportunistic'
  user?: string
  password?: string
  /** An OAuth 2.0 access token, instead of a password. */
  accessToken?: string
}

/** Signs mails for a domain (RFC 6376): a signature with each key. The keys are objects, which no log can show. */
export interface DkimSigner {
  domain: string
  keys: readonly { selector: string; key: KeyObject }[]
}

export interface MailAddress {
  name?: string
  address: string
}

export interface MailAttachment {
  filename: string
  contentType: string
  /** Base64 of the bytes. */
  content: string
  contentId?: string
  disposition?: 'attachment' | 'inline'
}

export interface Mail {
  /** Without angle brackets; the same for every attempt of one delivery. */
  messageId: string
  date: number
  from: MailAddress
  /** Where bounces go; else to the sender. */
  envelopeFrom?: string
  /** Where bounces of copies go: they are handed over after the addressee has the mail, and do not see its `envelopeFrom`. */
  copiesFrom?: string
  replyTo?: MailAddress[]
  to: MailAddress[]
  cc?: MailAddress[]
  /** Receives the mail and is named in no header. */
  bcc?: MailAddress[]
  subject: string
  html?: string
  text?: string
  headers?: Record<string, string>
  attachments?: MailAttachment[]
}

/** A mail as it was built and signed, for copies alone. */
export interface CopiesMail {
  /** The sender of the envelope. */
  from: string
  to: readonly string[]
  /** A character a byte. */
  text: string
  /** An address in it is beyond ASCII. */
  needsUtf8: boolean
}

export interface CopiesRequest {
  kind: 'copies'
  server: SmtpServer
  mail: CopiesMail
}

export interface MailRequest {
  kind: 'mail'
  final: true
  server: SmtpServer
  mail: Mail
  dkim?: DkimSigner
}

/** Open a session with the mail server as for a mail, sign in where there is a user, and leave. */
export interface SignInRequest {
  kind: 'sign-in'
  server: SmtpServer
}

/** Open a connection and close it. */
export interface ConnectRequest {
  kind: 'connect'
  host: string
  port: number
  encrypted: boolean
}

/** Keep the message in the built-in sandbox. It is written in the commit that records the delivery. */
interface KeepRequest {
  kind: 'keep'
  final: true
  content: Record<string, unknown>
}

export type Request = HttpRequest | MailRequest | KeepRequest

export interface HttpReply {
  kind: 'http'
  status: number
  /** Lower-case names; repeated headers joined by a comma. */
  headers: Record<string, string>
  /** At most 1 MB; what lies beyond is a `too_large` failure. */
  body: string
  /** Absent for a call with one message. */
  batch?: BatchReply
}

/** How a reply belongs to a call with several messages. */
export interface BatchReply {
  /** Messages in the call. */
  messages: number
  /** The reply is one of the whole call, and another message has it, too: as evidence it counts once. */
  isRepeated: boolean
}

export interface MailReply {
  kind: 'mail'
  /** The SMTP code of the last answer, 250 when the mail was taken. */
  code: number
  response: string
  /** The rejected part: the envelope's sender (MAIL), its addressee (RCPT), or the mail itself. Absent: the session. */
  refused?: 'sender' | 'recipient' | 'content'
  /** Copies that the server did not take, while the addressee, or another copy, has the mail, or where none is taken. */
  copiesNotTaken?: readonly CopyNotTaken[]
  /** The mail for those of them that may be taken later. */
  deferred?: CopiesMail
}

/** Begins the error of a copy whose mail was handed over without an answer: it is not sent again. */
export const MAY_HAVE_IT = 'It may have been sent: '

export interface CopyNotTaken {
  address: string
  /** The reply of the server, or what ended the connection. */
  error: string
  /** It may be taken later. */
  isTemporary: boolean
}

interface KeepReply {
  kind: 'keep'
}

export type FailureKind =
  | 'address_refused'
  | 'dns'
  | 'connect'
  | 'tls'
  /** The peer does not encrypt, and the request requires it. */
  | 'unencrypted'
  | 'timeout'
  | 'reset'
  | 'too_large'
  | 'invalid_request'
  /** The peer lacks an extension that the request needs, or takes less than its size. */
  | 'unsupported'
  | 'aborted'

/** A connection was opened. */
interface ConnectReply {
  kind: 'connect'
}

/** No answer came. `reached` says whether the peer may have received the request. */
export interface Failure {
  kind: 'failure'
  failure: FailureKind
  message: string
  reached: boolean
  /** Absent for a call with one message. */
  batch?: BatchReply
}

export type Reply = HttpReply | MailReply | KeepReply | ConnectReply | Failure
