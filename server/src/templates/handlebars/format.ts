/** `printf` for helpers: `%s`, `%d`, `%.2f` and their like, with widths that no one can make large. */

import type { Argument } from './argument.ts'

const CODE = /%(?:(\d{1,2})\$)?([-+0])?(\d{1,2})?(?:\.(\d{1,2}))?([%sdifeuxXob])/g
/** A number knows no more digits. */
const DIGITS_MAX = 20

/** `charge` takes the cost of each code from the budget, with what was written for it. */
export function formatted(format: string, values: readonly Argument[], charge: (written: string) => void): string {
  let next = 0
  return format.replace(
    CODE,
    (_code, position: string | undefined, flag = '', width = '0', digits: string | undefined, kind: string) => {
      const value = kind === '%' ? undefined : values[position === undefined ? next++ : Number(position) - 1]
      const text = kind === '%' ? '%' : padded(shown(value, kind, digits), kind, flag, Number(width))
      charge(text)
      return text
    },
  )
}

function padded(text: string, kind: string, flag: string, width: number): string {
  const signed = flag === '+' && kind !== 's' && !text.startsWith('-') ? `+${text}` : text
  if (flag === '-') return signed.padEnd(width)
  if (flag !== '0' || kind === 's') return signed.padStart(width)
  const sign = /^[-+]/.exec(signed)?.[0] ?? ''
  return sign + signed.slice(sign.length).padStart(width - sign.length, '0')
}

function shown(value: Argument | undefined, kind: string, precision: string | undefined): string {
  const digits = precision === undefined ? undefined : Math.min(Number(precision), DIGITS_MAX)
  if (kind === 's') return (value?.text() ?? '').slice(0, digits)
  const number = value?.number() ?? Number.NaN
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
