/** What every refusal looks like, and which ones any call can give. */
import { type Static, Type } from 'typebox'

export const errorTypes = [
  'invalid_request_error',
  'authentication_error',
  'authorization_error',
  'rate_limit_error',
  'api_error',
] as const

export const ErrorBody = Type.Object(
  {
    message: Type.String({ description: 'What is wrong, for people.' }),
    type: Type.Enum([...errorTypes], { description: 'What kind of fault it is, for programs.' }),
  },
  { title: 'Error', description: 'Why the call was refused.' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** Replies any operation can give beside its own; a status an operation declares itself wins. */
export const commonErrors: Record<number, string> = {
  400: 'The request is malformed or does not fit the schema.',
  401: 'The API key or token is missing, unknown or no longer good.',
  403: 'The key or token may not do this.',
  409: 'A call with this `Idempotency-Key` is in progress; try again. A strict send with a key that another body was sent with. A key whose stored reply cannot be read, because the secret key was lost since: the call is not repeated.',
  413: 'The body is larger than 6 MB.',
  414: 'A name in the path is longer than any can be.',
  415: 'The body is compressed; send it as it is.',
  429: 'Too many calls; `Retry-After` says when to come back.',
  431: 'The headers are larger than 16 kB or more than 100.',
  500: 'A fault of the server; the `x-request-id` header finds it in the log.',
  503: 'The server is starting, stopping or overloaded; try again.',
}
