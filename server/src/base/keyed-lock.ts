/** A lock for each key within this process: work under one key runs one after another, in the order in which it came. */

/** Beyond these, callers have given up before their turn. */
const WAITING_MAX = 1_000

/** `full` makes the error of what would be one too many. */
export function createKeyedLock(full: () => Error, waitingMax = WAITING_MAX) {
  const latest = new Map<string, { settled: Promise<unknown>; waiting: number }>()
  return async <Done>(key: string, work: () => Promise<Done>): Promise<Done> => {
    const before = latest.get(key)
    const waiting = (before?.waiting ?? 0) + 1
    if (waiting > waitingMax) throw full()
    const done = before ? before.settled.then(work) : work()
    const entry = { settled: done.catch(() => undefined), waiting }
    latest.set(key, entry)
    try {
      return await done
    } finally {
      const last = latest.get(key)
      if (last === entry) latest.delete(key)
      else if (last) last.waiting -= 1
    }
  }
}
