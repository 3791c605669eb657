/** The style sheet of a mail: what inline styles cannot say, for narrow screens and for dark ones. */
import type { Palette, Theme } from './look.ts'

/** Below it columns are stacked; MJML's own bound. */
const NARROW_PX = 480

const narrow = `@media only screen and (max-width:${NARROW_PX - 1}px){
.pr-air{padding:16px 8px!important}
.pr-row>table>tbody>tr>td{padding-left:12px!important;padding-right:12px!important}
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

export function headOf(theme: Theme, logo: Logo): string {
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
