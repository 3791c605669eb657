/** The text of a gettext catalog, whatever charset it is in. */
import { Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import { decodedText } from '../text-file.ts'

const CHARSET = /^("Content-Type:\s*text\/plain;\s*charset=)([\w.:-]{1,40})/im
/** The header is the first entry. */
const HEADER_BYTES_MAX = 16_384

/** Decoders read all of them as Windows-1252; that of Node 20 has controls in place of these signs. */
const LATIN = /^(?:windows-1252|cp-?1252|iso-?8859-1|latin-?1)$/i
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

const windows1252 = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\x80-\x9f]/g, (sign) => WINDOWS_1252[sign.charCodeAt(0) - 0x80] ?? sign)

/** Decoders read this one as Windows-1252, too. */
const ASCII = /^(?:(?:us-?)?ascii|ansi_x3\.4-\d{4}|iso_?646\S*|iso-ir-6|(?:cp|ibm)-?367|csascii|646)$/i

/** Catalogs may be in the charset that their header names; the text names UTF-8 then. Throws a `Failure` for bytes of another one. */
export function catalogText(bytes: Buffer): string | undefined {
  const [, , charset = ''] = CHARSET.exec(bytes.subarray(0, HEADER_BYTES_MAX).toString('latin1')) ?? []
  // Charsets of seven bits look like UTF-8.
  const text = /^(?:iso-2022|hz-)/i.test(charset) ? undefined : decodedText(bytes)
  if (text !== undefined) return text
  if (ASCII.test(charset))
    throw new Failure(
      `names the charset \`${plain(charset)}\`, and has bytes that are not in it. Name the charset that it is in`,
    )
  if (LATIN.test(charset)) return windows1252(bytes).replace(CHARSET, '$1UTF-8')
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes).replace(CHARSET, '$1UTF-8')
  } catch (error) {
    // The decoder knows no such charset, or the bytes are none of it.
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}
