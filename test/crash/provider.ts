/** The recording provider: takes most messages, is slow or refuses the first time with some, and writes down each arrival. */
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import type { Ledger } from './ledger.ts'

/** How the provider treats a message, set by the data of the send. */
export type Manner = 'prompt' | 'slow' | 'flaky'

/** Long enough for a lease of 3 s to be renewed, short enough that an attempt in flight at a crash started just before. */
const SLOW_MS = 1_400

export async function startProvider(ledger: Ledger): Promise<Recorder> {
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
      ledger.receipts.push({ send: data.send, messageId, at, status })
      return { status, ...(first && data.manner === 'slow' && { delayMs: SLOW_MS }) }
    },
  )
  return recorder
}
