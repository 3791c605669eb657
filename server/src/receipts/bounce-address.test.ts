/** A bounce address names its delivery, fits into 64 octets, survives mail servers, and cannot be made up. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { secretKey } from '../base/secret.ts'
import type { BouncingMail } from '../providers/bounce-mails.ts'
import { bounceAddress, readBounceAddress } from './bounce-address.ts'

const key = secretKey(Buffer.alloc(32, 7))
const mail: BouncingMail = {
  workspaceId: 2,
  deliveryId: '1-691f0000-00a1b2c3d4e5f60718293aff-3',
  addressee: 'Ada@Example.com',
  ofCopies: false,
}
const mailbox = 'bounces@example.org'
const address = bounceAddress(key, mailbox, mail)

test('it names the delivery and knows the addressee, in at most 64 octets before the @', () => {
  expect(address).toMatch(/^bounces\+[0-9a-v]{52}@example\.org$/)
  const token = readBounceAddress(key, address)
  expect(token).toMatchObject({ workspaceId: 2, deliveryId: mail.deliveryId, ofCopies: false, isShared: false })
  expect(token?.isAddressee('ada@example.com')).toBe(true)
  expect(token?.isAddressee('eve@example.com')).toBe(false)
  expect(bounceAddress(key, 'elevenchars@example.org', mail).indexOf('@')).toBe(64)
  // Settings with such an address are refused; an override may still have one.
  expect(bounceAddress(key, 'twelve-chars@example.org', mail)).toBe('twelve-chars@example.org')
  const copies = readBounceAddress(key, bounceAddress(key, mailbox, { ...mail, ofCopies: true }))
  expect(copies).toMatchObject({ deliveryId: mail.deliveryId, ofCopies: true, isShared: false })
})

test.each([
  ['capitals', address.toUpperCase()],
  ['another separator', address.replace('+', '-')],
  ['the token alone', address.replace('bounces+', '')],
  ['a rewritten domain', address.replace('example.org', 'mx.example.net')],
  ['a mailbox with separators', `a+b-c+${address.slice('bounces+'.length)}`],
])('it is read with %s', (_what, changed) => {
  expect(readBounceAddress(key, changed)?.deliveryId).toBe(mail.deliveryId)
})

test('one changed character, another key or any text is no bounce address', () => {
  const digits = '0123456789abcdefghijklmnopqrstuv'
  const changes = fc.record({ at: fc.nat(51), by: fc.integer({ min: 1, max: 31 }) })
  fc.assert(
    fc.property(changes, ({ at, by }) => {
      const place = 'bounces+'.length + at
      const digit = digits.charAt((digits.indexOf(address.charAt(place)) + by) % 32)
      expect(readBounceAddress(key, address.slice(0, place) + digit + address.slice(place + 1))).toBeUndefined()
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => readBounceAddress(key, text) === undefined))
  for (const digit of digits) expect(readBounceAddress(key, `bounces+${digit.repeat(52)}@example.org`)).toBeUndefined()
  expect(readBounceAddress(secretKey(Buffer.alloc(32, 8)), address)).toBeUndefined()
})

test('deliveries to one address have nothing in common', () => {
  const other = bounceAddress(key, mailbox, { ...mail, deliveryId: '1-691f0000-00a1b2c3d4e5f60718293b00-3' })
  expect(other.slice(44, 60)).not.toBe(address.slice(44, 60))
})
