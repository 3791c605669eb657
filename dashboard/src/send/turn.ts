/** The turn of a candidate as it is foreseen, by the same facts as the sentence of the forecast. */
import type { Explanation, RenderedCandidate } from '@postrider/client'

export type Turn = 'failed' | 'toRepair' | 'notCalled' | 'next' | 'first'

/** `rendered`: undefined where the decision ended before its content was made. */
export function turnOf(
  rendered: Pick<RenderedCandidate, 'error' | 'held_back' | 'fallback'> | undefined,
  { status }: Explanation['decision'],
): Turn {
  // A message that would be held is not called at the next probe either.
  if (status === 'HELD' && rendered?.held_back === 'circuit_breaker') return 'toRepair'
  if (rendered?.error !== undefined) return 'failed'
  if (rendered?.held_back) return 'notCalled'
  return rendered?.fallback ? 'next' : 'first'
}
