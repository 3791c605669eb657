/** fetch-data: requests JSON from a URL and merges it into the data of the run; temporary failures are retried. */
import { bodyDepthMax } from '@postrider/contract'
import type { Failure, FailureKind, HttpReply } from '../../base/exchange.ts'
import { combine, isObject, type JsonObject, jsonError } from '../../base/json/json.ts'
import { HOUR, SECOND } from '../../base/time/duration.ts'
import { retryAfterMs } from '../../providers/outcome.ts'
import { retryDelayMs } from '../../queue/retry.ts'
import { locateErrors } from '../error-location.ts'
import { type StepBehavior, type StepContext, StepFailed, StepInterrupted } from '../step.ts'
import { checkWebhook, requestOf } from './shared/webhook-request.ts'

/** The timeout of the public API. */
const TIMEOUT_MS = 10 * SECOND
/** With the pauses a little over a minute: enough for a restart, not for an outage. */
const TRIES_MAX = 5
/** The longest `Retry-After` that a run waits for. */
const PAUSE_MAX_MS = HOUR
/** The maximum of all replies of a run; each is at most 1 MB. */
const BYTES_MAX = 5_000_000
/** Failures that a retry cannot solve. */
const FINAL: ReadonlySet<FailureKind> = new Set(['address_refused', 'too_large', 'invalid_request'])

export default {
  checkWritten: ({ webhook }, { at }) => locateErrors(at, () => checkWebhook(webhook)),
  fieldKinds: { names: ['idempotency_key'], addresses: ['webhook.url'] },
  async run({ webhook, merge_strategy = 'replace', idempotency_key: key }, ctx) {
    const { state, store, id } = ctx
    const request = requestOf(webhook)
    request.headers['idempotency-key'] ??= key ?? id('fetch')
    const tries = (state.waiting?.kind === 'fetch' ? state.waiting.tries : 0) + 1
    const reply = await store.sendRequest(request, TIMEOUT_MS)
    if (reply.kind === 'failure') {
      if (reply.failure === 'aborted') throw new StepInterrupted(reply.message)
      if (FINAL.has(reply.failure)) throw new StepFailed(reply.message)
      return again(reply.message, { tries, reply, fetched: state.fetched }, ctx)
    }
    const { status, body } = reply
    const host = new URL(request.url).host
    const fetched = state.fetched + Buffer.byteLength(body)
    if (fetched > BYTES_MAX) throw new StepFailed(`The run fetched more than ${BYTES_MAX} bytes`)
    if (status === 429 || status >= 500) return again(`${host} answered ${status}`, { tries, reply, fetched }, ctx)
    if (status >= 300 && status < 400)
      throw new StepFailed(
        `${host} answered ${status}, a redirect, which is not followed; give the address it leads to`,
      )
    if (status >= 400) throw new StepFailed(`${host} answered ${status}`)
    const answer = read(body, host)
    return {
      kind: 'next',
      data: combine(state.data, answer, merge_strategy),
      ref: answer,
      result: { status, bytes: Buffer.byteLength(body), tries },
      fetched,
    }
  },
} satisfies StepBehavior<'fetch-data'>

interface Tried {
  tries: number
  reply: HttpReply | Failure
  /** Failed replies count too. */
  fetched: number
}

function again(error: string, { tries, reply, fetched }: Tried, { now }: StepContext) {
  const requiredMs = reply.kind === 'http' ? retryAfterMs(reply, now) : undefined
  const pause = Math.min(PAUSE_MAX_MS, Math.max(retryDelayMs(tries, 0.5), requiredMs ?? 0))
  if (tries >= TRIES_MAX) throw new StepFailed(`${error}; ${tries} tries`)
  return {
    kind: 'wait',
    until: now + pause,
    waiting: { kind: 'fetch', tries },
    fetched,
    reason: `${error}; tried again in ${Math.round(pause / SECOND)} s`,
  } as const
}

function read(body: string, host: string): JsonObject {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw new StepFailed(`${host} answered something other than JSON`)
  }
  if (!isObject(answer)) throw new StepFailed(`${host} answered JSON that is not an object`)
  const error = jsonError(answer, bodyDepthMax)
  if (error) throw new StepFailed(`${host} answered JSON that ${error}`)
  return answer
}
