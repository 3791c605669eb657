/** A connection to an SMTP server: commands go out in groups, replies come back in order, and it ends for one reason. */
import type { Socket } from 'node:net'
import { SECOND } from '../../base/time/duration.ts'
import { connectionWords } from '../tls-errors.ts'
import { ReplyReader, type SmtpReply } from './replies.ts'

/** A server that does not hang up after a goodbye is hung up on. */
const GOODBYE_MS = SECOND

export interface SmtpFault {
  failure: 'reset' | 'tls'
  message: string
}

export class SmtpWire {
  readonly #socket: Socket
  readonly #reader = new ReplyReader()
  #wanted = 0
  #heard: SmtpReply[] = []
  #answer: ((replies: SmtpReply[]) => void) | undefined
  #fault: SmtpFault | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', this.#read).on('end', this.#ended).on('close', this.#ended)
    // Stays as long as the socket: an error that nobody hears ends the process.
    socket.on('error', (error) => {
      // What the operating system did not call an error is one of the encryption.
      this.#end({ failure: 'syscall' in error ? 'reset' : 'tls', message: connectionWords(error) })
    })
  }

  /** Why the connection has ended. */
  get fault(): SmtpFault | undefined {
    return this.#fault
  }

  /** All commands in one write (RFC 2920 §3.1); their replies, fewer when the connection ended before the last. */
  ask(...commands: string[]): Promise<SmtpReply[]> {
    this.#write(`${commands.join('\r\n')}\r\n`)
    return this.hear(commands.length)
  }

  /** A mail's text with its final dot, in one write. */
  transmit(text: string): Promise<SmtpReply[]> {
    this.#write(dotted(text))
    return this.hear(1)
  }

  hear(count: number): Promise<SmtpReply[]> {
    if (this.#fault) return Promise.resolve([])
    return new Promise((resolve) => {
      this.#wanted = count
      this.#answer = resolve
    })
  }

  /** Gives the socket away; what was read and not understood is forgotten. */
  release(): Socket {
    this.#fault = { failure: 'reset', message: 'The connection was given away' }
    return this.#socket.off('data', this.#read).off('end', this.#ended).off('close', this.#ended)
  }

  /** At once: nothing that is still to be written leaves. */
  close(): void {
    this.#end({ failure: 'reset', message: 'The connection was closed' })
  }

  quit(): void {
    if (this.#fault) return
    this.#fault = { failure: 'reset', message: 'Goodbye was said' }
    const timer = setTimeout(() => this.#socket.destroy(), GOODBYE_MS)
    this.#socket.once('close', () => clearTimeout(timer))
    this.#socket.end('QUIT\r\n')
  }

  #write(text: string): void {
    // One byte a character: commands and mails are ASCII.
    if (!this.#fault) this.#socket.write(text, 'latin1')
  }

  readonly #read = (bytes: Buffer) => {
    for (const reply of this.#reader.read(bytes)) this.#take(reply)
    if (this.#reader.fault) this.#end({ failure: 'reset', message: this.#reader.fault })
  }

  readonly #ended = () => this.#end({ failure: 'reset', message: 'The server closed the connection' })

  #take(reply: SmtpReply): void {
    if (this.#answer) this.#heard.push(reply)
    // RFC 5321 §3.8: whatever it answers with 421, the server hangs up.
    if (reply.code === 421) this.#end({ failure: 'reset', message: reply.text })
    else if (!this.#answer) this.#end({ failure: 'reset', message: `Unexpected answer: ${reply.text}` })
    else if (this.#heard.length === this.#wanted) this.#settle()
  }

  #end(fault: SmtpFault): void {
    if (this.#fault) return
    this.#fault = fault
    this.#socket.destroy()
    this.#settle()
  }

  #settle(): void {
    const [answer, heard] = [this.#answer, this.#heard]
    this.#answer = undefined
    this.#heard = []
    answer?.(heard)
  }
}

/** RFC 5321 §4.5.2: a line that begins with a dot gets another, and a lone dot ends the mail. */
export function dotted(text: string): string {
  const lines = text.includes('\n.') ? text.replaceAll('\n.', '\n..') : text
  return `${lines.startsWith('.') ? '.' : ''}${lines}${lines.endsWith('\r\n') ? '' : '\r\n'}.\r\n`
}
