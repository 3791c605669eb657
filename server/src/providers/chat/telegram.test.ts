/** Telegram: the request, elements in its own form, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter.harness.ts'
import { checkSettings } from '../settings.ts'
import telegram from './telegram.ts'

const TOKEN = '123456:telegram-secret'
const scene: Scene = {
  profile: { telegram: { chat_id: 42 } },
  settings: { botToken: TOKEN },
  content: { title: 'Hello', text: 'Hi <b>Ada</b>' },
}
const posted = replied(200, { ok: true, result: { message_id: 7, chat: { id: 42, type: 'private' } } })
const run = (changes: Partial<Scene> = {}, ...replies: Reply[]) =>
  runAdapter(telegram, { ...scene, ...changes }, ...(replies.length > 0 ? replies : [posted]))
const bodies = (changes: Partial<Scene>, ...replies: Reply[]) =>
  run(changes, ...replies).requests.map((request) => JSON.parse((request as HttpRequest).body ?? ''))
const no = (error_code: number, description: string, parameters = {}) =>
  replied(error_code, { ok: false, error_code, description, parameters })

test('a message is one request', () => {
  const { requests, outcome, draft } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: `https://api.telegram.org/bot${TOKEN}/sendMessage`,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: '{"chat_id":42,"text":"Hi <b>Ada</b>","parse_mode":"HTML"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { chat_id: '42', message_id: '7' }, delivered: true })
  expect(JSON.stringify(draft)).not.toContain('telegram-secret')
})

test('a profile names a chat by its id or its name, and a topic of it', () => {
  const contact = (value: unknown) => telegram.contact({ telegram: value }, scene.settings, { recipient: 'ada' })
  expect(contact({ chat_id: '-1001234567890', message_thread_id: 3 })).toEqual({
    chat_id: '-1001234567890',
    message_thread_id: 3,
  })
  expect(contact({ chat_id: '@postrider' })).toEqual({ chat_id: '@postrider' })
  for (const value of [undefined, 42, {}, { chat_id: '' }, { chat_id: 'ada' }, { chat_id: 1.5 }])
    expect(contact(value)).toBeUndefined()
})

test('elements are a keyboard, a preview of the first picture, and text', () => {
  const tight = false
  const elements = [
    { type: 'image', text: '<a href="https://x.y/i">Cat</a>', url: 'https://x.y/i', plain: 'Cat', tight },
    { type: 'heading', level: 1, text: '<b>Big</b>', inner: 'Big', plain: 'Big', tight },
    { type: 'quote', text: '<blockquote>so</blockquote>', inner: 'so', tight },
    { type: 'button', text: '<a href="https://x.y">Go</a>', url: 'https://x.y', plain: 'Go & see', tight },
    { type: 'button', text: '<a href="tel:+1">Call</a>', url: 'tel:+1', plain: 'Call', tight },
  ] as const
  expect(bodies({ content: { elements } })).toMatchObject([
    {
      text: '<b>Big</b>\n\n<blockquote>so</blockquote>\n\n<a href="tel:+1">Call</a>',
      reply_markup: { inline_keyboard: [[{ text: 'Go & see', url: 'https://x.y' }]] },
      link_preview_options: { url: 'https://x.y/i', prefer_large_media: true, show_above_text: true },
    },
  ])
  // A message must have a text.
  expect(bodies({ content: { title: 'T', text: 'all', elements: elements.slice(0, 1) } })).toMatchObject([
    { text: 'T' },
  ])
})

test('a text that is not HTML is sent again without a parse mode', () => {
  const unparsable = no(400, "Bad Request: can't parse entities: Unsupported start tag")
  const [first, second] = bodies({ content: { text: '1 < 2' } }, unparsable, posted)
  expect(first).toHaveProperty('parse_mode', 'HTML')
  expect(second).toEqual({ chat_id: 42, text: '1 < 2' })
  expect(run({}, unparsable, unparsable).outcome).toMatchObject({ kind: 'rejected', scope: 'content' })
})

test.each<[string, Reply, object]>([
  [
    'blocked',
    no(403, 'Forbidden: bot was blocked by the user'),
    {
      kind: 'rejected',
      scope: 'recipient',
      error: '403 Forbidden: Forbidden: bot was blocked by the user',
      gone: 'unsubscribed',
    },
  ],
  ['never started', no(403, "Forbidden: bot can't initiate conversation with a user"), { scope: 'recipient' }],
  ['no such chat', no(400, 'Bad Request: chat not found'), { kind: 'rejected', scope: 'recipient' }],
  ['no rights', no(400, 'Bad Request: not enough rights to send text messages'), { scope: 'recipient' }],
  [
    'a group that moved',
    no(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -100 }),
    { scope: 'recipient', error: expect.stringContaining('its chat_id is now -100') },
  ],
  ['too long', no(400, 'Bad Request: message is too long'), { kind: 'rejected', scope: 'content' }],
  ['401', no(401, 'Unauthorized'), { kind: 'rejected', scope: 'configuration' }],
  ['404, a wrong token', no(404, 'Not Found'), { kind: 'rejected', scope: 'configuration' }],
  ['403 of a proxy', replied(403, '<html>'), { kind: 'rejected', scope: 'configuration' }],
  [
    '429',
    no(429, 'Too Many Requests: retry after 35', { retry_after: 35 }),
    { kind: 'retry', attempted: false, retryAfterMs: 35_000 },
  ],
  ['500', no(500, 'Internal Server Error'), { kind: 'retry', attempted: true }],
  ['200 that is not ok', replied(200, { ok: false }), { kind: 'in_doubt' }],
  ['a page instead of an answer', replied(200, '<html>'), { kind: 'in_doubt' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the token, which is part of the address, is in no error', () => {
  const failure: Reply = {
    kind: 'failure',
    failure: 'dns',
    message: `no host for https://api.telegram.org/bot${TOKEN}/sendMessage`,
    reached: false,
  }
  expect(JSON.stringify(run({}, failure).outcome)).not.toContain('telegram-secret')
})

test('a token that would change the path is refused', () => {
  expect(checkSettings(telegram, { botToken: '1:a/../x' })).toEqual(['botToken: a token has no spaces and no slashes'])
  expect(run({ settings: { botToken: '1:a/../x' } })).toMatchObject({
    requests: [],
    outcome: { kind: 'rejected', scope: 'configuration' },
  })
})

test.each<[string, object, boolean]>([
  ['4,096 characters', { text: 'x'.repeat(4_096) }, true],
  ['4,097 characters', { text: 'x'.repeat(4_097) }, false],
  ['references', { text: '&amp;&lt;&#8364;&#x20AC;'.repeat(1_024) }, true],
  ['one reference more', { text: `&amp;${'&quot;'.repeat(4_096)}` }, false],
  ['tags', { text: `<b>${'<a href="https://a.co/">x</a>'.repeat(4_096)}</b>` }, true],
  ['tags around one character more', { text: '<i>x</i>'.repeat(4_097) }, false],
  ['code points', { text: '👋'.repeat(4_096) }, true],
  ['spaces around it', { text: `  ${'x'.repeat(4_096)}\n` }, true],
  ['Markdown', { text: '*x* [y](https://a.co/)'.repeat(800), parse_mode: 'MarkdownV2' }, true],
  ['long Markdown', { text: `*${'x'.repeat(4_097)}*`, parse_mode: 'Markdown' }, false],
  ['tags that are text', { text: '<b>'.repeat(1_400), parse_mode: '' }, false],
])('%s of %#: the limit counts what is left when the markup is read', (_title, body, fits) => {
  const { requests, outcome } = run({ override: { body } })
  expect(requests).toHaveLength(fits ? 1 : 0)
  if (fits) return
  expect(outcome).toMatchObject({ kind: 'rejected', scope: 'content' })
  expect(outcome).toHaveProperty(
    'error',
    expect.stringMatching(/^`text` has [\d,]+ characters, and Telegram takes at most 4,096$/),
  )
})
