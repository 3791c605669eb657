/**
 * A limit of ten calls a second holds for two nodes together, and is used up, while far more messages wait.
 * @module-tag safety
 */
import { expect, test } from 'vitest'
import { clientOf, openApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { inTime } from '../support/in-time.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { integrate, publish } from './templates.ts'

const PER_SECOND = 10
const SECONDS = 60

test('two nodes make 10 ± 1 calls a second over a minute', async () => {
  const env = await databaseEnvironment()
  const peer = await startRecorder()
  const apps = [await openApp({ env }), await openApp({ env })]
  const [first] = apps
  const { client, apiKey } = first!
  await integrate(client, { provider: 'webhook', settings: { url: peer.url }, limits: { per_second: PER_SECOND } })
  await publish(client, 'paced', { channels: ['webhook'] })
  for (let n = 0; n < PER_SECOND * (SECONDS + 10); n += 1)
    await clientOf(apps[n % 2]!.url, apiKey).send({ event: 'paced', recipient: `r${n}` })
  const calls = await peer.waitForCount(PER_SECOND * (SECONDS + 5))
  const [{ at: start }] = calls as [(typeof calls)[number]]
  const within = (from: number, ms: number) => calls.filter(({ at }) => at >= from && at < from + ms).length
  const total = within(start, SECONDS * 1_000)
  const received = calls.map(({ headers }) => headers['webhook-id'])
  expect(new Set(received).size).toBe(received.length)
  inTime(() => {
    expect(total).toBeGreaterThanOrEqual((PER_SECOND - 1) * SECONDS)
    // Calls that are due while a process is stalled start together afterwards: within seconds they come closer.
    expect(total).toBeLessThanOrEqual((PER_SECOND + 1) * SECONDS)
    for (const { at } of calls) expect(within(at, 10_000)).toBeLessThanOrEqual(10 * (PER_SECOND + 1))
  })
  await Promise.all([...apps.map((app) => app.stop()), peer.close()])
})
