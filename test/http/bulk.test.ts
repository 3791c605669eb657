/** A bulk job shows its users as they were added. */
import { beforeAll, expect, test } from 'vitest'
import type { RecordingService } from '../support/recording-service.ts'
import { withService } from '../support/service.ts'

withService((open) => {
  let api: RecordingService
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
