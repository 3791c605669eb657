/** `group`: several elements under one condition or loop. */
import type { Element } from './element.ts'

export const group: Element = {
  type: 'group',
  fields: {},
  children: 'any',
  html: ({ children }, compiler) => compiler.children(children),
  text: ({ children }, compiler) => compiler.children(children),
}
