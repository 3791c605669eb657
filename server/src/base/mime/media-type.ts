/** The media type of a part with its parameters, as RFC 2045 §5.1 and RFC 2231 write them. */

const TYPE = /^\s*([\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127})\s*/
/** A name with `*` comes in the form of RFC 2231, whose value is a token. */
const PARAMETER = /;\s*(?:([\w.-]{1,40}(?:\*\d{1,2})?\*?)\s*=\s*(?:"((?:[^"\\]|\\.){0,500})"|([^";]{0,500}))\s*)?/y
const PARAMETERS_MAX = 20

/**
 * The type and its parameters in ASCII: values are quoted where they have to be, and those beyond ASCII are
 * percent-encoded. Undefined for a text that is no media type.
 */
export function mediaTypeParts(text: string): string[] | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they end lines
  const [head, type] = /[\u0000-\u001f\u007f]/.test(text) ? [] : (TYPE.exec(text) ?? [])
  if (head === undefined || type === undefined) return undefined
  const parts = [type]
  let at = head.length
  for (let count = 0; at < text.length; count += 1) {
    PARAMETER.lastIndex = at
    const parameter = PARAMETER.exec(text)
    if (!parameter || count === PARAMETERS_MAX) return undefined
    at = PARAMETER.lastIndex
    const [, name, quoted, bare] = parameter
    // A semicolon at the end.
    if (name === undefined) continue
    const value = quoted?.replace(/\\(.)/g, '$1') ?? bare?.trim() ?? ''
    if (value === '') return undefined
    parts.push(...writtenParameter(name, value))
  }
  return parts
}

const TOKEN = /^[\w!#$%&'*+.^`{|}~-]+$/

function writtenParameter(name: string, value: string): string[] {
  if (TOKEN.test(value)) return [`${name}=${value}`]
  if (/^[ -~]+$/.test(value) && !value.includes('=?')) return [`${name}="${value.replace(/["\\]/g, '\\$&')}"`]
  return extendedParameter(name.replace(/\*.*$/, ''), value)
}

/** RFC 2231: percent-encoded UTF-8, in numbered pieces so that no line is too long. */
export function extendedParameter(name: string, text: string): string[] {
  const pieces = ["utf-8''"]
  for (const character of text) {
    let encoded = ''
    for (const byte of Buffer.from(character)) {
      const isPlain = /[A-Za-z0-9._-]/.test(String.fromCharCode(byte))
      encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    }
    const last = pieces.at(-1) ?? ''
    if (last.length + encoded.length > 60) pieces.push(encoded)
    else pieces[pieces.length - 1] = last + encoded
  }
  if (pieces.length === 1) return [`${name}*=${pieces[0]}`]
  return pieces.map((piece, index) => `${name}*${index}*=${piece}`)
}
