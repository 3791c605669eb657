/** Fields that an object has beside those it can have, each with the one that was probably meant. */
import type { JsonObject } from './merge.ts'
import { nearestName } from './nearest-name.ts'

const NAME_CHARACTERS_MAX = 64

/** A sentence for each. Fields without a value say nothing. `at` may be empty. */
export function unknownFields(fields: JsonObject, known: readonly string[], at: string): string[] {
  return Object.entries(fields)
    .filter(([name, value]) => value !== null && value !== undefined && !known.includes(name))
    .map(([name]) => {
      const near = nearestName(name, known)
      const advice = near === undefined ? '' : ` Did you mean "${near}"?`
      return `Unknown field ${JSON.stringify(name.slice(0, NAME_CHARACTERS_MAX))}${at === '' ? '' : ` at ${at}`}.${advice}`
    })
}
