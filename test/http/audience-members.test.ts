/** Members follow profiles and tenants, however many change. */
import type { Engine } from '@postrider/server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import type { RecordingApp } from '../support/recording-app.ts'
import { audienceCalls, engineers } from './audience-calls.ts'

withEngine((open) => {
  let api: RecordingApp
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    api = await openApp({ pipeline: 'recording', engine })
  })
  afterAll(() => api.stop())

  const { clear, put, profile, settle, membersOf, idsOf } = audienceCalls(() => api)
  beforeEach(clear)

  test('every kind of profile write is followed', async () => {
    await put('engineers', { filter: engineers })
    await settle()
    const write = async (method: string, body?: unknown) => {
      expect((await api.call(method, '/profiles/ada', body ? { body } : {})).status).toBe(200)
      await settle()
      return idsOf('engineers')
    }
    expect(await write('POST', { profile: { title: 'Software Engineer' } })).toEqual(['ada'])
    expect(await write('PUT', { profile: {} })).toEqual([])
    const patch = [{ op: 'add', path: '/title', value: 'Software Engineer' }]
    expect(await write('PATCH', { patch })).toEqual(['ada'])
    expect(await write('DELETE')).toEqual([])
    const importing = async (profile: object) => {
      expect(
        (await api.call('POST', '/imports/profiles', { body: { profiles: [{ id: 'ada', profile }] } })).status,
      ).toBe(200)
      await settle()
      return idsOf('engineers')
    }
    expect(await importing({ title: 'Software Engineer' })).toEqual(['ada'])
    expect(await importing({ title: 'Writer' })).toEqual([])
    expect((await engine.run({ text: 'select 1 from audience_changes', values: [] })).rows).toEqual([])
  })

  test('a recipient without a profile matches no filter, a negated one included', async () => {
    await put('others', { filter: { operator: 'NEQ', path: 'title', value: 'Writer' } })
    await profile('ada', {})
    await settle()
    expect(await idsOf('others')).toEqual(['ada'])
    await api.call('DELETE', '/profiles/ada')
    await settle()
    expect(await idsOf('others')).toEqual([])
  })

  test('the tenants of a user are followed, also without a profile', async () => {
    const change = async (method: string, path: string, body?: unknown) => {
      expect((await api.call(method, path, body ? { body } : {})).status).toBeLessThan(300)
      await settle()
      return idsOf('acme')
    }
    for (const id of ['acme', 'other']) await api.call('PUT', `/tenants/${id}`, { body: { name: id } })
    await api.call('PUT', '/users/ada/tenants/acme')
    await put('acme', { filter: { operator: 'MEMBER_OF', path: 'account_id', value: 'acme' } })
    await settle()
    expect(await membersOf('acme')).toMatchObject([
      { member_id: 'ada', reason: "MEMBER_OF('account_id', 'acme') => true" },
    ])
    expect(await change('PUT', '/users/bob/tenants/acme')).toEqual(['ada', 'bob'])
    expect(await change('PUT', '/users/cyd/tenants', { tenants: [{ tenant_id: 'acme' }] })).toEqual([
      'ada',
      'bob',
      'cyd',
    ])
    expect(await change('PUT', '/users/eve/tenants/other')).toEqual(['ada', 'bob', 'cyd'])
    expect(await change('DELETE', '/users/ada/tenants/acme')).toEqual(['bob', 'cyd'])
    expect(await change('DELETE', '/tenants/acme')).toEqual([])
  })

  test('changes of users that no audience can match are not stored', async () => {
    await profile('ada', { title: 'Writer' })
    expect((await engine.run({ text: 'select 1 from audience_changes', values: [] })).rows).toEqual([])
  })

  test('members follow when there are more changes and more users than one slice takes', async () => {
    const many = (title: string) =>
      engine.run({
        text: `insert into profiles select 1, 'user-' || n, json_build_object('title', $1::text), 1, 0, 0
          from generate_series(1, 1200) n on conflict (workspace_id, id) do update set profile = excluded.profile`,
        values: [title],
      })
    const count = async () => {
      const text = `select count(*)::int as count from audience_members where audience_id = 'engineers'`
      return (await engine.run<{ count: number }>({ text })).rows[0]?.count
    }
    await many('Software Engineer')
    await put('engineers', { filter: engineers })
    await settle()
    expect(await count()).toBe(1_200)
    await many('Writer')
    await settle()
    expect(await count()).toBe(0)
    await many('Software Engineer')
    await settle()
    expect(await count()).toBe(1_200)
    await engine.run({ text: 'delete from profiles', values: [] })
    await settle()
    expect(await count()).toBe(0)
  })
})
