/** Tracked addresses promise: they cannot be made up, nothing of our own is tracked, and parameters are added once. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { withinWork } from '../base/processor-time.harness.ts'
import type { Dialect } from '../base/rendered-content.ts'
import { secretKey } from '../base/secret.ts'
import { trackingTerms } from '../messages/facts.ts'
import { readUtm, rewriteText, withUtm } from './rewrite.ts'
import { createTracker, isFollowable, readToken, signToken } from './tracker.ts'

const key = secretKey(randomBytes(32))
const delivery = { workspaceId: 2, messageId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b6', n: 3, at: 1_710_334_643_123 }

test('a token comes back as it was signed, for its own kind only', () => {
  const token = signToken(key, 'click', { ...delivery, hasPixel: true }, 'https://x.example/ü?a=1#b') ?? ''
  expect(readToken(key, 'click', token)).toEqual({ ...delivery, hasPixel: true, target: 'https://x.example/ü?a=1#b' })
  expect(readToken(key, 'open', token)).toBeUndefined()
  expect(readToken(secretKey(randomBytes(32)), 'click', token)).toBeUndefined()
  const [payload = '', signature = ''] = token.split('.')
  const other = Buffer.from(payload, 'base64url')
  other.write('https://evil.example/', 27)
  expect(readToken(key, 'click', `${other.toString('base64url')}.${signature}`)).toBeUndefined()
  for (const text of ['', '.', payload, `${payload}.`, token.slice(0, -1), `${token}A`])
    expect(readToken(key, 'click', text)).toBeUndefined()
})

test('the address of a pixel has 100 characters beside the host, that of a link a third more than its target', () => {
  const tracker = createTracker({ secretKey: key, publicUrl: 'https://n.example', isPublic: true })
  expect(tracker.pixel(delivery)?.length).toBeLessThan(90)
  expect(tracker.link(delivery, `https://x.example/${'a'.repeat(33)}`)?.length).toBeLessThan(150)
})

test('addresses that are never tracked', () => {
  const tracker = createTracker({ secretKey: key, publicUrl: 'https://n.example/post', isPublic: true })
  for (const url of [
    ...['mailto:ada@example.com', 'tel:+12025550143', '#top', '/path', '', 'javascript:alert(1)', 'ftp://x.example'],
    ...['https://n.example/post/u/abc', 'https://N.example/post', 'https://n.example/post/callbacks/x'],
    ...['https://user:password@x.example', 'https://', `https://x.example/${'a'.repeat(2_000)}`],
  ])
    expect(tracker.link(delivery, url), url).toBeUndefined()
  for (const url of ['https://x.example', 'HTTP://x.example/a', 'https://n.example/other', 'https://n.example/posts'])
    expect(tracker.link(delivery, url), url).toMatch(/^https:\/\/n\.example\/post\/r\/[\w-]+\.[\w-]+$/)
  expect(isFollowable('https://x.example/\n')).toBe(true)
})

test('nothing is tracked without a public address', () => {
  const tracker = createTracker({ secretKey: key, publicUrl: 'http://127.0.0.1:8000', isPublic: false })
  expect([tracker.pixel(delivery), tracker.event(delivery), tracker.link(delivery, 'https://x.example')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  [[{ open: true, click: true }, undefined, { click: false }], { open: true, click: false }],
  [[{ open: false }, { open: true }, { open: 'no' }], { open: true }],
  [[undefined, null, 'x'], undefined],
  [[{ open: true }, { open: false, click: false }], undefined],
])('the narrowest setting decides: %j', (sources, terms) => {
  expect(trackingTerms(sources)).toEqual(terms)
})

test.each([
  ['https://x.example', 'https://x.example?utm_source=s&utm_campaign=a%20b'],
  ['https://x.example/?a=1', 'https://x.example/?a=1&utm_source=s&utm_campaign=a%20b'],
  ['https://x.example/?', 'https://x.example/?utm_source=s&utm_campaign=a%20b'],
  ['https://x.example/?a&#top', 'https://x.example/?a&utm_source=s&utm_campaign=a%20b#top'],
  ['https://x.example/#utm_source=x', 'https://x.example/?utm_source=s&utm_campaign=a%20b#utm_source=x'],
  ['https://x.example/?UTM_SOURCE=x', 'https://x.example/?UTM_SOURCE=x&utm_campaign=a%20b'],
  ['https://x.example/?utm_source=&utm_campaign=c', 'https://x.example/?utm_source=&utm_campaign=c'],
  ['https://x.example/?sig=a+b%2f', 'https://x.example/?sig=a+b%2f&utm_source=s&utm_campaign=a%20b'],
])('campaign parameters of %s', (url, expected) => {
  const utm = readUtm([{ source: 'wide', campaign: 'a b' }, undefined, { source: 's', medium: ' ' }])!
  expect(withUtm(url, utm)).toBe(expected)
  expect(withUtm(expected, utm)).toBe(expected)
})

test('without a value there are no parameters', () => {
  expect(readUtm([undefined, {}, { source: '', term: 7 }])).toBeUndefined()
})

test.each<[text: string, expected: string, dialect?: Dialect]>([
  ['Pay at https://x.example/a?b=1, or call.', 'Pay at <https://x.example/a?b=1>, or call.'],
  ['(https://x.example/a_(b)) and https://y.example.', '(<https://x.example/a_(b)>) and <https://y.example>.'],
  ['Pay (https://x.example)now', 'Pay (<https://x.example>)now'],
  ['[https://x.example] {https://y.example}', '[<https://x.example>] {<https://y.example>}'],
  ['https://x.example/?f[0]=a&f[1]={b}!', '<https://x.example/?f[0]=a&f[1]={b}>!'],
  ["'https://x.example', s='https://y.example/'c", "'<https://x.example>', s='<https://y.example/>'c"],
  ["https://x.example/?q=it's", "<https://x.example/?q=it's>"],
  ['https://x.example/aを https://x.example/b。次', '<https://x.example/aを> <https://x.example/b>。次'],
  ['“https://x.example/a”', '“<https://x.example/a>”'],
  ['https://x.example/Tok_ and https://x.example/Tok~', '<https://x.example/Tok_> and <https://x.example/Tok~>'],
  ['https://[::1]:80/a', '<https://[::1]:80/a>'],
  ['ahttps://x.example and no://address', 'ahttps://x.example and no://address'],
  ['https:// and https://) and https://.', 'https:// and https://) and https://.'],
  ['[Pay](https://x.example/%28a%29)', '[Pay](<https://x.example/%28a%29>)', 'discord'],
  ['[https://x.example](https://x.example)', '[https://x.example](<https://x.example>)', 'discord'],
  ['\\[https://x.example\\]', '\\[<https://x.example>\\]', 'discord'],
  ['**https://x.example/a**です', '**<https://x.example/a>**です', 'discord'],
  [
    '_see https://x.example/a_ a_b https://x.example/a_',
    '_see <https://x.example/a>_ a_b <https://x.example/a_>',
    'teams',
  ],
  ['a\\_ https://x.example/Tok_', 'a\\_ <https://x.example/Tok_>', 'discord'],
  ['*https://x.example/a*, ~b~', '*<https://x.example/a>*, ~b~', 'whatsapp'],
  [
    '&lt;https://x.example/a&gt; &quot;https://y.example/?a&amp;b&quot;',
    '&lt;<https://x.example/a>&gt; &quot;<https://y.example/?a&b>&quot;',
    'telegram',
  ],
  [
    '&#39;https://x.example/a&#39; https://x.example/?q=it&#39;s&#39;',
    "&#39;<https://x.example/a>&#39; <https://x.example/?q=it's>&#39;",
    'telegram',
  ],
  ['https://x.example/?a&amp; b', '<https://x.example/?a&> b', 'slack'],
  ['<https://x.example/?a=1&amp;b=2|https://x.example>', '<<https://x.example/?a=1&b=2>|https://x.example>', 'slack'],
  [
    '<a href="https://x.example/?a&amp;b">https://x.example</a>',
    '<a href="<https://x.example/?a&b>">https://x.example</a>',
    'telegram',
  ],
])('addresses in a text: %s', (text, expected, dialect) => {
  expect(rewriteText(text, { link: (url) => `<${url}>`, ...(dialect && { dialect }) })).toBe(expected)
})

test.each([
  'https://',
  'https://x.example/( ',
  '((((',
  'https://x.example/a)',
  'https://[',
  'https://x[a](',
  '_https://x ',
])('five megabytes of %s take less than a second', async (part) => {
  const source = part.repeat(Math.ceil(5_000_000 / part.length))
  await withinWork(1_000, () => rewriteText(source, { link: (url) => url, dialect: 'teams' }))
})
