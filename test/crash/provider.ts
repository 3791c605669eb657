/** The recording provider: takes most messages, is slow or refuses the first time with some, and writes down each arrival. */
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import type { Ledger } from './ledger.ts'

/** How the provider treats a message, set by the data of the send. */
export type Manner = 'prompt' | 'slow' | 'flaky'

/** Leases are renewed after a third of their time, and looked at nine times in it. */
const SLOW_SHARE = 1 / 2

/** A slow reply comes after the lease of its message was renewed. */
export async function startProvider(ledger: Ledger, leaseMs: number): Promise<Recorder> {
  const acceptedKeys = new Set<string>()
  const recorder = await startRecorder()
  recorder.answer(
    () => true,
    ({ body, at }) => {
      const { messageId, data } = JSON.parse(body) as { messageId: string; data: { send: number; manner: Manner } }
      // Only the first time: a message that is slow in many short processes would be dead-lettered as the cause of their crashes.
      const first = !acceptedKeys.has(messageId)
      acceptedKeys.add(messageId)
      const status = first && data.manner === 'flaky' ? 500 : 200
      const delayMs = first && data.manner === 'slow' ? leaseMs * SLOW_SHARE : 0
      ledger.receipts.push({ send: data.send, messageId, at, status, replied: at + delayMs })
      return { status, delayMs }
    },
  )
  return recorder
}
