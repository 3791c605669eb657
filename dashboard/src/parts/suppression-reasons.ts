/** Why an address is suppressed, in the middle of a sentence. */
import { suppressionReasons } from '@postrider/client/steps'
import { texts } from '../language/language.tsx'

export const suppressionTexts = texts({
  en: suppressionReasons,
  de: {
    hard_bounce: 'die Adresse gibt es nicht',
    complaint: 'der Empfänger hat sich beschwert',
    invalid_address: 'die Adresse ist ungültig',
    unsubscribed: 'der Empfänger hat sich abgemeldet',
    manual: 'von Hand eingetragen',
  },
})
