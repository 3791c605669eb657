/** Mistakes in a send are named by their place, and a body without a mistake is silent. */
import type { BulkMessage, MessageSend } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { textsOf } from '../../base/finding.ts'
import { jobMistakes, listSendMistakes, sendMistakes } from './send-mistakes.ts'

const content = { title: 'Invoice', body: 'It is due.' }
const user = { user_id: 'ada', email: 'ada@example.com' }
const mistakesOf = (message: object) =>
  textsOf(sendMistakes({ message: { to: user, content, ...message } as MessageSend }))
const mistakesOfRecipient = (to: object) => mistakesOf({ to })
const first = { event: 'welcome', recipient: 'ada' }

describe('a key of a recipient', () => {
  test.each([
    ...['team_id', 'account', 'accounts', 'lists', 'local_id', 'mail', 'email2', 'email_2', 'phone_number2', 'emails'],
    ...['id', 'phone', 'slack', 'favorite_color', '\u{1f600}'],
  ])('%s is profile data', (key) => expect(mistakesOfRecipient({ ...user, [key]: 'x' })).toEqual([]))

  test.each([
    ['emial', { user_id: 'ada' }, 'email'],
    ['emaill', { user_id: 'ada' }, 'email'],
    ['user_di', { email: user.email }, 'user_id'],
    ['userId', { email: user.email }, 'user_id'],
    ['phone_numbr', user, 'phone_number'],
    ['tenat_id', user, 'tenant_id'],
    ['tenat_id', { list_id: 'news' }, 'tenant_id'],
    ['time_zone', user, 'timezone'],
  ])('%s beside %j is %s with a typing mistake', (key, others, name) => {
    const sentence = (at: string) => `Unknown field \`${key}\` at ${at}. Did you mean \`${name}\`?`
    expect(mistakesOfRecipient({ ...others, [key]: 'x' })).toEqual([sentence('message.to')])
    expect(mistakesOfRecipient([user, { ...others, [key]: 'x' }])).toEqual([sentence('message.to.1')])
  })

  test.each([
    ['the field with the right name', { ...user, emial: 'x' }],
    ['a tenant under another name', { ...user, account_id: 'acme', tenat_id: 'x' }],
    ['a tenant in the context', { ...user, context: { tenant_id: 'acme' }, tenat_id: 'x' }],
  ])('is silent beside %s', (_beside, to) => expect(mistakesOfRecipient(to)).toEqual([]))

  test('is silent without a value, and with an object', () => {
    expect(mistakesOfRecipient({ user_id: 'ada', emial: '' })).toEqual([])
    expect(mistakesOfRecipient({ user_id: 'ada', emails: [{ value: 'x' }] })).toEqual([])
  })

  test('`id` means the user, where nothing else names one', () => {
    const sentence = 'Unknown field `id` at message.to. Did you mean `user_id`?'
    expect(mistakesOfRecipient({ id: 'ada', email: user.email })).toEqual([sentence])
    for (const others of [{ user_id: 'ada' }, { list_id: 'news' }, { list_pattern: 'news.*' }, { audience_id: 'all' }])
      expect(mistakesOfRecipient({ ...others, id: 'ada' })).toEqual([])
    expect(mistakesOfRecipient({ user_di: 'ada', id: 7 })).toEqual([
      'Unknown field `user_di` at message.to. Did you mean `user_id`?',
    ])
  })

  test('`phone` means the number, where there is no other address', () => {
    const sentence = 'Unknown field `phone` at message.to. Did you mean `phone_number`?'
    expect(mistakesOfRecipient({ user_id: 'ada', phone: '+12025550143' })).toEqual([sentence])
    for (const others of [
      { email: user.email },
      { phone_number: '+1' },
      { slack: { email: 'x' } },
      { list_id: 'news' },
    ])
      expect(mistakesOfRecipient({ ...others, phone: '+12025550143' })).toEqual([])
  })
})

test('preferences and the context of a recipient', () => {
  expect(mistakesOfRecipient({ ...user, preferences: { notificatons: {} } })).toEqual([
    'Unknown field `notificatons` at message.to.preferences. Did you mean `notifications`?',
  ])
  expect(mistakesOfRecipient([{ ...user, context: { tenantid: 'acme' } }])).toEqual([
    'Unknown field `tenantid` at message.to.0.context. Did you mean `tenant_id`?',
  ])
  const notifications = { order: { status: 'OPTED_IN' } }
  expect(mistakesOfRecipient({ ...user, preferences: { notifications }, context: { tenant_id: 'acme' } })).toEqual([])
})

describe('content', () => {
  test.each([
    [{ titel: 'Invoice', body: 'x' }, 'Unknown field `titel` at message.content. Did you mean `title`?'],
    [
      { version: '2022-01-01', elements: [], subject: 'Invoice' },
      'Unknown field `subject` at message.content. Content has `version`, `elements`, `title`, `body`.',
    ],
  ])('%j', (written, sentence) => expect(mistakesOf({ content: written })).toEqual([sentence]))

  test('in both forms is silent', () => {
    expect(mistakesOf({})).toEqual([])
    expect(mistakesOf({ content: { version: '2022-01-01', elements: [{ type: 'text', content: 'x' }] } })).toEqual([])
  })

  test('beside a template is used', () => {
    expect(mistakesOf({ template: 'welcome' })).toEqual(['message.template is ignored beside `content`.'])
    expect(mistakesOf({ template: 'welcome', content: null })).toEqual([])
    expect(mistakesOf({ template: '' })).toEqual([])
  })
})

describe('settings under a name that does not exist', () => {
  test.each([
    [{ providers: { smpt: {} } }, 'Unknown provider `smpt`. Did you mean `smtp`?'],
    [{ providers: { email: {} } }, 'Unknown provider `email`. Did you mean `channels.email`?'],
    [{ channels: { email: { providers: ['smpt'] } } }, 'Unknown provider `smpt`. Did you mean `smtp`?'],
    [
      { timeout: { channel: { emial: 1 } } },
      'Unknown channel `emial` at message.timeout.channel. Did you mean `email`?',
    ],
    [
      { timeouts: { provider: { smpt: 1 } } },
      'Unknown provider `smpt` at message.timeouts.provider. Did you mean `smtp`?',
    ],
  ])('%j', (settings, sentence) => {
    expect(mistakesOf(settings)).toEqual([sentence])
    const message = { event: 'welcome', ...settings } as BulkMessage
    expect(textsOf(jobMistakes({ message }))).toEqual([sentence])
  })

  test.each([
    [{ smpt: {} }, 'Unknown provider `smpt`. Did you mean `smtp`?'],
    [{ email: { subject: 'x' } }, 'Unknown provider `email`. Did you mean `override.channel.email`?'],
    [
      { channel: { emial: {} } },
      '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
    ],
  ])('the override %j', (override, sentence) => {
    expect(textsOf(sendMistakes({ ...first, override }))).toEqual([sentence])
    expect(textsOf(listSendMistakes({ event: 'welcome', list: 'news', override }))).toEqual([sentence])
    expect(textsOf(jobMistakes({ message: { event: 'welcome', override } }))).toEqual([sentence])
  })

  test('names of providers, and ids and aliases of integrations, are silent', () => {
    const timeout = { channel: { sms: 1 }, provider: { nexmo: 1 } }
    const providers = { smtp: {}, nexmo: { if: 'data.x' }, smpt: null }
    const channels = { email: { providers: ['smtp', 'ABCDEFGHJKMNPQRSTVWXYZ012345', 'smtp2', 'codes'] } }
    expect(mistakesOf({ channels, providers, timeout })).toEqual([])
    const override = { smtp: { body: {} }, channel: { email: { subject: 'x' } }, brand: {} }
    expect(sendMistakes({ ...first, override })).toEqual([])
  })
})
