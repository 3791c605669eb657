/** Bulk messages use what other lanes leave: most slots of their integration while nothing else is sent, few beside single sends. */
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, clientOf, settled, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { inForce, integrate, publish } from './templates.ts'

const SECOND = 1_000
const ALONE = 768
const BESIDE = 128
/** Less room than this is not used until there is more. */
const STEP_MIN = 64
/** More than two nodes take at a time. */
const USERS = 2_000

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  let env: Record<string, string>
  // Time stands still: what has happened within the last second is what the test has sent.
  const clock = { time: Date.now(), now: () => clock.time }

  beforeAll(async () => {
    env = await databaseEnvironment()
    ;[app, peer] = await Promise.all([open({ env, clock }), startRecorder()])
    client = app.client
    await integrate(client, { provider: 'webhook' })
    await publish(client, 'greeting', { channels: ['webhook'] })
  })
  afterAll(() => peer.close())

  const calls = (path: string) => peer.all.filter((request) => request.path === path)
  const jobFor = async (path: string, users: number) => {
    const profile = { webhook: { url: `${peer.url}${path}` } }
    const { jobId } = await client.bulk.create({ message: { event: 'greeting' } })
    const all = Array.from({ length: users }, (_, n) => ({ recipient: `${path.slice(1)}-${n}`, profile }))
    for (let from = 0; from < users; from += 1_000)
      await client.bulk.ingest(jobId, { users: all.slice(from, from + 1_000) })
    await client.bulk.run(jobId)
    return jobId
  }
  /** The calls in progress when no more messages are made: each of those that were made is being called. */
  const callsInProgress = async (path: string, jobId: string, earlier: number, least: number) => {
    const counts = await until(
      async () => ({
        made: (await client.bulk.get(jobId)).job.enqueued - earlier,
        called: calls(path).length - earlier,
      }),
      ({ made, called }) => made === called && called >= least,
    )
    return counts.called
  }
  const send = async (path: string) =>
    (
      await client.send({
        message: {
          to: { user_id: 'ada', webhook: { url: `${peer.url}${path}` } },
          content: { body: 'Hi' },
          routing: { method: 'single', channels: ['webhook'] },
        },
      })
    ).requestId

  test('alone, most slots; then a single send passes, and few from then on until a second without any', async () => {
    const first = peer.hold('/many')
    const jobId = await jobFor('/many', USERS)
    const earlier = await callsInProgress('/many', jobId, 0, ALONE - STEP_MIN + 1)
    expect(earlier).toBeLessThanOrEqual(ALONE)

    // Its integration is the same, and every call of the job hangs.
    expect(await settled(client, await send('/single'))).toMatchObject({ status: 'DELIVERED' })
    const second = peer.hold('/many')
    first()
    expect(await callsInProgress('/many', jobId, earlier, BESIDE)).toBe(BESIDE)

    clock.time += SECOND
    expect(await callsInProgress('/many', jobId, earlier, ALONE - STEP_MIN + 1)).toBeLessThanOrEqual(ALONE)
    peer.answer('/many', {})
    second()
    await until(
      () => client.requests.get(jobId),
      ({ statuses }) => statuses.some(({ status, count }) => status === 'DELIVERED' && count === USERS),
    )
    expect(calls('/many')).toHaveLength(USERS)
  })

  test('two nodes share a job, each with as many as it has room for', async () => {
    const other = await open({ env, clock })
    await inForce(clientOf(other.url, app.apiKey), await integrate(client, { provider: 'webhook' }))
    clock.time += SECOND
    const release = peer.hold('/shared')
    const jobId = await jobFor('/shared', USERS)
    const shared = await callsInProgress('/shared', jobId, 0, 2 * (ALONE - STEP_MIN + 1))
    expect(shared).toBeLessThanOrEqual(2 * ALONE)
    release()
    await until(
      () => client.requests.get(jobId),
      ({ statuses }) => statuses.some(({ status, count }) => status === 'DELIVERED' && count === USERS),
    )
    expect(calls('/shared')).toHaveLength(USERS)
  })
})
