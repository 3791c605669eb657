/** One connection pool an origin; idle ones are closed and their number is bounded. */
import type { Pool } from 'undici'
import { MINUTE, SECOND } from '../../base/time/duration.ts'

const ORIGINS_MAX = 1_000
const IDLE_MS = MINUTE

export interface OriginPools {
  get(origin: string): Pool
  close(): Promise<void>
}

export function originPools(open: (origin: string) => Pool): OriginPools {
  const pools = new Map<string, { pool: Pool; usedAt: number }>()

  function closeIdle(unusedSince: number): void {
    for (const [origin, { pool, usedAt }] of pools) {
      if (usedAt > unusedSince || pool.stats.running > 0 || pool.stats.pending > 0) continue
      pools.delete(origin)
      void pool.close()
    }
  }

  /** Insertion order is age: a webhook an hour to each of many hosts must not push out a busy provider. */
  function makeRoom(): void {
    let oldest: string | undefined
    let oldestAt = Number.POSITIVE_INFINITY
    for (const [origin, { pool, usedAt }] of pools) {
      if (usedAt >= oldestAt || pool.stats.running > 0 || pool.stats.pending > 0) continue
      oldest = origin
      oldestAt = usedAt
    }
    if (oldest === undefined) return
    void pools.get(oldest)?.pool.close()
    pools.delete(oldest)
  }

  const sweep = setInterval(() => closeIdle(performance.now() - IDLE_MS), 15 * SECOND)
  sweep.unref()

  return {
    get(origin) {
      const usedAt = performance.now()
      let entry = pools.get(origin)
      if (!entry) {
        if (pools.size >= ORIGINS_MAX) makeRoom()
        entry = { pool: open(origin), usedAt }
        pools.set(origin, entry)
      }
      entry.usedAt = usedAt
      return entry.pool
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
      pools.clear()
    },
  }
}
