/** Errors of the caller, the only ones whose text is shown to the caller. `api/errors.ts` turns them into replies. */
import { type CodeOf, type ErrorCode, type ErrorType, errorCodes, type RowError } from '@postrider/contract'

/** Longer ones are left out: names in a body can have any length. */
const PARAM_CHARACTERS_MAX = 256

interface Options {
  /** The faulty input: a path with dots (`message.to.3.email`), or the name of a parameter or header. */
  param?: string | undefined
  /** Further fields of the reply. */
  details?: object
  /** False when a repeated call cannot succeed; clients read it as `x-should-retry`. */
  retryable?: boolean
  retryAfterSeconds?: number
  /** From status 500 on: whether the error is logged for the operator. */
  logged?: boolean
  cause?: unknown
}

export class CallerError extends Error {
  override readonly name = 'CallerError'
  readonly code: ErrorCode
  readonly status: number
  readonly type: ErrorType
  /** As `message` writes it. */
  readonly param: string | undefined
  readonly details: object | undefined
  readonly retryable: boolean
  readonly retryAfterSeconds: number | undefined
  readonly logged: boolean

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause })
    const { status, type } = errorCodes[code]
    this.code = code
    this.status = status
    this.type = type
    this.param = (options.param?.length ?? 0) > PARAM_CHARACTERS_MAX ? undefined : options.param || undefined
    this.details = options.details
    this.retryable = options.retryable ?? (status === 429 || status >= 500)
    this.retryAfterSeconds = options.retryAfterSeconds
    this.logged = options.logged ?? true
  }
}

/** Without a code of its own it is the general one. */
export const invalidRequest = (
  message: string,
  { code = 'invalid_request', ...options }: { code?: CodeOf<400>; param?: string | undefined; cause?: unknown } = {},
) => new CallerError(code, message, options)
/** `rule` is the end of a sentence that begins with the field: `must be a string`. */
export const invalidField = (field: string, rule: string, cause?: unknown) =>
  new CallerError('invalid_field', `${field} ${rule}`, { param: field, cause })
/** For an explanation that is a sentence of its own. */
export const invalidAt = (
  field: string,
  explanation: string,
  { code = 'invalid_field', ...options }: { code?: CodeOf<400>; cause?: unknown } = {},
) => new CallerError(code, `${field}: ${explanation}`, { ...options, param: field })
export const missingField = (field: string, rule = 'is required') =>
  new CallerError('missing_field', `${field} ${rule}`, { param: field })
export const unauthorized = (message: string) => new CallerError('unauthorized', message)
/** `subject`: the key, or what it made. */
export const keyExpired = (subject: string, expires: number) =>
  new CallerError(
    'key_expired',
    `${subject} expired on ${new Date(expires).toISOString()}. Use another one, or make one: postrider keys create`,
  )
export const sessionExpired = () => new CallerError('session_expired', 'The session has ended. Sign in again')
export const forbidden = (code: CodeOf<403>, message: string) => new CallerError(code, message)
export const notFound = (message = 'Not Found') => new CallerError('not_found', message)
export const unknownPath = () => new CallerError('unknown_path', 'Not Found')
export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new CallerError('method_not_allowed', `The method ${method} is not allowed here. Allowed: ${allowed.join(', ')}`)
/** A definite conflict: repeating the same call cannot succeed. */
export const conflict = (code: CodeOf<409>, message: string, param?: string) =>
  new CallerError(code, message, { param })
/** A passing conflict: the same call may succeed a second later. */
export const busy = (message: string, code: CodeOf<409> = 'concurrent_change') =>
  new CallerError(code, message, { retryable: true, retryAfterSeconds: 1 })
export const bodyTooLarge = (bytesMax: number) =>
  new CallerError('payload_too_large', `The body is larger than ${sizeText(bytesMax)}`)
const sizeText = (bytes: number) => (bytes < 1_048_576 ? `${bytes / 1_024} kB` : `${bytes / 1_048_576} MB`)
/** The data of the call are larger than a resource may be. */
export const tooLarge = (message: string, param?: string) => new CallerError('resource_too_large', message, { param })
export const unavailable = (message: string, cause?: unknown) =>
  new CallerError('overloaded', message, { retryAfterSeconds: 1, cause })
/** A small resource is used up by others; the service itself is healthy. */
export const overloaded = (message: string) =>
  new CallerError('overloaded', message, { retryAfterSeconds: 1, logged: false })

/** The entry for a refused row in the reply of a call with many. Anything but an error of the caller is thrown. */
export function rowErrorOf(row: number, error: unknown): RowError {
  if (!(error instanceof CallerError)) throw error
  const { message, code, param } = error
  return { row, error: message, code, ...(param !== undefined && { param }) }
}
