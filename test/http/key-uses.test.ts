/** The last use of a key: its day and its client's address, written once a day and key, and by no call itself. */
import { beforeAll, describe, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { openApp, withApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import { keys, type RecordingApp, trustedProxies } from '../support/recording-app.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

type Engine = RecordingApp['engine']

/** Statements that name the table of keys: those of look-ups, and those that write uses. */
function watched(engine: Engine) {
  const counts = { lookUps: 0, writes: 0 }
  const written: string[] = []
  let isAway = false
  const run: Engine['run'] = (statement) => {
    if (/^select .* from "keys"/s.test(statement.text)) counts.lookUps += 1
    if (statement.text.includes('last_used_day = ')) {
      counts.writes += 1
      for (const { id } of JSON.parse(String(statement.values?.[0]))) written.push(id)
      if (isAway) return Promise.reject(new Error('away'))
    }
    return engine.run(statement)
  }
  const writesOf = (id: string) => written.filter((each) => each === id).length
  return { engine: { ...engine, run }, counts, writesOf, setAway: (away: boolean) => (isAway = away) }
}

withEngine((openDatabase) => {
  withApp((open) => {
    let api: RecordingApp
    let watch: ReturnType<typeof watched>
    beforeAll(async () => {
      const engine = await openDatabase()
      watch = watched(engine)
      api = await open({
        pipeline: 'recording',
        engine: watch.engine,
        replace: { trustedProxies: trustedProxies(['127.0.0.0/8', '::1/128']) },
      })
    })

    const newKey = (body: object = {}) => mustCall(api, 'POST', '/keys', body)
    const callFrom = (address: string, apiKey: string, by = api) =>
      by.call('GET', '/events', { apiKey, headers: { 'x-forwarded-for': address } })
    const lastUsed = async (id: string, apiKey?: string) => {
      const { json } = await api.call('GET', '/keys', apiKey === undefined ? {} : { apiKey })
      return json.results.find((key: { id: string }) => key.id === id)?.last_used
    }
    const used = (id: string, use: object) =>
      until(
        () => lastUsed(id),
        (last) => JSON.stringify(last) === JSON.stringify(use),
      )
    const today = () => new Date(api.time.now).toISOString().slice(0, 10)
    /** Connections are looked up again. */
    const later = (ms: number) => {
      api.time.now += ms
    }

    test('a key that was never used says so, and one that was has the day and the address of the client', async () => {
      const { id, key } = await newKey()
      expect(await lastUsed(id)).toBeNull()
      expect((await callFrom('198.51.100.7', key)).status).toBe(200)
      await used(id, { day: today(), address: '198.51.100.7' })
    })

    test('a thousand calls of a day cost one write, and no more queries than before', async () => {
      const { id, key } = await newKey()
      await until(
        () => lastUsed('PRODUCTION'),
        (last) => last !== null,
      )
      const before = { ...watch.counts }
      for (let batch = 0; batch < 20; batch += 1)
        await Promise.all(Array.from({ length: 50 }, () => callFrom('198.51.100.7', key)))
      // The time stands still: one look-up of the key for all of them.
      expect(watch.counts.lookUps - before.lookUps).toBe(1)
      await used(id, { day: today(), address: '198.51.100.7' })
      for (let minute = 0; minute < 30; minute += 1) {
        later(MINUTE)
        await callFrom('198.51.100.7', key)
      }
      // Written with whatever else is due.
      const other = await newKey()
      await callFrom('198.51.100.7', other.key)
      await used(other.id, { day: today(), address: '198.51.100.7' })
      expect(watch.writesOf(id)).toBe(1)
      later(DAY)
      await callFrom('198.51.100.7', key)
      await used(id, { day: today(), address: '198.51.100.7' })
      expect(watch.writesOf(id)).toBe(2)
    })

    test('keys that are used at once share a write', async () => {
      const made = await Promise.all(Array.from({ length: 20 }, () => newKey()))
      const before = { ...watch.counts }
      await Promise.all(made.map(({ key }) => callFrom('198.51.100.7', key)))
      await Promise.all(made.map(({ id }) => used(id, { day: today(), address: '198.51.100.7' })))
      for (const { id } of made) expect(watch.writesOf(id)).toBe(1)
      expect(watch.counts.writes - before.writes).toBeLessThanOrEqual(3)
    })

    test('another address is written, once in ten minutes', async () => {
      const { id, key } = await newKey()
      await callFrom('198.51.100.7', key)
      await used(id, { day: today(), address: '198.51.100.7' })
      for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
        later(1_000)
        await callFrom(address, key)
      }
      later(10 * MINUTE)
      await callFrom('203.0.113.4', key)
      await used(id, { day: today(), address: '203.0.113.4' })
      expect(watch.writesOf(id)).toBe(2)
    })

    test('the first use of a day is written at once, also while an address of the day before waits', async () => {
      const { id, key } = await newKey()
      later(DAY - (api.time.now % DAY) - 5 * MINUTE)
      await callFrom('198.51.100.7', key)
      await used(id, { day: today(), address: '198.51.100.7' })
      later(3 * MINUTE)
      await callFrom('198.51.100.8', key)
      later(2 * MINUTE + 1)
      await callFrom('198.51.100.8', key)
      await used(id, { day: today(), address: '198.51.100.8' })
    })

    test('a node that stops writes what waits', async () => {
      const node = await openApp({
        pipeline: 'recording',
        engine: api.engine,
        replace: { trustedProxies: trustedProxies(['127.0.0.0/8', '::1/128']) },
      })
      node.time.now = api.time.now
      const { id, key } = await newKey()
      await callFrom('198.51.100.7', key, node)
      await node.stop()
      expect(await lastUsed(id)).toEqual({ day: today(), address: '198.51.100.7' })
    })

    test('while the database takes no writes no call fails, and a use is written again, once a minute', async () => {
      const { id, key } = await newKey()
      await callFrom('198.51.100.7', key)
      watch.setAway(true)
      await until(
        async () => watch.writesOf(id),
        (writes) => writes === 1,
      )
      // Another key's write, a quarter of a second later, leaves this one alone.
      const other = await newKey()
      for (const each of [key, other.key]) {
        later(1_000)
        expect((await callFrom('198.51.100.7', each)).status).toBe(200)
      }
      await until(
        async () => watch.writesOf(other.id),
        (writes) => writes === 1,
      )
      expect(watch.writesOf(id)).toBe(1)
      watch.setAway(false)
      later(MINUTE)
      const next = await newKey()
      await callFrom('198.51.100.7', next.key)
      for (const each of [id, other.id, next.id]) await used(each, { day: today(), address: '198.51.100.7' })
    })

    test('a token counts for its key, and its address, which is that of a recipient, is not kept', async () => {
      const { id, key } = await newKey()
      const body = { scope: 'user_id:ada read:preferences', expires_in: '30 days' }
      const { token } = (await api.call('POST', '/auth/issue-token', { apiKey: key, body })).json
      await used(id, { day: today(), address: '127.0.0.1' })
      later(DAY)
      const read = () =>
        api.call('GET', '/users/ada/preferences', { apiKey: token, headers: { 'x-forwarded-for': '203.0.113.9' } })
      expect((await read()).status).toBe(200)
      await used(id, { day: today(), address: null })
      // An address of the same day is kept.
      await callFrom('198.51.100.7', key)
      await used(id, { day: today(), address: '198.51.100.7' })
      later(1_000)
      expect((await read()).status).toBe(200)
      expect(await lastUsed(id)).toEqual({ day: today(), address: '198.51.100.7' })
    })

    test('a session counts for its key', async () => {
      const { id, key } = await newKey()
      const signedIn = await api.call('POST', '/session', { apiKey: '', body: { key } })
      const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
      const headers = { cookie, 'x-postrider-session': '1', 'x-forwarded-for': '198.51.100.8' }
      expect((await api.call('GET', '/session', { apiKey: '', headers })).status).toBe(200)
      await used(id, { day: today(), address: '198.51.100.8' })
    })

    describe('the address', () => {
      test('is masked for a viewer, who sees the day', async () => {
        const { id, key } = await newKey({ role: 'viewer' })
        await callFrom('198.51.100.7', key)
        await used(id, { day: today(), address: '198.51.100.7' })
        const { key: editor } = await newKey({ role: 'editor' })
        expect(await lastUsed(id, editor)).toEqual({ day: today(), address: '198.51.100.7' })
        expect(await lastUsed(id, key)).toEqual({ day: today(), address: '•••' })
      })

      test('is removed with the key', async () => {
        const { id, key } = await newKey()
        await callFrom('198.51.100.7', key)
        await used(id, { day: today(), address: '198.51.100.7' })
        expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(204)
        const { rows } = await api.engine.run({ text: 'select last_address from keys where id = $1', values: [id] })
        expect(rows).toEqual([{ last_address: null }])
      })
    })

    test('a key is in use from the environment that it is of', async () => {
      await callFrom('198.51.100.7', keys.test)
      await until(
        () => lastUsed('TEST', keys.test),
        (last) => last?.address !== undefined,
      )
      expect(await lastUsed('TEST')).toBeUndefined()
    })
  })
})
