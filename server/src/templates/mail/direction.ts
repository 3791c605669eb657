/** The direction of a mail: that of most letters its author wrote, else that of its language. */
import { type Node, stringOf } from '../element.ts'
import type { Direction } from './look.ts'

const LANGUAGES = new Set(
  'ar arc arz azb bgn ckb dv fa glk he iw ji khw ks lrc mzn nqo pnb ps sd syr ug ur yi'.split(' '),
)
const SCRIPTS = new Set(['adlm', 'arab', 'hebr', 'mand', 'mend', 'nkoo', 'rohg', 'samr', 'syrc', 'thaa'])

/** `lang` as BCP 47 writes it: a script that is named decides. */
function directionOfLanguage(lang: string): Direction {
  const [language = '', ...rest] = lang.toLowerCase().split('-')
  const script = rest.find((part) => part.length === 4)
  return (script ? SCRIPTS.has(script) : LANGUAGES.has(language)) ? 'rtl' : 'ltr'
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g
const LETTER = /\p{L}/gu
/** Variables, markup and addresses are no words. */
const NO_WORDS = /\{[^{}]*\}|<[^<>]*>|\]\([^()]*\)|https?:\S+/g

export function directionOf(nodes: readonly Node[], lang: string, translate: (node: Node) => Node): Direction {
  const byLanguage = directionOfLanguage(lang)
  const texts = textsOf(nodes, translate)
  const isMixed = texts.some((text) => text.search(RIGHT_TO_LEFT) >= 0)
  // Most mails: neither their language nor a letter of them is of such a script.
  if (!isMixed && byLanguage === 'ltr') return 'ltr'
  const words = texts.join(' ').replace(NO_WORDS, ' ')
  const letters = words.match(LETTER)?.length ?? 0
  if (letters === 0) return byLanguage
  return (words.match(RIGHT_TO_LEFT)?.length ?? 0) * 2 > letters ? 'rtl' : 'ltr'
}

function textsOf(nodes: readonly Node[], translate: (node: Node) => Node): string[] {
  return nodes.flatMap((node) => {
    const { fields, children } = translate(node)
    const spans = Array.isArray(fields.elements) ? fields.elements : []
    const own = [fields, ...spans].map((from) => stringOf(from?.content) || stringOf(from?.title))
    return [...own, ...textsOf(children, translate)]
  })
}
