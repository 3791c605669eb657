/** Which brand is named for a message, and by whom. */
import { expect, test } from 'vitest'
import type { Notification } from '../facts.ts'
import type { SendInput } from '../send.ts'
import { brandNames } from './brands.ts'

const notification = { brandId: 'of-notification' } as Notification
const send = (more: Partial<SendInput> = {}): SendInput => ({ event: 'e', recipient: 'r', ...more })
const names = (input: SendInput, tenant?: string, of = notification) => {
  const { message, ofChannels: channelNames } = brandNames(input, of, tenant)
  return { message, ...Object.fromEntries(channelNames) }
}

test('the send comes before the tenant, the tenant before the notification, and last is the default', () => {
  expect(names(send({ override: { brand: 'over' }, brand: 'sent' }), 'of-tenant')).toEqual({ message: 'over' })
  expect(names(send({ brand: 'sent' }), 'of-tenant')).toEqual({ message: 'sent' })
  expect(names(send(), 'of-tenant')).toEqual({ message: 'of-tenant' })
  expect(names(send())).toEqual({ message: 'of-notification' })
  expect(names(send(), undefined, { brandId: undefined } as Notification)).toEqual({ message: undefined })
  expect(brandNames(send(), undefined, undefined).message).toBeUndefined()
})

test('a channel can have a brand of its own, and its override comes first', () => {
  const channels = { email: { brand: 'mine' }, sms: { brand: 'short' }, push: {} }
  const override = { channel: { email: { brand: 'over' }, push: { brand: { colors: {} } }, inbox: 'odd' } }
  expect(names(send({ brand: 'sent', channels, override }))).toEqual({
    message: 'sent',
    email: 'over',
    sms: 'short',
  })
})
