/** Digests in a simulation: collected in memory as in the database, released at their time, sent as one message. */
import type { AutomationStep } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { publish } from './templates.ts'

type Data = Record<string, unknown>
type Reply = Awaited<ReturnType<App['client']['simulate']>>

const limit = 2
const categories = [
  { category_key: 'first', limit },
  { category_key: 'last', retain: 'LAST', limit },
  { category_key: 'highest', retain: 'HIGHEST', limit, sort_key: 'n' },
  { category_key: 'lowest', retain: 'LOWEST', limit, sort_key: 'at.n' },
]

withApp((open) => {
  let app: App
  let section: string
  beforeAll(async () => {
    app = await open()
    await publish(app.client, 'summary', { content: { title: '{news.count} news', body: '{news.items[0].n}' } })
    section = (await post('/preferences/sections', { name: 'News' })).json.id
  })

  const post = (path: string, body: object) => app.call('POST', path, { body })
  const daily = { frequency: 'daily', time: '09:00' }
  const weekly = { frequency: 'weekly', time: '09:00', day_of_week: 'monday' }
  const topicWith = async (schedules: object[], more: object = { categories: [{ category_key: 'news' }] }) => {
    const digest = { template_id: 'summary', schedules, ...more }
    const body = { name: 'T', default_status: 'OPTED_IN', digest }
    return (await post(`/preferences/sections/${section}/topics`, body)).json
  }
  const collect = (topic: string) => ({ action: 'add-to-digest', subscription_topic_id: topic })
  const send = (topic: string, to: object = { user_id: 'ada' }) => ({
    action: 'send',
    message: { to, content: { title: 'Now', body: 'n' }, preferences: { subscription_topic_id: topic } },
  })
  const start = '2026-03-02T08:00:00.000Z'
  const profiles = { ada: { email: 'ada@example.com' } }
  const simulate = (steps: object[], data: Data, more: object = {}): Promise<Reply> =>
    app.client.simulate({
      automation: { steps: steps as AutomationStep[] },
      context: { recipient: 'ada', data },
      profiles,
      start,
      ...more,
    })

  test('events of steps and of sends about the topic are released at their time, as one message', async () => {
    const { id: topic, digest } = await topicWith([daily])
    const wait = { action: 'delay', duration: '1 hour' }
    const steps = [collect(topic), send(topic), wait, send(topic), wait, collect(topic)]
    const { digests, timeline, end } = await simulate(steps, { news: true, n: 7 })
    const sent = timeline[1]?.messages?.[0]
    expect([sent?.channels, sent?.explanation?.decision]).toEqual([
      [],
      { status: 'DIGESTED', due_at: Date.parse('2026-03-02T09:00:00.000Z') },
    ])
    const item = { news: true, n: 7 }
    const common = { topic_id: topic, schedule_id: digest.schedules[0].schedule_id, recipient: 'ada' }
    expect(digests).toMatchObject([
      {
        ...{ ...common, collected: 2, opened_at: start, released_at: '2026-03-02T09:00:00.000Z' },
        data: { news: { count: 2, items: [item, item] } },
        message: { recipient: 'ada', event: 'summary', channels: ['email', 'inbox'] },
      },
      // An event at nine is too late for the release at nine.
      {
        ...{ ...common, collected: 2, opened_at: '2026-03-02T09:00:00.000Z', released_at: '2026-03-03T09:00:00.000Z' },
        message: { event: 'summary' },
      },
    ])
    const [first] = digests
    expect(first?.message.explanation?.decision.status).toBe('ROUTED')
    expect(first?.message.explanation?.rendered[0]?.content).toMatchObject({
      title: '2 news',
      body: expect.stringContaining('7'),
    })
    expect(end).toBe('2026-03-02T10:00:00.000Z')
    expect((await app.call('GET', '/users/ada/digests')).json.items).toEqual([])
    expect((await app.client.messages.list()).results).toEqual([])
  })

  test('each recipient, in each tenant, has one of the schedule it chose; an opted-out one has none', async () => {
    const { id: topic, digest } = await topicWith([{ ...daily, is_default: true }, weekly, { frequency: 'instant' }])
    const choose = (user: string, choice: object) =>
      app.call('PUT', `/users/${user}/preferences/${topic}`, { body: { topic: { status: 'OPTED_IN', ...choice } } })
    const [, onMondays, atOnce] = digest.schedules
    await choose('bob', { digest_schedule_id: onMondays.schedule_id })
    await choose('cy', { digest_schedule_id: atOnce.schedule_id })
    await choose('dee', { status: 'OPTED_OUT' })
    const steps = [
      ...[collect(topic), send(topic, { user_id: 'ada', tenant_id: 'acme' })],
      send(topic, [{ user_id: 'bob' }, { user_id: 'cy' }, { user_id: 'dee' }]),
      send(topic, { user_id: 'cy' }),
    ]
    const { digests } = await simulate(steps, { news: true })
    const short = digests.map(({ recipient, tenant_id, collected, released_at }) => [
      ...[recipient, tenant_id, collected, released_at.slice(0, 16)],
    ])
    expect(short).toEqual([
      ['cy', undefined, 1, '2026-03-02T08:00'],
      ['cy', undefined, 1, '2026-03-02T08:00'],
      ['ada', undefined, 1, '2026-03-02T09:00'],
      ['ada', 'acme', 1, '2026-03-02T09:00'],
      ['bob', undefined, 1, '2026-03-02T09:00'],
    ])
    expect(new Set(digests.map(({ message }) => message.message_id)).size).toBe(digests.length)
  })

  test('more than is shown is kept and counted as the database keeps and counts it', async () => {
    const { id: topic } = await topicWith([daily], { categories })
    const values = [4, 9, undefined, 1, 9, '7', 'x', 12, 1]
    const data = values.map((n, place) => ({
      ...(place % 3 < 2 && { first: 1, highest: 1 }),
      ...(place % 2 === 0 && { last: 1, lowest: 1 }),
      ...(n !== undefined && { n, at: { n } }),
      place,
    }))
    for (const [place, eventData] of data.entries()) {
      const body = { automation: { steps: [collect(topic)] }, recipient: 'ada', data: eventData }
      expect((await post('/automations/invoke', body)).status).toBe(200)
      await until(
        async () => (await app.call('GET', '/users/ada/digests')).json.items[0],
        (digest) => digest?.event_count === place + 1,
      )
    }
    const [storedDigest] = (await app.call('GET', '/users/ada/digests')).json.items
    const further = data.slice(1).map((eventData, n) => ({
      after: `${n + 1} minutes`,
      context: { recipient: 'ada', data: eventData },
    }))
    const { digests } = await simulate([collect(topic)], data[0] ?? {}, { further })
    expect(digests).toHaveLength(1)
    expect(digests[0]?.data).toEqual(storedDigest.data)
    expect(digests[0]).toMatchObject({
      collected: data.length,
      data: { highest: { count: 6, items: [{ n: 12 }, { n: 9 }] } },
    })
  })

  test('a reply shows a megabyte of the content of digests, and the number of events in each', async () => {
    const { id: topic } = await topicWith([daily])
    const text = 'x'.repeat(16_000)
    const context = (n: number) => ({ recipient: `user-${n}`, data: { news: 1, text } })
    const further = Array.from({ length: 99 }, (_, n) => ({ after: '1 minute', context: context(n) }))
    const { digests } = await simulate([collect(topic)], { news: 1, text }, { further })
    expect([digests.length, digests.filter(({ data }) => data).length]).toEqual([100, 65])
    expect(digests.every(({ collected, message }) => collected === 1 && message.explanation)).toBe(true)
  })
})
