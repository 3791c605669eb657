/** Telephone numbers as people, address books and spreadsheets write them. */
import type { JsonObject } from './json/json.ts'

/** At most 15 digits (E.164); short codes have three and more. */
const NUMBER = /^\+?\d{3,15}$/
const PLAIN = /^\+?[1-9]\d{2,14}$/
/** RFC 3966, and the schemes of links in web pages and messages. */
const SCHEME = /^(?:tel|sms|callto):/i
/** Punctuation as libphonenumber has it, all hyphens, and the marks of direction that phones copy along. */
const SIGNS = /[\s\p{Zs}\p{Pd}\p{Cf}[\]./~⁓∼−ー·]/gu
const FULL_WIDTH = /[！-～]/g
const OTHER_DIGITS = /(?=[\u0660-\uabf9])\p{Nd}/gu
/** E.164: country codes have one, two or three digits. */
const CODE = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)/
/** Their numbers begin with a zero from abroad as well. */
const COUNTRIES_WITH_ZERO: ReadonlySet<string> = new Set([
  ...['39', '225', '226', '227', '229', '241', '242', '247', '378', '992'],
])

/** Countries in which calls begin with another prefix than a zero, which is written in brackets. */
const HOME_PREFIXES: ReadonlyMap<string, RegExp> = new Map([
  ['36', /^\(06\)/],
  ...['7', '370', '375', '993'].map((code) => [code, /^\(8\)/] as const),
])

/** The number to call, with a `+` where it was written with one or with `00`; undefined for any other text. */
export function parsePhoneNumber(text: string): string | undefined {
  if (PLAIN.test(text) && !/^\+\d{1,3}0/.test(text)) return text
  const number = withoutSigns(text)
    .replace(SCHEME, '')
    .replace(/^\(?(?:\+?00(?=\(?[1-9])|\+)\(?/, '+')
    .replace(/^(\+\d{1,3})\)/, '$1')
  const dialed = withoutHomePrefix(number).replace(/[()]/g, '')
  return NUMBER.test(dialed) ? dialed : undefined
}

/** The end of a sentence about a text that no provider can call; undefined where it can be called. */
export function phoneNumberError(text: string): string | undefined {
  const number = parsePhoneNumber(text)
  if (number === undefined) return 'is not a telephone number, such as `+12025550143`'
  return number.startsWith('0')
    ? 'has no country code: write it in the place of the first `0`, such as `+49`'
    : undefined
}

/** Calls inside of a country begin with digits that follow its code in `+49 (0)30`, `+44 (020)`, `+7 (8) 912`. */
function withoutHomePrefix(number: string): string {
  const [all, code] = CODE.exec(number) ?? []
  if (all === undefined || code === undefined) return number
  const rest = number.slice(all.length).replace(HOME_PREFIXES.get(code) ?? '', '')
  return all + (COUNTRIES_WITH_ZERO.has(code) ? rest : rest.replace(/^(\(?)0/, '$1'))
}

/** The digits of a number or of the begin of one, as they are written; undefined for any other text. */
export function digitsIn(text: string): string | undefined {
  const bare = withoutSigns(text).replace(/[()]/g, '')
  return /^\+?\d+$/.test(bare) ? digitsOf(bare) : undefined
}

/** The digits as profiles can hold them: also with `00`, and with the zero of calls at home. */
export function spellingsOf(digits: string): string[] {
  const [, code = ''] = CODE.exec(`+${digits}`) ?? []
  const spellings = [digits, `${code}0${digits.slice(code.length)}`]
  return [...spellings, ...spellings.map((spelling) => `00${spelling}`)]
}

const withoutSigns = (text: string): string =>
  text
    .replace(FULL_WIDTH, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(OTHER_DIGITS, asciiDigit)
    .replace(SIGNS, '')

/** The ten digits of a script begin at a code point that ends in 0 or in 6. */
function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0)
  const begin = code - (code % 16)
  return String(code - (/\p{Nd}/u.test(String.fromCharCode(begin)) ? begin : begin + 6))
}

/** The number of a profile, as the APIs of SMS and WhatsApp take it. */
export const phoneNumber = ({ phone_number: value }: JsonObject): string | undefined =>
  typeof value === 'string' ? parsePhoneNumber(value) : undefined

/** Without the `+`. */
export const digitsOf = (number: string): string => number.replace(/^\+/, '')
