/** Addresses that people write differently are one address on the list of suppressed addresses. */
import { expect, test } from 'vitest'
import { addressesIn, addressOf, kindOf, normalAddress, shownAddress } from './address.ts'

test.each([
  ['email', ' Ada@EXAMPLE.com', 'ada@example.com'],
  ['email', '"Ada L." <ADA@example.com>', 'ada@example.com'],
  ['email', 'ada@Bücher.example', 'ada@xn--bcher-kva.example'],
  ['email', 'ada', undefined],
  ['email', 'a@b.co, c@d.co', undefined],
  ['phone_number', '+1 (202) 555-0143', '12025550143'],
  ['phone_number', '0012025550143', '12025550143'],
  ['phone_number', '12025550143', '12025550143'],
  ['phone_number', '+1-800-FLOWERS', undefined],
  ['phone_number', '12', undefined],
  ['device_token', ' cX1:APA91b-_ ', 'cX1:APA91b-_'],
  ['device_token', 'two words', undefined],
  ['device_token', 'x'.repeat(1_025), undefined],
] as const)('%s %j is %j', (kind, text, address) => {
  expect(normalAddress(kind, text)?.address).toBe(address)
})

test('the kind shows in an address, except for device tokens', () => {
  expect(['a@b.co', '+12025550143', 'APA91b'].map(kindOf)).toEqual(['email', 'phone_number', undefined])
})

test('phone numbers are shown with the sign of their country code', () => {
  const shown = (address: string) => shownAddress({ kind: 'phone_number', address })
  expect(['12025550143', '02025550143'].map(shown)).toEqual(['+12025550143', '02025550143'])
})

test('the channel says what kind of address an adapter has', () => {
  expect(addressOf('email', { address: 'Ada@example.com', name: 'Ada' })).toEqual({
    kind: 'email',
    address: 'ada@example.com',
  })
  expect(addressOf('sms', '+12025550143')).toEqual({ kind: 'phone_number', address: '12025550143' })
  expect(addressOf('push', { token: 'APA91b' })).toEqual({ kind: 'device_token', address: 'APA91b' })
  expect(addressOf('direct_message', { chat_id: -1001234567890 })).toEqual({
    kind: 'chat_id',
    address: '-1001234567890',
  })
  expect(addressOf('direct_message', { userId: '80351110224678912' })?.address).toBe('80351110224678912')
  for (const [channel, to] of [
    ['webhook', { url: 'https://example.com' }],
    ['direct_message', { token: 'xoxb-1', channel: 'C1' }],
    ['inbox', { recipient: 'user-7' }],
    ['push', { recipient: 'user-7' }],
    ['email', undefined],
  ] as const)
    expect(addressOf(channel, to)).toBeUndefined()
})

test('a profile has an email address and a phone number, also as a number', () => {
  expect(addressesIn({ email: 'Ada@example.com', phone_number: 12025550143, name: 'Ada' })).toEqual([
    { kind: 'email', address: 'ada@example.com' },
    { kind: 'phone_number', address: '12025550143' },
  ])
  expect(addressesIn({ email: 7, phone_number: 'none' })).toEqual([])
})
