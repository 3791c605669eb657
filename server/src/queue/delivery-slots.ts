/** Fair delivery slots: an integration that hangs holds at most half of them, and few messages wait for it in memory. */
import { SECOND } from '../base/time/duration.ts'

export type DeliverySlot =
  | { kind: 'free'; release(): void }
  /** Too many wait for this owner: try again after about this time. */
  | { kind: 'limited'; waitMs: number }

export interface Slots {
  acquire(owner: string, waitMs: number): Promise<DeliverySlot>
  readonly used: number
}

interface Waiter {
  grant(slot: DeliverySlot): void
  timer: NodeJS.Timeout
}

interface Owner {
  used: number
  waiters: Set<Waiter>
  /** Requests refused since the owner last had no waiters. */
  refused: number
}

const WAIT_MIN_MS = SECOND
const WAIT_MAX_MS = 30 * SECOND
/** A thousand refused messages return over ten seconds: claiming them again costs less than a provider call. */
const WAIT_PER_MESSAGE_MS = 5

export function createSlots(slotsMax: number): Slots {
  const owners = new Map<string, Owner>()
  // The other half stays free for other owners: a call that hangs never has to be interrupted.
  const share = Math.max(1, Math.floor(slotsMax / 2))
  const waitersMax = Math.max(1, Math.floor(share / 4))
  let used = 0

  const ownerOf = (name: string): Owner => {
    let owner = owners.get(name)
    if (!owner) {
      owner = { used: 0, waiters: new Set(), refused: 0 }
      owners.set(name, owner)
    }
    return owner
  }
  const fits = (owner: Owner) => used < slotsMax && owner.used < share
  const occupy = (name: string, owner: Owner): DeliverySlot => {
    used += 1
    owner.used += 1
    let released = false
    return {
      kind: 'free',
      release() {
        if (released) return
        released = true
        used -= 1
        owner.used -= 1
        if (owner.waiters.size === 0) owner.refused = 0
        if (owner.used === 0 && owner.waiters.size === 0) owners.delete(name)
        grantNext()
      },
    }
  }
  const grantNext = () => {
    for (const [name, owner] of owners) {
      const [next] = owner.waiters
      if (!next || !fits(owner)) continue
      owner.waiters.delete(next)
      // A served owner goes to the end: the next free slot is for another one.
      owners.delete(name)
      owners.set(name, owner)
      clearTimeout(next.timer)
      next.grant(occupy(name, owner))
      return
    }
  }
  const refuse = (owner: Owner): DeliverySlot => {
    owner.refused += 1
    return { kind: 'limited', waitMs: Math.min(WAIT_MIN_MS + owner.refused * WAIT_PER_MESSAGE_MS, WAIT_MAX_MS) }
  }

  return {
    get used() {
      return used
    },
    acquire(name, waitMs) {
      const owner = ownerOf(name)
      if (fits(owner)) return Promise.resolve(occupy(name, owner))
      if (owner.waiters.size >= waitersMax) return Promise.resolve(refuse(owner))
      return new Promise((grant) => {
        const waiter: Waiter = {
          grant,
          timer: setTimeout(() => {
            owner.waiters.delete(waiter)
            grant(refuse(owner))
          }, waitMs),
        }
        owner.waiters.add(waiter)
      })
    },
  }
}
