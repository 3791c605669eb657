/** The only place where an error becomes a reply. */
import { type ErrorBody, type ErrorCode, errorCodes, errorDocPath } from '@postrider/contract'
import { CallerError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { DatabaseRefused, DatabaseUnavailable, failureLevel } from '../database/engine.ts'
import { ConnectionClosed } from './body-admission.ts'
import type { HandlerReply } from './call.ts'

// Long enough for a restart of the local database; clients wait exactly this long.
const UNAVAILABLE_RETRY_SECONDS = 1

interface Where {
  requestId: string
  /** The operation, or the method for a path that leads nowhere. */
  operation: string
  log: Log
  /** Where the server shows its documents. */
  publicUrl: string
  /** True when the whole request has arrived. */
  isComplete: boolean
}

export function errorReply(error: unknown, where: Where): HandlerReply {
  const { publicUrl } = where
  if (error instanceof CallerError) {
    const { status, code, message, param, details } = error
    if (status >= 500 && error.logged)
      where.log.warn({ event: 'request.refused', err: error, ...context(where) }, 'refused')
    const body = { ...details, ...errorBody(code, message, publicUrl, param) }
    return { status, body, headers: callerHeaders(error) }
  }
  const reply = (code: ErrorCode, message: string): HandlerReply => ({
    status: errorCodes[code].status,
    body: errorBody(code, message, publicUrl),
  })
  if (error instanceof DatabaseUnavailable) {
    where.log[failureLevel(error)](
      { event: 'request.unavailable', err: error, ...context(where) },
      'the database is unavailable',
    )
    const headers = { 'retry-after': String(UNAVAILABLE_RETRY_SECONDS) }
    return { ...reply('service_unavailable', 'The service is currently not available'), headers }
  }
  if (error instanceof DatabaseRefused && error.isDataError) {
    where.log.warn({ event: 'request.data_refused', err: error, ...context(where) }, 'the database refused the data')
    return reply('invalid_request', 'The data cannot be stored')
  }
  if (error instanceof ConnectionClosed || (!where.isComplete && isBrokenOff(error))) {
    where.log.debug({ event: 'request.aborted', ...context(where) }, 'the client closed the connection')
    return reply('malformed_request', 'The connection was closed before the request was complete')
  }
  const code = frameworkCode(error)
  if (code) return reply(code, frameworkText(code, error))
  where.log.error({ event: 'request.failed', err: error, ...context(where) }, 'a request failed')
  return reply('internal_error', `Internal error; the log has it under request id ${where.requestId}`)
}

export const errorBody = (code: ErrorCode, message: string, publicUrl: string, param?: string): ErrorBody => ({
  message,
  type: errorCodes[code].type,
  code,
  ...(param !== undefined && { param }),
  doc: publicUrl + errorDocPath(code),
})

/** The client went away while it sent the request: the reply has no reader, and this is no error of the server. */
const isBrokenOff = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')

const context = ({ requestId, operation }: Where) => ({ requestId, operation })

function callerHeaders({ status, retryable, retryAfterSeconds }: CallerError): Record<string, string> {
  return {
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="postrider"' } : {}),
    // Clients repeat every 409 unless a header says that it is of no use.
    ...(status === 409 && !retryable ? { 'x-should-retry': 'false' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  }
}

/** An error that the framework found in the request. */
function frameworkCode(error: unknown): ErrorCode | undefined {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('FST_ERR')) return undefined
  const status = 'statusCode' in error ? Number(error.statusCode) : 500
  if (status < 400 || status >= 500) return undefined
  return FRAMEWORK_CODES[status] ?? 'malformed_request'
}

const FRAMEWORK_CODES: Readonly<Record<number, ErrorCode>> = {
  413: 'payload_too_large',
  414: 'path_too_long',
  415: 'unsupported_encoding',
}

function frameworkText(code: ErrorCode, error: unknown): string {
  if (code === 'path_too_long') return 'A name in the path is too long'
  // The framework repeats the whole path.
  if (error instanceof Error && 'code' in error && error.code === 'FST_ERR_BAD_URL')
    return 'The path is not valid percent-encoding'
  return error instanceof Error ? error.message : 'The request is malformed'
}
