/**
 * An erasure removes hand-made rows of every kind, and work in progress can write none of them again.
 * @module-tag safety
 */
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  erasureQueue,
  findErasure,
  startErasure,
  startedErasure,
} from '@postrider/server/internal/database/tables/erasure/erasures'
import { listRecipients } from '@postrider/server/internal/database/tables/lists/lists'
import { recordMessages } from '@postrider/server/internal/database/tables/messages/records'
import { requestQueue, takeStep } from '@postrider/server/internal/database/tables/messages/requests'
import { createEraser, FIRST_STEP } from '@postrider/server/internal/erasure/erase'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { insertMessage, start } from '../support/rows.ts'

withEngine((open) => {
  let engine: Engine
  const time = { now: start }
  beforeAll(async () => {
    engine = await open()
  })

  const run = (text: string, ...values: unknown[]) => engine.run({ text, values })
  const many = async (text: string, ...values: unknown[]) => (await run(text, ...values)).rows
  const count = async (text: string, ...values: unknown[]) => Number((await many(text, ...values))[0]?.count)
  const begin = async (person: string) => {
    const erasure = {
      id: `of-${person}`,
      workspaceId: 1,
      person,
      pseudonym: `erased-${person.length}-x`,
      actor: 'key/test',
    }
    return startedErasure(await engine.batch(startErasure({ ...erasure, now: time.now }, FIRST_STEP)))
  }
  const step = createEraserNow()
  function createEraserNow() {
    return () =>
      createEraser({
        engine,
        secretKey: secretKey(Buffer.alloc(32, 7)),
        log: createLog('silent'),
        leaseMs: 1_000,
        now: () => time.now,
      })()
  }
  const statusOf = async (id: string) => (await findErasure(engine, 1, id))?.status
  /** So many steps are enough for everything in here. */
  const goOn = async (id: string) => {
    for (let steps = 0; steps < 40 && (await statusOf(id)) === 'PROCESSING'; steps += 1) {
      await step()
      time.now += 300
    }
    return findErasure(engine, 1, id)
  }

  test('more messages than one step takes, each with its history', async () => {
    const events = JSON.stringify([{ type: 'UNDELIVERABLE', ts: 1, n: 0, error_message: 'no such user: many' }])
    const template = await insertMessage(engine, start, {
      recipient: 'many',
      error: 'many is away',
      status: 'UNDELIVERABLE',
    })
    await run(
      `insert into messages (id, workspace_id, lane, status, event, recipient, mode, enqueued, first_due, input)
        select id || n, workspace_id, lane, status, event, recipient, mode, enqueued, first_due, input
        from messages, generate_series(1, 449) n where id = $1`,
      template,
    )
    await run(
      `insert into history (message_id, flush, workspace_id, events)
        select id, 2, 1, $1 from messages where recipient = 'many'`,
      events,
    )
    await run(`update messages set events = $1 where recipient = 'many'`, events)
    const { id } = await begin('many')
    expect(await goOn(id)).toMatchObject({ status: 'COMPLETED', removed: { messages: 450 } })
    expect(await count(`select count(*) from history where events like '%many%'`)).toBe(0)
    expect(await count(`select count(*) from messages where events like '%many%'`)).toBe(0)
    expect(await count(`select count(*) from messages where events like '%UNDELIVERABLE%'`)).toBe(450)
    expect(await count(`select count(*) from messages where status = 'UNDELIVERABLE' and error is null`)).toBe(450)
  })

  test('inbound events, payloads and audit events that name the person, and no others', async () => {
    await run(`insert into inbound_events select 1, 'seven-' || n, 'e', '7', '{}', 0 from generate_series(1, 1100) n`)
    await run(
      `insert into inbound_events values (1, 'other-1', 'e', '77', '{"user_id":"7"}', 0),
        (1, 'other-2', 'e', null, '{"quantity":"7"}', 0), (1, 'unknown', 'e', null, '{"memberId": "7"}', 0),
        (2, 'foreign', 'e', '7', '{}', 0)`,
    )
    const payload = (id: string, text: string) =>
      run(
        `insert into webhook_deliveries (id, workspace_id, webhook_id, type, payload, created) values ($1, 1, 'w', 't', $2, 0)`,
        id,
        text,
      )
    await payload('1-a', '{"user_id":"7"}')
    await payload('1-b', '{"version":"7"}')
    await run(
      `insert into audit_events values ('a', 1, 'user:changed', 'key/x', '7', 'api', 0), ('b', 1, 'event:mapped', 'key/x', '7', 'api', 0)`,
    )
    const { id, pseudonym } = await begin('7')
    expect(await goOn(id)).toMatchObject({
      status: 'COMPLETED',
      removed: { inboundEvents: 1_101, webhookDeliveries: 1, auditEvents: 1 },
    })
    expect(await many('select message_id from inbound_events order by 1')).toEqual(
      ['foreign', 'other-1', 'other-2'].map((message_id) => ({ message_id })),
    )
    expect(await many('select id from webhook_deliveries')).toEqual([{ id: '1-b' }])
    expect((await many('select target from audit_events order by id')).map(({ target }) => target)).toEqual([
      pseudonym,
      '7',
    ])
  })

  test('a fan-out that read the recipients of a list before writes no message afterwards', async () => {
    await run(`insert into lists (workspace_id, id, name, created, updated) values (1, 'l', 'L', 0, 0)`)
    await run(
      `insert into list_subscriptions (workspace_id, list_id, recipient, created, updated) values (1, 'l', 'read', 0, 0)`,
    )
    await run(
      `insert into requests (id, workspace_id, kind, mode, lane, due_at, status, created, input, targets)
        values ('1-r', 1, 'list', 'live', 2, 0, 'PROCESSING', 0, '{"event":"e"}', '{"targets":[{"kind":"list","listId":"l"}]}')`,
    )
    const claiming = { now: time.now, until: time.now + 60_000, lease: 'x', laneMax: 2 }
    const [request] = await requestQueue.claim(engine, claiming)
    expect(await listRecipients(engine, 1, ['l'], undefined, 10)).toHaveLength(1)
    const { id } = await begin('read')
    expect((await goOn(id))?.status).toBe('COMPLETED')
    const message = {
      id: '1-m',
      workspace_id: 1,
      lane: 2,
      due_at: 0,
      lease: null,
      claims: 0,
      status: 'ENQUEUED',
      event: 'e',
      recipient: 'read',
      mode: 'live',
      enqueued: 0,
      first_due: 0,
      input: '{}',
    }
    const made = { request: request!, messages: [message], failures: 0, progress: '{}', dueAt: null, keepLease: false }
    expect(await takeStep(engine, { ...made, status: 'COMPLETED' })).toBeUndefined()
    expect(await count(`select count(*) from messages where recipient = 'read'`)).toBe(0)
  })

  test('a worker with a message is waited for until the lease runs out, and writes nothing then', async () => {
    const lease = { lease: 'slow', due_at: time.now + 2_000, claims: 1 }
    const messageId = await insertMessage(engine, start, { recipient: 'held', ...lease })
    const { id } = await begin('held')
    for (let steps = 0; steps < 5; steps += 1) await step()
    expect(await many('select recipient, lease from messages where id = $1', messageId)).toEqual([
      { recipient: 'held', lease: 'slow' },
    ])
    expect(await goOn(id)).toMatchObject({ status: 'COMPLETED', removed: { messages: 1, canceledMessages: 1 } })
    const late = {
      id: messageId,
      lease: 'slow',
      flushes: 0,
      next_lease: null,
      due_at: null,
      status: 'SENT',
      notification_id: null,
      sent: 1,
      delivered: null,
      canceled_at: null,
      error: null,
      reason: null,
      pinned: '{"profile":{"name":"held"}}',
      deliveries: null,
      events: '[]',
    }
    const kept = {
      id: `${messageId}-0`,
      message_id: messageId,
      channel: 'email',
      recipient: 'held',
      received: 1,
      content: '{}',
    }
    expect(await recordMessages(engine, { records: [late], mailbox: [kept] })).toEqual(new Set())
    expect(await many('select status, pinned from messages where id = $1', messageId)).toEqual([
      { status: 'CANCELED', pinned: null },
    ])
  })

  test.each([
    ['stood', 'stood'],
    ['stood "2"', JSON.stringify({ group: 'l', after: 'stood "2"' })],
  ])('a request that stands at %s is waited for', async (person, after) => {
    const insert = `insert into requests (id, workspace_id, kind, mode, lane, due_at, status, created, input, targets, progress)
      values ($1, 1, 'list', 'live', 2, 0, 'PROCESSING', 0, '{"event":"e"}', '{"targets":[{"kind":"list","listId":"l"}]}', $2)`
    const requestId = `1-${person}`
    await run(insert, requestId, JSON.stringify({ target: 0, after }))
    const { id } = await begin(person)
    await goOn(id)
    expect(await statusOf(id)).toBe('PROCESSING')
    await run(`update requests set due_at = null, status = 'COMPLETED' where id = $1`, requestId)
    expect(await goOn(id)).toMatchObject({ status: 'COMPLETED' })
    expect(await many(`select progress from requests where id = $1`, requestId)).toEqual([
      { progress: '{"target":0,"after":null}' },
    ])
  })

  test('a request that waits keeps its due time when it loses a recipient', async () => {
    const later = time.now + 3_600_000
    const targets = { targets: [{ kind: 'users', users: [{ recipient: 'early' }, { recipient: 'other' }] }] }
    await run(
      `insert into requests (id, workspace_id, kind, mode, lane, due_at, status, created, input, targets)
        values ('1-later', 1, 'send', 'live', 2, $1, 'PROCESSING', 0, '{"event":"e"}', $2)`,
      later,
      JSON.stringify(targets),
    )
    const { id } = await begin('early')
    expect(await goOn(id)).toMatchObject({ status: 'COMPLETED', removed: { requestRecipients: 1 } })
    expect(await many(`select due_at, targets from requests where id = '1-later'`)).toEqual([
      {
        due_at: later,
        targets: JSON.stringify({ targets: [{ kind: 'users', users: [null, { recipient: 'other' }] }] }),
      },
    ])
  })

  test('a step that never ends is dead-lettered, and continued by another request', async () => {
    const { id } = await begin('stuck')
    for (let claims = 1; claims <= 10; claims += 1) {
      const [erasure] = await erasureQueue.claim(engine, { now: time.now, until: time.now + 1, lease: `${claims}` })
      expect(erasure).toMatchObject({ claims })
      time.now += 2
    }
    await step()
    expect(await statusOf(id)).toBe('ERROR')
    expect((await begin('stuck')).id).toBe(id)
    expect(await goOn(id)).toMatchObject({ status: 'COMPLETED' })
    expect(await many('select person, place from erasures where id = $1', id)).toEqual([{ person: null, place: null }])
  })

  test('requested again while it is in progress, all of it follows once more', async () => {
    const { id } = await begin('again')
    for (let steps = 0; steps < 8; steps += 1) await step()
    await run(`insert into inbound_events values (1, 'behind', 'e', 'again', '{}', 0)`)
    await begin('again')
    expect(await goOn(id)).toMatchObject({ status: 'COMPLETED', removed: { inboundEvents: 1 } })
  })
})
