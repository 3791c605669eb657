/**
 * Imports and bulk jobs that are killed or stopped anywhere are continued, and no recipient gets a message twice.
 * @module-tag safety
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isPostriderError, Postrider } from '@postrider/client'
import { readConfig, startServer } from '@postrider/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { nodeFlags } from '../support/process.ts'
import { until } from '../support/until.ts'
import { run } from './run.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
const folder = mkdtempSync(join(tmpdir(), 'postrider-interrupted-'))
const script = fileURLToPath(new URL('../../cli/dist/postrider.js', import.meta.url))
let server: Awaited<ReturnType<typeof startServer>>
let env: Record<string, string>
let client: Postrider

beforeAll(async () => {
  server = await startServer(
    readConfig({
      POSTRIDER_PORT: '0',
      ...(await databaseEnvironment()),
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_LOG_LEVEL: 'silent',
    }),
  )
  env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: apiKey }
  client = new Postrider({ baseUrl: server.url, apiKey })
})
afterAll(() => server.stop())

function start(args: string[]) {
  const child = spawn(process.execPath, [...nodeFlags, script, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { err: '' }
  child.stdout.resume()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text
  })
  return { child, output }
}

const file = (name: string, rows: readonly string[]) => {
  const path = join(folder, name)
  writeFileSync(path, `id,email\n${rows.join('\n')}\n`)
  return path
}

const PEOPLE = 6_000

test('a bulk send that is killed again and again sends to each recipient once', async () => {
  const rows = Array.from({ length: PEOPLE }, (_, n) => `${n % 3 === 0 ? '' : `kill-${n}`},k${n}@example.com`)
  const args = ['bulk', 'send', 'welcome', '--csv', file('kill.csv', rows), '--idempotency-key', 'kill', '--json']
  // From before the job is made until its messages are in progress.
  for (let processMs = 150; processMs < 3_000; processMs += 350) {
    const { child } = start(args)
    const ended = once(child, 'close')
    await Promise.race([pause(processMs), ended])
    child.kill('SIGKILL')
    await ended
  }
  const { code, out } = await run(args, { env, timeoutMs: 280_000 })
  expect(code).toBe(0)
  const { jobId, statuses } = JSON.parse(out) as { jobId: string; statuses: Record<string, number> }
  expect(statuses).toEqual({ DELIVERED: PEOPLE })
  const addresses = new Set<string>()
  let messages = 0
  for await (const { content } of client.mailbox.list({ limit: 100, channel: 'email' })) {
    messages += 1
    addresses.add(JSON.stringify(content.to))
  }
  expect([messages, addresses.size]).toEqual([PEOPLE, PEOPLE])
  expect((await client.bulk.get(jobId)).job).toMatchObject({ received: PEOPLE, enqueued: PEOPLE, failures: 0 })
})

test('an import that is stopped between two batches names the line to continue with', async () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => `stop-${n},s${n}@example.com`)
  const { child, output } = start(['profiles', 'import', file('stop.csv', rows), '--concurrency', '4'])
  const profileOf = (n: number) =>
    client.profiles.get(`stop-${n}`).then(
      ({ profile }) => profile,
      (error: unknown) => {
        if (isPostriderError(error, 'not_found')) return undefined
        throw error
      },
    )
  await until(
    () => profileOf(3),
    (row) => row !== undefined,
  )
  child.kill('SIGTERM')
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  const [, line = ''] = /error: Stopped\nhint: Continue with: --from-line (\d+)/.exec(output.err) ?? []
  // Row n is on line n + 2: everything before the line is written, and nothing from it on.
  expect(await profileOf(Number(line) - 3)).toEqual({ email: `s${Number(line) - 3}@example.com` })
  expect(await profileOf(Number(line) - 2)).toBeUndefined()
})
