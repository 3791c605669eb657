/** The step `fetch-data`: merge strategies, tries, and what ends a run. */
import type { SimulationData } from '@postrider/server/internal/automations/simulation/in-memory-store'
import { HOUR, SECOND } from '@postrider/server/internal/base/time/duration'
import { describe, expect, test } from 'vitest'
import { answering, play, START } from './play.ts'

const hello = { action: 'send', template: 'hello', recipient: 'ada' }

describe('fetch-data', () => {
  const fetching = (fields = {}) => [
    { action: 'fetch-data', ref: 'got', webhook: { url: 'https://shop.example/${data.id}' }, ...fields },
    { ...hello, data: { id: null } },
  ]
  const from = { data: { a: 1, b: 1 } }
  test.each([
    ['replace', { a: 2 }],
    ['overwrite', { a: 2, b: 1 }],
    ['soft-merge', { a: 1, b: 1 }],
    ['none', { a: 1, b: 1 }],
  ])('merges by %s', async (merge_strategy, expected) => {
    const steps = [{ action: 'fetch-data', webhook: { url: 'https://shop.example/' }, merge_strategy }, hello]
    expect((await play(steps, [{ context: from }], { ask: answering({ a: 2 }) })).sent()[0]?.data).toEqual(expected)
  })
  test('asks with what was filled in, and keeps the answer under its ref', async () => {
    const asked: unknown[] = []
    const steps = [
      {
        action: 'fetch-data',
        ref: 'got',
        webhook: {
          url: 'https://shop.example/${data.id}',
          method: 'POST',
          params: { q: 'a b' },
          headers: { 'X-Key': 'k' },
          body: { id: { $ref: 'data.id' } },
        },
        merge_strategy: 'overwrite',
      },
      { ...hello, if: 'refs.got.stock > 2' },
    ]
    const played = await play(steps, [{ context: { data: { id: 7 } } }], {
      ask: async (request) => {
        asked.push(request)
        return { kind: 'http', status: 200, headers: {}, body: '{"stock":3}' }
      },
    })
    expect(asked).toMatchObject([
      {
        method: 'POST',
        url: 'https://shop.example/7?q=a+b',
        headers: { 'x-key': 'k', 'content-type': 'application/json' },
        body: '{"id":7}',
      },
    ])
    expect(played.sent()).toHaveLength(1)
  })
  test.each([
    ['https://shop.example/${data.id}', { id: 'a/b?c#d%20' }, 'https://shop.example/a%2Fb%3Fc%23d%2520'],
    ['https://shop.example/${data.id}/x', { id: '../admin' }, 'https://shop.example/..%2Fadmin/x'],
    [
      'https://shop.example/?q=${data.q}&p=1',
      { q: 'a&p=2 ü/..' },
      'https://shop.example/?q=a%26p%3D2%20%C3%BC%2F..&p=1',
    ],
    ['https://shop.example/?up=${data.q}', { q: '..' }, 'https://shop.example/?up=..'],
    ['https://shop.example/${data.o}', { o: { a: 1 } }, 'https://shop.example/%7B%22a%22%3A1%7D'],
    ['https://shop.example/${data.half}', { half: '\ud800' }, 'https://shop.example/%EF%BF%BD'],
    ['${data.url}', { url: 'https://shop.example/a/b?c=d' }, 'https://shop.example/a/b?c=d'],
    ['refs.data.url', { url: 'https://shop.example/a/b?c=d' }, 'https://shop.example/a/b?c=d'],
    ['${data.base}/${data.id}', { base: 'https://shop.example/api', id: 'a/b' }, 'https://shop.example/api/a%2Fb'],
    ['${data.base}${data.path}', { base: 'https://shop.example', path: '/a/b' }, 'https://shop.example/a/b'],
    ['https://${data.shop}.example/${data.id}', { shop: 'shop', id: 7 }, 'https://shop.example/7'],
    ['https://shop.example/\\${data.id}', {}, 'https://shop.example/$%7Bdata.id%7D'],
  ])('asks %s with %j filled in', async (url, data, asked) => {
    const urls: string[] = []
    const ask: SimulationData['ask'] = async (request) => {
      urls.push(request.url)
      return { kind: 'http', status: 200, headers: {}, body: '{}' }
    }
    await play([{ action: 'fetch-data', webhook: { url } }], [{ context: { data } }], { ask })
    expect(urls).toEqual([asked])
    const source = { action: 'send-list', list: 'l', template: 't', data_source: { webhook: { url } } }
    await play([source], [{ context: { data } }], { ask, subscribers: async () => ['ada'] })
    expect(urls[1]?.replace(/[?&]recipientId=ada$/, '').replaceAll('%20', '+')).toBe(asked.replaceAll('%20', '+'))
  })
  test.each(['..', '.'])('asks nobody when a value would lead to another path: %s', async (id) => {
    const url = 'https://shop.example/orders/${data.id}/lines'
    const played = await play([{ action: 'fetch-data', webhook: { url } }], [{ context: { data: { id } } }], {
      ask: answering({}),
    })
    expect(played.run(0).error).toBe(
      `steps.0 (fetch-data): webhook.url holds \`\${data.id}\`, which is \`${id}\` and would lead to another path`,
    )
  })
  test('that leads to no address says what is missing', async () => {
    const webhook = { url: { $ref: 'data.address' } }
    const played = await play([{ action: 'fetch-data', webhook }], [{}], { ask: answering({}) })
    expect(played.run(0).error).toBe('steps.0 (fetch-data): webhook.url is `data.address`, which leads to no value')
  })
  test('carries the key it is given, or one of its own', async () => {
    const keys: (string | undefined)[] = []
    const webhook = { url: 'https://shop.example/' }
    const steps = [
      { action: 'fetch-data', webhook, idempotency_key: 'k' },
      { action: 'fetch-data', webhook },
    ]
    await play(steps, [{}], {
      ask: async ({ headers }) => {
        keys.push(headers['idempotency-key'])
        return { kind: 'http', status: 200, headers: {}, body: '{}' }
      },
    })
    expect(keys).toEqual(['k', expect.stringMatching(/^1-/)])
  })
  test('is tried again when the fault may pass, as late as the server asks, and five times in all', async () => {
    const waits: number[] = []
    let tries = 0
    const played = await play(fetching(), [{ context: { data: { id: 1 } } }], {
      ask: async () => {
        tries += 1
        return { kind: 'http', status: 503, headers: tries === 2 ? { 'retry-after': '100' } : {}, body: '' }
      },
    })
    waits.push(played.now() - START)
    expect(tries).toBe(5)
    expect(waits).toEqual([(5 + 100 + 20 + 40) * SECOND])
    expect(played.run(0)).toMatchObject({
      status: 'ERROR',
      error: 'steps.0 (fetch-data): shop.example answered 503; 5 tries',
    })
    expect(played.statuses(0)).toEqual(['ERROR'])
  })
  test.each([
    ['dns', 5],
    ['timeout', 5],
    ['address_refused', 1],
    ['too_large', 1],
    ['invalid_request', 1],
  ] as const)('that fails with %s is tried %i times', async (failure, times) => {
    let tries = 0
    const ask: SimulationData['ask'] = async () => {
      tries += 1
      return { kind: 'failure', failure, message: 'it went wrong', reached: false }
    }
    const played = await play(fetching(), [{ context: { data: { id: 1 } } }], { ask })
    expect([played.run(0).status, tries]).toEqual(['ERROR', times])
    expect(played.run(0).error).toContain('it went wrong')
  })
  test.each(['3601', '99999999999', 'Fri, 20 Nov 2099 12:00:00 GMT'])(
    'is tried again within an hour, whatever is asked for: Retry-After %s',
    async (asked) => {
      const ask = answering({}, 503, { 'retry-after': asked })
      const played = await play(fetching(), [{ context: { data: { id: 1 } } }], { ask })
      expect(played.run(0).error).toContain('shop.example answered 503; 5 tries')
      expect(played.now()).toBe(START + 4 * HOUR)
    },
  )
  test('names itself by a key of its own, unless it was given one, and a GET has no body', async () => {
    const asked: { headers: Record<string, string>; body?: unknown }[] = []
    const ask: SimulationData['ask'] = async (request) => {
      asked.push(request)
      return { kind: 'http', status: 200, headers: {}, body: '{}' }
    }
    const webhook = { url: 'https://shop.example/', body: { a: 1 } }
    const own = { ...webhook, headers: { 'Idempotency-Key': 'mine' }, params: { none: null, some: 1 } }
    await play(
      [webhook, webhook, own].map((one) => ({ action: 'fetch-data', webhook: one })),
      [{}],
      { ask },
    )
    const keys = asked.map(({ headers }) => headers['idempotency-key'])
    expect([new Set(keys).size, keys[2]]).toEqual([3, 'mine'])
    expect(asked.map(({ body, headers }) => body ?? headers['content-type'])).toEqual([undefined, undefined, undefined])
    expect(asked[2]).toMatchObject({ url: 'https://shop.example/?some=1' })
  })
  test.each([
    ['a refusal', 404, '{}', 'shop.example answered 404'],
    ['a redirect', 302, '', 'redirect'],
    ['no JSON', 200, '<html>', 'answered something other than JSON'],
    ['a list', 200, '[1]', 'not an object'],
    ['a dangerous key', 200, '{"__proto__":{"a":1}}', '`__proto__`'],
  ])('ends the run at once on %s', async (_, status, body, words) => {
    const ask = async () => ({ kind: 'http', status, headers: {}, body }) as const
    const played = await play(fetching(), [{ context: { data: { id: 1 } } }], { ask })
    expect(played.run(0).error).toContain(words)
    expect(played.now()).toBe(START)
  })
  test('fetches so many bytes and no more', async () => {
    const page = { action: 'fetch-data', webhook: { url: 'https://shop.example/' }, merge_strategy: 'replace' }
    const played = await play(Array(8).fill(page), [{}], { ask: answering({ text: 'x'.repeat(900_000) }) })
    expect(played.run(0).error).toContain('fetched more than 5000000 bytes')
    expect(played.run(0).steps.size).toBe(6)
  })
  test('counts the bytes of what failed too', async () => {
    const page = { action: 'fetch-data', webhook: { url: 'https://shop.example/' } }
    const body = JSON.stringify({ text: 'x'.repeat(900_000) })
    let tries = 0
    const played = await play([page, page], [{}], {
      ask: async () => ({ kind: 'http', status: (tries += 1) % 4 === 0 ? 200 : 503, headers: {}, body }),
    })
    expect(played.run(0).error).toContain('fetched more than 5000000 bytes')
    expect(tries).toBe(6)
  })
})
