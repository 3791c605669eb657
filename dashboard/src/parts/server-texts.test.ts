/** Errors that the server wrote are in the reader's language; those of providers stay as they are. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { germanSentences, serverTexts } from './server-texts.ts'

test.each<[string, string, string]>([
  ['550 5.1.1 No such user', '550 5.1.1 No such user', '550 5.1.1 No such user'],
  [
    'Circuit breaker open: 535 denied',
    'Not called, because its latest calls failed: 535 denied',
    'Nicht aufgerufen, weil die letzten Aufrufe scheiterten: 535 denied',
  ],
  [
    "The integration's limit of 5 per second is reached",
    "The integration's limit of 5 per second is reached",
    'Das Limit der Integration von 5 je Sekunde ist erreicht',
  ],
  [
    'The email address is suppressed: hard_bounce by provider/smtp since 2026-01-01T00:00:00.000Z',
    'The address is suppressed: the address does not exist',
    'Die Adresse ist gesperrt: die Adresse gibt es nicht',
  ],
  [
    'The sms address is suppressed: of_a_later_version by key/backend since 2026-01-01T00:00:00.000Z',
    'The address is suppressed: of_a_later_version',
    'Die Adresse ist gesperrt: of_a_later_version',
  ],
  [
    'No provider can be used: email (Mail) is switched off',
    'No provider can be used: email (Mail) is switched off',
    'Keine Integration ihrer Kanäle ist nutzbar',
  ],
  [
    'Canceled by key/backend when another channel had been sent',
    'Canceled by the key backend when another channel had been sent',
    'Abgebrochen durch den Schlüssel backend, als ein anderer Kanal gesendet war',
  ],
  [
    'The copy to bob@example.net was not taken: 452 4.5.3 Too many recipients',
    'The copy to bob@example.net was not taken: 452 4.5.3 Too many recipients',
    'Die Kopie an bob@example.net wurde nicht angenommen: 452 4.5.3 Too many recipients',
  ],
  [
    '`{profile.name}` is empty in the profile: it is left out.',
    '`{profile.name}` is empty in the profile: it is left out.',
    '`{profile.name}` ist im Profil leer und wird weggelassen.',
  ],
  [
    'elements.1: `{city}` has no value: the recipient reads `{city}`.',
    'elements.1: `{city}` has no value: the recipient reads `{city}`.',
    'elements.1: `{city}` hat keinen Wert: Der Empfänger liest `{city}`.',
  ],
  [
    'title: `{profile.city}` has no value: it is left out.',
    'title: `{profile.city}` has no value: it is left out.',
    'title: `{profile.city}` hat keinen Wert und wird weggelassen.',
  ],
  [
    '`Europe/Berln`, the time zone of the recipient, does not exist, and is not used. Did you mean `Europe/Berlin`?',
    '`Europe/Berln`, the time zone of the recipient, does not exist, and is not used. Did you mean `Europe/Berlin`?',
    'Die Zeitzone `Europe/Berln` gibt es nicht: Sie wird nicht verwendet. Gemeint ist wohl `Europe/Berlin`.',
  ],
  [
    'The locale `german` is not a language, as `de` or `de-AT` is.',
    'The locale `german` is not a language, as `de` or `de-AT` is.',
    '`german` ist keine Sprache, wie es `de` oder `de-AT` ist.',
  ],
  [
    'elements.1: `shop.example/pay` is not an address with `https://`, `http://`, `mailto:`, `tel:` or `sms:`; it is left out.',
    'elements.1: `shop.example/pay` is not an address with `https://`, `http://`, `mailto:`, `tel:` or `sms:`; it is left out.',
    'elements.1: `shop.example/pay` ist keine Adresse mit `https://`, `http://`, `mailto:`, `tel:` oder `sms:` und wird weggelassen.',
  ],
  ['No profile is stored for `bob`.', 'No profile is stored for `bob`.', 'Für `bob` ist kein Profil gespeichert.'],
  ...[
    [
      'elements.1: "buton" is not an element; it is left out. Did you mean `action`?',
      'elements.1: "buton" ist kein Element und wird weggelassen. Ist `action` gemeint?',
    ],
    [
      'elements.0: "jsonnet" is not an element; it is left out.',
      'elements.0: "jsonnet" ist kein Element und wird weggelassen.',
    ],
    [
      'elements.0.elements.1: "button" is not part of a text; it is left out. Did you mean `link`?',
      'elements.0.elements.1: "button" ist kein Teil eines Textes und wird weggelassen. Ist `link` gemeint?',
    ],
    [
      'elements.0: `colr` is not a field of a `text` element, and has no effect. Did you mean `color`?',
      'elements.0: `colr` ist kein Feld eines Elements `text` und hat keine Wirkung. Ist `color` gemeint?',
    ],
    [
      'elements.3.locales.de: `alt` is not a field of an `image` element, and has no effect.',
      'elements.3.locales.de: `alt` ist kein Feld eines Elements `image` und hat keine Wirkung.',
    ],
    [
      'elements.2.elements.0: `herf` is not a field of a part of a text, and has no effect. Did you mean `href`?',
      'elements.2.elements.0: `herf` ist kein Feld eines Textteils und hat keine Wirkung. Ist `href` gemeint?',
    ],
    [
      'elements.4.style: `x` has no effect; it must be one of `button`, `link`.',
      'elements.4.style: `x` hat keine Wirkung; erlaubt sind `button`, `link`.',
    ],
    [
      'override.channel.email.subject: `{name}` is not filled in: the recipient reads `{name}`.',
      'override.channel.email.subject: `{name}` wird nicht ersetzt: Der Empfänger liest `{name}`.',
    ],
    [
      'elements.0.locales: `german` is not a language, as `de` or `de-AT` is.',
      'elements.0.locales: `german` ist keine Sprache, wie es `de` oder `de-AT` ist.',
    ],
    [
      'elements.0.channels: `emial` is neither a channel nor a provider, and has no effect. Did you mean `email`?',
      'elements.0.channels: `emial` ist weder ein Kanal noch ein Provider und hat keine Wirkung. Ist `email` gemeint?',
    ],
    [
      'body: `Mars` is not a time zone; a message that shows this date fails.',
      'body: `Mars` ist keine Zeitzone: Eine Nachricht, die dieses Datum zeigt, schlägt fehl.',
    ],
    [
      'body: `Europe/Berln` is not a time zone; a message that shows this date fails. Did you mean `Europe/Berlin`?',
      'body: `Europe/Berln` ist keine Zeitzone: Eine Nachricht, die dieses Datum zeigt, schlägt fehl. Ist `Europe/Berlin` gemeint?',
    ],
  ].map(([english = '', german = '']): [string, string, string] => [english, english, german]),
  [
    'No translation of `Hello`; it is shown as it was written.',
    'No translation of `Hello`; it is shown as it was written.',
    '`Hello` ist nicht übersetzt und wird gezeigt, wie es geschrieben ist.',
  ],
  ['Unknown template `x`', 'There is no template `x`.', 'Eine Vorlage `x` gibt es nicht.'],
  ['toString', 'toString', 'toString'],
])('%s', (error, english, german) => {
  expect([serverTexts.en.error(error), serverTexts.de.error(error)]).toEqual([english, german])
})

test('each sentence that is translated is one of the server', () => {
  const folder = new URL('../../../server/src/', import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?:messages|limits|receipts)\/.*(?<!\.test)\.ts$/.test(name))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n')
  expect([...germanSentences.keys()].filter((sentence) => !sources.includes(sentence))).toEqual([])
})
