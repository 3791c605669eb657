/** An audience holds exactly the users its filter matches, with the reason, and is gone when it is deleted. */
import type { Engine } from '@postrider/server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { audienceCalls, engineers, missing } from './audience-calls.ts'

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
  const row = async (id: string) => {
    const text = 'select version, due_at is not null as "isDue" from audiences where workspace_id = 1 and id = $1'
    return (await engine.run<{ version: number; isDue: boolean }>({ text, values: [id] })).rows[0]
  }

  test('a user who matches is a member, with the reason and the version', async () => {
    await profile('ada', { title: 'Software Engineer' })
    await profile('bob', { title: 'Writer' })
    expect(await put('engineers', { name: 'Engineers', filter: engineers })).toEqual({
      id: 'engineers',
      name: 'Engineers',
      description: '',
      filter: engineers,
      created_at: new Date(api.time.now).toISOString(),
      updated_at: new Date(api.time.now).toISOString(),
    })
    const { audience, ...bare } = (await api.call('GET', '/audiences/engineers')).json
    expect(bare).toMatchObject({ id: 'engineers', name: 'Engineers', filter: engineers })
    expect(audience).toEqual(bare)
    await settle()
    const member = {
      member_id: 'ada',
      added_at: new Date(api.time.now).toISOString(),
      audience_id: 'engineers',
      audience_version: 1,
      reason: "EQ('title', 'Software Engineer') => true",
    }
    const page = await api.call('GET', '/audiences/engineers/members')
    expect(page.json).toEqual({ items: [member], paging: { more: false } })
    api.time.now += 1_000
    await put('engineers', { name: 'Engineers', filter: engineers })
    await settle()
    expect(await membersOf('engineers')).toEqual([{ ...member, audience_version: 2 }])
  })

  test('another filter takes in and lets go', async () => {
    await profile('ada', { title: 'Software Engineer' })
    await profile('bob', { title: 'Writer' })
    await put('some', { filter: engineers })
    await settle()
    await put('some', { filter: { ...engineers, value: 'Writer' } })
    expect(await row('some')).toMatchObject({ isDue: true })
    await settle()
    expect(await row('some')).toMatchObject({ isDue: false })
    expect(await idsOf('some')).toEqual(['bob'])
    await put('some', { filter: null })
    await settle()
    expect(await idsOf('some')).toEqual([])
  })

  test('fields that a write leaves out stay, and each write is another version', async () => {
    await put('kept', { name: 'Kept', description: 'why', filter: { filters: [engineers] }, operator: 'OR' })
    api.time.now += 5_000
    const after = await put('kept', { name: 'New' })
    expect(after).toMatchObject({ name: 'New', description: 'why', filter: { filters: [engineers] }, operator: 'OR' })
    expect(Date.parse(after.updated_at) - Date.parse(after.created_at)).toBe(5_000)
    expect(await put('kept', { name: null, operator: null })).toMatchObject({ name: '', description: 'why' })
    expect(await row('kept')).toMatchObject({ version: 3 })
  })

  test('a deleted audience is gone at once, with its members', async () => {
    await profile('ada', { title: 'Software Engineer' })
    await put('gone', { filter: engineers })
    await settle()
    expect((await api.call('DELETE', '/audiences/gone')).status).toBe(204)
    for (const [method, path] of [
      ['GET', '/audiences/gone'],
      ['GET', '/audiences/gone/members'],
      ['DELETE', '/audiences/gone'],
    ] as const) {
      const answer = await api.call(method, path)
      expect([answer.status, answer.json]).toMatchObject([404, missing])
    }
    expect((await api.call('GET', '/audiences')).json.items).toEqual([])
    await settle()
    expect((await engine.run({ text: 'select 1 from audience_members', values: [] })).rows).toEqual([])
    expect((await engine.run({ text: 'select 1 from audiences', values: [] })).rows).toEqual([])
  })

  test('made again while its members are being removed, it has those of its new filter', async () => {
    await profile('ada', { title: 'Software Engineer' })
    await profile('bob', { title: 'Writer' })
    await put('again', { name: 'Old', filter: engineers })
    await settle()
    await api.call('DELETE', '/audiences/again')
    expect(await put('again', { filter: { ...engineers, value: 'Writer' } })).toMatchObject({ name: '' })
    await settle()
    expect(await idsOf('again')).toEqual(['bob'])
  })

  test('pages of audiences and of members hold everything once, in order', async () => {
    const names = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${prefix} ${String(n).padStart(3, '0')} é/?`)
    await engine.run({
      text: `insert into profiles select 1, id, '{"in":true}', 1, 0, 0 from json_array_elements_text($1::json) id`,
      values: [JSON.stringify(names('user', 230))],
    })
    for (const name of names('list', 30))
      await put(encodeURIComponent(name), { filter: { operator: 'EXISTS', path: 'in' } })
    await settle()
    const through = async (path: string, key: string) => {
      const pages: string[][] = []
      for (let cursor = ''; ; ) {
        const { items, paging } = (await api.call('GET', `${path}?cursor=${cursor}`)).json
        pages.push(items.map((item: Record<string, string>) => item[key]))
        if (!paging.more) return pages
        cursor = paging.cursor
      }
    }
    const lists = await through('/audiences', 'id')
    expect([lists.map((page) => page.length), lists.flat()]).toEqual([[25, 5], names('list', 30)])
    const members = await through(`/audiences/${encodeURIComponent('list 007 é/?')}/members`, 'member_id')
    expect([members.map((page) => page.length), members.flat()]).toEqual([[100, 100, 30], names('user', 230)])
    expect((await api.call('GET', '/audiences?cursor=nonsense')).status).toBe(400)
  })

  test('a workspace sees neither the audiences nor the users of another', async () => {
    await profile('ada', { title: 'Software Engineer' })
    await api.call('PUT', '/profiles/eve', { apiKey: keys.test, body: { profile: { title: 'Software Engineer' } } })
    await put('engineers', { filter: engineers })
    await settle()
    expect(await idsOf('engineers')).toEqual(['ada'])
    for (const [method, path] of [
      ['GET', '/audiences/engineers'],
      ['GET', '/audiences/engineers/members'],
      ['DELETE', '/audiences/engineers'],
    ] as const)
      expect((await api.call(method, path, { apiKey: keys.test })).json).toMatchObject(missing)
    expect((await api.call('GET', '/audiences', { apiKey: keys.test })).json.items).toEqual([])
  })
})
