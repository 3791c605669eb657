/** The outcome of a bulk job, followed until it is interrupted. */
import { Postrider } from '@postrider/client'
import { expect, test } from 'vitest'
import { terminal } from '../../../terminal.ts'
import { awaitOutcome } from './outcome.ts'

test('an interruption while a job is followed says that the job goes on', async () => {
  const stopping = new AbortController()
  const client = new Postrider({
    apiKey: 'key',
    fetch: async () => {
      setImmediate(() => stopping.abort())
      return Response.json({ job: { definition: {}, status: 'PROCESSING', received: 2, enqueued: 1, failures: 0 } })
    },
  })
  const silent = { write: () => undefined }
  const quiet = terminal({ json: false, color: false, out: silent, err: silent })
  await expect(awaitOutcome(client, '1-ab', quiet, 600, stopping.signal)).rejects.toMatchObject({
    message: 'Stopped',
    hint: 'The job is still running in the background. To check it: postrider bulk show 1-ab',
  })
})
