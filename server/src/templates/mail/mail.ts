/** The whole mail as a program: head, bar and logo of the brand, the rows, footer of the brand, foot. */
import { type DocumentWork, newDocument } from '../compile-bounds.ts'
import { compilerOf, joined, translated } from '../compile-program.ts'
import { type Compiler, href, type Node } from '../element.ts'
import { markup } from '../markup.ts'
import type { Op, Program } from '../program.ts'
import { withSnippets } from '../snippets.ts'
import type { Brand } from '../template.ts'
import { directionOf } from './direction.ts'
import type { Direction, Theme } from './look.ts'
import { headOf } from './styles.ts'
import { colorOr } from './theme.ts'

/** Logos are wide and low; wider, they push the text off the first screen. */
const LOGO_WIDTH = 160

export interface MailChoice {
  locale: string
  lang: string
  brand?: Brand | undefined
  /** The text that inboxes show after the subject; undefined: the first texts of a mail with a logo. */
  preheader: Program | undefined
  document: DocumentWork
}

export function mail(nodes: readonly Node[], title: Program, choice: MailChoice): Program {
  const { brand, document, lang, locale, preheader } = choice
  const direction = directionOf(nodes, lang, (node) => translated(node, locale))
  const rows = { dialect: 'html', mail: true, rows: true, direction, locale, brand } as const
  const compiler = compilerOf({ ...rows, document })
  const frame = frameOf(compiler, brand)
  const preview = preheader ?? (brand?.logo ? [{ op: 'preview' } as const] : [])
  return joined([
    ...compiler.row('head', { title, lang: [lang], head: frame.head, preheader: hidden(preview) }),
    ...compiler.row('card-open', {}),
    ...frame.bar,
    ...compiler.row('columns-1-open', {}),
    ...compiler.row('space', {}),
    ...frame.logo,
    ...compiler.children(nodes),
    ...compiler.row('space', {}),
    ...compiler.row('columns-1-close', {}),
    ...compiler.row('card-close', {}),
    ...frame.footer,
    ...compiler.row('foot', {}),
  ])
}

/** More than inboxes show: the text below stays out of their line. */
const PREVIEW_CHARACTERS = 150
const BLANK = '&zwnj;&nbsp;'

function hidden(preview: Program): Op[] {
  if (preview.length === 0) return []
  const shape = (text: string) =>
    text === ''
      ? ''
      : `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${text}${BLANK.repeat(Math.max(0, (PREVIEW_CHARACTERS - text.length) / 2))}</div>`
  return [{ op: 'shape', body: preview, shape }]
}

/** The parts of every mail of a brand, independent of content and locale. */
interface Frame {
  head: Program
  bar: Program
  logo: Program
  footer: Program
}

/** Kept as long as the brand it was made of, and those of mails without one. */
const frames: Record<Direction, WeakMap<object, Frame>> = { ltr: new WeakMap(), rtl: new WeakMap() }

function frameOf({ theme, direction }: Compiler, brand: Brand | undefined): Frame {
  const known = frames[direction].get(brand ?? theme)
  if (known) return known
  // Made once, and bounded as a document of its own.
  const choice = { dialect: 'html', locale: '', mail: true, rows: true, direction, brand } as const
  const make = (of: Theme) => compilerOf({ ...choice, theme: of, document: newDocument() })
  // Links of the footer are as quiet as its text.
  const quiet = { ...theme, light: { ...theme.light, link: theme.light.footer } }
  const frame = makeFrame(brand ?? {}, make(theme), make(quiet))
  frames[direction].set(brand ?? theme, frame)
  return frame
}

function makeFrame(brand: Brand, compiler: Compiler, footerCompiler: Compiler): Frame {
  const bar = colorOr(brand.bar, '')
  const head = headOf(compiler.theme, !brand.logo ? 'none' : brand.logo.dark ? 'both' : 'one')
  return {
    // The brand's own styles come last, so that they win.
    head: joined([head, ...(brand.head ? ['\n', ...markup(withSnippets(brand.head, brand))] : [])]),
    bar: bar ? joined(compiler.row('bar', { bar: [bar] })) : [],
    logo: joined(logo(brand, compiler)),
    footer: joined(footer(brand, footerCompiler)),
  }
}

function logo({ logo: picture }: Brand, compiler: Compiler): Op[] {
  if (!picture) return []
  const { src, dark, href: target, alt, width = LOGO_WIDTH } = picture
  const { rules, theme } = compiler
  const url = compiler.url(src)
  const imageOf = (source: string, className: string): Op[] => [
    `<img class="${className}" alt="${rules.text(alt)}" width="${width}" style="width:${width}px;max-width:100%;height:auto;vertical-align:middle" src="`,
    href(compiler.url(source), rules),
    '">',
  ]
  const images = [
    ...imageOf(src, 'pr-logo'),
    ...(dark && theme.dark ? ['<!--[if !mso]><!-->', ...imageOf(dark, 'pr-logo-dark'), '<!--<![endif]-->'] : []),
  ]
  const content: Op[] = target
    ? [{ op: 'link', url: compiler.url(target), body: images, join: (address, body) => linked(rules, address, body) }]
    : images
  const style = { size: ['13px'], leading: ['20px'], weight: ['normal'], color: [theme.light.muted], tone: ['pr-mute'] }
  const row = compiler.row('text', { content, align: compiler.align(undefined, 'center'), ...style })
  // An address that must not be loaded leaves no broken picture.
  return [{ op: 'link', url, body: row, join: (address, shown) => (address === undefined ? '' : shown) }]
}

const linked = ({ text }: Compiler['rules'], address: string | undefined, body: string) =>
  `<a href="${text(address ?? '#')}" target="_blank" style="text-decoration:none">${body}</a>`

function footer(brand: Brand, compiler: Compiler): Op[] {
  const content = footerOps(brand, compiler, ' &middot; ')
  if (content.length === 0) return []
  const style = {
    color: [compiler.theme.light.footer],
    size: ['13px'],
    leading: ['20px'],
    weight: ['normal'],
    tone: ['pr-foot'],
  }
  return [
    ...compiler.row('footer-open', {}),
    ...compiler.row('text', { content, align: compiler.align(undefined, 'center'), ...style }),
    ...compiler.row('footer-close', {}),
  ]
}

/** The footer in any dialect: its text, then its links. */
export function footerOps(brand: Brand, compiler: Compiler, between: string): Op[] {
  const { rules } = compiler
  const text = brand.footer ? compiler.markdown(withSnippets(brand.footer, brand)) : []
  const links = (brand.social ?? []).flatMap(({ name, url }, index): Op[] => [
    ...(index > 0 ? [between] : []),
    { op: 'link', url: compiler.url(url), body: [name], join: rules.link },
  ])
  if (text.length === 0 || links.length === 0) return [...text, ...links]
  return rules.blocks ? [...text, '<p style="margin:8px 0 0">', ...links, '</p>'] : [...text, rules.paragraph, ...links]
}
