/** Throttles and batches of a simulation. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Batch, Change } from '../run-store.ts'

type Collected = Extract<Change, { kind: 'collect' }>['batch']

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
    const known = uses.get(key)
    const counter = known && now < known.since + periodMs ? known : { since: now, count: 0 }
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
        (known) => known.key === batch.key && !isFull(known) && known.closesAt > now,
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
