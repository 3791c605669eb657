/** Callbacks: ids and times as providers write them. */
import { expect, test } from 'vitest'
import {
  acceptedText,
  addressSpellings,
  isExpired,
  isSameText,
  readDeliveryId,
  readTime,
  tokenError,
} from './callback.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

test.each([
  [1_763_640_000, 1_763_640_000_000],
  ['1763640000', 1_763_640_000_000],
  ['1763640000.5', 1_763_640_000_500],
  [1_763_640_000_123, 1_763_640_000_123],
  ['2025-11-20T12:00:00Z', 1_763_640_000_000],
  [undefined, NOW],
  ['soon', NOW],
  [-1, NOW],
  [Number.NaN, NOW],
  // The clock of a provider may be ahead: nothing happens in the future.
  [NOW + 60_000, NOW],
])('the time %s', (value, time) => {
  expect(readTime(value, NOW)).toBe(time)
})

test('a delivery id is one of ours, and nothing else is', () => {
  const id = '1-691f0000-0000000000000000000000ab-0'
  expect(readDeliveryId(id)).toBe(id)
  for (const other of [id.slice(0, -2), `${id}x`, `x${id}`, '', 7, null, undefined, ['1-691f'], `${id}\n`])
    expect(readDeliveryId(other)).toBeUndefined()
})

test.each([
  ['https://a.example/c?x=1', ['https://a.example/c?x=1', 'https://a.example:443/c?x=1']],
  ['http://a.example/c', ['http://a.example/c', 'http://a.example:80/c']],
  ['https://a.example:443/c', ['https://a.example:443/c', 'https://a.example/c']],
  ['https://a.example:8443/c:9/d', ['https://a.example:8443/c:9/d', 'https://a.example/c:9/d']],
  [
    'https://A.Example:8443/C',
    ['https://A.Example:8443/C', 'https://A.Example/C', 'https://a.example:8443/C', 'https://a.example/C'],
  ],
  ['http://[2001:DB8::1]:4600/c', expect.arrayContaining(['http://[2001:DB8::1]/c', 'http://[2001:db8::1]:4600/c'])],
  ['no address', ['no address']],
])('the address %s is signed as %j', (url, spellings) => {
  expect(addressSpellings(url)).toEqual(spellings)
})

test('a text is used once by its id, and by its signature where that does not cover where the id ends', () => {
  const text = { from: '1', text: 'STOP', at: NOW }
  const marksOf = (id: string | undefined, signature?: string) => {
    const outcome = acceptedText({ ...text, ...(id && { id }) }, signature)
    return outcome.kind === 'accepted' && outcome.once?.map(({ mark }) => mark)
  }
  expect([marksOf('7'), marksOf('7', 's'), marksOf(undefined, 's'), marksOf(undefined)]).toEqual([
    ...[['text 7'], ['text 7', 'signature s'], ['signature s'], undefined],
  ])
})

test('texts are compared whole', () => {
  expect([isSameText('a', 'a'), isSameText('a', 'b'), isSameText('', 'b'), isSameText('aa', 'a')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('a signature holds for five minutes in either direction, or as long as its provider repeats it', () => {
  const ages = [0, 300, 301, -300, -301].map((age) => isExpired(NOW / 1_000 - age, NOW))
  expect(ages).toEqual([false, false, true, false, true])
  expect([isExpired(NOW / 1_000 - 3_600, NOW, 3_600_000), isExpired(NOW / 1_000 + 3_600, NOW, 3_600_000)]).toEqual([
    false,
    true,
  ])
  for (const garbage of ['soon', undefined, null, {}, 'Infinity', '-Infinity', ''])
    expect(isExpired(garbage, NOW), String(garbage)).toBe(true)
})

const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`

test.each<[Record<string, string>, string | undefined]>([
  [{ 'x-postrider-token': 'secret' }, undefined],
  [{ authorization: 'Bearer secret' }, undefined],
  [{ authorization: basic('anyone:secret') }, undefined],
  [{ authorization: basic('anyone:a:secret'), 'x-postrider-token': 'secret' }, undefined],
  [{ 'x-postrider-token': 'secre' }, 'The token is wrong'],
  [{ 'x-postrider-token': '' }, 'The token is wrong'],
  [{ authorization: 'Bearer wrong' }, 'The token is wrong'],
  [{ authorization: basic('secret:') }, 'The token is wrong'],
  [{ authorization: basic('secret') }, 'The callback has no token: enter webhookToken at the provider'],
  [{ authorization: 'Digest secret' }, 'The callback has no token: enter webhookToken at the provider'],
  [{}, 'The callback has no token: enter webhookToken at the provider'],
])('the headers %j', (headers, error) => {
  expect(tokenError(headers, 'secret', 'webhookToken')).toBe(error)
})

test('without a stored token every callback is refused', () => {
  for (const headers of [{}, { 'x-postrider-token': '' }, { authorization: 'Bearer ' }])
    expect(tokenError(headers, undefined, 'webhookToken')).toBe(
      'The integration has no webhookToken to verify callbacks with',
    )
})
