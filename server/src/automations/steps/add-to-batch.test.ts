/** Batches: who is collected together, when it closes, and what is handed on. */

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { DAY, HOUR, MINUTE } from '../../base/time/duration.ts'
import { answering, type RunInput, simulateRuns } from '../simulation/simulate-runs.harness.ts'

const send = { action: 'send', template: 'digest', recipient: 'owner' }
const likes = ['Drew', 'Alex', 'Abby']
const liked = (after = 0): RunInput[] => likes.map((like_from) => ({ after, context: { data: { like_from } } }))

describe('a batch', () => {
  const batching = (fields: JsonObject) => [{ action: 'add-to-batch', ...fields }, send]

  test('three items are handed on as one batch, in the order of arrival', async () => {
    const simulated = await simulateRuns(batching({ max_items: 3 }), liked())
    expect(simulated.sent()).toHaveLength(1)
    expect(simulated.sent()[0]?.data.batch).toEqual({ count: 3, items: likes.map((like_from) => ({ like_from })) })
    expect([0, 1, 2].map((number) => simulated.run(number).status)).toEqual(['PROCESSED', 'PROCESSED', 'PROCESSED'])
    expect(simulated.run(1).steps.get(0)).toMatchObject({ status: 'PROCESSED', result: { added: true } })
    expect(simulated.run(1).steps.has(1)).toBe(false)
  })

  test('closes when nothing was added for its period, and at the latest after the longest', async () => {
    const every = (minutes: number) => Array.from({ length: 5 }, (_, n): RunInput => ({ after: n * minutes * MINUTE }))
    const periods = { wait_period: 'PT10M', max_wait_period: 'PT30M' }
    const quiet = await simulateRuns(batching(periods), every(2))
    expect(quiet.sent().map(({ after, data }) => [after, data.batch])).toMatchObject([[18 * MINUTE, { count: 5 }]])
    const busy = await simulateRuns(batching(periods), every(8))
    expect(busy.sent().map(({ after, data }) => [after, data.batch])).toMatchObject([
      [30 * MINUTE, { count: 4 }],
      [42 * MINUTE, { count: 1 }],
    ])
  })

  test('waits for 60 days by default', async () => {
    expect((await simulateRuns(batching({}))).sent()[0]?.after).toBe(60 * DAY)
  })

  const of = (...recipients: string[]) =>
    recipients.map((recipient, n) => ({ context: { recipient, data: { n, team: n < 2 ? 'a' : 'b' } } }))
  const counts = async (fields: JsonObject) =>
    (await simulateRuns(batching({ wait_period: 'PT1M', ...fields }), of('u', 'v', 'u')))
      .sent()
      .map(({ data }) => (data.batch as JsonObject).count)

  test('counts for all recipients, for one recipient, or for a key', async () => {
    expect(await counts({})).toEqual([3])
    expect(await counts({ scope: 'user' })).toEqual([2, 1])
    expect(await counts({ scope: 'dynamic', batch_key: { $ref: 'data.team' } })).toEqual([2, 1])
  })

  test('a scope without a key to count by ends the run with an error', async () => {
    expect((await simulateRuns(batching({ scope: 'user' }))).run(0).error).toContain('needs a recipient')
    const keyless = batching({ scope: 'dynamic', batch_key: { $ref: 'data.none' } })
    expect((await simulateRuns(keyless)).run(0).error).toContain('batch_key is `data.none`, which leads to no value')
  })

  test('is one over automations that name it, and another for each that does not', async () => {
    const batchRun = (name: string, batch: JsonObject) => ({
      automation: {
        steps: [
          { action: 'add-to-batch', wait_period: 'PT1M', ...batch },
          { ...send, template: name },
        ],
      },
    })
    const named = await simulateRuns([], [batchRun('a', { batch_id: 'shared' }), batchRun('b', { batch_id: 'shared' })])
    expect(named.sent().map(({ event }) => event)).toEqual(['a'])
    const apart = await simulateRuns([], [batchRun('a', {}), batchRun('b', {})])
    expect(apart.sent().map(({ event }) => event)).toEqual(['a', 'b'])
  })

  test.each([
    [{ type: 'first', count: 2 }, [5, 1]],
    [{ type: 'last', count: 2 }, [9, 3]],
    [{ type: 'highest', count: 2, sort_key: 'score.points' }, [9, 5]],
    [{ type: 'lowest', count: 3, sort_key: 'score.points' }, [1, 3, 5]],
  ])('hands on what is to be retained: %j', async (retain, expected) => {
    const scores = [5, 1, 9, 3].map((points) => ({ context: { data: { score: { points } } } }))
    const simulated = await simulateRuns(batching({ max_items: 4, retain, category_key: 'scores' }), scores)
    const { count, items } = simulated.sent()[0]!.data.scores as {
      count: number
      items: { score: { points: number } }[]
    }
    expect(count).toBe(4)
    expect(items.map(({ score }) => score.points)).toEqual(expected)
  })

  test('finds what is to be retained on whichever page it is', async () => {
    const many = Array.from({ length: 230 }, (_, n) => ({ context: { data: { n } } }))
    const best = async (n: number) => {
      const retain = { type: 'highest', count: 1, sort_key: 'score' }
      const scored = many.with(n, { context: { data: { n, score: 1 } as JsonObject & { n: number } } })
      const simulated = await simulateRuns(batching({ max_items: 230, retain }), scored)
      return (simulated.sent()[0]!.data.batch as { items: { n: number }[] }).items[0]?.n
    }
    for (const n of [0, 99, 100, 101, 200, 229]) expect(await best(n)).toBe(n)
  })

  test('sorts numbers before texts, and what has neither comes last', async () => {
    const values = ['b', null, 2, 'a', 1, undefined]
    const order = async (type: string) => {
      const retain = { type, count: 6, sort_key: 'by' }
      const inputs = values.map((by) => ({ context: { data: { by } } }))
      const simulated = await simulateRuns(batching({ max_items: 6, retain }), inputs)
      return (simulated.sent()[0]!.data.batch as { items: { by: unknown }[] }).items.map(({ by }) => by)
    }
    expect(await order('lowest')).toEqual([1, 2, 'a', 'b', null, undefined])
    expect(await order('highest')).toEqual([2, 1, 'b', 'a', null, undefined])
  })

  test('the batch of a recipient differs from the batch of an equal key', async () => {
    const batchRun = (by: JsonObject) => ({
      automation: { steps: [{ action: 'add-to-batch', batch_id: 'shared', wait_period: 'PT1M', ...by }, send] },
      context: { recipient: 'same' },
    })
    const simulated = await simulateRuns(
      [],
      [batchRun({ scope: 'user' }), batchRun({ scope: 'dynamic', batch_key: 'same' })],
    )
    expect(simulated.sent()).toHaveLength(2)
  })

  const canceled = { steps: batching({ wait_period: 'PT1H', retain: { type: 'first' } }), cancelation_token: 't' }
  const others = { ...canceled, cancelation_token: 'u' }
  const canceler = { steps: [{ action: 'cancel', cancelation_token: 't' }] }
  const by = (minutes: number, automation: JsonObject, who = ''): RunInput => ({
    after: minutes * MINUTE,
    automation,
    context: { data: { who } },
  })
  const sentData = async (...inputs: RunInput[]) => {
    const simulated = await simulateRuns([], inputs)
    return { simulated, sent: simulated.sent().map(({ after, data }) => [after / MINUTE, data.who, data.batch]) }
  }

  test('loses only its item when its run is canceled: the next run that adds waits in its place', async () => {
    const { simulated, sent } = await sentData(
      by(0, canceled, 'a'),
      by(1, others, 'b'),
      by(2, canceler),
      by(3, others, 'd'),
    )
    expect(simulated.run(0).status).toBe('CANCELED')
    expect(sent).toEqual([[63, 'd', { count: 2, items: [{ who: 'b' }, { who: 'd' }] }]])
  })

  test('without a run that waits goes to the first run that had added, when it closes', async () => {
    const { simulated, sent } = await sentData(
      by(0, canceled, 'a'),
      by(1, others, 'b'),
      by(2, others, 'c'),
      by(3, canceler),
    )
    expect(sent).toEqual([[62, 'b', { count: 2, items: [{ who: 'b' }, { who: 'c' }] }]])
    expect([simulated.run(1).status, simulated.statuses(1)]).toEqual(['PROCESSED', ['PROCESSED', 'PROCESSED']])
  })

  test('with items of the canceled run only is deleted', async () => {
    expect((await sentData(by(0, canceled, 'a'), by(3, canceler))).sent).toEqual([])
  })

  test('hands on as many items as there is room for, and keeps their number only under its `ref`', async () => {
    const big = Array.from({ length: 70 }, (_, n) => ({ context: { data: { n, text: 'x'.repeat(59_000) } } }))
    const steps = (type: string) => [
      { action: 'add-to-batch', max_items: 70, ref: 'all', retain: { type, count: 100 } },
      send,
    ]
    for (const type of ['first', 'last']) {
      const simulated = await simulateRuns(steps(type), big)
      const { count, items } = simulated.sent()[0]!.data.batch as { count: number; items: { n: number }[] }
      expect([count, items.length > 40, items.length < 70]).toEqual([70, true, true])
      expect(items.at(type === 'last' ? -1 : 0)?.n).toBe(type === 'last' ? 69 : 0)
      expect(simulated.run(0).state.refs.all).toEqual({ count: 70 })
    }
  })

  test('takes no item that is too large to be sent with a hundred others', async () => {
    const item = (characters: number) => ({ context: { data: { text: 'x'.repeat(characters) } } })
    const simulated = await simulateRuns(batching({ max_items: 2 }), [item(59_900), item(60_000), item(59_900)])
    expect([0, 1, 2].map((number) => simulated.run(number).status)).toEqual(['PROCESSED', 'ERROR', 'PROCESSED'])
    expect(simulated.run(1).error).toContain('larger than 60000 bytes')
  })

  test('leaves room for what the run has kept already', async () => {
    const text = 'x'.repeat(900_000)
    const fetching = Array.from({ length: 5 }, (_, n) => ({
      ...{ action: 'fetch-data', ref: `kept-${n}`, merge_strategy: 'none' },
      webhook: { url: 'https://shop.example/' },
    }))
    const batch = { action: 'add-to-batch', batch_id: 'b', max_items: 50, retain: { type: 'last', count: 50 } }
    const large = { context: { data: { text: 'x'.repeat(59_000) } } }
    const first = { ...large, automation: { steps: [...fetching, batch, send] } }
    const simulated = await simulateRuns([batch], [first, ...Array(49).fill(large)], {
      sendRequest: answering({ text }),
    })
    expect(simulated.run(0)).toMatchObject({ status: 'PROCESSED' })
    const { count, items } = simulated.sent()[0]!.data.batch as { count: number; items: unknown[] }
    expect([count, items.length > 10, items.length < 40]).toEqual([50, true, true])
  })

  test('a batch that a run waits for is continued, even if its condition becomes false', async () => {
    const steps = batching({ wait_period: 'PT1H', if: "profile.plan === 'pro'" })
    const leaves = { steps: [{ action: 'update-profile', recipient_id: 'ada', profile: { plan: 'none' } }] }
    const inputs = [{ context: { recipient: 'ada' } }, { after: MINUTE, automation: leaves }]
    const simulated = await simulateRuns(steps, inputs, { profiles: { ada: { plan: 'pro' } } })
    expect(simulated.statuses(0)).toEqual(['PROCESSED', 'PROCESSED'])
    expect(simulated.sent()).toMatchObject([{ after: HOUR, data: { batch: { count: 1 } } }])
  })

  test('is deleted when its run ends with an error', async () => {
    const collect = { steps: [{ action: 'add-to-batch', wait_period: 'PT1H', category_key: '${profile.key}' }, send] }
    const spoil = { action: 'update-profile', recipient_id: 'ada', profile: { key: '__proto__' }, merge: 'overwrite' }
    const context = { recipient: 'ada' }
    const inputs = [{ automation: collect }, { automation: collect, after: 1 }, { after: 2 }]
    const store = { profiles: { ada: { key: 'c' } } }
    const simulated = await simulateRuns(
      [spoil],
      inputs.map((input) => ({ context, ...input })),
      store,
    )
    expect([0, 1, 2].map((number) => simulated.run(number).status)).toEqual(['ERROR', 'PROCESSED', 'PROCESSED'])
    expect(simulated.sent()).toEqual([])
  })

  test('is read as often as it is added to, and a read is no step', async () => {
    const adders = Array.from({ length: 300 }, (_, n): RunInput => ({ after: n * 50_000 }))
    const periods = { wait_period: 'PT1M', max_wait_period: 'P1D' }
    const simulated = await simulateRuns(batching(periods), adders)
    expect(simulated.run(0).status).toBe('PROCESSED')
    expect(simulated.run(0).state.taken).toBeLessThan(5)
    expect(simulated.sent()).toHaveLength(1)
  })
})
