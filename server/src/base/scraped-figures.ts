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
export const READ_MS = 3_000

/** Without a database there are no figures, and the others are shown all the same. */
export function sharedRead<Item>(
  read: () => readonly Item[] | Promise<readonly Item[]>,
  readMs = READ_MS,
): () => Promise<readonly Item[]> {
  let last: { at: number; items: Promise<readonly Item[]> } | undefined
  return () => {
    if (!last || performance.now() - last.at > SHARED_MS)
      last = { at: performance.now(), items: within(readMs, read).catch(() => []) }
    return last.items
  }
}

/** Nothing where it takes longer. */
export async function within<Item>(
  ms: number,
  read: () => readonly Item[] | Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly Item[]>((resolve) => {
    timer = setTimeout(resolve, ms, [])
  })
  try {
    return await Promise.race([read(), late])
  } finally {
    clearTimeout(timer)
  }
}
