/** An erased recipient is in no table any more and gets no message: no waiting one, no retry and no failover. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, clientOf, openApp, settled, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { searchDatabase } from '../support/names.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until, untilTime } from '../support/until.ts'
import {
  makePerson,
  otherTables,
  type Person,
  passingTables,
  personalTables,
  rareTables,
  textsOf,
} from '../support/whole-person.ts'
import { integrate, publish } from './templates.ts'

const ada: Person = {
  id: 'ada:7(x)',
  email: 'ada.lovelace@example.com',
  phone: '+12025550143',
  marker: 'analytical-engine',
  token: 'ExponentPushToken-of-ada',
}

const erased = async (app: App, id: string) => {
  const { status, json } = await app.call('DELETE', `/profiles/${encodeURIComponent(id)}?erase=true`)
  expect(status).toBe(202)
  return json
}
const completed = (app: App, erasureId: string) =>
  until(
    () => app.client.erasures.get(erasureId),
    ({ status }) => status !== 'PROCESSING',
  )

/** They are more than a page. */
async function allOf(client: App['client'], recipient: string) {
  const first = await client.messages.list({ recipient })
  const { cursor } = first.paging
  const second = cursor === undefined ? undefined : await client.messages.list({ recipient, cursor })
  return [...first.results, ...(second?.results ?? [])]
}

withApp((open) => {
  test('an erased user in every resource leaves no text in any table, and finished work is kept', async () => {
    const peer = await startRecorder()
    peer.answer(
      () => true,
      ({ body }) => ({ status: 400, body: `refused: ${body}` }),
    )
    const env = { ...(await databaseEnvironment()) }
    const first = await openApp({ env })
    const { single, delayed, several } = await makePerson(first, ada, peer.url)
    for (const id of single) await settled(first.client, id)
    for (const id of several)
      await until(
        () => first.client.requests.get(id),
        ({ status }) => status === 'COMPLETED',
      )
    await until(
      () => allOf(first.client, ada.id),
      (results) => results.length === 11 && results.every(({ id, status }) => id === delayed || status !== 'ENQUEUED'),
    )
    await until(
      async () => peer.all.filter(({ path }) => path === '/webhook').length,
      (calls) => calls > 10,
    )
    await first.stop()

    const before = await searchDatabase(env, textsOf(ada))
    expect(before.tables).toEqual([...personalTables, ...rareTables, ...passingTables, ...otherTables].toSorted())
    const tablesWithPerson = new Set(before.rows.map((row) => row.split(':')[0]))
    expect(personalTables.filter((table) => !tablesWithPerson.has(table))).toEqual([])
    // The replies to the webhook repeat the message.
    expect(tablesWithPerson).toContain('webhook_deliveries')
    expect(otherTables.filter((table) => tablesWithPerson.has(table))).toEqual([])

    const second = await openApp({ env })
    const { erasureId, status } = await erased(second, ada.id)
    expect(status).toBe('PROCESSING')
    const receipt = await completed(second, erasureId)
    expect(receipt).toMatchObject({
      status: 'COMPLETED',
      removed: {
        profiles: 1,
        preferences: 1,
        topicPreferences: 1,
        listSubscriptions: 1,
        memberships: 1,
        deviceTokens: 1,
        suppressions: 1,
        audienceMembers: 1,
        automationRuns: 1,
        requestRecipients: 1,
        bulkUsers: 2,
        digests: 1,
        messages: 11,
        canceledMessages: 1,
        keptReplies: 2,
        inboundEvents: 2,
        views: 1,
      },
    })
    const results = await allOf(second.client, receipt.pseudonym)
    expect(results.map(({ status }) => status).toSorted()).toEqual(
      ['CANCELED', ...Array<string>(8).fill('DELIVERED'), 'DIGESTED', 'UNDELIVERABLE'].toSorted(),
    )
    for (const { id, status, enqueued } of results) {
      expect(enqueued).toBeGreaterThan(0)
      const history = await second.client.messages.history(id)
      expect(history.results.at(-1)?.type).toBe(status)
      expect((await second.client.messages.explain(id)).message.status).toBe(status)
      expect((await second.call('GET', `/messages/${id}/output`)).status).toBe(200)
    }
    const tagged = await second.client.messages.list({ tags: ['spring'] })
    expect(tagged.results).toMatchObject([{ tags: ['spring'] }])
    expect((await second.client.messages.list({ recipient: 'unrelated' })).results).toHaveLength(2)
    await second.stop()
    expect((await searchDatabase(env, textsOf(ada))).rows).toEqual([])
    await peer.close()
  }, 180_000)

  describe('an app', () => {
    let app: App
    let peer: Recorder
    beforeAll(async () => {
      ;[app, peer] = await Promise.all([open(), startRecorder()])
      await integrate(app.client, { provider: 'webhook', priority: 1, settings: { url: `${peer.url}/one` } })
      await integrate(app.client, { provider: 'webhook', priority: 2, settings: { url: `${peer.url}/two` } })
      await publish(app.client, 'hooked', { channels: ['webhook'] })
    })
    afterAll(() => peer.close())

    const callsFor = (id: string) => peer.all.filter(({ body }) => body.includes(id)).length
    const attempted = (messageId: string) =>
      until(
        () => app.client.messages.history(messageId, { type: 'DELIVERING' }),
        ({ results }) => results.length > 1,
      ).then(({ results }) => results as { next_attempt_at?: number }[])

    test('an unknown id has an empty receipt', async () => {
      const { erasureId } = await erased(app, 'unknown')
      expect(await completed(app, erasureId)).toMatchObject({ status: 'COMPLETED', removed: {} })
    })

    test('a message that waits for a retry is canceled, with any profile in its snapshot', async () => {
      peer.answer(({ body }) => body.includes('retried'), { status: 503 })
      await app.client.profiles.replace('retried', { profile: { name: 'Ada' } })
      const { messageId } = await app.client.send({ event: 'hooked', recipient: 'retried' })
      const attempts = await attempted(messageId)
      const calls = callsFor(messageId)
      const { erasureId } = await erased(app, 'retried')
      await completed(app, erasureId)
      expect(await app.client.messages.get(messageId)).toMatchObject({ status: 'CANCELED' })
      const [attempt] = attempts
      await untilTime(attempt!.next_attempt_at! + 1_500)
      expect(callsFor(messageId)).toBe(calls)
    })

    test('a call in progress is waited for and followed by none; messages sent meanwhile are canceled', async () => {
      const release = peer.hold(({ body }) => body.includes('called'), { status: 503 })
      const { messageId } = await app.client.send({ event: 'hooked', recipient: 'called', data: { mark: 'called' } })
      await peer.waitFor(({ body }) => body.includes('called'))
      const { erasureId, pseudonym } = await erased(app, 'called')
      const { messageId: meanwhile } = await app.client.send({ event: 'hooked', recipient: 'called' })
      expect((await settled(app.client, meanwhile)).status).toBe('CANCELED')
      expect((await app.client.erasures.get(erasureId)).status).toBe('PROCESSING')
      expect((await erased(app, 'called')).erasureId).toBe(erasureId)
      // Longer than loaded facts are kept: a call that follows is decided anew.
      await pause(1_300)
      release()
      const receipt = await completed(app, erasureId)
      expect(receipt.removed).toMatchObject({ messages: 2 })
      expect(await app.client.messages.get(messageId)).toMatchObject({ status: 'CANCELED', recipient: pseudonym })
      for (const id of [messageId, meanwhile]) {
        const { results } = await app.client.messages.history(id, { type: 'CANCELED' })
        expect(results).toMatchObject([{ source: 'erasure' }])
      }
      expect(callsFor(messageId)).toBe(1)
      const fresh = await app.client.send({
        event: 'welcome',
        recipient: 'called',
        profile: { email: 'a@b.example' },
      })
      expect((await settled(app.client, fresh.messageId)).status).toBe('DELIVERED')
    })

    test('two requests at the same time are one erasure, and its receipt has no personal data', async () => {
      await app.client.profiles.replace('twice', { profile: { a: 1 } })
      const both = await Promise.all([erased(app, 'twice'), erased(app, 'twice')])
      const [first] = both
      expect(new Set(both.map(({ erasureId }) => erasureId)).size).toBe(1)
      const receipt = await completed(app, first.erasureId)
      expect(receipt.removed).toEqual({ profiles: 1 })
      expect(JSON.stringify(receipt)).not.toContain('twice')
      expect((await erased(app, 'twice')).pseudonym).toBe(receipt.pseudonym)
    })

    test('the same id in another workspace is another person', async () => {
      const foreign = await app.key('published', 'test')
      await foreign.client.profiles.replace('same', { profile: { a: 1 } })
      const { erasureId } = await erased(app, 'same')
      await completed(app, erasureId)
      expect((await foreign.client.profiles.get('same')).profile).toEqual({ a: 1 })
      await expect(clientOf(app.url, foreign.apiKey).erasures.get(erasureId)).rejects.toMatchObject({ status: 404 })
    })

    test('a bulk job that runs afterwards leaves the person out', async () => {
      const { client } = app
      const { jobId } = await client.bulk.create({ message: { event: 'welcome' } })
      const users = ['left-1', 'left-out', 'left-2'].map((recipient) => ({ recipient }))
      await client.bulk.ingest(jobId, { users })
      await completed(app, (await erased(app, 'left-out')).erasureId)
      await client.bulk.run(jobId)
      await until(
        () => client.requests.get(jobId),
        ({ status }) => status === 'COMPLETED',
      )
      const { results } = await client.messages.list({ traceId: jobId })
      expect(results.map(({ recipient }) => recipient).toSorted()).toEqual(['left-1', 'left-2'])
    })
  })
})
