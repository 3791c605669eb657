/** Fields that an object has beside those it can have, each with the one that was probably meant. */
import type { JsonObject } from '../json/json.ts'
import { nearestName } from '../nearest-name.ts'
import { didYouMean, quoted } from '../quote.ts'

export interface UnknownField {
  /** Its path. */
  field: string
  sentence: string
}

/** Fields without a value are ignored. `at` may be empty. */
export function unknownFields(fields: JsonObject, known: readonly string[], at: string): UnknownField[] {
  return Object.entries(fields)
    .filter(([name, value]) => value !== null && value !== undefined && !known.includes(name))
    .map(([name]) => ({
      field: at === '' ? name : `${at}.${name}`,
      sentence: `Unknown field ${quoted(name)}${at === '' ? '' : ` at ${at}`}.${didYouMean(nearestName(name, known))}`,
    }))
}
