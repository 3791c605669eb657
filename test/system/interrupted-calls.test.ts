/**
 * A process that crashes during a call to a provider: by default the call is repeated, with at most once it is not.
 * @module-tag safety
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, clientOf, openApp, settled } from '../support/app.ts'
import { databaseEnvironment, newDataFolder } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { startServer } from '../support/process.ts'
import { integrate, publish } from './templates.ts'

const apiKey = `pk_prod_${'k'.repeat(40)}`

let peer: Recorder
let app: App
const ids: Record<string, string> = {}

beforeAll(async () => {
  peer = await startRecorder()
  const env = {
    // On a local database the next start takes over at once: its folder lock proves the holder dead.
    POSTRIDER_DATA_DIR: await newDataFolder(),
    POSTRIDER_API_KEY: apiKey,
    POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
  }
  // Both calls are in flight when the process crashes: the peer has them and has not replied.
  peer.answer(() => true, { instead: 'hang' }, 2)
  const first = await startServer({ env })
  const before = clientOf(first.url, apiKey)
  await integrate(before, { provider: 'webhook', settings: { url: `${peer.url}/first` }, priority: 1 })
  await integrate(before, { provider: 'webhook', settings: { url: `${peer.url}/second` }, priority: 2 })
  await publish(before, 'news', { channels: ['webhook'] })
  await publish(before, 'code', { channels: ['webhook'], settings: { delivery_policy: 'at_most_once' } })
  for (const event of ['news', 'code']) {
    ids[event] = (await before.send({ event, recipient: 'ada' })).messageId
    await peer.waitFor(({ body }) => body.includes(ids[event] ?? ''))
  }
  first.kill('SIGKILL')
  await first.exited
  app = await openApp({ env })
})
afterAll(async () => {
  await Promise.all([app?.stop(), peer?.close()])
})

const calls = (event: string) =>
  peer.all
    .filter(({ body }) => body.includes(ids[event] ?? ''))
    .map(({ path, headers }) => [path, headers['webhook-id']])

test('by default it is sent again, as the same delivery', async () => {
  const message = await settled(app.client, ids.news ?? '')
  expect(message.status).toBe('DELIVERED')
  expect(calls('news')).toEqual([
    ['/first', `${ids.news}-0`],
    ['/first', `${ids.news}-0`],
  ])
})

test('at most once: it ends in doubt, and goes no other way', async () => {
  const { client } = app
  const message = await settled(client, ids.code ?? '')
  expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'IN_DOUBT' })
  expect(calls('code')).toEqual([['/first', `${ids.code}-0`]])
  const types = (await client.messages.history(message.id)).results.map(({ type }) => type)
  expect(types).toEqual(['ENQUEUED', 'MAPPED', 'PROFILE_LOADED', 'RENDERED', 'UNDELIVERABLE'])
})

describe('on a database server, with the integration deleted before the message is taken over', () => {
  test('at most once: it is in doubt all the same', async () => {
    const peer = await startRecorder()
    peer.answer(() => true, { instead: 'hang' })
    const env = {
      ...(await databaseEnvironment()),
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
      // Shorter, and a busy machine cannot renew it.
      POSTRIDER_LEASE_SECONDS: '3',
    }
    const first = await startServer({ env })
    const before = clientOf(first.url, apiKey)
    const hook = await integrate(before, { provider: 'webhook', settings: { url: `${peer.url}/hook` } })
    await publish(before, 'code', { channels: ['webhook'], settings: { delivery_policy: 'at_most_once' } })
    const { messageId } = await before.send({ event: 'code', recipient: 'ada' })
    await peer.waitForCount(1)
    first.kill('SIGKILL')
    await first.exited

    const acceptor = await openApp({ env: { ...env, POSTRIDER_ROLE: 'api' } })
    await acceptor.client.providers.delete(hook.id)
    const worker = await openApp({ env })
    const message = await settled(acceptor.client, messageId)
    await Promise.all([acceptor.stop(), worker.stop(), peer.close()])
    expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'IN_DOUBT' })
    expect(message.providers).toMatchObject([{ provider: 'webhook', status: 'UNDELIVERABLE' }])
    expect(peer.all).toHaveLength(1)
  })
})
