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
    await engine.run(deferredCopiesInsert([row]))
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
  /** A node whose mail server answers this. */
  const node = (now: () => number, answer: (mail: CopiesRequest['mail']) => Reply | Promise<Reply>) =>
    createCopySender({
      ...{ engine, providers, now, signal: new AbortController().signal, wake: () => undefined },
      ...{ secretKey: appSecretKey, log: createLog('silent') },
      transport: { perform: async (request) => answer((request as CopiesRequest).mail) },
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
