/** The product as its users start it: the command, in a process of its own, set up through its API. */
import { spawn } from 'node:child_process'
import { get } from 'node:http'
import { Postrider } from '@postrider/client'
import type { Place } from './databases.ts'
import type { Bench } from './measure.ts'
import type { Ports } from './peers/peers.ts'
import { groupCpuMicroseconds, type ProcessGroup } from './processes.ts'
import { content } from './sample.ts'

export interface Product {
  pid: number
  /** The server with the processes of its database. */
  processes: ProcessGroup
  port: number
  /** From the start of the process until `/readyz` said yes. */
  readyMs: number
  /** CPU of all processes until then, in ms; a PostgreSQL server that ran before is not part of it. */
  readyCpuMs: number
  stop(signal?: NodeJS.Signals): Promise<void>
}

export const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
export const events = { webhook: 'bench-webhook', mail: 'bench-mail', batch: 'bench-batch' } as const

/** As in `npm start`. A message lives for tens of milliseconds: with the default of 16 MB most of them are copied twice. */
export const NODE_FLAGS = ['--max-semi-space-size=32']
const READY_TIMEOUT_MS = 120_000

export interface StartOptions {
  profileDir?: string | undefined
  /** Called as soon as there is a process. */
  spawned?(processes: ProcessGroup): void
}

export async function startProduct(place: Place, port: number, options: StartOptions = {}): Promise<Product> {
  const { profileDir } = options
  const profiling = profileDir ? ['--cpu-prof', '--cpu-prof-dir', profileDir] : []
  const { commandPart } = place
  const cpuBefore = groupCpuMicroseconds({ commandPart })
  const begin = performance.now()
  const child = spawn(process.execPath, [...NODE_FLAGS, ...profiling, place.version.command, 'serve'], {
    env: {
      PATH: process.env.PATH,
      ...place.env,
      POSTRIDER_PORT: String(port),
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
      POSTRIDER_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', profileDir ? 'inherit' : 'ignore'],
  })
  const pid = child.pid ?? 0
  const processes = { pid, commandPart }
  options.spawned?.(processes)
  const endIt = () => child.kill('SIGKILL')
  process.once('exit', endIt)
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      process.off('exit', endIt)
      resolve()
    }),
  )
  while (!(await isReady(port))) {
    if (child.exitCode !== null || performance.now() - begin > READY_TIMEOUT_MS)
      throw new Error('The product did not start')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const readyMs = performance.now() - begin
  return {
    pid,
    processes,
    port,
    readyMs,
    readyCpuMs: (groupCpuMicroseconds(processes) - cpuBefore) / 1_000,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await ended
    },
  }
}

/** One notification by webhook, one by SMTP, and one by an API that takes several mails in a call, each to its sink. */
export async function setUp({ port }: Product, sinks: Ports): Promise<void> {
  const client = new Postrider({ apiKey, baseUrl: `http://127.0.0.1:${port}` })
  const webhook = await client.providers.create({
    provider: 'webhook',
    settings: { url: `http://127.0.0.1:${sinks.http}/hook` },
  })
  await client.providers.create({
    provider: 'smtp',
    settings: { host: '127.0.0.1', port: sinks.smtp, security: 'opportunistic', fromAddress: 'shop@example.com' },
  })
  await client.providers.create({
    provider: 'postmark',
    settings: { serverToken: 'token', fromAddress: 'shop@example.com', baseUrl: `http://127.0.0.1:${sinks.http}` },
  })
  const ways = [
    { event: events.webhook, channel: webhook.channel },
    { event: events.mail, channel: 'smtp' as const },
    { event: events.batch, channel: 'postmark' as const },
  ]
  for (const { event, channel } of ways) {
    const notification = { name: event, content, routing: { method: 'single' as const, channels: [channel] } }
    const { id } = await client.notifications.create({ notification, state: 'PUBLISHED' })
    await client.events.put(event, { id, type: 'notification' })
  }
}

/** A product on a fresh copy of the schema, set up, for as long as it is used. */
export async function withProduct<T>(bench: Bench, use: (product: Product) => Promise<T>): Promise<T> {
  const product = await startProduct(await bench.databases.copy(), bench.port, bench)
  try {
    await setUp(product, bench.sinks)
    return await use(product)
  } finally {
    await product.stop()
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', timeout: 2_000, agent: false }, (reply) => {
      reply.resume()
      resolve(reply.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}
