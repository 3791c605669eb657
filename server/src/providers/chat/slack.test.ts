/** Slack: every form of a profile, the look-up before the post, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import type { Content } from '../../base/rendered-content.ts'
import { replied, runAdapter, type Scene } from '../adapter.harness.ts'
import slack from './slack.ts'

const scene: Scene = {
  profile: { slack: { access_token: 'xoxb-secret', channel: 'C1' } },
  settings: {},
  content: { title: 'Hello', text: 'Hi *Ada*' },
}
const posted = replied(200, { ok: true, channel: 'D9', ts: '17.1' })
const lookUpReply = replied(200, { ok: true, user: { id: 'U7' } })
const no = (error: string, more = {}) => replied(200, { ok: false, error, ...more })
const run = (changes: Partial<Scene> = {}, ...replies: Reply[]) =>
  runAdapter(slack, { ...scene, ...changes }, ...(replies.length > 0 ? replies : [posted]))
const byEmail = { profile: { slack: { access_token: 'xoxb-secret', email: 'ada@example.com' } } }
const ownToken = { profile: { slack: { channel: 'C1' } }, settings: { accessToken: 'xoxb-secret' } }
const fields = (request: unknown) => Object.fromEntries(new URLSearchParams((request as HttpRequest).body))
const contact = (profile: object, settings = {}) => slack.contact({ ...profile }, settings, { recipient: 'ada' })

test('a message to a channel is one post', () => {
  const { requests, outcome, draft } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://slack.com/api/chat.postMessage',
      headers: { authorization: 'Bearer xoxb-secret', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'text=Hi+*Ada*&channel=C1',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { channel: 'D9', ts: '17.1' }, delivered: true })
  expect(JSON.stringify(draft)).not.toContain('xoxb-secret')
})

test('a mail address is looked up first, and the answer may be kept', () => {
  const { requests } = run(byEmail, lookUpReply, posted)
  expect(requests[0]).toMatchObject({
    url: 'https://slack.com/api/users.lookupByEmail',
    body: 'email=ada%40example.com',
    final: false,
    cache: { lifetimeMs: 3_600_000, containing: '"ok":true' },
  })
  expect(fields(requests[1])).toEqual({ text: 'Hi *Ada*', channel: 'U7' })
})

test('the cache key depends on token, address and host, and holds none of them', () => {
  const keyOf = (token: string, email: string, baseUrl: string) => {
    const { requests } = run(
      { profile: { slack: { access_token: token, email } }, settings: { baseUrl } },
      lookUpReply,
      posted,
    )
    return (requests[0] as HttpRequest).cache?.key ?? ''
  }
  const keys = [
    keyOf('t1', 'a@b.co', 'https://slack.com/api'),
    keyOf('t2', 'a@b.co', 'https://slack.com/api'),
    keyOf('t1', 'c@d.co', 'https://slack.com/api'),
    keyOf('t1', 'a@b.co', 'https://evil.example'),
  ]
  expect(new Set(keys).size).toBe(4)
  expect(keyOf('t1', 'a@b.co', 'https://slack.com/api')).toBe(keys[0])
  expect(keys.join()).not.toMatch(/t1|a@b\.co|evil/)
})

test.each<[string, object, object]>([
  ['a channel', { slack: { access_token: 't', channel: 'C1' } }, { token: 't', channel: 'C1' }],
  ['a mail address', { slack: { access_token: 't', email: 'a@b.co' } }, { token: 't', email: 'a@b.co' }],
  ['a user', { slack: { access_token: 't', user_id: 'U1' } }, { token: 't', channel: 'U1' }],
  ['a webhook', { slack: { incoming_webhook: { url: 'https://h.co/x' } } }, { webhookUrl: 'https://h.co/x' }],
  [
    'a whole OAuth reply with a webhook',
    {
      slack: {
        ok: true,
        access_token: 't',
        token_type: 'bot',
        authed_user: { id: 'U1' },
        incoming_webhook: { channel_id: 'C2', url: 'https://h.co/x' },
      },
    },
    { token: 't', webhookUrl: 'https://h.co/x' },
  ],
  [
    'a whole OAuth reply without',
    { slack: { ok: true, access_token: 't', authed_user: { id: 'U1' } } },
    { token: 't', channel: 'U1' },
  ],
  [
    'an OAuth reply with a channel of its own',
    { slack: { access_token: 't', channel: 'C1', incoming_webhook: { url: 'https://h.co/x' } } },
    { token: 't', channel: 'C1' },
  ],
  ['the old keys', { slackToken: 't', slackChannel: 'C1' }, { token: 't', channel: 'C1' }],
  ['a channel without a token', { slack: { channel: 'C1' } }, { channel: 'C1' }],
])('a profile may name %s', (_title, profile, to) => {
  expect(contact(profile)).toEqual(to)
})

test('a profile without a target cannot be reached, unless the integration has a webhook', () => {
  for (const profile of [
    {},
    { slack: null },
    { slack: 'C1' },
    { slack: { access_token: 't' } },
    { slack: { channel: 7 } },
  ])
    expect(contact(profile)).toBeUndefined()
  expect(contact({}, { webhookUrl: 'https://h.co/x' })).toEqual({})
})

test('an incoming webhook takes the body as JSON and no token', () => {
  const profile = { slack: { access_token: 'xoxb-secret', incoming_webhook: { url: 'https://hooks.slack.com/T/B/x' } } }
  const { requests, outcome } = run({ profile }, replied(200, 'ok'))
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://hooks.slack.com/T/B/x',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"Hi *Ada*"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: {}, delivered: true })
  const gone = run({ profile }, replied(404, 'no_service /T/B/x'))
  expect(gone.outcome).toEqual({ kind: 'rejected', scope: 'recipient', error: '404 Not Found: no_service ********' })
})

test('a webhook in the config of the override takes the message, without the stored token', () => {
  const override = { config: { webhookUrl: 'https://hooks.example/mine' } }
  const { requests } = run({ ...ownToken, override }, replied(200, 'ok'))
  expect(requests).toMatchObject([{ url: 'https://hooks.example/mine' }])
  expect(JSON.stringify(requests)).not.toContain('xoxb-secret')
})

test('the stored token does not follow a base URL of the override', () => {
  const { requests, outcome } = run({ ...ownToken, override: { config: { baseUrl: 'https://evil.example' } } })
  expect(requests).toEqual([])
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'configuration' })
})

test('the override is merged onto the body; structures go as JSON; its channel is taken as it is', () => {
  const blocks = [{ type: 'divider' }]
  const { requests } = run({
    ...byEmail,
    override: { body: { blocks, thread_ts: '1.2', unfurl_links: false, channel: 'C5' } },
  })
  expect(requests).toHaveLength(1)
  expect(fields(requests[0])).toEqual({
    text: 'Hi *Ada*',
    blocks: JSON.stringify(blocks),
    thread_ts: '1.2',
    unfurl_links: 'false',
    channel: 'C5',
  })
})

test('the author may give blocks', () => {
  for (const slackBlocks of [[{ type: 'divider' }], '[{"type":"divider"}]'])
    expect(run({ content: { text: 'x', raw: { slackBlocks } } }).draft).toEqual({
      body: { text: 'x', blocks: [{ type: 'divider' }] },
    })
  expect(() => run({ content: { raw: { slackBlocks: '{' } } })).toThrow('raw.slackBlocks must be an array of blocks')
})

const tight = false
const button = (url: string) => ({ type: 'button', text: `<${url}|Go>`, url, plain: 'Go & see', tight }) as const
const image = { type: 'image', text: '<https://x.y/i|Cat>', url: 'https://x.y/i', plain: 'Cat & dog', tight } as const
const heading = { type: 'heading', level: 1, text: '*Q&amp;A*', inner: 'Q&amp;A', plain: 'Q&A', tight } as const
const blocksOf = (elements: Content['elements'] = []) => run({ content: { text: 'all', elements } }).draft.body

test('elements are blocks of Slack, and the text stays for notifications', () => {
  const elements = [
    heading,
    { type: 'text', text: 'Hi', tight },
    { type: 'quote', text: '> so', inner: 'so', tight },
    { type: 'divider', text: '———', tight },
    { type: 'subtext', text: 'small', tight },
    image,
    button('https://x.y'),
    button('https://x.y/2'),
    button('mailto:a@b.co'),
  ] as const
  const labeled = (url: string) => ({
    type: 'button',
    text: { type: 'plain_text', text: 'Go & see', emoji: true },
    url,
  })
  expect(blocksOf(elements)).toEqual({
    text: 'all',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Q&A', emoji: true } },
      { type: 'section', text: { type: 'mrkdwn', text: 'Hi\n\n> so' } },
      { type: 'divider' },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'small' }] },
      { type: 'image', image_url: 'https://x.y/i', alt_text: 'Cat & dog' },
      { type: 'actions', elements: [labeled('https://x.y'), labeled('https://x.y/2')] },
      { type: 'section', text: { type: 'mrkdwn', text: '<mailto:a@b.co|Go>' } },
    ],
  })
})

test('a content of texts, or of more than blocks hold, is the text alone', () => {
  const long = { type: 'text', text: 'x'.repeat(3_001), tight } as const
  for (const elements of [[{ type: 'text', text: 'Hi', tight } as const], [heading, long], Array(51).fill(heading)])
    expect(blocksOf(elements)).toEqual({ text: 'all' })
})

test('a picture that Slack cannot fetch becomes its link, and nothing else of the message changes', () => {
  const invalid = no('invalid_blocks', { response_metadata: { messages: ['downloading image failed'] } })
  const { requests, outcome } = run({ content: { text: 'all', elements: [heading, image] } }, invalid, posted)
  expect(outcome.kind).toBe('sent')
  expect(JSON.parse(fields(requests[1]).blocks ?? '')).toEqual([
    { type: 'header', text: { type: 'plain_text', text: 'Q&A', emoji: true } },
    { type: 'section', text: { type: 'mrkdwn', text: '<https://x.y/i|Cat &amp; dog>' } },
  ])
  const webhook = {
    profile: {},
    settings: { webhookUrl: 'https://h.co/x' },
    content: { elements: [image], text: 'all' },
  }
  const byWebhook = run(webhook, replied(400, 'invalid_blocks'), replied(200, 'ok'))
  expect(byWebhook.requests).toHaveLength(2)
  expect(byWebhook.outcome.kind).toBe('sent')
})

test.each([
  [{ token: 'xoxb-other' }, 'body.token cannot be set, config.accessToken can'],
  [{ text: '' }, 'text is missing'],
  [{ channel: 5 }, 'channel must be a string'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test('without any token no request is made', () => {
  const { requests, outcome } = run({ profile: { slack: { channel: 'C1' } } })
  expect(requests).toEqual([])
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'configuration' })
})

const rejections = (scope: string, ...errors: string[]) =>
  errors.map((error): [string, Reply, object] => [error, no(error), { kind: 'rejected', scope, error }])

const verdicts: [string, Reply, object][] = [
  ['users_not_found', no('users_not_found'), { kind: 'rejected', scope: 'recipient', error: 'users_not_found' }],
  ...rejections('recipient', 'channel_not_found', 'is_archived', 'not_in_channel'),
  ...rejections('configuration', 'invalid_auth', 'account_inactive', 'token_revoked', 'not_authed'),
  ...rejections('content', 'msg_too_long', 'no_text'),
  [
    'missing_scope',
    no('missing_scope', { needed: 'chat:write' }),
    { kind: 'rejected', scope: 'configuration', error: 'missing_scope: chat:write' },
  ],
  [
    'invalid_blocks',
    no('invalid_blocks', { response_metadata: { messages: ['a', 'b'] } }),
    { kind: 'rejected', scope: 'content', error: 'invalid_blocks: a, b' },
  ],
  ['what is new', no('brand_new'), { kind: 'rejected', scope: 'content', error: 'brand_new' }],
  [
    'ratelimited',
    { ...no('ratelimited'), headers: { 'retry-after': '3' } } as Reply,
    { kind: 'retry', attempted: false, retryAfterMs: 3_000 },
  ],
  ['request_timeout', no('request_timeout'), { kind: 'retry', attempted: true }],
  [
    '429',
    replied(429, { ok: false, error: 'ratelimited' }, { 'retry-after': '3' }),
    { kind: 'retry', attempted: false, retryAfterMs: 3_000 },
  ],
  ['400', replied(400), { kind: 'rejected', scope: 'content' }],
  [
    '401',
    replied(401, { error: 'xoxb-secret' }),
    { kind: 'rejected', scope: 'configuration', error: '401 Unauthorized: ********' },
  ],
  ['404', replied(404), { kind: 'rejected', scope: 'configuration' }],
  ['410', replied(410), { kind: 'rejected', scope: 'configuration' }],
  ['500', replied(500), { kind: 'retry', attempted: true }],
  ['dns', { kind: 'failure', failure: 'dns', message: 'no', reached: false }, { kind: 'retry' }],
]
test.each(verdicts)('%s means the same while looking up and while posting', (_title, reply, outcome) => {
  expect(run(ownToken, reply).outcome).toMatchObject(outcome)
  const lookUp = { profile: { slack: { email: 'a@b.co' } }, settings: ownToken.settings }
  expect(run(lookUp, reply).outcome).toMatchObject(outcome)
})

const cut: Reply = { kind: 'failure', failure: 'reset', message: 'cut', reached: true }
test.each([
  ['a cut connection', cut],
  ['internal_error', no('internal_error')],
  ['a page instead of an answer', replied(200, '<html>')],
])('%s leaves only a post in doubt', (_title, reply) => {
  expect(run({}, reply).outcome).toMatchObject({ kind: 'in_doubt' })
  expect(run(byEmail, reply).outcome).toMatchObject({ kind: 'retry', attempted: true })
})

test('a revoked token of one profile is not an error of the integration', () => {
  expect(run({}, no('token_revoked')).outcome).toMatchObject({ kind: 'rejected', scope: 'recipient' })
})

test('a look-up without a user ends there', () =>
  expect(run(byEmail, replied(200, { ok: true })).outcome).toMatchObject({ kind: 'rejected', scope: 'recipient' }))
