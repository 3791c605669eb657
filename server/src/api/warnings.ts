/** Warnings of a call: what in it has no effect, or not the one that it seems to have. A liberal call is answered with them in a header, a strict one is refused. */
import { invalidRequest } from '../base/errors.ts'
import { didYouMean, mustBeOneOf, nearestName, quoted } from '../base/quote.ts'
import type { CallContext } from './call.ts'

type Warned = Pick<CallContext, 'warnings'>

export function warn(call: Warned, ...sentences: readonly string[]): void {
  if (sentences.length > 0) call.warnings = [...(call.warnings ?? []), ...sentences]
}

/** A read is strict by its header alone, a send by its query or the setting of its environment as well. RFC 7240: `Prefer: handling=strict`. */
export function handling(prefer: string | undefined): 'strict' | 'lenient' | undefined {
  if (prefer === undefined) return undefined
  const [, value] = /(?:^|[,;])\s*handling\s*=\s*"?(strict|lenient)"?\s*(?:[,;]|$)/i.exec(prefer) ?? []
  return value?.toLowerCase() as 'strict' | 'lenient' | undefined
}

const HANDLINGS = ['strict', 'lenient']

/** A `handling` that is neither, probably misspelled: the call is not strict, although its caller may rely on it. */
export function handlingWarnings(prefer: string | undefined): string[] {
  if (prefer === undefined || handling(prefer) !== undefined) return []
  const [, value] = /(?:^|[,;])\s*handling\s*=\s*"?([^",;]{0,64})/i.exec(prefer) ?? []
  if (value === undefined) return []
  const near = nearestName(value, HANDLINGS)
  return [
    `The \`handling\` of \`Prefer\` ${mustBeOneOf(HANDLINGS)}; ${quoted(value.trim())} has no effect.${didYouMean(near)}`,
  ]
}

/** For a call that has written nothing yet. */
export function refuseWarnings({ strict, warnings }: Pick<CallContext, 'strict' | 'warnings'>): void {
  if (strict && warnings) throw invalidRequest(warnings.join(' '), { code: 'invalid_field' })
}

/** More of them say nothing that the first ones do not. */
const WARNINGS_MAX = 10
/** Clients and proxies take headers of 8 kB together. */
const HEADER_BYTES_MAX = 2_000

/** The value of the header: a JSON list of strings in ASCII, cut at whole sentences, with a last one that counts the others. */
export function warningsJson(sentences: readonly string[]): string {
  const texts = [...new Set(sentences)].map(asciiJson)
  let count = 0
  // With room for the last one.
  let bytes = 40
  for (const text of texts.slice(0, WARNINGS_MAX)) {
    bytes += text.length + 1
    if (bytes > HEADER_BYTES_MAX) break
    count += 1
  }
  const rest = texts.length - count
  const last = rest === 1 ? ['"There is 1 more warning."'] : rest > 1 ? [`"There are ${rest} more warnings."`] : []
  return `[${[...texts.slice(0, count), ...last].join(',')}]`
}

/** Headers have no other characters. */
const asciiJson = (sentence: string) =>
  JSON.stringify(sentence).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
