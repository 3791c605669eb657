/** Cancellations of many messages: a dry run that counts, and the rule of the cancellation of one, on any number of nodes. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Cancellation, Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import { type App, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { figureOf } from './figures.ts'
import { inForce, integrate, publish } from './templates.ts'

const HOUR = 3_600_000

withApp((open) => {
  let app: App
  let other: App
  let client: Postrider
  let peer: Recorder

  let integration: Awaited<ReturnType<typeof integrate>>

  beforeAll(async () => {
    const env = await databaseEnvironment()
    ;[app, peer] = await Promise.all([open({ env }), startRecorder()])
    other = await open({ env })
    client = app.client
    integration = await integrate(client, { provider: 'webhook' })
    await inForce(other.client, integration)
    await publish(client, 'greeting', { channels: ['webhook'] })
  })
  afterAll(() => peer.close())

  const later = async (recipient: string, event = 'greeting') =>
    (await client.send({ event, recipient, delay: { duration: HOUR } })).messageId
  const job = async (users: number, fields: object = {}) => {
    const { jobId } = await client.bulk.create({ message: { event: 'greeting', ...fields } })
    for (let from = 0; from < users; from += 1_000)
      await client.bulk.ingest(jobId, {
        users: Array.from({ length: Math.min(1_000, users - from) }, (_, n) => ({
          recipient: `${jobId}-${from + n}`,
          profile: { webhook: { url: `${peer.url}/${jobId}` } },
        })),
      })
    await client.bulk.run(jobId)
    return jobId
  }
  const complete = (jobId: string) =>
    until(
      () => client.bulk.get(jobId),
      (reply) => reply.job.status === 'COMPLETED',
    )
  const statusesOf = async (jobId: string) => {
    const statuses: Record<string, number> = {}
    for await (const { status } of client.messages.list({ messageId: jobId, limit: 100 }))
      statuses[status] = (statuses[status] ?? 0) + 1
    return statuses
  }
  const calls = (jobId: string) => peer.all.filter(({ path }) => path === `/${jobId}`).length
  /** The key of all calls, as the history names it. */
  const keyName = 'key/first key'
  const cancelEvents = async (id: string) =>
    (await client.messages.history(id)).results.filter(({ type }) => type === 'CANCELED')

  describe('by ids', () => {
    test('a dry run counts, and says why others are left out; confirmed, each is canceled as one is', async () => {
      const ids = [await later('by-id'), await later('by-id')]
      const ended = await later('by-id')
      await client.messages.cancel(ended)
      const { messageId: sent } = await client.send({ event: 'unknown-event', recipient: 'by-id' })
      await until(
        () => client.messages.get(sent),
        ({ status }) => status === 'UNMAPPED',
      )
      const body: Cancellation = { message_ids: [...ids, ended, sent, 'nothing'] }
      const plan = await client.messages.cancelMany(body)
      expect(plan).toMatchObject({ dry_run: true, cancelable: 2, canceled: 0, remaining: 2, in_delivery: 0 })
      expect(plan.messages).toMatchObject(ids.map((id) => ({ id, status: 'DELAYED', recipient: 'by-id' })))
      expect(plan.excluded).toEqual([
        { reason: 'not_found', count: 1, message_ids: ['nothing'] },
        { reason: 'canceled', count: 1, message_ids: [ended] },
        { reason: 'too_late', count: 1, message_ids: [sent] },
      ])
      expect((await client.messages.get(ids[0] ?? '')).status).toBe('DELAYED')

      await client.webhooks.create({ url: `${peer.url}/hook`, types: ['message:updated'] })
      const counted = () => figureOf(app.url, 'postrider_messages_finished_total', { status: 'CANCELED' })
      const before = await counted()
      expect(await client.messages.cancelMany({ ...body, confirm: 2 })).toMatchObject({
        ...{ dry_run: false, cancelable: 2, canceled: 2, remaining: 0, in_delivery: 0, messages: [] },
      })
      expect((await counted()) - before).toBe(2)
      for (const id of ids) {
        const message = await client.messages.get(id)
        expect(message).toMatchObject({ status: 'CANCELED', canceledAt: expect.any(Number) })
        expect(await cancelEvents(id)).toEqual([{ type: 'CANCELED', ts: message.canceledAt, source: keyName }])
      }
      const reported = () =>
        peer.all
          .filter(({ path }) => path === '/hook')
          .map(({ body: text }) => (JSON.parse(text) as { data: { id: string; status: string } }).data)
      await until(
        async () => ids.every((id) => reported().some((data) => data.id === id && data.status === 'CANCELED')),
        (isReported) => isReported,
      )
      const { results } = await client.auditEvents.list()
      expect(results.filter(({ type }) => type === 'messages:canceled')).toHaveLength(1)
      // Nothing is left: no further event, neither of a message nor of the audit log.
      expect(await client.messages.cancelMany({ ...body, confirm: 2 })).toMatchObject({ canceled: 0, remaining: 0 })
      expect(await cancelEvents(ids[0] ?? '')).toHaveLength(1)
      const audited = (await client.auditEvents.list()).results.filter(({ type }) => type === 'messages:canceled')
      expect(audited).toHaveLength(1)
    })

    test('messages of another environment are as unknown as none', async () => {
      const id = await later('foreign')
      const { client: test } = await app.key('published', 'test')
      expect(await test.messages.cancelMany({ message_ids: [id], confirm: 1 })).toMatchObject({
        canceled: 0,
        excluded: [{ reason: 'not_found' }],
      })
      expect((await client.messages.get(id)).status).toBe('DELAYED')
    })

    test('calls at the same time, on two nodes, cancel each once', async () => {
      const ids = await Promise.all(Array.from({ length: 40 }, () => later('at-once')))
      const body = { message_ids: ids, confirm: ids.length }
      const replies = await Promise.all([
        ...[1, 2, 3].map(() => client.messages.cancelMany(body)),
        ...[1, 2, 3].map(() =>
          other.call('POST', '/messages/cancel', { apiKey: app.apiKey, body }).then(({ json }) => json),
        ),
      ])
      expect(replies.reduce((sum, { canceled }) => sum + canceled, 0)).toBe(ids.length)
      for (const id of ids) expect(await cancelEvents(id)).toHaveLength(1)
    })
  })

  describe('by a filter', () => {
    test('more than were confirmed are refused, fewer are not', async () => {
      const filter = { recipient: 'counted' }
      await later('counted')
      const { cancelable } = await client.messages.cancelMany({ filter })
      expect(cancelable).toBe(1)
      const second = await later('counted')
      const refused = client.messages.cancelMany({ filter, confirm: cancelable })
      await expect(refused).rejects.toMatchObject({ status: 409, code: 'count_changed', param: 'confirm' })
      await client.messages.cancel(second)
      expect(await client.messages.cancelMany({ filter, confirm: 2 })).toMatchObject({ cancelable: 1, canceled: 1 })
    })

    test('an undecided message is one of the notification that it shows', async () => {
      const id = await later('shown')
      const { notification } = await client.messages.get(id)
      const filter = { notification, recipient: 'shown' }
      expect(await client.messages.cancelMany({ filter, confirm: 1 })).toMatchObject({ canceled: 1 })
      expect((await client.messages.get(id)).status).toBe('CANCELED')
    })

    test('everything, by an empty filter, is refused, and so is a misspelled condition', async () => {
      for (const body of [
        {},
        { filter: {} },
        { filter: { archived: true } },
        { filter: { except_reason: ['BOUNCED' as const] } },
      ])
        await expect(client.messages.cancelMany(body)).rejects.toMatchObject({ status: 400, code: 'missing_field' })
      const misspelled = { filter: { recipient: 'a', events: 'greeting' } } as Cancellation
      await expect(client.messages.cancelMany(misspelled)).rejects.toMatchObject({ status: 400 })
      await expect(client.messages.cancelMany({ filter: { recipient: 'a' }, dry_run: false })).rejects.toMatchObject({
        status: 400,
        param: 'confirm',
      })
      const { client: mock } = await app.key('mock')
      await expect(mock.messages.cancelMany({ filter: { recipient: 'a' } })).rejects.toMatchObject({ status: 403 })
    })

    test('a bulk job is canceled in bounded calls, each with what remains; a repetition goes on after one that was lost', async () => {
      const jobId = await job(1_300, { delay: { duration: HOUR } })
      await complete(jobId)
      const filter = { messageId: jobId }
      expect(await client.messages.cancelMany({ filter })).toMatchObject({ cancelable: 1_300 })
      const first = await client.messages.cancelMany({ filter, confirm: 1_300 })
      expect(first).toMatchObject({ cancelable: 1_300, canceled: 1_000, remaining: 300 })
      const second = await client.messages.cancelMany({ filter, confirm: 1_300 })
      expect(second).toMatchObject({ cancelable: 300, canceled: 300, remaining: 0 })
      expect(await statusesOf(jobId)).toEqual({ CANCELED: 1_300 })
      const { results } = await client.auditEvents.list()
      expect(results.filter(({ type, target }) => type === 'messages:canceled' && target === jobId)).toHaveLength(2)
    })
  })

  describe('in a race with delivery, on two nodes', () => {
    test('each message is sent once or canceled: none is both, none is neither', async () => {
      // Those beyond wait for a place, in flight or after it.
      await client.providers.update(integration.id, { provider: 'webhook', limits: { concurrency: 50 } })
      const jobId = await job(600)
      peer.answer(`/${jobId}`, { delayMs: 40 })
      await until(
        async () => calls(jobId),
        (count) => count > 20,
      )
      await client.bulk.cancel(jobId).catch(() => undefined)
      const filter = { messageId: jobId }
      let canceled = 0
      // A page of the job that was being created is stored after its end.
      for (let idle = 0; idle < 4; idle += 1) {
        let { cancelable: remaining } = await client.messages.cancelMany({ filter })
        if (remaining > 0) idle = 0
        while (remaining > 0) {
          const reply = await client.messages.cancelMany({ filter, confirm: remaining })
          canceled += reply.canceled
          remaining = reply.remaining
          expect(reply.in_delivery).toBeLessThanOrEqual(reply.remaining)
        }
        await pause(250)
      }
      const called = calls(jobId)
      expect(canceled).toBeGreaterThan(0)
      const { enqueued } = (await client.bulk.get(jobId)).job
      // Nothing waits any more: every message has its end.
      const statuses = await statusesOf(jobId)
      expect(statuses).toEqual({ CANCELED: canceled, DELIVERED: enqueued - canceled })
      expect(calls(jobId)).toBe(called)
      expect(called).toBe(enqueued - canceled)
      // Canceled by this node, by the one that had leased it, or by the end of its lease: each says by whom.
      const include = 'providers'
      for await (const { id, canceledBy } of client.messages.list({
        ...filter,
        status: ['CANCELED'],
        include,
        limit: 100,
      }))
        expect([canceledBy, ...(await cancelEvents(id))]).toMatchObject([keyName, { source: keyName }])
    }, 120_000)

    test('while its provider is being called a message stays, whichever node is called', async () => {
      const release = peer.hold('/slow')
      const slow = async () =>
        (await client.send({ event: 'greeting', recipient: 'slow', profile: { webhook: { url: `${peer.url}/slow` } } }))
          .messageId
      const id = await slow()
      await peer.waitFor(({ path }) => path === '/slow')
      const filter = { recipient: 'slow' }
      const { json } = await other.call('POST', '/messages/cancel', {
        apiKey: app.apiKey,
        body: { filter, confirm: 1 },
      })
      expect(json).toMatchObject({ cancelable: 1, canceled: 0, remaining: 1, in_delivery: 1 })
      expect(await client.messages.cancelMany({ message_ids: [id], confirm: 1 })).toMatchObject({ canceled: 0 })
      release()
      await until(
        () => client.messages.get(id),
        ({ status }) => status === 'DELIVERED',
      )
      expect(await client.messages.cancelMany({ filter })).toMatchObject({ cancelable: 0, messages: [] })
    })
  })

  describe('the command', () => {
    const call = (...args: string[]) =>
      run(['messages', 'cancel', ...args], { env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey } })

    test('shows the plan, and cancels with --yes', async () => {
      const ids = [await later('by-command'), await later('by-command')]
      const dry = await call('--recipient', 'by-command', '--dry-run')
      expect(dry).toMatchObject({ code: 0 })
      expect(dry.out).toContain('2 messages can be canceled.')
      expect(dry.out).toContain(ids[0])
      expect(dry.out).toContain('Nothing was canceled.')
      expect(await call('--recipient', 'by-command')).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
      expect((await client.messages.get(ids[0] ?? '')).status).toBe('DELAYED')
      const canceled = await call('--recipient', 'by-command', '--yes', '--json')
      expect(JSON.parse(canceled.out)).toEqual({ canceled: 2, remaining: 0 })
      expect((await call('--recipient', 'by-command', '--yes')).out).toContain('There is nothing to cancel.')
    })

    test('takes ids, of which one needs no confirmation; without any condition it cancels nothing', async () => {
      const ids = [await later('by-ids'), await later('by-ids'), await later('by-ids')]
      expect((await call(ids[0] ?? '')).out).toContain('CANCELED')
      expect((await call(...ids, '--yes')).out).toContain('Canceled 2 messages.')
      expect(await call('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('No messages are chosen') })
      expect(await call(ids[0] ?? '', '--recipient', 'a')).toMatchObject({ code: 2 })
    })

    test('cancels the messages of a bulk job', async () => {
      const jobId = await job(3, { delay: { duration: HOUR } })
      await complete(jobId)
      expect((await call('--job', jobId, '--yes')).out).toContain('Canceled 3 messages.')
    })
  })
})
