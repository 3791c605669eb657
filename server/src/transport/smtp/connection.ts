/** A connection to an SMTP server: commands go out in groups, replies come back in order, and it ends for one reason. */
import type { Socket } from 'node:net'
import { SECOND } from '../../base/time/duration.ts'
import { connectionErrorText } from '../tls-errors.ts'
import { ReplyReader, type SmtpReply } from './replies.ts'

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

  /** Gives the socket away; unread bytes of an incomplete reply are dropped. */
  release(): Socket {
    this.#failure = { failure: 'reset', message: 'The connection was given away' }
    return this.#socket.off('data', this.#read).off('end', this.#ended).off('close', this.#ended)
  }

  /** At once: pending writes are dropped. */
  close(): void {
    this.#end({ failure: 'reset', message: 'The connection was closed' })
  }

  quit(): void {
    if (this.#failure) return
    this.#failure = { failure: 'reset', message: 'Goodbye was said' }
    const timer = setTimeout(() => this.#socket.destroy(), QUIT_MS)
    this.#socket.once('close', () => clearTimeout(timer))
    this.#socket.end('QUIT\r\n')
  }

  #write(text: string): void {
    // One byte a character: commands and mails are ASCII.
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
