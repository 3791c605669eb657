/** Waiting for what an API will show: it is asked until it does, or the test fails with what was last seen. */
import { setTimeout as pause } from 'node:timers/promises'

/** Asks every 25 ms; resolves with the first value for which `holds`, rejects with the last one after `timeoutMs`. */
export async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean, timeoutMs = 10_000): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (Date.now() > deadline)
      throw new Error(`Not so within ${timeoutMs} ms; last seen: ${JSON.stringify(value)?.slice(0, 2_000)}`)
    await pause(25)
  }
}
