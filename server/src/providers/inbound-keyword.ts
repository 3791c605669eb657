/** Text messages that mean something by themselves: STOP, START and HELP, in the words that carriers and people use. */
import { Type } from 'typebox'
import type { Keyword } from './callback.ts'
import { inGroup, Text } from './settings.ts'

/** Without spaces and hyphens, so that `stop all` and `opt-out` are found. */
const KEYWORDS: Readonly<Record<Keyword, readonly string[]>> = {
  // https://support.twilio.com/hc/en-us/articles/223134027, 47 CFR § 64.1200(a)(10); then French, German, Spanish,
  // Portuguese and Dutch.
  stop: [
    ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
    ...['ARRET', 'STOPP', 'ABMELDEN', 'ALTO', 'BAJA', 'PARAR', 'SAIR', 'AFMELDEN'],
  ],
  start: ['START', 'UNSTOP'],
  help: ['HELP', 'INFO', 'AIDE', 'HILFE', 'AYUDA', 'AJUDA'],
}

const byWord: ReadonlyMap<string, Keyword> = new Map(
  (Object.keys(KEYWORDS) as Keyword[]).flatMap((keyword) => KEYWORDS[keyword].map((word) => [word, keyword] as const)),
)

/** Only where the word is the whole text: `Please stop by` is none. */
export function keywordOf(text: string): Keyword | undefined {
  if (text.length > 40) return undefined
  const word = text
    .normalize('NFD')
    .replace(/[\p{M}\s-]+/gu, '')
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return byWord.get(word.toUpperCase())
}

const OPT_OUT_TYPES: ReadonlyMap<string, Keyword> = new Map([
  ['stop', 'stop'],
  ['optout', 'stop'],
  ['start', 'start'],
  ['optin', 'start'],
  ['help', 'help'],
])

/** The keyword for which a provider has taken a text, by its list of words: `STOP`, `OPT_OUT`. */
export const decidedKeyword = (type: unknown): Keyword | undefined =>
  typeof type === 'string' ? OPT_OUT_TYPES.get(type.toLowerCase().replace(/[^a-z]/g, '')) : undefined

/** For every provider of text messages that reports those that come in. */
export const inboundSettings = {
  ...inGroup('callbacks', {
    helpText: Type.Optional(
      Text(
        'Help text',
        'The reply to a text such as HELP or INFO. Leave it empty if the provider replies itself, as Twilio does',
        {
          maxLength: 1_000,
        },
      ),
    ),
  }),
}
