/** The documented ways to wait, on a service whose clock the test sets; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { settableClock } from '../../support/clock.ts'
import { until } from '../../support/until.ts'
import { publish } from '../../system/templates.ts'
import { call, EVENT, sendAs } from './wire.ts'

withApp((open) => {
  let app: App
  const clock = settableClock('2026-01-02T09:00:30Z')
  beforeAll(async () => {
    app = await open({ clock })
    await publish(app.client, EVENT, { channels: ['email'] })
  })

  const message = (delay: object, more: object = {}) => ({
    message: { to: { user_id: 'u', email: 'a@b.co', ...more }, template: EVENT, delay },
  })
  /** Where it stands, and when it is due if it waits. */
  const decided = async (body: object) => {
    const { status } = await sendAs(app, body)
    const { json } = await call(app, 'POST', '/explain', { body })
    return json.decision.due_at ? [status, new Date(json.decision.due_at).toISOString()] : [status]
  }

  test('case 17: two minutes end with the first whole minute that is two minutes away', async () => {
    clock.set('2026-01-02T09:00:30Z')
    const body = message({ duration: 120_000 })
    expect(await decided(body)).toEqual(['DELAYED', '2026-01-02T09:03:00.000Z'])
    const { id } = await sendAs(app, body)
    clock.set('2026-01-02T09:03:00Z')
    const { sent } = await until(
      async () => (await call(app, 'GET', `/messages/${id}`)).json,
      ({ status }) => status === 'DELIVERED',
    )
    expect(new Date(sent).toISOString()).toMatch(/^2026-01-02T09:03:/)
  })

  test('case 18: opening hours include their first millisecond and exclude their last', async () => {
    const hours = message({ until: 'Mo-Fr 08:00-12:00' })
    clock.set('2026-01-05T08:00:00Z')
    expect(await decided(hours)).toEqual(['DELIVERED'])
    clock.set('2026-01-05T12:00:00Z')
    expect(await decided(hours)).toEqual(['DELAYED', '2026-01-06T08:00:00.000Z'])
  })

  test('case 19: opening hours are those of the zone', async () => {
    clock.set('2026-01-10T12:00:00-08:00')
    const until = 'Mo-Fr 08:00-16:30'
    const monday = ['DELAYED', '2026-01-12T16:00:00.000Z']
    expect(await decided(message({ until, timezone: 'America/Los_Angeles' }))).toEqual(monday)
    expect(await decided(message({ until }, { timezone: 'America/Los_Angeles' }))).toEqual(monday)
  })
})
