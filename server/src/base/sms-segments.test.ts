/** The encoding and the segments of an SMS, at every limit of both alphabets. */
import { expect, test } from 'vitest'
import { smsSegments } from './sms-segments.ts'

const gsm = (segments: number, characters: number, units = characters) => ({
  encoding: 'GSM-7',
  segments,
  characters,
  units,
})
const ucs = (segments: number, characters: number, units = characters) => ({
  encoding: 'UCS-2',
  segments,
  characters,
  units,
})

test.each([
  ['nothing', '', gsm(0, 0)],
  ['one segment', 'a'.repeat(160), gsm(1, 160)],
  ['one character more', 'a'.repeat(161), gsm(2, 161)],
  ['two full segments', 'a'.repeat(306), gsm(2, 306)],
  ['one character more than two', 'a'.repeat(307), gsm(3, 307)],
  ['the default alphabet, beyond ASCII', 'Grüße à Ñandú? ¡Sí!'.replace('ú', 'u').replace('í', 'i'), gsm(1, 19)],
  ['Greek capitals of the default alphabet', 'ΔΦΓΛΩΠΨΣΘΞ', gsm(1, 10)],
  ['characters of the extension count twice', '€{}[]~^|\\', gsm(1, 9, 18)],
  ['80 of them fill a segment', '€'.repeat(80), gsm(1, 80, 160)],
  ['81 take two', '€'.repeat(81), gsm(2, 81, 162)],
  ['an escape is not separated from its character', `${'a'.repeat(152)}€${'a'.repeat(152)}`, gsm(3, 305, 306)],
  ['a backtick is in no table', '`', ucs(1, 1)],
  ['c with a cedilla exists as a capital only', 'ç', ucs(1, 1)],
  ['70 units', 'я'.repeat(70), ucs(1, 70)],
  ['71 units', 'я'.repeat(71), ucs(2, 71)],
  ['134 units', 'я'.repeat(134), ucs(2, 134)],
  ['135 units', 'я'.repeat(135), ucs(3, 135)],
  ['an emoji is one character of two units', 'Hi 👋', ucs(1, 4, 5)],
  ['35 of them fill a segment', '👋'.repeat(35), ucs(1, 35, 70)],
  ['a surrogate pair is not divided', '👋'.repeat(67), ucs(3, 67, 134)],
  ['one typographic quote makes the whole text UCS-2', `${'a'.repeat(100)}’`, ucs(2, 101)],
])('%s', (_title, text, expected) => {
  expect(smsSegments(text)).toEqual(expected)
})
