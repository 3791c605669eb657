/** Which pauses count as a wait for the server. */
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchPings } from './pings.ts'

const WAIT_MS = 400

test('a wait for the server is reported', async () => {
  const pings = watchPings(
    () => pause(WAIT_MS),
    () => 0,
  )
  expect(await pings.stop()).toBeGreaterThan(WAIT_MS * 0.9)
})

test('an answer that this process is too busy to read is no delay of the server', async () => {
  const pings = watchPings(
    async () => {
      await setImmediate()
      const began = performance.now()
      while (performance.now() - began < WAIT_MS);
    },
    () => 0,
  )
  expect(await pings.stop()).toBeLessThan(WAIT_MS / 4)
})

test('a server in line for a processor blocks no caller', async () => {
  let stood = 0
  const ping = async () => {
    const began = performance.now()
    await pause(WAIT_MS)
    stood += performance.now() - began
  }
  expect(await watchPings(ping, () => stood).stop()).toBeLessThan(WAIT_MS / 4)
})
