/** Messages that are ready together share calls of a service that takes several, and each is delivered, retried and explained by itself. */
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled, withApp } from '../support/app.ts'
import { type Recorded, type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const USERS = 200
const PATH = '/email/batch'

interface Mail {
  To: string
}

const taken = ({ To }: Mail) => ({ ErrorCode: 0, Message: 'OK', MessageID: `id of ${To}` })
const inactive = { ErrorCode: 406, Message: 'Inactive recipient' }
const mailsIn = ({ body }: Pick<Recorded, 'body'>) => JSON.parse(body) as Mail[]

withApp((open) => {
  let client: Postrider
  let peer: Recorder

  beforeAll(async () => {
    const [app, recorder] = await Promise.all([open(), startRecorder()])
    client = app.client
    peer = recorder
    const settings = { serverToken: 'token', fromAddress: 'news@example.org', baseUrl: peer.url }
    await integrate(client, { provider: 'postmark', settings })
    await publish(client, 'news', { channels: ['email'] })
    peer.answer('/email', ({ body }) => ({ body: taken(JSON.parse(body) as Mail) }))
    peer.answer(PATH, (request) => ({ body: JSON.stringify(mailsIn(request).map(taken)) }))
    // Until calls have succeeded, few are made at a time.
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) =>
        settled(
          client,
          (await client.send({ event: 'news', recipient: `first-${n}`, profile: profileOf(`first-${n}`) })).messageId,
        ),
      ),
    )
  })
  afterAll(() => peer?.close())

  const profileOf = (name: string) => ({ email: `${name}@example.com` })
  const addressOf = (name: string) => `${name}@example.com`
  const names = (kind: string) => Array.from({ length: USERS }, (_, n) => `${kind}-${n}`)
  const mailsTo = (kind: string) =>
    peer.all
      .filter(({ path }) => path === PATH)
      .map((call) => mailsIn(call).filter(({ To }) => To.startsWith(`${kind}-`)))
      .filter(({ length }) => length > 0)

  /** The job is done, and none of its messages waits. */
  async function jobFor(kind: string): Promise<string> {
    const { jobId } = await client.bulk.create({ message: { event: 'news' } })
    await client.bulk.ingest(jobId, {
      users: names(kind).map((name) => ({ recipient: name, profile: profileOf(name) })),
    })
    await client.bulk.run(jobId)
    await until(
      async () =>
        (await client.messages.list({ traceId: jobId, status: ['SENT', 'UNDELIVERABLE'], limit: 100 })).results,
      ({ length }) => length > 0,
    )
    await until(
      () => client.metrics.summary(),
      ({ waiting }) => waiting === 0,
    )
    return jobId
  }

  test('a job needs far fewer calls than it has messages, and none comes twice', async () => {
    await jobFor('many')
    const calls = mailsTo('many')
    expect(calls.flat().map(({ To }) => To)).toHaveLength(new Set(calls.flat().map(({ To }) => To)).size)
    expect(calls.length).toBeLessThan(USERS / 10)
  })

  test('a refused message of a call fails alone; the history shows its part of the call, and none of another', async () => {
    peer.answer(PATH, (request) => ({
      body: JSON.stringify(mailsIn(request).map((mail) => (mail.To === addressOf('part-7') ? inactive : taken(mail)))),
    }))
    await jobFor('part')
    const { results } = await client.messages.list({ recipient: 'part-7' })
    const [message] = results
    expect(message).toMatchObject({ status: 'UNDELIVERABLE' })
    const { deliveries } = await client.messages.explain(message!.id)
    const [attempt] = deliveries.flatMap(({ attempts }) => attempts)
    const { request, reply } = attempt!
    expect(request).toMatchObject({ url: `${peer.url}${PATH}`, messages: expect.any(Number) })
    expect(request!.body).toContain(`"To":"${addressOf('part-7')}"`)
    expect(request!.body).not.toContain(addressOf('part-8'))
    expect(JSON.parse(reply!.body!)).toEqual(inactive)
    expect(await statuses('part')).toEqual({ SENT: USERS - 1, UNDELIVERABLE: 1 })
  })

  test('a call that is cut off leaves each of its messages in doubt, and each is sent again', async () => {
    let lost: string[] = []
    const cutOff = (request: Recorded) => {
      lost = mailsIn(request).map(({ To }) => To)
      return { instead: 'reset' as const }
    }
    peer.answer(PATH, cutOff, 1)
    await jobFor('cut')
    expect(await statuses('cut')).toEqual({ SENT: USERS })
    const single = peer.all.filter(({ path }) => path === '/email').map(({ body }) => (JSON.parse(body) as Mail).To)
    const all = [...mailsTo('cut').flatMap((mails) => mails.map(({ To }) => To)), ...single]
    const repeated = names('cut')
      .map(addressOf)
      .filter((address) => all.filter((To) => To === address).length > 1)
    expect(lost.length).toBeGreaterThan(1)
    expect(repeated.sort()).toEqual(lost.sort())
  })

  async function statuses(kind: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const name of names(kind)) {
      const { results } = await client.messages.list({ recipient: name })
      expect(results).toHaveLength(1)
      const status = results[0]?.status ?? ''
      counts[status] = (counts[status] ?? 0) + 1
    }
    return counts
  }
})
