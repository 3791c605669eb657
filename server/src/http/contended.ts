/** A change that is made of what was read before: made again when others came first, and not for ever. */
import { busy } from '../base/errors.ts'

/** Writers that meet more often than this do not know of one another, or want a queue. */
const WRITES_MAX = 5

/** `write` reads and writes; undefined: others came first, and nothing is stored. Throws a 409 with `refusal`. */
export async function contended<Done>(refusal: string, write: () => Promise<Done | undefined>): Promise<Done> {
  for (let writes = 0; writes < WRITES_MAX; writes += 1) {
    const done = await write()
    if (done !== undefined) return done
  }
  throw busy(refusal)
}
