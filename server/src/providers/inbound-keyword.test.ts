/** A keyword is the whole text, in any case, with or without accents, quotes and full stops. */
import { expect, test } from 'vitest'
import { keywordOf } from './inbound-keyword.ts'

test.each([
  ['STOP', 'stop'],
  [' stop. ', 'stop'],
  ['"Stop!"', 'stop'],
  ['Stop all', 'stop'],
  ['opt-out', 'stop'],
  ['ARRÊT', 'stop'],
  ['Unsubscribe', 'stop'],
  ['cancel', 'stop'],
  ['END', 'stop'],
  ['quit', 'stop'],
  ['Start', 'start'],
  ['UNSTOP', 'start'],
  ['help?', 'help'],
  ['info', 'help'],
  ['Hilfe', 'help'],
  ['', undefined],
  ['!?', undefined],
  ['Please stop by at five', undefined],
  ['non-stop', undefined],
  ['STOP STOP', undefined],
  ['yes', undefined],
  ['\u{1F6D1}', undefined],
  [`STOP${' '.repeat(100)}`, undefined],
])('%j is %s', (text, keyword) => {
  expect(keywordOf(text)).toBe(keyword)
})
