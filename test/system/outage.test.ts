/** The database goes away and comes back: nothing is accepted meanwhile, nothing accepted is lost, no operator has to help. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type PostgresServer, type StopMode, startPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

describe('on postgres', () => {
  let database: PostgresServer
  let app: App
  let peer: Recorder
  const accepted: string[] = []

  beforeAll(async () => {
    ;[database, peer] = await Promise.all([startPostgres(), startRecorder()])
    app = await openApp({
      env: {
        POSTRIDER_DATABASE_URL: database.url,
        POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        // Leases of a dead connection are taken over after this time.
        POSTRIDER_LEASE_SECONDS: '3',
      },
    })
    await integrate(app.client, { provider: 'webhook', settings: { url: `${peer.url}/hook` } })
    await publish(app.client, 'greeting', { channels: ['webhook'] })
  })
  afterAll(async () => {
    await app?.stop()
    await Promise.all([database?.stop(), peer?.close()])
  })

  const send = async () => {
    const answer = await app.call('POST', '/send', { body: { event: 'greeting', recipient: 'ada' } })
    if (answer.status === 200) accepted.push(answer.json.messageId)
    return answer
  }

  /** Sends without pause until it is stopped; returns the statuses that were neither 200 nor 503. */
  function stream() {
    let going = true
    const strange: number[] = []
    const done = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (going) {
          const { status } = await send()
          if (status !== 200 && status !== 503) strange.push(status)
        }
      }),
    )
    return {
      async end() {
        going = false
        await done
        return strange
      },
    }
  }

  test.each<[string, StopMode]>([
    ['is stopped', 'fast'],
    ['crashes', 'immediate'],
  ])('the database %s under load', async (_how, mode) => {
    const traffic = stream()
    const before = accepted.length
    await until(
      async () => accepted.length,
      (count) => count > before + 20,
    )
    await database.restart(mode, async () => {
      const answer = await until(send, ({ status }) => status !== 200)
      expect(answer.status).toBe(503)
      expect(answer.json).toMatchObject({ message: expect.any(String), type: 'api_error' })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      const count = accepted.length
      for (let n = 0; n < 5; n += 1) expect((await send()).status).toBe(503)
      expect(accepted.length).toBe(count)
      expect((await app.call('GET', '/readyz')).status).toBe(503)
      expect((await app.call('GET', '/livez')).status).toBe(200)
    })
    await until(
      () => app.call('GET', '/readyz'),
      ({ status }) => status === 200,
    )
    await until(send, ({ status }) => status === 200)
    expect(await traffic.end()).toEqual([])
  })

  test('every message that was accepted is delivered', async () => {
    const delivered = () => new Set(peer.all.map(({ body }) => JSON.parse(body).messageId as string))
    expect(accepted.length).toBeGreaterThan(40)
    await until(
      async () => {
        const deliveredBefore = delivered()
        return accepted.filter((id) => !deliveredBefore.has(id))
      },
      (missing) => missing.length === 0,
    )
    await until(
      () => app.client.messages.list({ status: ['ENQUEUED', 'ROUTED'] }),
      ({ results }) => results.length === 0,
    )
    for (const id of accepted.slice(-50)) expect((await app.client.messages.get(id)).status).toBe('DELIVERED')
  })
})
