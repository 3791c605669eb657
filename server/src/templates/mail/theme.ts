/** The look of a mail: the settings of a brand, completed so that every text can be read, on light and on dark screens. */
import { isColor } from '../brand.ts'
import type { Brand, BrandTheme } from '../template.ts'
import { contrast, isDark, lightened, READABLE, readableOf } from './contrast.ts'
import type { Direction, Palette, Theme } from './look.ts'

type Base = Omit<Palette, 'link' | 'button' | 'label' | 'footer'>

/** The colors of mails without a brand. */
export const defaultColors = { primary: '#2a5bd7', secondary: '#292929', tertiary: '#f4f4f4' }

const lightBase: Base = {
  page: '#f4f4f5',
  card: '#ffffff',
  border: '#e4e4e7',
  text: '#3f3f46',
  heading: '#18181b',
  muted: '#63636b',
  surface: '#f4f4f5',
}
const darkBase: Base = {
  page: '#101012',
  card: '#1b1b1f',
  border: '#35353b',
  text: '#d9d9de',
  heading: '#fafafa',
  muted: '#a3a3ad',
  surface: '#2a2a30',
}
const labels = ['#ffffff', '#18181b']
const systemFont = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const RADIUS = '8px'
const LINK_ON_DARK = '#8fb0ff'
/** With less, a button looks like a part of the card. */
const BUTTON_CONTRAST = 3

export const colorOr = (value: string | undefined, otherwise: string) => (value && isColor(value) ? value : otherwise)

/** A color for text on this one; `otherwise` for a color that is not written in numbers. */
export const labelOn = (background: string, otherwise = '#ffffff') =>
  contrast('#ffffff', background) === undefined ? otherwise : readableOf(labels, background)

const themes = new WeakMap<Brand, Theme>()

export function themeOf(brand: Brand | undefined): Theme {
  if (!brand) return bare
  const cachedTheme = themes.get(brand)
  if (cachedTheme) return cachedTheme
  const theme = completed(brand.theme ?? {}, colorOr(brand.colors?.primary, defaultColors.primary))
  themes.set(brand, theme)
  return theme
}

function completed(theme: BrandTheme, primary: string): Theme {
  const light = lightPalette(theme, primary)
  const font = theme.font ?? systemFont
  return {
    light,
    // A card that is dark by itself needs no second look, unless the brand has one.
    dark: theme.isLightOnly || (isDark(light.card) && !theme.dark) ? undefined : darkPalette(theme.dark ?? {}, primary),
    font,
    wordFont: wordFontOf(font),
    radius: theme.radius === undefined ? RADIUS : `${theme.radius}px`,
    align: theme.align,
  }
}

function lightPalette(brandTheme: BrandTheme, primary: string): Palette {
  const card = colorOr(brandTheme.card, lightBase.card)
  const base = baseOf(brandTheme, isDark(card) ? darkBase : lightBase, card)
  const page = colorOr(brandTheme.background, lightBase.page)
  const link = isDark(card) ? lightened(primary, card, READABLE, LINK_ON_DARK) : primary
  return { ...base, page, footer: footerOn(page), link, button: primary, label: labelOn(primary) }
}

function darkPalette(dark: NonNullable<BrandTheme['dark']>, primary: string): Palette {
  const card = colorOr(dark.card, darkBase.card)
  const base = baseOf(dark, isDark(card) ? darkBase : lightBase, card)
  const page = colorOr(dark.background, darkBase.page)
  const chosen = dark.primary && isColor(dark.primary) ? dark.primary : undefined
  const button = chosen ?? lightened(primary, card, BUTTON_CONTRAST, primary)
  const link = lightened(chosen ?? primary, card, READABLE, LINK_ON_DARK)
  return { ...base, page, footer: footerOn(page), link, button, label: labelOn(button) }
}

function baseOf(colors: { text?: string | undefined; border?: string | undefined }, base: Base, card: string): Base {
  const text = colorOr(colors.text, base.text)
  const border = colorOr(colors.border, base.border)
  const muted = readableOf([base.muted, text], card)
  // A brand that sets its text sets its headings with it.
  return { ...base, card, border, muted, text, heading: text === base.text ? base.heading : text }
}

const footerOn = (page: string) => readableOf([lightBase.muted, darkBase.muted, ...labels.toReversed()], page)

const WORD_FONTS = [
  'Arial',
  'Calibri',
  'Cambria',
  'Courier New',
  'Georgia',
  'Segoe UI',
  'Tahoma',
  'Times New Roman',
  'Trebuchet MS',
  'Verdana',
]

function wordFontOf(stack: string): string {
  if (stack === systemFont) return 'Arial,sans-serif'
  const names = stack.split(',').map((name) => name.trim().replaceAll("'", ''))
  const wordFont = names.find((name) => WORD_FONTS.some((font) => font.toLowerCase() === name.toLowerCase()))
  if (wordFont) return `'${wordFont}'`
  const generic = names.at(-1)
  return generic === 'serif'
    ? 'Georgia,serif'
    : generic === 'monospace'
      ? "'Courier New',monospace"
      : 'Arial,sans-serif'
}

/** Values of the slots that are the same in every row. */
export const themeSlots = ({ light, font, radius }: Theme, direction: Direction): Readonly<Record<string, string>> => ({
  '@page': light.page,
  '@card': light.card,
  '@border': light.border,
  '@text': light.text,
  '@font': font,
  '@radius': radius,
  '@dir': direction,
  '@start': direction === 'rtl' ? 'right' : 'left',
})

const bare = completed({}, defaultColors.primary)
