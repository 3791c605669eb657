/** Copies that a mail server refuses for now arrive later, each once, or the history says why not. */
import type { MessageSendBody } from '@postrider/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { type Rejection, type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate } from './templates.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const later: Rejection = { code: 450, text: '4.2.0 Greylisted' }
const settings = (port: number, more = {}) => ({
  ...{ host: '127.0.0.1', port, security: 'opportunistic', fromAddress: 'news@example.org', ...more },
})

withApp((open) => {
  let app: App
  let sink: SmtpSink
  /** Requires a sign-in. */
  let other: SmtpSink
  let integration: string
  let database: Awaited<ReturnType<typeof engineOn>>
  const clock = settableClock()
  /** The answers to recipients; the others are taken. */
  let answers: Record<string, Rejection> = {}

  beforeAll(async () => {
    const env = await databaseEnvironment()
    ;[app, sink, other] = await Promise.all([
      ...[open({ clock, env }), startSmtpSink()],
      startSmtpSink({ user: 'gil', password: 'hidden-in-the-row' }),
    ] as const)
    database = await engineOn(env.POSTRIDER_DATABASE_URL)
    for (const server of [sink, other]) server.script({ recipient: (address) => answers[address] })
    integration = await addIntegration()
  })
  afterAll(() => Promise.all([sink?.close(), other?.close(), database?.close()]))
  beforeEach(() => {
    answers = {}
  })

  const addIntegration = async (more = {}) =>
    (await integrate(app.client, { provider: 'smtp', settings: settings(sink.port, more) })).id

  /** A sent message with copies to these addresses, all of which are refused for now. */
  async function send(name: string, copies: readonly string[], more: Record<string, unknown> = {}, via = integration) {
    for (const address of copies) answers[address] = later
    const channels = [{ channel: 'email', method: 'single', providers: [via] }]
    const body = {
      message: {
        to: { user_id: name, email: `${name}@example.com` },
        content: { title: 'Hello', body: 'Good to see you.' },
        routing: { method: 'single', channels },
        channels: { email: { override: { cc: copies.join(', ') } } },
        ...more,
      },
    } as MessageSendBody
    const message = await settled(app.client, (await app.client.send(body)).requestId)
    expect(message.status).toBe('SENT')
    return message.id
  }
  const wait = (ms: number) => clock.set(clock.now() + ms)
  const events = async (id: string) =>
    (await app.client.messages.history(id)).results.flatMap((event) =>
      event.type === 'COPY_SENT' || event.type === 'COPY_UNDELIVERABLE'
        ? [[event.type, event.address, 'error_message' in event ? event.error_message : undefined]]
        : [],
    )
  const ended = (id: string, count = 1) =>
    until(
      () => events(id),
      ({ length }) => length === count,
    )
  const mailsTo = (address: string, server = sink) => server.all.filter(({ to }) => to.includes(address))
  /** The recipients that the servers had, with what they answered. */
  const attempts = () => {
    const seen: string[] = []
    for (const server of [sink, other])
      server.script({
        recipient: (address) => {
          seen.push(address)
          return answers[address]
        },
      })
    return seen
  }

  test('a copy that is refused for a minute arrives once, as the same mail', async () => {
    const id = await send('ada', ['bob@copy.example'])
    const { results } = await app.client.messages.history(id)
    const sent = results.find(({ type }) => type === 'SENT')
    const { rows } = await database.run({
      text: 'select due_at from deferred_copies where message_id = $1',
      values: [id],
    })
    expect(rows).toEqual([{ due_at: (sent?.ts ?? 0) + MINUTE }])
    expect(sent).toMatchObject({
      findings: ['The copy to bob@copy.example was deferred, and is tried again: 450 4.2.0 Greylisted'],
    })
    answers = {}
    wait(MINUTE)
    expect(await ended(id)).toEqual([['COPY_SENT', 'bob@copy.example', undefined]])
    wait(HOUR)
    const [copy, ...more] = mailsTo('bob@copy.example')
    expect(more).toEqual([])
    const [mail] = mailsTo('ada@example.com')
    expect(copy?.to).toEqual(['bob@copy.example'])
    expect(copy?.raw).toBe(mail?.raw)
    expect((await app.client.messages.get(id)).status).toBe('SENT')
  })

  test('copies have their bounce address, and each its result', async () => {
    const via = await addIntegration({ bounceAddress: 'bounces@example.org' })
    const [bob, cy, dan] = ['bob@each.example', 'cy@each.example', 'dan@each.example']
    const id = await send('bea', [bob, cy, dan], {}, via)
    answers = { [cy]: { code: 550, text: '5.1.1 no such user' }, [dan]: later }
    wait(MINUTE)
    expect((await ended(id, 2)).sort()).toEqual([
      ['COPY_SENT', bob, undefined],
      ['COPY_UNDELIVERABLE', cy, '550 5.1.1 no such user'],
    ])
    const seen = attempts()
    answers = {}
    wait(5 * MINUTE)
    expect(await ended(id, 3)).toContainEqual(['COPY_SENT', dan, undefined])
    expect(seen).toEqual([dan])
    const [ofBob, ofDan, ofBea] = [bob, dan, 'bea@example.com'].map((address) => mailsTo(address)[0]?.from)
    expect(ofBob).toMatch(/^bounces\+[0-9a-v]+@example\.org$/)
    expect([ofDan, ofBea === ofBob]).toEqual([ofBob, false])
    expect((await app.client.suppressions.list({})).results).toEqual([])
  })

  test('a copy is given up when the time of the message is over', async () => {
    const bob = 'bob@late.example'
    const seen = attempts()
    const id = await send('cal', [bob], { timeout: { message: 30 * MINUTE } })
    for (const minutes of [1, 5, 10]) {
      const before = seen.length
      wait(minutes * MINUTE)
      await until(
        async () => seen.length,
        (count) => count > before,
      )
    }
    expect(await ended(id)).toEqual([['COPY_UNDELIVERABLE', bob, '450 4.2.0 Greylisted']])
    const over = await send('cal', ['cy@late.example'], { timeout: { message: MINUTE / 2 } })
    answers = {}
    wait(2 * MINUTE)
    expect(await ended(over)).toEqual([
      ['COPY_UNDELIVERABLE', 'cy@late.example', 'The time to send this message ran out'],
    ])
    expect([bob, 'cy@late.example'].flatMap((address) => mailsTo(address))).toEqual([])
  })

  test('an address that was suppressed meanwhile gets no copy', async () => {
    const [bob, cy] = ['bob@objects.example', 'cy@objects.example']
    const id = await send('eve', [bob, cy])
    await app.call('POST', '/suppressions', {
      body: { suppressions: [{ address: 'Bob@objects.example', kind: 'email' }] },
    })
    answers = {}
    wait(MINUTE)
    const results = await ended(id, 2)
    expect(results).toContainEqual(['COPY_SENT', cy, undefined])
    expect(results).toContainEqual([
      'COPY_UNDELIVERABLE',
      bob,
      expect.stringMatching(/^The email address is suppressed: manual by key\//),
    ])
    expect(mailsTo(bob)).toEqual([])
  })

  test('copies wait for an integration that is disabled, and end with one that is removed', async () => {
    const via = await addIntegration()
    const bob = 'bob@repair.example'
    const id = await send('fay', [bob], {}, via)
    answers = {}
    const seen = attempts()
    await app.client.providers.update(via, { provider: 'smtp', enabled: false })
    wait(MINUTE)
    const { rows } = await until(
      () =>
        database.run<{ attempts: number }>({
          text: 'select attempts from deferred_copies where message_id = $1 and due_at > $2',
          values: [id, clock.now() + 3 * MINUTE],
        }),
      ({ rows: [copies] }) => copies !== undefined,
    )
    expect([rows, seen, await events(id)]).toEqual([[{ attempts: 2 }], [], []])
    await app.client.providers.update(via, { provider: 'smtp', enabled: true })
    wait(5 * MINUTE)
    expect(await ended(id)).toEqual([['COPY_SENT', bob, undefined]])
    const removed = await send('fay', ['cy@repair.example'], {}, via)
    await app.client.providers.delete(via)
    wait(MINUTE)
    expect(await ended(removed)).toEqual([['COPY_UNDELIVERABLE', 'cy@repair.example', 'Its integration was removed']])
  })

  test('copies of a send with its own server go there', async () => {
    const bob = 'bob@moved.example'
    const config = { port: other.port, password: 'hidden-in-the-row', user: 'gil' }
    const id = await send('gil', [bob], { providers: { smtp: { override: { config } } } })
    const { rows } = await database.run({
      text: 'select * from deferred_copies where message_id = $1',
      values: [id],
    })
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('hidden-in-the-row')
    answers = {}
    wait(MINUTE)
    expect(await ended(id)).toEqual([['COPY_SENT', bob, undefined]])
    expect([mailsTo(bob).length, mailsTo(bob, other).length]).toEqual([0, 1])
  })

  test('an erased person leaves no mail and no address behind', async () => {
    const earlier = await send('hal', ['cy@erased.example'])
    answers = {}
    wait(MINUTE)
    await ended(earlier)
    const id = await send('hal', ['bob@erased.example'])
    answers = {}
    const { erasureId } = (await app.call('DELETE', '/profiles/hal?erase=true')).json
    const done = await until(
      () => app.client.erasures.get(erasureId),
      ({ status }) => status === 'COMPLETED',
    )
    expect(done.removed).toMatchObject({ deferredCopies: 1 })
    wait(HOUR)
    expect([await events(id), await events(earlier)]).toEqual([[], [['COPY_SENT', undefined, undefined]]])
    expect(mailsTo('bob@erased.example')).toEqual([])
  })
})
