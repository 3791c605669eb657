/** The calls of a webhook and their retries, on a service whose clock the test sets; the titles carry the numbers of the case list. */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { settableClock } from '../../support/clock.ts'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { until } from '../../support/until.ts'
import { call, sendAs } from './wire.ts'

withApp((open) => {
  let app: App
  let peer: Recorder
  const clock = settableClock()
  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open({ clock }), startRecorder()])
  })
  afterAll(() => peer.close())

  const secret = 'a-secret-of-the-receiver'
  const make = async (path: string) =>
    (await call(app, 'POST', '/webhooks', { body: { url: peer.url + path, secret } })).json.id as string
  const delivery = async (id: string, status: string) => {
    const { results } = (await call(app, 'GET', `/webhooks/${id}/deliveries`)).json
    return results.find(
      (candidate: { status: string; attempts: number }) => candidate.status === status && candidate.attempts > 0,
    )
  }
  const calledWith = (id: string, status: string) =>
    until(
      () => delivery(id, status),
      (delivery) => delivery !== undefined,
    )

  test('case 58: a call is signed over the time and the body', async () => {
    const id = await make('/signed')
    await sendAs(app, { event: 'no-such-event', recipient: 'r' })
    const { headers, body } = await peer.waitFor(({ path }) => path === '/signed')
    const [, t, signature] = /^t=(\d+),signature=([0-9a-f]+)$/.exec(headers['courier-signature'] ?? '') ?? []
    expect(signature).toBe(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'))
    expect(Object.keys(JSON.parse(body))).toEqual(['data', 'type'])
    await call(app, 'DELETE', `/webhooks/${id}`)
  })

  test('case 58: after a 500 it is called again five seconds later, after a 400 never', async () => {
    peer.answer('/failing', { status: 500 }, 1)
    peer.answer('/refusing', { status: 400 })
    const [failing, refusing] = [await make('/failing'), await make('/refusing')]
    await sendAs(app, { event: 'no-such-event', recipient: 'r' })
    const { next_attempt_at } = await calledWith(failing, 'WAITING')
    expect(next_attempt_at - clock.now()).toBeLessThanOrEqual(6_000)
    expect(await calledWith(refusing, 'FAILED')).not.toHaveProperty('next_attempt_at')
    clock.set(next_attempt_at)
    expect(await calledWith(failing, 'DELIVERED')).toMatchObject({ attempts: 2 })
    const calls = (path: string) => peer.all.filter((request) => request.path === path)
    expect([calls('/failing').length, calls('/refusing').length]).toEqual([2, 1])
  })
})
