/**
 * A dead primary under load, with three processes: at most twenty calls, then one probe for each wait, and nothing is
 * lost or late.
 * @module-tag safety
 */
import { Postrider } from '@postrider/client'
import { expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { inTime } from '../support/in-time.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { startServer } from '../support/process.ts'
import { until, untilTime } from '../support/until.ts'
import { integrate, publish } from '../system/templates.ts'

const NODES = 3
/** As much as this process can send and receive on two cores that others use, too. */
const PER_SECOND = 60
const HEALTHY = 60
const DEAD_S = 25
/** The least that a circuit breaker waits before a probe, in milliseconds; twice as long before each further one. */
const WAIT_MS = 8_000
const API_KEY = `pk_prod_${'k'.repeat(40)}`

test.each([
  ['answers 503', { status: 503 }],
  ['cuts connections', { instead: 'reset' as const }],
])('a primary that %s costs twenty calls, and its messages go by the other', async (_name, script) => {
  const [primary, secondary] = [await startRecorder(), await startRecorder()]
  const env = { ...(await databaseEnvironment()), POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true', POSTRIDER_API_KEY: API_KEY }
  const servers = []
  for (let n = 0; n < NODES; n += 1) servers.push(await startServer({ env: { ...env, POSTRIDER_LOG_LEVEL: 'warn' } }))
  try {
    const clients = servers.map(({ url }) => new Postrider({ baseUrl: url, apiKey: API_KEY, retries: 3 }))
    const client = clients[0]!
    const hook = (url: string, priority: number) =>
      integrate(client, { provider: 'webhook', priority, settings: { url } })
    const first = await hook(primary.url, 1)
    await hook(secondary.url, 2)
    await publish(client, 'load', { channels: ['webhook'] })

    // By the primary: messages it took, and calls that it failed.
    const taken = new Map<string, number>()
    const failed: number[] = []
    primary.answer(
      () => true,
      ({ body, at }) => {
        taken.set(JSON.parse(body).messageId, at)
        return {}
      },
    )
    const acceptedAt = new Map<string, number>()
    const sends: Promise<void>[] = []
    const load = async (seconds: number) => {
      const start = Date.now()
      for (let sent = 0; sent < seconds * PER_SECOND; sent += 1) {
        await untilTime(start + (sent * 1_000) / PER_SECOND)
        const at = Date.now()
        const accepted = clients[sent % NODES]!.send({ event: 'load', recipient: `r${sent}` })
        sends.push(accepted.then(({ messageId }) => void acceptedAt.set(messageId, at)))
      }
    }
    // One after the other: calls that were in progress at a time before it died would come on top.
    for (let sent = 0; sent < HEALTHY; sent += 1) {
      const { messageId } = await clients[sent % NODES]!.send({ event: 'load', recipient: `h${sent}` })
      acceptedAt.set(messageId, Date.now())
      await primary.waitForCount(sent + 1)
    }
    primary.answer(
      () => true,
      () => {
        failed.push(Date.now())
        return script
      },
    )
    await load(DEAD_S)
    await Promise.all(sends)
    const { circuit_breaker: breaker } = await client.providers.get(first.id)
    const openedAt = breaker?.since ?? Number.NaN
    const calls = [...failed]

    const received = () => {
      const bySecondary = secondary.all.map(
        (request) => [JSON.parse(request.body).messageId as string, request.at] as const,
      )
      return new Map([...taken, ...bySecondary])
    }
    // A webhook that cuts connections may have taken the message: the other has its turn after five minutes only.
    const inDoubt = 'instead' in script ? 20 : 0
    const { waiting } = await until(
      () => client.metrics.summary(),
      (summary) => summary.waiting <= inDoubt,
    )
    expect(received().size).toBeGreaterThanOrEqual(acceptedAt.size - waiting)
    const probes = calls.filter((at) => at >= openedAt + WAIT_MS)
    expect(probes.length).toBeGreaterThan(0)
    // Each wait begins after the probe before it: since the breaker opened, a late arrival is never too early.
    for (const [n, at] of probes.entries()) expect(at - openedAt).toBeGreaterThanOrEqual(WAIT_MS * (2 ** (n + 1) - 1))
    expect(calls.length).toBeGreaterThan(probes.length)
    expect(calls.length - probes.length).toBeLessThanOrEqual(20)
    const delays = [...received()].map(([id, at]) => at - (acceptedAt.get(id) ?? at)).sort((a, b) => a - b)

    primary.answer(() => true, {})
    const back = await client.providers.update(first.id, { provider: 'webhook', enabled: true })
    expect(back.circuit_breaker).toEqual({ state: 'closed' })
    const before = primary.all.length
    await load(2)
    await Promise.all(sends)
    await until(
      async () => primary.all.length - before,
      (count) => count >= 2 * PER_SECOND,
    )
    const p95 = delays[Math.floor(delays.length * 0.95)] ?? 0
    inTime(() => expect(p95).toBeLessThanOrEqual(6_000))
  } finally {
    for (const server of servers) server.kill('SIGKILL')
    await Promise.all([primary.close(), secondary.close()])
  }
})
