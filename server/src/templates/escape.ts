/** One escape for each position of a value: its output is read there as the value and nothing else. */

import { webAddressesIn } from '../base/web-addresses.ts'

export interface Escape {
  (value: string): string
  /** It reads addresses, which go through values and the text around them: a text is escaped with its values in it. */
  readonly ofWholeText?: true
}

// Controls mean nothing to a reader and end lines, fields or strings in many formats; tab and line breaks stay.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: header lines end at each of these
const LINE_ENDS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

const HTML_ENTITIES = new Map([
  [0x26, '&amp;'],
  [0x3c, '&lt;'],
  [0x3e, '&gt;'],
  [0x22, '&quot;'],
  [0x27, '&#39;'],
])
const SLACK_ENTITIES = new Map([...HTML_ENTITIES].slice(0, 3))

/** Copies what is between the entities: a replacement of each by a function takes three times as long. */
function withEntities(text: string, entities: ReadonlyMap<number, string>): string {
  let out = ''
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const entity = entities.get(text.charCodeAt(at))
    if (entity === undefined) continue
    out += text.slice(from, at) + entity
    from = at + 1
  }
  return out + text.slice(from)
}

const backslash = '\\$&'

export const plain: Escape = (value) => value.replace(CONTROLS, '')

/** HTML text and quoted attributes alike. */
export const html: Escape = (value) => {
  const text = plain(value)
  return /[&<>"']/.test(text) ? withEntities(text, HTML_ENTITIES) : text
}

/** Subject, title: one line. */
export const header: Escape = (value) => value.replace(LINE_ENDS, ' ')

/** Slack decodes exactly these three. */
export const slack: Escape = (value) => {
  const text = plain(value)
  return /[&<>]/.test(text) ? withEntities(text, SLACK_ENTITIES) : text
}

/** Addresses stay as they are: an escape inside would break the link that the client makes of one. */
const outsideAddresses = (sink: Escape): Escape =>
  Object.assign(
    (value: string) => {
      const text = plain(value)
      let out = ''
      let at = 0
      for (const { from, end } of webAddressesIn(text)) {
        out += sink(text.slice(at, from)) + text.slice(from, end)
        at = end
        // Clients would take a backslash there for a part of the address. Nothing is open that these could end.
        for (; text[at] === ')' || text[at] === '!'; at += 1) out += text[at]
      }
      return out + sink(text.slice(at))
    },
    { ofWholeText: true as const },
  )

export const discord = outsideAddresses((value) => value.replace(/[\\*_~`|>#[\]()<@-]/g, backslash))
export const teams = outsideAddresses((value) => value.replace(/[\\*_~`>#[\]()<!-]/g, backslash))

// Private-use characters around the values of a text of the author's.
const OPEN = '\uE003'
const CLOSE = '\uE004'

export const marked: Escape = (value) => `${OPEN}${plain(value).replace(/[\uE003\uE004]/g, '\uFFFD')}${CLOSE}`

/** A text with marked values: `sink` escapes them, except where they continue an address. */
export function markedEscaped(text: string, sink: Escape): string {
  const pieces = text.split(/[\uE003\uE004]/)
  const whole = pieces.join('')
  const addresses = webAddressesIn(whole)
  let next = 0
  const escaped = (from: number, end: number) => {
    let out = ''
    for (let at = from; at < end; ) {
      while ((addresses[next]?.end ?? end) <= at) next += 1
      const address = addresses[next]
      const isInside = address !== undefined && address.from <= at
      const stop = Math.min(end, isInside ? address.end : (address?.from ?? end))
      out += isInside ? whole.slice(at, stop) : sink(whole.slice(at, stop))
      at = stop
    }
    return out
  }
  let at = 0
  return pieces
    .map((piece, index) => {
      const from = at
      at += piece.length
      return index % 2 === 0 ? piece : escaped(from, at)
    })
    .join('')
}

/** Inside a code span without an escape of its own, a backtick would end it. */
export const code: Escape = (value) => plain(value).replace(/`/g, "'")

/** One harmless token of a style; anything that could end a declaration or call a function leaves nothing. */
export const css: Escape = (value) => (/^[\w#%., -]*$/.test(value) ? value : '')

/** For positions that run code. */
export const nothing: Escape = () => ''

/** A part of an address before its query: what would end the address is encoded, its own structure stays. */
export const address: Escape = (value) => value.replace(/[^\w\-.~:/?#[\]@!$&()*+,;=%{}]+/gu, encode)

/** A value inside the query or fragment of an address. */
export const component: Escape = (value) => value.replace(/[^\w\-.~{}]+/gu, encode)

// A lone surrogate has no encoding.
const encode = (text: string) => encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD')).replace(/'/g, '%27')

/** The address when a reader may follow it. */
export function followable(url: string): string | undefined {
  const text = url.trim()
  return /^(?:https?:\/\/[^\s/?#]|(?:mailto|tel|sms):[^\s])/i.test(text) ? text : undefined
}
