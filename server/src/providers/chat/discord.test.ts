/** Discord: the channel of a user, elements in its own form, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter.harness.ts'
import discord from './discord.ts'

const CHANNEL = '319674150115610528'
const USER = '80351110224678912'
const scene: Scene = {
  profile: { discord: { channel_id: CHANNEL } },
  settings: { botToken: 'discord-secret' },
  content: { title: 'Hello', text: 'Hi **Ada**' },
}
const posted = replied(200, { id: '7', channel_id: CHANNEL })
const opened = replied(200, { id: CHANNEL, type: 1 })
const run = (changes: Partial<Scene> = {}, ...replies: Reply[]) =>
  runAdapter(discord, { ...scene, ...changes }, ...(replies.length > 0 ? replies : [posted]))
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const toUser = { profile: { discord: { user_id: USER } } }
const refused = (status: number, code: number, more = {}) => replied(status, { code, message: 'No', ...more })

test('a message to a channel is one request that mentions no one and is posted once', () => {
  const { requests, outcome, draft } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: `https://discord.com/api/v10/channels/${CHANNEL}/messages`,
      headers: {
        accept: 'application/json',
        authorization: 'Bot discord-secret',
        'user-agent': expect.stringMatching(/^DiscordBot \(https:\S+, \S+\)$/),
        'content-type': 'application/json',
      },
      body: expect.any(String),
      final: true,
    },
  ])
  const body = JSON.parse((requests[0] as HttpRequest).body ?? '')
  expect(body).toEqual({
    content: 'Hi **Ada**',
    allowed_mentions: { parse: [] },
    nonce: expect.stringMatching(/^[\w-]{25}$/),
    enforce_nonce: true,
  })
  expect(bodyOf({ message: { deliveryId: 'another' } }).nonce).not.toBe(body.nonce)
  expect(outcome).toEqual({ kind: 'sent', reference: { channel_id: CHANNEL, id: '7' }, delivered: true })
  expect(JSON.stringify(draft)).not.toContain('discord-secret')
})

test('for a user the direct channel is opened first, and its id may be kept', () => {
  const { requests, outcome } = run(toUser, opened, posted)
  expect(requests).toMatchObject([
    {
      url: 'https://discord.com/api/v10/users/@me/channels',
      body: `{"recipient_id":"${USER}"}`,
      final: false,
      cache: { lifetimeMs: 3_600_000, containing: '"id"' },
    },
    { url: `https://discord.com/api/v10/channels/${CHANNEL}/messages`, final: true },
  ])
  expect((requests[0] as HttpRequest).cache?.key).not.toMatch(/discord-secret|80351110224678912/)
  expect(outcome.kind).toBe('sent')
  expect(run(toUser, replied(200, {})).outcome).toMatchObject({ kind: 'rejected', scope: 'recipient' })
})

test('a profile names a channel or a user by its id', () => {
  const contact = (value: unknown) => discord.contact({ discord: value }, scene.settings, { recipient: 'ada' })
  expect(contact({ channel_id: CHANNEL, user_id: USER })).toEqual({ channelId: CHANNEL })
  expect(contact({ user_id: USER })).toEqual({ userId: USER })
  // A number of that size has lost its last digits.
  for (const value of [undefined, USER, {}, { user_id: 80351110224678910 }, { channel_id: '../users' }])
    expect(contact(value)).toBeUndefined()
})

test('elements are headings, small text, embeds and buttons of Discord', () => {
  const tight = false
  const elements = [
    { type: 'heading', level: 1, text: '**Big**', inner: 'Big', plain: 'Big', tight },
    { type: 'text', text: 'Hi', tight },
    { type: 'quote', text: '> so', inner: 'so', tight },
    { type: 'subtext', text: 'small\nprint', tight },
    { type: 'image', text: '[Cat](https://x.y/i)', url: 'https://x.y/i', plain: 'Cat', tight },
    { type: 'button', text: '[Go](https://x.y)', url: 'https://x.y', plain: 'Go', tight },
    { type: 'button', text: '[Mail](mailto:a@b.co)', url: 'mailto:a@b.co', plain: 'Mail', tight },
  ] as const
  expect(bodyOf({ content: { elements } })).toMatchObject({
    content: '# Big\n\nHi\n\n> so\n\n-# small\n-# print\n\n[Mail](mailto:a@b.co)',
    embeds: [{ image: { url: 'https://x.y/i' }, description: 'Cat' }],
    components: [{ type: 1, components: [{ type: 2, style: 5, label: 'Go', url: 'https://x.y' }] }],
  })
  const six = Array.from({ length: 6 }, () => elements[5])
  const { components, content } = bodyOf({ content: { title: 'T', elements: six } })
  expect(components.map((row: { components: unknown[] }) => row.components.length)).toEqual([5, 1])
  expect(content).toBe('T')
})

test.each<[string, Reply, object]>([
  ['50007', refused(403, 50007), { kind: 'rejected', scope: 'recipient', error: '403 Forbidden: No (50007)' }],
  ['an unknown channel', refused(404, 10003), { kind: 'rejected', scope: 'recipient', gone: 'invalid_address' }],
  ['no access', refused(403, 50001), { kind: 'rejected', scope: 'recipient' }],
  ['another 403', refused(403, 20001), { kind: 'rejected', scope: 'configuration' }],
  [
    'an invalid form',
    refused(400, 50035, { errors: { embeds: { 0: { url: { _errors: [{ code: 'X', message: 'Not an URL.' }] } } } } }),
    { kind: 'rejected', scope: 'content', error: '400 Bad Request: No (50035): embeds.0.url Not an URL.' },
  ],
  ['slow mode', refused(400, 20016), { kind: 'retry', attempted: false }],
  [
    '401',
    replied(401, { message: 'discord-secret', code: 0 }),
    { kind: 'rejected', scope: 'configuration', error: '401 Unauthorized: ******** (0)' },
  ],
  [
    '429 with seconds in its body',
    replied(429, { message: 'limited', retry_after: 64.57, global: false }, { 'retry-after': '65' }),
    { kind: 'retry', attempted: false, retryAfterMs: 64_570 },
  ],
  [
    '429 with seconds in a header',
    replied(429, '', { 'x-ratelimit-reset-after': '1.25' }),
    { kind: 'retry', attempted: false, retryAfterMs: 1_250 },
  ],
  ['429 of a proxy', replied(429, '<html>', { 'retry-after': '3' }), { kind: 'retry', retryAfterMs: 3_000 }],
  ['500', replied(500), { kind: 'retry', attempted: true }],
])('%s means the same while opening a channel and while posting', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
  expect(run(toUser, reply).outcome).toMatchObject(outcome)
})

test('a page instead of an answer leaves only a post in doubt', () => {
  expect(run({}, replied(200, '<html>')).outcome).toMatchObject({ kind: 'in_doubt' })
  const cut: Reply = { kind: 'failure', failure: 'reset', message: 'cut', reached: true }
  expect(run({}, cut).outcome).toMatchObject({ kind: 'in_doubt' })
  expect(run(toUser, cut).outcome).toMatchObject({ kind: 'retry' })
})

test('an override adds embeds and may allow mentions; nothing to show is refused', () => {
  const embeds = [{ title: 'Hello' }]
  const body = { embeds, allowed_mentions: { parse: ['users'] }, content: '' }
  expect(bodyOf({ override: { body } })).toMatchObject(body)
  expect(run({ override: { body: { content: '' } } })).toMatchObject({
    requests: [],
    outcome: { kind: 'rejected', scope: 'content', error: 'content is missing' },
  })
})
