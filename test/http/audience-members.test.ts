/** Members follow profiles and tenants, however many change, and no late write undoes that. */
import { createMembershipUpdater } from '@postrider/server/internal/audiences/update-members'
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  dueRecomputation,
  nextUsers,
  writeRecomputation,
} from '@postrider/server/internal/database/tables/audiences/audience-members'
import { audienceRecipients } from '@postrider/server/internal/database/tables/audiences/audiences'
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
    const count = async () => (await audienceRecipients(engine, 1, 'engineers', '', 2_000)).length
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

  test('profiles of the largest size are looked at a few at a time', async () => {
    await engine.run({
      text: `insert into profiles select 1, 'user-' || n, json_build_object('title', 'Software Engineer', 'noise',
          (select string_agg(md5(n::text || i::text), '') from generate_series(1, 6000) i)), 1, 0, 0
        from generate_series(1, 30) n`,
      values: [],
    })
    await put('engineers', { filter: engineers })
    const keeper = createMembershipUpdater({ engine, clock: { now: () => api.time.now } })
    await keeper.step()
    const first = await audienceRecipients(engine, 1, 'engineers', '', 100)
    expect(first.length).toBeGreaterThan(0)
    expect(first.length).toBeLessThan(15)
    await settle()
    expect(await audienceRecipients(engine, 1, 'engineers', '', 100)).toHaveLength(30)
  })

  test('of two writes after the same read only the first is made', async () => {
    await profile('ada', { title: 'Software Engineer' })
    await put('engineers', { filter: engineers })
    const due = await dueRecomputation(engine, api.time.now)
    const { users } = await nextUsers(engine, due!, 10, [])
    expect(users.map(({ id }) => id)).toEqual(['ada'])
    const kept = [{ audienceId: 'engineers', memberId: 'ada', version: 1, reason: 'late' }]
    await settle()
    const write = { writes: due!.writes, workspaceId: 1, kept, gone: [] }
    expect(await writeRecomputation(engine, write, due!, undefined, api.time.now)).toBe(false)
    expect(await membersOf('engineers')).toMatchObject([{ reason: "EQ('title', 'Software Engineer') => true" }])
  })

  test('a recompute that conflicts with a new filter starts again', async () => {
    for (const user of ['ada', 'bob', 'cyd']) await profile(user, { title: 'Software Engineer' })
    await put('engineers', { filter: engineers })
    const due = await dueRecomputation(engine, api.time.now)
    await put('engineers', { filter: { operator: 'EXISTS', path: 'title' } })
    const write = { writes: due!.writes, workspaceId: 1, kept: [], gone: [] }
    expect(await writeRecomputation(engine, write, due!, 'bob', api.time.now)).toBe(true)
    await settle()
    expect(await membersOf('engineers')).toMatchObject(
      Array(3).fill({ audience_version: 2, reason: "EXISTS('title') => true" }),
    )
  })
})
