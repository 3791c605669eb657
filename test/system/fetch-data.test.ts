/**
 * fetch-data against real servers that fail in all ways: bounded, retried where it helps, and explained in the run.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AutomationStep } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'

withApp((open) => {
  let app: App
  let closed: App
  let peer: Recorder
  const clock = settableClock()
  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open({ clock }), startRecorder()])
    closed = await open({ env: { POSTRIDER_ALLOW_PRIVATE_NETWORK: 'false' } })
  })
  afterAll(() => peer.close())

  async function fetching(url: string, { client } = app, more: object = {}): Promise<string> {
    const steps: AutomationStep[] = [
      { action: 'fetch-data', webhook: { url, ...more }, merge_strategy: 'overwrite' },
      { action: 'throttle', max_allowed: 1_000, period: 'PT1H', scope: 'global' },
    ]
    return (await client.automations.invoke({ automation: { steps } })).runId
  }
  async function ended(runId: string, { client } = app) {
    const run = await until(
      () => client.automations.run(runId),
      ({ status }) => status === 'ERROR' || status === 'PROCESSED',
    )
    const { steps } = await client.automations.steps(runId)
    return { status: run.status, error: run.error, steps: steps.map(({ status }) => status), said: steps[0]?.error }
  }
  const failed = { status: 'ERROR', steps: ['ERROR', 'NOT PROCESSED'] }

  test('an address of the private network is refused without a request', async () => {
    const recorder = await startRecorder()
    expect(await ended(await fetching(`${recorder.url}/data`, closed), closed)).toMatchObject({
      ...failed,
      error: expect.stringMatching(/steps\.0.*POSTRIDER_ALLOW_PRIVATE_NETWORK/),
    })
    expect(recorder.all).toEqual([])
    await recorder.close()
  })

  test('an error reply ends the run with its status, and a redirect is not followed', async () => {
    peer.answer('/missing', { status: 404 })
    peer.answer('/moved', { status: 302, headers: { location: `${peer.url}/secret` } })
    expect(await ended(await fetching(`${peer.url}/missing`))).toMatchObject({
      ...failed,
      said: expect.stringContaining('404'),
    })
    expect(await ended(await fetching(`${peer.url}/moved`))).toMatchObject({
      ...failed,
      said: expect.stringContaining('redirect'),
    })
    expect(peer.all.filter(({ path }) => path === '/secret')).toEqual([])
  })

  test('a reply that is no JSON object is reported', async () => {
    peer.answer('/words', { body: 'hello' })
    peer.answer('/list', { body: '[1]' })
    expect((await ended(await fetching(`${peer.url}/words`))).said).toContain('something other than JSON')
    expect((await ended(await fetching(`${peer.url}/list`))).said).toContain('not an object')
  })

  test('100 MB are cut off after the first of them', async () => {
    let written = 0
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(65_536, 'x')
      const more = () => {
        while (written < 100_000_000 && !response.destroyed) {
          written += chunk.length
          if (!response.write(chunk)) {
            response.once('drain', more)
            return
          }
        }
        response.end()
      }
      more()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    const { port } = server.address() as AddressInfo
    expect(await ended(await fetching(`http://127.0.0.1:${port}/`))).toMatchObject(failed)
    expect(written).toBeLessThan(20_000_000)
    await new Promise((resolve) => server.close(resolve))
  })

  test('an outage is reported while it lasts, and waited out without holding a worker', async () => {
    peer.answer('/weak', { body: { ok: true } })
    peer.answer('/weak', { status: 503, headers: { 'retry-after': '1' } }, 1)
    const runId = await fetching(`${peer.url}/weak`)
    const waiting = await until(
      () => app.client.automations.steps(runId),
      ({ steps }) => steps[0]?.status === 'WAITING',
    )
    expect(waiting.steps[0]?.reason).toMatch(/503.*tried again in/)
    expect(await ended(runId)).toMatchObject({ status: 'PROCESSED', steps: ['PROCESSED', 'PROCESSED'] })
    const [first, second] = peer.all.filter(({ path }) => path === '/weak')
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  })

  test('a permanent failure ends the run after five tries', async () => {
    peer.answer('/down', { status: 500 })
    const runId = await fetching(`${peer.url}/down`)
    for (const seconds of [5, 10, 20, 40]) {
      await until(
        () => app.client.automations.steps(runId),
        ({ steps }) => steps[0]?.reason?.endsWith(`tried again in ${seconds} s`) === true,
      )
      clock.set(clock.now() + 60_000)
    }
    expect(await ended(runId)).toMatchObject({ ...failed, said: expect.stringMatching(/500.*5 tries/) })
    expect(peer.all.filter(({ path }) => path === '/down')).toHaveLength(5)
  })

  test('a server that never answers gets ten seconds, and then another try', async () => {
    peer.answer('/hang', { instead: 'hang' })
    const runId = await fetching(`${peer.url}/hang`)
    const { steps } = await until(
      () => app.client.automations.steps(runId),
      (answer) => answer.steps[0]?.status === 'WAITING',
    )
    expect(steps[0]?.reason).toMatch(/No answer within 10000 ms; tried again/)
  })
})
