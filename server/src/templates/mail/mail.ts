/** The whole mail as a program: head, bar and logo of the brand, the rows, footer of the brand, foot. */
import { type DocumentWork, newDocument } from '../compile-bounds.ts'
import { colorOr, compilerOf, joined } from '../compile-program.ts'
import { type Compiler, href, type Node } from '../element.ts'
import { markup } from '../markup.ts'
import type { Op, Program } from '../program.ts'
import { withSnippets } from '../snippets.ts'
import type { Brand } from '../template.ts'

/** Logos are wide and low; wider, they push the text off the first screen. */
const LOGO_WIDTH = 160

export function mail(
  nodes: readonly Node[],
  title: Program,
  { lang, ...choice }: { locale: string; lang: string; brand?: Brand | undefined; document: DocumentWork },
): Program {
  const rows = { dialect: 'html', mail: true, rows: true } as const
  const compiler = compilerOf({ ...rows, ...choice })
  // Made once, and bounded as a document of its own.
  const frame = frameOf(choice.brand, () => compilerOf({ ...rows, ...choice, document: newDocument() }))
  return joined([
    ...compiler.row('head', { title, lang: [lang], head: frame.head }),
    ...frame.bar,
    ...compiler.row('columns-1-open', {}),
    ...frame.logo,
    ...compiler.children(nodes),
    ...frame.footer,
    ...compiler.row('columns-1-close', {}),
    ...compiler.row('foot', {}),
  ])
}

/** The parts of every mail of a brand, independent of content and locale. */
interface Frame {
  head: Program
  bar: Program
  logo: Program
  footer: Program
}

/** Kept as long as the brand it was made of. */
const frames = new WeakMap<Brand, Frame>()
const bare: Frame = { head: [], bar: [], logo: [], footer: [] }

function frameOf(brand: Brand | undefined, makeCompiler: () => Compiler): Frame {
  if (!brand) return bare
  const known = frames.get(brand)
  if (known) return known
  const compiler = makeCompiler()
  const bar = colorOr(brand.bar, '')
  const frame = {
    head: brand.head ? joined(markup(withSnippets(brand.head, brand))) : [],
    bar: bar ? joined(compiler.row('bar', { bar: [bar] })) : [],
    logo: joined(logo(brand, compiler)),
    footer: joined(footer(brand, compiler)),
  }
  frames.set(brand, frame)
  return frame
}

function logo({ logo: picture }: Brand, compiler: Compiler): Op[] {
  if (!picture) return []
  const { rules } = compiler
  const url = compiler.url(picture.src)
  const row = compiler.row(picture.href ? 'image-link' : 'image', {
    src: [href(url, rules)],
    href: [href(compiler.url(picture.href ?? ''), rules)],
    alt: [rules.text(picture.alt)],
    align: ['center'],
    width: [String(LOGO_WIDTH)],
  })
  // An address that must not be loaded leaves no broken picture.
  return [{ op: 'link', url, body: row, join: (address, shown) => (address === undefined ? '' : shown) }]
}

function footer(brand: Brand, compiler: Compiler): Op[] {
  const content = footerOps(brand, compiler, ' · ')
  if (content.length === 0) return []
  const style = { align: ['center'], color: ['#6b6b6b'], size: ['12px'], weight: ['normal'] }
  return compiler.row('text', { content, ...style })
}

/** The footer in any dialect: its text, then its links. */
export function footerOps(brand: Brand, compiler: Compiler, between: string): Op[] {
  const { rules } = compiler
  const text = brand.footer ? compiler.markdown(withSnippets(brand.footer, brand)) : []
  const links = (brand.social ?? []).flatMap(({ name, url }, index): Op[] => [
    ...(index > 0 ? [between] : []),
    { op: 'link', url: compiler.url(url), body: [name], join: rules.link },
  ])
  return text.length > 0 && links.length > 0 ? [...text, rules.paragraph, ...links] : [...text, ...links]
}
