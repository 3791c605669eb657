/** One commit for a handler's writes, its stored reply and its audit event; none where there is nothing to store. */
import { type InputOf, type OperationId, operationById } from '@postrider/contract'
import { expect, test } from 'vitest'
import { notFound } from '../base/errors.ts'
import { secretKey } from '../base/secret.ts'
import { ConflictError, type Engine, type Statement } from '../database/engine.ts'
import { query, statement } from '../database/query.ts'
import type { CallContext } from './call.ts'
import { type AnyHandler, otherwise, type ResourceHandlers, retry } from './outcome.ts'
import { createUnitOfWork } from './unit-of-work.ts'

const write = statement(query.deleteFrom('events').where('event', '=', 'welcome'))
const input = { params: { event_id: 'welcome' }, query: {}, body: undefined } as unknown as InputOf<OperationId>
const key = { route: 'events.put', key: 'order-1', expires: 9, digest: 'd' }

/** Runs a handler of the operation on an engine that records its commits. */
async function perform(id: OperationId, handler: AnyHandler, options: { keyed?: boolean; conflicts?: number } = {}) {
  const commits: string[][] = []
  let conflicts = options.conflicts ?? 0
  const commit = (statements: readonly Statement[]) => {
    if (conflicts-- > 0) return Promise.reject(new ConflictError(options.keyed ? 1 : 0))
    commits.push(statements.map(({ text }) => /(?:into|from) "?(\w+)/.exec(text)?.[1] ?? text))
    return Promise.resolve(statements.map(() => ({ rows: [], affected: 1 })))
  }
  const engine = {
    batch: commit,
    run: (statement: Statement) =>
      /^select/.test(statement.text)
        ? Promise.resolve({ rows: [], affected: 0 })
        : commit([statement]).then(([result]) => result),
    notify: () => Promise.resolve(),
  } as unknown as Engine
  const secret = secretKey(Buffer.alloc(32, 7))
  const app = { engine, secretKey: secret, log: console, pipeline: {} } as never
  const ctx = {
    app: { database: engine, secretKey: secret, trustedProxies: [] },
    request: { headers: {}, socket: { remoteAddress: '127.0.0.1' } },
    header: () => undefined,
    caller: { workspaceId: 1, name: 'key/backend' },
    now: 1,
    ...(options.keyed && { idempotency: key }),
  } as unknown as CallContext
  const outcome = createUnitOfWork(app)(operationById[id], handler)(input, ctx)
  return { reply: await outcome.catch((error: unknown) => error), commits }
}

const stores: AnyHandler = () => ({ reply: { status: 201, body: { id: 'x' } }, writes: [write] })

test('a stored reply, the writes and the audit event are one commit', async () => {
  const audited = await perform('brands.create', stores, { keyed: true })
  expect(audited.commits).toEqual([['idempotency_keys', 'events', 'audit_events']])
  expect((await perform('inbound.trackEvent', stores, { keyed: true })).commits).toEqual([
    ['idempotency_keys', 'events'],
  ])
  expect((await perform('inbound.trackEvent', stores)).commits).toEqual([['events']])
})

test('a read commits nothing, and neither does a reply that refuses', async () => {
  expect((await perform('events.list', () => ({ status: 200 }))).commits).toEqual([])
  expect((await perform('brands.create', () => ({ status: 400 }), { keyed: true })).commits).toEqual([])
})

test('a handler runs again after a conflict, or its error is thrown and nothing is stored', async () => {
  let runs = 0
  const again: AnyHandler = () => {
    runs += 1
    return { reply: { status: 200 }, writes: [write], onConflict: otherwise(() => retry('others')) }
  }
  expect((await perform('events.put', again, { conflicts: 2 })).commits).toHaveLength(1)
  expect(runs).toBe(3)
  const refused: AnyHandler = () => ({ reply: { status: 200 }, writes: [write], onConflict: otherwise(notFound) })
  const { reply, commits } = await perform('events.put', refused, { conflicts: 1 })
  expect(reply).toMatchObject({ status: 404 })
  expect(commits).toEqual([])
})

test('writes that share a commit have one of their own beside a stored reply', async () => {
  let shared = 0
  const run: AnyHandler = () => ({
    reply: { status: 200 },
    alone: () => ({ writes: [write] }),
    storeShared: async () => void (shared += 1),
  })
  expect((await perform('automations.invoke', run)).commits).toEqual([])
  expect(shared).toBe(1)
  expect((await perform('automations.invoke', run, { keyed: true })).commits).toEqual([['idempotency_keys', 'events']])
  expect(shared).toBe(1)
})

test('by type a read gives no writes, and a POST no reply that it cannot store', () => {
  // @ts-expect-error: a GET writes nothing.
  const read: ResourceHandlers<'events'>['events.list'] = () => ({ reply: { status: 200 }, writes: [write] })
  // @ts-expect-error: the reply of a POST is stored with its writes, so it cannot be made of their results.
  const late: ResourceHandlers<'brands'>['brands.create'] = () => ({
    writes: [write],
    replyFrom: () => ({ status: 201 }),
  })
  // @ts-expect-error: a handler has no engine to write with.
  const engine = (ctx: CallContext): Engine => ctx.app.database
  expect([read, late, engine]).toHaveLength(3)
})
