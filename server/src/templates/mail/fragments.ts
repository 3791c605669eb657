/** The pieces of a mail in the look of a brand: slots for its theme are filled, those for content are left. */

import { fragments } from './fragments.generated.ts'
import type { Direction, Theme } from './look.ts'
import { themeSlots } from './theme.ts'

/** Texts and names of slots in turn. */
type Fragment = readonly string[]
interface Themed {
  slots: Readonly<Record<string, string>>
  fragments: Map<string, Fragment>
}

/** Most mails use a few kinds of rows: each is filled at its first use. */
const themed: Record<Direction, WeakMap<Theme, Themed>> = { ltr: new WeakMap(), rtl: new WeakMap() }

export function fragmentOf(name: string, theme: Theme, direction: Direction): Fragment {
  const kept = themed[direction].get(theme) ?? { slots: themeSlots(theme, direction), fragments: new Map() }
  if (kept.fragments.size === 0) themed[direction].set(theme, kept)
  const known = kept.fragments.get(name)
  if (known) return known
  const fragment = fragments.get(name)
  if (!fragment) throw new Error(`There is no mail fragment ${name}`)
  const made = withTheme(fragment, kept.slots)
  kept.fragments.set(name, made)
  return made
}

function withTheme(fragment: Fragment, slots: Themed['slots']): Fragment {
  const out = [fragment[0] ?? '']
  for (let index = 1; index < fragment.length; index += 2) {
    const [name = '', text = ''] = [fragment[index], fragment[index + 1]]
    const value = slots[name]
    if (value === undefined) out.push(name, text)
    else out.push(`${out.pop()}${value}${text}`)
  }
  return out
}
