/** Members are recomputed a few profiles at a time, no late write undoes a recompute, and requests read them in pages. */
import type { Engine } from '@postrider/server'
import { createMembershipUpdater } from '@postrider/server/internal/audiences/update-members'
import {
  dueRecomputation,
  nextUsers,
  writeRecomputation,
} from '@postrider/server/internal/database/tables/audiences/audience-members'
import { audienceRecipients } from '@postrider/server/internal/database/tables/audiences/audiences'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { audienceCalls, engineers } from '../http/audience-calls.ts'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import type { RecordingApp } from '../support/recording-app.ts'

withEngine((open) => {
  let api: RecordingApp
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    api = await openApp({ pipeline: 'recording', engine })
  })
  afterAll(() => api.stop())

  const { clear, put, profile, settle, membersOf } = audienceCalls(() => api)
  beforeEach(clear)

  test('recipients are read page by page, in order, and a deleted audience has none', async () => {
    const users = ['user 1 é/?', 'user 2 é/?', 'user 3 é/?']
    for (const user of users) await profile(encodeURIComponent(user), { title: 'Software Engineer' })
    await put('engineers', { filter: engineers })
    await settle()
    expect(await audienceRecipients(engine, 1, 'engineers', '', 2)).toEqual(users.slice(0, 2))
    expect(await audienceRecipients(engine, 1, 'engineers', 'user 2 é/?', 10)).toEqual(users.slice(2))
    expect((await api.call('DELETE', '/audiences/engineers')).status).toBe(204)
    expect(await audienceRecipients(engine, 1, 'engineers', '', 10)).toEqual([])
  })

  test('profiles of the largest size are looked at a few at a time', async () => {
    await engine.run({
      text: `insert into profiles select 1, 'user-' || n, json_build_object('title', 'Software Engineer', 'noise',
          (select string_agg(md5(n::text || i::text), '') from generate_series(1, 6000) i)), 1, 0, 0
        from generate_series(1, 30) n`,
      values: [],
    })
    await put('engineers', { filter: engineers })
    const updater = createMembershipUpdater({ engine, clock: { now: () => api.time.now } })
    await updater.step()
    const first = await audienceRecipients(engine, 1, 'engineers', '', 100)
    expect(first.length).toBeGreaterThan(0)
    expect(first.length).toBeLessThan(15)
    await settle()
    expect(await audienceRecipients(engine, 1, 'engineers', '', 100)).toHaveLength(30)
  })

  test('only the first of two writes after the same read is made', async () => {
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
