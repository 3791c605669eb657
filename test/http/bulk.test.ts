/** A bulk job shows its users as they were added; to explain one changes nothing. */
import type { Engine } from '@postrider/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAcceptingApp } from '../support/accepting-app.ts'
import { withApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import { everyRow } from '../support/every-row.ts'
import type { RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  test('a field of a user that was sent as null is not shown', async () => {
    const { jobId } = (await api.call('POST', '/bulk', { body: { message: { event: 'welcome' } } })).json
    const user = { recipient: 'ada', email: null, profile: null, data: null, preferences: null, note: 'kept' }
    await api.call('POST', `/bulk/${jobId}`, { body: { users: [user] } })
    const answer = await api.call('GET', `/bulk/${jobId}/users`)
    expect(answer.json.items).toEqual([{ recipient: 'ada', note: 'kept', status: 'PENDING' }])
  })

  test('a misspelled field of its users is named with the place of the first one', async () => {
    const { jobId } = (await api.call('POST', '/bulk', { body: { message: { event: 'welcome' } } })).json
    const users = [{ recpient: 'ada' }, { recipient: 'bob', dta: { name: 'Bob' } }, { recipient: 'cy', dta: {} }]
    const { status, headers, json } = await api.call('POST', `/bulk/${jobId}`, { body: { users } })
    expect([status, json.total]).toEqual([200, 2])
    expect(JSON.parse(headers.get('postrider-warnings') ?? '')).toEqual([
      'Unknown field `recpient` at users.0. Did you mean `recipient`?',
      'Unknown field `dta` at users.1 and 1 more. Did you mean `data`?',
    ])
    expect(json.errors).toMatchObject([
      { error: 'The user has neither an id nor an address. Unknown field `recpient`. Did you mean `recipient`?' },
    ])
  })
})

describe('an explanation of a job', () => {
  withEngine((open) => {
    let engine: Engine
    let api: RecordingApp
    beforeAll(async () => {
      engine = await open()
      api = await openAcceptingApp(engine)
    })
    afterAll(() => api.stop())

    const user = { recipient: 'ada', profile: { email: 'ada@example.com' } }
    const message = { content: { title: 'Hello', body: 'Hello {name}' } }
    const explain = (body: unknown, path = '/explain/bulk') =>
      api.call('POST', path, { body, headers: { 'idempotency-key': 'again' } })

    test('changes no row, not even for its Idempotency-Key, and is made again', async () => {
      expect((await explain({ message, users: [user] })).json.users).toMatchObject([{ user: 0, recipient: 'ada' }])
      const before = await everyRow(engine, [])
      const { status, headers, json } = await explain({ message, users: [{ ...user, recipient: 'grace' }] })
      expect([status, headers.get('idempotent-replayed')]).toEqual([200, null])
      expect(json.users).toMatchObject([{ user: 0, recipient: 'grace' }])
      expect(await everyRow(engine, [])).toBe(before)
    })

    test('names the users that a job would not take, by their place', async () => {
      const users = [{ recipient: 7 }, user, {}, user, { ...user, data: { invoice: 2 } }]
      const { json } = await explain({ message, users })
      expect(json.users.map(({ user: at }: { user: number }) => at)).toEqual([1])
      expect(json.errors).toMatchObject([
        { user: 0, error: expect.stringContaining('recipient') },
        { user: 2, error: 'The user has neither an id nor an address' },
        { user: 3, error: 'Duplicate user' },
        { user: 4, error: expect.stringContaining('with other data') },
      ])
    })

    test('without users checks the message', async () => {
      const { json } = await explain({ message: { event: 'nothing', brand: 'none', colors: 1 }, users: [] })
      expect(json).toMatchObject({
        stopped: { status: 'UNMAPPED', code: 'event_unknown', error: 'Unknown event `nothing`.' },
        problems: ['Unknown brand `none`.'],
        warnings: [expect.stringContaining('`colors`')],
        users: [],
      })
    })

    test.each<[string, unknown, string]>([
      ['no message', { users: [] }, 'missing_field'],
      ['a message about nothing', { message: {}, users: [] }, 'missing_field'],
      ['no users', { message }, 'missing_field'],
      ['more users than a call takes', { message, users: Array.from({ length: 101 }, () => user) }, 'invalid_field'],
      ['a field beside them', { message, users: [], strict: true }, 'unknown_field'],
      [
        'content that does not compile',
        { message: { content: { version: '2022-01-01', elements: [{ type: 'text', if: 'a ==' }] } }, users: [] },
        'invalid_content',
      ],
    ])('%s is a 400', async (_name, body, code) => {
      const { status, json } = await explain(body)
      expect([status, json.code]).toEqual([400, code])
    })

    test('an unknown parameter is a 400', async () => {
      expect((await explain({ message, users: [] }, '/explain/bulk?dry=true')).json.code).toBe('unknown_field')
    })
  })
})
