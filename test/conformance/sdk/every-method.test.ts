/** The official SDK works as it is: every method of its newest and its oldest generation, or a reason why not. */
import { callEveryMethod, isNewestOrOldest, withMethods } from './every-method.ts'
import { generations } from './methods.ts'

// every-method.long.test.ts has the others.
callEveryMethod(await withMethods(generations.filter(isNewestOrOldest)))
