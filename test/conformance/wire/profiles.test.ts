/** The documented calls about profiles and events; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { call, refused } from './wire.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  const SUCCESS = { status: 'SUCCESS' }
  const write = async (method: string, id: string, body: unknown) => {
    const answer = await call(app, method, `/profiles/${id}`, { body })
    expect([answer.status, answer.json]).toEqual([200, SUCCESS])
  }
  const storedProfile = async (id: string) => (await call(app, 'GET', `/profiles/${id}`)).json.profile

  test('case 23b: POST with a patch is a patch', async () => {
    await write('POST', 'p', { patch: [{ op: 'add', path: '/email', value: 'a@b.c' }] })
    expect(await storedProfile('p')).toEqual({ email: 'a@b.c' })
  })

  test('case 24: PATCH creates, and replaces one key', async () => {
    await write('PATCH', 'new', { patch: [] })
    await write('PUT', 'known', { profile: { email: 'old@example.com', name: 'Ada' } })
    await write('PATCH', 'known', { patch: [{ op: 'replace', path: '/email', value: 'test@example.com' }] })
    expect([await storedProfile('new'), await storedProfile('known')]).toEqual([
      {},
      { email: 'test@example.com', name: 'Ada' },
    ])
  })

  test('case 25: a patch that fails changes nothing', async () => {
    await write('PUT', 'whole', { profile: { a: 1 } })
    const patch = [
      { op: 'add', path: '/b', value: 2 },
      { op: 'test', path: '/a', value: 7 },
    ]
    refused(await call(app, 'PATCH', '/profiles/whole', { body: { patch } }), 400)
    expect(await storedProfile('whole')).toEqual({ a: 1 })
  })

  test('case 26: PUT replaces', async () => {
    for (const profile of [{ a: 1, b: 2 }, { a: 3 }, {}]) {
      await write('PUT', 'replaced', { profile })
      expect(await storedProfile('replaced')).toEqual(profile)
    }
  })

  test('case 27: POST merges', async () => {
    for (const profile of [{ a: 1 }, { b: 2 }, {}]) await write('POST', 'merged', { profile })
    expect(await storedProfile('merged')).toEqual({ a: 1, b: 2 })
    const whole = (await call(app, 'GET', '/profiles/merged')).json
    expect(whole.preferences).toEqual({ notifications: {}, categories: {} })
  })

  test('case 34: an event is mapped and read back', async () => {
    const body = { id: 'notification-id-1', type: 'notification' }
    const answer = await call(app, 'PUT', '/events/new-user', { body })
    expect([answer.status, answer.json]).toEqual([200, SUCCESS])
    expect((await call(app, 'GET', '/events/new-user')).json).toEqual({ event: 'new-user', ...body })
    refused(await call(app, 'PUT', '/events/new-user', { body: { ...body, type: 'x' } }), 400)
  })
})
