/**
 * Replays: a dry run that counts, new messages that name their originals, each once, at a rate, until canceled.
 * @module-tag safety
 */
import type { Message, Postrider } from '@postrider/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import { type App, settled, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  beforeAll(async () => {
    app = await open()
    client = app.client
    await publish(client, 'receipt', { channels: ['email'] })
  })

  const profile = { email: 'ada@example.com' }
  const failed = async (recipient: string, data = {}) => {
    const { messageId } = await client.send({ event: 'receipt-missing', recipient, profile, data, ...{ tags: [] } })
    return settled(client, messageId)
  }
  const ended = (id: string) =>
    until(
      () => client.replays.get(id),
      ({ status }) => status !== 'PROCESSING',
    )
  const messagesOf = async (replayId: string) => {
    const messages: Message[] = []
    for await (const message of client.messages.list({ traceId: replayId })) messages.push(message)
    return messages
  }

  describe('by a filter', () => {
    test('a dry run sends nothing; confirmed, each message is sent again, decided anew and linked', async () => {
      const originals = [await failed('r-1', { name: 'One' }), await failed('r-2', { name: 'Two' })]
      const filter = { event: 'receipt-missing', status: ['UNMAPPED' as const] }
      const plan = await client.replays.create({ filter })
      expect(plan).toMatchObject({ dry_run: true, replayable: 2, excluded: [], rate_per_minute: 600 })
      expect(plan.messages.map(({ id }) => id)).toEqual(originals.map(({ id }) => id))
      expect(await messagesOf(originals[0]?.id ?? '')).toHaveLength(1)

      // The notification was missing before.
      const notifications = await client.notifications.list()
      await client.events.put('receipt-missing', { id: notifications.results[0]?.id ?? '', type: 'notification' })
      const { id = '' } = await client.replays.create({ filter, confirm: 2, rate_per_minute: 60_000 })
      expect(await ended(id)).toMatchObject({ status: 'COMPLETED', replayable: 2, replayed: 2, failures: 0 })
      const made = await messagesOf(id)
      expect(made.map(({ recipient }) => recipient).toSorted()).toEqual(['r-1', 'r-2'])
      for (const message of made) {
        const detail = await settled(client, message.id)
        expect(detail.status).toBe('DELIVERED')
        const original = originals.find(({ recipient }) => recipient === detail.recipient)
        expect(detail.replayOf).toBe(original?.id)
        expect(await client.messages.get(original?.id ?? '')).toMatchObject({
          status: 'UNMAPPED',
          replayedAs: [detail.id],
        })
      }
      const [kept] = (await client.messages.output(made[0]?.id ?? '')).results
      expect(kept?.content.subject).toMatch(/^Hello (One|Two)$/)
      expect(await client.requests.get(id)).toMatchObject({ kind: 'replay', status: 'COMPLETED', enqueued: 2 })
      const { results } = await client.auditEvents.list()
      expect(results.find(({ type }) => type === 'replay:started')?.target).toBe(id)

      const again = await client.replays.create({ filter })
      expect(again).toMatchObject({
        replayable: 0,
        excluded: [{ reason: 'already_replayed', count: 2, message_ids: originals.map((message) => message.id) }],
      })
      expect((await client.replays.create({ filter, include_replayed: true })).replayable).toBe(2)
    })

    test('another number than confirmed starts nothing', async () => {
      const filter = { recipient: 'r-1' }
      const { replayable } = await client.replays.create({ filter, include_replayed: true })
      const refused = client.replays.create({ filter, include_replayed: true, confirm: replayable + 1 })
      await expect(refused).rejects.toMatchObject({ status: 409, code: 'count_changed', param: 'confirm' })
    })

    test('a message that enters or leaves the filter after the count changes nothing of what is sent', async () => {
      const originals = [await failed('frozen'), await failed('frozen'), await failed('frozen')].map(({ id }) => id)
      const filter = { recipient: 'frozen' }
      const { id = '' } = await client.replays.create({ filter, confirm: 3, rate_per_minute: 60 })
      await until(
        () => client.replays.get(id),
        ({ replayed }) => replayed === 1,
      )
      const later = await failed('frozen')
      const left = originals.at(-1) ?? ''
      expect((await app.call('PUT', `/requests/${left}/archive`)).status).toBe(202)
      const listed = (await client.messages.list(filter)).results.map((message) => message.id)
      expect([listed.includes(later.id), listed.includes(left)]).toEqual([true, false])
      expect(await ended(id)).toMatchObject({ status: 'COMPLETED', replayable: 3, replayed: 3, failures: 0 })
      const made = await Promise.all((await messagesOf(id)).map((message) => client.messages.get(message.id)))
      expect(made.map(({ replayOf }) => replayOf).toSorted()).toEqual(originals.toSorted())
      expect((await client.messages.get(later.id)).replayedAs).toBeUndefined()
    })

    test('as many messages as in the dry run, but others, are refused', async () => {
      const original = await failed('swapped')
      const filter = { recipient: 'swapped' }
      const before = await client.replays.create({ filter })
      const { id = '' } = await client.replays.create({ message_ids: [original.id], confirm: 1 })
      await ended(id)
      for (const { id: copy } of await messagesOf(id)) await settled(client, copy)
      const other = await failed('swapped')
      const after = await client.replays.create({ filter })
      expect(after).toMatchObject({ replayable: 1, messages: [{ id: other.id }] })
      const { replayable: confirm, set } = before
      await expect(client.replays.create({ filter, confirm, set })).rejects.toMatchObject({
        ...{ status: 409, code: 'count_changed', param: 'set' },
      })
      const started = await client.replays.create({ filter, confirm, set: after.set })
      expect(await ended(started.id ?? '')).toMatchObject({ status: 'COMPLETED', replayed: 1 })
      // The same call again finds what it has sent, and sends it no more.
      for (const { id: copy } of await messagesOf(started.id ?? '')) await settled(client, copy)
      expect(await client.replays.create({ filter })).toMatchObject({
        replayable: 0,
        excluded: [{ reason: 'already_replayed', count: 4 }],
      })
      expect(await client.replays.create({ filter, include_replayed: true })).toMatchObject({ replayable: 4 })
    })

    test('everything, by an empty filter, is refused', async () => {
      for (const body of [
        {},
        { filter: {} },
        { filter: { archived: true } },
        { filter: { except_reason: ['BOUNCED' as const] } },
      ])
        await expect(client.replays.create(body)).rejects.toMatchObject({ status: 400, code: 'missing_field' })
    })

    test('the new filters of the list: reason, part of the error, channel, time', async () => {
      const { messageId } = await client.send({ event: 'receipt', recipient: 'no-address', profile: { email: '' } })
      const { error = '', enqueued } = await settled(client, messageId)
      const ids = async (query: object) => (await client.messages.list({ recipient: 'no-address', ...query })).results
      expect(await ids({ error: error.slice(3, 9).toUpperCase() })).toHaveLength(1)
      expect(await ids({ error: '%' })).toHaveLength(0)
      expect(await ids({ reason: ['EXPIRED'] })).toHaveLength(0)
      expect(await ids({ enqueued_before: String(enqueued) })).toHaveLength(0)
      expect(await ids({ enqueued_before: String(enqueued + 1) })).toHaveLength(1)
      expect((await client.messages.list({ recipient: 'r-1', channel: ['email'] })).results).toHaveLength(1)
      expect((await client.messages.list({ recipient: 'r-1', channel: ['sms'] })).results).toHaveLength(0)
    })
  })

  describe('by ids', () => {
    test('each that cannot be replayed is counted under its reason', async () => {
      const message = await failed('by-id')
      const { messageId: waiting } = await client.send({
        event: 'receipt',
        recipient: 'by-id',
        delay: { duration: 3_600_000 },
      })
      const { excluded, replayable } = await client.replays.create({ message_ids: [message.id, waiting, 'nothing'] })
      expect(replayable).toBe(1)
      expect(excluded).toEqual([
        { reason: 'in_progress', count: 1, message_ids: [waiting] },
        { reason: 'not_found', count: 1, message_ids: ['nothing'] },
      ])
    })

    test('a message of a list is replayed with the part that it shared; a call that is repeated with its key starts once', async () => {
      const content = { title: 'News for {name}', body: 'Hello {name}.' }
      const to = [
        { user_id: 'shared-1', ...profile },
        { user_id: 'shared-2', ...profile },
      ]
      const { requestId } = await client.send({ message: { to, content, data: { name: 'all' } } })
      const [first] = await until(
        () => messagesOf(requestId),
        (messages) => messages.length === 2 && messages.every(({ status }) => status === 'DELIVERED'),
      )
      const body = { message_ids: [first?.id ?? ''], confirm: 1 }
      const idempotencyKey = 'replay-once'
      const { id = '' } = await client.replays.create(body, { idempotencyKey })
      expect((await client.replays.create(body, { idempotencyKey })).id).toBe(id)
      await ended(id)
      const [copy, ...more] = await messagesOf(id)
      expect(more).toEqual([])
      await settled(client, copy?.id ?? '')
      const [output] = (await client.messages.output(copy?.id ?? '')).results
      expect(output?.content.subject).toBe('News for all')
    })

    test('the rate spaces the messages, and a cancellation ends the rest', async () => {
      const ids = [await failed('slow'), await failed('slow')].map(({ id }) => id)
      const { id = '' } = await client.replays.create({ message_ids: ids, confirm: 2, rate_per_minute: 1 })
      await until(
        () => client.replays.get(id),
        ({ replayed }) => replayed === 1,
      )
      expect(await client.replays.cancel(id)).toMatchObject({ status: 'CANCELED' })
      expect(await client.replays.cancel(id)).toMatchObject({ status: 'CANCELED', replayed: 1 })
      expect(await messagesOf(id)).toHaveLength(1)
    })

    test('one replay at a time: of calls at the same time one starts, the others are refused', async () => {
      const { id: original } = await failed('at-once')
      const filter = { recipient: 'at-once' }
      const body = { filter, confirm: 1, rate_per_minute: 1 }
      const calls = await Promise.allSettled([1, 2, 3].map(() => client.replays.create(body)))
      const [started, ...more] = calls.flatMap((call) => (call.status === 'fulfilled' ? [call.value.id ?? ''] : []))
      expect(more).toEqual([])
      for (const call of calls) if (call.status === 'rejected') expect(call.reason).toMatchObject({ status: 409 })
      expect(await ended(started ?? '')).toMatchObject({ status: 'COMPLETED', replayed: 1 })
      expect((await client.messages.get(original)).replayedAs).toHaveLength(1)
    })

    test('an erased person is left out', async () => {
      const { id } = await failed('gone-person')
      await app.call('DELETE', '/profiles/gone-person?erase=true')
      const { excluded } = await client.replays.create({ message_ids: [id] })
      expect(excluded).toMatchObject([{ reason: 'erased', count: 1 }])
    })
  })

  describe('the command', () => {
    const call = (...args: string[]) =>
      run(['messages', 'replay', ...args], { env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey } })

    test('shows the plan, sends with --yes, and waits', async () => {
      const { id } = await failed('by-command')
      const dry = await call(id, '--dry-run')
      expect(dry).toMatchObject({ code: 0 })
      expect(dry.out).toContain('1 message can be replayed, at 600 a minute')
      expect(dry.out).toContain(id)
      const sent = await call('--recipient', 'by-command', '--yes', '--wait', '--json')
      expect(JSON.parse(sent.out)).toMatchObject({ status: 'COMPLETED', replayed: 1 })
      expect((await call('--recipient', 'by-command', '--before', '2020-01-01', '--yes')).out).toContain(
        'There is nothing to replay.',
      )
    })

    test('without ids and filters, and without a terminal to ask on, it sends nothing', async () => {
      expect(await call('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('No messages are chosen') })
      expect(await call('--recipient', 'slow', '--again')).toMatchObject({
        code: 2,
        err: expect.stringContaining('--yes'),
      })
    })
  })
})
