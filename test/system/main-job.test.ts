/** The main job, as an operator meets it: a process, an integration, a notification, one call; and what arrives. */
import { randomBytes } from 'node:crypto'
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiCaller } from '../support/api-client.ts'
import { clientOf, sendAndSettle } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { integrate, publish } from './templates.ts'

const apiKey = `pk_prod_${'k'.repeat(40)}`
const profile = { email: 'ada@example.com', phone_number: '+12025550143' }

let server: ServerProcess
let client: Postrider
let smtp: SmtpSink
let peer: Recorder
const ids: Record<string, string> = {}

beforeAll(async () => {
  ;[server, smtp, peer] = await Promise.all([
    startServer({
      env: {
        ...(await databaseEnvironment()),
        POSTRIDER_API_KEY: apiKey,
        POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
      },
    }),
    startSmtpSink({ user: 'postman', password: 'letter' }),
    startRecorder(),
  ])
  client = clientOf(server.url, apiKey)
  const from = { fromAddress: 'news@shop.example', fromName: 'The Shop' }
  const integrations = [
    {
      provider: 'smtp',
      settings: {
        host: '127.0.0.1',
        port: smtp.port,
        security: 'opportunistic',
        user: 'postman',
        password: 'letter',
        ...from,
      },
    },
    { provider: 'sendgrid', settings: { apiKey: 'SG.key', baseUrl: peer.url, ...from } },
    {
      provider: 'twilio',
      settings: { accountSid: 'AC1', authToken: 'twilio-token', from: '+12025550100', baseUrl: peer.url },
    },
    { provider: 'slack', settings: { baseUrl: `${peer.url}/api` } },
    { provider: 'webhook', settings: { url: `${peer.url}/hook`, authentication: 'bearer', token: 'hook-token' } },
  ]
  for (const write of integrations) ids[write.provider] = (await integrate(client, write)).id
  const more = [
    {
      provider: 'nexmo',
      settings: { apiKey: 'vonage-key', apiSecret: 'vonage-secret', from: 'Shop', baseUrl: peer.url },
    },
    { provider: 'msteams', settings: { webhookUrl: `${peer.url}/teams?sig=teams-secret` } },
    { provider: 'discord', settings: { botToken: 'discord-token', baseUrl: `${peer.url}/discord` } },
    { provider: 'telegram', settings: { botToken: '1:telegram-token', baseUrl: peer.url } },
    { provider: 'whatsapp', settings: { phoneNumberId: '77', accessToken: 'meta-token', baseUrl: `${peer.url}/meta` } },
  ]
  const made = await Promise.all(more.map((write) => integrate(client, write)))
  for (const { id, provider } of made) ids[provider] = id
  const content = {
    version: '2022-01-01',
    elements: [
      { type: 'meta', title: 'Order {number} for {profile.name}' },
      { type: 'text', content: 'Dear **{profile.name}**, your order <{number}> is on its way.' },
      { type: 'action', content: 'Track it', href: 'https://shop.example/track/{number}' },
    ],
  }
  for (const provider of Object.keys(ids))
    ids[`order-${provider}`] = await publish(client, `order-${provider}`, { content, channels: [provider] })
  peer.answer('/v3/mail/send', { status: 202, headers: { 'x-message-id': 'sg-1' }, body: '' })
  peer.answer('/2010-04-01/Accounts/AC1/Messages.json', { status: 201, body: { sid: 'SM1' } })
  peer.answer('/sms/json', { body: { messages: [{ status: '0', 'message-id': 'V1' }] } })
  peer.answer('/teams', { status: 202, body: '' })
  peer.answer('/discord/users/@me/channels', { body: { id: '319674150115610528' } })
  peer.answer('/discord/channels/319674150115610528/messages', { body: { id: '9', channel_id: '319674150115610528' } })
  peer.answer('/bot1:telegram-token/sendMessage', { body: { ok: true, result: { message_id: 7, chat: { id: 42 } } } })
  peer.answer('/meta/77/messages', { body: { messages: [{ id: 'wamid.1' }] } })
  peer.answer('/api/users.lookupByEmail', { body: { ok: true, user: { id: 'U1' } } })
  peer.answer('/api/chat.postMessage', { body: { ok: true, channel: 'D1', ts: '1.2' } })
})
afterAll(async () => {
  server?.kill()
  await Promise.all([server?.exited, smtp?.close(), peer?.close()])
})

const order = (provider: string, recipient: string, more: object = {}) => ({
  event: `order-${provider}`,
  recipient,
  profile: { ...profile, name: 'Ada' },
  data: { number: 'A&7' },
  ...more,
})

test('a mail arrives as it was written, with its attachment to the byte', async () => {
  const bytes = randomBytes(3_000)
  const attachments = [
    { filename: 'bill.pdf', contentType: 'application/pdf', content: bytes.toString('base64'), encoding: 'base64' },
  ]
  const message = await sendAndSettle(client, order('smtp', 'ada', { override: { smtp: { body: { attachments } } } }))
  const mail = await smtp.waitFor(({ to }) => to.includes('ada@example.com'))
  expect(mail).toMatchObject({ from: 'news@shop.example', to: ['ada@example.com'], user: 'postman' })
  expect(mail.parsed.subject).toBe('Order A&7 for Ada')
  expect(mail.parsed.from).toMatchObject({ address: 'news@shop.example', name: 'The Shop' })
  expect(mail.parsed.to).toMatchObject([{ address: 'ada@example.com' }])
  expect(mail.parsed.messageId).toBe(`<${message.id}-0@shop.example>`)
  expect(mail.parsed.html).toContain('<strong>Ada</strong>')
  expect(mail.parsed.html).toContain('https://shop.example/track/A&amp;7')
  expect(mail.parsed.text).toContain('Ada')
  expect(mail.parsed.text).toContain('A&7')
  const [attachment] = mail.parsed.attachments
  expect(attachment).toMatchObject({ filename: 'bill.pdf', mimeType: 'application/pdf' })
  expect(Buffer.from(attachment!.content as ArrayBuffer).equals(bytes)).toBe(true)
  // Acceptance by a mail server is no delivery.
  expect(message).toMatchObject({ status: 'SENT', recipient: 'ada', event: 'order-smtp' })
  expect(message.delivered).toBeUndefined()
})

test('it is found by the provider it went through', async () => {
  const { id } = await sendAndSettle(client, order('smtp', 'bill'))
  const foundBy = async (provider: string) => {
    const { results } = await client.messages.list({ recipient: 'bill', provider: [provider] })
    return results.map((message) => message.id)
  }
  expect(await Promise.all(['smtp', 'webhook', 'unknown'].map(foundBy))).toEqual([[id], [], []])
})

test('its whole history and its content can be read afterwards', async () => {
  const { id, ...record } = await sendAndSettle(client, order('smtp', 'bea'))
  const { results } = await client.messages.history(id)
  const via = { channel: { id: 'email' }, integration: { id: ids.smtp, provider: 'smtp' } }
  expect(results).toMatchObject([
    { type: 'ENQUEUED', event: 'order-smtp', recipient: 'bea', data: { number: 'A&7' }, override: {} },
    { type: 'MAPPED', event_id: 'order-smtp', notification_id: ids['order-smtp'] },
    { type: 'PROFILE_LOADED', stored_profile: {}, merged_profile: { ...profile, name: 'Ada' } },
    { type: 'RENDERED', ...via },
    { type: 'SENT', ...via, reference: { message_id: `${id}-0@shop.example` } },
  ])
  const times = results.map(({ ts }) => ts)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times[0]).toBe(record.enqueued)
  expect(times.at(-1)).toBe(record.sent)

  const rendered = results.find((event) => event.type === 'RENDERED')
  const addresses = Object.entries(rendered?.output ?? {})
  expect(addresses.map(([part]) => part).sort()).toEqual(['blocks', 'body', 'html', 'subject', 'text', 'title'])
  const output = await client.messages.output(id)
  expect(output.results).toMatchObject([{ channel: 'email', content: { subject: 'Order A&7 for Ada' } }])
  for (const [part, address] of addresses) {
    const reply = await apiCaller(server.url, apiKey).call('GET', address ?? '')
    const content = new Map<string, unknown>(Object.entries(output.results[0]!.content))
    expect(part === 'blocks' ? JSON.parse(reply.text) : reply.text).toEqual(content.get(part))
    expect(reply.headers.get('content-security-policy')).toMatch(/^sandbox; /)
  }
})

test('a sendgrid body takes the override and keeps what was generated', async () => {
  const attachments = [{ content: 'aGk=', type: 'text/plain', filename: 'hi.txt' }]
  const message = await sendAndSettle(
    client,
    order('sendgrid', 'cyd', { override: { sendgrid: { body: { attachments } } } }),
  )
  const request = await peer.waitFor(({ path }) => path === '/v3/mail/send')
  expect(request.headers.authorization).toBe('Bearer SG.key')
  const body = JSON.parse(request.body)
  expect(body).toMatchObject({
    attachments,
    subject: 'Order A&7 for Ada',
    from: { email: 'news@shop.example', name: 'The Shop' },
    personalizations: [{ to: [{ email: 'ada@example.com' }] }],
    custom_args: { message_id: message.id, delivery_id: `${message.id}-0` },
  })
  expect(body.content.map(({ type }: { type: string }) => type)).toEqual(['text/plain', 'text/html'])
  expect(message).toMatchObject({ status: 'SENT', providers: [{ provider: 'sendgrid', status: 'SENT' }] })
})

test('a text message goes through twilio', async () => {
  const message = await sendAndSettle(client, order('twilio', 'dan'))
  const request = await peer.waitFor(({ path }) => path.endsWith('/Messages.json'))
  const form = new URLSearchParams(request.body)
  expect(form.get('To')).toBe('+12025550143')
  expect(form.get('From')).toBe('+12025550100')
  expect(form.get('Body')).toContain('A&7')
  expect(request.headers.authorization).toBe(`Basic ${Buffer.from('AC1:twilio-token').toString('base64')}`)
  expect(message).toMatchObject({ status: 'SENT', providers: [{ provider: 'twilio', reference: { sid: 'SM1' } }] })
})

test('slack finds the user by mail address once, and posts each time', async () => {
  const slack = { access_token: 'xoxb-profile', email: 'ada@example.com' }
  const first = await sendAndSettle(client, order('slack', 'eve', { profile: { name: 'Ada', slack } }))
  const second = await sendAndSettle(client, order('slack', 'eve', { profile: { name: 'Ada', slack } }))
  const calls = peer.all.filter(({ path }) => path.startsWith('/api/'))
  expect(calls.map(({ path }) => path)).toEqual([
    '/api/users.lookupByEmail',
    '/api/chat.postMessage',
    '/api/chat.postMessage',
  ])
  for (const call of calls) expect(call.headers.authorization).toBe('Bearer xoxb-profile')
  const posted = new URLSearchParams(calls[1]!.body)
  expect(posted.get('channel')).toBe('U1')
  expect(posted.get('text')).toContain('*Ada*')
  expect(JSON.parse(posted.get('blocks') ?? '')).toMatchObject([
    { type: 'section', text: { text: expect.stringContaining('*Ada*') } },
    { type: 'actions', elements: [{ text: { text: 'Track it' }, url: 'https://shop.example/track/A&7' }] },
  ])
  for (const message of [first, second])
    expect(message).toMatchObject({
      status: 'DELIVERED',
      providers: [
        {
          provider: 'slack',
          channel: { key: 'direct_message:slack', name: 'Direct message' },
          reference: { channel: 'D1', ts: '1.2' },
        },
      ],
    })
})

test('a text message goes through vonage by either of its names, and its segments are counted', async () => {
  const send = order('vonage', 'dora', { override: { nexmo: { body: { ttl: 900_000 } } } })
  const sms = { encoding: 'UCS-2', segments: 2, characters: 85, units: 85 }
  const explained = await client.explain({ ...send, data: { number: 'Ж' } })
  expect(explained.rendered).toMatchObject([{ content: { sms }, draft: { body: { ttl: 900_000 } } }])
  const message = await sendAndSettle(client, { ...send, data: { number: 'Ж' } })
  const request = await peer.waitFor(({ path }) => path === '/sms/json')
  expect(JSON.parse(request.body)).toMatchObject({ 'client-ref': `${message.id}-0`, type: 'unicode', ttl: 900_000 })
  expect(message).toMatchObject({ status: 'SENT', providers: [{ provider: 'vonage', reference: { id: 'V1' } }] })
  const { results: history } = await client.messages.history(message.id)
  const rendered = history.find(({ type }) => type === 'RENDERED')
  expect(rendered).toMatchObject({ sms, output: { body: expect.any(String) } })
  expect(rendered).not.toHaveProperty('output.sms')
  const { results } = await client.messages.output(message.id)
  expect(results).toMatchObject([{ content: { sms } }])
})

const track = 'https://shop.example/track/A&7'
const inChat: [provider: string, path: string, profile: object, status: string, body: object][] = [
  [
    'msteams',
    '/teams',
    {},
    'SENT',
    {
      attachments: [
        {
          content: {
            body: [
              { type: 'TextBlock', text: expect.stringContaining('**Ada**') },
              { type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', title: 'Track it', url: track }] },
            ],
          },
        },
      ],
    },
  ],
  [
    'discord',
    '/discord/channels/',
    { discord: { user_id: '80351110224678912' } },
    'DELIVERED',
    {
      content: expect.stringContaining('**Ada**'),
      allowed_mentions: { parse: [] },
      components: [{ components: [{ style: 5, label: 'Track it', url: track }] }],
    },
  ],
  [
    'telegram',
    '/bot1:telegram-token/',
    { telegram: { chat_id: 42 } },
    'DELIVERED',
    {
      chat_id: 42,
      text: 'Dear <b>Ada</b>, your order &lt;A&amp;7&gt; is on its way.',
      reply_markup: { inline_keyboard: [[{ text: 'Track it', url: track }]] },
    },
  ],
  [
    'whatsapp',
    '/meta/77/messages',
    {},
    'SENT',
    {
      to: '12025550143',
      interactive: {
        body: { text: 'Dear *Ada*, your order <A&7> is on its way.' },
        action: { name: 'cta_url', parameters: { display_text: 'Track it', url: track } },
      },
    },
  ],
]
test.each(inChat)('%s shows a button as its own', async (provider, path, reach, status, body) => {
  const message = await sendAndSettle(
    client,
    order(provider, 'gil', { profile: { ...profile, name: 'Ada', ...reach } }),
  )
  const request = await peer.waitFor((recorded) => recorded.path.startsWith(path))
  expect(JSON.parse(request.body)).toMatchObject(body)
  expect(message).toMatchObject({ status, providers: [{ provider, status }] })
})

test('a webhook is delivered when it answers', async () => {
  const message = await sendAndSettle(client, order('webhook', 'fay'))
  const request = await peer.waitFor(({ path }) => path === '/hook')
  expect(request.headers).toMatchObject({ authorization: 'Bearer hook-token', 'webhook-id': `${message.id}-0` })
  expect(JSON.parse(request.body)).toMatchObject({
    event: 'order-webhook',
    recipient: 'fay',
    data: { number: 'A&7' },
    profile: {},
    messageId: message.id,
    content: { title: 'Order A&7 for Ada' },
  })
  expect(message.status).toBe('DELIVERED')
  const types = (await client.messages.history(message.id)).results.map(({ type }) => type)
  expect(types).toEqual(['ENQUEUED', 'MAPPED', 'PROFILE_LOADED', 'RENDERED', 'SENT', 'DELIVERED'])
  expect((await client.messages.history(message.id, { type: 'DELIVERED' })).results).toHaveLength(1)
})
