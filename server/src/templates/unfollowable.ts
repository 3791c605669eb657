/** Addresses that are left out of a content, as no reader may follow them, and the sentence about one. */
import { quoted } from '../base/quote.ts'
import { followable } from './escape.ts'

/** Neither a placeholder `#` nor an address with a variable without a value, which has a finding of its own. */
export const isLeftOut = (url: string): boolean => !/^\s*(?:#|$)|\{/.test(url) && followable(url) === undefined

/** `at`: the place of its element. */
export const leftOutAddress = (url: string, at: string): string =>
  `${at === '' ? '' : `${at}: `}${quoted(url)} is not an address with \`https://\`, \`http://\`, \`mailto:\`, \`tel:\` or \`sms:\`; it is left out.`
