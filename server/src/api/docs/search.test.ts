/** Words of readers find what they expect, among the first five results. */
import { operations } from '@postrider/contract'
import { expect, test } from 'vitest'
import { search } from './search.ts'

const pathsOf = async (query: string) => (await search(query)).map(({ path }) => path)

const UNSUBSCRIBE = '/docs#tag/preferences/PUT/users/{user_id}/preferences/{topic_id}'

test.each<[query: string, expected: (string | RegExp)[]]>([
  ['unsubscribe a user', [UNSUBSCRIBE, /^\/docs\/unsubscribe/]],
  ['unsubscribing', [/^\/docs\/unsubscribe/]],
  ['unsubcribe', [/^\/docs\/unsubscribe/]],
  ['SPF', [/^\/docs\/bounces/]],
  ['backup', ['/docs/running#backup-and-restore', '/docs#tag/service/POST/backup']],
  ['duplicate', ['/docs/sending#idempotency-keys']],
  ['stop a send', ['/docs/sending#stop-a-send']],
  ['cancel a message', ['/docs#tag/messages/POST/messages/{message_id}/cancel']],
  ['rate limit', ['/docs/errors#rate_limited', /^\/docs\/limits/]],
  ['why', [/^\/docs\/troubleshooting/]],
  ['why did my message not arrive?', ['/docs/troubleshooting#why-did-it-not-arrive']],
  ['Bounces', ['/docs/bounces']],
  ['idempotensy', [/^\/docs\/sending#idempotency/]],
  ['invalid_field', ['/docs/errors#invalid_field']],
  ['message.dead_lettered', ['/docs/log-events']],
  ['hours_closed', ['/docs/decisions#window']],
  ['fetch-data', ['/docs/steps#fetch-data']],
  ['POST /send', ['/docs#tag/send/POST/send']],
  ['gmail', ['/docs/providers#gmail']],
  ['GDPR', [/^\/docs\/erasure/]],
  ['opening hours', ['/docs/sending#time-of-a-send']],
  ['POSTRIDER_RETENTION_DAYS', ['/docs/configuration']],
  ['how do i change the port', ['/docs/configuration']],
  ['public url', ['/docs/configuration']],
  ['quiet hours', ['/docs/sending#time-of-a-send']],
  ['self-signed certificate', ['/docs/troubleshooting#errors-of-an-attempt', '/docs/providers#smtp']],
])('"%s" is answered', async (query, expected) => {
  const first = (await pathsOf(query)).slice(0, 5)
  for (const path of expected)
    expect(first).toContainEqual(typeof path === 'string' ? path : expect.stringMatching(path))
})

test('quiet hours are opening hours: their section comes first', async () => {
  const [first] = await pathsOf('quiet hours')
  expect(first).toBe('/docs/sending#time-of-a-send')
})

test('a word that the documents have does not stand for longer ones that begin with it', async () => {
  const matches = (await search('sent')).flatMap(({ excerpt }) => excerpt.filter(({ isMatch }) => isMatch))
  expect(new Set(matches.map(({ text }) => text.toLowerCase()))).toEqual(new Set(['sent']))
})

test('every operation is found by its method and path', async () => {
  const missing: string[] = []
  for (const { method, path, summary } of operations)
    if (!(await search(`${method} ${path} ${summary}`)).some(({ call }) => call === `${method} ${path}`))
      missing.push(`${method} ${path}`)
  expect(missing).toEqual([])
})

test('the excerpt is a passage of whole words in which the terms are marked', async () => {
  const [first] = await search('spf')
  const text = first?.excerpt.map((fragment) => fragment.text).join('') ?? ''
  expect(first?.excerpt.filter(({ isMatch }) => isMatch).map((fragment) => fragment.text)).toContain('SPF')
  expect(text.length).toBeLessThanOrEqual(230)
  expect(text).toMatch(/^…\S.*\S…$/)
})

test.each(['', '   ', '?!', 'the of a', 'qqzzxx'])('%j has no result', async (query) => {
  expect(await search(query)).toEqual([])
})

test('the results and those of one page are few', async () => {
  const results = await search('message send user list')
  expect(results).toHaveLength(20)
  const pages = results.filter(({ call }) => call === undefined).map(({ path }) => path.split('#')[0] ?? '')
  for (const page of pages) expect(pages.filter((other) => other === page).length, page).toBeLessThanOrEqual(3)
})

test('words beyond the eighth are left out', async () => {
  const words = 'alpha beta gamma delta epsilon zeta eta theta'
  expect(await pathsOf(`${words} idempotency`)).toEqual(await pathsOf(words))
})

test('other work runs between searches, and too many at once are refused', async () => {
  await search('warm')
  const order: string[] = []
  const searches = ['one message', 'two users'].map((query) => search(query).then(() => order.push('search')))
  setImmediate(() => setImmediate(() => order.push('other')))
  await Promise.all(searches)
  expect(order).toEqual(['search', 'other', 'search'])
  const many = await Promise.allSettled(Array.from({ length: 120 }, () => search('message')))
  expect(many.filter(({ status }) => status === 'rejected')).toHaveLength(20)
})
