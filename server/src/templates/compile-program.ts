/** Compiles checked nodes into programs: the text of one dialect, or the rows of a mail. */
import type { Dialect } from '../base/rendered-content.ts'
import { isColor } from './color.ts'
import { type DocumentWork, newDocument, takeElement } from './compile-bounds.ts'
import { grammarOf } from './dialect.ts'
import type { Fields, Node, Weave } from './elements/element.ts'
import { css } from './escape.ts'
import { fillFragment } from './mail/fragments.ts'
import { markdown } from './markdown/markdown.ts'
import type { Op, Program } from './program.ts'
import { spokenBy } from './snippets.ts'
import type { Brand } from './template.ts'
import { authored, url, words } from './text.ts'

/** Of mails without a brand. */
export const defaultColors = { primary: '#2a5bd7', secondary: '#292929', tertiary: '#f4f4f4' }

export const colorOr = (given: string | undefined, otherwise: string) => (given && isColor(given) ? given : otherwise)

export function colorsOf(brand: Brand | undefined): Weave['colors'] {
  const { primary, secondary, tertiary } = brand?.colors ?? {}
  return {
    primary: colorOr(primary, defaultColors.primary),
    secondary: colorOr(secondary, defaultColors.secondary),
    tertiary: colorOr(tertiary, defaultColors.tertiary),
  }
}

export interface Choice {
  dialect: Dialect
  locale: string
  mail: boolean
  brand?: Brand | undefined
  /** The rows of a mail, not only its words. */
  rows?: boolean
  /** Absent: a document of its own. */
  document?: DocumentWork
}

export function weaveOf(choice: Choice, inline = false): Weave {
  const { dialect, locale, mail, brand, rows = false, document = newDocument() } = choice
  const colors = colorsOf(brand)
  const grammar = grammarOf(dialect, colors.primary)
  const weave: Weave = {
    grammar,
    colors,
    mail,
    inline,
    markdown: (text, bold) => markdown(text, grammar, document, bold),
    words: (text) => words(text, grammar.text),
    style: (value, otherwise) => (typeof value === 'string' && value !== '' ? authored(value, css) : [otherwise]),
    url,
    row: (name, slots) => (rows ? fillFragment(name, slots) : Object.values(slots).flat()),
    children: (nodes, within = inline) => {
      const inner = within === inline ? weave : weaveOf({ ...choice, document }, within)
      return nodes.flatMap((written) => {
        const node = spokenBy(translated(written, locale), brand)
        takeElement(document, node)
        return weaveNode(node, inner)
      })
    },
  }
  return weave
}

function weaveNode(node: Node, weave: Weave): Op[] {
  const body = weave.grammar.dialect === 'html' ? node.element.html(node, weave) : node.element.text(node, weave)
  return placed(node, body)
}

/** Under the control of its element, and with its place for whatever fails in it; fixed text needs neither. */
export function placed({ control, at }: Node, ops: readonly Op[]): Op[] {
  const body = joined(ops)
  if (!control && body.every((op) => typeof op === 'string')) return [...body]
  return [{ op: 'element', at, body, ...(control && { control }) }]
}

export function translated(node: Node, locale: string): Node {
  const translation = node.locales.get(locale)
  if (!translation) return node
  const fields: Fields = { ...node.fields, ...translation.fields }
  return { ...node, fields, children: translation.children ?? node.children }
}

/** Neighbouring texts become one, so that a run has as few steps as there are slots. */
export function joined(ops: readonly Op[]): Program {
  const out: Op[] = []
  for (const op of ops) {
    const last = out.length - 1
    const before = out[last]
    if (typeof op === 'string' && typeof before === 'string') out[last] = before + op
    else if (op !== '') out.push(op)
  }
  return out
}
