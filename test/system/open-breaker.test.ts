/**
 * Messages that wait for an open circuit breaker, on two nodes: a repair of the integration sends them at once, and so do
 * good probes, long before their own next try.
 */
import type { Integration, Postrider } from '@postrider/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clientOf, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { type Recorder, type Script, startRecorder } from '../support/peers/recorder.ts'
import { until, untilTime } from '../support/until.ts'
import { integrate } from './templates.ts'

const MINUTE = 60_000

withApp((open) => {
  let nodes: Postrider[]
  let client: Postrider
  let peer: Recorder
  let engine: Awaited<ReturnType<typeof engineOn>>
  let first: Integration
  let second: Integration

  const REFUSED = { status: 401, body: { errors: [{ message: 'The key is invalid' }] } }
  const answer = (title: string, script: Script) => peer.answer(`/${title}/v3/mail/send`, script)
  const mail = (title: string, priority: number) =>
    integrate(client, {
      ...{ provider: 'sendgrid', title, priority },
      settings: { apiKey: 'SG.x', fromAddress: 'hello@example.com', baseUrl: `${peer.url}/${title}` },
    })

  beforeAll(async () => {
    const env = await databaseEnvironment()
    peer = await startRecorder()
    const apps = [await open({ env }), await open({ env })] as const
    nodes = apps.map(({ url }) => clientOf(url, apps[0].apiKey))
    client = apps[0].client
    engine = await engineOn(env.POSTRIDER_DATABASE_URL)
    first = await mail('first', 1)
    second = await mail('second', 2)
    // Its creation counts as a repair of what is tried within two seconds of it.
    await untilTime(second.created + 2_500)
  })
  afterAll(() => Promise.all([peer.close(), engine.close()]))

  let count = 0
  const send = async () => {
    count += 1
    const user = `user-${count}`
    const { requestId } = await nodes[count % 2]!.send({
      message: {
        to: { user_id: user, email: `${user}@example.com` },
        content: { title: 'Hello', body: 'Hello' },
        routing: { method: 'single', channels: ['email'] },
      },
    })
    return requestId
  }
  const repair = ({ id, title }: Integration, node = client) =>
    node.providers.update(id, { provider: 'sendgrid', title: title ?? '', settings: { apiKey: 'SG.y' } })
  const sent = (id: string) =>
    until(
      () => client.messages.get(id),
      ({ status }) => status === 'SENT',
    )
  /** The message when its next try is minutes away, because a circuit breaker is open. */
  const waiting = (id: string) =>
    until(
      () => client.messages.get(id),
      ({ retry, enqueued }) =>
        retry?.error?.includes('Circuit breaker open') === true && retry.next_attempt_at > enqueued + 10 * MINUTE,
    )
  const breakerOf = async ({ id }: Integration) => (await client.providers.get(id)).circuit_breaker?.state
  /** As after many failed probes; with a negative time as long afterwards. */
  const putOffProbe = async ({ id }: Integration, ms: number) => {
    const { affected } = await engine.run({
      text: 'update integration_breakers set probe_at = probe_at + $2::bigint, revision = revision + 1 where integration_id = $1',
      values: [id, ms],
    })
    expect(affected).toBe(1)
  }
  const allWaiting = async (number: number) => {
    const ids = await Promise.all(Array.from({ length: number }, send))
    for (const id of ids) await waiting(id)
    return ids
  }
  const calls = (title: string) => peer.all.filter(({ path }) => path === `/${title}/v3/mail/send`).length

  beforeEach(() => {
    for (const title of ['first', 'second']) answer(title, REFUSED)
  })

  const sentBy = async (id: string, { id: integration }: Integration) =>
    expect((await sent(id)).providers).toContainEqual(expect.objectContaining({ integration, status: 'SENT' }))
  const opened = (...integrations: Integration[]) =>
    until(
      async () => {
        await send()
        return Promise.all(integrations.map(breakerOf))
      },
      (states) => states.every((state) => state === 'open'),
    )

  test('a repair sends what waits at once, on both nodes, also a message that has failed over to one that waits, too', async () => {
    for (const title of ['first', 'second']) answer(title, { status: 503 })
    const failedOver = await send()
    await until(
      () => client.messages.get(failedOver),
      ({ retry }) => retry?.integration === second.id,
    )
    for (const title of ['first', 'second']) answer(title, REFUSED)
    await opened(first, second)
    await putOffProbe(first, 15 * MINUTE)
    await putOffProbe(second, 15 * MINUTE)
    const ids = [...(await allWaiting(6)), failedOver]
    await waiting(failedOver)
    const before = calls('second')
    answer('first', { status: 202 })
    await repair(first, nodes[1])
    for (const id of ids) await sentBy(id, first)
    expect(calls('second')).toBe(before)
  })

  test('a repair ends the wait for a retry that is minutes away', async () => {
    answer('first', { status: 503, headers: { 'retry-after': '900' } })
    const id = await send()
    await waiting(id)
    answer('first', { status: 202 })
    await repair(first)
    await sentBy(id, first)
    const { results } = await client.messages.history(id, { type: 'RELEASED' })
    expect(results).toMatchObject([{ cause: 'repair', integration_id: first.id }])
  })

  test('good probes send what waits, long before its next try', async () => {
    await opened(first)
    await putOffProbe(first, 15 * MINUTE)
    const ids = await allWaiting(6)
    answer('first', { status: 202 })
    await putOffProbe(first, -20 * MINUTE)
    // New messages are the probes.
    await until(
      async () => {
        await send()
        return breakerOf(first)
      },
      (state) => state === 'closed',
    )
    for (const id of ids) await sentBy(id, first)
  })

  test('a repair sends what is held, on both nodes', async () => {
    await client.settings.update({ hold_misconfigured: true })
    await opened(first)
    await putOffProbe(first, 15 * MINUTE)
    const ids = await Promise.all(Array.from({ length: 6 }, send))
    for (const id of ids)
      await until(
        () => client.messages.get(id),
        ({ status }) => status === 'HELD',
      )
    answer('first', { status: 202 })
    await repair(first, nodes[1])
    for (const id of ids) await sentBy(id, first)
  })
})
