/** Pieces of a laid-out mail with slots; `make-fragments.ts` makes them ahead of time, so that no server lays out mails. */
import { fragments } from './fragments.generated.ts'
import type { Op } from './program.ts'

/** The slots filled; one that nobody fills is empty. */
export function fillFragment(name: string, values: Readonly<Record<string, readonly Op[]>>): Op[] {
  const fragment = fragments.get(name)
  if (!fragment) throw new Error(`There is no mail fragment ${name}`)
  const ops: Op[] = []
  for (const [index, piece] of fragment.entries()) {
    if (index % 2 === 0) ops.push(piece)
    else ops.push(...(values[piece] ?? []))
  }
  return ops
}
