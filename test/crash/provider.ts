/** The recording provider: takes most messages, is slow with some, refuses others once, and writes down each arrival. */
import { type Recorder, startRecorder } from '../support/recorder.ts'
import type { Ledger } from './ledger.ts'

/** What the data of a send asks of the provider. */
export type Manner = 'prompt' | 'slow' | 'flaky'

/** Long enough for a lease of 3 s to be renewed, short enough that an attempt in flight at a death began just before. */
const SLOW_MS = 1_400

export async function startProvider(ledger: Ledger): Promise<Recorder> {
  const refused = new Set<string>()
  const recorder = await startRecorder()
  recorder.answer(
    () => true,
    ({ body, at }) => {
      const { messageId, data } = JSON.parse(body) as { messageId: string; data: { send: number; manner: Manner } }
      const refuses = data.manner === 'flaky' && !refused.has(messageId)
      if (refuses) refused.add(messageId)
      const status = refuses ? 500 : 200
      ledger.receipts.push({ send: data.send, messageId, at, status })
      return { status, ...(data.manner === 'slow' && { delayMs: SLOW_MS }) }
    },
  )
  return recorder
}
