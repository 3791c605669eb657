/** A stored brand as mails are made with it: only what is usable is left. */
import colors from 'color-name'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { textsToTranslate } from './handlebars/handlebars.ts'
import { usesLinks } from './recipient-urls.ts'
import type { Brand, BrandTheme } from './template.ts'

const NETWORKS = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  linkedin: 'LinkedIn',
  medium: 'Medium',
  twitter: 'Twitter',
} as const

const partOf = (from: JsonObject, name: string): JsonObject => {
  const part = from[name]
  return isObject(part) ? part : {}
}

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined)

/**
 * `key` names this version among all of the database; without it nothing made with the brand is kept. `name` stands for
 * a logo that is not seen.
 */
export function readBrand(
  settings: JsonObject,
  snippets: JsonObject,
  { key, name }: { key?: string; name?: string | undefined } = {},
): Brand {
  const email = partOf(settings, 'email')
  const header = partOf(email, 'header')
  const footer = partOf(email, 'footer')
  const { primary, secondary, tertiary } = partOf(settings, 'colors')
  const head = textOf(partOf(email, 'head').content)
  const logo = partOf(header, 'logo')
  const social = partOf(footer, 'social')
  const words = textOf(footer.markdown) ?? textOf(footer.content)
  const texts = (Array.isArray(snippets.items) ? snippets.items : []).flatMap((item): [string, string][] =>
    isObject(item) && typeof item.name === 'string' && typeof item.value === 'string' ? [[item.name, item.value]] : [],
  )
  return {
    key,
    colors: { primary: textOf(primary), secondary: textOf(secondary), tertiary: textOf(tertiary) },
    bar: textOf(header.barColor),
    logo:
      textOf(logo.image) === undefined
        ? undefined
        : {
            src: String(logo.image),
            dark: textOf(logo.darkImage),
            width: numberOf(logo.width, LOGO_WIDTH_MAX),
            href: textOf(logo.href),
            alt: textOf(name) ?? 'Logo',
          },
    theme: readTheme(partOf(email, 'theme')),
    locale: textOf(email.locale),
    head,
    footer: words,
    social: Object.entries(NETWORKS).flatMap(([network, name]) => {
      const url = textOf(partOf(social, network).url)
      return url === undefined ? [] : [{ name, url }]
    }),
    snippets: new Map(texts),
    isTranslated: [words ?? '', ...texts.map(([, text]) => text)].some((text) => textsToTranslate(text).length > 0),
    namesLinks: usesLinks(`${head} ${words} ${JSON.stringify(snippets)}`),
  }
}

/** Those wider than a mail are shown in its width. */
const LOGO_WIDTH_MAX = 536
/** A rounder card would cut off its corners' content. */
const RADIUS_MAX = 32

const numberOf = (value: unknown, max: number) =>
  typeof value === 'number' && value >= 0 && value <= max ? Math.round(value) : undefined

function readTheme(theme: JsonObject): BrandTheme {
  const { align, fontFamily } = theme
  const { primaryColor, ...dark } = partOf(theme, 'dark')
  return {
    ...surfacesOf(theme),
    font:
      typeof fontFamily === 'string' && isFontFamily(fontFamily) ? fontFamily.trim().replaceAll('"', "'") : undefined,
    radius: numberOf(theme.borderRadius, RADIUS_MAX),
    align: align === 'left' || align === 'center' || align === 'right' ? align : undefined,
    isLightOnly: theme.colorScheme === 'light',
    dark: isObject(theme.dark) ? { primary: textOf(primaryColor), ...surfacesOf(dark) } : undefined,
  }
}

const surfacesOf = ({ backgroundColor, cardColor, borderColor, textColor }: JsonObject) => ({
  background: textOf(backgroundColor),
  card: textOf(cardColor),
  border: textOf(borderColor),
  text: textOf(textColor),
})

/** Names of fonts between commas, in quotes of one kind or without. */
const FONT_NAME = /^ *(?:[\w-]+(?: [\w-]+)*|"[\w -]+"|'[\w -]+') *$/
const FONTS_CHARACTERS_MAX = 200

export const isFontFamily = (text: string): boolean =>
  text.length <= FONTS_CHARACTERS_MAX && text.split(',').every((name) => FONT_NAME.test(name))

const HEX = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i
const RGB = /^rgba?\( *\d{1,3}%?(?:(?: *, *| +)\d{1,3}%?){2}(?: *[,/] *(?:\d{0,3}\.)?\d{1,6}%?)? *\)$/i
const CHARACTERS_MAX = 64

const isName = (text: string) => text === 'transparent' || Object.hasOwn(colors, text)

export const isColor = (text: string): boolean =>
  text.length <= CHARACTERS_MAX && (HEX.test(text) || RGB.test(text) || isName(text.toLowerCase()))
