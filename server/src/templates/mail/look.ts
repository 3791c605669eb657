/** The types of the look of a mail: its colors, font and shape, and the direction of its text. */

export type Direction = 'ltr' | 'rtl'

export interface Palette {
  /** Background of the page, and text on it. */
  page: string
  footer: string
  card: string
  border: string
  text: string
  heading: string
  muted: string
  /** Behind code, and rows that are set off. */
  surface: string
  link: string
  button: string
  label: string
}

export interface Theme {
  light: Palette
  /** Undefined: the mail looks the same on dark screens. */
  dark: Palette | undefined
  font: string
  /** A font that Outlook for Windows has: it takes Times for an unknown one. */
  wordFont: string
  radius: string
  align: 'left' | 'center' | 'right' | undefined
}
