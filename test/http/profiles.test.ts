/** The profile of a recipient can be merged, replaced, patched and deleted. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

const done = { status: 'SUCCESS' }

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const write = async (method: string, id: string, body: unknown) => {
    const answer = await api.call(method, `/profiles/${id}`, { body })
    expect([answer.status, answer.json]).toEqual([200, done])
  }
  const read = async (id: string) => (await api.call('GET', `/profiles/${id}`)).json

  test('PUT stores exactly what it is given', async () => {
    for (const profile of [{ a: 1, b: 2 }, { a: 3 }, {}]) {
      await write('PUT', 'put', { profile })
      expect(await read('put')).toEqual({ profile, preferences: { categories: {}, notifications: {} } })
    }
  })

  test('POST merges objects key by key and replaces the rest', async () => {
    await write('POST', 'post', { profile: { a: { b: 1, c: [1, 2] }, d: 1 } })
    await write('POST', 'post', { profile: { a: { c: [3] }, e: null } })
    await write('POST', 'post', { profile: {} })
    expect((await read('post')).profile).toEqual({ a: { b: 1, c: [3] }, d: 1, e: null })
  })

  test('POST with a patch is a PATCH; with neither it is a 400', async () => {
    await write('POST', 'old-client', { patch: [{ op: 'add', path: '/email', value: 'a@b.c' }] })
    expect((await read('old-client')).profile).toEqual({ email: 'a@b.c' })
    expect((await api.call('POST', '/profiles/old-client', { body: {} })).status).toBe(400)
  })

  test('PATCH creates, replaces and keeps the rest', async () => {
    await write('PATCH', 'new', { patch: [] })
    expect((await read('new')).profile).toEqual({})
    await write('PUT', 'new', { profile: { email: 'old@example.com', kept: true } })
    await write('PATCH', 'new', { patch: [{ op: 'replace', path: '/email', value: 'test@example.com' }] })
    expect((await read('new')).profile).toEqual({ email: 'test@example.com', kept: true })
  })

  test('tokens are shown as stored, odd keys and characters survive', async () => {
    const profile = { slack: { access_token: 'xoxb-1' }, constructor: 1, 'a.b': '😀', toString: [null, 1.5] }
    await write('PUT', 'odd', { profile })
    expect((await read('odd')).profile).toEqual(profile)
  })

  test('concurrent patches are all applied', async () => {
    await write('PUT', 'shared', { profile: {} })
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(
      names.map((name) => write('PATCH', 'shared', { patch: [{ op: 'add', path: `/${name}`, value: 1 }] })),
    )
    expect((await read('shared')).profile).toEqual({ a: 1, b: 1, c: 1, d: 1 })
  })

  test('DELETE forgets, and forgets again', async () => {
    await write('PUT', 'gone', { profile: { a: 1 } })
    await write('DELETE', 'gone', undefined)
    await write('DELETE', 'gone', undefined)
    expect((await api.call('GET', '/profiles/gone')).json).toMatchObject({
      message: 'Not Found',
      type: 'invalid_request_error',
    })
  })
})
