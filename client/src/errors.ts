/** The error of a failed call, with everything a program needs to decide. */
import type { ErrorCode } from './error-code.generated.ts'

export type ErrorKind =
  | 'invalid_request'
  | 'authentication'
  | 'authorization'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limit'
  | 'server'
  | 'connection'
  | 'timeout'
  | 'invalid_answer'

interface Details {
  kind: ErrorKind
  url?: string | undefined
  status?: number
  type?: string | undefined
  code?: string | undefined
  param?: string | undefined
  doc?: string | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  shouldRetry?: boolean | undefined
  body?: unknown
  cause?: unknown
}

export class PostriderError extends Error {
  override readonly name = 'PostriderError'
  /** The kind of error, for branches; `code` is finer. */
  readonly kind: ErrorKind
  /** The address that was called, without its query. */
  readonly url: string | undefined
  /** The HTTP status; absent when no answer came. */
  readonly status: number | undefined
  /** The `type` of the answer: `invalid_request_error`. */
  readonly type: string | undefined
  /** The `code` of the answer: `unknown_template`; absent when no answer came, or something else than Postrider answered. */
  readonly code: ErrorCode | (string & {}) | undefined
  /** The faulty input, where the server knows it: `message.to.3.email`. */
  readonly param: string | undefined
  /** Address of the page about the code. */
  readonly doc: string | undefined
  /** Finds the call in the log of the server. */
  readonly requestId: string | undefined
  /** The wait that the server requires before the next attempt. */
  readonly retryAfterMs: number | undefined
  /** Whether a retry can help, by the server's header. */
  readonly shouldRetry: boolean | undefined
  /** The answer as read; of a refused cancellation the message. */
  readonly body: unknown

  constructor(message: string, details: Details) {
    super(message, { cause: details.cause })
    this.kind = details.kind
    this.url = details.url
    this.status = details.status
    this.type = details.type
    this.code = details.code
    this.param = details.param
    this.doc = details.doc
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
    this.shouldRetry = details.shouldRetry
    this.body = details.body
  }
}

export const isPostriderError = (error: unknown, kind?: ErrorKind): error is PostriderError =>
  error instanceof PostriderError && (kind === undefined || error.kind === kind)

const kinds: Record<number, ErrorKind> = {
  401: 'authentication',
  403: 'authorization',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  429: 'rate_limit',
}

export function errorOf({ status, statusText, headers }: Response, content: string, url: string): PostriderError {
  const body = parsed(content)
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined)
  const wish = headers.get('x-should-retry')
  return new PostriderError(text('message') ?? `${status} ${statusText} from ${url}`, {
    url,
    kind: kinds[status] ?? (status >= 500 ? 'server' : 'invalid_request'),
    status,
    type: text('type'),
    code: text('code'),
    param: text('param'),
    doc: text('doc'),
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfter(headers.get('retry-after')),
    shouldRetry: wish === null ? undefined : wish === 'true',
    body,
  })
}

/** A proxy in between may answer anything. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Seconds, or the date of RFC 9110. */
function retryAfter(header: string | null): number | undefined {
  if (header === null || header === '') return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
