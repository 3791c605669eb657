/** A send to many is listed, paused, resumed and canceled, before and while it runs, on any number of nodes. */
import type { Postrider } from '@postrider/client'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import { type App, clientOf, withApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { figureOf } from './figures.ts'
import { messagesOf } from './requests.ts'
import { inForce, integrate, publish } from './templates.ts'

const HOUR = 3_600_000
/** More than two nodes take at a time, and what they take at least of a list that nothing else is sent beside. */
const MANY = 1_800
const TAKEN_MIN = 2 * (768 - 64)

withApp((open) => {
  let app: App
  let other: App
  let client: Postrider
  let elsewhere: Postrider
  let peer: Recorder
  let databaseUrl: string | undefined
  const clock = settableClock()

  beforeAll(async () => {
    const env = await databaseEnvironment()
    databaseUrl = env.POSTRIDER_DATABASE_URL
    ;[app, peer] = await Promise.all([open({ env, clock }), startRecorder()])
    other = await open({ env, clock })
    client = app.client
    elsewhere = clientOf(other.url, app.apiKey)
    const integration = await integrate(client, { provider: 'webhook' })
    await inForce(elsewhere, integration)
    await publish(client, 'greeting', { channels: ['webhook'] })
  })
  afterAll(() => peer.close())

  /** A list of users who are called at `/<list>`. */
  const listOf = async (list: string, users: number) => {
    const ids = Array.from({ length: users }, (_, n) => `${list}-${n}`)
    const profile = { webhook: { url: `${peer.url}/${list}` } }
    await Promise.all(ids.map((id) => client.profiles.replace(id, { profile })))
    await client.lists.replaceSubscriptions(list, { recipients: ids.map((recipientId) => ({ recipientId })) })
  }
  const sendTo = async (list: string, fields: object = {}) =>
    (await client.lists.send({ list, event: 'greeting', ...fields })).messageId
  const calls = (list: string) => peer.all.filter(({ path }) => path === `/${list}`).length
  const called = (list: string, least: number) =>
    until(
      async () => calls(list),
      (count) => count >= least,
    )
  /** The calls in progress when both nodes have as many as they take. */
  const taken = async (id: string, list: string) => {
    const counts = await until(
      async () => ({ made: (await client.requests.get(id)).enqueued, called: calls(list) }),
      ({ made, called: count }) => made === count && count > TAKEN_MIN,
    )
    return counts.called
  }
  const countsOf = ({ statuses }: { statuses: readonly { status: string; count: number }[] }) =>
    Object.fromEntries(statuses.map(({ status, count }) => [status, count]))
  /** Until nothing of the request waits. */
  const atRest = (id: string) =>
    until(
      () => client.requests.get(id),
      ({ statuses }) => statuses.every(({ status }) => status === 'CANCELED' || status === 'DELIVERED'),
    )
  const audited = async (type: string, target: string) =>
    (await client.auditEvents.list()).results.filter((event) => event.type === type && event.target === target)
  /** The key of all calls, as the history names it. */
  const source = 'key/first key'

  describe('canceled', () => {
    test('while it runs: after the reply nothing is made or sent, and what was sent counts', async () => {
      await listOf('running', MANY)
      const release = peer.hold('/running')
      const id = await sendTo('running')
      const sent = await taken(id, 'running')
      const canceled = await elsewhere.requests.cancel(id)
      expect(canceled).toMatchObject({ status: 'CANCELED', kind: 'list', event: 'greeting', source, stoppedBy: source })
      release()
      const ended = await atRest(id)
      expect([ended.enqueued, countsOf(ended)]).toEqual([sent, { DELIVERED: sent }])
      // Once more, on any node: nothing changes.
      expect(await client.requests.cancel(id)).toMatchObject({ status: 'CANCELED', stopped: canceled.stopped })
      expect(await audited('requests:canceled', id)).toHaveLength(1)
      expect(calls('running')).toBe(sent)
    })

    test('before its time: no message is made', async () => {
      await listOf('planned', 3)
      const until = new Date(clock.now() + HOUR).toISOString()
      const id = await sendTo('planned', { delay: { until } })
      expect(await client.requests.get(id)).toMatchObject({ status: 'PROCESSING', notBefore: Date.parse(until) })
      const summary = () => client.metrics.summary()
      expect(await summary()).toMatchObject({ scheduled_requests: 1, paused_requests: 0 })
      await client.requests.pause(id)
      expect(await summary()).toMatchObject({ scheduled_requests: 0, paused_requests: 1 })
      expect(await client.requests.cancel(id)).toMatchObject({ status: 'CANCELED', enqueued: 0, statuses: [] })
      clock.set(until)
      const { requestId } = await client.send({
        message: { to: [{ user_id: 'planned-0' }, { user_id: 'planned-1' }], template: 'greeting' },
      })
      await messagesOf(client, requestId, 2)
      expect(await client.requests.get(id)).toMatchObject({ status: 'CANCELED', enqueued: 0 })
    })

    test('messages that wait for their time or for a retry end, and so do those of a bulk job', async () => {
      await listOf('named', 2)
      peer.answer('/named', { status: 500 })
      const to = [{ user_id: 'named-0' }, { user_id: 'named-1' }]
      const { requestId: retried } = await client.send({ message: { to, template: 'greeting' } })
      const { requestId: delayed } = await client.send({
        message: { to, template: 'greeting', delay: { duration: HOUR } },
      })
      const { jobId } = await client.bulk.create({ message: { event: 'greeting', delay: { duration: HOUR } } })
      await client.bulk.ingest(jobId, { users: to.map(({ user_id }) => ({ recipient: user_id })) })
      await client.bulk.run(jobId)
      await called('named', 2)
      for (const id of [retried, delayed]) {
        await until(
          () => client.requests.get(id),
          ({ enqueued, inDelivery }) => enqueued === 2 && inDelivery === 0,
        )
        expect(countsOf(await client.requests.cancel(id))).toEqual({ CANCELED: 2 })
      }
      expect(await client.requests.cancel(jobId)).toMatchObject({ kind: 'bulk', status: 'CANCELED' })
      expect((await client.bulk.get(jobId)).job.status).toBe('CANCELED')
      expect(calls('named')).toBe(2)
    })

    test('messages that wait have all ended when it replies, also where a step of the request was first with some', async () => {
      const users = 600
      const { jobId } = await client.bulk.create({ message: { event: 'greeting', delay: { duration: HOUR } } })
      await client.bulk.ingest(jobId, { users: Array.from({ length: users }, (_, n) => ({ recipient: `many-${n}` })) })
      await client.bulk.run(jobId)
      await until(
        () => client.requests.get(jobId),
        ({ enqueued }) => enqueued === users,
      )
      const step = new pg.Client({ connectionString: databaseUrl })
      await step.connect()
      await step.query('begin')
      await step.query(
        `update messages set status = 'CANCELED', canceled_at = 1, due_at = null, lease = null where id in (
          select id from messages where request_id = $1 and due_at is not null order by id desc limit 250)`,
        [jobId],
      )
      const reply = client.requests.cancel(jobId)
      // The call, and the step that it began, wait for that one.
      await until(
        async () =>
          (
            await step.query(
              `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).rowCount ?? 0,
        (count) => count === 2,
      )
      await step.query('commit')
      await step.end()
      expect(countsOf(await reply)).toEqual({ CANCELED: users })
    })

    test('a message by its id; one that has ended, and what never was, is refused', async () => {
      const { messageId } = await client.send({ event: 'greeting', recipient: 'one', delay: { duration: HOUR } })
      await expect(client.requests.pause(messageId)).rejects.toMatchObject({ status: 409, code: 'conflict' })
      expect(await client.requests.cancel(messageId)).toMatchObject({ statuses: [{ status: 'CANCELED', count: 1 }] })
      await listOf('over', 1)
      const id = await sendTo('over')
      await called('over', 1)
      await atRest(id)
      for (const call of [client.requests.cancel, client.requests.pause])
        await expect(call(id)).rejects.toMatchObject({ status: 409, code: 'too_late_to_cancel' })
      for (const call of [client.requests.cancel, client.requests.pause, client.requests.resume])
        await expect(call('nothing')).rejects.toMatchObject({ status: 404 })
      const { client: test } = await app.key('published', 'test')
      await expect(test.requests.cancel(id)).rejects.toMatchObject({ status: 404 })
      const { client: mock } = await app.key('mock')
      const planned = await sendTo('over', { delay: { duration: HOUR } })
      for (const call of [mock.requests.cancel, mock.requests.pause, mock.requests.resume])
        await expect(call(planned)).rejects.toMatchObject({ status: 403 })
      await client.requests.cancel(planned)
      await expect(client.requests.pause(planned)).rejects.toMatchObject({ status: 409 })
      await expect(client.requests.resume(planned)).rejects.toMatchObject({ status: 409 })
    })
  })

  test('calls in progress end by themselves: one that succeeds counts, one that fails is not tried again', async () => {
    const requestOf = async (list: string, status: number) => {
      await listOf(list, 2)
      const release = peer.hold(`/${list}`, { status })
      const id = await sendTo(list)
      await called(list, 2)
      return { id, release }
    }
    const good = await requestOf('good', 200)
    const bad = await requestOf('bad', 500)
    expect(await elsewhere.requests.pause(good.id)).toMatchObject({ status: 'PAUSED', inDelivery: 2 })
    expect(await elsewhere.requests.cancel(bad.id)).toMatchObject({ status: 'CANCELED', inDelivery: 2 })
    good.release()
    bad.release()
    expect(countsOf(await atRest(good.id))).toEqual({ DELIVERED: 2 })
    expect(countsOf(await atRest(bad.id))).toEqual({ CANCELED: 2 })
    expect([calls('good'), calls('bad')]).toEqual([2, 2])
  })

  test('messages that a node has claimed, and that wait for a slot of their integration, are not sent, and say by whom', async () => {
    const alone = await open()
    await integrate(alone.client, { provider: 'webhook', limits: { concurrency: 1 } })
    const to = Array.from({ length: 20 }, (_, n) => ({
      user_id: `queued-${n}`,
      webhook: { url: `${peer.url}/queued` },
    }))
    const release = peer.hold('/queued')
    const { requestId: id } = await alone.client.send({
      message: { to, content: { body: 'Hi' }, routing: { method: 'single', channels: ['webhook'] } },
    })
    await called('queued', 1)
    const reply = alone.client.requests.cancel(id)
    await until(
      () => alone.client.requests.get(id),
      ({ status }) => status === 'CANCELED',
    )
    release()
    await reply
    const ended = await until(
      () => alone.client.requests.get(id),
      ({ inDelivery }) => inDelivery === 0,
    )
    expect(countsOf(ended)).toEqual({ DELIVERED: 1, CANCELED: ended.enqueued - 1 })
    expect(calls('queued')).toBe(1)
    const [message] = (await alone.client.messages.list({ traceId: id, status: ['CANCELED'] })).results
    const { results } = await alone.client.messages.history(message?.id ?? '', { type: 'CANCELED' })
    expect(results).toMatchObject([{ source }])
    const finished = await figureOf(alone.url, 'postrider_messages_finished_total', { status: 'CANCELED' })
    expect(finished).toBe(ended.enqueued - 1)
  })

  describe('paused', () => {
    test('while it runs, and resumed on another node: each is sent once', async () => {
      await listOf('halted', MANY)
      const release = peer.hold('/halted')
      const id = await sendTo('halted')
      const sent = await taken(id, 'halted')
      const paused = await elsewhere.requests.pause(id)
      expect(paused).toMatchObject({ status: 'PAUSED', stoppedBy: source })
      release()
      // Another request is claimed after all messages of this one.
      await listOf('between', 1)
      await atRest(await sendTo('between'))
      expect(calls('halted')).toBe(sent)
      expect(await client.requests.pause(id)).toMatchObject({ status: 'PAUSED', stopped: paused.stopped })
      expect(await client.requests.resume(id)).not.toHaveProperty('stopped')
      await client.requests.resume(id)
      await called('halted', MANY)
      expect(await atRest(id)).toMatchObject({ status: 'COMPLETED', statuses: [{ status: 'DELIVERED', count: MANY }] })
      expect(calls('halted')).toBe(MANY)
      expect(await audited('requests:paused', id)).toHaveLength(1)
      expect(await audited('requests:resumed', id)).toHaveLength(1)
    })

    test('when its time comes: its messages wait, also for a node that was not notified', async () => {
      await listOf('late', 2)
      const due = new Date(clock.now() + HOUR).toISOString()
      const message = {
        to: [{ user_id: 'late-0' }, { user_id: 'late-1' }],
        template: 'greeting',
        delay: { until: due },
      }
      const { requestId: id } = await client.send({ message })
      await until(
        () => client.requests.get(id),
        ({ enqueued }) => enqueued === 2,
      )
      expect(await client.requests.pause(id)).toMatchObject({ status: 'PAUSED' })
      clock.set(due)
      // They were claimed, and left.
      await until(
        () => client.requests.get(id),
        (request) => countsOf(request).ENQUEUED === 2,
      )
      expect(calls('late')).toBe(0)
      const [listed] = (await client.messages.list({ traceId: id, include: 'providers' })).results
      const paused = await client.messages.get(listed?.id ?? '')
      expect(listed).toMatchObject({ status: 'ENQUEUED', paused: paused.paused, pausedBy: source })
      expect(paused).toMatchObject({ paused: expect.any(Number), pausedBy: source })
      await client.requests.resume(id)
      expect(countsOf(await atRest(id))).toEqual({ DELIVERED: 2 })
      expect(await client.messages.get(paused.id)).not.toHaveProperty('paused')
    })

    test('and canceled then', async () => {
      await listOf('given-up', 2)
      const id = await sendTo('given-up', { delay: { duration: HOUR } })
      await client.requests.pause(id)
      expect(await client.requests.cancel(id)).toMatchObject({ status: 'CANCELED', enqueued: 0 })
      const listed = async (status: 'PAUSED' | 'CANCELED') =>
        (await client.requests.list({ status: [status] })).items.some(({ requestId }) => requestId === id)
      expect([await listed('PAUSED'), await listed('CANCELED')]).toEqual([false, true])
    })
  })

  test('a paused bulk job that is run waits, and is canceled as a job, too', async () => {
    const { jobId } = await client.bulk.create({ message: { event: 'greeting' } })
    await client.bulk.ingest(jobId, { users: [{ recipient: 'job-0' }, { recipient: 'job-1' }] })
    await client.requests.pause(jobId)
    await client.bulk.run(jobId)
    await listOf('beside', 1)
    await atRest(await sendTo('beside'))
    expect(await client.requests.get(jobId)).toMatchObject({ status: 'PAUSED', enqueued: 0 })
    expect((await client.bulk.cancel(jobId)).job.status).toBe('CANCELED')
    const canceled = { status: 'CANCELED', stoppedBy: source, enqueued: 0 }
    expect(await client.requests.get(jobId)).toMatchObject(canceled)
    await expect(client.requests.resume(jobId)).rejects.toMatchObject({ status: 409 })
  })

  test('a pause whose messages have all ended can be canceled', async () => {
    await listOf('paused-over', 1)
    const release = peer.hold('/paused-over')
    const id = await sendTo('paused-over')
    await called('paused-over', 1)
    await client.requests.pause(id)
    release()
    await atRest(id)
    expect(await client.requests.cancel(id)).toMatchObject({ status: 'CANCELED', inDelivery: 0 })
  })

  test('a node whose notification was lost calls no other integration after one that failed', async () => {
    const { id: second } = await integrate(client, { provider: 'webhook', title: 'Second', priority: 9 })
    await listOf('unnotified', 1)
    const release = peer.hold('/unnotified', { status: 500 })
    const id = await sendTo('unnotified')
    await called('unnotified', 1)
    const database = new pg.Client({ connectionString: databaseUrl })
    await database.connect()
    await database.query(
      `update requests set stopped = 'canceled', stopped_by = 'key/lost', status = 'CANCELED' where id = $1`,
      [id],
    )
    await database.end()
    // Facts are read anew when they are older than a second.
    clock.set(clock.now() + 2_000)
    release()
    expect(countsOf(await atRest(id))).toEqual({ CANCELED: 1 })
    expect(calls('unnotified')).toBe(1)
    await client.providers.delete(second)
  })

  test('requests are listed by status and kind, page by page, newest first', async () => {
    await listOf('listed', 1)
    const ids = [await sendTo('listed', { delay: { duration: HOUR } }), await sendTo('listed')]
    const { jobId } = await client.bulk.create({ message: { event: 'greeting' } })
    const [first] = (await client.requests.list({ limit: 1 })).items
    expect(first).toEqual({
      ...{ requestId: jobId, kind: 'bulk', status: 'CREATED', event: 'greeting', created: expect.any(Number), source },
      ...{ enqueued: 0, failures: 0, archived: false },
    })
    const listed: string[] = []
    for await (const { requestId } of client.requests.list({ kind: ['list'], limit: 2 })) listed.push(requestId)
    expect(listed.slice(0, 2)).toEqual(ids.toReversed())
    expect(listed).not.toContain(jobId)
    const { items } = await client.requests.list({ status: ['CREATED'] })
    expect(items.map(({ requestId }) => requestId)).toEqual([jobId])
    await expect(client.requests.list({ status: ['GONE' as 'CREATED'] })).rejects.toMatchObject({ status: 400 })
  })

  test('the command lists, shows, pauses, resumes and cancels', async () => {
    const call = (...args: string[]) =>
      run(['requests', ...args], { env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey } })
    await listOf('typed', 1)
    const id = await sendTo('typed', { delay: { duration: HOUR } })
    expect((await call('list', '--status', 'PROCESSING')).out).toContain(id)
    expect((await call('pause', id)).out).toMatch(/status +PAUSED\npaused +.* by the key first key\n/)
    expect((await call('show', id)).out).toMatch(/not before +\d{4}-/)
    expect((await call('resume', id)).out).toMatch(/status +PROCESSING\n/)
    expect((await call('cancel', id)).out).toMatch(/status +CANCELED\n/)
    expect(await call('resume', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('The request was canceled'),
    })
  })
})
