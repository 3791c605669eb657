/** The three automations of the guide, run as they stand there, do in a week what the guide promises. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { type SettableClock, settableClock } from '../support/clock.ts'
import { until } from '../support/until.ts'
import { shell, stepsOf } from './guide.ts'
import { root } from './markdown.ts'

/** A Tuesday. */
const start = Date.parse('2027-03-02T09:00:00Z')
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

withApp((open) => {
  let app: App
  let clock: SettableClock
  beforeAll(async () => {
    clock = settableClock(start)
    app = await open({ clock })
    const text = readFileSync(join(root, 'docs/guides/automations.md'), 'utf8')
    const steps = stepsOf(text.replaceAll('http://127.0.0.1:4600', app.url))
    const env = { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey }
    const { code, outputs } = await shell(
      steps.map(({ script }) => script),
      env,
    )
    expect(code, outputs.at(-1)).toBe(0)
    const timeline = outputs.find((text) => text.includes('send first-steps to ada'))
    expect(timeline?.split('\n').filter((line) => line.startsWith('2026-'))).toEqual([
      expect.stringMatching(/^2026-03-02 09:00:00.000Z .* PROCESSED +send welcome to ada by email, inbox: /),
      expect.stringMatching(/^2026-03-02 09:00:00.000Z .* PROCESSED +wait /),
      expect.stringMatching(/^2026-03-04 09:00:00.000Z .* PROCESSED +send first-steps to ada by email, inbox: /),
      expect.stringMatching(/^2026-03-04 09:00:00.000Z .* PROCESSED +wait /),
      expect.stringMatching(/^2026-03-09 09:00:00.000Z .* PROCESSED +send plans to ada by email, inbox: /),
    ])
    await app.call('PUT', '/profiles/bob', { body: { profile: { email: 'bob@example.com', plan: 'pro' } } })
    await app.call('POST', '/automations/onboarding/invoke', { body: { recipient: 'bob', data: { name: 'Bob' } } })
    await track('cart.left', { cart: 'B-1' })
  }, 120_000)

  const track = (event: string, properties: object) =>
    app.call('POST', '/inbound/courier', {
      body: { type: 'track', event, messageId: JSON.stringify([event, properties]), userId: 'bob', properties },
    })
  const eventsFor = async (recipient: string) =>
    (await app.client.messages.list({ recipient })).results.map(({ event }) => event).toReversed()
  /** Everything else stays as it is for as long as this takes. Messages that one change of the clock makes due have no order. */
  const comes = (recipient: string, events: string[]) =>
    until(
      async () => (await eventsFor(recipient)).toSorted(),
      (actual) => JSON.stringify(actual) === JSON.stringify(events.toSorted()),
    )
  const runsOf = async (template_id: string) =>
    (await app.call('GET', `/automations/runs?template_id=${template_id}`)).json.runs

  const stand = (template: string, statuses: string[]) =>
    until(
      async () => (await runsOf(template)).map(({ status }: { status: string }) => status).toSorted(),
      (actual) => JSON.stringify(actual) === JSON.stringify(statuses),
    )

  test('a week of all three', async () => {
    // The guide has collected two events for a digest, and released it.
    const first = ['welcome', 'activity', 'activity', 'activity']
    await comes('ada', first)
    await comes('bob', ['welcome'])
    await stand('cart-left', ['CANCELED', 'WAITING'])
    await stand('comments', ['PROCESSED', 'PROCESSED', 'WAITING'])

    clock.set(start + 6 * MINUTE)
    await comes('ada', [...first, 'activity'])
    const [batched] = (await app.client.messages.list({ recipient: 'ada' })).results
    const kept = await until(
      () => app.call('GET', `/mailbox?message_id=${batched?.id}`),
      ({ json }) => json.results.length > 0,
    )
    const { json } = await app.call('GET', `/mailbox/${kept.json.results[0].id}`)
    const words = JSON.stringify(json)
    expect(words).toContain('3 new comments')
    for (const n of [1, 2, 3]) expect(words).toContain(`Grace: This is comment ${n}.`)

    clock.set(start + HOUR + MINUTE)
    await comes('bob', ['welcome', 'cart-reminder'])
    clock.set(start + DAY + HOUR + 2 * MINUTE)
    await comes('bob', ['welcome', 'cart-reminder', 'cart-reminder'])
    clock.set(start + 2 * DAY + HOUR)
    await comes('bob', ['welcome', 'cart-reminder', 'cart-reminder', 'first-steps'])
    await comes('ada', [...first, 'activity', 'first-steps'])

    // Monday, nine in the morning in Berlin, is in between.
    clock.set(start + 7 * DAY + 2 * HOUR)
    await comes('ada', [...first, 'activity', 'first-steps', 'first-steps', 'plans'])
    expect(await runsOf('monday')).toMatchObject([{ source: ['schedule'], status: 'PROCESSED' }])
    await stand('onboarding', ['PROCESSED', 'PROCESSED'])
    expect(await eventsFor('bob')).toEqual(['welcome', 'cart-reminder', 'cart-reminder', 'first-steps'])
    expect((await app.client.messages.list({ event: 'cart-reminder', recipient: 'ada' })).results).toEqual([])
  }, 120_000)
})
