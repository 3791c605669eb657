/** `columns` and `column`: side by side in a mail, one after the other elsewhere and on a narrow screen. */
import type { Element } from './element.ts'

/** The most that stay readable in 600 px. */
export const COLUMNS_MAX = 4

export const columns: Element = {
  type: 'columns',
  fields: {},
  children: ['column'],
  html({ children }, compiler) {
    if (compiler.inline) return compiler.children(children, true)
    const count = Math.min(Math.max(children.length, 1), COLUMNS_MAX)
    const cells = children
      .slice(0, COLUMNS_MAX)
      .flatMap((child, index) => [
        ...(index === 0
          ? compiler.row(`columns-${count}-open`, {})
          : compiler.row(`columns-${count}-next-${index}`, {})),
        ...compiler.children([child]),
      ])
    return [
      ...compiler.row('columns-1-close', {}),
      ...cells,
      ...compiler.row(`columns-${count}-close`, {}),
      ...compiler.row('columns-1-open', {}),
    ]
  },
  text: ({ children }, compiler) => compiler.children(children),
}

export const column: Element = {
  type: 'column',
  fields: { width: 'size' },
  children: 'any',
  parent: 'columns',
  html: ({ children }, compiler) => compiler.children(children, compiler.inline),
  text: ({ children }, compiler) => compiler.children(children),
}
