/** `printf` for helpers: `%s`, `%d`, `%.2f` and their like, with widths that no one can make large. */

const CODE = /%(?:(\d{1,2})\$)?([-+0])?(\d{1,2})?(?:\.(\d{1,2}))?([%sdifeuxXob])/g
/** A number knows no more digits. */
const DIGITS_MAX = 20

export function formatted(format: string, values: readonly unknown[], words: (value: unknown) => string): string {
  let next = 0
  return format.replace(
    CODE,
    (_code, position: string | undefined, flag = '', width = '0', digits: string | undefined, kind: string) => {
      if (kind === '%') return '%'
      const value = values[position === undefined ? next++ : Number(position) - 1]
      const text = shown(value, kind, digits === undefined ? undefined : Math.min(Number(digits), DIGITS_MAX), words)
      const signed = flag === '+' && kind !== 's' && !text.startsWith('-') ? `+${text}` : text
      if (flag === '-') return signed.padEnd(Number(width))
      if (flag !== '0' || kind === 's') return signed.padStart(Number(width))
      const sign = /^[-+]/.exec(signed)?.[0] ?? ''
      return sign + signed.slice(sign.length).padStart(Number(width) - sign.length, '0')
    },
  )
}

function shown(value: unknown, kind: string, digits: number | undefined, words: (value: unknown) => string): string {
  if (kind === 's') return words(value).slice(0, digits)
  const number = Number(value)
  switch (kind) {
    case 'f':
      return digits === undefined ? String(number) : number.toFixed(digits)
    case 'e':
      return number.toExponential(digits)
    case 'x':
      return Math.trunc(number).toString(16)
    case 'X':
      return Math.trunc(number).toString(16).toUpperCase()
    case 'o':
      return Math.trunc(number).toString(8)
    case 'b':
      return Math.trunc(number).toString(2)
    default:
      return String(Math.trunc(number))
  }
}
