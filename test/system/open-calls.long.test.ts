/** The cost of callers without a key: the processor time of each open operation with the largest body it takes, and how long others wait meanwhile. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { bodyMaxOf, type Operation, operations } from '@postrider/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { inTime } from '../support/in-time.ts'
import { callbackReaders, signedTokens } from '../support/open-calls.ts'
import { runQueueMs, watchPings } from '../support/pings.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { secretKey } from '../support/recording-app.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
const KEY = Buffer.alloc(32, 7)
const CALLS = 20
const AT_ONCE = 50
const CPU_MS_MAX = 20
const PING_MS_MAX = 250

/** Bodies consist of these, after a beginning: parsers of JSON, forms and mails take longest for them. */
const units: readonly [begin: string, unit: string][] = [
  ['', '['],
  ['', '{"a":'],
  ['[', '[],'],
  ['[', '{"a":1},'],
  ['[', '1,'],
  ['{"a":"', '\\n'],
  ['', 'a=&'],
  ['', '%5B'],
  ['', 'topic=a&'],
  ['', '\n'],
]
const filled = ([begin, unit]: readonly [string, string], bytes: number) =>
  begin + unit.repeat(Math.floor((bytes - begin.length) / unit.length))
const guides = ['guides', 'providers', 'plain', 'reference.js', 'style.css', 'order.png', 'no-such-guide']

interface Call {
  method: string
  path: string
  body?: string
}

const open: readonly Operation[] = operations.filter(({ access }) => access === 'open')

let server: ServerProcess
let tokens: Record<string, string>

beforeAll(async () => {
  const env = { POSTRIDER_API_KEY: apiKey, POSTRIDER_SECRET_KEY: KEY.toString('base64') }
  server = await startServer({ env: { ...(await databaseEnvironment()), ...env } })
  const client = clientOf(server.url, apiKey)
  // Its signature is in the body, which is read to be verified.
  const { id } = await client.providers.create({
    provider: 'mailgun',
    title: 'Mailgun',
    settings: { apiKey: 'x', domain: 'example.com', fromAddress: 'a@example.com', webhookSigningKey: 'x' },
  })
  tokens = signedTokens(secretKey(KEY), id)
})
afterAll(async () => {
  server?.kill('SIGKILL')
  await server?.exited
})

/** With a token that was given out and with one that was not. */
function callsOf({ method, path, ...rest }: Operation): Call[] {
  const token = tokens[path]
  const paths =
    path === '/docs/:name'
      ? guides.map((name) => path.replace(':name', name))
      : [...new Set([token ?? 'sample', 'eA'])].map((each) => path.replace(':token', each))
  if (method === 'GET') return paths.map((each) => ({ method, path: each }))
  const max = bodyMaxOf({ ...rest, access: 'open' })
  return paths.flatMap((each) => units.map((unit) => ({ method, path: each, body: filled(unit, max) })))
}

async function perform({ method, path, body }: Call, agent: Agent): Promise<number> {
  const call = request(server.url + path, { method, agent, headers: { 'accept-encoding': 'gzip' } })
  // Answered before its body, it is reset.
  call.on('error', () => undefined)
  call.end(body)
  const [reply] = (await once(call, 'response')) as [IncomingMessage]
  reply.resume()
  await once(reply, 'end')
  return reply.statusCode ?? 0
}

async function processorMs(): Promise<number> {
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^postrider_process_cpu_seconds_total (\S+)/m.exec(figures)?.[1]) * 1_000
}

test.each(open)('$id', { timeout: 300_000 }, async (operation) => {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const worst = { cpuMs: 0, pingMs: 0, call: '' }
  for (const call of callsOf(operation)) {
    // Made and compressed once.
    expect(await perform(call, agent)).toBeLessThan(500)
    const before = await processorMs()
    for (let n = 0; n < CALLS; n += 1) await perform(call, agent)
    const cpuMs = (await processorMs()) - before
    const pings = watchPings(
      async () => (await fetch(`${server.url}/livez`)).text(),
      () => runQueueMs(server.pid),
    )
    await Promise.all(Array.from({ length: AT_ONCE }, () => perform(call, agent)))
    const pingMs = await pings.stop()
    if (cpuMs / CALLS > worst.cpuMs) {
      worst.cpuMs = cpuMs / CALLS
      worst.call = `${call.path.slice(0, 40)} ${call.body?.slice(0, 10) ?? ''}`
    }
    worst.pingMs = Math.max(worst.pingMs, pingMs)
  }
  agent.destroy()
  console.log(
    `${operation.id}: ${worst.cpuMs.toFixed(1)} ms of processor time a call (${worst.call}), ping ${worst.pingMs} ms`,
  )
  inTime(() => {
    expect(worst.cpuMs).toBeLessThanOrEqual(CPU_MS_MAX)
    expect(worst.pingMs).toBeLessThanOrEqual(PING_MS_MAX)
  })
})

test.each(callbackReaders)(
  'a callback of $provider is read as quickly, before it is verified',
  async ({ provider, read }) => {
    const types = ['application/json', 'application/x-www-form-urlencoded', 'message/rfc822']
    let worst = 0
    for (const type of types)
      for (const unit of units) {
        const body = Buffer.from(filled(unit, 1_048_576))
        await read({ 'content-type': type }, body)
        const before = process.cpuUsage()
        for (let n = 0; n < CALLS; n += 1) await read({ 'content-type': type }, body)
        const { user, system } = process.cpuUsage(before)
        worst = Math.max(worst, (user + system) / 1_000 / CALLS)
      }
    console.log(`${provider}: ${worst.toFixed(1)} ms of processor time`)
    inTime(() => expect(worst).toBeLessThanOrEqual(CPU_MS_MAX))
  },
)
