/** Fair delivery slots: no integration takes more than half of them while others wait. */

export interface Slots {
  /** Resolves with the release, or undefined when no slot came free in time. */
  acquire(owner: string, waitMs: number): Promise<(() => void) | undefined>
  readonly used: number
}

interface Waiter {
  owner: string
  grant(release: (() => void) | undefined): void
  timer: NodeJS.Timeout
}

export function createSlots(slotsMax: number): Slots {
  const usedBy = new Map<string, number>()
  let waiters: Waiter[] = []
  let used = 0

  const share = Math.max(1, Math.floor(slotsMax / 2))
  const fits = (owner: string) => {
    if (used >= slotsMax) return false
    if ((usedBy.get(owner) ?? 0) < share) return true
    // The other half stays free for whoever comes next: an integration that hangs must not need to be pushed aside.
    return false
  }
  const occupy = (owner: string): (() => void) => {
    used += 1
    usedBy.set(owner, (usedBy.get(owner) ?? 0) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      used -= 1
      const rest = (usedBy.get(owner) ?? 1) - 1
      if (rest > 0) usedBy.set(owner, rest)
      else usedBy.delete(owner)
      grantNext()
    }
  }
  const grantNext = () => {
    const next = waiters.find(({ owner }) => fits(owner))
    if (!next) return
    waiters = waiters.filter((waiter) => waiter !== next)
    clearTimeout(next.timer)
    next.grant(occupy(next.owner))
  }

  return {
    get used() {
      return used
    },
    acquire(owner, waitMs) {
      if (fits(owner)) return Promise.resolve(occupy(owner))
      return new Promise((grant) => {
        const waiter: Waiter = {
          owner,
          grant,
          timer: setTimeout(() => {
            waiters = waiters.filter((candidate) => candidate !== waiter)
            grant(undefined)
          }, waitMs),
        }
        waiters.push(waiter)
      })
    },
  }
}
