/** The leases this process holds: renewed while work goes on, given up in time when they cannot be renewed. */
import { randomBytes } from 'node:crypto'
import { failpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { turnoverMap } from '../base/turnover-map.ts'

export interface Held {
  id: string
  lease: string
  /** When it runs out; moved by every renewal. */
  until: number
  /** Called once when the lease may be lost: it ran out without a renewal, or somebody else has the row by now. */
  lost(how: 'ran_out' | 'taken'): void
}

export interface LeasesOptions {
  leaseMs: number
  now(): number
  /** Which of these leases were prolonged. */
  renew(held: readonly Held[], until: number): Promise<ReadonlySet<string>>
  log: Log
}

export interface Leases {
  hold(held: Held): void
  /** Nothing when the id is held under another lease by now. */
  drop(held: Pick<Held, 'id' | 'lease'>): void
  readonly size: number
  stop(): void
}

/** Renewed after a third of the lease; given up after eight ninths (45 s: renewed at 15 s, given up at 40 s). */
export function createLeases({ leaseMs, now, renew, log }: LeasesOptions): Leases {
  const held = turnoverMap<string, Held>()

  const renewDue = async () => {
    const due = held.values().filter(({ until }) => until - now() <= (leaseMs * 2) / 3)
    if (due.length === 0) return
    const until = now() + leaseMs
    failpoint('during-lease-renew')
    try {
      const renewed = await renew(due, until)
      for (const one of due) {
        if (renewed.has(one.id)) one.until = until
        else if (held.get(one.id) === one) giveUp(one, 'taken')
      }
    } catch (error) {
      log.warn({ err: error, leases: due.length }, 'leases could not be renewed')
    }
  }
  const giveUp = (one: Held, how: 'ran_out' | 'taken') => {
    held.delete(one.id)
    one.lost(how)
  }

  let renewing = false
  const timer = setInterval(() => {
    // Beside the renewal, which may hang for as long as the database does.
    for (const one of held.values()) if (one.until - now() <= leaseMs / 9) giveUp(one, 'ran_out')
    if (renewing) return
    renewing = true
    void renewDue().finally(() => {
      renewing = false
    })
  }, leaseMs / 9)
  timer.unref()

  return {
    hold: (one) => held.set(one.id, one),
    drop({ id, lease }) {
      if (held.get(id)?.lease === lease) held.delete(id)
    },
    get size() {
      return held.size
    },
    stop: () => clearInterval(timer),
  }
}

/** Every claim has its own lease, so that a result found under an earlier one is recognised. */
export function leaseNames(): () => string {
  const node = randomBytes(6).toString('base64url')
  let claims = 0
  return () => `${node}-${(claims += 1)}`
}
