/** The settings of a brand as places in its JSON: what the form shows, in its order. */
import type { BrandSettings } from '@postrider/client'
import { texts } from '../language/language.tsx'
import { isObject } from '../parts/code/json.ts'

export type FieldKind = 'color' | 'url' | 'line' | 'markdown' | 'markup' | 'pixels' | readonly string[]

export interface Field {
  path: readonly string[]
  kind: FieldKind
  label: FieldLabel
}

export interface FieldGroup {
  title: GroupTitle
  fields: readonly Field[]
}

const fieldLabels = {
  en: {
    colors: 'Colors',
    header: 'Header',
    look: 'Card and text',
    dark: 'On dark screens',
    footer: 'Footer',
    social: 'Profiles',
    advanced: 'Markup of the head',
    primary: 'Primary: buttons and links',
    secondary: 'Secondary',
    tertiary: 'Tertiary',
    barColor: 'Bar at the top',
    image: 'Logo',
    darkImage: 'Logo for dark screens',
    width: 'Width of the logo (160)',
    href: 'Link of the logo',
    backgroundColor: 'Around the card',
    cardColor: 'Card',
    borderColor: 'Border and lines',
    textColor: 'Text',
    fontFamily: 'Fonts',
    borderRadius: 'Radius (8)',
    align: 'Alignment',
    colorScheme: 'Dark version',
    markdown: 'Markdown below the content',
    content: 'Newer footer text',
    head: 'Markup for <head>',
  },
  de: {
    colors: 'Farben',
    header: 'Kopf',
    look: 'Karte und Text',
    dark: 'Auf dunklen Bildschirmen',
    footer: 'Fuß',
    social: 'Profile',
    advanced: 'Markup des Kopfes',
    primary: 'Erste: Schaltflächen und Links',
    secondary: 'Zweite',
    tertiary: 'Dritte',
    barColor: 'Balken oben',
    image: 'Logo',
    darkImage: 'Logo für dunkle Bildschirme',
    width: 'Breite des Logos (160)',
    href: 'Link des Logos',
    backgroundColor: 'Um die Karte',
    cardColor: 'Karte',
    borderColor: 'Rand und Linien',
    textColor: 'Text',
    fontFamily: 'Schriften',
    borderRadius: 'Rundung (8)',
    align: 'Ausrichtung',
    colorScheme: 'Dunkle Fassung',
    markdown: 'Markdown unter dem Inhalt',
    content: 'Neuerer Text des Fußes',
    head: 'Markup für <head>',
  },
}
export const fieldTexts = texts(fieldLabels)

type Labels = keyof typeof fieldLabels.en
export type GroupTitle = Extract<Labels, 'colors' | 'header' | 'look' | 'dark' | 'footer' | 'social' | 'advanced'>
export type FieldLabel = Exclude<Labels, GroupTitle> | 'facebook' | 'instagram' | 'linkedin' | 'medium' | 'twitter'

const at = (place: string, kind: FieldKind, label: FieldLabel): Field => ({ path: place.split('.'), kind, label })
const surfaces = ['backgroundColor', 'cardColor', 'borderColor', 'textColor'] as const

export const groups: readonly FieldGroup[] = [
  {
    title: 'colors',
    fields: (['primary', 'secondary', 'tertiary'] as const).map((name) => at(`colors.${name}`, 'color', name)),
  },
  {
    title: 'header',
    fields: [
      at('email.header.logo.image', 'url', 'image'),
      at('email.header.logo.darkImage', 'url', 'darkImage'),
      at('email.header.logo.href', 'url', 'href'),
      at('email.header.logo.width', 'pixels', 'width'),
      at('email.header.barColor', 'color', 'barColor'),
    ],
  },
  {
    title: 'look',
    fields: [
      ...surfaces.map((name) => at(`email.theme.${name}`, 'color', name)),
      at('email.theme.fontFamily', 'line', 'fontFamily'),
      at('email.theme.borderRadius', 'pixels', 'borderRadius'),
      at('email.theme.align', ['left', 'center', 'right'], 'align'),
      at('email.theme.colorScheme', ['auto', 'light'], 'colorScheme'),
    ],
  },
  {
    title: 'dark',
    fields: [
      at('email.theme.dark.primaryColor', 'color', 'primary'),
      ...surfaces.map((name) => at(`email.theme.dark.${name}`, 'color', name)),
    ],
  },
  {
    title: 'footer',
    fields: [at('email.footer.markdown', 'markdown', 'markdown'), at('email.footer.content', 'markdown', 'content')],
  },
  {
    title: 'social',
    fields: (['facebook', 'instagram', 'linkedin', 'medium', 'twitter'] as const).map((name) =>
      at(`email.footer.social.${name}.url`, 'url', name),
    ),
  },
  { title: 'advanced', fields: [at('email.head.content', 'markup', 'head')] },
]

export function valueAt(settings: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path
  if (key === undefined) return settings
  return isObject(settings) ? valueAt(settings[key], rest) : undefined
}

/** A value that is undefined is removed, and so is what it leaves empty. */
export function withValue(settings: BrandSettings, path: readonly string[], value: unknown): BrandSettings {
  return (replaceAt(settings, path, value) ?? {}) as BrandSettings
}

function replaceAt(parent: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const { [key]: former, ...others } = isObject(parent) ? parent : {}
  const next = replaceAt(former, rest, value)
  const result = next === undefined ? others : { ...(isObject(parent) ? parent : {}), [key]: next }
  return Object.keys(result).length > 0 ? result : undefined
}
