/** Gauges that are read when metrics are collected, so that no message has to update them. */
import { Gauge, type Registry } from 'prom-client'

export interface Sample<Name extends string> {
  labels: Readonly<Record<Name, string>>
  value: number
}

/** A gauge without labels; 0 until its reader is known. */
export function reading(name: string, help: string, registers: Registry[]): { from(read: () => number): void } {
  let current = () => 0
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(current())
    },
  })
  return {
    from(read) {
      current = read
    },
  }
}

/** Every series anew for each scrape; exported once its reader is known. */
export function readings<Name extends string>(
  name: string,
  help: string,
  labelNames: readonly Name[],
  registers: Registry[],
) {
  let current: (() => readonly Sample<Name>[] | Promise<readonly Sample<Name>[]>) | undefined
  return {
    from(read: NonNullable<typeof current>): void {
      const isExported = current !== undefined
      current = read
      if (isExported) return
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          const samples = (await current?.()) ?? []
          this.reset()
          for (const { labels, value } of samples) this.set(labels, value)
        },
      })
    },
  }
}

/** Concurrent and frequent scrapes share one read of the database. */
const SHARED_MS = 5_000
/** Far below the 10 s of a scrape: a database that hangs must not hide the figures of the process. */
const WAIT_MS = 3_000

/**
 * The last value that was read: after a failure, or while a read takes longer than a scrape waits, it is the earlier one, and
 * none before the first. A read must end by itself; no other starts before.
 */
export function sharedRead<Value>(
  read: () => Promise<Value>,
  onError: (error: unknown) => void,
): () => Promise<Value | undefined> {
  let last: Value | undefined
  let running = false
  let startedAt = Number.NEGATIVE_INFINITY
  let waited: Promise<void> = Promise.resolve()
  const readOnce = async () => {
    try {
      last = await read()
    } catch (error) {
      onError(error)
    } finally {
      running = false
    }
  }
  return async () => {
    if (!running && performance.now() - startedAt > SHARED_MS) {
      running = true
      startedAt = performance.now()
      waited = atMost(readOnce())
    }
    await waited
    return last
  }
}

/** Waits as long as a scrape may; the work goes on. */
export async function atMost(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
