/** Fastify and pg-boss, on the PostgreSQL that has the outcomes as well. */
import PgBoss from 'pg-boss'
import { serve } from './serve.js'

const NAME = 'messages'
/** Each takes as many jobs as allowed and polls twice a second, the shortest interval of pg-boss. */
const WORKERS = 8
const BATCH = 250

serve(async (deliver, url) => {
  const boss = new PgBoss({ connectionString: url, max: 20 })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  await boss.createQueue(NAME)
  for (let n = 0; n < WORKERS; n += 1)
    await boss.work(NAME, { batchSize: BATCH, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      await Promise.all(jobs.map(deliver))
    })
  const retries = { retryLimit: 5, retryBackoff: true }
  return {
    async add(data, delayMs) {
      return String(await boss.send(NAME, data, { ...retries, ...(delayMs > 0 && { startAfter: delayMs / 1_000 }) }))
    },
    close: () => boss.stop({ graceful: false }),
  }
})
