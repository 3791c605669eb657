/** The body of every error, and the errors that any call can return. */
import { type Static, Type } from 'typebox'
import { type ErrorCode, errorCodes, errorTypes } from './error-codes.ts'

export const errorFields = {
  message: Type.String({ description: 'Human-readable explanation of the error.' }),
  type: Type.Enum([...errorTypes], { description: 'Category of the error, for programs.' }),
  code: Type.Enum(Object.keys(errorCodes) as ErrorCode[], {
    title: 'ErrorCode',
    description: 'The error, for programs; never renamed. Later versions can have further codes.',
  }),
  param: Type.Optional(
    Type.String({
      description:
        'The faulty input where it is known: a path in the body (`message.to.3.email`), or the name of a parameter of the path or query, or of a header.',
    }),
  ),
  doc: Type.String({ description: 'URL of the page that says what the code means and what to do.' }),
}

export const ErrorBody = Type.Object(errorFields, { title: 'Error', description: 'The call failed.' })
export type ErrorBody = Static<typeof ErrorBody>

/** Errors that any operation can return; a status that an operation declares itself takes precedence. */
export const commonErrors: Record<number, string> = {
  400: 'The request is malformed or does not match the schema.',
  401: 'The API key or token is missing, unknown or no longer valid.',
  403: 'The key or token does not permit this call.',
  409: 'A call with this `Idempotency-Key` is in progress; try again. Also: the key was used with another body, for which nothing was done, or the stored reply of the key cannot be read because the secret key was lost (the call is not repeated).',
  413: 'The body is larger than 6 MB.',
  414: 'A path parameter exceeds the maximum length.',
  415: 'The body is compressed; send it uncompressed.',
  429: 'Too many calls; `Retry-After` has the seconds to wait.',
  431: 'The headers are larger than 16 kB or more than 100.',
  500: 'Server error; the `x-request-id` header identifies it in the log.',
  503: 'The server is starting, stopping or overloaded; try again.',
}
