/** Bodies of both generations become one input; a body without a recipient or with invalid values is rejected. */
import type { MessageRecipient, MessageSend } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { readRecipients } from '../../recipients/read-recipients.ts'
import { readDelay, readMessage, readSend } from './read-send.ts'

const message = (more: Partial<MessageSend>): MessageSend => ({ to: {}, template: 'welcome', ...more })
const shared = (more: Partial<MessageSend>) => readMessage(message(more)).shared

test('parts that are null are absent', () => {
  expect(readSend({ event: 'e', recipient: 7, profile: null, data: null, brand: null })).toEqual({
    event: 'e',
    recipient: '7',
  })
  expect(shared({ data: null, routing: null, channels: null, timeout: null, content: null })).toEqual({
    event: 'welcome',
    template: 'welcome',
  })
})

describe('a message', () => {
  test('overrides of channels and providers become one', () => {
    const read = shared({
      channels: { email: { override: { subject: 's' }, providers: ['smtp'], if: 'data.x', timeouts: { channel: 5 } } },
      providers: { smtp: { override: { body: { b: 1 } }, timeout: 20 }, twilio: null },
    })
    expect(read.override).toEqual({ channel: { email: { subject: 's' } }, smtp: { body: { b: 1 } } })
    expect(read.channels).toEqual({ email: { providers: ['smtp'], condition: 'data.x', channelMs: 5 } })
    expect(read.providers).toEqual({ smtp: { providerMs: 20_000 } })
  })
  test('routing nests, four groups deep at most', () => {
    const nested = { method: 'all', channels: ['email', 'sms'] }
    const channels = ['inbox', nested, { channel: 'push', if: 'true' }] as never
    expect(shared({ routing: { method: 'single', channels } }).routing).toEqual({
      method: 'single',
      channels: ['inbox', nested, { channel: 'push', condition: 'true' }],
    })
    const deep = { channels: [{ channels: [{ channels: [{ channels: [{ channels: ['email'] }] }] }] }] } as never
    expect(() => shared({ routing: deep })).toThrow('nests deeper')
  })
  test.each<[string, Partial<MessageSend>]>([
    ['message.channels.sms.if', { channels: { sms: { if: 'data.x ===' } } }],
    ['message.providers.smtp.if', { providers: { smtp: { if: '}' } } }],
    ['the if of push', { routing: { method: 'single', channels: [{ channel: 'push', if: 'a b' }] } }],
  ])('a condition that cannot be read is refused: %s', (place, more) => expect(() => shared(more)).toThrow(place))
  test('an expiry is a timestamp, a duration, or both', () => {
    const expiry = (fields: NonNullable<MessageSend['expiry']>) => shared({ expiry: fields }).expiry
    expect(expiry({ expires_at: '2026-01-06T08:00:00Z' })).toEqual({ at: Date.parse('2026-01-06T08:00Z') })
    expect(expiry({ expires_at: 1_767_686_400_000, expires_in: 60_000 })).toEqual({
      at: 1_767_686_400_000,
      inMs: 60_000,
    })
    expect(expiry({ expires_at: null, expires_in: 'P1DT4H' })).toEqual({ inMs: 28 * 3_600_000 })
    for (const expires_at of ['soon', '-1', -1, 1e300, '1e300'])
      expect(() => expiry({ expires_at })).toThrow('expires_at')
    expect(() => expiry({ expires_in: 1e300 })).toThrow('expires_in')
    expect(() => expiry({ expires_in: '2 days-ish' })).toThrow('expires_in')
    expect(() => expiry({ expires_in: '-P1D' })).toThrow('expires_in')
  })
  test('a name of what happened does not replace the template', () => {
    expect(shared({ metadata: { event: 'signed-up' } })).toEqual({
      event: 'welcome',
      template: 'welcome',
      metadata: { event: 'signed-up' },
    })
    expect(readMessage(message({ metadata: { tags: ['a'], trace_id: 't' } })).marks).toEqual({
      tags: ['a'],
      traceId: 't',
    })
  })
  test('without template and content is refused', () => {
    const error = "Invalid Request. Either 'content' or 'template' must be defined."
    expect(() => shared({ template: null })).toThrow(expect.objectContaining({ message: error }))
    expect(() => shared({ template: null, templat: 'x' } as object)).toThrow(
      expect.objectContaining({ message: `${error} Unknown field \`templat\`. Did you mean \`template\`?` }),
    )
  })
})

describe('the recipient', () => {
  test.each<[string, MessageRecipient, unknown]>([
    [
      'a user with contacts',
      { user_id: 'u', email: 'u@example.com', data: { a: 1 }, context: { tenant_id: 't' } },
      { kind: 'one', ownInput: { recipient: 'u', profile: { email: 'u@example.com' }, data: { a: 1 }, tenantId: 't' } },
    ],
    ['a list', { list_id: 'l' }, { kind: 'many', targets: [{ kind: 'list', listId: 'l' }] }],
    [
      'members of a tenant on a list',
      { list_id: 'l', filters: [{ operator: 'MEMBER_OF', path: 'account_id', value: 't' }] },
      { kind: 'many', targets: [{ kind: 'list', listId: 'l', memberOf: ['t'] }] },
    ],
    ['lists by pattern', { list_pattern: 'a.*' }, { kind: 'many', targets: [{ kind: 'pattern', pattern: 'a.*' }] }],
    ['an audience', { audience_id: 'a' }, { kind: 'many', targets: [{ kind: 'audience', audienceId: 'a' }] }],
    [
      'a tenant with its children',
      { account_id: 't', include_children: true },
      { kind: 'many', targets: [{ kind: 'tenant', tenantId: 't', includeChildren: true }] },
    ],
  ])('%s', (_title, to, expected) => expect(readRecipients(to)).toEqual(expected))

  test('an address alone gets an id of its own each time', () => {
    const singleRecipient = readRecipients({ email: 'a@example.com', locale: 'de' })
    const other = readRecipients({ email: 'a@example.com', locale: 'de' })
    expect(singleRecipient).toEqual({
      kind: 'one',
      ownInput: { recipient: expect.stringMatching(/^anon_/), profile: { email: 'a@example.com', locale: 'de' } },
    })
    expect(singleRecipient).not.toEqual(other)
  })
  test('an empty recipient gets an id as well: a provider may need no address', () => {
    const anon = { recipient: expect.stringMatching(/^anon_/) }
    expect(readRecipients({})).toEqual({ kind: 'one', ownInput: anon })
    expect(readRecipients({ locale: 'de', email: '', data: 'x' } as never)).toEqual({
      kind: 'one',
      ownInput: { ...anon, profile: { locale: 'de' } },
    })
  })
  test('an empty list is a recipient without an address, like an empty object', () => {
    for (const to of [[], [{}], {}])
      expect(readRecipients(to)).toEqual({ kind: 'one', ownInput: { recipient: expect.stringMatching(/^anon_/) } })
  })
  test('several stay in order, users next to each other together', () => {
    const recipients = readRecipients([{ user_id: 'a' }, { user_id: 'b' }, { list_id: 'l' }, { user_id: 'c' }])
    expect(
      recipients.kind === 'many' &&
        recipients.targets.map((target) => [target.kind, 'users' in target ? target.users.length : 0]),
    ).toEqual([
      ['users', 2],
      ['list', 0],
      ['users', 1],
    ])
  })
  test.each<[string, MessageSend['to'], string]>([
    ['two things at once', { user_id: 'u', list_id: 'l' }, 'more than one'],
    ['a pattern that is none', { list_pattern: 'a*' }, 'pattern'],
    ['501', Array.from({ length: 501 }, (_, n) => ({ user_id: `${n}` })), 'message.to has 501 recipients. Max is 500'],
  ])('%s is refused', (_title, to, text) => expect(() => readRecipients(to)).toThrow(text))
})

describe('a delay', () => {
  const now = Date.parse('2026-01-05T12:00:30Z')
  test('ends with a whole minute', () => {
    expect(readDelay({ duration: 120_000 }, now)).toEqual({ notBefore: Date.parse('2026-01-05T12:03Z') })
    expect(readDelay({ duration: 0 }, now)).toEqual({})
  })
  test('until a time, or within opening hours', () => {
    expect(readDelay({ until: '2026-01-06T08:00:00Z' }, now)).toEqual({ notBefore: Date.parse('2026-01-06T08:00Z') })
    expect(readDelay({ until: '2020-01-06T08:00:00Z' }, now)).toEqual({})
    expect(readDelay({ until: 'Mo-Fr 08:00-18:00', timezone: 'Europe/Vienna' }, now)).toEqual({
      openingHours: { rule: 'Mo-Fr 08:00-18:00', timezone: 'Europe/Vienna' },
    })
  })
  test('a timestamp without a zone is in the zone beside it, else UTC', () => {
    const vienna = { until: '2026-01-06T08:00:00', timezone: 'Europe/Vienna' }
    expect(readDelay(vienna, now)).toEqual({ notBefore: Date.parse('2026-01-06T07:00Z') })
    expect(readDelay({ until: vienna.until }, now)).toEqual({ notBefore: Date.parse('2026-01-06T08:00Z') })
  })
  test('`until` takes precedence over `duration`; null counts as absent', () => {
    const both = { duration: 60_000, until: '2026-01-06T08:00:00Z' }
    expect(readDelay(both, now)).toEqual({ notBefore: Date.parse('2026-01-06T08:00Z') })
    expect(readDelay({}, now)).toEqual({})
    expect(readDelay({ ...both, duration: null } as never, now)).toEqual({ notBefore: Date.parse('2026-01-06T08:00Z') })
    expect(readDelay({ ...both, until: null } as never, now)).toEqual({ notBefore: Date.parse('2026-01-05T12:02Z') })
  })
  test('reaches two years ahead, for reminders of next year', () => {
    const christmas = Date.parse('2027-12-24T08:00:00Z')
    expect(readDelay({ until: '2027-12-24T08:00:00Z' }, now)).toEqual({ notBefore: christmas })
    expect(readDelay({ duration: christmas - now }, now)).toEqual({ notBefore: christmas })
    expect(readDelay({ until: 'Jul 01 08:00-09:00' }, now)).toEqual({ openingHours: { rule: 'Jul 01 08:00-09:00' } })
  })
  test.each(['soon', '2026-13-01', '2027-02-30T10:00:00Z', 'Mo off', 'Mo 09:00+', '2028-01-10T00:00:00Z'])(
    'until %s is refused',
    (until) => expect(() => readDelay({ until }, now)).toThrow('delay.until'),
  )
})
