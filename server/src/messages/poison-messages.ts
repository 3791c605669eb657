/** Poison messages: suspected after repeated worker crashes, and started in ever smaller groups until the one that crashes runs alone. */
import { CLAIMS_SUSPECT } from '../database/tables/messages/live-messages.ts'
import type { Job } from './leased-message.ts'

export interface Suspects {
  readonly size: number
  add(job: Job): void
  /** Who may be begun now; nobody while others have just begun. */
  next(idle: boolean): Job[]
  /** Takes out who has not been begun. */
  rest(): Job[]
}

/** Deciding and rendering take milliseconds: who is still there by then waits for a provider, and is waited for no more. */
const GROUP_MS = 250
/** By deaths in a group: most suspects were only near, so the first group is large. */
const GROUPS = [50, 5] as const
/** Further claims than this: it was in both groups and alone three times. */
const CLAIMS_MAX = CLAIMS_SUSPECT + GROUPS.length + 2

/** The first time it may have been the machine; a message that blocked the process twice is begun no more. */
const STALLS_MAX = 2

type Counted = Pick<Job['message'], 'claims' | 'stalls'>

export const hasStalled = ({ stalls }: Counted) => (stalls ?? 0) >= STALLS_MAX
export const isSuspect = ({ message }: { message: Counted }) =>
  message.claims >= CLAIMS_SUSPECT || (message.stalls ?? 0) > 0
export const isGuilty = ({ message }: { message: Counted }) => message.claims > CLAIMS_MAX || hasStalled(message)
/** By how much is known against it: one that blocked the process comes last, and alone. */
const rank = ({ claims, stalls }: Counted) => claims + (stalls ?? 0) * (CLAIMS_MAX + 1)

/** `again` is called when the group before has had its time. */
export function createSuspects(now: () => number, again: () => void): Suspects {
  const waiting: Job[] = []
  let began = 0
  let isPlanned = false
  const planAgain = (afterMs: number) => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      again()
    }, afterMs).unref()
  }
  const begin = () => {
    began = now()
    planAgain(GROUP_MS)
  }

  return {
    get size() {
      return waiting.length
    },
    add(job) {
      if (waiting.push(job) === 1) begin()
    },
    next(idle) {
      if (waiting.length === 0) return []
      const left = began + GROUP_MS - now()
      if (!idle && left > 0) {
        // A timer can be early by the clock, and nothing else may come that asks again.
        planAgain(left)
        return []
      }
      // Who was in more deaths comes later, and takes nobody along who was in fewer.
      waiting.sort((a, b) => rank(a.message) - rank(b.message))
      const [first] = waiting
      const least = first ? rank(first.message) : 0
      const most = GROUPS[least - CLAIMS_SUSPECT] ?? 1
      const others = waiting.findIndex(({ message }) => rank(message) !== least)
      const group = waiting.splice(0, others < 0 ? most : Math.min(most, others))
      begin()
      return group
    },
    rest: () => waiting.splice(0),
  }
}
