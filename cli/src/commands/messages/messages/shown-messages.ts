/** The messages that a tail has shown, and the start of the next poll. Times are milliseconds of the server's clock. */
import type { Message } from '@postrider/client'

// Messages of several nodes appear a little out of order: the last seconds are looked at again.
const OVERLAP_MS = 3_000
// A message may come to its status after hours of retries: all since the beginning are looked at again.
const LATECOMERS_EVERY_MS = 10_000

type Accepted = Pick<Message, 'id' | 'enqueued'>

export interface Shown {
  /** The next look is at messages that were accepted after this. */
  lookAfter(): number
  isNew(message: Accepted): boolean
  /** Nothing older is looked at from now on. */
  narrow(oldest: Accepted): void
  add(messages: readonly Accepted[]): void
}

/** Begins after the newest messages there are. With `latecomers` an old message may be new here. */
export function createShown(newest: readonly Accepted[], { latecomers }: { latecomers: boolean }): Shown {
  let latest = newest[0]?.enqueued ?? 0
  // The newest page may hold less than the overlap: what is older than this was there before us.
  let from = latest
  let enqueuedById = new Map(newest.map(({ id, enqueued }) => [id, enqueued]))
  let allLookedAt = Date.now()
  return {
    lookAfter() {
      const all = latecomers && Date.now() - allLookedAt >= LATECOMERS_EVERY_MS
      if (all) allLookedAt = Date.now()
      return Math.max(0, all ? 0 : latest - OVERLAP_MS, from - 1)
    },
    isNew: ({ id }) => !enqueuedById.has(id),
    narrow({ enqueued }) {
      from = Math.max(from, enqueued)
    },
    add(messages) {
      for (const { id, enqueued } of messages) {
        enqueuedById.set(id, enqueued)
        latest = Math.max(latest, enqueued)
      }
      // Only messages that the next poll can find again.
      const oldest = latecomers ? from : latest - OVERLAP_MS
      enqueuedById = new Map([...enqueuedById].filter(([, enqueued]) => enqueued >= oldest))
    },
  }
}
