/** `comment`: a note between authors. */
import type { Element } from './element.ts'

export const comment: Element = {
  type: 'comment',
  fields: {},
  html: () => [],
  text: () => [],
}
