/** One HTTP request until its reply or its failure: what arrives is bounded in time and size. */
import { type Dispatcher, errors } from 'undici'
import type { Failure, FailureKind, HttpReply } from '../../base/exchange.ts'
import { Unreachable } from '../address-guard.ts'
import { Limit, type Limited, type Limits } from '../time-limit.ts'
import { connectionErrorText } from '../tls-errors.ts'

const REPLY_BYTES_MAX = 1_000_000
const TOO_LARGE = `The reply is larger than ${REPLY_BYTES_MAX} bytes`

/** A class: one object for each request instead of a dozen closures. */
export class HttpExchange implements Dispatcher.DispatchHandler, Limited {
  readonly #host: string
  readonly #answer: (reply: HttpReply | Failure) => void
  readonly #limit: Limit
  /** There as soon as a connection is, and the next act is to write. */
  #control: Dispatcher.DispatchController | undefined
  #settled = false
  #status = 0
  #headers: Record<string, string> = {}
  #bytes = 0
  readonly #chunks: Buffer[] = []

  /** `host` is for the text of failures; `answer` is called once. */
  constructor(host: string, limits: Limits, answer: (reply: HttpReply | Failure) => void) {
    this.#host = host
    this.#answer = answer
    this.#limit = new Limit(limits, this)
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    if (this.#settled) control.abort(new errors.RequestAbortedError())
    else this.#control = control
  }

  onResponseStart(
    _control: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx replies come before the final one.
    if (status < 200) return
    this.#status = status
    this.#headers = joined(headers)
    if (Number(this.#headers['content-length']) > REPLY_BYTES_MAX) this.cut('too_large', TOO_LARGE)
  }

  onResponseData(_control: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > REPLY_BYTES_MAX) this.cut('too_large', TOO_LARGE)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [only] = this.#chunks
    const body = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks)
    this.#settle({ kind: 'http', status: this.#status, headers: this.#headers, body: body.toString('utf8') })
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    this.#settle(failureOf(error, this.#host, this.#control !== undefined))
  }

  cut(failure: FailureKind, message: string): void {
    this.#settle({
      kind: 'failure',
      failure,
      message: `${this.#host}: ${message}`,
      reached: this.#control !== undefined,
    })
    this.#control?.abort(new errors.RequestAbortedError(message))
  }

  #settle(reply: HttpReply | Failure): void {
    if (this.#settled) return
    this.#settled = true
    this.#limit.end()
    this.#answer(reply)
  }
}

function joined(raw: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name in raw) {
    const value = raw[name]
    // Cookies are not kept, and may be secrets.
    if (value === undefined || name === 'set-cookie' || name === '__proto__') continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

function failureOf(error: Error, host: string, reached: boolean): Failure {
  if (error instanceof Unreachable)
    return { kind: 'failure', failure: error.failure, message: error.message, reached: false }
  const failure: FailureKind =
    error instanceof errors.HeadersOverflowError
      ? 'too_large'
      : error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError
        ? 'invalid_request'
        : error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError
          ? 'aborted'
          : 'reset'
  return {
    kind: 'failure',
    failure,
    message: `${host}: ${connectionErrorText(error)}`,
    reached: reached && failure !== 'invalid_request',
  }
}
