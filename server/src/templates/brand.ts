/** A stored brand as mails are made with it: only what is usable is left. */
import { isObject, type JsonObject } from '../base/json/json.ts'
import type { Brand } from './template.ts'

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
  const logo = partOf(header, 'logo')
  const social = partOf(footer, 'social')
  return {
    key,
    colors: { primary: textOf(primary), secondary: textOf(secondary), tertiary: textOf(tertiary) },
    bar: textOf(header.barColor),
    logo:
      textOf(logo.image) === undefined
        ? undefined
        : { src: String(logo.image), href: textOf(logo.href), alt: textOf(name) ?? 'Logo' },
    head: textOf(partOf(email, 'head').content),
    footer: textOf(footer.markdown) ?? textOf(footer.content),
    social: Object.entries(NETWORKS).flatMap(([network, name]) => {
      const url = textOf(partOf(social, network).url)
      return url === undefined ? [] : [{ name, url }]
    }),
    snippets: new Map(
      (Array.isArray(snippets.items) ? snippets.items : []).flatMap((item): [string, string][] =>
        isObject(item) && typeof item.name === 'string' && typeof item.value === 'string'
          ? [[item.name, item.value]]
          : [],
      ),
    ),
  }
}
