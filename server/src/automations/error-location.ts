/** Adds the place in a request body to errors about a field. */
import { CallerError, invalidRequest } from '../base/errors.ts'
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
    if (error instanceof CallerError || error instanceof FieldInvalid)
      throw invalidRequest(placed(at, error.message), error)
    if (error instanceof ReferenceInvalid)
      throw invalidRequest(`${at}${error.message === error.fault ? ' ' : '.'}${error.message}`, error)
    if (sentences.some((kind) => error instanceof kind))
      throw invalidRequest(`${at}: ${(error as Error).message}`, error)
    throw error
  }
}

/** Whole sentences, without the name of a field. */
const sentences = [ExpressionInvalid, ExpressionFailed, ValuesTooLarge, ContentInvalid]

/** Sentences that begin with the name of a field go on from the place. */
const placed = (at: string, message: string) => (/^[a-z]/.test(message) ? `${at}.${message}` : `${at}: ${message}`)
