/** Pieces of a laid-out mail with slots; `make-fragments.ts` makes them ahead of time, so that no server lays out mails. */

import type { Op } from '../program.ts'
import { fragments } from './fragments.generated.ts'

/** The slots filled; one without a value is empty. */
export function fillFragment(name: string, values: Readonly<Record<string, readonly Op[]>>): Op[] {
  const fragment = fragments.get(name)
  if (!fragment) throw new Error(`There is no mail fragment ${name}`)
  return fragment.flatMap((piece, index): Op | readonly Op[] => (index % 2 === 0 ? piece : (values[piece] ?? [])))
}
