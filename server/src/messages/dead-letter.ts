/** The last state of a message that keeps ending or holding the process: one more try would only do that again. */
import type { Log } from '../base/log.ts'
import { statusOf } from './deliver/progress.ts'
import type { Job, State } from './leased-message.ts'
import { hasStalled } from './poison-messages.ts'
import { type Recorder, save } from './record/record.ts'

export interface DeadLetterOptions {
  log: Log
  recorder: Recorder
  now(): number
}

export async function deadLetter(job: Job, { log, now, recorder }: DeadLetterOptions): Promise<void> {
  const { id, claims, stalls, stalled_in: activity } = job.message
  const error = hasStalled(job.message)
    ? `Dead-lettered: it blocked the process for seconds, ${stalls} times${activity ? `, the last time while ${activity}` : ''}`
    : `Dead-lettered after ${claims} attempts to process it without an outcome`
  log.error({ event: 'message.dead_lettered', message: id, claims, stalls, activity }, error)
  job.events.push({ type: 'UNDELIVERABLE', ts: now(), channel: { id: '' }, reason: 'FAILED', error_message: error })
  const ending = { reason: 'FAILED', error, dueAt: null, keepLease: false }
  const sent = job.deliveries.some(({ state }) => state === 'sent')
  const state: State = { ...ending, status: sent ? statusOf('accepted', job.deliveries) : 'UNDELIVERABLE' }
  await save(job, recorder, () => state)
}
