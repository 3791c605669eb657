/** `GET /metrics/summary`: what was accepted, how it ended, by channel and provider, and what waits, as the messages themselves say. */
import type { MetricsSummary, Postrider, Reason } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import { type App, sendAndSettle, settled, withApp } from '../support/app.ts'
import { mergeMessageCounts } from '../support/background.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { onDatabaseOf } from '../support/installation.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const MINUTE = 60_000

withApp((open) => {
  let app: App
  let node: App
  let client: Postrider
  let peer: Recorder
  let environment: Record<string, string>

  beforeAll(async () => {
    environment = await databaseEnvironment()
    peer = await startRecorder()
    app = await open({ env: environment })
    node = await open({ env: { ...environment, POSTRIDER_API_KEY: app.apiKey } })
    client = app.client
  })
  afterAll(() => peer.close())

  const summary = (query: Parameters<Postrider['metrics']['summary']>[0] = {}) => client.metrics.summary(query)
  const figures = async () => {
    const { from: _from, to: _to, oldest: _oldest, ...rest } = await summary()
    return rest
  }
  const hook = (path: string) => ({ webhook: { url: `${peer.url}/${path}` } })
  const statuses = ({ statuses }: Pick<MetricsSummary, 'statuses'>) =>
    Object.fromEntries(statuses.map(({ status, count }) => [status, count]))

  test('an empty system has zeros, for the last day up to this minute', async () => {
    const before = Date.now()
    const { from, to, ...rest } = await summary()
    expect(rest).toEqual({
      ...{ accepted: 0, finished: 0, waiting: 0, held: 0, oldest: null },
      ...{ delayed: 0, scheduled_requests: 0, paused_requests: 0 },
      ...{ statuses: [], reasons: [], channels: [], providers: [] },
    })
    expect([from % MINUTE, to % MINUTE]).toEqual([0, 0])
    expect(to).toBeGreaterThanOrEqual(before)
    expect(to - from).toBeLessThanOrEqual(24 * 60 * MINUTE + 2 * MINUTE)
  })

  test('each outcome is counted once, on whichever node, with the deliveries of a failover', async () => {
    await integrate(client, { provider: 'webhook' })
    const settings = { apiKey: 'k', fromAddress: 'a@b.example', baseUrl: peer.url }
    await integrate(client, { provider: 'sendgrid', settings })
    await publish(client, 'hooked', { channels: ['webhook'] })
    await publish(client, 'both', { channels: ['sendgrid', 'webhook'] })
    peer.answer('/refused', { status: 400 })
    peer.answer('/v3/mail/send', { status: 401 })

    for (const by of [client, node.client]) {
      await sendAndSettle(by, { event: 'no-such-event', recipient: 'ada' })
      await sendAndSettle(by, { event: 'hooked', recipient: 'ada', profile: hook('taken') })
      await sendAndSettle(by, { event: 'hooked', recipient: 'ada', profile: hook('refused') })
      const profile = { email: 'ada@example.com', ...hook('taken') }
      expect(await sendAndSettle(by, { event: 'both', recipient: 'ada', profile })).toMatchObject({
        status: 'DELIVERED',
      })
      const later = { event: 'hooked', recipient: 'bea', profile: hook('taken'), delay: { duration: 3_600_000 } }
      const { messageId } = await by.send(later)
      await by.messages.cancel(messageId)
    }
    const recipients = [{ recipientId: 'cy' }, { recipientId: 'dee' }]
    await app.call('PUT', '/lists/staff/subscriptions', { body: { recipients } })
    await client.send({ message: { to: { list_id: 'staff' }, template: 'hooked' } })
    const summary = await until(figures, ({ finished }) => finished >= 12)
    expect(summary).toMatchObject({ accepted: 12, finished: 12, waiting: 0 })
    expect(statuses(summary)).toEqual({ UNMAPPED: 2, DELIVERED: 4, UNDELIVERABLE: 2, CANCELED: 2, UNROUTABLE: 2 })
    expect(summary.reasons.toSorted((left, right) => (left.reason < right.reason ? -1 : 1))).toEqual([
      { status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA', count: 2 },
      { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR', count: 2 },
    ])
    expect(summary.channels).toEqual([
      { channel: 'webhook', sent: 4, delivered: 4, failed: 2 },
      { channel: 'email', sent: 0, delivered: 0, failed: 2 },
    ])
    expect(summary.providers).toEqual([
      { provider: 'webhook', channel: 'webhook', sent: 4, delivered: 4, failed: 2 },
      { provider: 'sendgrid', channel: 'email', sent: 0, delivered: 0, failed: 2 },
    ])
  })

  test('an opt-out is counted by its reason, and the list leaves it out of the failures', async () => {
    const before = await figures()
    const { id: section } = await client.sections.create({ name: 'Shop', routing_options: ['webhook'] })
    const { id: topic } = await client.topics.create(section, { name: 'News', default_status: 'OPTED_OUT' } as never)
    const message = {
      to: { user_id: 'fay', ...hook('taken') },
      template: 'hooked',
      preferences: { subscription_topic_id: topic },
    }
    const { requestId } = await client.send({ message } as never)
    expect(await settled(client, requestId)).toMatchObject({ status: 'UNDELIVERABLE', reason: 'OPT_IN_REQUIRED' })
    const { reasons } = await until(figures, ({ finished }) => finished > before.finished)
    expect(reasons).toContainEqual({ status: 'UNDELIVERABLE', reason: 'OPT_IN_REQUIRED', count: 1 })
    const undeliverable = async (except_reason: Reason[]) =>
      (await client.messages.list({ status: ['UNDELIVERABLE'], except_reason })).results.map(({ reason }) => reason)
    expect((await undeliverable([])).sort()).toEqual(['OPT_IN_REQUIRED', 'PROVIDER_ERROR', 'PROVIDER_ERROR'])
    expect(await undeliverable(['OPT_IN_REQUIRED', 'UNSUBSCRIBED'])).toEqual(['PROVIDER_ERROR', 'PROVIDER_ERROR'])
    const { results } = await client.messages.list({ except_reason: ['OPT_IN_REQUIRED'] })
    // Those without a reason are in the list.
    expect(results.map(({ status }) => status)).toContain('DELIVERED')
  })

  test('a repeated call counts once, and the other environment has counts of its own', async () => {
    const before = await figures()
    const body = { event: 'no-such-event', recipient: 'ada' }
    for (const by of [client, node.client]) await by.send(body, { idempotencyKey: 'once' })
    const after = await until(figures, ({ finished }) => finished > before.finished)
    expect([after.accepted, after.finished]).toEqual([before.accepted + 1, before.finished + 1])
    const { client: testing } = await app.key('published', 'test')
    expect(await testing.metrics.summary()).toMatchObject({ accepted: 0, finished: 0, waiting: 0 })
  })

  test('waiting messages are counted, and their age starts when they are due; messages canceled by an erasure have ended', async () => {
    const before = await figures()
    const { messageId } = await client.send({ event: 'hooked', recipient: 'eve', delay: { duration: 3_600_000 } })
    expect(await summary()).toMatchObject({ waiting: 1, delayed: 1, oldest: null })
    const release = peer.hold('/hanging')
    const { messageId: slow } = await client.send({ event: 'hooked', recipient: 'ada', profile: hook('hanging') })
    const { oldest } = await until(summary, (now) => (now.oldest ?? 0) > 300)
    expect(oldest).toBeLessThan(MINUTE)
    release()
    await settled(client, slow)
    await client.profiles.delete('eve', { erase: true })
    await until(
      async () => (await client.messages.get(messageId)).status,
      (status) => status === 'CANCELED',
    )
    const after = await figures()
    expect(after).toMatchObject({ accepted: before.accepted + 2, finished: before.finished + 2, waiting: 0 })
    expect(statuses(after).CANCELED).toBe((statuses(before).CANCELED ?? 0) + 1)
  })

  test('the counts are those of the messages, before and after they are merged', async () => {
    const steps = [{ action: 'send' as const, recipient: 'ada', template: 'hooked', profile: hook('taken') }]
    const { runId } = await client.automations.invoke({ automation: { steps } })
    await until(
      async () => (await client.messages.list({ runId })).results.map(({ status }) => status).join(),
      (status) => status === 'DELIVERED',
    )
    await onDatabaseOf(environment, async (engine) => {
      const { rows } = await engine.run<{ status: string; count: number }>({
        text: `select status, count(*)::int as count from messages where workspace_id = 1 group by 1`,
      })
      const before = await figures()
      expect(before.accepted).toBe(rows.reduce((sum, { count }) => sum + count, 0))
      expect(statuses(before)).toEqual(Object.fromEntries(rows.map(({ status, count }) => [status, count])))
      expect(await mergeMessageCounts(engine, Date.now() + 5 * MINUTE)).toBeGreaterThan(10)
      expect(await figures()).toEqual(before)
    })
  })

  test.each([
    ['1m', '30m', MINUTE, 31],
    ['5m', '2h', 5 * MINUTE, 25],
    ['1h', '24h', 60 * MINUTE, 25],
    ['1d', '30d', 1_440 * MINUTE, 31],
  ] as const)(
    'buckets of %s divide a window of %s, and their sums are those of the window',
    async (bucket, window, length, most) => {
      const all = await summary({ window, bucket })
      const buckets = all.buckets ?? []
      expect([all.from % length, all.to % length, all.to - all.from]).toEqual([0, 0, buckets.length * length])
      expect(buckets.map(({ start }) => start)).toEqual(buckets.map((_, index) => all.from + index * length))
      expect([most, most - 1]).toContain(buckets.length)
      const sum = (name: 'accepted' | 'finished') => buckets.reduce((total, each) => total + each[name], 0)
      expect([sum('accepted'), sum('finished')]).toEqual([all.accepted, all.finished])
      expect(all.accepted).toBeGreaterThan(10)
      const byStatus: Record<string, number> = {}
      for (const each of buckets.flatMap(({ statuses }) => statuses))
        byStatus[each.status] = (byStatus[each.status] ?? 0) + each.count
      expect(byStatus).toEqual(statuses(all))
    },
  )

  test('a bucket has what was counted in its time', async () => {
    const at = Date.UTC(2026, 0, 15, 10)
    await onDatabaseOf(environment, (engine) =>
      engine.run({
        text: `insert into message_counts (workspace_id, at, span, status, channel, provider, count) values
          (1, $1, 3600000, null, null, null, 7), (1, $1, 3600000, 'SENT', null, null, 4), (1, $1, 3600000, 'SENT', 'email', 'smtp', 4),
          (1, $1, 3600000, 'UNDELIVERABLE', null, null, 5), (1, $2, 3600000, null, null, null, 1)`,
        values: [at, at + 60 * MINUTE],
      }),
    )
    const { buckets } = await summary({ from: '2026-01-15T10:30Z', to: '2026-01-15T12:00Z', bucket: '1h' })
    expect(buckets).toEqual([
      {
        ...{ start: at, accepted: 7, finished: 9 },
        statuses: [
          { status: 'UNDELIVERABLE', count: 5 },
          { status: 'SENT', count: 4 },
        ],
      },
      { start: at + 60 * MINUTE, accepted: 1, finished: 0, statuses: [] },
    ])
    expect((await summary({ from: '2026-01-15', to: '2026-01-16', bucket: '1d' })).buckets).toMatchObject([
      { start: Date.UTC(2026, 0, 15), accepted: 8, finished: 9 },
    ])
  })

  test('the command shows a line for each bucket', async () => {
    const cli = { env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey } }
    const { out } = await run(['metrics', 'summary', '--window', '2h', '--bucket', '1h'], cli)
    expect(out).toMatch(/^START +ACCEPTED +FINISHED +[A-Z ]*DELIVERED/m)
    expect(out.match(/^\d{4}-\d\d-\d\d \d\d:00:00\.000Z +\d+ +\d+/gm)?.length).toBeGreaterThanOrEqual(2)
  })

  test.each([
    ['paint=red', 'unknown_field', 'paint'],
    ['from=soon', 'invalid_field', 'from'],
    ['to=0340-09-03', 'invalid_field', 'to'],
    ['window=long', 'invalid_field', 'window'],
    ['window=30s', 'invalid_field', 'window'],
    ['bucket=2h', 'invalid_field', 'bucket'],
    ['window=12h&bucket=1m', 'invalid_field', 'bucket'],
    ['window=92d&bucket=1h', 'invalid_field', 'bucket'],
    ['window=2d&bucket=5m', 'invalid_field', 'bucket'],
    ['window=93d', 'invalid_field', 'window'],
    ['from=2026-01-01', 'invalid_field', 'from'],
    ['from=2026-02-02&to=2026-02-01', 'invalid_field', 'from'],
    ['from=2026-02-01&to=2026-02-02&window=1d', 'invalid_field', 'window'],
  ])('%s is refused', async (query, code, param) => {
    const { status, json } = await app.call('GET', `/metrics/summary?${query}`)
    expect([status, json.code, json.param]).toEqual([400, code, param])
  })

  test('a key is needed', async () =>
    expect((await app.call('GET', '/metrics/summary', { apiKey: '' })).status).toBe(401))
})
