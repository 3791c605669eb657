/** A simulation is bounded: it ends soon for every input, and reports that it was stopped. */
import { batchItemsMax, bodyBytesMax } from '@postrider/contract'
import { describe, expect, test, vi } from 'vitest'
import { resolve, ValuesTooLarge } from '../references/interpolation.ts'
import type { RunStore, StepChange } from '../run-store.ts'
import { runUntilBlocked } from '../runs/execute-steps.ts'
import { firstState, startRun } from '../runs/initial-state.ts'
import { START, simulateRuns } from './simulate-runs.harness.ts'

const again = {
  steps: Array(100).fill({
    action: 'send-list',
    list: 'l',
    template: 't',
    data_source: { webhook: { url: 'https://x.example/' } },
  }),
}

test('runs that start runs without end', async () => {
  const subscribers = async (_list: string, after: string, limit: number) =>
    Array.from({ length: limit }, (_, n) => `${after}a${String(n).padStart(3, '0')}`.slice(-200))
  const simulated = await simulateRuns([], [{ automation: again }], { subscribers })
  expect(simulated.runs.size).toBeLessThanOrEqual(1_501)
})

test('values that double with every step', async () => {
  const doubling = { action: 'get-profile', user_id: 'ada', path: 'a', merge_strategy: 'replace' }
  const grow = { action: 'update-profile', recipient_id: 'ada', profile: { x: { $ref: 'data' }, y: { $ref: 'data' } } }
  const steps = Array.from({ length: 40 }, () => [grow, doubling]).flat()
  const simulated = await simulateRuns(steps, [{ context: { data: { text: 'x'.repeat(1_000) } } }])
  expect(simulated.run(0).error).toMatch(/larger than|nested too deeply/)
})

test('the data that a run keeps, step by step', async () => {
  const reads = Array.from({ length: 30 }, (_, n) => ({ action: 'get-profile', user_id: 'ada', path: `all.p${n}` }))
  const simulated = await simulateRuns(reads, [{}], { profiles: { ada: { text: 'x'.repeat(250_000) } } })
  expect(simulated.run(0).error).toContain('The data of the run would be larger than 6 MB')
  expect(simulated.run(0).steps.size).toBe(26)
})

/** The change that a run of one step commits after it has started `n` runs before. */
async function committed(step: object, taken = 0): Promise<StepChange | undefined> {
  const place = { workspaceId: 1, mode: 'live', source: ['api'], depth: 0, created: START } as const
  const run = startRun({ ...place, id: '1-00000000-0', automation: { steps: [step] }, context: {} })
  let change: StepChange | undefined
  const store = {
    ...{ secret: Buffer.alloc(32), now: () => START },
    commit: async (_run: unknown, committed: StepChange) => {
      change = committed
      return 'lost'
    },
  } as unknown as RunStore
  await runUntilBlocked(run, { ...firstState(run), taken }, store)
  return change
}

test('repeatedly started steps', async () => {
  const cancel = { action: 'cancel', cancelation_token: 't' }
  expect(await committed(cancel, 999)).toMatchObject({ outcome: { status: 'PROCESSED' } })
  const error = expect.stringContaining('1000 steps')
  expect(await committed(cancel, 1_000)).toMatchObject({ outcome: { status: 'ERROR', error } })
})

test('items of a batch, also when `max_items` is a larger text', async () => {
  const change = await committed({ action: 'add-to-batch', max_items: '99999' })
  expect(change).toMatchObject({ batch: { maxItems: batchItemsMax } })
})

test('yields to other work while it runs, however many steps one turn has', async () => {
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), 1)
  const data = { list: Array.from({ length: 200_000 }, (_, n) => `item ${n}`) }
  await simulateRuns(
    Array(60).fill({ action: 'send', template: 't', recipient: 'r', data: { text: '${data.list}' } }),
    [{ context: { data } }],
  )
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(10)
})

test('and stops in the middle of a turn when its time is over', async () => {
  let time = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time)
  let calls = 0
  const sendRequest = async () => {
    calls += 1
    time += 100
    return { kind: 'http', status: 200, headers: {}, body: '{}' } as const
  }
  await simulateRuns(Array(100).fill({ action: 'fetch-data', webhook: { url: 'https://shop.example/' } }), [{}], {
    sendRequest,
  })
  clock.mockRestore()
  expect(calls).toBeLessThan(60)
})

test('one value that is referenced thousands of times', async () => {
  const all = Array(17_000).fill({ $ref: 'data' })
  const data = { text: 'x'.repeat(5_000_000) }
  const simulated = await simulateRuns(
    [{ action: 'send', template: 't', recipient: 'r', data: { all } }],
    [{ context: { data } }],
  )
  expect(simulated.run(0).error).toContain('The values of the step are larger than 6 MB')
})

describe('repeatedly referenced values', () => {
  const TEXT = 'x'.repeat(100_000)
  /** A value that counts how often it is written out. */
  const counted = () => {
    const value = {
      times: 0,
      toJSON() {
        value.times += 1
        return TEXT
      },
    }
    return value
  }

  test('by reference is serialized once, for its size, and never together', () => {
    const data = counted()
    expect(() => resolve(Array(17_000).fill({ $ref: 'data' }), { data })).toThrow(ValuesTooLarge)
    expect(data.times).toBe(1)
  })

  test('into a text is written out until the text is as large as a body, and no further', () => {
    const data = counted()
    expect(() => resolve('${data}'.repeat(17_000), { data })).toThrow(ValuesTooLarge)
    expect(data.times).toBe(Math.ceil(bodyBytesMax / TEXT.length))
  })

  test('may be as large as a body altogether', () => {
    const data = counted()
    const most = Math.floor(bodyBytesMax / (TEXT.length + 10))
    expect(resolve(Array(most).fill({ $ref: 'data' }), { data })).toHaveLength(most)
  })
})

test('a text that is made from itself', async () => {
  const text = '${data.text}'.repeat(100)
  const simulated = await simulateRuns(
    [{ action: 'send', template: 't', recipient: 'r', data: { text } }],
    [{ context: { data: { text: 'x'.repeat(100_000) } } }],
  )
  expect(simulated.run(0).error).toContain('The values of the step are larger than 6 MB')
})
