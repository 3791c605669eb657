/** Text and addresses of the author with slots between, each slot escaped for its position. */
import { address, component, type Escape, marked, markedEscaped, plain } from './escape.ts'
import { reading } from './handlebars/handlebars.ts'
import type { Expand, Fail, Op, Parts, ProgramSlot } from './program.ts'
import { split, type Variable } from './variables.ts'

/** Text without Markdown. */
export const plainText = (text: string, sink: Escape) => reading(text, (plain) => slotted(split(plain), sink))

/** The author's own markup or style, which stays as it is; only the values are escaped. */
export function authored(text: string, sink: Escape): readonly (string | ProgramSlot | Expand | Fail)[] {
  return reading(text, (plain) => withValues(split(plain), sink))
}

/** A text of the author's in the marks of a dialect. */
export const markedUp = (text: string, sink: Escape): readonly Op[] =>
  sink.ofWholeText
    ? [
        {
          op: 'shape',
          body: authored(text.replace(/[\uE003\uE004]/g, '\uFFFD'), marked),
          shape: (made) => markedEscaped(made, sink),
        },
      ]
    : authored(text, sink)

const withValues = (parts: readonly (string | Variable)[], sink: Escape): (string | ProgramSlot)[] =>
  parts.map((part) => (typeof part === 'string' ? part : { op: 'slot', variable: part, sink }))

export function slotted(parts: readonly (string | Variable)[], sink: Escape): Op[] {
  if (sink.ofWholeText && parts.some((part) => typeof part !== 'string'))
    return [{ op: 'shape', body: withValues(parts, plain), shape: sink }]
  return parts.map((part) => (typeof part === 'string' ? sink(part) : { op: 'slot', variable: part, sink }))
}

/** An address: values in its query are encoded whole, values before it keep their structure. */
export const url = (text: string): Parts => reading(text, (plain) => addressParts(split(plain)))

export function addressParts(parts: readonly (string | Variable)[]): (string | ProgramSlot)[] {
  let inQuery = false
  return parts.map((part) => {
    if (typeof part !== 'string') return { op: 'slot', variable: part, sink: inQuery ? component : address }
    inQuery ||= /[?#]/.test(part)
    return address(part)
  })
}
