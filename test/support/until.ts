/** Waits for a state that an API will show, or fails the test with the last value. */
import { setTimeout as pause } from 'node:timers/promises'

/** Polls every 25 ms; resolves with the first value for which `holds`, rejects with the last one after `timeoutMs`. */
export async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean, timeoutMs = 25_000): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (Date.now() > deadline)
      throw new Error(`Not so within ${timeoutMs} ms; last seen: ${JSON.stringify(value)?.slice(0, 2_000)}`)
    await pause(25)
  }
}
