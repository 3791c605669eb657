/** Mistakes in a send are named by their place, and a body without a mistake is silent. */
import type { BulkMessage, MessageSend } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { textsOf } from '../../base/finding.ts'
import { withinWork } from '../../base/processor-time.harness.ts'
import { jobMistakes, listSendMistakes, sendMistakes } from './send-mistakes.ts'

const content = { title: 'Invoice', body: 'It is due.' }
const now = Date.parse('2026-01-05T12:00:00Z')
const user = { user_id: 'ada', email: 'ada@example.com' }
const mistakesOf = (message: object) =>
  textsOf(sendMistakes({ message: { to: user, content, ...message } as MessageSend }, now))
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
    expect(textsOf(jobMistakes({ message }, now))).toEqual([sentence])
  })

  test.each([
    [{ smpt: {} }, 'Unknown provider `smpt`. Did you mean `smtp`?'],
    [{ email: { subject: 'x' } }, 'Unknown provider `email`. Did you mean `override.channel.email`?'],
    [
      { channel: { emial: {} } },
      '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
    ],
  ])('the override %j', (override, sentence) => {
    expect(textsOf(sendMistakes({ ...first, override }, now))).toEqual([sentence])
    expect(textsOf(listSendMistakes({ event: 'welcome', list: 'news', override }, now))).toEqual([sentence])
    expect(textsOf(jobMistakes({ message: { event: 'welcome', override } }, now))).toEqual([sentence])
  })

  test('names of providers, and ids and aliases of integrations, are silent', () => {
    const timeout = { channel: { sms: 1 }, provider: { nexmo: 1 } }
    const providers = { smtp: {}, nexmo: { if: 'data.x' }, smpt: null }
    const channels = { email: { providers: ['smtp', 'ABCDEFGHJKMNPQRSTVWXYZ012345', 'eu-sendgrid', 'smpt'] } }
    expect(mistakesOf({ channels, providers, timeout })).toEqual([])
    const override = { smtp: { body: {} }, channel: { email: { subject: 'x' } }, brand: {} }
    expect(sendMistakes({ ...first, override }, now)).toEqual([])
  })
})

describe('an override', () => {
  const names = '`subject`, `title`, `html`, `text`, `body`, `brand`, `tracking`'
  test.each([
    [{ channel: { email: { sbject: 'x' } } }, ['Unknown field `sbject` at AT.email. Did you mean `subject`?']],
    [{ channel: { sms: { from: '+1' } } }, [`Unknown field \`from\` at AT.sms. AT.sms has ${names}.`]],
    [{ channel: { push: { dta: {} } } }, ['Unknown field `dta` at AT.push. Did you mean `data`?']],
    [{ channel: { email: { replyTo: 'a@b.co', reply_to: 'a@b.co', title: 'x', from: null, nothing: null } } }, []],
    [{ channel: { email: JSON.parse('{"__proto__": 1}') } }, ['Unknown field `__proto__` at AT.email.']],
  ])('%j of a channel', (override, sentences) => {
    const at = (place: (channel: string) => string) =>
      sentences.map((sentence) => sentence.replaceAll(/AT\.(\w+)/g, (_, channel) => place(channel)))
    expect(textsOf(sendMistakes({ ...first, override }, now))).toEqual(at((channel) => `override.channel.${channel}`))
    const channels = Object.fromEntries(
      Object.entries(override.channel).map(([channel, over]) => [channel, { override: over }]),
    )
    expect(mistakesOf({ channels })).toEqual(at((channel) => `message.channels.${channel}.override`))
  })

  test('a provider takes any field, except what is nearly the name of one around its request', () => {
    const override = { sendgrid: { bdy: {}, url: 'x' }, twilio: { body: { bdy: 1 }, confg: {} } }
    const sentences = (at: (provider: string) => string) => [
      `Unknown field \`bdy\` at ${at('sendgrid')}. Did you mean \`body\`?`,
      `Unknown field \`confg\` at ${at('twilio')}. Did you mean \`config\`?`,
    ]
    expect(textsOf(sendMistakes({ ...first, override }, now))).toEqual(sentences((provider) => `override.${provider}`))
    const providers = Object.fromEntries(
      Object.entries(override).map(([provider, over]) => [provider, { override: over }]),
    )
    expect(mistakesOf({ providers })).toEqual(sentences((provider) => `message.providers.${provider}.override`))
  })

  test('with a variable of the send is not filled in', () => {
    const email = { subject: 'Hi {name}, {name}', html: '<style>p{color:red}</style>{profile.city} {plan} {{name}}' }
    // Braces of scripts and of other templates.
    const body = { subject: 'if (x) {data}', body: '${name} {profile}' }
    expect(
      textsOf(sendMistakes({ ...first, data: { name: 'Ada' }, override: { channel: { email: body } } }, now)),
    ).toEqual([])
    const sentences = (at: string) => [
      `${at}.subject: \`{name}\` is not filled in: the recipient reads \`{name}\`.`,
      `${at}.html: \`{profile.city}\` is not filled in: the recipient reads \`{profile.city}\`.`,
    ]
    const data = { name: 'Ada' }
    const mistakes = sendMistakes({ ...first, data, override: { channel: { email } } }, now)
    expect(textsOf(mistakes)).toEqual(sentences('override.channel.email'))
    expect(mistakes.map(({ code }) => code)).toEqual(['variable_missing', 'variable_missing'])
    const channels = { email: { override: email } }
    expect(mistakesOf({ channels, data })).toEqual(sentences('message.channels.email.override'))
    expect(mistakesOf({ channels, to: { ...user, data } })).toEqual(sentences('message.channels.email.override'))
    expect(
      textsOf(listSendMistakes({ list: 'news', event: 'welcome', data, override: { channel: { email } } }, now)),
    ).toEqual(sentences('override.channel.email'))
  })

  test('with many fields and braces costs no more than the sentences that it gets', async () => {
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`sbject${n.toString(36)}`, 1]))
    const html = `{name} {nam ${'{other} '.repeat(300_000)}`
    const channel = { email: { ...fields, html, text: html } }
    const override = { channel, sendgrid: fields }
    await withinWork(250, () => {
      expect(sendMistakes({ ...first, data: { name: 'Ada' }, override }, now)).toHaveLength(52)
    })
  })
})

describe('the timing of a send', () => {
  test.each([
    [
      { delay: { until: '2025-01-06T08:00:00Z' } },
      'message.delay.until has no effect: `2025-01-06T08:00:00Z` is in the past.',
    ],
    [
      { delay: { until: '2026-01-05T12:30', timezone: '+01:00' } },
      'message.delay.until has no effect: `2026-01-05T12:30` is in the past.',
    ],
    [{ delay: { duration: 60_000, timezone: '+01:00' } }, 'message.delay.timezone has no effect without `until`.'],
    [
      { delay: { until: '2026-01-06T08:00:00Z', timezone: '+01:00' } },
      'message.delay.timezone has no effect: `2026-01-06T08:00:00Z` has a time zone.',
    ],
    [
      { expiry: { expires_at: '2026-01-04' } },
      'message.expiry.expires_at: `2026-01-04` is in the past, and no inbox gets the message.',
    ],
    [
      { expiry: { expires_at: 1_767_700_000 } },
      'message.expiry.expires_at: `1767700000` (1970-01-21T11:01:40.000Z) is in the past, and no inbox gets the message.',
    ],
  ])('%j', (timing, sentence) => {
    expect(mistakesOf(timing)).toEqual([sentence])
    const message = { event: 'welcome', message: { template: 'welcome', ...timing } } as BulkMessage
    expect(textsOf(jobMistakes({ message }, now))).toEqual([sentence.replace('message.', 'message.message.')])
    if (!('delay' in timing)) return
    const withoutMessage = [sentence.replace('message.', '')]
    expect(textsOf(sendMistakes({ ...first, ...timing } as typeof first, now))).toEqual(withoutMessage)
    expect(textsOf(listSendMistakes({ event: 'welcome', list: 'news', ...timing } as never, now))).toEqual(
      withoutMessage,
    )
  })

  test.each([
    { delay: { until: '2026-01-05T11:50:00Z' } },
    { delay: { until: '2026-01-05T12:00:00.000Z' } },
    { delay: { until: '2026-01-06', timezone: 'Europe/Vienna' } },
    { delay: { until: '2026-01-05T13:30', timezone: 'Europe/Vienna' } },
    { delay: { until: 'Mo-Fr 08:00-18:00', timezone: 'Europe/Vienna' } },
    { delay: { until: 'Mo-Fr 08:00-18:00' } },
    { delay: { duration: 0 } },
    { delay: { duration: null, until: null, timezone: null } },
    { delay: {} },
    { expiry: {} },
    { expiry: { expires_at: null, expires_in: 'P1D' } },
    { expiry: { expires_at: '2026-01-05T11:50:00Z' } },
    { expiry: { expires_at: now + 1 } },
  ])('%j is right', (timing) => expect(mistakesOf(timing)).toEqual([]))
})
