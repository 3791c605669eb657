/** Retries a change that is made of what was read before, when another write came first; within a time limit. */
import { setTimeout as pause } from 'node:timers/promises'
import { busy } from '../base/errors.ts'
import { SECOND } from '../base/time/duration.ts'

/** A hundred writers of one record get their turns within it; a caller still waits that long for an answer. */
const TRIES_MAX_MS = 5 * SECOND
/** About one read and write. */
const PAUSE_FIRST_MS = 10
/** With so many at once that they pause as long as this, one comes every few milliseconds all the same. */
const PAUSE_MAX_MS = 200

/** `write` reads and writes; undefined: others came first, and nothing is stored. Throws a 409 with `refusal`. */
export async function contended<Done>(refusal: string, write: () => Promise<Done | undefined>): Promise<Done> {
  const end = performance.now() + TRIES_MAX_MS
  for (let most = PAUSE_FIRST_MS; ; most = Math.min(most * 2, PAUSE_MAX_MS)) {
    const done = await write()
    if (done !== undefined) return done
    // Random: those who met once would meet again.
    const wait = Math.random() * most
    if (performance.now() + wait > end) throw busy(refusal)
    await pause(wait)
  }
}
