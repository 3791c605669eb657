/** Messages are found by the address of the person: named by the send, turned to by a delivery, or of a user who has it. */
import type { MessagesListQuery } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { type App, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate } from './templates.ts'

const content = { title: 'Hello', body: 'Good to see you.' }

withApp((open) => {
  let app: App
  let smtp: SmtpSink
  let services: Recorder

  beforeAll(async () => {
    ;[app, smtp, services] = await Promise.all([open(), startSmtpSink(), startRecorder()])
    services.answer(
      () => true,
      () => ({ status: 201, body: JSON.stringify({ sid: 'SM1', ok: true, result: { message_id: 7 } }) }),
    )
    const { port } = smtp
    const settings = { host: '127.0.0.1', port, security: 'opportunistic', fromAddress: 'news@example.org' }
    await integrate(app.client, { provider: 'smtp', settings })
    const account = { accountSid: 'AC1', authToken: 'twilio-secret', from: '+12025550100', baseUrl: services.url }
    await integrate(app.client, { provider: 'twilio', settings: account })
    await integrate(app.client, { provider: 'slack', settings: { accessToken: 'xoxb', baseUrl: services.url } })
    await integrate(app.client, { provider: 'telegram', settings: { botToken: '7:bot', baseUrl: services.url } })
  })
  afterAll(() => Promise.all([smtp?.close(), services?.close()]))

  const send = async (to: object | object[], more: object = {}) =>
    (await mustCall(app, 'POST', '/send', { message: { to, content, ...more } })).requestId as string
  const through = (channel: string) => ({ routing: { method: 'single', channels: [channel] } })
  const sent = async (to: object, channel = 'email') => {
    const message = await settled(app.client, await send(to, through(channel)))
    expect(message.providers).toMatchObject([{ status: channel === 'telegram' ? 'DELIVERED' : 'SENT' }])
    return message.id
  }
  const ids = async (query: MessagesListQuery) => (await app.client.messages.list(query)).results.map(({ id }) => id)
  const tomorrow = { delay: { duration: 86_400_000 } }

  test('a recipient without a user is found by each spelling of each address, before and after the message is sent', async () => {
    const waiting = await send({ email: 'Jane@Example.com', phone_number: '+1 (202) 555-0171' }, tomorrow)
    const after = await sent({ email: 'Jane Roe <jane@example.com>' })
    for (const query of [
      { address: 'jane@example.com' },
      { address: ' JANE@EXAMPLE.COM ' },
      { email: 'jane@example.com' },
    ])
      expect(await ids(query)).toEqual([after, waiting])
    for (const address of [
      '+12025550171',
      '0012025550171',
      '1 202-555-0171',
      '\u202a+1 (202) 555\u20110171\u202c',
      '＋１２０２５５５０１７１',
    ])
      expect(await ids({ address })).toEqual([waiting])
    expect(await ids({ address: 'jane@example.com', status: ['SENT'] })).toEqual([after])
    const both = await sent({ email: 'jo@example.com', phone_number: '+12025550174' })
    for (const address of ['jo@example.com', '+12025550174']) expect(await ids({ address })).toEqual([both])
    expect(await ids({ address: 'june@example.com' })).toEqual([])
  })

  test('a user is found by an address of the profile, by the address of a send, and by one that the profile had', async () => {
    await mustCall(app, 'PUT', '/profiles/ada', {
      profile: { email: 'Ada@Example.com', phone_number: '+1 202 555 0172' },
    })
    const first = await sent({ user_id: 'ada' })
    const elsewhere = await sent({ user_id: 'ada', email: 'ada@work.example' })
    await mustCall(app, 'PUT', '/profiles/ada', { profile: { email: 'countess@example.com' } })
    const waiting = await send({ user_id: 'ada' }, tomorrow)
    expect(await ids({ address: 'ada@example.com' })).toEqual([first])
    expect(await ids({ address: 'ada@work.example' })).toEqual([elsewhere])
    expect(await ids({ address: 'countess@example.com' })).toEqual([waiting, elsewhere, first])
    expect(await ids({ address: '+12025550172' })).toEqual([])
  })

  test('by the number of a text message and by a chat', async () => {
    await mustCall(app, 'PUT', '/profiles/bob', {
      profile: { phone_number: '+12025550173', telegram: { chat_id: '4711' } },
    })
    const text = await sent({ user_id: 'bob' }, 'sms')
    const chat = await sent({ user_id: 'bob' }, 'telegram')
    expect(await ids({ address: '+12025550173' })).toEqual([chat, text])
    expect(await ids({ address: '4711' })).toEqual([chat])
    const channel = await send({ slack: { channel: 'C0SLACK' } }, tomorrow)
    const person = await send({ slack: { email: 'bob@chat.example' } }, tomorrow)
    const named = await send({ telegram: { chat_id: '@channel' } }, tomorrow)
    expect(await ids({ address: 'C0SLACK' })).toEqual([channel])
    expect(await ids({ address: 'bob@chat.example' })).toEqual([person])
    expect(await ids({ address: '@channel' })).toEqual([named])
  })

  test('a waiting message of a user, however the profile writes the address, and by an id that is an address', async () => {
    const written = {
      'sp-1': 'Odd One <odd@example.com>',
      'sp-2': ' Odd@example.com ',
      'sp-3': 'odd@bücher.example',
      'sp-4': 'odd@xn--bcher-kva.example',
    }
    const made: string[] = []
    for (const [id, email] of Object.entries(written)) {
      await mustCall(app, 'PUT', `/profiles/${id}`, { profile: { email } })
      made.push(await send({ user_id: id }, tomorrow))
    }
    const [name, spaces, unicode, ascii] = made
    expect(await ids({ address: 'odd@example.com' })).toEqual([spaces, name])
    for (const address of ['odd@bücher.example', 'ODD@xn--bcher-kva.example'])
      expect(await ids({ address })).toEqual([ascii, unicode])
    const boss = await send({ user_id: 'Boss@Example.com' }, tomorrow)
    expect(await ids({ address: 'Boss@Example.com' })).toEqual([boss])
    const filter = { address: 'odd@example.com' }
    expect((await app.client.messages.cancelMany({ filter, dry_run: true })).cancelable).toBe(2)
  })

  test('a message that was decided and never tried is found when the profile is gone', async () => {
    await mustCall(app, 'PUT', '/profiles/fay', { profile: { email: 'fay@example.com' } })
    const unroutable = await settled(app.client, await send({ user_id: 'fay' }, through('sms')))
    expect(unroutable).toMatchObject({ status: 'UNROUTABLE' })
    await mustCall(app, 'DELETE', '/profiles/fay')
    expect(await ids({ address: 'fay@example.com' })).toEqual([unroutable.id])
  })

  test('each recipient of a send to many, and an address that is suppressed', async () => {
    const request = await send([{ email: 'carol@example.com' }, { email: 'dan@example.com' }], through('email'))
    const [carol] = await until(
      () => ids({ address: 'carol@example.com' }),
      ({ length }) => length > 0,
    )
    expect(await ids({ messageId: request, address: 'dan@example.com' })).not.toContain(carol)
    await mustCall(app, 'PUT', '/profiles/dan', { profile: { email: 'dan@example.com' } })
    await mustCall(app, 'POST', '/suppressions', { suppressions: [{ address: 'dan@example.com' }] })
    const refused = await settled(app.client, await send({ user_id: 'dan' }, through('email')))
    expect(refused).toMatchObject({ reason: 'SUPPRESSED' })
    await mustCall(app, 'DELETE', '/profiles/dan')
    expect((await ids({ address: 'dan@example.com' }))[0]).toBe(refused.id)
  })

  test('pages have each message once, in the order of time, whatever finds it', async () => {
    const email = 'often@example.com'
    await mustCall(app, 'PUT', '/profiles/often', { profile: { email } })
    const made: string[] = []
    for (let n = 0; n < 24; n += 1)
      made.push(await send([{ user_id: 'often' }, { email }, { user_id: 'often', email }][n % 3] ?? {}, tomorrow))
    const pages: string[][] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { results, paging } = await app.client.messages.list({ address: email, ...(cursor && { cursor }) })
      pages.push(results.map(({ id }) => id))
      cursor = paging.cursor
    }
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 4])
    expect(pages.flat()).toEqual(made.toReversed())
    const { results } = await until(
      () => app.client.messages.list({ address: email, after: made[0] ?? '', limit: 5 }),
      (page) => page.results.length === 5,
    )
    expect(results.map(({ id }) => id)).toEqual(made.slice(1, 6))
    const { cancelable } = await app.client.messages.cancelMany({ filter: { address: email }, dry_run: true })
    expect(cancelable).toBe(24)
  })

  test('an erased person is found by the address, under the pseudonym', async () => {
    await mustCall(app, 'PUT', '/profiles/eve', { profile: { email: 'eve@example.com' } })
    const id = await sent({ user_id: 'eve' })
    const erasure = await mustCall(app, 'DELETE', '/profiles/eve?erase=true')
    await until(
      () => app.client.erasures.get(erasure.erasureId),
      ({ status }) => status !== 'PROCESSING',
    )
    const { results } = await app.client.messages.list({ address: 'eve@example.com' })
    expect(results).toMatchObject([{ id, recipient: expect.stringMatching(/^erased-/) }])
  })

  test('other environments and viewers find nothing, and a text that is no address is refused', async () => {
    const { key } = await app.client.keys.create({ name: 'test', environment: 'test' })
    const elsewhere = await app.call('GET', '/messages?address=ada@example.com', { apiKey: key })
    expect(elsewhere).toMatchObject({ status: 200, json: { results: [] } })
    const viewer = await app.client.keys.create({ name: 'viewer', role: 'viewer' })
    for (const field of ['address', 'email'])
      expect(await app.call('GET', `/messages?${field}=ada@example.com`, { apiKey: viewer.key })).toMatchObject({
        status: 403,
      })
    for (const query of ['address=no%20address', 'email=@', 'address=a@b.example&email=a@b.example'])
      expect(await app.call('GET', `/messages?${query}`)).toMatchObject({
        status: 400,
        json: { type: 'invalid_request_error' },
      })
  })
})
