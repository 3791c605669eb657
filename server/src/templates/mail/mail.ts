/** The whole mail as a program: head with its style sheet, bar and logo of the brand, the rows, footer of the brand, foot. */
import { type DocumentWork, newDocument } from '../compile-bounds.ts'
import { compilerOf, joined, translated } from '../compile-program.ts'
import { type Compiler, href, type Node, stringOf } from '../element.ts'
import { markup } from '../markup.ts'
import type { Op, Program } from '../program.ts'
import { withSnippets } from '../snippets.ts'
import type { Brand } from '../template.ts'
import type { Direction, Palette, Theme } from './look.ts'
import { colorOr } from './theme.ts'

/** Logos are wide and low; wider, they push the text off the first screen. */
const LOGO_WIDTH = 160
/** Between the paddings of the card. */
const CONTENT_WIDTH = 520

export interface MailChoice {
  locale: string
  /** Empty: not known. */
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
    ...compiler.row('head', {
      title,
      lang: lang === '' ? [] : [` lang="${lang}"`],
      head: frame.head,
      preheader: hidden(preview),
    }),
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
  const cachedFrame = frames[direction].get(brand ?? theme)
  if (cachedFrame) return cachedFrame
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
  const { src, dark, href: target, alt } = picture
  const width = Math.min(picture.width ?? LOGO_WIDTH, CONTENT_WIDTH)
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

const LANGUAGES = new Set(
  'ar arc arz azb bgn ckb dv fa glk he iw ji khw ks lrc mzn nqo pnb ps sd syr ug ur yi'.split(' '),
)
const SCRIPTS = new Set(['adlm', 'arab', 'hebr', 'mand', 'mend', 'nkoo', 'rohg', 'samr', 'syrc', 'thaa'])

/** `lang` as BCP 47 writes it: a script that is named decides. */
function directionOfLanguage(lang: string): Direction {
  const [language = '', ...rest] = lang.toLowerCase().split('-')
  const script = rest.find((part) => part.length === 4)
  return (script ? SCRIPTS.has(script) : LANGUAGES.has(language)) ? 'rtl' : 'ltr'
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g
const LETTER = /\p{L}/gu
/** Variables, markup and addresses are no words. */
const NO_WORDS = /\{[^{}]*\}|<[^<>]*>|\]\([^()]*\)|https?:\S+/g

/** The direction of most letters that the author wrote, else that of the language. */
function directionOf(nodes: readonly Node[], lang: string, translate: (node: Node) => Node): Direction {
  const byLanguage = directionOfLanguage(lang)
  const texts = textsOf(nodes, translate)
  const isMixed = texts.some((text) => text.search(RIGHT_TO_LEFT) >= 0)
  // Most mails: neither their language nor a letter of them is of such a script.
  if (!isMixed && byLanguage === 'ltr') return 'ltr'
  const words = texts.join(' ').replace(NO_WORDS, ' ')
  const letters = words.match(LETTER)?.length ?? 0
  if (letters === 0) return byLanguage
  return (words.match(RIGHT_TO_LEFT)?.length ?? 0) * 2 > letters ? 'rtl' : 'ltr'
}

function textsOf(nodes: readonly Node[], translate: (node: Node) => Node): string[] {
  return nodes.flatMap((node) => {
    const { fields, children } = translate(node)
    const spans = Array.isArray(fields.elements) ? fields.elements : []
    const texts = [fields, ...spans].map((from) => stringOf(from?.content) || stringOf(from?.title))
    return [...texts, ...textsOf(children, translate)]
  })
}

/** Below it columns are stacked; MJML's own bound. */
const NARROW_PX = 480

const narrow = `@media only screen and (max-width:${NARROW_PX - 1}px){
.pr-air{padding:16px 8px!important}
.pr-row>table>tbody>tr>td{padding-left:12px!important;padding-right:12px!important}
.pr-card h1{font-size:24px!important;line-height:32px!important}
.pr-action table{width:100%!important}
.pr-action a{display:block!important;padding-top:13px!important;padding-bottom:13px!important}
}`

type Rule = readonly [selectors: string, declarations: string]

const darkRules = (dark: Palette): readonly Rule[] => [
  ['.pr-page', `background:${dark.page}`],
  ['.pr-card,.pr-card>table', `background:${dark.card}`],
  ['.pr-card>table>tbody>tr>td,.pr-line p,.pr-cell,.pr-quote', `border-color:${dark.border}`],
  ['.pr-text>div,.pr-text>table', `color:${dark.text}`],
  ['.pr-head>div,.pr-h', `color:${dark.heading}`],
  ['.pr-mute>div,.pr-m', `color:${dark.muted}`],
  ['.pr-code', `background:${dark.surface};color:${dark.heading}`],
  ['.pr-light', 'padding:12px;border-radius:6px'],
  ...accents(dark),
  ['.pr-foot>div,.pr-foot .pr-link', `color:${dark.footer}`],
]

const accents = (dark: Palette): readonly Rule[] => [
  ['.pr-link', `color:${dark.link}`],
  ['.pr-btn td,.pr-btn a', `background:${dark.button};color:${dark.label}`],
]

/** A logo without a second picture stands on the light card, so that dark letters in it can be read. */
const logoRules = (logo: Logo, { light }: Theme): readonly Rule[] => {
  if (logo === 'none') return []
  if (logo === 'one') return [['.pr-logo', `background:${light.card};padding:8px 12px;border-radius:6px`]]
  return [
    ['.pr-logo', 'display:none'],
    ['.pr-logo-dark', 'display:inline-block'],
  ]
}

const written = (rules: readonly Rule[]) =>
  rules.map(([selectors, declarations]) => `${selectors}{${declarations.replaceAll(';', '!important;')}!important}`)

/** Outlook on the web colors a mail by itself and marks it so: what it would get wrong is the logo and the brand's color. */
const inOutlook = (rules: readonly Rule[]) =>
  written(
    rules.map(([selectors, declarations]) => [
      `[data-ogsc] ${selectors.replaceAll(',', ',[data-ogsc] ')}`,
      declarations,
    ]),
  )

const outlook = (theme: Theme) =>
  `<!--[if mso]><style>td,div,p,a,li,h1,h2,h3{font-family:${theme.wordFont}!important}</style><![endif]-->`

/** Whether a brand has a logo, and one for dark screens. */
type Logo = 'none' | 'one' | 'both'

/** The style sheet: what inline styles cannot say, for narrow screens and for dark ones. */
function headOf(theme: Theme, logo: Logo): string {
  const { dark } = theme
  const scheme = dark ? 'light dark' : 'light only'
  const metas = ['color-scheme', 'supported-color-schemes'].map((name) => `<meta name="${name}" content="${scheme}">`)
  const ofLogo = logoRules(logo, theme)
  const sheets = dark && [
    '@media (prefers-color-scheme:dark){',
    ...written([...darkRules(dark), ...ofLogo]),
    '}',
    ...inOutlook([...accents(dark), ...ofLogo]),
  ]
  const hidden = logo === 'both' ? ['.pr-logo-dark{display:none}'] : []
  const lines = [
    `:root{color-scheme:${scheme};supported-color-schemes:${scheme}}`,
    ...hidden,
    narrow,
    ...(sheets ?? []),
  ]
  return `${metas.join('\n')}\n<style>\n${lines.join('\n')}\n</style>\n${outlook(theme)}`
}
