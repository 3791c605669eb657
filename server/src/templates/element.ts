/** A kind of element (its fields, its rows in a mail, its text elsewhere), and one element of the author's content. */
import type { DialectRules, Mark } from './dialect.ts'
import { hasBoundMarks } from './emphasis.ts'
import type { Direction, Theme } from './mail/look.ts'
import type { Control, Native, Op, Parts } from './program.ts'

/** `text` may hold variables; `style` is one token of CSS and may hold them too; `size` is pixels or per cent. */
export type Field = 'text' | 'style' | 'size' | 'flag' | 'spans' | 'object'
export type Fields = Readonly<Record<string, unknown>>

/** Fields and children that a locale replaces. */
export interface Translation {
  fields: Fields
  children?: readonly Node[]
}

export interface Node {
  element: Element
  /** Its path in the content: `elements.2.elements.0`. */
  at: string
  fields: Fields
  children: readonly Node[]
  locales: ReadonlyMap<string, Translation>
  control?: Control
}

/** Compiles the parts of an element for one dialect, locale and brand. */
export interface Compiler {
  rules: DialectRules
  /** The look of a mail. */
  theme: Theme
  direction: Direction
  /** True in the text of a mail and in mail alone: markup of its own has a meaning there. */
  mail: boolean
  /** True inside a list or quote, where a row of a mail cannot stand. */
  inline: boolean
  /** `bold`: the caller puts it in bold marks or a heading. */
  markdown(text: string, bold?: boolean): readonly Op[]
  plainText(text: string): readonly Op[]
  style(value: unknown, otherwise: string): readonly Op[]
  url(text: string): Parts
  /** Where a row stands: `left`, `center`, `right` or `justify`. */
  align(value: unknown, otherwise: 'start' | 'center'): readonly Op[]
  /** A fragment made from the `mjml` of an element kind, its slots filled. */
  row(name: string, slots: Readonly<Record<string, readonly Op[]>>): Op[]
  /** How many stand side by side here. */
  columns: number
  children(nodes: readonly Node[], inline?: boolean, columns?: number): Op[]
  /** The same for texts without any markup. */
  plain(): Compiler
}

export interface Element {
  type: string
  fields: Readonly<Record<string, Field>>
  required?: readonly string[]
  /** The types its `elements` may have; absent: it has none. */
  children?: 'any' | readonly string[]
  /** `top`: only at the top of the content; another value: only inside the element of that type. */
  parent?: string
  /** Rows of a mail by name, with `[[slots]]`. */
  mjml?: Readonly<Record<string, string>>
  html(node: Node, compiler: Compiler): readonly Op[]
  /** Blocks (`emit`) in the dialect of `compiler.rules`. */
  text(node: Node, compiler: Compiler): readonly Op[]
}

export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface EmitOptions {
  shape?: (text: string) => string
  /** Absent where no service has an element for it. */
  native?: (plain: Compiler) => Native
}

/** A block; in the dialect of a chat service also the element that shows it. */
export function emit(type: string, body: readonly Op[], compiler: Compiler, { shape, native }: EmitOptions = {}): Op {
  const element = compiler.rules.dialect === 'plain' ? undefined : native?.(compiler.plain())
  return { op: 'emit', type, body, ...(shape && { shape }), ...(element && { native: element }) }
}

export function marked(mark: Mark, body: readonly Op[], { marks }: DialectRules): Op[] {
  return [marks[mark][0], ...body, marks[mark][1]]
}

/** One address, escaped for an attribute; `#` for one that must not be followed. */
export const href = (url: Parts, { text }: DialectRules): Op => ({
  op: 'link',
  url,
  body: [],
  join: (address) => text(address ?? '#'),
})

const OPEN_ATTRIBUTE = /\s(?:href|src)="$/

/** The same markup, where an attribute without an address is left out: a button stays, and the text of a picture. */
export function withOptionalAddresses(ops: readonly Op[]): Op[] {
  const out = [...ops]
  for (const [index, op] of ops.entries()) {
    const [before, after] = [out[index - 1], out[index + 1]]
    if (typeof op === 'string' || op.op !== 'link' || typeof before !== 'string' || typeof after !== 'string') continue
    const open = OPEN_ATTRIBUTE.exec(before)?.[0]
    if (open === undefined || !after.startsWith('"')) continue
    out[index - 1] = before.slice(0, -open.length)
    out[index] = { ...op, join: (url, body, isEmpty) => (isEmpty ? '' : `${open}${op.join(url, body, false)}"`) }
    out[index + 1] = after.slice(1)
  }
  return out
}

/** A text in its dialect, with the marks of its emphasis; written once where no value is in it. */
export function finished(ops: readonly Op[], { finish }: DialectRules): readonly Op[] {
  if (!finish || !ops.some(hasMarks)) return ops
  const isFixed = ops.every((op) => typeof op === 'string')
  return isFixed ? [finish(ops.join(''))] : [{ op: 'shape', body: ops, shape: finish }]
}

const hasMarks = (op: Op): boolean =>
  typeof op === 'string' ? hasBoundMarks(op) : 'body' in op && op.op !== 'element' && op.body.some(hasMarks)
