/** Rate limits: off by default, and then by operation and environment, with a short wait. */
import { operations } from '@postrider/contract'
import { ConfigInvalid, readConfig } from '@postrider/server'
import { beforeAll, describe, expect, test } from 'vitest'
import { openApp, withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const limitsOf = (text: string) => readConfig({ POSTRIDER_RATE_LIMITS: text }).rateLimits

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording', replace: { rateLimits: limitsOf('recommended') } })
  })

  const put = (key = keys.production) =>
    api.call('PUT', '/events/often', { apiKey: key, body: { id: 'N', type: 'notification' } })

  test('the 21st call at once gets a retry delay of three seconds, and is accepted then', async () => {
    for (let count = 0; count < 20; count += 1) expect((await put()).status).toBe(200)
    const refused = await put()
    expect(refused.status).toBe(429)
    expect(refused.json).toMatchObject({ type: 'rate_limit_error', message: expect.stringContaining('20') })
    expect(refused.headers.get('retry-after')).toBe('3')
    expect(refused.headers.get('x-should-retry')).toBeNull()
    expect((await put(keys.test)).status).toBe(200)
    expect((await api.call('GET', '/events/often')).status).toBe(200)
    api.time.now += 3_000
    expect([(await put()).status, (await put()).status]).toEqual([200, 429])
  })

  test('no call is limited by default', async () => {
    const free = await openApp({ pipeline: 'recording', engine: api.engine, replace: { rateLimits: limitsOf('') } })
    for (let count = 0; count < 25; count += 1)
      expect((await free.call('PUT', '/events/o', { body: { id: 'N', type: 'notification' } })).status).toBe(200)
    await free.stop()
  })
})

describe('POSTRIDER_RATE_LIMITS', () => {
  test('`recommended` are the limits of the contract, and later entries win', () => {
    const recommended = operations.flatMap(({ id, recommendedPerMinute: n }) => (n === undefined ? [] : [[id, n]]))
    expect(recommended.length).toBeGreaterThan(0)
    expect([...limitsOf('recommended')]).toEqual(recommended)
    expect(limitsOf('recommended, events.put = 7').get('events.put')).toBe(7)
    expect([...limitsOf('keys.create=5')]).toEqual([['keys.create', 5]])
    expect(limitsOf('').size).toBe(0)
  })

  test.each([
    'events.put',
    'events.put=',
    'events.put=0',
    'events.put=-1',
    'events.put=2000000',
    'events.fly=3',
    'all',
  ])('%s is refused by its name', (text) => {
    expect(() => limitsOf(text)).toThrow(ConfigInvalid)
    expect(() => limitsOf(text)).toThrow(/POSTRIDER_RATE_LIMITS .* `(events|all)/)
  })
})
