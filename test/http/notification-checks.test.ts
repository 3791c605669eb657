/** Checks of a submission are kept for those who write and read them. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  test('checks of a submission are replaced, read and forgotten', async () => {
    const notification = { name: 'x', alias: 'checked', content: { title: 'x', body: 'x' } }
    const { id } = (await api.call('POST', '/notifications', { body: { notification } })).json
    const path = `/notifications/${id}/review%201/checks`
    const check = { id: 'legal', type: 'custom', status: 'PENDING' }
    expect((await api.call('GET', path)).status).toBe(404)
    const written = await api.call('PUT', path, { body: { checks: [check] } })
    expect([written.status, written.json]).toEqual([200, { checks: [{ ...check, updated: api.time.now }] }])
    expect((await api.call('GET', '/notifications/checked/review%201/checks')).json).toEqual(written.json)
    const resolved = { ...check, status: 'RESOLVED' }
    await api.call('PUT', path, { body: { checks: [resolved, { ...check, id: 'style' }] } })
    expect((await api.call('GET', path)).json.checks.map((check: { status: string }) => check.status)).toEqual([
      'RESOLVED',
      'PENDING',
    ])
    for (const body of [{ checks: [{ ...check, status: 'MAYBE' }] }, { checks: [{ id: 'x' }] }, {}])
      expect((await api.call('PUT', path, { body })).status).toBe(400)
    expect((await api.call('GET', path, { apiKey: keys.test })).status).toBe(404)
    expect((await api.call('DELETE', path)).status).toBe(204)
    expect((await api.call('DELETE', path)).status).toBe(404)
    expect((await api.call('PUT', '/notifications/unknown/x/checks', { body: { checks: [] } })).status).toBe(404)
  })
})
