/** Reads an SMTP server's replies out of bytes that come in pieces of any size (RFC 5321 §4.2). */
import { StringDecoder } from 'node:string_decoder'

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
