/** Words of other systems, by what they mean: expressions over text in lower case, whose white space is one blank. */

/** One expression of many, which lines or two blanks part. */
export const anyOf = ({ raw: [ways = ''] }: TemplateStringsArray): RegExp =>
  new RegExp(
    ways
      .trim()
      .split(/\s*\n\s*|\s{2,}/)
      .join('|'),
  )

/** One list of several. */
export const either = (...lists: readonly RegExp[]): RegExp => new RegExp(lists.map(({ source }) => source).join('|'))

/** The places of a list, without those behind such words. They are looked for only there: looking back costs more. */
export const notAfter = (before: string, { source }: RegExp): RegExp => new RegExp(`(?=${source})(?<!${before})`)

const normal = (text: string): string => text.toLowerCase().replace(/[’`´]/g, "'").replace(/\s+/g, ' ')

export const says = (words: RegExp, text: string): boolean => words.test(normal(text))

/** The text in lower case without the words. */
export const without = (words: RegExp, text: string): string => normal(text).replace(new RegExp(words, 'g'), ' ')

/** Where the words begin; Infinity where they are not in the text. */
export function startOf(words: RegExp, text: string): number {
  const start = normal(text).search(words)
  return start === -1 ? Number.POSITIVE_INFINITY : start
}
