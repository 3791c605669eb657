/** `columns` and `column`: side by side in a mail, one after the other elsewhere and on a narrow screen. */
import type { Element } from './element.ts'

/** The most that stay readable in 600 px. */
export const COLUMNS_MAX = 4

export const columns: Element = {
  type: 'columns',
  fields: {},
  children: ['column'],
  html({ children }, weave) {
    if (weave.inline) return weave.children(children, true)
    const count = Math.min(Math.max(children.length, 1), COLUMNS_MAX)
    const cells = children
      .slice(0, COLUMNS_MAX)
      .flatMap((child, index) => [
        ...(index === 0 ? weave.row(`columns-${count}-open`, {}) : weave.row(`columns-${count}-next-${index}`, {})),
        ...weave.children([child]),
      ])
    return [
      ...weave.row('columns-1-close', {}),
      ...cells,
      ...weave.row(`columns-${count}-close`, {}),
      ...weave.row('columns-1-open', {}),
    ]
  },
  text: ({ children }, weave) => weave.children(children),
}

export const column: Element = {
  type: 'column',
  fields: { width: 'size' },
  children: 'any',
  place: 'columns',
  html: ({ children }, weave) => weave.children(children, weave.inline),
  text: ({ children }, weave) => weave.children(children),
}
