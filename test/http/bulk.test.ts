/** A bulk job shows its users as they were added. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'
import { type Door, openDoor } from './door.ts'

eachEngine((_name, open) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(await open())
  })
  afterAll(() => door.close())

  test('a field of a user that was sent as null is not shown', async () => {
    const { jobId } = (await door.ask('POST', '/bulk', { body: { message: { event: 'welcome' } } })).json
    const user = { recipient: 'ada', email: null, profile: null, data: null, preferences: null, note: 'kept' }
    await door.ask('POST', `/bulk/${jobId}`, { body: { users: [user] } })
    const answer = await door.ask('GET', `/bulk/${jobId}/users`)
    expect(answer.json.items).toEqual([{ recipient: 'ada', note: 'kept', status: 'PENDING' }])
  })
})
