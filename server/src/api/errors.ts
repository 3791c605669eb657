/** The only place where an error becomes a reply. */
import type { ErrorBody } from '@postrider/contract'
import { CallerError, type ErrorType } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { DatabaseRefused, DatabaseUnavailable, failureLevel } from '../database/engine.ts'
import { ConnectionClosed } from './body-admission.ts'
import type { Reply } from './call.ts'

// Long enough for a restart of the local database; clients wait exactly this long.
const UNAVAILABLE_RETRY_SECONDS = 1

interface Where {
  requestId: string
  /** The operation, or the method for a path that leads nowhere. */
  operation: string
  log: Log
  /** True when the whole request has arrived. */
  isComplete: boolean
}

export function errorReply(error: unknown, where: Where): Reply {
  if (error instanceof CallerError) {
    if (error.status >= 500 && error.logged)
      where.log.warn({ event: 'request.refused', err: error, ...context(where) }, 'refused')
    return refusal(error.status, error.type, error.message, callerHeaders(error))
  }
  if (error instanceof DatabaseUnavailable) {
    where.log[failureLevel(error)](
      { event: 'request.unavailable', err: error, ...context(where) },
      'the database is unavailable',
    )
    return refusal(503, 'api_error', 'The service is not available at the moment', {
      'retry-after': String(UNAVAILABLE_RETRY_SECONDS),
    })
  }
  if (error instanceof DatabaseRefused && error.isDataError) {
    where.log.warn({ event: 'request.data_refused', err: error, ...context(where) }, 'the database refused the data')
    return refusal(400, 'invalid_request_error', 'The data cannot be stored')
  }
  if (error instanceof ConnectionClosed || (!where.isComplete && isBrokenOff(error))) {
    where.log.debug({ event: 'request.aborted', ...context(where) }, 'the client closed the connection')
    return refusal(400, 'invalid_request_error', 'The connection was closed before the request was complete')
  }
  const status = frameworkStatus(error)
  if (status) return refusal(status, 'invalid_request_error', frameworkText(status, error))
  where.log.error({ event: 'request.failed', err: error, ...context(where) }, 'a request failed')
  return refusal(500, 'api_error', `Internal error; the log has it under request id ${where.requestId}`)
}

/** The client went away while it sent the request: the reply has no reader, and this is no error of the server. */
const isBrokenOff = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')

const context = ({ requestId, operation }: Where) => ({ requestId, operation })

export function refusal(status: number, type: ErrorType, message: string, headers?: Record<string, string>): Reply {
  const body: ErrorBody = { message, type }
  return headers ? { status, body, headers } : { status, body }
}

function callerHeaders({ status, retryable, retryAfterSeconds }: CallerError): Record<string, string> {
  return {
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="postrider"' } : {}),
    // Clients repeat every 409 unless a header says that it is of no use.
    ...(status === 409 && !retryable ? { 'x-should-retry': 'false' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  }
}

/** An error that the framework found in the request. */
function frameworkStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('FST_ERR')) return undefined
  const status = 'statusCode' in error ? Number(error.statusCode) : 500
  return status >= 400 && status < 500 ? status : undefined
}

function frameworkText(status: number, error: unknown): string {
  if (status === 413) return 'The body is larger than 6 MB'
  if (status === 414) return 'A name in the path is too long'
  // The framework repeats the whole path.
  if (error instanceof Error && 'code' in error && error.code === 'FST_ERR_BAD_URL')
    return 'The path is not valid percent-encoding'
  return error instanceof Error ? error.message : 'The request is malformed'
}
