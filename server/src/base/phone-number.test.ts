/** However a telephone number is written, it is one number. */
import { expect, test } from 'vitest'
import { digitsOf, parsePhoneNumber, phoneNumber, phoneNumberError } from './phone-number.ts'

test.each([
  ['+1 (555) 010-0000', '+15550100000'],
  ['49.30.1234567', '49301234567'],
  ['12345', '12345'],
  ['0012025550143', '+12025550143'],
  ['00 (1) 202 555 0143', '+12025550143'],
  ['(+1) 202-555-0143', '+12025550143'],
  ['06641234567', '06641234567'],
])('%s', (written, number) => {
  expect(parsePhoneNumber(written)).toBe(number)
  expect(digitsOf(number)).toMatch(/^\d+$/)
})

test.each([
  ['marks of direction and hyphens that do not break', '\u202a+1\u00a0(202)\u00a0555\u20110143\u202c'],
  ['isolates', '\u2066+1 202 555 0143\u2069'],
  ['full-width signs', '＋１（２０２）５５５－０１４３'],
  ['signs without width, and a minus', '+1\u200b202\u2212555\u22120143\u2060'],
  ['a soft hyphen, a byte order mark', '\ufeff+1202\u00ad5550143'],
  ['dashes', '+1 202–555—0143'],
  ['an ideographic space', '+1\u3000202\u3000555\u30000143'],
  ['slashes, dots in the middle, tildes', '+1 202/555·01~43'],
  ['square brackets', '+1 [202] 555-0143'],
  ['a link', 'tel:+1-202-555-0143'],
  ['a link of a message', 'SMS:+12025550143'],
  ['Arabic digits', '+١٢٠٢٥٥٥٠١٤٣'],
  ['Persian digits', '+۱۲۰۲۵۵۵۰۱۴۳'],
  ['Devanagari digits', '+१२०२५५५०१४३'],
])('%s are no part of a number', (_name, written) => {
  expect(parsePhoneNumber(written)).toBe('+12025550143')
})

// libphonenumber-js 1.13.16 answers the same for these texts.
test.each([
  ['+49 (0)30 123456', '+4930123456'],
  ['+49 (0) 30 / 123456', '+4930123456'],
  ['0049 (0)30 123456', '+4930123456'],
  ['+49 (030) 123456', '+4930123456'],
  ['+49 030 123456', '+4930123456'],
  ['(+49) 030 123456', '+4930123456'],
  ['+44(0)2079460958', '+442079460958'],
  ['+353 (0)1 234 5678', '+35312345678'],
  ['+7 (8) 912 345 67 89', '+79123456789'],
  ['+370 (8) 612 34567', '+37061234567'],
  ['+36 (06) 20 123 4567', '+36201234567'],
  ['+39 (0)6 1234567', '+39061234567'],
  ['+39 06 1234567', '+39061234567'],
  ['+225 07 12 34 56 78', '+2250712345678'],
  ['+1 202 555 0100', '+12025550100'],
  ['+375 (8) 029 123 45 67', '+375291234567'],
  ['+33 (06) 12 34 56 78', '+33612345678'],
  ['+31 (06) 12345678', '+31612345678'],
  ['+81 (06) 6123-4567', '+81661234567'],
  ['+46 (8) 123 456 78', '+46812345678'],
  ['+61 (8) 9123 4567', '+61891234567'],
  ['+250 (0)72 012 3456', '+250720123456'],
  ['+0049 (0)30 123456', '+4930123456'],
])('the prefix of calls at home is left out: %s', (written, number) => {
  expect(parsePhoneNumber(written)).toBe(number)
})

// Each has a zero where a country code of another length would end. Compared with libphonenumber-js: 12,700 valid
// numbers of all countries, each in four forms.
test.each([
  ...['+4930123456', '+442079460018', '+4940123456', '+31201234567', '+819012345678', '+46701234567', '+201001234567'],
  ...[
    '+912012345678',
    '+905012345678',
    '+93701234567',
    '+36201234567',
    '+821020000000',
    '+4740612345',
    '+639051234567',
  ],
  ...['+923012345678', '+12025550100', '+79001234567', '+390612345678', '+2250712345678', '+2290195123456'],
])('%s stays as it is', (number) => {
  for (const written of [number, `00${number.slice(1)}`, `tel:${number}`, `${number.slice(0, 3)} ${number.slice(3)}`])
    expect(parsePhoneNumber(written)).toBe(number)
})

test.each([
  ...['', ' ', 'call me', 'call me maybe', '+', '12', '+12345678901234567', '+1-800-FLOWERS'],
  ...['+1555\r\nTo', '+12025550143 ext. 5', 'tel:+1-202-555-0143;ext=5', '+12025550143, +12025550144', '𝟏𝟐𝟑𝟒𝟓'],
  ...['ada@example.com', 'whatsapp:+12025550143', '++4930123456'],
])('%j is no number', (text) => {
  expect(parsePhoneNumber(text)).toBeUndefined()
})

test('a text that providers cannot call is explained', () => {
  expect(phoneNumberError('call me')).toBe('is not a telephone number, such as `+12025550143`')
  expect(phoneNumberError('030 123456')).toBe(
    'has no country code: write it in the place of the first `0`, such as `+49`',
  )
  for (const number of ['+49 (0)30 123456', '0049 30 123456', '12345', '49301234567'])
    expect(phoneNumberError(number)).toBeUndefined()
})

test.each([undefined, 15550100000, null, {}])('a profile with %j has none', (phone_number) => {
  expect(phoneNumber({ phone_number: phone_number as string })).toBeUndefined()
})
