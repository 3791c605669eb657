/** Adds the place in a request body to errors about a field. */
import { type CodeOf, type ErrorCode, errorCodes } from '@postrider/contract'
import { CallerError, invalidAt, invalidRequest } from '../base/errors.ts'
import { ExpressionFailed, ExpressionInvalid } from '../base/expression/expression.ts'
import { ContentInvalid } from '../templates/failure.ts'
import { ValuesTooLarge } from './references/interpolation.ts'
import { ReferenceInvalid } from './references/references.ts'
import { FieldInvalid } from './step.ts'

/** Runs the function; errors about fields become a 400 that begins with the place. */
export function locateErrors<T>(at: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CallerError)
      throw invalidRequest(placed(at, error.message), {
        code: isInvalid(error.code) ? error.code : 'invalid_field',
        param: within(at, error.param),
        cause: error,
      })
    if (error instanceof FieldInvalid)
      throw new CallerError('invalid_field', placed(at, error.message), {
        param: within(at, error.field),
        cause: error,
      })
    if (error instanceof ReferenceInvalid)
      throw new CallerError('invalid_field', `${at}${error.field === '' ? '' : `.${error.field}`} ${error.reason}`, {
        param: within(at, error.field),
        cause: error,
      })
    if (sentences.some((kind) => error instanceof kind)) throw invalidAt(at, (error as Error).message, { cause: error })
    throw error
  }
}

/** Whole sentences, without the name of a field. */
const sentences = [ExpressionInvalid, ExpressionFailed, ValuesTooLarge, ContentInvalid]

/** A field that makes something too large is a 400 here as well. */
const isInvalid = (code: ErrorCode): code is CodeOf<400> => errorCodes[code].status === 400

const within = (at: string, field = '') => (field === '' ? at : `${at}.${field}`)

/** Sentences that begin with the name of a field go on from the place. */
const placed = (at: string, message: string) => (/^[a-z]/.test(message) ? `${at}.${message}` : `${at}: ${message}`)
