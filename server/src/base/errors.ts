/** Errors of the caller, the only ones whose text is shown to the caller. `api/errors.ts` turns them into replies. */

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'authorization_error'
  | 'rate_limit_error'
  | 'api_error'

export class CallerError extends Error {
  override readonly name = 'CallerError'
  readonly status: number
  readonly type: ErrorType
  /** False when a repeated call cannot succeed; clients read it as `x-should-retry`. */
  readonly retryable: boolean
  readonly retryAfterSeconds: number | undefined
  /** From status 500 on: whether the error is logged for the operator. */
  readonly logged: boolean

  constructor(
    status: number,
    type: ErrorType,
    message: string,
    options: { retryable?: boolean; retryAfterSeconds?: number; logged?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.status = status
    this.type = type
    this.retryable = options.retryable ?? (status === 429 || status >= 500)
    this.retryAfterSeconds = options.retryAfterSeconds
    this.logged = options.logged ?? true
  }
}

export const invalidRequest = (message: string, cause?: unknown) =>
  new CallerError(400, 'invalid_request_error', message, { cause })
export const unauthorized = (message = 'Unauthorized') => new CallerError(401, 'authentication_error', message)
export const forbidden = (message = 'Forbidden') => new CallerError(403, 'authorization_error', message)
export const notFound = (message = 'Not Found') => new CallerError(404, 'invalid_request_error', message)
export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new CallerError(
    405,
    'invalid_request_error',
    `The method ${method} is not allowed here. Allowed: ${allowed.join(', ')}`,
  )
/** A definite conflict: repeating the same call cannot succeed. */
export const conflict = (message: string) => new CallerError(409, 'invalid_request_error', message)
/** A passing conflict: the same call may succeed a second later. */
export const busy = (message: string) =>
  new CallerError(409, 'invalid_request_error', message, { retryable: true, retryAfterSeconds: 1 })
export const tooLarge = (message: string) => new CallerError(413, 'invalid_request_error', message)
export const unavailable = (message: string, cause?: unknown) =>
  new CallerError(503, 'api_error', message, { retryAfterSeconds: 1, cause })
/** A small resource is used up by others; the service itself is healthy. */
export const crowded = (message: string) =>
  new CallerError(503, 'api_error', message, { retryAfterSeconds: 1, logged: false })
