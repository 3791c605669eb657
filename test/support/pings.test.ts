/** Which pauses count as a wait for the server. */
import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { watchPings } from './pings.ts'

/** The time of this process so far, in milliseconds. */
const spent = { idle: 0, active: 0 }

beforeAll(() => {
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation((since) => ({
    idle: spent.idle - (since?.idle ?? 0),
    active: spent.active - (since?.active ?? 0),
    utilization: 0,
  }))
})
afterAll(() => void vi.restoreAllMocks())

/** The longest wait by pings that spend time so, each. */
const longestWait = (spend: () => void, stoodMs = () => 0) => watchPings(async () => spend(), stoodMs).stop()

test('a wait for the server is reported', async () => {
  const waits = [400, 300]
  expect(await longestWait(() => (spent.idle += waits.shift() ?? 0))).toBe(400)
})

test('an answer that this process is too busy to read is no delay of the server', async () => {
  expect(await longestWait(() => (spent.active += 400))).toBe(0)
})

test('a server in line for a processor blocks no caller', async () => {
  let stood = 0
  const spend = () => {
    spent.idle += 400
    stood += 350
  }
  expect(await longestWait(spend, () => stood)).toBe(50)
})
