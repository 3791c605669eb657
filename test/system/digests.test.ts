/**
 * A send about a topic with a digest becomes an event of it, with those of automations, and one message holds all of
 * them.
 */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { publish } from './templates.ts'

withApp((open) => {
  let app: App
  let topic: string
  let release: string
  beforeAll(async () => {
    app = await open()
    await publish(app.client, 'summary', { content: { title: '{news.count} news', body: '{news.items[0].n}' } })
    const { id: section } = (await post('/preferences/sections', { name: 'News' })).json
    const daily = { frequency: 'daily', time: '09:00' }
    const digest = { template_id: 'summary', schedules: [daily], categories: [{ category_key: 'news' }] }
    const made = await post(`/preferences/sections/${section}/topics`, {
      name: 'T',
      default_status: 'OPTED_IN',
      digest,
    })
    topic = made.json.id
    release = `/preferences/sections/${section}/topics/${topic}/digest/release`
  })

  const post = (path: string, body: object) => app.call('POST', path, { body })
  const message = (user_id: string, data: object) => ({
    ...{ to: { user_id, email: `${user_id}@example.com` }, data, preferences: { subscription_topic_id: topic } },
    content: { title: 'Now', body: 'n={n}' },
  })
  const send = async (user_id: string, data: object) =>
    (await post('/send', { message: message(user_id, data) })).json.requestId as string
  const settledMessage = (id: string) =>
    until(
      () => app.client.messages.get(id),
      ({ status }) => !['ENQUEUED', 'ROUTED', 'SENT'].includes(status),
    )
  const openOf = async (user: string) => (await app.call('GET', `/users/${user}/digests`)).json.items

  test('it is kept with a DIGESTED status, and sent together with the events of automations', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => send('ada', { news: true, n })))
    for (const id of ids) expect(await settledMessage(id)).toMatchObject({ status: 'DIGESTED', providers: [] })
    expect(await settledMessage(ids[0] ?? '')).not.toHaveProperty('error')
    const steps = [{ action: 'add-to-digest', subscription_topic_id: topic }]
    await post('/automations/invoke', { automation: { steps }, recipient: 'ada', data: { news: true, n: 20 } })
    const [digest] = await until(
      () => openOf('ada'),
      ([digest]) => digest?.event_count === 21,
    )
    expect(digest).toMatchObject({ topic_id: topic, category_key_counts: { news: 21 } })
    const { results } = (await app.call('GET', `/messages/${ids[0]}/history`)).json
    const kept = { type: 'DIGESTED', topic_id: topic, until: Date.parse(digest.releases_at) }
    expect(results.map(({ type }: { type: string }) => type)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'DIGESTED'])
    expect(results.at(-1)).toMatchObject(kept)
    const explained = (await app.call('GET', `/messages/${ids[0]}/explain`)).json
    expect(explained.decision).toEqual({ status: 'DIGESTED', due_at: kept.until })
    expect((await post(release, { user_id: 'ada' })).status).toBe(204)
    const message = await until(
      async () => (await app.call('GET', '/messages?recipient=ada&status=DELIVERED')).json.results[0],
      (message) => message !== undefined,
    )
    expect(message).toMatchObject({ recipient: 'ada', event: 'summary' })
    const output = (await app.call('GET', `/messages/${message.id}/output`)).json
    expect(output.results[0].content).toMatchObject({ title: '21 news' })
    expect(await openOf('ada')).toEqual([])
  })

  test('without a wish for the topic nothing is kept, a large event is sent alone, and a dry run predicts both', async () => {
    const path = `/users/bob/preferences/${topic}`
    await app.call('PUT', path, { body: { topic: { status: 'OPTED_OUT' } } })
    expect(await settledMessage(await send('bob', { news: true }))).toMatchObject({ status: 'UNDELIVERABLE' })
    expect(await openOf('bob')).toEqual([])
    const large = await settledMessage(await send('cy', { news: true, text: 'x'.repeat(17_000) }))
    expect(large.providers?.length).toBeGreaterThan(0)
    const { json } = await post('/explain', { message: message('cy', { news: true }) })
    expect(json.decision).toMatchObject({ status: 'DIGESTED' })
    expect(await openOf('cy')).toEqual([])
  })

  test('an automation adds nothing to a digest that the recipient opted out of or snoozed, or that is off by default, and gives the reason', async () => {
    const { id: section } = (await post('/preferences/sections', { name: 'Quiet' })).json
    const digest = { template_id: 'summary', schedules: [{ frequency: 'daily', time: '09:00' }] }
    const quiet = (
      await post(`/preferences/sections/${section}/topics`, { name: 'Q', default_status: 'OPTED_OUT', digest })
    ).json.id as string
    const put = (path: string, body: object) => app.call('PUT', path, { body })
    await put(`/users/olga/preferences/${topic}`, { topic: { status: 'OPTED_OUT' } })
    await put(`/users/otto/preferences/${quiet}`, { topic: { status: 'OPTED_IN' } })
    const rule = { type: 'snooze', until: '2100-01-01T00:00:00.000Z' }
    const snoozed = { notifications: { summary: { status: 'OPTED_IN', rules: [rule] } } }
    expect((await put('/preferences/oskar', snoozed)).status).toBeLessThan(300)
    const step = (subscription_topic_id: string) => ({ action: 'add-to-digest', subscription_topic_id })
    const simulate = async (about: string, recipient: string) => {
      const body = { automation: { steps: [step(about)] }, recipient, data: { news: true } }
      const { runId } = (await post('/automations/invoke', body)).json
      const run = await until(
        async () => (await app.call('GET', `/automations/runs/${runId}/steps`)).json.steps[0],
        (message) => message !== undefined && !['NOT PROCESSED', 'PROCESSING'].includes(message.status),
      )
      const { automation, ...context } = body
      const { timeline } = (await post('/automations/simulate', { automation, context })).json
      return [run, timeline[0]].map(({ status, reason }) => [status, reason])
    }
    const twice = (...outcome: unknown[]) => [outcome, outcome]
    expect(await simulate(topic, 'olga')).toEqual(twice('SKIPPED', 'the recipient has opted out'))
    expect(await simulate(quiet, 'olaf')).toEqual(twice('SKIPPED', 'the recipient has not opted in'))
    expect(await simulate(topic, 'oskar')).toEqual(twice('SKIPPED', `the recipient snoozed it until ${rule.until}`))
    expect(await simulate(quiet, 'otto')).toEqual(twice('PROCESSED', undefined))
    expect(await Promise.all(['olga', 'olaf', 'oskar'].map(openOf))).toEqual([[], [], []])
    expect(await openOf('otto')).toMatchObject([{ event_count: 1 }])
  })

  test('a mock key has a digest of its own, whose message is simulated', async () => {
    const { apiKey } = await app.key('mock')
    const post = (path: string, body: object) => app.call('POST', path, { apiKey, body })
    const { requestId } = (await post('/send', { message: message('dee', { news: true, n: 1 }) })).json
    expect((await settledMessage(requestId)).status).toBe('DIGESTED')
    await post(release, { user_id: 'dee' })
    await until(
      async () => (await app.call('GET', '/messages?recipient=dee&event=summary')).json.results,
      ([message]) => message?.status === 'SIMULATED',
    )
  })
})
