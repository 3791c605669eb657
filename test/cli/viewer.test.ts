/**
 * A viewer's key on the command line: sentences, steps and errors of messages, with nothing of their recipients.
 * @module-tag safety
 */
import type { MessageRouting, MessageSend } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { type App, clientOf, openApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from '../system/templates.ts'
import { run } from './in-process.ts'

const NAME = 'Zanzibarquokka'
const EMAIL = `${NAME}@example.com`
const PHONE = '+12025550177'
/** Found with a key of role full, and not with a viewer's. */
const PERSONAL = new RegExp(`${NAME}|2025550177`, 'i')

/** By name: what is sent, the sentence as a viewer reads it, and a step. */
const situations: Record<string, [message: Partial<MessageSend>, sentence: string, step?: string]> = {
  'delivered into the mailbox': [{}, 'Delivered by email through Mailbox, '],
  'refused with words of the provider': [
    routed('sms'),
    'Not delivered: Text messages refused the address. Nothing else is left.',
  ],
  'tried again after words of the provider': [routed('webhook'), 'Not sent yet: Hook failed. Hook is called again at '],
  'without a template': [{ content: undefined, template: EMAIL }, 'Not sent. There is no template `•••`.'],
  'of a template whose condition names a person': [
    { content: undefined, template: 'conditional' },
    'Not sent. The condition `•••` is not met.',
  ],
  'limited to channels by a preference': [
    { preferences: { subscription_topic_id: 'offers' } },
    'Delivered by email through Mailbox, ',
    'The preferences allow only email.',
  ],
  'opted out by a key that is named for a person': [
    { preferences: { subscription_topic_id: 'news' } },
    'Not sent. The recipient was opted out by `•••` (',
  ],
  'routed by a name that stands for nothing': [
    routed(EMAIL),
    'Not sent. `•••` is neither a channel nor a provider with an integration.',
  ],
  'with a misspelled key in the profile': [
    { to: { emial: EMAIL } as MessageSend['to'] },
    'Not sent. No usable address: email (Mailbox) needs `email` in the profile (which has `•••`: did you mean `email`?).',
  ],
  'with a value that is no address': [
    { to: { phone_number: NAME }, ...routed('sms') },
    'Not sent. No usable address: `phone_number` is not valid for SMS (Text messages).',
  ],
  'to a device that is signed out': [
    routed('push'),
    'Not sent. No usable address: push (Phones) has no active token (•••: •••).',
  ],
  'with content that cannot be rendered': [
    { channels: { email: { override: { subject: `two\r\n${NAME}` } } } } as Partial<MessageSend>,
    'Not delivered: Mailbox had nothing to send, because the content cannot be rendered. Nothing else is left.',
  ],
}

function routed(...channels: string[]): { routing: MessageRouting } {
  return { routing: { method: 'single', channels } as MessageRouting }
}

let app: App
let peer: Recorder
let viewer: string
const ids = new Map<string, string>()

beforeAll(async () => {
  ;[app, peer] = await Promise.all([openApp(), startRecorder()])
  const { client } = app
  peer.answer('/retry', { status: 503, body: `${EMAIL} is busy` })
  const invalid = { code: 21211, message: `The 'To' number ${PHONE} of ${NAME} is not valid` }
  peer.answer(({ path }) => path.endsWith('/Messages.json'), { status: 400, body: invalid })
  const twilio = { accountSid: 'AC1', authToken: 'token', from: '+12025550100', baseUrl: peer.url }
  await integrate(client, { provider: 'twilio', title: 'Text messages', settings: twilio })
  await integrate(client, { provider: 'webhook', title: 'Hook', settings: { url: `${peer.url}/retry` } })
  await integrate(client, { provider: 'expo', title: 'Phones', settings: {} })
  await publish(client, 'conditional', { channels: ['email'], settings: { if: `profile.name != "${NAME}"` } })
  const { id: section } = await client.sections.create({ name: 'Shop', routing_options: ['email'] })
  const topicOf = async (name: string) =>
    (await client.topics.create(section, { name, default_status: 'OPTED_IN' } as never)).id
  const topics: Record<string, string> = { news: await topicOf('News'), offers: await topicOf('Offers') }
  await client.profiles.replace('ada', { profile: { name: NAME, email: EMAIL, phone_number: PHONE } })
  const token = {
    provider_key: 'expo',
    status: 'revoked',
    status_reason: `${NAME} signed out`,
    device: { model: NAME },
  }
  await mustCall(app, 'PUT', '/users/ada/tokens/ExponentPushToken[1]', token)
  const { key } = await mustCall(app, 'POST', '/keys', { name: NAME })
  const byMail = { status: 'OPTED_IN', has_custom_routing: true, custom_routing: ['email'] }
  for (const [topic, preference] of [
    ['news', { status: 'OPTED_OUT' }],
    ['offers', byMail],
  ] as const)
    await clientOf(app.url, key).preferences.putTopic('ada', topics[topic] ?? '', { topic: preference } as never)
  viewer = (await mustCall(app, 'POST', '/keys', { name: 'viewer', role: 'viewer' })).key
  for (const [name, [{ preferences, ...message }]] of Object.entries(situations)) {
    const send = {
      ...{ to: { user_id: 'ada' }, content: { title: NAME, body: `Hello ${NAME}` }, data: { [EMAIL]: NAME } },
      ...{ metadata: { tags: [NAME] }, ...routed('email'), ...message },
      ...(preferences && { preferences: { subscription_topic_id: topics[String(preferences.subscription_topic_id)] } }),
    } as MessageSend
    ids.set(name, (await client.send({ message: send })).requestId)
  }
})
afterAll(() => Promise.all([app?.stop(), peer?.close()]))

const command = async (args: string[], apiKey: string) => {
  const { code, out, err } = await run(args, { env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: apiKey } })
  expect([args, code, err]).toEqual([args, 0, ''])
  return out
}
const idOf = (name: string) => ids.get(name) ?? ''
/** Decided, and tried where it can be. */
const reached = (name: string) =>
  until(
    () => app.client.messages.get(idOf(name)),
    ({ status, retry }) => !['ENQUEUED', 'ROUTED'].includes(status) || retry !== undefined,
  )

test.each(Object.entries(situations))('a message %s', async (name, [, sentence, step = '']) => {
  await reached(name)
  const id = idOf(name)
  const shown = await command(['messages', 'show', id], viewer)
  expect(shown.split('\n')[1]).toContain(sentence)
  const explained = await command(['messages', 'explain', id], viewer)
  expect(explained).toContain(step)
  expect(explained).toMatch(/^map +(?:passed|stopped) +[A-Z][^•]+/m)
  // The sentences come from these replies.
  const { messages } = clientOf(app.url, viewer)
  const replies = await Promise.all([messages.get(id), messages.explain(id), messages.history(id)])
  expect([shown, explained, JSON.stringify(replies)].join('\n')).not.toMatch(PERSONAL)
  expect(JSON.stringify(await app.client.messages.explain(id))).toMatch(PERSONAL)
})

test('the key that canceled a message is named, unless its name is an address', async () => {
  for (const [name, shown] of [
    ['operations', 'key/operations'],
    [EMAIL, '•••'],
  ] as const) {
    const { key } = await mustCall(app, 'POST', '/keys', { name })
    const delay = { duration: 3_600_000 }
    const message = { to: { user_id: 'ada' }, content: { title: NAME, body: NAME }, delay }
    const { requestId } = await app.client.send({ message })
    await clientOf(app.url, key).messages.cancel(requestId)
    const { messages } = clientOf(app.url, viewer)
    expect(await messages.get(requestId)).toMatchObject({ status: 'CANCELED', canceledBy: shown })
    const { results } = await messages.history(requestId, { type: 'CANCELED' })
    expect(results).toMatchObject([{ source: shown }])
  }
})

test('a list of them, and of those that are tried again', async () => {
  await Promise.all(Object.keys(situations).map(reached))
  for (const filter of [[], ['--retrying']]) {
    expect(await command(['messages', 'list', ...filter], app.apiKey)).toMatch(PERSONAL)
    const listed = await command(['messages', 'list', ...filter], viewer)
    expect(listed).toContain(idOf('tried again after words of the provider'))
    expect(listed).toContain('•••')
    expect(listed).not.toMatch(PERSONAL)
  }
})
