/** Many callers, one commit: flush at once, one flush in flight, collect while it runs; where no caller waits, at a pace. */
import { DatabaseRefused } from '../database/engine.ts'

export interface GroupCommitOptions<Item, Result> {
  /** Writes all items in one commit and returns a result for each, in order. */
  flush(items: readonly Item[]): Promise<readonly Result[]>
  bytesOf(item: Item): number
  itemsMax: number
  /** An item larger than this goes alone. */
  bytesMax: number
  /** Flushes start at least this far apart, unless one is full; read before each. Without it, no timer runs. */
  intervalMs?(): number
}

export interface GroupCommit<Item, Result> {
  /** Resolves when the commit that holds the item is on disk. */
  add(item: Item): Promise<Result>
  /** Items not yet on disk. */
  readonly pending: number
  /** The size of the items not yet on disk. */
  readonly pendingBytes: number
  /** Resolves when nothing is pending. */
  drained(): Promise<void>
}

interface Waiting<Item, Result> {
  item: Item
  bytes: number
  resolve(result: Result): void
  reject(error: unknown): void
}

export function groupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  let queue: Waiting<Item, Result>[] = []
  let running: Promise<void> | undefined
  let inFlight = 0
  let bytes = 0
  let notBefore = 0

  const take = (): Waiting<Item, Result>[] => {
    let sum = 0
    let count = 0
    for (const entry of queue) {
      sum += entry.bytes
      if (count > 0 && (count >= options.itemsMax || sum > options.bytesMax)) break
      count += 1
    }
    const batch = queue.slice(0, count)
    queue = queue.slice(count)
    return batch
  }

  const flushAll = async () => {
    // One turn of the loop lets callers of the same tick share the first flush.
    await new Promise(setImmediate)
    while (queue.length > 0) {
      const waitMs = notBefore - performance.now()
      if (waitMs > 0 && queue.length < options.itemsMax) await new Promise((resolve) => setTimeout(resolve, waitMs))
      notBefore = performance.now() + (options.intervalMs?.() ?? 0)
      const batch = take()
      inFlight = batch.length
      await flushBatch(batch, options.flush)
      inFlight = 0
      for (const entry of batch) bytes -= entry.bytes
    }
    running = undefined
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const size = options.bytesOf(item)
        queue.push({ item, bytes: size, resolve, reject })
        bytes += size
        running ??= flushAll()
      }),
    get pending() {
      return queue.length + inFlight
    },
    get pendingBytes() {
      return bytes
    },
    drained: async () => {
      while (running) await running
    },
  }
}

/** When the database refuses the data, items are written one by one, so that only the invalid one fails. */
async function flushBatch<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  flush: GroupCommitOptions<Item, Result>['flush'],
): Promise<void> {
  try {
    const results = await flush(batch.map(({ item }) => item))
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as Result)
    })
  } catch (error) {
    if (batch.length > 1 && error instanceof DatabaseRefused && error.isDataError) {
      for (const entry of batch) await flushBatch([entry], flush)
      return
    }
    for (const { reject } of batch) reject(error)
  }
}
