/** Tokens are read only where a message may go to a device, and each device is a candidate once. */
import { expect, test } from 'vitest'
import { providers } from '../../providers/catalog.ts'
import { compile } from '../../templates/compile.ts'
import type { DeviceFacts, Integration, Notification, Routing } from '../facts.ts'
import { ANONYMOUS_PREFIX } from '../send.ts'
import { DEVICES_MAX, deviceId, devicesFor, mayPush, pushServices } from './devices.ts'

const integration = (key: string, enabled = true): Integration => {
  const provider = providers.get(key)!
  return { id: `I-${key}`, provider, channels: provider.channels, enabled } as unknown as Integration
}
const servicesOf = (...keys: string[]) =>
  pushServices(
    keys.map((key) => integration(key)),
    ['apn', 'expo'],
  )
const notification = (routing?: Routing, content: object = { title: 'Hi', body: 'Hi' }) =>
  ({ template: compile(content), routing }) as Notification
const single = (...channels: Routing['channels'][number][]): Routing => ({ method: 'single', channels })
const input = (routing?: Routing, recipient = 'ada') => ({ recipient, ...(routing && { routing }) })

test('mail and webhooks beside an integration of push read no token', () => {
  const services = servicesOf('smtp', 'firebase-fcm', 'webhook', 'mailbox')
  expect(services.keys).toEqual(['firebase-fcm'])
  for (const channel of ['email', 'webhook', 'smtp'])
    expect(mayPush(input(), notification(single(channel)), services)).toBe(false)
  expect(mayPush(input(single('email')), notification(single('push')), services)).toBe(false)
  const mail = { version: '2022-01-01', elements: [{ type: 'channel', channel: 'email', elements: [] }] }
  expect(mayPush(input(), notification(undefined, mail), services)).toBe(false)
  expect(mayPush(input(single('push'), `${ANONYMOUS_PREFIX}1`), notification(), services)).toBe(false)
})

test('a routing that names push, a provider or an integration of it reads them, and so does the default one', () => {
  const services = servicesOf('smtp', 'firebase-fcm')
  for (const name of ['push', 'firebase-fcm', 'I-firebase-fcm'])
    expect(mayPush(input(single('email', { method: 'all', channels: [name] })), notification(), services)).toBe(true)
  expect(mayPush(input(), notification(), services)).toBe(true)
})

test('without an integration of push nothing is read, except for the mailbox where it would serve', () => {
  expect(mayPush(input(single('push')), notification(), servicesOf('smtp', 'webhook'))).toBe(false)
  const off = pushServices([integration('firebase-fcm', false)], [])
  expect(mayPush(input(single('push')), notification(), off)).toBe(false)
  // Beside real integrations the mailbox has no turn in the default routing.
  expect(mayPush(input(), notification(), servicesOf('smtp', 'mailbox'))).toBe(false)
  expect(mayPush(input(single('push')), notification(), servicesOf('smtp', 'mailbox'))).toBe(true)
  expect(mayPush(input(), notification(), servicesOf('mailbox'))).toBe(true)
  expect(servicesOf('mailbox').keys).toEqual(['apn', 'expo'])
})

const expo = providers.get('expo')!
const storedDevice = (token: string, more: Partial<DeviceFacts> = {}): DeviceFacts => ({
  id: deviceId(token),
  provider: 'expo',
  stored: { token, version: 1 },
  ...more,
})
const devices = (facts: DeviceFacts[], merged = {}) =>
  devicesFor(expo, { facts: { devices: facts }, profile: { merged } })

// Numbers of an address would be masked in what is kept of a request.
test('stored tokens of the provider and those of the profile, each once, without their versions', () => {
  const candidates = devices([storedDevice('a', { name: 'Pixel' }), storedDevice('b', { provider: 'apn' })], {
    expo: { tokens: ['a', 'c'] },
  })
  expect(candidates).toEqual([
    { device: { id: deviceId('a'), name: 'Pixel' }, to: { token: 'a' }, isStored: true },
    { device: { id: deviceId('c') }, to: { token: 'c' } },
  ])
})

test('a token that is not active is not used, also where the profile names it', () => {
  expect(devices([storedDevice('a', { inactive: 'failed: gone' })], { expo: { token: 'a' } })).toEqual([
    { device: { id: deviceId('a') }, reason: 'TOKEN_INACTIVE', error: 'failed: gone' },
  ])
})

test('a bound number of devices gets the message', () => {
  const all = Array.from({ length: DEVICES_MAX + 5 }, (_, n) => storedDevice(`t${n}`))
  const candidates = devices([...all, storedDevice('dead', { inactive: 'revoked' })])
  expect(candidates.filter(({ reason }) => !reason).map(({ device }) => device.id)).toEqual(
    all.slice(0, DEVICES_MAX).map(({ id }) => id),
  )
  expect(candidates.at(-1)).toMatchObject({ reason: 'TOKEN_INACTIVE' })
})
