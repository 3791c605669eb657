/** Contrast of colors as WCAG 2 measures it, and colors that can be read on others. */
import colors from 'color-name'

/** The least that WCAG 2 requires for text of ordinary size. */
export const READABLE = 4.5

type Channels = readonly [red: number, green: number, blue: number]

/** Names of CSS, `#rgb`, `#rrggbb` and `rgb(…)` in whole numbers; undefined for every other way to write a color. */
function channels(color: string): Channels | undefined {
  const [, hex] = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(color) ?? []
  if (hex) {
    const pairs =
      hex.length === 3 ? [...hex].map((digit) => digit + digit) : [0, 2, 4].map((at) => hex.slice(at, at + 2))
    const [red = 0, green = 0, blue = 0] = pairs.map((pair) => Number.parseInt(pair, 16))
    return [red, green, blue]
  }
  const name = color.toLowerCase()
  if (Object.hasOwn(colors, name)) return colors[name]
  const [, red, green, blue] = /^rgb\( *(\d{1,3})[ ,]+(\d{1,3})[ ,]+(\d{1,3}) *\)$/i.exec(color) ?? []
  return red === undefined ? undefined : [Number(red), Number(green), Number(blue)]
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: Channels): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = Math.min(value, 255) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** From 1 to 21; undefined when one has a transparency. */
export function contrast(left: string, right: string): number | undefined {
  const [first, second] = [channels(left), channels(right)]
  if (!first || !second) return undefined
  const [bright = 0, dim = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a)
  return (bright + 0.05) / (dim + 0.05)
}

export function isDark(color: string): boolean {
  const rgb = channels(color)
  return rgb !== undefined && luminance(rgb) < 0.18
}

/** The first of the colors with enough contrast, else the last one. */
export function readableOf(colors: readonly string[], background: string): string {
  const readableColor = colors.find((color) => (contrast(color, background) ?? 0) >= READABLE)
  return readableColor ?? colors.at(-1) ?? 'inherit'
}

const STEPS = 20
/** A gray as a button or a link looks as if it were disabled. */
const BRIGHT = '#fafafa'
const GRAY_SPREAD = 16

/** The color, mixed with white until it has the contrast; `otherwise` when it has a transparency. */
export function lightened(color: string, background: string, enough: number, otherwise: string): string {
  const rgb = channels(color)
  if (!rgb) return otherwise
  const isGray = Math.max(...rgb) - Math.min(...rgb) < GRAY_SPREAD
  if (isGray && (contrast(color, background) ?? 0) < enough) return BRIGHT
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = rgb.map((value) => Math.round(value + ((255 - value) * step) / STEPS))
    const text = `#${mixed.map((value) => Math.min(value, 255).toString(16).padStart(2, '0')).join('')}`
    if ((contrast(text, background) ?? 0) >= enough) return step === 0 ? color : text
  }
  return otherwise
}
