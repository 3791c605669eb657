/** Profiles that simulated runs write, as they are at any time of the simulation. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Effects } from '../run-store.ts'

export interface Written {
  at: number
  /** Of all that was written, the how manieth. */
  number: number
  profile: JsonObject
  version: number
}

/** The profile of a recipient, or what it has become by a later moment; undefined: none was written. */
export type WrittenProfile = (recipient: string, later?: number) => JsonObject | undefined

export function rehearsedProfiles() {
  const written = new Map<string, Written[]>()
  let count = 0
  return {
    write({ recipient, profile, version = 0 }: NonNullable<Effects['profile']>, at: number): void {
      count += 1
      const before = written.get(recipient) ?? []
      before.push({ at, number: count, profile, version: version + 1 })
      written.set(recipient, before)
    },
    last: (recipient: string): Written | undefined => written.get(recipient)?.at(-1),
    /** As they are now, whatever is written afterwards. */
    byNow(): WrittenProfile {
      const last = count
      return (recipient, later = Number.NEGATIVE_INFINITY) =>
        written.get(recipient)?.findLast(({ number, at }) => number <= last || at <= later)?.profile
    },
    by:
      (moment: number): WrittenProfile =>
      (recipient) =>
        written.get(recipient)?.findLast(({ at }) => at <= moment)?.profile,
  }
}
