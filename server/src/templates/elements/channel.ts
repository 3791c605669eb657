/** `channel`: what one channel or provider says instead of the others. `render` chooses; it shows its children. */
import type { Element } from './element.ts'

export const channel: Element = {
  type: 'channel',
  fields: { channel: 'text', provider: 'text', raw: 'object' },
  required: ['channel'],
  children: 'any',
  parent: 'top',
  html: ({ children }, compiler) => compiler.children(children),
  text: ({ children }, compiler) => compiler.children(children),
}
