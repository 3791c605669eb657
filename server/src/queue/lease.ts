/** The leases of this process: renewed while its work goes on, given up in time when they cannot be renewed. */
import { randomBytes } from 'node:crypto'
import { failpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { cellMap } from '../base/perf/cell-map.ts'
import { failureLevel } from '../database/engine.ts'

/** Work under a lease. */
export interface Held {
  readonly id: string
  readonly lease: string
  /** When the lease expires; moved by every renewal. */
  until: number
  /** Another process may have the lease: nothing may be written or started any more. */
  lost: boolean
}

export interface LeasesOptions<One extends Held> {
  leaseMs: number
  now(): number
  /** Returns the ids whose lease was renewed. */
  renew(held: readonly One[], until: number): Promise<ReadonlySet<string>>
  /** Called once for each lease that expires while the work goes on. */
  onExpired?(one: One): void
  log: Log
}

export interface Leases<One extends Held> {
  /** Returns the work under the same id before: it is lost, because another process had the lease meanwhile. */
  hold(one: One): One | undefined
  /** The work has ended: its lease is not renewed any more. False when it was not held any more. */
  drop(one: One): boolean
  find(id: string): One | undefined
  all(): One[]
  readonly size: number
  stop(): void
}

/** Renewed after a third of the lease; given up after eight ninths (45 s: renewed at 15 s, given up at 40 s). */
export function createLeases<One extends Held>(options: LeasesOptions<One>): Leases<One> {
  const { leaseMs, now, renew, onExpired, log } = options
  const held = cellMap<string, One>()
  const givenUp = new WeakSet<One>()
  const giveUp = (one: One) => {
    givenUp.add(one)
    one.lost = true
  }

  const renewDue = async () => {
    const due = held.values().filter(({ until, lost }) => !lost && until - now() <= (leaseMs * 2) / 3)
    if (due.length === 0) return
    const until = now() + leaseMs
    failpoint('during-lease-renew')
    try {
      const renewed = await renew(due, until)
      for (const one of due) {
        if (renewed.has(one.id)) one.until = until
        else giveUp(one)
      }
    } catch (error) {
      log[failureLevel(error)](
        { event: 'leases.not_renewed', err: error, leases: due.length },
        'leases could not be renewed',
      )
    }
  }

  let renewing = false
  const timer = setInterval(() => {
    // Not after the renewal, which may hang as long as the database does.
    for (const one of held.values())
      if (one.until - now() <= leaseMs / 9 && !givenUp.has(one)) {
        giveUp(one)
        onExpired?.(one)
      }
    if (renewing) return
    renewing = true
    void renewDue().finally(() => {
      renewing = false
    })
  }, leaseMs / 9)
  timer.unref()

  return {
    hold(one) {
      const before = held.set(one.id, one)
      if (before) before.lost = true
      return before
    },
    drop(one) {
      const isHeld = held.get(one.id) === one
      if (isHeld) held.delete(one.id)
      return isHeld
    },
    find: held.get,
    all: held.values,
    get size() {
      return held.size
    },
    stop: () => clearInterval(timer),
  }
}

/** Every claim has its own lease, so that a result under an earlier one is not written. */
export function leaseNames(): () => string {
  const node = randomBytes(6).toString('base64url')
  let claims = 0
  return () => `${node}-${(claims += 1)}`
}
