/** Deliveries are paused while nodes run: at once on each of them, for everything that leaves, over restarts, until they are resumed. */
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import { type App, clientOf, settled, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { inForce, integrate, publish } from './templates.ts'

withApp((open) => {
  let app: App
  let other: App
  let client: Postrider
  let peer: Recorder
  let env: Record<string, string>

  beforeAll(async () => {
    env = await databaseEnvironment()
    ;[app, peer] = await Promise.all([open({ env }), startRecorder()])
    env = { ...env, POSTRIDER_API_KEY: app.apiKey }
    other = await open({ env })
    client = app.client
    const settings = { url: `${peer.url}/hook` }
    // The send takes seconds, so that the pause comes amid it.
    const integration = await integrate(client, { provider: 'webhook', settings, limits: { concurrency: 2 } })
    await inForce(clientOf(other.url, app.apiKey), integration)
    await publish(client, 'greeting', { channels: ['webhook'] })
    await client.lists.put('readers', { name: 'Readers' })
    for (let n = 0; n < 60; n += 1) await client.lists.subscribe('readers', `reader-${n}`)
  })
  afterAll(() => peer.close())

  const cliOf = ({ url, apiKey }: App) => ({ env: { POSTRIDER_URL: url, POSTRIDER_API_KEY: apiKey } })
  const hooks = () => peer.all.filter(({ path }) => path === '/hook')
  const recipients = () => hooks().map(({ body }) => JSON.parse(body).recipient as string)
  const automation = (recipient: string) => ({
    automation: { steps: [{ action: 'send' as const, recipient, template: 'greeting' }] },
  })

  test('after the reply no node calls a provider; what was in progress ended, and the rest goes on after the resume', async () => {
    peer.answer('/hook', { delayMs: 40 })
    const { messageId: request } = await client.lists.send({ list: 'readers', event: 'greeting' })
    await until(
      async () => hooks().length,
      (count) => count >= 5,
    )
    expect(await client.service.pause()).toEqual({ status: 'SUCCESS' })
    const called = hooks().length
    expect(called).toBeLessThan(60)
    for (const { url } of [app, other])
      expect(await clientOf(url, app.apiKey).service.readyz()).toMatchObject({ status: 'ok', paused: true })
    const state = await clientOf(other.url, app.apiKey).system.get()
    expect(state).toMatchObject({ paused_by: 'key/first key' })
    expect(state.paused_since).toBeGreaterThan(0)
    expect(state.nodes?.map(({ abandoned }) => abandoned)).toEqual([null, null])

    // By either node, and what a message needs to become one.
    const { messageId } = await client.send({ event: 'greeting', recipient: 'late' })
    const elsewhere = await clientOf(other.url, app.apiKey).send({ event: 'greeting', recipient: 'late-too' })
    await client.automations.invoke(automation('of-a-run'))
    // An erasure goes on: when it is done, the other work would have been, too.
    await client.profiles.replace('gone', { profile: { name: 'Gone' } })
    const erasure = (await client.profiles.delete('gone', { erase: true })) as { erasureId: string }
    await until(
      () => client.erasures.get(erasure.erasureId),
      ({ status }) => status === 'COMPLETED',
    )
    expect(hooks()).toHaveLength(called)
    expect(await client.messages.get(messageId)).toMatchObject({
      ...{ status: 'ENQUEUED', deliveriesPaused: state.paused_since },
    })
    expect((await run(['messages', 'show', messageId], cliOf(app))).out).toContain(
      'Not sent yet: deliveries have been paused since',
    )
    const listed = (await client.messages.list({ include: 'providers' })).results
    expect(listed.find(({ id }) => id === messageId)).toMatchObject({ deliveriesPaused: state.paused_since })
    expect(
      listed.filter(({ status }) => status === 'DELIVERED').map(({ deliveriesPaused }) => deliveriesPaused),
    ).toEqual(expect.not.arrayContaining([state.paused_since]))

    // A second pause changes nothing.
    await clientOf(other.url, app.apiKey).service.pause()
    expect((await client.system.get()).paused_since).toBe(state.paused_since)

    await clientOf(other.url, app.apiKey).service.resume()
    expect((await settled(client, messageId)).status).toBe('DELIVERED')
    await settled(client, elsewhere.messageId)
    const expected = [...Array.from({ length: 60 }, (_, n) => `reader-${n}`), 'late', 'late-too', 'of-a-run'].toSorted()
    await until(
      async () => recipients().toSorted(),
      (lines) => lines.length >= expected.length,
    )
    // Each of them once.
    expect(recipients().toSorted()).toEqual(expected)
    await until(
      () => client.requests.get(request),
      ({ statuses }) => statuses.every(({ status, count }) => status === 'DELIVERED' && count === 60),
    )
    expect(await client.service.readyz()).toEqual({ status: 'ok' })
    expect((await client.system.get()).paused_by).toBeNull()
  })

  test('only a published key of production may, and the audit log names who did', async () => {
    const refused = [
      [await app.key('draft'), 'published_key_required'],
      [await app.key('mock'), 'published_key_required'],
      [await app.key('published', 'test'), 'production_key_required'],
    ] as const
    for (const [key, code] of refused) await expect(key.client.service.pause()).rejects.toMatchObject({ code })
    expect(await client.service.readyz()).toEqual({ status: 'ok' })
    const { results } = await client.auditEvents.list()
    expect(results.filter(({ type }) => type.startsWith('deliveries:')).map(({ type }) => type)).toEqual([
      'deliveries:resumed',
      'deliveries:paused',
      'deliveries:paused',
    ])
  })

  test('a test with a message is refused at once with the pause as the cause, and the sign-in is still tested', async () => {
    const { results } = await client.providers.list()
    const id = results[0]!.id
    const sent = hooks().length
    await client.service.pause()
    const { paused_since: since } = await client.service.readyz()
    await expect(client.providers.test(id, { send: true })).rejects.toMatchObject({
      ...{ status: 409, code: 'conflict' },
      message: expect.stringContaining(
        `Deliveries have been paused since ${new Date(since!).toISOString()} by key/first key: no test message is sent`,
      ),
    })
    expect(await client.providers.test(id)).toMatchObject({ ok: true })
    expect(await run(['providers', 'test', id, '--send'], cliOf(app))).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('Deliveries have been paused since') },
    })
    await client.service.resume()
    expect(hooks()).toHaveLength(sent)
  })

  test('the command pauses and resumes, and a node that starts meanwhile is paused', async () => {
    expect((await run(['pause'], cliOf(app))).out).toContain('Deliveries are paused')
    await other.stop()
    const third = await open({ env })
    expect(await clientOf(third.url, app.apiKey).service.readyz()).toMatchObject({ paused: true })
    expect((await run(['resume'], cliOf(app))).out).toContain('Deliveries are resumed')
    await until(
      () => clientOf(third.url, app.apiKey).service.readyz(),
      ({ paused }) => paused === undefined,
    )
  })

  test('a run stops between two steps, and goes on with the next one after the resume', async () => {
    peer.answer('/first', { delayMs: 300 })
    const fetch = (path: string) => ({
      ...{ action: 'fetch-data' as const, webhook: { method: 'GET' as const, url: `${peer.url}${path}` } },
    })
    const { runId } = await client.automations.invoke({ automation: { steps: [fetch('/first'), fetch('/second')] } })
    const called = (path: string) => peer.all.filter((request) => request.path === path).length
    await until(
      async () => called('/first'),
      (count) => count === 1,
    )
    await client.service.pause()
    // The step in progress ends, and its run waits.
    await until(
      () => client.automations.steps(runId),
      ({ steps }) => steps[0]?.status === 'PROCESSED',
    )
    expect(called('/second')).toBe(0)
    await client.service.resume()
    await until(
      () => client.automations.run(runId),
      ({ status }) => status === 'PROCESSED',
    )
    expect([called('/first'), called('/second')]).toEqual([1, 1])
  })
})
