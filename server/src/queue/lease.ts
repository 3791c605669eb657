/** The leases of this process: renewed while its work goes on, given up in time when they cannot be renewed. */
import { failpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { cellMap } from '../base/perf/cell-map.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import type { Lease } from '../database/leased-queue.ts'

/** A lease of this process on one row, until its work has ended. Once lost, it stays so. */
export class WorkerLease implements Lease {
  readonly id: string
  readonly lease: string
  #until: number
  #isLost = false

  constructor({ id, lease }: Lease, until: number) {
    this.id = id
    this.lease = lease
    this.#until = until
  }

  /** When it expires. */
  get until(): number {
    return this.#until
  }

  /** Another process may have it: nothing may be written or started any more. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** False from its end on, also before a timer has noticed: a stopped process may just have continued. */
  isValid(now: number): boolean {
    if (now >= this.#until) this.lose()
    return !this.#isLost
  }

  lose(): void {
    this.#isLost = true
  }

  renew(until: number): void {
    this.#until = until
  }
}

export interface LeasesOptions<One extends WorkerLease> {
  leaseMs: number
  now(): number
  /** Returns the ids whose lease was renewed. */
  renew(leases: readonly One[], until: number): Promise<ReadonlySet<string>>
  /** Called once for each lease that expires while the work goes on. */
  onExpired?(lease: One): void
  log: Log
}

export interface Leases<One extends WorkerLease> {
  /** Returns the lease of the same row before: it is lost, because another process had the row meanwhile. */
  add(lease: One): One | undefined
  /** Its work has ended: it is not renewed any more. False when it was not held any more. */
  drop(lease: One): boolean
  find(id: string): One | undefined
  all(): One[]
  readonly size: number
  stop(): void
}

/** Renewed after a third of the lease; given up after eight ninths (45 s: renewed at 15 s, given up at 40 s). */
export function createLeases<One extends WorkerLease>(options: LeasesOptions<One>): Leases<One> {
  const { leaseMs, now, renew, onExpired, log } = options
  const leases = cellMap<string, One>()
  const givenUp = new WeakSet<One>()
  const giveUp = (lease: One) => {
    givenUp.add(lease)
    lease.lose()
  }

  const renewDue = async () => {
    const due = leases.values().filter(({ until, isLost }) => !isLost && until - now() <= (leaseMs * 2) / 3)
    if (due.length === 0) return
    const until = now() + leaseMs
    failpoint('during-lease-renew')
    try {
      const renewed = await renew(due, until)
      for (const lease of due) {
        if (renewed.has(lease.id)) lease.renew(until)
        else giveUp(lease)
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
    for (const lease of leases.values())
      if (lease.until - now() <= leaseMs / 9 && !givenUp.has(lease)) {
        giveUp(lease)
        onExpired?.(lease)
      }
    if (renewing) return
    renewing = true
    void renewDue().finally(() => {
      renewing = false
    })
  }, leaseMs / 9)
  timer.unref()

  return {
    add(lease) {
      const before = leases.set(lease.id, lease)
      before?.lose()
      return before
    },
    drop(lease) {
      const isHeld = leases.get(lease.id) === lease
      if (isHeld) leases.delete(lease.id)
      return isHeld
    },
    find: leases.get,
    all: leases.values,
    get size() {
      return leases.size
    },
    stop: () => clearInterval(timer),
  }
}

let claims = 0

/** Every claim has its own lease, so that a result under an earlier one is not written. */
export const leaseNames =
  ({ node }: Pick<Engine, 'node'>): (() => string) =>
  () =>
    `${node}-${(claims += 1)}`
