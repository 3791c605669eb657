/** Inbound events are stored once under their id. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const event = {
    event: 'order-placed',
    messageId: 'M1',
    type: 'track',
    properties: { total: 12.5, nested: { a: [1] } },
  }
  const track = (body: object, key?: string) =>
    api.call('POST', '/inbound/courier', { body, ...(key && { apiKey: key }) })
  const storedTexts = async () => {
    const { rows } = await api.engine.run({ text: 'select * from inbound_events order by workspace_id', values: [] })
    return rows
  }

  test('an event is stored and its id answered; the same id again is a conflict that changes nothing', async () => {
    const first = await track({ ...event, userId: 'ada' })
    expect([first.status, first.json]).toEqual([202, { messageId: 'M1' }])
    const row = {
      workspace_id: 1,
      message_id: 'M1',
      event: 'order-placed',
      user_id: 'ada',
      properties: event.properties,
      received: api.time.now,
    }
    expect(await storedTexts()).toEqual([row])
    const again = await track({ ...event, event: 'something-else' })
    expect([again.status, again.headers.get('x-should-retry')]).toEqual([409, 'false'])
    expect(again.json).toMatchObject({ message: expect.any(String), type: 'invalid_request_error' })
    expect(await storedTexts()).toEqual([row])
  })

  test('a mock key has ids of its own', async () => {
    expect((await track({ ...event, messageId: 'order-1' }, keys.mock)).json).toEqual({ messageId: 'order-1' })
    expect((await track({ ...event, messageId: 'order-1' }, keys.mock)).status).toBe(409)
    expect((await track({ ...event, messageId: 'order-1' })).status).toBe(202)
    await api.engine.run({ text: "delete from inbound_events where message_id like '%order-1'" })
  })

  test('another environment has ids of its own', async () => {
    expect((await track(event, keys.test)).status).toBe(202)
    expect(await storedTexts()).toHaveLength(2)
  })

  test.each([
    ['no event', { event: undefined }],
    ['no id', { messageId: undefined }],
    ['an empty id', { messageId: '' }],
    ['another type', { type: 'identify' }],
    ['no properties', { properties: undefined }],
    ['properties that are a list', { properties: [1] }],
  ])('%s is refused', async (_what, change) => {
    const refused = await track({ ...event, messageId: 'M2', ...change })
    expect([refused.status, refused.json.type]).toEqual([400, 'invalid_request_error'])
    expect(await storedTexts()).toHaveLength(2)
  })
})
