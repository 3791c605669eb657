/** A bulk job shows its users as they were added. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { type ApiServer, openApiServer } from './api-server.ts'

withEngine((open) => {
  let api: ApiServer
  beforeAll(async () => {
    api = await openApiServer(await open())
  })
  afterAll(() => api.close())

  test('a field of a user that was sent as null is not shown', async () => {
    const { jobId } = (await api.ask('POST', '/bulk', { body: { message: { event: 'welcome' } } })).json
    const user = { recipient: 'ada', email: null, profile: null, data: null, preferences: null, note: 'kept' }
    await api.ask('POST', `/bulk/${jobId}`, { body: { users: [user] } })
    const answer = await api.ask('GET', `/bulk/${jobId}/users`)
    expect(answer.json.items).toEqual([{ recipient: 'ada', note: 'kept', status: 'PENDING' }])
  })
})
