/**
 * Every POST of the contract, repeated with its key, is done once and answers the same, whenever the database or its answer is lost.
 * @module-tag safety
 */
import { type Operation, operations, successOf, takesIdempotencyKey } from '@postrider/contract'
import { DatabaseUnavailable, type Engine } from '@postrider/server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openAcceptingApp } from '../support/accepting-app.ts'
import type { ApiReply } from '../support/api-client.ts'
import { withEngine } from '../support/engine.ts'
import { everyRow, tablesOf } from '../support/every-row.ts'
import { ownParams, pathWith } from '../support/fixtures.ts'
import type { RecordingApp } from '../support/recording-app.ts'

const posts = operations.filter(takesIdempotencyKey).map((operation) => [operation.id, operation] as const)

/** They write before their reply is kept, and come to the same when that is done again. */
const REPEATABLE: ReadonlySet<string> = new Set([
  ...['messages.cancel', 'messages.cancelMany', 'requests.cancel', 'requests.pause', 'requests.resume'],
])

type Statement = Parameters<Engine['batch']>[0][number]
type Loss = 'before the commit' | 'after the commit'

withEngine((open) => {
  let engine: Engine
  let api: RecordingApp
  /** The fate of the next commit that stores a reply. */
  let loss: Loss | undefined

  beforeAll(async () => {
    engine = await open()
    api = await openAcceptingApp(losing(engine))
  })
  afterAll(() => api.stop())
  beforeEach(async () => {
    loss = undefined
    await emptied(engine)
  })

  function losing(real: Engine): Engine {
    const keeps = (statements: readonly Statement[]) =>
      statements.some(({ text }) => /insert into "?idempotency_keys/.test(text))
    const maybe = async <T>(statements: readonly Statement[], run: () => Promise<T>): Promise<T> => {
      const now = keeps(statements) ? loss : undefined
      if (now) loss = undefined
      if (now === 'before the commit') throw new DatabaseUnavailable('lost before the commit')
      const result = await run()
      if (now === 'after the commit') throw new DatabaseUnavailable('lost after the commit')
      return result
    }
    return {
      ...real,
      run: (statement) => maybe([statement], () => real.run(statement)),
      batch: (statements, options) => maybe(statements, () => real.batch(statements, options)),
    }
  }

  /** The call, ready to be repeated. */
  async function prepared(operation: Operation): Promise<(more?: object) => Promise<ApiReply>> {
    const { id, method, path, body, example } = operation
    if (!example) throw new Error(`${id}: give it an example, so that it can be called here`)
    const url = pathWith(path, await ownParams(operation, api, 'own'))
    const content = body && example.body !== undefined ? example.body : undefined
    return (more) =>
      api.call(method, url, {
        ...(content !== undefined && { body: { ...(content as object), ...more } }),
        headers: { 'idempotency-key': 'again' },
      })
  }

  const replayed = ({ headers }: ApiReply) => headers.get('idempotent-replayed')

  test.each(posts)('%s: the same key twice is one effect and one reply', async (_id, operation) => {
    const call = await prepared(operation)
    const first = await call()
    expect([first.status, first.text]).toEqual([successOf(operation).status, first.text])
    const after = await everyRow(engine)
    const second = await call()
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect([replayed(first), replayed(second)]).toEqual([null, 'true'])
    expect(await everyRow(engine)).toBe(after)
  })

  // Fields that are unknown to these are ignored, and make another body all the same.
  const readLiberally = posts.filter(([, { origin, body, example }]) => origin !== 'postrider' && body && example?.body)
  test.each(readLiberally)(
    '%s: the same key with another body is refused, and has no effect',
    async (_id, operation) => {
      const call = await prepared(operation)
      expect((await call()).status).toBe(successOf(operation).status)
      const after = await everyRow(engine)
      const reused = await call({ another: true })
      expect([reused.status, reused.json.code]).toEqual([409, 'idempotency_key_reused'])
      expect(await everyRow(engine)).toBe(after)
    },
  )

  test.each(posts)('%s: lost before the commit, nothing is done and the key is free', async (id, operation) => {
    const call = await prepared(operation)
    const before = await everyRow(engine)
    loss = 'before the commit'
    expect((await call()).status).toBe(503)
    if (!REPEATABLE.has(id)) expect(await everyRow(engine)).toBe(before)
    const again = await call()
    expect([again.status, replayed(again)]).toEqual([successOf(operation).status, null])
  })

  test.each(posts)('%s: lost after the commit, a retry gets the stored reply', async (_id, operation) => {
    const call = await prepared(operation)
    loss = 'after the commit'
    expect((await call()).status).toBe(503)
    const after = await everyRow(engine)
    const again = await call()
    expect([again.status, replayed(again)]).toEqual([successOf(operation).status, 'true'])
    expect(await everyRow(engine)).toBe(after)
  })
})

/** To truncate a table takes longer than to find it empty. */
async function emptied(engine: Engine): Promise<void> {
  const tables = (await tablesOf(engine)).filter((name) => name !== 'keys')
  const filled = tables.map((table) => `select '${table}' as name where exists (select from ${table})`)
  const { rows } = await engine.run<{ name: string }>({ text: filled.join(' union all '), values: [] })
  if (rows.length > 0)
    await engine.run({ text: `truncate ${rows.map(({ name }) => name).join(', ')} cascade`, values: [] })
  await engine.run({ text: `delete from keys where id not in ('PRODUCTION', 'TEST', 'DRAFT')`, values: [] })
}
