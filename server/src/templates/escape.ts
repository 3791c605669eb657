/** One escape for each position of a value: its output is read there as the value and nothing else. */

export type Escape = (value: string) => string

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

/** A value that is one web address stays as it is: an escape inside would break the link the client makes of it. */
const ADDRESS = /^https?:\/\/[\w./?&=%#:+~,;-]+$/
const unlessAddress =
  (sink: Escape): Escape =>
  (value) =>
    ADDRESS.test(value) ? value : sink(value)

export const discord = unlessAddress((value) => plain(value).replace(/[\\*_~`|>#[\]()<@-]/g, backslash))
export const teams = unlessAddress((value) => plain(value).replace(/[\\*_~`>#[\]()<!-]/g, backslash))

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
  return /^(?:https?:\/\/|mailto:|tel:)[^\s]/i.test(text) ? text : undefined
}
