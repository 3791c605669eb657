/** The requests that a fake peer received, in order, with a signal for each arrival: tests wait for facts instead of sleeping. */
import { msLeft } from '../until.ts'

export interface Inbound<T> {
  readonly all: readonly T[]
  add(item: T): void
  /** The first item, past or to come, for which the predicate holds; rejects shortly before the limit of the test. */
  waitFor(predicate: (item: T) => boolean, timeoutMs?: number): Promise<T>
  /** Resolves when at least this many have arrived. */
  waitForCount(count: number, timeoutMs?: number): Promise<readonly T[]>
}

export function inbound<T>(what: string): Inbound<T> {
  const all: T[] = []
  const watchers = new Set<() => void>()

  function until<R>(look: () => R | undefined, timeoutMs: number): Promise<R> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(watch)
        reject(new Error(`No such ${what} within ${timeoutMs} ms; ${all.length} arrived: ${preview(all)}`))
      }, timeoutMs)
      function watch() {
        const result = look()
        if (result === undefined) return
        clearTimeout(timer)
        watchers.delete(watch)
        resolve(result)
      }
      watchers.add(watch)
      watch()
    })
  }

  return {
    all,
    add(item) {
      all.push(item)
      for (const watch of [...watchers]) watch()
    },
    waitFor: (predicate, timeoutMs = msLeft()) => until(() => all.find(predicate), timeoutMs),
    waitForCount: (count, timeoutMs = msLeft()) => until(() => (all.length >= count ? all : undefined), timeoutMs),
  }
}

function preview(items: unknown[]): string {
  return JSON.stringify(items.slice(-5)).slice(0, 2_000)
}
