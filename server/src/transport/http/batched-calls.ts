/** Several messages in one call, for services that take an array of them: requests that are ready together share a call. */
import { batchedRequest, type PartRequest, replyToAll } from '../../base/batched-request.ts'
import type { BatchPart, Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { Limits } from '../time-limit.ts'
import type { HttpClient } from './client.ts'

/** Which calls a request can share. */
export interface BatchTerms {
  /** Only requests of one group share a call. */
  group: string
  /** Messages in a call. */
  max: number
  /** As of `MessageBatch` of a provider. */
  replies(reply: HttpReply, count: number): readonly HttpReply[] | undefined
}

/** How long a message waits for others, and only while there are any. */
const WAIT_MS = 5
/** Less than any of the services takes: a call with more spares nothing. */
const BYTES_MAX = 4_000_000

type Answer = HttpReply | Failure

interface Member extends PartRequest {
  readonly limits: Limits
  /** On the clock of `performance`: a rejected call that is halved, and one that is repeated, add nothing to its time. */
  readonly endsAt: number
  answer(reply: Answer): void
  /** A fault of this program. */
  fail(error: unknown): void
}

export interface BatchedCalls {
  /** The reply as this message would have had it alone. Rejects where `replies` of the terms throws. */
  send(request: HttpRequest, inBatch: BatchPart, limits: Limits, terms: BatchTerms): Promise<Answer>
}

export function batchedCalls(send: HttpClient['send']): BatchedCalls {
  const groups = new Map<string, Group>()
  return {
    send(request, inBatch, limits, terms) {
      const key = groupKey(terms.group, inBatch)
      let group = groups.get(key)
      if (!group) {
        group = new Group(send, terms, () => groups.delete(key))
        groups.set(key, group)
      }
      return group.add({ request, inBatch, limits })
    },
  }
}

const groupKey = (group: string, { url, headers, before, after }: BatchPart) =>
  JSON.stringify([group, url, headers, before, after])

/** The messages that can share calls. */
class Group {
  readonly #send: HttpClient['send']
  readonly #terms: BatchTerms
  readonly #onIdle: () => void
  #waiting: Member[] = []
  #bytes = 0
  #calls = 0
  /** Messages in the latest call. */
  #latest = 0
  #cancelWait: (() => void) | undefined

  /** `onIdle`: nothing waits, and no call is in progress. */
  constructor(send: HttpClient['send'], terms: BatchTerms, onIdle: () => void) {
    this.#send = send
    this.#terms = terms
    this.#onIdle = onIdle
  }

  add(message: Pick<Member, 'request' | 'inBatch' | 'limits'>): Promise<Answer> {
    const bytes = Buffer.byteLength(message.inBatch.part)
    if (this.#waiting.length > 0 && this.#bytes + bytes > BYTES_MAX) this.#start()
    const endsAt = performance.now() + message.limits.timeoutMs
    return new Promise((answer, fail) => {
      this.#waiting.push({ ...message, endsAt, answer, fail })
      this.#bytes += bytes
      if (this.#waiting.length >= this.#terms.max) this.#start()
      else this.#cancelWait ??= this.#wait()
    })
  }

  /**
   * To the end of this turn of the event loop. While others are on their way, and the latest of them came together, a little
   * longer: a message that is alone is never held up.
   */
  #wait(): () => void {
    if (this.#calls > 0 && this.#latest > 1) {
      const timer = setTimeout(() => this.#start(), WAIT_MS)
      return () => clearTimeout(timer)
    }
    const turn = setImmediate(() => this.#start())
    return () => clearImmediate(turn)
  }

  #start(): void {
    this.#cancelWait?.()
    this.#cancelWait = undefined
    const members = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    this.#latest = members.length
    this.#calls += 1
    void this.#call(members).finally(() => {
      this.#calls -= 1
      if (this.#calls === 0 && this.#waiting.length === 0) this.#onIdle()
    })
  }

  /** Answers every member, and never rejects. */
  async #call(all: readonly Member[]): Promise<void> {
    const members = all.filter(isReady)
    try {
      await this.#callFor(members)
    } catch (error) {
      for (const { fail } of members) fail(error)
    }
  }

  async #callFor(members: readonly Member[]): Promise<void> {
    const [first] = members
    if (!first) return
    if (members.length === 1)
      return first.answer(await this.#send(first.request, { ...first.limits, timeoutMs: timeLeft(first) }))
    const reply = await this.#callTogether(members)
    const replies = this.#repliesIn(reply, members)
    if (!replies && mayBeDueToOne(reply)) {
      const half = members.length >> 1
      await Promise.all([this.#call(members.slice(0, half)), this.#call(members.slice(half))])
      return
    }
    members.forEach(({ answer }, n) => {
      const replyToOne = replies?.[n]
      const batch = { messages: members.length, isRepeated: !replyToOne && n > 0 }
      answer({ ...(replyToOne ?? replyToAll(reply)), batch })
    })
  }

  #repliesIn(reply: Answer, { length }: readonly Member[]): readonly HttpReply[] | undefined {
    return reply.kind === 'http' ? this.#terms.replies(reply, length) : undefined
  }

  async #callTogether(members: readonly Member[]): Promise<Answer> {
    const life = untilAllAbort(members.map(({ limits }) => limits.signal))
    const request = batchedRequest(members)
    const send = () => this.#send(request, { signal: life.signal, timeoutMs: Math.min(...members.map(timeLeft)) })
    try {
      const sending = send()
      failpoint('mid-batch')
      const reply = await sending
      const isCutOff = reply.kind === 'failure' && reply.failure === 'reset' && reply.reached
      if (!isCutOff || !request.headers['idempotency-key'] || !members.every(hasTime)) return reply
      const repeated = await send()
      // Only an answer to each says whether the first call came through.
      return this.#repliesIn(repeated, members) ? repeated : reply
    } finally {
      life.end()
    }
  }
}

const timeLeft = ({ endsAt }: Member) => Math.max(0, Math.ceil(endsAt - performance.now()))
const hasTime = (member: Member) => timeLeft(member) > 0

/** False for one that may be in no further call, and is answered: another process may have it, or its time is over. */
function isReady(member: Member): boolean {
  const { limits, answer } = member
  if (limits.signal.aborted) answer(unsent('aborted', 'Aborted'))
  else if (!hasTime(member)) answer(unsent('timeout', `No answer within ${limits.timeoutMs} ms`))
  else return true
  return false
}

const unsent = (failure: Failure['failure'], message: string): Failure => ({
  kind: 'failure',
  failure,
  message,
  reached: false,
})

/** Rejections of a whole call that one of its messages may have caused: nothing was sent, and the others can be. */
const DUE_TO_ONE: ReadonlySet<number> = new Set([400, 403, 404, 405, 413, 422])

const mayBeDueToOne = (reply: Answer) => reply.kind === 'http' && DUE_TO_ONE.has(reply.status)

/** Aborted when all of these are: a call goes on as long as one of its messages needs the reply. */
function untilAllAbort(all: readonly AbortSignal[]): { signal: AbortSignal; end(): void } {
  const signals = new Set(all)
  const [only] = signals
  if (only && signals.size === 1) return { signal: only, end: () => undefined }
  const controller = new AbortController()
  let left = signals.size
  const onAbort = () => {
    left -= 1
    if (left === 0) controller.abort()
  }
  for (const signal of signals)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  const end = () => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort)
  }
  return { signal: controller.signal, end }
}
