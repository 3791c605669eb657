/** Checks of a submission are kept for those who write and read them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { type ApiServer, keys, openApiServer } from './api-server.ts'

withEngine((open) => {
  let api: ApiServer
  beforeAll(async () => {
    api = await openApiServer(await open())
  })
  afterAll(() => api.close())

  test('checks of a submission are replaced, read and forgotten', async () => {
    const notification = { name: 'x', alias: 'checked', content: { title: 'x', body: 'x' } }
    const { id } = (await api.ask('POST', '/notifications', { body: { notification } })).json
    const path = `/notifications/${id}/review%201/checks`
    const check = { id: 'legal', type: 'custom', status: 'PENDING' }
    expect((await api.ask('GET', path)).status).toBe(404)
    const written = await api.ask('PUT', path, { body: { checks: [check] } })
    expect([written.status, written.json]).toEqual([200, { checks: [{ ...check, updated: api.time.now }] }])
    expect((await api.ask('GET', '/notifications/checked/review%201/checks')).json).toEqual(written.json)
    const resolved = { ...check, status: 'RESOLVED' }
    await api.ask('PUT', path, { body: { checks: [resolved, { ...check, id: 'style' }] } })
    expect((await api.ask('GET', path)).json.checks.map((one: { status: string }) => one.status)).toEqual([
      'RESOLVED',
      'PENDING',
    ])
    for (const body of [{ checks: [{ ...check, status: 'MAYBE' }] }, { checks: [{ id: 'x' }] }, {}])
      expect((await api.ask('PUT', path, { body })).status).toBe(400)
    expect((await api.ask('GET', path, { key: keys.test })).status).toBe(404)
    expect((await api.ask('DELETE', path)).status).toBe(204)
    expect((await api.ask('DELETE', path)).status).toBe(404)
    expect((await api.ask('PUT', '/notifications/nobody/x/checks', { body: { checks: [] } })).status).toBe(404)
  })
})
