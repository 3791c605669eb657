/** Every family of inputs that a caller can grow, and the search for those that block the process. */
import { evaluators } from './evaluators.ts'
import { largeValueFamilies } from './large-values.ts'
import { parsers } from './parsers.ts'

export { describeSlow, searchForTime } from './search.ts'

export const families = [...parsers, ...evaluators]
export const familiesWithLargeValues = [...families, ...largeValueFamilies]
