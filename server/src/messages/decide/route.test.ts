/** Which candidates a message can go: by routing, by what reaches the recipient, and never by the sandbox in place of the world. */
import type { Channel } from '@postrider/contract'
import { expect, test } from 'vitest'
import type { Integration, Routing } from '../facts.ts'
import type { SendInput } from '../send.ts'

import { all, backup, everyKey, integration, mailbox, routed, single, smtp, twilio } from './route.harness.ts'

test('the channels of a routing come in its order, the integrations of a channel in theirs', () => {
  expect(routed([smtp, backup, twilio], { routing: single('sms', 'email') }).keys).toEqual([
    'sms:T',
    'email:S',
    'email:B',
  ])
})

test('without a routing the channels of the template are taken, else every channel in the default order', () => {
  const content = { version: '2022-01-01', elements: [{ type: 'channel', channel: 'sms', elements: [] }] }
  expect(routed([smtp, twilio], { content }).keys).toEqual(['sms:T'])
  expect(routed([twilio, smtp]).keys).toEqual(['email:S', 'sms:T'])
})

test('an entry may name a provider in place of its channel', () => {
  expect(routed([smtp, backup], { routing: single('sendgrid') }).keys).toEqual(['email:B'])
})

test('an alias of a provider stands for its key in every name of a send', () => {
  const vonage = integration('V', 'vonage', ['sms'], 'phone_number')
  expect(routed([twilio, vonage], { routing: single('nexmo') }).keys).toEqual(['sms:V'])
  expect(routed([twilio, vonage], { routing: single({ channel: 'sms', providers: ['nexmo'] }) }).keys).toEqual([
    'sms:V',
  ])
})

test('a channel can be limited to a provider, or to one integration by its id or alias', () => {
  const second = { ...integration('S2', 'smtp', ['email'], 'email'), alias: 'codes' }
  const misleading = { ...backup, alias: 'smtp' }
  const by = (...providers: string[]) =>
    routed([smtp, second, backup], { routing: single({ channel: 'email', providers }) }).keys
  expect(by('smtp')).toEqual(['email:S', 'email:S2'])
  expect(by('S2')).toEqual(['email:S2'])
  expect(by('B', 'S2')).toEqual(['email:B', 'email:S2'])
  expect(by('B', 'codes')).toEqual(['email:B', 'email:S2'])
  // A provider comes before an integration with its name.
  const { keys } = routed([smtp, misleading], { routing: single({ channel: 'email', providers: ['smtp'] }) })
  expect(keys).toEqual(['email:S'])
})

test('many unknown names are not compared one by one: the first 20 are named', () => {
  const names = Array.from({ length: 8_000 }, (_, at) => `x${at}`)
  const unknownIn = (...channels: Routing['channels']) =>
    routed([smtp], { routing: single('email', ...channels) }).findings?.filter(
      ({ code }) => code === 'route_name_unknown',
    )
  expect(unknownIn(...names)).toHaveLength(20)
  expect(unknownIn({ channel: 'email', providers: names })).toHaveLength(20)
})

test('groups nest', () => {
  const routing = single('inbox', all('email', 'sms'))
  expect(routed([smtp, twilio], { routing }).keys).toEqual(['email:S', 'sms:T'])
})

test('a candidate without an address or with a disabled integration is considered and not used', () => {
  const off = { ...backup, enabled: false }
  const { keys, considered } = routed([smtp, off, twilio], {
    routing: single('email', 'sms'),
    profile: { email: 'a@b.co' },
  })
  expect(keys).toEqual(['email:S'])
  expect(considered?.map(({ integration: id, reason }) => [id, reason])).toEqual([
    ['S', undefined],
    ['B', 'MISSING_CONFIGURATION'],
    ['T', 'INCOMPLETE_PROFILE_DATA'],
  ])
})

test('a message without a way says what is missing', () => {
  const stop = (...args: Parameters<typeof routed>) => {
    const { stop: reason, error } = routed(...args)
    return [reason, error]
  }
  const profile = {}
  expect(stop([], { routing: single('email') })).toEqual(['NO_PROVIDERS', 'No providers added'])
  expect(stop([smtp], { routing: single() })).toEqual(['NO_CHANNELS', 'No channels added'])
  expect(stop([smtp], { routing: single('emial', 'xyz') })).toEqual([
    'NO_CHANNELS',
    '`emial` is neither a channel nor a provider with an integration. Did you mean `email`? ' +
      '`xyz` is neither a channel nor a provider with an integration.',
  ])
  expect(stop([smtp, twilio], { routing: single('email', 'sms', 'push'), profile })).toEqual([
    'INCOMPLETE_PROFILE_DATA',
    'No usable address: email (S) needs `email` in the profile, sms (T) needs `phone_number` in the profile',
  ])
  const picky = { ...smtp, provider: { ...smtp.provider, contact: () => undefined } }
  expect(stop([picky], { routing: single('smpt', 'email'), profile: { email: 'no address' } })).toEqual([
    'INCOMPLETE_PROFILE_DATA',
    'No usable address: email (S) cannot use the `email` of the profile. ' +
      '`smpt` is neither a channel nor a provider with an integration. Did you mean `smtp`?',
  ])
  const [off, unreadable] = [
    { ...smtp, enabled: false },
    { ...backup, readable: false },
  ]
  expect(stop([off, unreadable], { routing: single('email') })).toEqual([
    'NO_PROVIDERS',
    'No provider can be used: email (S) is switched off, email (B) has secrets that cannot be read',
  ])
})

test('in production the sandbox leaves a channel that was ever given a real integration', () => {
  const off = { ...smtp, enabled: false }
  const options = { routing: single('email') }
  const switchedOff = routed([off, mailbox], options)
  expect(switchedOff.stop).toBe('NO_PROVIDERS')
  expect(switchedOff.error).toBe(
    'No provider can be used: email (S) is switched off; the mailbox does not serve email in the place of a real integration',
  )
  expect(routed([mailbox], { ...options, integrated: ['email'] }).error).toBe(
    'No provider can be used: the mailbox does not serve email in the place of a real integration',
  )
  expect(routed([mailbox], { ...options, integrated: ['sms'] }).keys).toEqual(['email:M'])
  // The other channels of a routing that tries one after the other do not take over either.
  expect(routed([off, mailbox], { routing: single('email', 'inbox') }).stop).toBe('NO_PROVIDERS')
  expect(routed([off, mailbox], { routing: all('email', 'inbox') }).keys).toEqual(['inbox:M'])
})

test('a channel that the sandbox has left is named where the recipient has an address in it and the others have none', () => {
  const mailboxOf = (channels: Channel[]): Integration => ({
    ...mailbox,
    channels,
    provider: {
      ...mailbox.provider,
      profileKeysByChannel: { ...everyKey, email: ['email'], sms: ['phone_number'] },
      contact: (profile, _settings, { channel }) => (channel === 'email' ? profile.email : profile.phone_number),
    },
  })
  const sandbox = mailboxOf(['email', 'sms'])
  const off = { ...smtp, enabled: false }
  const routing = single('sms', 'email')
  const options = { routing, profile: { email: 'ada@example.com' } }
  const left = 'the mailbox does not serve email in the place of a real integration'
  expect(routed([off, sandbox], options)).toMatchObject({
    stop: 'NO_PROVIDERS',
    error: `No provider can be used: email (S) is switched off; ${left}`,
  })
  expect(routed([sandbox], { ...options, integrated: ['email'] })).toMatchObject({
    stop: 'NO_PROVIDERS',
    error: `No provider can be used: ${left}`,
  })
  // Without an address there either, what the profile lacks is the reason.
  expect(routed([off, sandbox], { routing, profile: {} })).toMatchObject({
    stop: 'INCOMPLETE_PROFILE_DATA',
    error: 'No usable address: sms (M) needs `phone_number` in the profile',
  })
  expect(routed([off, sandbox], { ...options, workspace: 'test' }).keys).toEqual(['email:M'])
  expect(routed([off, mailboxOf(['sms'])], { ...options, workspace: 'test' })).toMatchObject({
    stop: 'NO_PROVIDERS',
    error: 'No provider can be used: email (S) is switched off',
  })
})

test('a channel that the sandbox leaves only beside a real one says so', () => {
  const beside = 'because only one of the channels is used, and there is or was a real integration for email'
  expect(routed([smtp, mailbox], { routing: single('email', 'sms'), profile: {} }).error).toBe(
    `No usable address: email (S) needs \`email\` in the profile; the mailbox does not take sms, ${beside}`,
  )
  const off = { ...smtp, enabled: false }
  expect(routed([off, mailbox], { routing: single('email', 'inbox') }).error).toBe(
    'No provider can be used: email (S) is switched off; the mailbox does not serve email in the place of a real integration; ' +
      `the mailbox does not take inbox, ${beside}`,
  )
})

test('the keys that are missing are named of the first channels; of the others, how many there are', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const chat: Integration = {
    ...mailbox,
    channels: ['email', 'push', 'direct_message'],
    provider: {
      ...mailbox.provider,
      profileKeysByChannel: { ...everyKey, email: ['email'], push: ['p', ...many], direct_message: ['d', ...many] },
      contact: () => undefined,
    },
  }
  const error = (...channels: string[]) => routed([chat], { routing: single(...channels), profile: {} }).error
  expect(error('email', 'push', 'direct_message')).toBe(
    'No usable address: email (M) needs `email` in the profile, ' +
      'push (M) needs one of 8 keys such as `p`, direct_message (M) needs one of 8 keys such as `d`',
  )
  expect(error('push', 'email')).toBe(
    'No usable address: push (M) needs one of `p`, `a`, `b`, `c`, `d`, `e`, `f`, `g` in the profile, email (M) needs `email` in the profile',
  )
  // A value that is of no use comes first.
  expect(routed([chat], { routing: single('email', 'push'), profile: { p: 'x' } }).error).toMatch(
    /^No usable address: push \(M\) cannot use the `p` of the profile, email \(M\) needs/,
  )
})

test('in the test environment the sandbox comes back when no real integration is left', () => {
  const off = { ...smtp, enabled: false }
  expect(routed([off, mailbox], { routing: single('email'), workspace: 'test' }).keys).toEqual(['email:M'])
  const gone = { routing: single('email'), workspace: 'test', integrated: ['email'] }
  expect(routed([mailbox], gone).keys).toEqual(['email:M'])
})

test('the sandbox serves a channel without another integration', () => {
  expect(routed([mailbox], { routing: single('email', 'inbox') }).keys).toEqual(['email:M', 'inbox:M'])
})

test('the sandbox is never a failover, neither in the channel nor in the next one', () => {
  const { keys, considered } = routed([smtp, mailbox], { routing: single('email', 'sms', 'inbox') })
  expect(keys).toEqual(['email:S'])
  expect(
    considered?.filter(({ integration: id }) => id === 'M').map(({ selected, reason }) => [selected, reason]),
  ).toEqual([
    [false, 'SANDBOX'],
    [false, 'SANDBOX'],
    [false, 'SANDBOX'],
  ])
})

test('a recipient whom the real integration cannot reach is unroutable, also where the sandbox could keep it', () => {
  expect(routed([smtp, mailbox], { routing: single('email', 'inbox'), profile: {} }).stop).toBe(
    'INCOMPLETE_PROFILE_DATA',
  )
  const unreadable = { ...smtp, readable: false }
  expect(routed([unreadable, mailbox], { routing: single('email', 'inbox') }).stop).toBe('NO_PROVIDERS')
})

test('a way that is named twice is gone once', () => {
  expect(routed([smtp], { routing: all('email', 'smtp', 'email') }).keys).toEqual(['email:S'])
})

test('where every channel is used, the sandbox serves those without another integration', () => {
  expect(routed([smtp, mailbox], { routing: all('email', 'sms') }).keys).toEqual(['email:S', 'sms:M'])
})

test('chosen channels come in the order of the recipient, and only those the notification has', () => {
  expect(routed([smtp, twilio], { routing: single('email', 'sms'), chosen: ['sms', 'push', 'email'] }).keys).toEqual([
    'sms:T',
    'email:S',
  ])
})

test('an order of the recipient reaches into groups, and a provider counts as its channel', () => {
  const routing = single('smtp', single('sms', 'email'))
  expect(routed([smtp, backup, twilio], { routing, chosen: ['sms', 'email'] }).keys).toEqual([
    'sms:T',
    'email:S',
    'email:B',
  ])
})

test('a channel the recipient does not want is no candidate, and says why', () => {
  const { keys, considered } = routed([smtp, twilio], { routing: single('email', 'sms'), chosen: ['sms'] })
  expect(keys).toEqual(['sms:T'])
  expect(considered?.map(({ channel, reason }) => [channel, reason])).toEqual([
    ['sms', undefined],
    ['email', 'UNSUBSCRIBED'],
  ])
})

test('a recipient who chose none of the channels counts as opted out', () => {
  expect(routed([smtp], { routing: single('email'), chosen: ['push'] }).stop).toBe('UNSUBSCRIBED')
})

test('channels of a default are ignored where none of them works', () => {
  const options = { routing: single('email', 'sms'), chosen: ['push', 'sms'], yields: true }
  expect(routed([smtp, twilio], options).keys).toEqual(['sms:T'])
  expect(routed([smtp], options).keys).toEqual(['email:S'])
})

test('the sandbox serves a chosen channel, also when other channels have integrations', () => {
  expect(routed([smtp, mailbox], { routing: single('email', 'inbox'), chosen: ['inbox'] }).keys).toEqual(['inbox:M'])
})

test('a condition that cannot be evaluated says why, of its channel and of the message', () => {
  const endless = { routing: single({ channel: 'email', condition: "'x'.repeat(2_000_000)" }, 'sms') }
  const { keys, considered } = routed([smtp, twilio], endless)
  expect(keys).toEqual(['sms:T'])
  expect(considered?.[0]).toMatchObject({
    channel: 'email',
    reason: 'FILTERED',
    error: expect.stringContaining('repeat'),
  })
  const alone = routed([smtp, mailbox], { routing: single(...endless.routing.channels.slice(0, 1)) })
  expect(alone).toMatchObject({ stop: 'FILTERED', error: expect.stringContaining('cannot be evaluated') })
})

test('when conditions take out every channel it is filtered, and not for want of a provider', () => {
  const input = { providers: { smtp: { condition: 'data.urgent' } } }
  expect(routed([smtp, mailbox], { routing: single('email'), input })).toMatchObject({
    stop: 'FILTERED',
    error: 'The conditions of its channels are not met',
  })
})

test('when its expiry is over it goes into no inbox, and by the other channels as before', () => {
  const keysAt = (expiry: SendInput['expiry'], ...channels: string[]) =>
    routed([smtp, mailbox], { routing: all(...channels), input: { ...(expiry && { expiry }) } })
  expect(keysAt({ inMs: 1 }, 'inbox', 'email').keys).toEqual(['inbox:M', 'email:S'])
  for (const expiry of [{ at: 0 }, { inMs: 0 }, { at: 9, inMs: 0 }]) {
    const { keys, considered } = keysAt(expiry, 'inbox', 'email')
    expect(keys).toEqual(['email:S'])
    expect(considered?.[0]).toMatchObject({ channel: 'inbox', reason: 'EXPIRED' })
    expect(keysAt(expiry, 'inbox')).toMatchObject({ stop: 'EXPIRED', error: 'Its time in the inbox is over' })
  }
})
