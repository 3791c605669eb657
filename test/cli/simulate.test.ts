/** `postrider simulate` as a process: a timeline for people, JSON for programs, and an exit code for the outcome. */
import { type AutomationStep, Postrider } from '@postrider/client'
import { readConfig, startServer } from '@postrider/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { json, run } from './in-process.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
let server: Awaited<ReturnType<typeof startServer>>
const env = () => ({ POSTRIDER_URL: server.url, POSTRIDER_API_KEY: apiKey })

beforeAll(async () => {
  server = await startServer(
    readConfig({
      POSTRIDER_PORT: '0',
      ...(await databaseEnvironment()),
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_LOG_LEVEL: 'silent',
    }),
  )
})
afterAll(() => server.stop())

const steps: AutomationStep[] = [
  { action: 'delay', duration: '3 days' },
  { action: 'send', template: 'welcome' },
]
const options = ['-r', 'ada', '-p', 'email=ada@example.com', '-d', 'name=Ada', '--start', '2026-01-01T00:00:00Z']

test('shows the timeline, as text and as JSON', async () => {
  const input = JSON.stringify({ steps })
  const { code, out } = await run(['simulate', '-', ...options], { env: env(), input })
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('2026-01-04 00:00:00.000Z  1     PROCESSED  send welcome to ada by email'),
  ])
  const simulation = await json<{ timeline: unknown[] }>(['simulate', '-', ...options], { env: env(), input })
  expect(simulation.timeline).toHaveLength(2)
})

test('takes the id, the alias or the name of a stored template in the place of a file', async () => {
  const { automations } = new Postrider({ baseUrl: server.url, apiKey })
  const automation = { steps }
  await automations.putTemplate('T1', { name: 'On boarding', alias: 'boarding', automation })
  for (const name of ['T1', 'boarding', 'On boarding'])
    expect(await run(['simulate', name, ...options], { env: env() })).toMatchObject({
      code: 0,
      out: expect.stringContaining('send welcome to ada by email'),
    })
  await automations.putTemplate('T2', { name: 'On boarding', automation })
  expect(await run(['simulate', 'On boarding'], { env: env() })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/2 automation templates are called On boarding[\s\S]*T1, T2/),
  })
  expect(await run(['simulate', 'no-such-template'], { env: env() })).toMatchObject({
    code: 2,
    err: expect.stringContaining('no-such-template is neither a file nor a stored automation template'),
  })
})

test('ends with 1 when the run ends with an error, and prints the errors of an automation', async () => {
  const simulate = (file: unknown) => run(['simulate', '-'], { env: env(), input: JSON.stringify(file) })
  const lost = [{ action: 'fetch-data', webhook: { url: 'https://shop.example/' } }]
  expect(await simulate({ steps: lost })).toMatchObject({
    code: 1,
    out: expect.stringContaining(
      'ERROR: steps.0 (fetch-data): No response for https://shop.example/ is defined: add one to `fetched` of the simulation',
    ),
  })
  expect(await simulate({ steps: [{ action: 'dance' }] })).toMatchObject({
    code: 1,
    err: expect.stringContaining('automation.steps.0.action must be one of `send`'),
  })
  expect((await run(['simulate', 'no-such-file.json'], { env: env() })).code).toBe(2)
})

test('ends with 1 when the simulation was stopped before its end, though no run of it failed', async () => {
  // With the run that sends to them one more than a simulation has.
  const subscribers = Array.from({ length: 1_000 }, (_, n) => `reader-${n}`)
  const data_source = { webhook: { url: 'https://shop.example/' } }
  const file = {
    automation: { steps: [{ action: 'send-list', list: 'readers', template: 'welcome', data_source }] },
    lists: { readers: subscribers },
    fetched: { 'https://shop.example/': {} },
  }
  const { code, out } = await run(['simulate', '-', '--json'], { env: env(), input: JSON.stringify(file) })
  const { complete, runs } = JSON.parse(out) as { complete: boolean; runs: { status: string }[] }
  expect([complete, runs.some(({ status }) => status === 'ERROR')]).toEqual([false, false])
  expect(code).toBe(1)
})
