/** Errors in the reader's language: the fixed sentences of the server. The words of a provider stay as they are. */
import { sourceText } from '@postrider/client/steps'
import { texts } from '../language/language.tsx'
import { reasonMeanings } from './meanings.ts'
import { germanSources } from './sources.ts'
import { suppressionTexts } from './suppression-reasons.ts'

const withoutFullStop = (text: string) => text.replace(/\.$/, '')

/** Sentences of the server that have no value in them. */
export const germanSentences: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'Another candidate was accepted': 'Ein anderer Weg wurde angenommen',
    'Its condition is not met any more': 'Ihre Bedingung ist nicht mehr erfüllt',
    'Its time in the inbox is over': 'Ihre Zeit in der Inbox ist um',
    'No providers added': withoutFullStop(reasonMeanings.de.NO_PROVIDERS),
    'The attempt was interrupted': 'Der Versuch wurde unterbrochen',
    'The channel has a real integration now': 'Der Kanal hat jetzt eine echte Integration',
    'The integration cannot reach this recipient any more': 'Die Integration erreicht diesen Empfänger nicht mehr',
    'The integration has been deleted': 'Die Integration ist gelöscht',
    'The integration is switched off, or its secrets cannot be read':
      'Die Integration ist abgeschaltet, oder ihre Geheimnisse sind nicht lesbar',
    'The latest calls of the integration failed: few are made until one succeeds':
      'Die letzten Aufrufe der Integration sind gescheitert: Bis einer gelingt, sind es wenige',
    'The provider reported a bounce': 'Der Anbieter meldet, dass sie zurückkam',
    'The recipient does not want this channel any more': 'Der Empfänger will diesen Kanal nicht mehr',
    'Its integration was removed': 'Ihre Integration wurde entfernt',
    'Its integration is disabled': 'Ihre Integration ist ausgeschaltet',
    'The message was canceled': 'Die Nachricht wurde abgebrochen',
    'The time to send this message ran out': withoutFullStop(reasonMeanings.de.EXPIRED),
    'The token of the device has been deleted': 'Das Token des Geräts ist gelöscht',
    'The token of the device is not active any more': 'Das Token des Geräts ist nicht mehr aktiv',
    'Too many messages wait for this integration': 'Zu viele Nachrichten warten auf diese Integration',
  }),
)

const limitTexts: Readonly<Record<string, string>> = {
  'at a time': 'zugleich',
  'per second': 'je Sekunde',
  'per day': 'am Tag',
}

type Pattern = readonly [pattern: RegExp, text: (first: string, second: string) => string]

/** A code of a later version stays as it is. */
const suppressed = (title: string, reasons: Readonly<Record<string, string>>): Pattern => [
  /^The \S+ address is suppressed: (\w+) by /,
  (reason) => `${title}: ${reasons[reason] ?? reason}`,
]

const BREAKER_OPEN = /^Circuit breaker open: (.+)$/s

const meant = (near: string | undefined) => (near ? ` Ist ${near} gemeint?` : '')

/** The lists that some of them end with are in the decision of the message. */
const germanPatterns: readonly Pattern[] = [
  suppressed('Die Adresse ist gesperrt', suppressionTexts.de),
  [BREAKER_OPEN, (error) => `Nicht aufgerufen, weil die letzten Aufrufe scheiterten: ${error}`],
  [
    /^The integration's limit of (\d+) (at a time|per second|per day) is reached$/,
    (limit, per) => `Das Limit der Integration von ${limit} ${limitTexts[per]} ist erreicht`,
  ],
  [
    /^Canceled(?: by (.+))? when another channel had been sent$/,
    (source) =>
      `Abgebrochen${source && ` durch ${sourceText(source, {}, germanSources)}`}, als ein anderer Kanal gesendet war`,
  ],
  [
    /^The copy to (\S+) was not taken: (.*)$/su,
    (address, error) => `Die Kopie an ${address} wurde nicht angenommen: ${error}`,
  ],
  [
    /^The copy to (\S+) was deferred, and is tried again: (.*)$/su,
    (address, error) => `Die Kopie an ${address} wurde aufgeschoben, und wird wieder versucht: ${error}`,
  ],
  [/^It may have been sent: (.*)$/su, (error) => `Vielleicht versendet: ${error}`],
  [
    /^(`.+`) is empty in the profile: it is left out\.$/su,
    (source) => `${source} ist im Profil leer und wird weggelassen.`,
  ],
  [
    /^(\S+: |)(`.+`) has no value: the recipient reads \2\.$/su,
    (at, source) => `${at}${source} hat keinen Wert: Der Empfänger liest ${source}.`,
  ],
  [
    /^(\S+: )(`.+`) is not filled in: the recipient reads \2\.$/su,
    (at, source) => `${at}${source} wird nicht ersetzt: Der Empfänger liest ${source}.`,
  ],
  [
    /^(\S+: |)(`.+`) has no value: it is left out\.$/su,
    (at, source) => `${at}${source} hat keinen Wert und wird weggelassen.`,
  ],
  [
    /^(`[^`]+`), the time zone .+, does not exist, and is not used\.(?: Did you mean (`.+`)\?)?$/su,
    (zone, near) =>
      `Die Zeitzone ${zone} gibt es nicht: Sie wird nicht verwendet.${near && ` Gemeint ist wohl ${near}.`}`,
  ],
  [
    /^(?:The locale |(\S+: ))(`.+`) is not a language, as `de` or `de-AT` is\.$/su,
    (at, locale) => `${at}${locale} ist keine Sprache, wie es \`de\` oder \`de-AT\` ist.`,
  ],
  [
    /^(\S+: `.+`) is neither a channel nor a provider, and has no effect\.(?: Did you mean (`.+`)\?)?$/su,
    (name, near) => `${name} ist weder ein Kanal noch ein Provider und hat keine Wirkung.${meant(near)}`,
  ],
  [
    /^(\S+: |)(`.+`) is not an address with `https:\/\/`.+; it is left out\.$/su,
    (at, url) =>
      `${at}${url} ist keine Adresse mit \`https://\`, \`http://\`, \`mailto:\`, \`tel:\` oder \`sms:\` und wird weggelassen.`,
  ],
  [/^No profile is stored for (`.+`)\.$/su, (user) => `Für ${user} ist kein Profil gespeichert.`],
  [/^No notification is mapped to the event (`.+`)\.$/su, (event) => `Das Ereignis ${event} führt zu keiner Vorlage.`],
  [/^Unknown tenant (`.+`)\.$/su, (tenant) => `Einen Mandanten ${tenant} gibt es nicht.`],
  [
    /^Unknown brand (`.+`); the default is used\.$/su,
    (brand) => `Eine Marke ${brand} gibt es nicht: Die Standardmarke wird verwendet.`,
  ],
  [
    /^The brand has no snippet (`.+`); it is left out\.$/su,
    (snippet) => `Die Marke hat keinen Baustein ${snippet}: Er wird weggelassen.`,
  ],
  [
    /^(\S+: .+) is not an element; it is left out\.(?: Did you mean (`.+`)\?)?$/su,
    (element, near) => `${element} ist kein Element und wird weggelassen.${meant(near)}`,
  ],
  [
    /^(\S+: .+) is not part of a text; it is left out\.(?: Did you mean (`.+`)\?)?$/su,
    (part, near) => `${part} ist kein Teil eines Textes und wird weggelassen.${meant(near)}`,
  ],
  [
    /^(\S+: `.+` is not a field of an? `.+`) element, and has no effect\.(?: Did you mean (`.+`)\?)?$/su,
    (field, near) =>
      `${field.replace(/ is not a field of an? (?=`[^`]*`$)/, ' ist kein Feld eines Elements ')} und hat keine Wirkung.${meant(near)}`,
  ],
  [
    /^(\S+: `.+`) is not a field of a part of a text, and has no effect\.(?: Did you mean (`.+`)\?)?$/su,
    (field, near) => `${field} ist kein Feld eines Textteils und hat keine Wirkung.${meant(near)}`,
  ],
  [
    /^(\S+: `.+`) has no effect; it must be one of (`.+`)\.$/su,
    (value, values) => `${value} hat keine Wirkung; erlaubt sind ${values}.`,
  ],
  [
    /^(\S+: `.+`) is not a time zone; a message that shows this date fails\.(?: Did you mean (`.+`)\?)?$/su,
    (zone, near) => `${zone} ist keine Zeitzone: Eine Nachricht, die dieses Datum zeigt, schlägt fehl.${meant(near)}`,
  ],
  [
    /^No translation of (`.+`); it is shown as it was written\.$/su,
    (text) => `${text} ist nicht übersetzt und wird gezeigt, wie es geschrieben ist.`,
  ],
  [/^Unknown template (`.+`)\.?$/su, (template) => `Eine Vorlage ${template} gibt es nicht.`],
  [/^No provider can be used: /, () => withoutFullStop(reasonMeanings.de.NO_PROVIDERS)],
  [/^No usable address: /, () => withoutFullStop(reasonMeanings.de.INCOMPLETE_PROFILE_DATA)],
]
const englishPatterns: readonly Pattern[] = [
  [/^Unknown template (`.+`)$/su, (template) => `There is no template ${template}.`],
  suppressed('The address is suppressed', suppressionTexts.en),
  [BREAKER_OPEN, (error) => `Not called, because its latest calls failed: ${error}`],
  [
    /^Canceled by (.+) when another channel had been sent$/,
    (source) => `Canceled by ${sourceText(source)} when another channel had been sent`,
  ],
]

function byPattern(patterns: readonly Pattern[], error: string): string {
  for (const [pattern, text] of patterns) {
    const match = pattern.exec(error)
    if (match) return text(match[1] ?? '', match[2] ?? '')
  }
  return error
}

export const serverTexts = texts({
  en: { error: (error: string) => byPattern(englishPatterns, error) },
  de: {
    error: (error: string) => germanSentences.get(error) ?? byPattern(germanPatterns, error),
  },
})
