/** Checks of a submission are kept for those who write and read them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'
import { type Door, keys, openDoor } from './door.ts'

eachEngine((_name, open) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(await open())
  })
  afterAll(() => door.close())

  test('checks of a submission are replaced, read and forgotten', async () => {
    const notification = { name: 'x', alias: 'checked', content: { title: 'x', body: 'x' } }
    const { id } = (await door.ask('POST', '/notifications', { body: { notification } })).json
    const path = `/notifications/${id}/review%201/checks`
    const check = { id: 'legal', type: 'custom', status: 'PENDING' }
    expect((await door.ask('GET', path)).status).toBe(404)
    const written = await door.ask('PUT', path, { body: { checks: [check] } })
    expect([written.status, written.json]).toEqual([200, { checks: [{ ...check, updated: door.time.now }] }])
    expect((await door.ask('GET', '/notifications/checked/review%201/checks')).json).toEqual(written.json)
    const resolved = { ...check, status: 'RESOLVED' }
    await door.ask('PUT', path, { body: { checks: [resolved, { ...check, id: 'style' }] } })
    expect((await door.ask('GET', path)).json.checks.map((one: { status: string }) => one.status)).toEqual([
      'RESOLVED',
      'PENDING',
    ])
    for (const body of [{ checks: [{ ...check, status: 'MAYBE' }] }, { checks: [{ id: 'x' }] }, {}])
      expect((await door.ask('PUT', path, { body })).status).toBe(400)
    expect((await door.ask('GET', path, { key: keys.test })).status).toBe(404)
    expect((await door.ask('DELETE', path)).status).toBe(204)
    expect((await door.ask('DELETE', path)).status).toBe(404)
    expect((await door.ask('PUT', '/notifications/nobody/x/checks', { body: { checks: [] } })).status).toBe(404)
  })
})
