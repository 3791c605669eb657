/** Suppressed candidates in words, and the end of a message that has no other. */
import type { Candidate, CandidateSuppression } from '@postrider/contract'
import { iso } from '../../base/time/clock.ts'
import type { Suppression } from '../facts.ts'
import type { Ending } from './decision.ts'

/** Without the address, which the profile has. */
export const shownSuppression = ({ id, reason, source, created }: Suppression): CandidateSuppression => ({
  id,
  reason,
  source,
  created,
})

/** `The email address is suppressed: hard_bounce by provider/smtp since 2026-03-13T12:57:23.000Z`. */
const describe = (channel: string, { reason, source, created }: CandidateSuppression) =>
  `The ${channel} address is suppressed: ${reason} by ${source} since ${iso(created)}`

/** One sentence a channel and entry, without a full stop. */
export const describeSuppressions = (considered: readonly Candidate[]): string[] => [
  ...new Set(considered.flatMap(({ channel, suppression }) => (suppression ? [describe(channel, suppression)] : []))),
]

/** A suppressed candidate could be used otherwise: whatever is wrong with the others, this is why nothing is sent. */
export function suppressedEnding(considered: readonly Candidate[]): Ending | undefined {
  const sentences = describeSuppressions(considered)
  if (sentences.length === 0) return undefined
  return { status: 'UNDELIVERABLE', reason: 'SUPPRESSED', error: sentences.join('; ') }
}
