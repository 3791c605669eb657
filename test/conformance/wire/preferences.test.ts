/** The documented calls about the preferences of recipients, and about their devices; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { daysUntil } from '../../support/clock.ts'
import { publish } from '../../system/templates.ts'
import { call, EVENT, nothing, refused, sendAs } from './wire.ts'

const DAY = 86_400_000

withApp((open) => {
  let app: App
  let notification: string
  let topic: { id: string }
  let required: { id: string }
  beforeAll(async () => {
    app = await open()
    notification = await publish(app.client, EVENT, { channels: ['email'] })
    const section = (await call(app, 'POST', '/preferences/sections', { body: { name: 'General' } })).json
    const topics = `/preferences/sections/${section.id}/topics`
    const make = async (name: string, default_status: string) =>
      (await call(app, 'POST', topics, { body: { name, default_status } })).json
    topic = await make('News', 'OPTED_IN')
    required = await make('Bills', 'REQUIRED')
  })

  test('case 12: a snooze that has ended lets it pass, one that lasts holds it', async () => {
    const sentWith = async (recipient: string, until: string) => {
      const preference = { status: 'OPTED_IN', rules: [{ type: 'snooze', until }] }
      const body = { notifications: { [notification]: preference }, categories: {} }
      const put = await call(app, 'PUT', `/preferences/${recipient}`, { body })
      expect([put.status, put.json]).toEqual([200, { status: 'SUCCESS' }])
      return sendAs(app, { event: EVENT, recipient, profile: { email: 'a@b.co' } })
    }
    expect((await sentWith('past', '2021-12-31T00:00:00.000Z')).status).toBe('DELIVERED')
    const message = await sentWith('future', new Date(Date.now() + DAY).toISOString())
    expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' })
    expect(message).not.toHaveProperty('sent')
  })

  test('case 60: a device token lasts two months, or for ever with `expiry_date: false`', async () => {
    const path = '/users/u/tokens/t1'
    const expiry = async (more: object) => {
      nothing(await call(app, 'PUT', path, { body: { provider_key: 'firebase-fcm', ...more } }))
      return (await call(app, 'GET', path)).json.expiry_date
    }
    const days = daysUntil(await expiry({}))
    expect(days).toBeGreaterThan(58)
    expect(days).toBeLessThan(63)
    expect(await expiry({ expiry_date: false })).toBe(false)
  })

  test('case 61: a required topic cannot be opted out of, an unknown one is a 404', async () => {
    const put = (id: string) =>
      call(app, 'PUT', `/users/u/preferences/${id}`, { body: { topic: { status: 'OPTED_OUT' } } })
    refused(await put(required.id), 400)
    refused(await put('unknown'), 404)
    expect((await put(topic.id)).json).toEqual({ message: 'success' })
  })
})
