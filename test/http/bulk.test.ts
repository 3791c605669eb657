/** A bulk job shows its users as they were added. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  test('a field of a user that was sent as null is not shown', async () => {
    const { jobId } = (await api.call('POST', '/bulk', { body: { message: { event: 'welcome' } } })).json
    const user = { recipient: 'ada', email: null, profile: null, data: null, preferences: null, note: 'kept' }
    await api.call('POST', `/bulk/${jobId}`, { body: { users: [user] } })
    const answer = await api.call('GET', `/bulk/${jobId}/users`)
    expect(answer.json.items).toEqual([{ recipient: 'ada', note: 'kept', status: 'PENDING' }])
  })
})
