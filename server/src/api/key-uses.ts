/** The last use of each key: its day and the client's address, written seldom and never by a call itself. */
import type { Log } from '../base/log.ts'
import { createCache } from '../base/perf/cache.ts'
import type { Clock } from '../base/time/clock.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import { type ApiKeyUse, dayOf, keyUsesUpdate } from '../database/tables/workspace/api-keys.ts'

/** Keys that are used at once, as all are after midnight, share a statement. */
const GATHER_MS = SECOND / 4
/** A client behind many addresses costs no more than six writes an hour. */
const ADDRESS_MS = 10 * MINUTE
/** After a failure, as of a database that only reads. */
const RETRY_MS = MINUTE
/** About 2 MB; a key beyond it is written again. */
const KEYS_MAX = 10_000

export interface KeyUses {
  /** Without an address for a token, which is called with by recipients. */
  note(keyId: string, address: string | null): void
  /** Writes what waits. */
  close(): Promise<void>
}

interface Written extends ApiKeyUse {
  at: number
}

interface Pending extends ApiKeyUse {
  dueAt: number
}

export interface KeyUsesOptions {
  engine: Pick<Engine, 'run'>
  clock: Clock
  log: Log
}

export function createKeyUses({ engine, clock, log }: KeyUsesOptions): KeyUses {
  const written = createCache<string, Written>({ entriesMax: KEYS_MAX })
  const pending = new Map<string, Pending>()
  let timer: { handle: NodeJS.Timeout; firesAt: number } | undefined
  let writing = Promise.resolve()

  const write = async (until: number) => {
    const due = [...pending.values()].filter(({ dueAt }) => dueAt <= until).map(({ dueAt, ...use }) => use)
    if (due.length === 0) return
    for (const use of due) {
      pending.delete(use.id)
      written.set(use.id, { ...use, at: clock.now() })
    }
    await engine.run(keyUsesUpdate(due)).catch((err: unknown) => {
      for (const use of due) {
        written.delete(use.id)
        if (!pending.has(use.id)) pending.set(use.id, { ...use, dueAt: clock.now() + RETRY_MS })
      }
      log.debug({ event: 'key_use.lost', err }, 'the last use of keys was not recorded')
    })
  }

  const schedule = (dueAt: number) => {
    const delayMs = Math.max(GATHER_MS, dueAt - clock.now())
    // Not by the clock, which can be set.
    const firesAt = performance.now() + delayMs
    if (timer && timer.firesAt <= firesAt) return
    clearTimeout(timer?.handle)
    const handle = setTimeout(() => {
      timer = undefined
      writing = writing
        .then(() => write(Math.max(dueAt, clock.now())))
        .then(() => {
          if (pending.size > 0) schedule(Math.min(...[...pending.values()].map((use) => use.dueAt)))
        })
    }, delayMs).unref()
    timer = { handle, firesAt }
  }

  return {
    note(id, address) {
      const now = clock.now()
      const day = dayOf(now)
      const last = written.get(id)
      const today = last?.day === day ? last : undefined
      const waiting = pending.get(id)
      if (address === null && (today ?? waiting)?.day === day) return
      if (waiting?.day === day && waiting.address === address) return
      if (today && address === today.address) return void pending.delete(id)
      const dueAt = today && today.address !== null ? today.at + ADDRESS_MS : waiting?.day === day ? waiting.dueAt : now
      pending.set(id, { id, day, address, dueAt })
      schedule(dueAt)
    },
    async close() {
      clearTimeout(timer?.handle)
      timer = undefined
      await writing
      await write(Number.POSITIVE_INFINITY)
    },
  }
}
