/** A copy that is started paused accepts and delivers nothing, reports it, stays paused over restarts, and continues when resumed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, openApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { isLong } from '../support/run/long.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from '../system/templates.ts'
import { json } from './in-process.ts'
import { run } from './run.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnop'
let env: Record<string, string>
let peer: Recorder
let server: ServerProcess | undefined

beforeAll(async () => {
  peer = await startRecorder()
  env = { ...(await databaseEnvironment()), POSTRIDER_API_KEY: apiKey, POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true' }
  // The copy holds messages, a list send and a run that wait, and a webhook that is called for each.
  const app = await openApp({ env: { ...env, POSTRIDER_ROLE: 'api' } })
  const client = clientOf(app.url, apiKey)
  await integrate(client, { provider: 'webhook', settings: { url: `${peer.url}/hook` } })
  await publish(client, 'greeting', { channels: ['webhook'] })
  await client.webhooks.create({ url: `${peer.url}/events`, types: ['message:updated'] })
  await client.lists.put('readers', { name: 'Readers' })
  await client.lists.subscribe('readers', 'reader')
  await client.send({ event: 'greeting', recipient: 'waiting' })
  await client.send({ message: { to: { list_id: 'readers' }, template: 'greeting' } })
  await client.automations.invoke(automation('run-before'))
  await app.stop()
})
afterAll(async () => {
  server?.kill('SIGKILL')
  await peer?.close()
})

const automation = (recipient: string) => ({
  automation: {
    steps: [
      { action: 'fetch-data' as const, webhook: { method: 'GET' as const, url: `${peer.url}/fetch` } },
      { action: 'send' as const, recipient, template: 'greeting' },
    ],
  },
})

const recipients = () =>
  peer.all.filter(({ path }) => path === '/hook').map(({ body }) => JSON.parse(body).recipient as string)

async function start(...args: string[]): Promise<string> {
  server = await startServer({ env, args: ['serve', ...args] })
  return server.url
}
async function stop() {
  server?.kill('SIGTERM')
  await server?.exited
}

test('it answers and delivers nothing, also after a restart, until it is resumed', { timeout: 90_000 }, async () => {
  const url = await start('--paused')
  expect(server?.output()).toMatch(/Deliveries have been paused since .*\. To resume them: postrider resume/)
  expect(server?.output()).toContain('"event":"deliveries.paused"')
  const client = clientOf(url, apiKey)
  expect(await client.service.readyz()).toMatchObject({ status: 'ok', paused: true })
  const { messageId } = await client.send({ event: 'greeting', recipient: 'new' })
  await client.automations.invoke(automation('run-new'))
  await client.profiles.replace('gone', { profile: { name: 'Gone' } })
  // The erasure continues: when it is done, all other background work has run too.
  const erasure = await client.profiles.delete('gone', { erase: true })
  await until(
    async () => JSON.stringify(await client.erasures.get((erasure as { erasureId: string }).erasureId)),
    (receipt) => receipt.includes('COMPLETED'),
  )
  expect(peer.all).toEqual([])
  expect((await client.messages.get(messageId)).status).toBe('ENQUEUED')
  const other = await run(['serve', '--paused'], {
    env: { ...env, POSTRIDER_PORT: '0', POSTRIDER_LOG_LEVEL: 'silent' },
  })
  expect(other.code).toBe(3)
  await stop()

  const again = await start()
  expect(server?.output()).toContain('Deliveries have been paused since')
  const cli = { env: { POSTRIDER_URL: again, POSTRIDER_API_KEY: apiKey } }
  const { checks } = await json<{ checks: { name: string; state: string }[] }>(['doctor'], cli)
  expect(checks).toContainEqual(expect.objectContaining({ name: 'deliveries', state: 'warn' }))
  expect(peer.all).toEqual([])

  const draft = await clientOf(again, apiKey).keys.create({ name: 'draft', kind: 'draft' })
  await expect(clientOf(again, draft.key).service.resume()).rejects.toThrow(/published key/)
  await json(['resume'], cli)
  const expected = ['waiting', 'reader', 'run-before', 'new', 'run-new'].toSorted()
  await until(
    async () => recipients().toSorted(),
    (lines) => expected.every((line) => lines.includes(line)),
  )
  expect(recipients().toSorted()).toEqual(expected)
  await until(
    async () => peer.all.filter(({ path }) => path === '/events').length,
    (count) => count > 0,
  )
  expect(await clientOf(again, apiKey).service.readyz()).toEqual({ status: 'ok' })
  await stop()
})

test.runIf(isLong)('with the server stopped, the database is resumed directly', async () => {
  await start('--paused')
  await stop()
  await json(['resume'], { env: { ...env, POSTRIDER_PORT: '1' } })
  const url = await start()
  expect(server?.output()).not.toContain('paused')
  expect(await clientOf(url, apiKey).service.readyz()).toEqual({ status: 'ok' })
  await stop()
})
