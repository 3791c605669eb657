/** Throttles and batches of a rehearsal. */
import type { JsonObject } from '../base/merge.ts'
import type { Batch, Change } from './world.ts'

type Collected = Extract<Change, { kind: 'collect' }>['batch']

interface OpenBatch {
  id: string
  key: string
  owner: string
  items: JsonObject[]
  closesAt: number
  maxAt: number
  maxItems: number
}

export type RehearsedCounters = ReturnType<typeof rehearsedCounters>

/** `wake` is told whose batch is full. */
export function rehearsedCounters(wake: (runId: string) => void) {
  const uses = new Map<string, { since: number; count: number }>()
  const batches = new Map<string, OpenBatch>()
  const isFull = ({ items, maxItems }: OpenBatch) => items.length >= maxItems

  return {
    /** Takes one use; false when all of this period are taken. */
    reserve(key: string, { max, periodMs }: { max: number; periodMs: number }, now: number): boolean {
      const known = uses.get(key)
      const counter = known && now < known.since + periodMs ? known : { since: now, count: 0 }
      uses.set(key, counter)
      if (counter.count >= max) return false
      counter.count += 1
      return true
    },
    collect(batch: Collected, item: JsonObject, runId: string, now: number): { opened: boolean; due: number } {
      // What is full, or should have closed, is being closed by its owner: nothing more goes in.
      const open = [...batches.values()].find(
        (known) => known.key === batch.key && !isFull(known) && known.closesAt > now,
      )
      if (open) {
        open.items.push(item)
        open.closesAt = Math.min(now + batch.waitMs, open.maxAt)
        if (isFull(open)) wake(open.owner)
        return { opened: false, due: now }
      }
      const maxAt = now + batch.maxWaitMs
      const { id, key, maxItems } = batch
      const closesAt = Math.min(now + batch.waitMs, maxAt)
      const made = { id, key, owner: runId, items: [item], closesAt, maxAt, maxItems }
      batches.set(id, made)
      return { opened: true, due: isFull(made) ? now : closesAt }
    },
    batch(id: string): Batch | undefined {
      const batch = batches.get(id)
      return batch && { items: batch.items.length, closesAt: batch.closesAt, full: isFull(batch) }
    },
    items: (id: string, from: number, limit: number) => batches.get(id)?.items.slice(from - 1, from - 1 + limit) ?? [],
    due(id: string, now: number): number {
      const batch = batches.get(id)
      return !batch || isFull(batch) ? now : batch.closesAt
    },
    close(id: string, items: number, now: number): boolean {
      const batch = batches.get(id)
      if (!batch || batch.items.length !== items || !(isFull(batch) || batch.closesAt <= now)) return false
      return batches.delete(id)
    },
    /** Who is canceled takes what it collected along. */
    drop(owner: string): void {
      for (const [id, batch] of batches) if (batch.owner === owner) batches.delete(id)
    },
  }
}
