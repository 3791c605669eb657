/** The data that simulated runs write: messages, sends to many, profiles, subscriptions, digest events, idempotency keys, throttles and batches. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Idempotency, Send } from '../../messages/send.ts'
import type { Lists } from '../../recipients/sources.ts'
import type { Batch, Effects, KeyedStep, RequestEffect, StepChange, StoredProfile } from '../run-store.ts'
import type { SimulatedWrite, SimulatedWrites } from '../step.ts'

/** The step that wrote something. */
export interface Origin {
  at: number
  runId: string
  position: number
}

/** The writes of runs by a time, over the stored data. */
export interface Written {
  /** The profile of a recipient, or what it becomes until `later`; undefined: none was written. */
  profile(recipient: string, later?: number): JsonObject | undefined
  /** These lists with the written subscriptions. */
  lists(below: Lists): Lists
}

export interface SimulatedSend extends Origin {
  id: string
  send: Send
  written: Written
}

export interface SimulatedRequest extends RequestEffect, Origin {
  written: Written
}

/** Data added to a digest. */
export interface SimulatedDigestEvent {
  at: number
  topicId: string
  recipient: string
  data: JsonObject
}

interface SavedProfile {
  at: number
  number: number
  profile: JsonObject
}

interface Subscription {
  at: number
  number: number
  listId: string
  recipient: string
  isSubscribed: boolean
}

export type InMemoryData = ReturnType<typeof createInMemoryData>

export function createInMemoryData() {
  const keys = createKeys()
  const profiles = new Map<string, SavedProfile[]>()
  const subscriptions: Subscription[] = []
  const sends: SimulatedSend[] = []
  const requests: SimulatedRequest[] = []
  const digestEvents: SimulatedDigestEvent[] = []
  /** The number of all writes of profiles and subscriptions. */
  let count = 0

  const writtenWhile = (isWritten: (write: { at: number; number: number }, later: number) => boolean): Written => ({
    profile: (recipient, later = Number.NEGATIVE_INFINITY) =>
      profiles.get(recipient)?.findLast((write) => isWritten(write, later))?.profile,
    lists: (below) =>
      listsWith(
        subscriptions.filter((write) => isWritten(write, Number.NEGATIVE_INFINITY)),
        below,
      ),
  })
  /** The writes so far; later writes are not in it. */
  const writtenByNow = (): Written => {
    const last = count
    return writtenWhile(({ number, at }, later) => number <= last || at <= later)
  }

  return {
    sends,
    requests,
    digestEvents,
    writtenByNow,
    writtenBy: (time: number): Written => writtenWhile(({ at }) => at <= time),
    /** The version counts the writes of this simulation. */
    profile(recipient: string): StoredProfile | undefined {
      const saved = profiles.get(recipient)
      const last = saved?.at(-1)
      return saved && last && { profile: last.profile, version: saved.length }
    },
    useOfKey: keys.useOf,
    /** The messages and requests among the effects of a step. */
    send({ sends: sent = [], request }: Effects, origin: Origin): void {
      const written = writtenByNow()
      for (const { id, send } of sent) {
        keys.use(send.idempotency, { messageId: id })
        sends.push({ ...origin, id, send, written })
      }
      if (!request) return
      const { idempotency, ...fields } = request
      keys.use(idempotency, { requestId: request.id })
      requests.push({ ...origin, ...fields, written })
    },
    writes: (at: number): Omit<SimulatedWrites, 'cancelRuns'> => ({
      saveProfile(recipient, profile) {
        count += 1
        profiles.set(recipient, [...(profiles.get(recipient) ?? []), { at, number: count, profile }])
        return simulatedWrite()
      },
      setSubscription(listId, recipient, isSubscribed) {
        count += 1
        subscriptions.push({ at, number: count, listId, recipient, isSubscribed })
        return simulatedWrite()
      },
      addDigestEvent(topicId, recipient, data) {
        digestEvents.push({ at, topicId, recipient, data })
        return simulatedWrite()
      },
    }),
  }
}

/** Follows a write: with values for the result of the step. */
export const simulatedWrite = (result?: JsonObject) => (result ? { result } : {}) as SimulatedWrite

/** Lists with subscriptions written over them; of one recipient and list the last write counts. */
function listsWith(writes: readonly Subscription[], below: Lists): Lists {
  if (writes.length === 0) return below
  const byList = new Map<string, Map<string, boolean>>()
  for (const { listId, recipient, isSubscribed } of writes)
    byList.set(listId, (byList.get(listId) ?? new Map<string, boolean>()).set(recipient, isSubscribed))
  return {
    async matching(pattern, from, limit) {
      const expression = new RegExp(pattern.expression)
      const created = [...byList]
        .filter(([, subscribers]) => [...subscribers.values()].includes(true))
        .flatMap(([id]) => (expression.test(id) && byBytes(id, from) >= 0 ? [id] : []))
      const matches = await below.matching(pattern, from, limit)
      return [...new Set([...created, ...matches])].sort(byBytes).slice(0, limit)
    },
    async recipients(ids, after, limit) {
      const written = ids.map((id) => byList.get(id)).filter((subscribers) => subscribers !== undefined)
      const changes = written.reduce((sum, subscribers) => sum + subscribers.size, 0)
      // Each id is read by itself: who leaves one list can still be on another.
      const pages = await Promise.all(
        ids.map(async (id) => {
          const subscribers = byList.get(id)
          const subscribersBelow = await below.recipients([id], after, limit + changes)
          const addedSubscribers = [...(subscribers ?? [])].filter(
            ([recipient, isIn]) => isIn && byBytes(recipient, after ?? '') > 0,
          )
          const stay = subscribersBelow.filter(({ recipient }) => subscribers?.get(recipient) !== false)
          // A subscription that is not stored has no preferences: without the id of the list none are read.
          return [...stay, ...addedSubscribers.map(([recipient]) => ({ recipient }))]
        }),
      )
      const first = new Map<string, (typeof pages)[number][number]>()
      for (const subscriber of pages.flat())
        if (!first.has(subscriber.recipient)) first.set(subscriber.recipient, subscriber)
      return [...first.values()]
        .sort((subscriber, other) => byBytes(subscriber.recipient, other.recipient))
        .slice(0, limit)
    },
  }
}

/** The order of the database. */
export const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right))

/** Idempotency keys, and the steps that used them. */
function createKeys() {
  const used = new Map<string, KeyedStep & { expires: number }>()
  const nameOf = ({ route, key }: Pick<Idempotency, 'route' | 'key'>) => `${route} ${key}`
  return {
    use(idempotency: Idempotency | undefined, result: JsonObject): void {
      if (!idempotency) return
      const { expires, digest } = idempotency
      used.set(nameOf(idempotency), { result, expires, ...(digest !== undefined && { digest }) })
    },
    useOf(key: Pick<Idempotency, 'route' | 'key'>, now: number): KeyedStep | undefined {
      const use = used.get(nameOf(key))
      return use && use.expires > now ? use : undefined
    },
  }
}

type Collected = Extract<StepChange, { kind: 'collect' }>['batch']

interface OpenBatch {
  id: string
  key: string
  /** Undefined after its run was canceled, until another run takes its place. */
  owner: string | undefined
  items: { runId: string; item: JsonObject }[]
  added: number
  closesAt: number
  maxAt: number
  maxItems: number
}

type Batches = Map<string, OpenBatch>

export type Counters = ReturnType<typeof createCounters>

/** `wake` is called with the run that waits for a full batch. */
export function createCounters(wake: (runId: string) => void) {
  const batches: Batches = new Map()
  return { reserve: throttles(), ...collecting(batches, wake), ...succession(batches) }
}

/** Takes one use; false if the maximum of the period is reached. */
function throttles() {
  const uses = new Map<string, { since: number; count: number }>()
  return (key: string, { max, periodMs }: { max: number; periodMs: number }, now: number): boolean => {
    const lastPeriod = uses.get(key)
    const counter = lastPeriod && now < lastPeriod.since + periodMs ? lastPeriod : { since: now, count: 0 }
    uses.set(key, counter)
    if (counter.count >= max) return false
    counter.count += 1
    return true
  }
}

const isFull = ({ items, maxItems }: OpenBatch) => items.length >= maxItems

/** A batch has the id that the waiting run gave it. */
function passTo(batches: Batches, batch: OpenBatch, id: string, owner: string): void {
  batches.delete(batch.id)
  batches.set(id, Object.assign(batch, { id, owner }))
}

function collecting(batches: Batches, wake: (runId: string) => void) {
  return {
    collect(batch: Collected, item: JsonObject, runId: string, now: number): { opened: boolean; due: number } {
      // A batch that is full or due takes no more items: its owner closes it.
      const open = [...batches.values()].find(
        (candidate) => candidate.key === batch.key && !isFull(candidate) && candidate.closesAt > now,
      )
      if (open) {
        open.items.push({ runId, item })
        open.added += 1
        open.closesAt = isFull(open) ? now : Math.min(now + batch.waitMs, open.maxAt)
        if (open.owner === undefined) {
          passTo(batches, open, batch.id, runId)
          return { opened: true, due: open.closesAt }
        }
        if (isFull(open)) wake(open.owner)
        return { opened: false, due: now }
      }
      const maxAt = now + batch.maxWaitMs
      const { id, key, maxItems } = batch
      const closesAt = Math.min(now + batch.waitMs, maxAt)
      const made = { id, key, owner: runId, items: [{ runId, item }], added: 1, closesAt, maxAt, maxItems }
      batches.set(id, made)
      return { opened: true, due: isFull(made) ? now : closesAt }
    },
    batch(id: string): Batch | undefined {
      const batch = batches.get(id)
      return (
        batch && {
          items: batch.items.length,
          added: batch.added,
          closesAt: batch.closesAt,
          full: isFull(batch),
        }
      )
    },
    items: (id: string, from: number, limit: number) =>
      (batches.get(id)?.items ?? []).slice(from - 1, from - 1 + limit).map(({ item }) => item),
    due(id: string, now: number): number {
      const batch = batches.get(id)
      return !batch || isFull(batch) ? now : batch.closesAt
    },
    close(id: string, added: number, now: number): boolean {
      const batch = batches.get(id)
      if (!batch || batch.added !== added || !(isFull(batch) || batch.closesAt <= now)) return false
      return batches.delete(id)
    },
  }
}

/** Batches whose waiting run does not continue. */
function succession(batches: Batches) {
  return {
    /** Removes a canceled owner and its item: the next run that adds an item, or one that has added, becomes the owner. */
    leave(owner: string): void {
      for (const batch of batches.values()) {
        if (batch.owner !== owner) continue
        batch.owner = undefined
        batch.items = batch.items.filter(({ runId }) => runId !== owner)
      }
    },
    /** Removes the batch of a failed run. */
    drop(owner: string): void {
      for (const [id, batch] of batches) if (batch.owner === owner) batches.delete(id)
    },
    /** When the first batch without an owner closes. */
    nextLeft(): number | undefined {
      let next: number | undefined
      for (const { owner, closesAt } of batches.values())
        if (owner === undefined) next = Math.min(next ?? closesAt, closesAt)
      return next
    },
    /** Gives a batch without an owner to the first run that added an item; returns that run. */
    handOn(now: number, nameOf: (runId: string) => string | undefined): string | undefined {
      const left = [...batches.values()].find(({ owner, closesAt }) => owner === undefined && closesAt <= now)
      if (!left) return undefined
      const [first] = left.items
      const name = first && nameOf(first.runId)
      if (!first || name === undefined) {
        batches.delete(left.id)
        return undefined
      }
      passTo(batches, left, name, first.runId)
      return first.runId
    },
  }
}
