/** Runs share their slots: whatever hangs leaves some to the others. */
import { expect, test } from 'vitest'
import { type LiveRun, runQueue } from '../../database/tables/automations/live-runs.ts'
import { isPoison } from '../../queue/poison.ts'
import { createRunSlots } from './run-slots.ts'

const run = (fields: Partial<LiveRun> = {}): LiveRun => ({
  ...{ id: 'r', workspace_id: 1, mode: 'live', lane: 1, lease: 'L', claims: 1, cancelation_token: null },
  ...{ template_id: null, source: ['api'], depth: 0, root: 'r', created: 0, automation: '', start: '', state: null },
  ...fields,
})

test('lists that hang hold at most half of the fieldKinds, and their end makes room', () => {
  const slots = createRunSlots()
  const children = Array.from({ length: 128 }, () => slots.take(run({ lane: 2 })))
  expect([slots.listRoom, slots.room, slots.bounds().limits]).toEqual([0, 192, [192, 0]])
  children[0]?.free()
  expect(slots.listRoom).toBe(1)
})

test('a workspace whose runs hang leaves a fifth of the fieldKinds to the others', () => {
  const slots = createRunSlots()
  const rows = Array.from({ length: 400 }, (_, n) => run({ workspace_id: n < 300 ? 1 : 2 }))
  const fitting = slots.fitting(rows)
  const ofWorkspace = (of: readonly LiveRun[], workspace: number) =>
    of.filter(({ workspace_id }) => workspace_id === workspace).length
  expect([ofWorkspace(fitting, 1), ofWorkspace(fitting, 2)]).toEqual([256, 64])
  const taken = fitting.slice(0, 256).map((row) => slots.take(row))
  expect([slots.room, slots.leastRoom]).toEqual([64, 0])
  expect(slots.bounds()).toMatchObject({
    limits: [32, 32],
    shares: [{ workspaceId: 1, limits: [0, 0] }],
  })
  expect(slots.fitting(rows).every(({ workspace_id }) => workspace_id === 2)).toBe(true)
  expect(taken.map((slot) => slot.free()).filter(Boolean)).toHaveLength(1)
  expect(slots.bounds().shares).toEqual([])
})

test('a root with many runs is left out of claims', () => {
  const slots = createRunSlots()
  for (let n = 0; n < 64; n += 1) slots.take(run({ root: 'chain' }))
  slots.take(run({ root: 'other' }))
  expect(slots.bounds()).toMatchObject({ exceptRoots: ['chain'], rootMax: 64 })
})

test('runs whose texts are large leave no room for more', () => {
  const slots = createRunSlots()
  for (let n = 0; n < 8; n += 1) slots.take(run({ state: 'x'.repeat(8 * 1_048_576) }))
  expect([slots.room, slots.bytesRoom]).toEqual([0, 0])
})

test('one suspected run at a time: the next when it has ended a step', () => {
  const slots = createRunSlots()
  const slot = slots.take(run({ claims: 3 }))
  slots.take(run())
  expect(slots.bounds().suspected).toBe(false)
  expect(slot.cleared()).toBe(true)
  expect(slots.bounds().suspected).toBe(true)
  expect(slot.cleared()).toBe(false)
})

test('after three claims alone it is dead-lettered', () => {
  expect([5, 6].map((claims) => isPoison(runQueue, run({ claims })))).toEqual([false, true])
})
