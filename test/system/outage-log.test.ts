/** A database that goes away is one line of the log, and one when it is back, however many calls are refused meanwhile. */
import { expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../support/app.ts'
import { startPostgres } from '../support/postgres.ts'
import { startServer } from '../support/process.ts'
import { until } from '../support/until.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnop'
const REFUSED = 25

test('an outage is two lines', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const env = { POSTRIDER_DATABASE_URL: postgres.url, POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
  const server = await startServer({ env: { ...env, POSTRIDER_API_KEY: apiKey, POSTRIDER_LEASE_SECONDS: '3' } })
  onTestFinished(() => server.kill('SIGKILL'))
  const client = clientOf(server.url, apiKey)
  const send = () =>
    client.send({ event: 'welcome', recipient: 'ada' }).then(
      () => 200,
      () => 503,
    )
  expect(await send()).toBe(200)
  const before = server.output().length
  await postgres.restart('fast', async () => {
    await until(send, (status) => status === 503)
    for (let n = 0; n < REFUSED; n += 1) expect(await send()).toBe(503)
    const reply = await fetch(`${server.url}/readyz`)
    expect([reply.status, await reply.json()]).toMatchObject([
      503,
      { message: 'Not ready: the database does not answer', type: 'api_error' },
    ])
  })
  await until(send, (status) => status === 200)
  const lines = () =>
    server
      .output()
      .slice(before)
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { event?: string; level: string; err?: unknown })
  await until(
    async () => lines(),
    (lines) => lines.some(({ event }) => event === 'database.available'),
  )
  expect(lines().map(({ event, level }) => [event, level])).toEqual([
    ['database.unavailable', 'error'],
    ['database.available', 'info'],
  ])
  expect(lines().every(({ err }) => err === undefined)).toBe(true)
})
