/** Retries a change that is made of what was read before, when another write came first; within a time limit. */
import { setTimeout as pause } from 'node:timers/promises'
import { busy } from '../base/errors.ts'
import { SECOND } from '../base/time/duration.ts'
import type { Retry } from './outcome.ts'

/** A hundred writers of one record get their turns within it; a caller still waits that long for an answer. */
const TRIES_MAX_MS = 5 * SECOND
/** About one read and write. */
const PAUSE_FIRST_MS = 10
/** With so many at once that they pause as long as this, one comes every few milliseconds all the same. */
const PAUSE_MAX_MS = 200

/** `write` reads and writes again for each `Retry`; throws a 409 with its message when the time is over. */
export async function retryOnConflict<Done extends object>(write: () => Promise<Done | Retry>): Promise<Done> {
  const end = performance.now() + TRIES_MAX_MS
  for (let most = PAUSE_FIRST_MS; ; most = Math.min(most * 2, PAUSE_MAX_MS)) {
    const outcome = await write()
    if (!('retry' in outcome)) return outcome
    // Random: those who met once would meet again.
    const wait = Math.random() * most
    if (performance.now() + wait > end) throw busy(outcome.retry)
    await pause(wait)
  }
}
