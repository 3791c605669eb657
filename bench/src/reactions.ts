/** How soon Postrider reacts, each time measured often with nothing else to do: tests only see that it does. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type InlineRouting, Postrider } from '@postrider/client'
import { lockFolder } from '@postrider/server/internal/database/local/data-folder'
import { freePort } from '@postrider/test/support/free-port'
import { type Recorder, startRecorder } from '@postrider/test/support/peers/recorder'
import { openDatabases, type Place, startServer } from './databases.ts'
import type { Bench, Figures } from './measure.ts'
import { pauseBesideBodies, systemBesideLock, timeBeyondLimit } from './obstacles.ts'
import { groupMemory } from './processes.ts'
import { apiKey, startProduct } from './product.ts'
import { quantile } from './statistics.ts'

const TIMES = 20
/** Those that take seconds each, or failures: with more of them the circuit breaker opens. */
const FEW_TIMES = 5
/** More than all delivery slots together. */
const HANGING = 1_400
const POLL_MS = 5
const EVENT = 'reaction'

const content = { title: 'A title', body: 'A body' }
const text: { content: typeof content; routing: InlineRouting } = {
  content,
  routing: { method: 'single', channels: ['sms'] },
}

export async function reactions(bench: Bench): Promise<Figures> {
  const place = await bench.databases.copy()
  const product = await startProduct(place, bench.port)
  const peers = [await startRecorder(), await startRecorder(), await startRecorder()] as const
  const [first, second, texts] = peers
  try {
    const client = clientAt(bench.port)
    await setUp(client, [first, second], texts)
    const figures = {
      ...shown('due', await dueTimes(client, first)),
      ...shown('retry', await retryTimes(client, texts)),
      ...shown('failover', await failoverTimes(client, first, second)),
      ...shown('member', await memberTimes(client)),
      ...shown('headers', await headerTimes(bench.port)),
      ...shown('dripping', await Promise.all(Array.from({ length: TIMES }, timeBeyondLimit))),
      ...shown('bodies', await repeated(FEW_TIMES, () => pauseBesideBodies(product))),
      ...shown('beside', await besideHangingTimes(client, first, texts)),
    }
    const { storage } = place
    if ('dataDir' in storage)
      return {
        ...figures,
        ...shown('folder', await folderTimes(storage.dataDir)),
        ...shown('gone', await databaseGoneTimes(bench)),
      }
    return {
      ...figures,
      ...shown('locked', await repeated(FEW_TIMES, () => systemBesideLock(product, storage.url))),
      ...shown('revoked', await revokedTimes(client, place)),
      ...shown('back', await databaseBackTimes(bench)),
    }
  } finally {
    await Promise.all(peers.map((peer) => peer.close()))
    await product.stop()
  }
}

/** Webhooks go to the first, and to the second when that fails; text messages to a peer of their own. */
async function setUp(client: Postrider, webhooks: readonly Recorder[], texts: Recorder): Promise<void> {
  for (const [priority, { url }] of webhooks.entries())
    await client.providers.create({ provider: 'webhook', priority, settings: { url } })
  const account = { accountSid: 'AC1', authToken: 'token', from: '+12025550100' }
  await client.providers.create({ provider: 'twilio', settings: { ...account, baseUrl: texts.url } })
  const routing: InlineRouting = { method: 'single', channels: ['webhook'] }
  const notification = { name: EVENT, content, routing }
  const { id } = await client.notifications.create({ notification, state: 'PUBLISHED' })
  await client.events.put(EVENT, { id, type: 'notification' })
}

const clientAt = (port: number) => new Postrider({ apiKey, baseUrl: `http://127.0.0.1:${port}` })

const shown = (name: string, times: number[]): Figures => ({
  [`${name} p50`]: quantile(times, 0.5),
  [`${name} max`]: Math.max(...times),
})

/** Milliseconds until it holds. */
async function timeUntil(holds: () => Promise<boolean> | boolean): Promise<number> {
  const began = performance.now()
  while (!(await holds())) await pause(POLL_MS)
  return performance.now() - began
}

async function repeated(times: number, act: (n: number) => Promise<number>): Promise<number[]> {
  const results: number[] = []
  for (let n = 0; n < times; n += 1) results.push(await act(n))
  return results
}

const arrival = (peer: Recorder, messageId: string) => peer.waitFor(({ body }) => body.includes(messageId))

/** After the time that a message was delayed until. */
const dueTimes = (client: Postrider, peer: Recorder) =>
  repeated(TIMES, async (n) => {
    const due = Date.now() + 1_000
    const delay = { until: new Date(due).toISOString() }
    const { messageId } = await client.send({ event: EVENT, recipient: `due-${n}`, delay })
    return (await arrival(peer, messageId)).at - due
  })

/** After the time that the history of the message names. */
const retryTimes = (client: Postrider, peer: Recorder) =>
  repeated(FEW_TIMES, async (n) => {
    const to = { phone_number: `+1202555010${n}` }
    const calls = () => peer.all.filter(({ body }) => body.includes(to.phone_number.slice(1)))
    peer.answer(() => true, { status: 201, body: { sid: 'SM1' } })
    peer.answer(() => true, { status: 500 }, 1)
    const { requestId } = await client.send({ message: { to, ...text } })
    await timeUntil(() => calls().length === 2)
    const { results } = await client.messages.history(requestId, { type: 'DELIVERING' })
    return Math.max(...calls().map(({ at }) => at)) - (results[0] as { next_attempt_at: number }).next_attempt_at
  })

/** From the call that fails to the call of the next integration. */
const failoverTimes = (client: Postrider, first: Recorder, second: Recorder) =>
  repeated(FEW_TIMES, async (n) => {
    first.answer(({ body }) => body.includes(`failover-${n}-`), { status: 500 }, 1)
    const { messageId } = await client.send({ event: EVENT, recipient: `failover-${n}-` })
    const before = await arrival(first, messageId)
    return (await arrival(second, messageId)).at - before.at
  })

/** From the reply to the write of a profile until it is, or is no longer, a member. */
async function memberTimes(client: Postrider): Promise<number[]> {
  await client.audiences.put('engineers', { filter: { operator: 'EQ', path: 'title', value: 'Engineer' } })
  return repeated(TIMES, async (n) => {
    const isEngineer = n % 2 === 0
    await client.profiles.replace('ada', { profile: { title: isEngineer ? 'Engineer' : 'Writer' } })
    return timeUntil(async () => (await client.audiences.members('engineers')).items.length > 0 === isEngineer)
  })
}

/** From the first byte of headers that never end until the connection is closed. */
const headerTimes = (port: number) =>
  Promise.all(
    Array.from({ length: FEW_TIMES }, async () => {
      const began = performance.now()
      const socket = connect(port, '127.0.0.1').resume()
      socket.write('GET /livez HTTP/1.1\r\n')
      await once(socket, 'close')
      return performance.now() - began
    }),
  )

/** From the reply to the revocation at one node until another one refuses the key. */
async function revokedTimes(client: Postrider, place: Place): Promise<number[]> {
  const port = await freePort()
  const other = await startProduct(place, port)
  try {
    return await repeated(TIMES, async (n) => {
      const { id, key } = await client.keys.create({ name: `revoked-${n}` })
      const statusOf = async () => {
        const reply = await fetch(`http://127.0.0.1:${port}/events`, { headers: { authorization: `Bearer ${key}` } })
        await reply.arrayBuffer()
        return reply.status
      }
      if ((await statusOf()) !== 200) throw new Error('The other node refuses a new key')
      await client.keys.revoke(id)
      return timeUntil(async () => (await statusOf()) === 401)
    })
  } finally {
    await other.stop()
  }
}

/** From the start of a PostgreSQL that crashed until the service is ready and accepts a send. */
async function databaseBackTimes({ version }: Bench): Promise<number[]> {
  const server = await startServer()
  const databases = await openDatabases(version, server)
  const port = await freePort()
  const product = await startProduct(await databases.empty(), port)
  const isOk = (path: string, body?: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body }),
    }).then(async (reply) => (await reply.arrayBuffer()) && reply.ok)
  const send = JSON.stringify({ event: EVENT, recipient: 'ada' })
  try {
    return await repeated(FEW_TIMES, async () => {
      await server.restart('immediate', async () => {
        await timeUntil(async () => !(await isOk('/send', send)))
      })
      return timeUntil(async () => (await isOk('/readyz')) && (await isOk('/send', send)))
    })
  } finally {
    await product.stop()
    await databases.close()
    await server.stop()
  }
}

/** Until a data folder that a live process uses is refused. */
const folderTimes = (folder: string) =>
  repeated(TIMES, async () => {
    const began = performance.now()
    const refused = await lockFolder(folder).then(
      () => false,
      () => true,
    )
    if (!refused) throw new Error('A folder in use was taken')
    return performance.now() - began
  })

/** From a kill until no process of the local database is left. */
const databaseGoneTimes = (bench: Bench) =>
  repeated(FEW_TIMES, async () => {
    const place = await bench.databases.copy()
    const product = await startProduct(place, await freePort())
    await product.stop('SIGKILL')
    return timeUntil(() => Number.isNaN(groupMemory({ commandPart: place.commandPart })))
  })

/** From the call to the provider's receipt, while calls of another provider hang. */
async function besideHangingTimes(client: Postrider, peer: Recorder, hanging: Recorder): Promise<number[]> {
  hanging.answer(() => true, { instead: 'hang' })
  const message = { to: { phone_number: '+12025550143' }, ...text }
  await Promise.all(Array.from({ length: HANGING }, () => client.send({ message })))
  // Messages that got neither a slot nor a place to wait for one: every slot that they may have is taken.
  await timeUntil(async () => (await client.messages.list({ status: ['ROUTED'] })).results.length > 0)
  return repeated(5 * TIMES, async (n) => {
    const called = Date.now()
    const { messageId } = await client.send({ event: EVENT, recipient: `beside-${n}` })
    return (await arrival(peer, messageId)).at - called
  })
}
