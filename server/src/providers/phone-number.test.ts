/** Phone numbers of profiles. */
import { expect, test } from 'vitest'
import { digitsOf, phoneNumber } from './phone-number.ts'

test.each([
  ['+1 (555) 010-0000', '+15550100000'],
  ['49.30.1234567', '49301234567'],
  ['12345', '12345'],
])('%s', (written, number) => {
  expect(phoneNumber({ phone_number: written })).toBe(number)
  expect(digitsOf(number)).toMatch(/^\d+$/)
})

test.each([undefined, '', 'call me', '+', '+1555\r\nTo', 15550100000, '+12345678901234567'])(
  '%j is no number',
  (phone_number) => {
    expect(phoneNumber({ phone_number })).toBeUndefined()
  },
)
