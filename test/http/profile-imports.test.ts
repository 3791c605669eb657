/** Profiles are imported many a call: each as by a call of its own, all in one commit, none because of another. */
import type { Engine } from '@postrider/server'
import { beforeAll, expect, test } from 'vitest'
import { openApp, withApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import type { RecordingApp } from '../support/recording-app.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const call = (body: unknown, headers?: Record<string, string>) =>
    api.call('POST', '/imports/profiles', { body, ...(headers && { headers }) })
  const imported = async (profiles: readonly object[], more: object = {}) => {
    const { status, json, text } = await call({ profiles, ...more })
    expect([status, text]).toEqual([200, text])
    return json
  }
  const put = (id: string, profile: unknown) => api.call('PUT', `/profiles/${id}`, { body: { profile } })
  const profileOf = async (id: string) => (await api.call('GET', `/profiles/${id}`)).json.profile
  const whole = (written: number) => ({ written, errors: [], warnings: [] })

  test('profiles are merged key by key, and created where there are none', async () => {
    await put('there', { a: { b: 1, c: [1] }, d: 1 })
    expect(
      await imported([
        { id: 'there', profile: { a: { c: [2] }, e: null } },
        { id: 'new', profile: { email: 'ada@example.com' } },
      ]),
    ).toEqual(whole(2))
    expect(await profileOf('there')).toEqual({ a: { b: 1, c: [2] }, d: 1, e: null })
    expect(await profileOf('new')).toEqual({ email: 'ada@example.com' })
  })

  test('profiles are replaced where the call says so', async () => {
    await put('old', { a: 1, b: 2 })
    expect(await imported([{ id: 'old', profile: { a: 3 } }], { replace: true })).toEqual(whole(1))
    expect(await profileOf('old')).toEqual({ a: 3 })
  })

  test('the same call again leaves the same profiles', async () => {
    const profiles = upTo(1_000).map((n) => ({ id: `again-${n}`, profile: { n, list: [n] } }))
    expect(await imported(profiles)).toEqual(whole(1_000))
    expect(await imported(profiles)).toEqual(whole(1_000))
    expect(await profileOf('again-999')).toEqual({ n: 999, list: [999] })
  })

  test('rows of one recipient are written one after the other', async () => {
    const rows = [
      { id: 'twice', profile: { a: 1, b: { c: 1 } } },
      { id: 'twice', profile: { bio: 'x'.repeat(300_000) } },
      { id: 'twice', profile: { a: 2, b: { d: 1 } } },
    ]
    expect(await imported(rows)).toMatchObject({ written: 2, errors: [{ row: 1, code: 'resource_too_large' }] })
    expect(await profileOf('twice')).toEqual({ a: 2, b: { c: 1, d: 1 } })
    expect(await imported(rows, { replace: true })).toMatchObject({ written: 2 })
    expect(await profileOf('twice')).toEqual({ a: 2, b: { d: 1 } })
  })

  test('a row is refused as by a call of its own, and the others are written', async () => {
    const bodies = [{ profile: 'Ada' }, {}, { profile: { bio: 'x'.repeat(300_000) } }]
    const alone = await Promise.all(bodies.map((body) => api.call('PUT', '/profiles/refused', { body })))
    const { written, errors } = await imported(
      [
        { id: 'kept-1', profile: { a: 1 } },
        ...bodies.map((body) => ({ id: 'refused', ...body })),
        { id: 'kept-2', profile: { a: 1 } },
      ],
      { replace: true },
    )
    expect(written).toBe(2)
    expect(errors).toEqual(
      alone.map(({ json: { message, code, param } }, n) => ({
        row: n + 1,
        id: 'refused',
        error: message,
        code,
        param,
      })),
    )
    expect(await profileOf('kept-2')).toEqual({ a: 1 })
    expect((await api.call('GET', '/profiles/refused')).status).toBe(404)
  })

  test('a profile that becomes too large by a merge is refused, and stays as it was', async () => {
    await put('large', { bio: 'x'.repeat(200_000) })
    expect(await imported([{ id: 'large', profile: { more: 'x'.repeat(100_000) } }])).toMatchObject({
      written: 0,
      errors: [{ row: 0, id: 'large', code: 'resource_too_large' }],
    })
    expect(Object.keys(await profileOf('large'))).toEqual(['bio'])
  })

  test.each([
    ['no id', { profile: {} }, 'missing_field', 'id'],
    ['an empty id', { id: '', profile: {} }, 'invalid_field', 'id'],
    ['a long id', { id: 'x'.repeat(513), profile: {} }, 'invalid_field', 'id'],
    ['an id that no path can name', { id: '..', profile: {} }, 'invalid_field', 'id'],
    ['a number for an id', { id: 7, profile: {} }, 'invalid_field', 'id'],
    ['a field of another call', { id: 'x', profile: {}, preferences: {} }, 'unknown_field', 'preferences'],
  ])('%s is an error of its row', async (_name, row, code, param) => {
    const { written, errors } = await imported([{ id: 'beside', profile: {} }, row])
    expect([written, errors]).toMatchObject([1, [{ row: 1, code, param }]])
  })

  test.each([
    ['no rows', { profiles: [] }, 'invalid_field'],
    [
      'more rows than a call takes',
      { profiles: upTo(1_001).map((n) => ({ id: `${n}`, profile: {} })) },
      'invalid_field',
    ],
    ['an unknown field', { profiles: [{ id: 'x', profile: {} }], merge: true }, 'unknown_field'],
    ['no object', { profiles: ['x'] }, 'invalid_field'],
  ])('%s is refused as a whole', async (_name, body, code) => {
    const { status, json } = await call(body)
    expect([status, json.code]).toEqual([400, code])
  })

  test('profiles that are too large together are refused as a whole, to be merged by smaller calls', async () => {
    const rows = upTo(40).map((n) => ({ id: `heavy-${n}`, profile: { a: n } }))
    await Promise.all(rows.map(({ id }) => put(id, { bio: 'x'.repeat(250_000) })))
    const { status, json } = await call({ profiles: rows })
    expect([status, json.code]).toEqual([413, 'resource_too_large'])
    expect(await profileOf('heavy-0')).not.toHaveProperty('a')
    expect(await imported(rows.slice(0, 20))).toEqual(whole(20))
    expect(await profileOf('heavy-19')).toHaveProperty('a', 19)
    expect(await imported(rows, { replace: true })).toEqual(whole(40))
    const bytes = upTo(25).map((n) => ({ id: `body-${n}`, profile: { bio: 'x'.repeat(255_000) } }))
    expect((await call({ profiles: bytes })).json.code).toBe('payload_too_large')
  })

  test('a value of no use is a warning of its row, or refuses it in a strict call', async () => {
    const rows = [
      { id: 'warned-1', profile: { email: 'ada@example.com' } },
      { id: 'warned-2', profile: { locale: 'german', emial: 'b@example.com' } },
    ]
    const sentences = [
      'The `locale` of the profile, `german`, is not a locale such as `de` or `pt-BR`.',
      'The profile has `emial`, which is data only. Did you mean `email`?',
    ]
    const strict = await call({ profiles: rows }, { prefer: 'handling=strict' })
    expect(strict.json).toEqual({
      written: 1,
      errors: [{ row: 1, id: 'warned-2', error: sentences.join(' '), code: 'invalid_field' }],
      warnings: [],
    })
    const warned = { row: 1, id: 'warned-2', warnings: sentences }
    expect(await imported(rows)).toEqual({ written: 2, errors: [], warnings: [warned] })
    // The call has changed nothing.
    expect(await imported(rows)).toEqual(whole(2))
    expect(await imported(rows, { replace: true })).toEqual({ written: 2, errors: [], warnings: [warned] })
  })

  test('odd keys, ids and characters survive', async () => {
    const profile = { slack: { access_token: 'xoxb-1' }, constructor: 1, 'a.b': '😀', toString: [null, 1.5] }
    const ids = ['a/b', 'é\n', '%2e', 'Z', 'z', 'ä']
    expect(await imported(ids.map((id) => ({ id, profile })))).toEqual(whole(ids.length))
    expect(await imported(ids.map((id) => ({ id, profile: { more: 1 } })))).toEqual(whole(ids.length))
    for (const id of ids) expect(await profileOf(encodeURIComponent(id))).toEqual({ ...profile, more: 1 })
  })

  test('imports and calls of single profiles at the same time lose nothing', async () => {
    const ids = upTo(40).map((n) => `busy-${n}`)
    const statuses = await Promise.all([
      ...upTo(10).map(async (n) => {
        const profiles = ids.map((id) => ({ id, profile: { [`import${n}`]: n } }))
        const { status, text } = await call({ profiles: n % 2 === 0 ? profiles : profiles.toReversed() })
        return `${status} ${status === 200 ? '' : text}`
      }),
      ...ids.map(
        async (id) => `${(await api.call('POST', `/profiles/${id}`, { body: { profile: { own: 1 } } })).status} `,
      ),
    ])
    expect([...new Set(statuses)]).toEqual(['200 '])
    const expected = { own: 1, ...Object.fromEntries(upTo(10).map((n) => [`import${n}`, n])) }
    for (const id of ids) expect(await profileOf(id)).toEqual(expected)
  })

  test('a profile that is deleted or erased meanwhile does not come back', async () => {
    const ids = upTo(20).map((n) => `gone-${n}`)
    await Promise.all(ids.map((id) => put(id, { old: 1 })))
    const profiles = ids.map((id) => ({ id, profile: { new: 1 } }))
    const removed = ids.map((id, n) => api.call('DELETE', `/profiles/${id}${n % 2 === 0 ? '?erase=true' : ''}`))
    const answers = await Promise.all([call({ profiles }), ...removed])
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 202])
    for (const id of ids) expect([undefined, { new: 1 }]).toContainEqual(await profileOf(id))
  })
})

withEngine((open) => {
  test('a profile that others write again and again holds up no import', async () => {
    const engine = await open()
    let writes = 0
    /** Between the read of many profiles and their commit another call is always faster. */
    const conflicting: Engine = {
      ...engine,
      async run(statement) {
        const result = await engine.run<never>(statement)
        const isOfMany = statement.name === 'profiles-to-change' && JSON.parse(String(statement.values?.[0])).length > 1
        if (isOfMany) {
          writes += 1
          await api.call('POST', '/profiles/hot', { body: { profile: { writes } } })
        }
        return result
      },
    }
    const api: RecordingApp = await openApp({ pipeline: 'recording', engine: conflicting })
    const profiles = ['beside', 'hot', 'below'].map((id) => ({ id, profile: { imported: true } }))
    const { status, json } = await api.call('POST', '/imports/profiles', { body: { profiles } })
    expect([status, json]).toEqual([200, { written: 3, errors: [], warnings: [] }])
    const { profile } = (await api.call('GET', '/profiles/hot')).json
    expect(profile).toEqual({ writes, imported: true })
    await api.stop()
  })
})
