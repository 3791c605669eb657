/** PROFILE_LOADED: what came with the send, merged over what is stored. */
import { merge } from '../../base/merge.ts'
import type { Mapped, Profiled, StepResult } from './deciding.ts'

export function profile(value: Mapped): StepResult<Profiled> {
  const received = value.input.profile ?? {}
  const stored = value.facts.storedProfile ?? {}
  const merged = merge(stored, received)
  return {
    value: { ...value, profile: { received, stored, merged } },
    found: () => ({
      summary: value.facts.storedProfile
        ? 'The stored profile was merged with the one of the send.'
        : 'No profile is stored; the one of the send is used.',
      facts: { stored: value.facts.storedProfile !== undefined, keys: Object.keys(merged) },
    }),
  }
}
