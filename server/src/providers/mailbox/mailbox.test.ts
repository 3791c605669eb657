/** The mailbox keeps the content, and reaches the recipients that a real provider of the channel reaches. */
import { channels } from '@postrider/contract'
import { expect, test } from 'vitest'
import { runAdapter, type Scene } from '../adapter.harness.ts'
import mailbox from './mailbox.ts'

const profile = {
  email: 'ada@example.com',
  phone_number: '+15550100000',
  firebaseToken: 'device-secret',
  slack: { access_token: 'xoxb-secret', channel: 'C1' },
  webhook: { url: 'https://ada.example/secret' },
}
const content = { subject: 'Hello', title: 'Hello', html: '<p>Hi</p>', text: 'Hi', body: 'Hi' }
const scene: Scene = { profile, settings: {}, content }

test.each(channels)('a message by %s is kept', (channel) => {
  const { requests, outcome } = runAdapter(mailbox, { ...scene, channel }, { kind: 'keep' })
  expect(requests).toMatchObject([{ kind: 'keep', final: true, content: { channel, ...content } }])
  expect(outcome).toEqual({ kind: 'sent', reference: { mailbox: 'delivery-1' }, delivered: true })
  expect(JSON.stringify(requests)).not.toContain('secret')
})

test('a mail is kept with its address and what the channel override added', () => {
  const email = {
    from: 'news@example.org',
    cc: ['c@example.com'],
    bcc: undefined,
    attachments: [{ filename: 'a.txt' }],
  }
  const { draft } = runAdapter(mailbox, { ...scene, channel: 'email', email }, { kind: 'keep' })
  expect(draft).toMatchObject({
    to: { recipient: 'ada', address: 'ada@example.com' },
    from: 'news@example.org',
    cc: ['c@example.com'],
    attachments: [{ filename: 'a.txt' }],
  })
  expect(draft).not.toHaveProperty('bcc')
})

test('the override is merged onto what is kept', () => {
  const { requests } = runAdapter(mailbox, { ...scene, override: { subject: 'Changed' } }, { kind: 'keep' })
  expect(requests).toMatchObject([{ content: { subject: 'Changed', text: 'Hi' } }])
})

test('an empty profile is reached by the inbox only', () => {
  const reached = (channel: (typeof channels)[number]) =>
    mailbox.contact({}, {}, { recipient: 'ada', channel }) !== undefined
  expect(channels.filter(reached)).toEqual(['inbox'])
  expect(mailbox.contact({}, {}, { recipient: 'ada' })).toEqual({ recipient: 'ada' })
})

test('a mail is kept only for an address that a mail could go to', () => {
  const reached = (email: unknown) => mailbox.contact({ email }, {}, { recipient: 'ada', channel: 'email' })
  expect(reached('Ada <ada@example.com>')).toEqual({ recipient: 'ada', address: 'Ada <ada@example.com>' })
  for (const email of ['quoted local', 'no-address', 'a@b.de\r\nBcc: x@y.de', 'a@b.co, c@d.co', 7, ['a@b.co']])
    expect(reached(email), JSON.stringify(email)).toBeUndefined()
})

test('a chat message is kept with the place that it would have gone to', () => {
  const place = (profile: Record<string, unknown>) =>
    mailbox.contact(profile, {}, { recipient: 'ada', channel: 'direct_message' })
  expect(place({ slack: { access_token: 'xoxb-secret', channel: 'releases' } })).toEqual({
    ...{ recipient: 'ada', address: '#releases' },
  })
  expect(place({ slack: { channel: '#releases' } })).toMatchObject({ address: '#releases' })
  expect(place({ slack: { channel: 'C024BE91L' } })).toMatchObject({ address: 'C024BE91L' })
  expect(place({ slack: { email: 'ada@example.com' } })).toMatchObject({ address: 'ada@example.com' })
  expect(place({ discord: { channel_id: '768866348853383208' } })).toMatchObject({ address: '768866348853383208' })
  for (const profile of [
    { slackToken: 'xoxb-secret' },
    { slack: { incoming_webhook: { url: 'https://hooks.slack.example/secret' } } },
  ])
    expect(place(profile)).toEqual({ recipient: 'ada' })
})

test.each([
  ['direct_message', { telegram: { chat_id: 123456789 } }],
  ['push', { aws_sns: { target_arn: 'arn:aws:sns:eu-central-1:123456789012:endpoint/GCM/shop/1' } }],
] as const)('an address of %s that a provider takes is reached: %j', (channel, profile) =>
  expect(mailbox.contact(profile, {}, { recipient: 'ada', channel })).toEqual({ recipient: 'ada' }),
)

test('a message that could not be stored is tried again', () => {
  const { outcome } = runAdapter(mailbox, scene, {
    kind: 'failure',
    failure: 'aborted',
    message: 'stop',
    reached: false,
  })
  expect(outcome).toMatchObject({ kind: 'retry', attempted: true })
})
