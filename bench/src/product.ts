/** The product as its users start it: the command, in a process of its own, set up through its API. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Postrider } from '@postrider/client'
import type { Place } from './places.ts'
import { content } from './sample.ts'
import type { Ports } from './world/world.ts'

export interface Product {
  port: number
  /** From the start of the process until `/readyz` said yes. */
  readyMs: number
  memory(): Memory
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Memory {
  /** Proportional share of the process, now, in MB. */
  now: number
  /** Highest resident size since it started, in MB. */
  highest: number
}

export const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
export const events = { webhook: 'bench-webhook', mail: 'bench-mail' } as const

const COMMAND = fileURLToPath(new URL('../../cli/dist/postrider.js', import.meta.url))
const READY_TIMEOUT_MS = 120_000

export async function startProduct(place: Place, port: number, profileDir?: string): Promise<Product> {
  const profiling = profileDir ? ['--cpu-prof', '--cpu-prof-dir', profileDir] : []
  const begin = performance.now()
  const child = spawn(process.execPath, [...profiling, COMMAND, 'serve'], {
    env: {
      PATH: process.env.PATH,
      ...place.env,
      POSTRIDER_PORT: String(port),
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
      POSTRIDER_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!(await isReady(port))) {
    if (child.exitCode !== null || performance.now() - begin > READY_TIMEOUT_MS)
      throw new Error('The product did not start')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const readyMs = performance.now() - begin
  return {
    port,
    readyMs,
    memory: () => memoryOf(child.pid ?? 0),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await ended
    },
  }
}

/** One notification by webhook and one by mail, each to its sink. */
export async function setUp({ port }: Product, sinks: Ports): Promise<void> {
  const client = new Postrider({ apiKey, baseUrl: `http://127.0.0.1:${port}` })
  const webhook = await client.providers.create({
    provider: 'webhook',
    settings: { url: `http://127.0.0.1:${sinks.http}/hook` },
  })
  const mail = await client.providers.create({
    provider: 'smtp',
    settings: { host: '127.0.0.1', port: sinks.smtp, security: 'opportunistic', fromAddress: 'shop@example.com' },
  })
  const ways = [
    { event: events.webhook, channel: webhook.channel },
    { event: events.mail, channel: mail.channel },
  ]
  for (const { event, channel } of ways) {
    const notification = { name: event, content, routing: { method: 'single' as const, channels: [channel] } }
    const { id } = await client.notifications.create({ notification, state: 'PUBLISHED' })
    await client.events.put(event, { id, type: 'notification' })
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

/** Linux only; elsewhere the figures are not known. */
function memoryOf(pid: number): Memory {
  const read = (file: string, name: string) => {
    try {
      const line = new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))
      return Number(line?.[1]) / 1_024
    } catch {
      return Number.NaN
    }
  }
  return { now: read('smaps_rollup', 'Pss'), highest: read('status', 'VmHWM') }
}
