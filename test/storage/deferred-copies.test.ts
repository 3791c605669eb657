/** Deferred copies are sent once over all nodes, again after a crash, and a node whose time was over writes nothing. */
import type { CopiesRequest, Reply } from '@postrider/server/internal/base/exchange'
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  claimDeferredCopies,
  type DeferredCopiesRow,
  deferredCopiesInsert,
} from '@postrider/server/internal/database/tables/messages/deferred-copies'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import type { Entry } from '@postrider/server/internal/limits/gate'
import { providers } from '@postrider/server/internal/providers/catalog'
import { createCopySender } from '@postrider/server/internal/receipts/deferred-copies'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { appSecretKey } from '../support/recording-app.ts'
import { insertMessage } from '../support/rows.ts'
import { until } from '../support/until.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE

withEngine((open) => {
  let engine: Engine
  const integration = 'C3VRJ'
  beforeAll(async () => {
    engine = { ...(await open()), tokens: tokenCipher(appSecretKey) }
    await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
    await engine.run({
      text: `insert into integrations (workspace_id, id, provider, title, enabled, priority, settings, version, created, updated)
        values (1, $1, 'smtp', 'Mail', true, 0, '{"host":"mail.example.com","fromAddress":"a@example.org"}', 1, $2, $2)`,
      values: [integration, NOW],
    })
  })
  beforeEach(async () => {
    await engine.run({ text: 'delete from deferred_copies', values: [] })
    await engine.run({ text: 'delete from receipts', values: [] })
  })

  async function add(address: string, changes: Partial<DeferredCopiesRow> = {}): Promise<string> {
    const messageId = changes.message_id ?? (await insertMessage(engine, NOW))
    const row: DeferredCopiesRow = {
      ...{ message_id: messageId, n: 0, workspace_id: 1, recipient: 'r', integration, override: null },
      ...{ sender: 'a@example.org', addresses: [address], mail: 'Subject: Gr\xfc\xdfe', needs_utf8: false },
      ...{ at_most_once: false, in_flight: false },
      ...{ attempts: 1, due_at: NOW + MINUTE, ends: NOW + 72 * HOUR, ...changes },
    }
    await engine.run({
      text: `insert into deferred_copies (${Object.keys(row).join(', ')})
        values (${Object.keys(row).map((_, index) => `$${index + 1}`)})`,
      values: Object.values(row),
    })
    return messageId
  }
  const left = async () =>
    (
      await engine.run<{ addresses: string[]; attempts: number; due_at: number }>({
        text: 'select addresses, attempts, due_at from deferred_copies order by due_at',
        values: [],
      })
    ).rows
  const receipts = async () =>
    (
      await engine.run<{ message_id: string; receipt: string }>({
        text: 'select message_id, receipt from receipts order by id',
        values: [],
      })
    ).rows.map(({ message_id: id, receipt }) => {
      const { kind, address, error } = JSON.parse(receipt)
      return [id, kind, address, error]
    })

  const taken: Reply = { kind: 'mail', code: 250, response: '250 taken' }
  const greylisted: Reply = { kind: 'mail', code: 450, response: '450 later', refused: 'recipient' }
  const { signal: stopping } = new AbortController()
  /** By the address of a copy. */
  const signals = new Map<string, AbortSignal>()
  let gate: Entry = { kind: 'passed', leave: () => undefined }
  const gates = { enter: async () => gate }
  /** A node whose mail server answers this. */
  const node = (now: () => number, answer: (mail: CopiesRequest['mail']) => Reply | Promise<Reply>) =>
    createCopySender({
      ...{ engine, providers, now, signal: stopping, wake: () => undefined },
      ...{ secretKey: appSecretKey, log: createLog('silent') },
      transport: {
        perform: async (request, { signal }) => {
          const { mail } = request as CopiesRequest
          for (const address of mail.to) signals.set(address, signal)
          return answer(mail)
        },
      },
      gates,
    })

  test('two nodes send each mail once, as it was stored', async () => {
    for (let n = 0; n < 12; n += 1) await add(`copy-${n}@example.com`)
    const sent: CopiesRequest['mail'][] = []
    const ofNode = () =>
      node(
        () => NOW + MINUTE,
        (mail) => {
          sent.push(mail)
          return taken
        },
      )
    const emptied = async (poll: () => Promise<number>) => {
      while ((await poll()) === 0);
    }
    await Promise.all([emptied(ofNode()), emptied(ofNode())])
    expect(new Set(sent.flatMap(({ to }) => to)).size).toBe(12)
    expect(sent).toHaveLength(12)
    expect(sent[0]).toMatchObject({ from: 'a@example.org', text: 'Subject: Gr\xfc\xdfe', needsUtf8: false })
    expect([await left(), (await receipts()).length]).toEqual([[], 12])
  })

  test('a node that dies leaves its copies to another one, which sends them after two minutes', async () => {
    const id = await add('bob@example.com')
    expect(await claimDeferredCopies(engine, { now: NOW, until: NOW, limit: 9 })).toEqual([])
    const time = NOW + MINUTE
    expect(await claimDeferredCopies(engine, { now: time, until: time + 2 * MINUTE, limit: 9 })).toHaveLength(1)
    const sent: string[] = []
    const answer = ({ to }: CopiesRequest['mail']) => {
      sent.push(...to)
      return taken
    }
    await node(() => time + 2 * MINUTE - 1, answer)()
    expect(sent).toEqual([])
    await node(() => time + 2 * MINUTE, answer)()
    expect([sent, await left()]).toEqual([['bob@example.com'], []])
    expect(await receipts()).toEqual([[id, 'copy_sent', 'bob@example.com', undefined]])
  })

  test('a mail that is sent at most once is not sent again after its node died', async () => {
    const once = { at_most_once: true }
    const id = await add('bob@example.com', once)
    const sent: string[] = []
    const answer = ({ to }: CopiesRequest['mail']): Reply => {
      sent.push(...to)
      return sent.length === 1 ? greylisted : taken
    }
    let time = NOW + MINUTE
    const poll = () => node(() => time, answer)()
    await poll()
    // A result was written: it is safe to send it again.
    time += HOUR
    await poll()
    expect([sent, await left()]).toEqual([['bob@example.com', 'bob@example.com'], []])
    const lost = await add('cy@example.com', once)
    await claimDeferredCopies(engine, { now: time, until: time + MINUTE, limit: 9 })
    time += MINUTE
    await poll()
    expect([sent.length, await left()]).toEqual([2, []])
    expect(await receipts()).toEqual([
      [id, 'copy_sent', 'bob@example.com', undefined],
      [lost, 'copy_failed', 'cy@example.com', 'It may have been sent: the process died meanwhile'],
    ])
  })

  test('a stop alone ends a mail in flight, and none that is sent at most once', async () => {
    await add('bob@example.com')
    await add('cy@example.com', { at_most_once: true, due_at: NOW + MINUTE + 1 })
    await node(
      () => NOW + 2 * MINUTE,
      () => taken,
    )()
    const isStopped = (address: string) => signals.get(address) === stopping
    expect([isStopped('bob@example.com'), isStopped('cy@example.com')]).toEqual([true, false])
  })

  test('nothing is kept by a node that has lost the lease of the message', async () => {
    const id = await insertMessage(engine, NOW, { flushes: 1 })
    await add('bob@example.com', { message_id: id })
    const [row] = await claimDeferredCopies(engine, { now: NOW + MINUTE, until: NOW + HOUR, limit: 9 })
    await engine.run({ text: 'delete from deferred_copies', values: [] })
    const insert = deferredCopiesInsert([{ ...row!, flushes: 2 }])
    const write = (flushes: number) => ({
      text: 'update messages set flushes = $2 where id = $1',
      values: [id, flushes],
    })
    await engine.batch([write(3), insert])
    // The same number, by another node.
    await engine.run(write(2))
    await engine.batch([insert])
    expect(await left()).toEqual([])
    await engine.batch([write(2), insert])
    expect(await left()).toHaveLength(1)
  })

  test('the result of a node that took too long changes nothing after that of another one', async () => {
    await add('bob@example.com')
    let release = (_: Reply) => {}
    const answer = new Promise<Reply>((resolve) => {
      release = resolve
    })
    let requests = 0
    const first = node(
      () => NOW + MINUTE,
      () => {
        requests += 1
        return answer
      },
    )()
    await until(
      async () => requests,
      (count) => count === 1,
    )
    await node(
      () => NOW + 10 * MINUTE,
      () => greylisted,
    )()
    const after = await left()
    expect(after).toMatchObject([{ addresses: ['bob@example.com'], attempts: 3 }])
    release({ ...greylisted, code: 550, response: '550 no' } as Reply)
    await first
    expect([await left(), await receipts()]).toEqual([after, []])
  })

  test('copies wait while a limit or an open circuit breaker refuses the integration', async () => {
    await add('bob@example.com')
    const passing = gate
    gate = { kind: 'refused', error: 'A limit is reached', waitMs: HOUR }
    const sent: string[] = []
    const answer = ({ to }: CopiesRequest['mail']) => {
      sent.push(...to)
      return taken
    }
    await node(() => NOW + MINUTE, answer)()
    expect([sent, await left()]).toMatchObject([[], [{ due_at: NOW + MINUTE + HOUR }]])
    gate = passing
    await node(() => NOW + MINUTE + HOUR, answer)()
    expect([sent, await left()]).toEqual([['bob@example.com'], []])
  })

  test('a server that does not answer keeps the copies of other integrations waiting once', async () => {
    await engine.run({
      text: `insert into integrations (workspace_id, id, provider, title, enabled, priority, settings, version, created, updated)
        values (1, 'OTHER', 'smtp', 'Other', true, 0, '{"host":"other.example.com","fromAddress":"a@example.org"}', 1, $1, $1)
        on conflict do nothing`,
      values: [NOW],
    })
    for (let n = 0; n < 20; n += 1) await add(`dead-${n}@example.com`)
    await add('bob@example.com', { integration: 'OTHER', due_at: NOW + MINUTE + 1 })
    const cut: Reply = { kind: 'failure', failure: 'timeout', message: 'No answer', reached: false }
    const calls: string[] = []
    const poll = node(
      () => NOW + 2 * MINUTE,
      ({ to: [address = ''] }) => {
        calls.push(address)
        return address.startsWith('dead') ? cut : taken
      },
    )
    await poll()
    await poll()
    expect([calls.length, calls.at(-1)]).toEqual([5, 'bob@example.com'])
    expect((await left()).map(({ due_at }) => due_at)).toEqual(Array(20).fill(NOW + 7 * MINUTE))
  })

  test('a result is written when the database is back, and the copy is not sent twice', async () => {
    await add('bob@example.com')
    const whole = engine
    let failures = 2
    engine = {
      ...whole,
      run: async (statement) => {
        if (statement.name === 'record-deferred-copies' && failures-- > 0) throw new Error('away')
        return whole.run(statement)
      },
    }
    const sent: string[] = []
    await node(
      () => NOW + MINUTE,
      ({ to }) => {
        sent.push(...to)
        return taken
      },
    )()
    engine = whole
    expect([sent, await left(), (await receipts()).length]).toEqual([['bob@example.com'], [], 1])
  })

  test('the pauses grow from five minutes to four hours, and the copy is given up at its end', async () => {
    await add('bob@example.com')
    const pauses: number[] = []
    let time = NOW + MINUTE
    for (;;) {
      await node(
        () => time,
        () => greylisted,
      )()
      const [copies] = await left()
      if (!copies) break
      pauses.push((copies.due_at - time) / MINUTE)
      time = copies.due_at
    }
    expect(pauses.slice(0, 9)).toEqual([5, 10, 15, 30, 60, 120, 240, 240, 240])
    expect(time + 4 * HOUR).toBeGreaterThan(NOW + 72 * HOUR)
    expect((await receipts()).map(([_, ...rest]) => rest)).toEqual([['copy_failed', 'bob@example.com', '450 later']])
  })

  test('a mail without its message or its person is removed; one of a canceled message is not sent', async () => {
    await add('bob@example.com', { message_id: '1-6afd7c08-000000000000000000000001' })
    const erased = await insertMessage(engine, NOW, { recipient: `erased-${'0'.repeat(32)}` })
    await add('dan@example.com', { message_id: erased })
    const id = await add('cy@example.com', { message_id: await insertMessage(engine, NOW, { status: 'CANCELED' }) })
    const sent: string[] = []
    await node(
      () => NOW + MINUTE,
      ({ to }) => {
        sent.push(...to)
        return taken
      },
    )()
    expect([sent, await left()]).toEqual([[], []])
    expect(await receipts()).toEqual([[id, 'copy_failed', 'cy@example.com', 'The message was canceled']])
  })

  test('with the config of an override that cannot be read nothing is sent by the settings of the integration', async () => {
    const override = `{"${integration}":{"config":"enc:v1.00000000.AAAA.BBBB.CCCC"}}`
    await add('bob@example.com', { override })
    const sent: string[] = []
    await node(
      () => NOW + MINUTE,
      ({ to }) => {
        sent.push(...to)
        return taken
      },
    )()
    expect([sent, await left()]).toMatchObject([[], [{ attempts: 2 }]])
  })
})
