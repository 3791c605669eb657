/** Text of a file or of standard input, decoded strictly: text in another encoding is refused instead of being garbled. */
import { readFileSync } from 'node:fs'
import { exitCodes, Failure } from './failure.ts'
import { plain } from './plain.ts'

/** `-` is standard input. For messages. */
export const sourceName = (file: string): string => (file === '-' ? 'Standard input' : plain(file))

/** The decoder for a text that begins with these bytes. It takes a byte order mark away, and throws for bytes that are no text. */
export function decoderFor(start: Uint8Array) {
  const [first, second] = start
  const isLittle = first === 0xff && second === 0xfe
  return new TextDecoder(isLittle ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8', {
    fatal: true,
  })
}

export const isDecodingError = (error: unknown): boolean =>
  error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'

/** Undefined for bytes that are neither UTF-8 nor, with a byte order mark, UTF-16. */
export function decodedText(bytes: Uint8Array): string | undefined {
  try {
    return decoderFor(bytes).decode(bytes)
  } catch (error) {
    if (isDecodingError(error)) return undefined
    throw error
  }
}

/** The whole text; `-` is standard input. Throws a `Failure`. */
export function readText(file: string): string {
  const text = decodedText(readBytes(file))
  if (text !== undefined) return text
  throw new Failure(`${sourceName(file)} is not UTF-8`, { hint: conversionHint, exitCode: exitCodes.wrong })
}

export const conversionHint = 'Convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > FILE.utf8'

/** `-` is standard input. Throws a `Failure`. */
export function readBytes(file: string): Buffer {
  try {
    // 0 is standard input.
    return readFileSync(file === '-' ? 0 : file)
  } catch (cause) {
    throw new Failure(`${sourceName(file)} cannot be read`, { exitCode: exitCodes.wrong, cause })
  }
}
