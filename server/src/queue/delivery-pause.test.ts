/** A node keeps the pause that is in the database: it learns of each change by a notification, or within seconds without it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../base/log.ts'
import { DatabaseUnavailable, type Engine } from '../database/engine.ts'
import type { PauseRow } from '../database/tables/installation/installation.ts'
import { openPause } from './delivery-pause.ts'

const row: PauseRow = { since: 1_000, host: 'here', source: 'key/ops' }
let current: PauseRow | undefined
let isDown = false
let notified: () => void = () => undefined

const engine = {
  async run() {
    if (isDown) throw new DatabaseUnavailable('down')
    return { rows: current ? [current] : [], affected: 0 }
  },
  async listen(_channel: string, callback: () => void) {
    notified = callback
  },
  async notify() {},
} as unknown as Engine

beforeEach(() => {
  vi.useFakeTimers()
  current = undefined
  isDown = false
})
afterEach(() => vi.useRealTimers())

const open = async () => {
  const pause = await openPause(engine, createLog('silent'))
  const resumed = vi.fn()
  pause.onResume(resumed)
  return { pause, resumed }
}

test('it begins and ends with the row, as often as that happens', async () => {
  const { pause, resumed } = await open()
  for (let times = 1; times <= 2; times += 1) {
    expect(pause.since).toBeUndefined()
    current = row
    await pause.changed()
    expect([pause.since, pause.by]).toEqual([1_000, 'key/ops'])
    current = undefined
    await pause.changed()
    expect(pause.since).toBeUndefined()
    expect(resumed).toHaveBeenCalledTimes(times)
  }
})

test('a notification is enough, and a lost one is made up for within five seconds', async () => {
  const { pause } = await open()
  current = row
  notified()
  await vi.advanceTimersByTimeAsync(0)
  expect(pause.since).toBe(1_000)
  current = undefined
  await vi.advanceTimersByTimeAsync(4_900)
  expect(pause.since).toBe(1_000)
  await vi.advanceTimersByTimeAsync(100)
  expect(pause.since).toBeUndefined()
})

test('without the database the last state stays', async () => {
  current = row
  const { pause, resumed } = await open()
  expect(pause.since).toBe(1_000)
  isDown = true
  current = undefined
  await vi.advanceTimersByTimeAsync(20_000)
  expect(pause.since).toBe(1_000)
  isDown = false
  await vi.advanceTimersByTimeAsync(5_000)
  expect(pause.since).toBeUndefined()
  expect(resumed).toHaveBeenCalledTimes(1)
})

test('a change is in force when its call resolves, also where a notification has started a later read', async () => {
  const { pause } = await open()
  current = row
  // Reads that start before the next one ends.
  let isLate = false
  const run = vi.spyOn(engine, 'run').mockImplementation(async () => {
    if (!isLate) {
      isLate = true
      notified()
    } else await new Promise((resolve) => setTimeout(resolve, 50))
    return { rows: [row], affected: 0 } as never
  })
  const changed = pause.changed().then(() => pause.since)
  await vi.advanceTimersByTimeAsync(50)
  expect(await changed).toBe(1_000)
  run.mockRestore()
})

test('an older read that ends late changes nothing', async () => {
  const { pause } = await open()
  const run = vi.spyOn(engine, 'run').mockImplementationOnce(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return { rows: [row], affected: 0 } as never
  })
  notified()
  await pause.changed()
  await vi.advanceTimersByTimeAsync(50)
  expect(run).toHaveBeenCalledTimes(2)
  expect(pause.since).toBeUndefined()
  run.mockRestore()
})

test('reads that each end after the next one has started are in force', async () => {
  const { pause } = await open()
  const run = vi.spyOn(engine, 'run').mockImplementation(async () => {
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    return { rows: [row], affected: 0 } as never
  })
  await vi.advanceTimersByTimeAsync(12_000)
  expect(pause.since).toBe(1_000)
  run.mockRestore()
})
