/** What an element kind is (its fields, its place in a mail, its words elsewhere), and one element of an author's. */
import type { Grammar, Mark } from '../dialect.ts'
import type { Control, Op, Parts } from '../program.ts'

/** `text` may hold variables; `style` is one token of CSS and may hold them too; `size` is pixels or per cent. */
export type Field = 'text' | 'style' | 'size' | 'flag' | 'spans' | 'object'
export type Fields = Readonly<Record<string, unknown>>

/** What a locale puts in place of the author's own fields. */
export interface Translation {
  fields: Fields
  children?: readonly Node[]
}

export interface Node {
  element: Element
  /** Its place in the content: `elements.2.elements.0`. */
  at: string
  fields: Fields
  children: readonly Node[]
  locales: ReadonlyMap<string, Translation>
  control?: Control
}

/** What an element may ask of the weaving it is part of. */
export interface Weave {
  grammar: Grammar
  /** Brand colours, with defaults. */
  colors: { primary: string; secondary: string; tertiary: string }
  /** True in the text of a mail and in mail alone: markup of its own has a meaning there. */
  mail: boolean
  /** True inside a list or quote, where a row of a mail cannot stand. */
  inline: boolean
  /** `bold`: the caller puts it in bold marks or a heading. */
  markdown(text: string, bold?: boolean): readonly Op[]
  words(text: string): readonly Op[]
  style(value: unknown, otherwise: string): readonly Op[]
  url(text: string): Parts
  /** A fragment made from the `mjml` of an element kind, its slots filled. */
  row(name: string, slots: Readonly<Record<string, readonly Op[]>>): Op[]
  children(nodes: readonly Node[], inline?: boolean): Op[]
}

export interface Element {
  type: string
  fields: Readonly<Record<string, Field>>
  required?: readonly string[]
  /** The types its `elements` may have; absent: it has none. */
  children?: 'any' | readonly string[]
  /** Only at the top of the content, or only inside the named element. */
  place?: string
  /** Rows of a mail by name, with `[[slots]]`. */
  mjml?: Readonly<Record<string, string>>
  html(node: Node, weave: Weave): readonly Op[]
  /** Blocks (`emit`) in the dialect of `weave.grammar`. */
  text(node: Node, weave: Weave): readonly Op[]
}

export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const emit = (type: string, body: readonly Op[]): Op => ({ op: 'emit', type, body })

export function marked(mark: Mark, body: readonly Op[], { marks }: Grammar): Op[] {
  return [marks[mark][0], ...body, marks[mark][1]]
}

/** One address, escaped for an attribute; `#` when nobody may follow it. */
export const href = (url: Parts, { text }: Grammar): Op => ({
  op: 'link',
  url,
  body: [],
  join: (address) => text(address ?? '#'),
})

/** Where a row stands: `full` is the old name of justified text. */
export function align(value: unknown, otherwise: string): string {
  if (value === 'full') return 'justify'
  return value === 'left' || value === 'center' || value === 'right' ? value : otherwise
}
