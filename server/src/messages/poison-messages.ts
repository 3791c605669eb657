/** Poison messages: suspected after repeated worker crashes, isolated in ever smaller groups, and dead-lettered. */

import type { Log } from '../base/log.ts'
import { CLAIMS_SUSPECT } from '../database/tables/messages/live-messages.ts'
import { statusOf } from './deliver/progress.ts'
import type { LeasedMessage, State } from './leased-message.ts'
import { type Recorder, save } from './record/record.ts'

export interface SuspectedMessages {
  readonly size: number
  add(leased: LeasedMessage): void
  /** Who may be begun now; nobody while others have just begun. */
  next(idle: boolean): LeasedMessage[]
  /** Takes out who has not been begun. */
  rest(): LeasedMessage[]
}

/** Deciding and rendering take milliseconds: who is still there by then waits for a provider, and is waited for no more. */
const GROUP_MS = 250
/** By deaths in a group: most suspects were only near, so the first group is large. */
const GROUPS = [50, 5] as const
/** Further claims than this: it was in both groups and alone three times. */
const CLAIMS_MAX = CLAIMS_SUSPECT + GROUPS.length + 2

/** The first time it may have been the machine; a message that blocked the process twice is begun no more. */
const STALLS_MAX = 2

type Counted = Pick<LeasedMessage['message'], 'claims' | 'stalls'>

export const hasStalled = ({ stalls }: Counted) => (stalls ?? 0) >= STALLS_MAX
export const isSuspected = ({ message }: { message: Counted }) =>
  message.claims >= CLAIMS_SUSPECT || (message.stalls ?? 0) > 0
export const isPoison = ({ message }: { message: Counted }) => message.claims > CLAIMS_MAX || hasStalled(message)
/** By how much is known against it: one that blocked the process comes last, and alone. */
const rank = ({ claims, stalls }: Counted) => claims + (stalls ?? 0) * (CLAIMS_MAX + 1)

/** `again` is called when the group before has had its time. */
export function createSuspectedMessages(now: () => number, again: () => void): SuspectedMessages {
  const waiting: LeasedMessage[] = []
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
    add(leased) {
      if (waiting.push(leased) === 1) begin()
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

export interface DeadLetterOptions {
  log: Log
  recorder: Recorder
  now(): number
}

export async function deadLetter(leased: LeasedMessage, { log, now, recorder }: DeadLetterOptions): Promise<void> {
  const { id, claims, stalls, stalled_in: activity } = leased.message
  const error = hasStalled(leased.message)
    ? `Dead-lettered: it blocked the process for seconds, ${stalls} times${activity ? `, the last time while ${activity}` : ''}`
    : `Dead-lettered after ${claims} attempts to process it without an outcome`
  log.error({ event: 'message.dead_lettered', message: id, claims, stalls, activity }, error)
  leased.events.push({ type: 'UNDELIVERABLE', ts: now(), channel: { id: '' }, reason: 'FAILED', error_message: error })
  const ending = { reason: 'FAILED', error, dueAt: null, keepLease: false }
  const sent = leased.deliveries.some(({ state }) => state === 'sent')
  const state: State = { ...ending, status: sent ? statusOf('accepted', leased.deliveries) : 'UNDELIVERABLE' }
  await save(leased, recorder, () => state)
}
