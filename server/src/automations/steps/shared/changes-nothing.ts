/** Steps that change stored recipients: a run of a draft or mock key skips them, as the key may not make the call. */

import type { RunStart } from '../../run.ts'
import type { Next } from '../../step.ts'

export const changesNothing = ({ mode }: RunStart, what: 'profile' | 'list'): Next => ({
  kind: 'next',
  skipped: `A ${mode} key changes no ${what}`,
})
