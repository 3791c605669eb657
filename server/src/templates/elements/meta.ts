/** `meta`: the subject of a mail, the title of everything else. It shows nothing where it stands. */
import type { Element } from './element.ts'

export const meta: Element = {
  type: 'meta',
  fields: { title: 'text' },
  html: () => [],
  text: () => [],
}
