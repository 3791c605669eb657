/** The whole mail as a program: head, what the brand puts above, the rows, what the brand puts below, foot. */

import { type DocumentWork, newDocument } from '../compile-bounds.ts'
import { colorOr, joined, weaveOf } from '../compile-program.ts'
import { href, type Node, type Weave } from '../elements/element.ts'
import { markup } from '../markup.ts'
import type { Op, Program } from '../program.ts'
import { withSnippets } from '../snippets.ts'
import type { Brand } from '../template.ts'

/** Logos are wide and low; wider, they push the words off the first screen. */
const LOGO_WIDTH = 160

export function mail(
  nodes: readonly Node[],
  title: Program,
  { lang, ...choice }: { locale: string; lang: string; brand?: Brand | undefined; document: DocumentWork },
): Program {
  const rows = { dialect: 'html', mail: true, rows: true } as const
  const weave = weaveOf({ ...rows, ...choice })
  // It is made once and read as a document of its own.
  const frame = frameOf(choice.brand, () => weaveOf({ ...rows, ...choice, document: newDocument() }))
  return joined([
    ...weave.row('head', { title, lang: [lang], head: frame.head }),
    ...frame.bar,
    ...weave.row('columns-1-open', {}),
    ...frame.logo,
    ...weave.children(nodes),
    ...frame.footer,
    ...weave.row('columns-1-close', {}),
    ...weave.row('foot', {}),
  ])
}

/** What every mail of a brand has; it does not depend on the words, nor on their locale. */
interface Frame {
  head: Program
  bar: Program
  logo: Program
  footer: Program
}

/** With the brand it was made of, and as long. */
const frames = new WeakMap<Brand, Frame>()
const bare: Frame = { head: [], bar: [], logo: [], footer: [] }

function frameOf(brand: Brand | undefined, weaveFrame: () => Weave): Frame {
  if (!brand) return bare
  const known = frames.get(brand)
  if (known) return known
  const weave = weaveFrame()
  const bar = colorOr(brand.bar, '')
  const frame = {
    head: brand.head ? joined(markup(withSnippets(brand.head, brand))) : [],
    bar: bar ? joined(weave.row('bar', { bar: [bar] })) : [],
    logo: joined(logo(brand, weave)),
    footer: joined(footer(brand, weave)),
  }
  frames.set(brand, frame)
  return frame
}

function logo({ logo: picture }: Brand, weave: Weave): Op[] {
  if (!picture) return []
  const { grammar } = weave
  const url = weave.url(picture.src)
  const row = weave.row(picture.href ? 'image-link' : 'image', {
    src: [href(url, grammar)],
    href: [href(weave.url(picture.href ?? ''), grammar)],
    alt: [grammar.text(picture.alt)],
    align: ['center'],
    width: [String(LOGO_WIDTH)],
  })
  // Where the address cannot be loaded there is no picture, and no broken one either.
  return [{ op: 'link', url, body: row, join: (address, shown) => (address === undefined ? '' : shown) }]
}

function footer(brand: Brand, weave: Weave): Op[] {
  const content = footerWords(brand, weave, ' · ')
  if (content.length === 0) return []
  const style = { align: ['center'], color: ['#6b6b6b'], size: ['12px'], weight: ['normal'] }
  return weave.row('text', { content, ...style })
}

/** The footer in any dialect: its words, then its links. */
export function footerWords(brand: Brand, weave: Weave, between: string): Op[] {
  const { grammar } = weave
  const words = brand.footer ? weave.markdown(withSnippets(brand.footer, brand)) : []
  const links = (brand.social ?? []).flatMap(({ name, url }, index): Op[] => [
    ...(index > 0 ? [between] : []),
    { op: 'link', url: weave.url(url), body: [name], join: grammar.link },
  ])
  return words.length > 0 && links.length > 0 ? [...words, grammar.paragraph, ...links] : [...words, ...links]
}
