/** A connection to an SMTP server: commands go out in groups, replies come back in order, and it ends for one reason. */
import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { SECOND } from '../../base/time/duration.ts'
import { connectionErrorText } from '../connect.ts'

/** A server that does not close the connection after QUIT is disconnected. */
const QUIT_MS = SECOND

export interface SmtpFailure {
  failure: 'reset' | 'tls'
  message: string
}

export class SmtpWire {
  readonly #socket: Socket
  readonly #reader = new ReplyReader()
  #expected = 0
  #received: SmtpReply[] = []
  #answer: ((replies: SmtpReply[]) => void) | undefined
  #failure: SmtpFailure | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', this.#read).on('end', this.#ended).on('close', this.#ended)
    // Stays as long as the socket: an error without a listener ends the process.
    socket.on('error', (error) => {
      // An error without a system call is one of TLS.
      this.#end({ failure: 'syscall' in error ? 'reset' : 'tls', message: connectionErrorText(error) })
    })
  }

  /** Why the connection has ended. */
  get failure(): SmtpFailure | undefined {
    return this.#failure
  }

  /** All commands in one write (RFC 2920 §3.1); their replies, fewer when the connection ended before the last. */
  exchange(...commands: string[]): Promise<SmtpReply[]> {
    this.#write(`${commands.join('\r\n')}\r\n`)
    return this.receive(commands.length)
  }

  /** A mail's text with its final dot, in one write. */
  transmit(text: string): Promise<SmtpReply[]> {
    this.#write(dotted(text))
    return this.receive(1)
  }

  receive(count: number): Promise<SmtpReply[]> {
    if (this.#failure) return Promise.resolve([])
    return new Promise((resolve) => {
      this.#expected = count
      this.#answer = resolve
    })
  }

  /** Returns the socket without its listeners; unread bytes of an incomplete reply are dropped. */
  release(): Socket {
    this.#failure = { failure: 'reset', message: 'The connection was released' }
    return this.#socket.off('data', this.#read).off('end', this.#ended).off('close', this.#ended)
  }

  /** At once: pending writes are dropped. */
  close(): void {
    this.#end({ failure: 'reset', message: 'The connection was closed' })
  }

  quit(): void {
    if (this.#failure) return
    this.#failure = { failure: 'reset', message: 'QUIT was sent' }
    const timer = setTimeout(() => this.#socket.destroy(), QUIT_MS)
    this.#socket.once('close', () => clearTimeout(timer))
    this.#socket.end('QUIT\r\n')
  }

  #write(text: string): void {
    // One byte a character, as commands and mails are built.
    if (!this.#failure) this.#socket.write(text, 'latin1')
  }

  readonly #read = (bytes: Buffer) => {
    for (const reply of this.#reader.read(bytes)) this.#take(reply)
    if (this.#reader.error) this.#end({ failure: 'reset', message: this.#reader.error })
  }

  readonly #ended = () => this.#end({ failure: 'reset', message: 'The server closed the connection' })

  #take(reply: SmtpReply): void {
    if (this.#answer) this.#received.push(reply)
    // RFC 5321 §3.8: after 421, to any command, the server closes the connection.
    if (reply.code === 421) this.#end({ failure: 'reset', message: reply.text })
    else if (!this.#answer) this.#end({ failure: 'reset', message: `Unexpected answer: ${reply.text}` })
    else if (this.#received.length === this.#expected) this.#settle()
  }

  #end(failure: SmtpFailure): void {
    if (this.#failure) return
    this.#failure = failure
    this.#socket.destroy()
    this.#settle()
  }

  #settle(): void {
    const [answer, received] = [this.#answer, this.#received]
    this.#answer = undefined
    this.#received = []
    answer?.(received)
  }
}

/** RFC 5321 §4.5.2: a line that begins with a dot gets another, and a lone dot ends the mail. */
export function dotted(text: string): string {
  const lines = text.includes('\n.') ? text.replaceAll('\n.', '\n..') : text
  return `${lines.startsWith('.') ? '.' : ''}${lines}${lines.endsWith('\r\n') ? '' : '\r\n'}.\r\n`
}

export interface SmtpReply {
  code: number
  /** As it came, its lines joined by line feeds. */
  text: string
}

/** The longest in use, lists of extensions, have one or two thousand. */
const REPLY_CHARS_MAX = 16_384

export class ReplyReader {
  /** Text beyond ASCII is nearly always UTF-8; other bytes become U+FFFD. */
  readonly #decoder = new StringDecoder('utf8')
  #line = ''
  #reply = ''
  #error: string | undefined

  /** The reason why nothing more can be read: the peer does not speak SMTP. */
  get error(): string | undefined {
    return this.#error
  }

  /** The replies that these bytes complete. */
  read(bytes: Buffer): SmtpReply[] {
    const replies: SmtpReply[] = []
    const text = this.#line + this.#decoder.write(bytes)
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0 && !this.#error; end = text.indexOf('\n', start)) {
      const reply = this.#take(text.slice(start, text[end - 1] === '\r' ? end - 1 : end))
      if (reply) replies.push(reply)
      start = end + 1
    }
    this.#line = text.slice(start)
    if (this.#line.length > REPLY_CHARS_MAX) this.#error ??= 'An answer has no end'
    return replies
  }

  /** The reply that ends with this line. */
  #take(line: string): SmtpReply | undefined {
    // Some servers send one between two replies.
    if (line === '') return undefined
    const [, code, mark] = /^([2-5]\d\d)(-| |$)/.exec(line) ?? []
    const text = this.#reply === '' ? line : `${this.#reply}\n${line}`
    if (code === undefined) this.#error = `This is not an answer of SMTP: ${line}`
    else if (text.length > REPLY_CHARS_MAX) this.#error = 'An answer has no end'
    if (code === undefined || this.#error) return undefined
    this.#reply = mark === '-' ? text : ''
    return mark === '-' ? undefined : { code: Number(code), text }
  }
}
