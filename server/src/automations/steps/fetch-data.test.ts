/** The step `fetch-data`: merge strategies, tries, and what ends a run. */

import { describe, expect, test } from 'vitest'
import { HOUR, SECOND } from '../../base/time/duration.ts'
import type { SimulationData } from '../simulation/in-memory-store.ts'
import { answering, START, simulateRuns } from '../simulation/simulate-runs.harness.ts'

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
    expect(
      (await simulateRuns(steps, [{ context: from }], { sendRequest: answering({ a: 2 }) })).sent()[0]?.data,
    ).toEqual(expected)
  })
  test('requests with the interpolated values, and keeps the reply under its ref', async () => {
    const requests: unknown[] = []
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
    const simulated = await simulateRuns(steps, [{ context: { data: { id: 7 } } }], {
      sendRequest: async (request) => {
        requests.push(request)
        return { kind: 'http', status: 200, headers: {}, body: '{"stock":3}' }
      },
    })
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://shop.example/7?q=a+b',
        headers: { 'x-key': 'k', 'content-type': 'application/json' },
        body: '{"id":7}',
      },
    ])
    expect(simulated.sent()).toHaveLength(1)
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
  ])('requests %s with %j interpolated', async (url, data, requests) => {
    const urls: string[] = []
    const sendRequest: SimulationData['sendRequest'] = async (request) => {
      urls.push(request.url)
      return { kind: 'http', status: 200, headers: {}, body: '{}' }
    }
    await simulateRuns([{ action: 'fetch-data', webhook: { url } }], [{ context: { data } }], { sendRequest })
    expect(urls).toEqual([requests])
    const source = { action: 'send-list', list: 'l', template: 't', data_source: { webhook: { url } } }
    await simulateRuns([source], [{ context: { data } }], { sendRequest, subscribers: async () => ['ada'] })
    expect(urls[1]?.replace(/[?&]recipientId=ada$/, '').replaceAll('%20', '+')).toBe(requests.replaceAll('%20', '+'))
  })
  test.each(['..', '.'])('sends no request when a value would change the path: %s', async (id) => {
    const url = 'https://shop.example/orders/${data.id}/lines'
    const simulated = await simulateRuns(
      [{ action: 'fetch-data', webhook: { url } }],
      [{ context: { data: { id } } }],
      {
        sendRequest: answering({}),
      },
    )
    expect(simulated.run(0).error).toBe(
      `steps.0 (fetch-data): webhook.url holds \`\${data.id}\`, which is \`${id}\` and would lead to another path`,
    )
  })
  test('without an address names what is missing', async () => {
    const webhook = { url: { $ref: 'data.address' } }
    const simulated = await simulateRuns([{ action: 'fetch-data', webhook }], [{}], { sendRequest: answering({}) })
    expect(simulated.run(0).error).toBe('steps.0 (fetch-data): webhook.url is `data.address`, which leads to no value')
  })
  test('carries the key it is given, or one of its own', async () => {
    const keys: (string | undefined)[] = []
    const webhook = { url: 'https://shop.example/' }
    const steps = [
      { action: 'fetch-data', webhook, idempotency_key: 'k' },
      { action: 'fetch-data', webhook },
    ]
    await simulateRuns(steps, [{}], {
      sendRequest: async ({ headers }) => {
        keys.push(headers['idempotency-key'])
        return { kind: 'http', status: 200, headers: {}, body: '{}' }
      },
    })
    expect(keys).toEqual(['k', expect.stringMatching(/^1-/)])
  })
  test('retries a temporary failure as late as the server demands, five times in all', async () => {
    const waits: number[] = []
    let tries = 0
    const simulated = await simulateRuns(fetching(), [{ context: { data: { id: 1 } } }], {
      sendRequest: async () => {
        tries += 1
        return { kind: 'http', status: 503, headers: tries === 2 ? { 'retry-after': '100' } : {}, body: '' }
      },
    })
    waits.push(simulated.now() - START)
    expect(tries).toBe(5)
    expect(waits).toEqual([(5 + 100 + 20 + 40) * SECOND])
    expect(simulated.run(0)).toMatchObject({
      status: 'ERROR',
      error: 'steps.0 (fetch-data): shop.example answered 503; 5 tries',
    })
    expect(simulated.statuses(0)).toEqual(['ERROR'])
  })
  test.each([
    ['dns', 5],
    ['timeout', 5],
    ['address_refused', 1],
    ['too_large', 1],
    ['invalid_request', 1],
  ] as const)('a request that fails with %s is tried %i times', async (failure, times) => {
    let tries = 0
    const sendRequest: SimulationData['sendRequest'] = async () => {
      tries += 1
      return { kind: 'failure', failure, message: 'it went wrong', reached: false }
    }
    const simulated = await simulateRuns(fetching(), [{ context: { data: { id: 1 } } }], { sendRequest })
    expect([simulated.run(0).status, tries]).toEqual(['ERROR', times])
    expect(simulated.run(0).error).toContain('it went wrong')
  })
  test.each(['3601', '99999999999', 'Fri, 20 Nov 2099 12:00:00 GMT'])(
    'retries within an hour, whatever the server demands: Retry-After %s',
    async (requests) => {
      const sendRequest = answering({}, 503, { 'retry-after': requests })
      const simulated = await simulateRuns(fetching(), [{ context: { data: { id: 1 } } }], { sendRequest })
      expect(simulated.run(0).error).toContain('shop.example answered 503; 5 tries')
      expect(simulated.now()).toBe(START + 4 * HOUR)
    },
  )
  test('names itself by a key of its own, unless it was given one, and a GET has no body', async () => {
    const requests: { headers: Record<string, string>; body?: unknown }[] = []
    const sendRequest: SimulationData['sendRequest'] = async (request) => {
      requests.push(request)
      return { kind: 'http', status: 200, headers: {}, body: '{}' }
    }
    const webhook = { url: 'https://shop.example/', body: { a: 1 } }
    const withKey = { ...webhook, headers: { 'Idempotency-Key': 'mine' }, params: { none: null, some: 1 } }
    await simulateRuns(
      [webhook, webhook, withKey].map((request) => ({ action: 'fetch-data', webhook: request })),
      [{}],
      { sendRequest },
    )
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect([new Set(keys).size, keys[2]]).toEqual([3, 'mine'])
    expect(requests.map(({ body, headers }) => body ?? headers['content-type'])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(requests[2]).toMatchObject({ url: 'https://shop.example/?some=1' })
  })
  test.each([
    ['an error status', 404, '{}', 'shop.example answered 404'],
    ['a redirect', 302, '', 'redirect'],
    ['no JSON', 200, '<html>', 'answered something other than JSON'],
    ['a list', 200, '[1]', 'not an object'],
    ['a dangerous key', 200, '{"__proto__":{"a":1}}', '`__proto__`'],
  ])('ends the run at once on %s', async (_, status, body, words) => {
    const sendRequest = async () => ({ kind: 'http', status, headers: {}, body }) as const
    const simulated = await simulateRuns(fetching(), [{ context: { data: { id: 1 } } }], { sendRequest })
    expect(simulated.run(0).error).toContain(words)
    expect(simulated.now()).toBe(START)
  })
  test('fetches so many bytes and no more', async () => {
    const page = { action: 'fetch-data', webhook: { url: 'https://shop.example/' }, merge_strategy: 'replace' }
    const simulated = await simulateRuns(Array(8).fill(page), [{}], {
      sendRequest: answering({ text: 'x'.repeat(900_000) }),
    })
    expect(simulated.run(0).error).toContain('fetched more than 5000000 bytes')
    expect(simulated.run(0).steps.size).toBe(6)
  })
  test('counts the bytes of what failed too', async () => {
    const page = { action: 'fetch-data', webhook: { url: 'https://shop.example/' } }
    const body = JSON.stringify({ text: 'x'.repeat(900_000) })
    let tries = 0
    const simulated = await simulateRuns([page, page], [{}], {
      sendRequest: async () => ({ kind: 'http', status: (tries += 1) % 4 === 0 ? 200 : 503, headers: {}, body }),
    })
    expect(simulated.run(0).error).toContain('fetched more than 5000000 bytes')
    expect(tries).toBe(6)
  })
})
