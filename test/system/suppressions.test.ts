/** An address that is gone for good is not tried again: every attempt reads the list of suppressed addresses. */
import type { MessageDetail, MessageSendBody } from '@postrider/client'
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
  let twilio: Recorder
  const rejections = new Map([
    ['gone@example.com', '550 5.1.1 No such user'],
    ['twice@example.com', '550 5.1.1 No such user'],
    ['both@example.com', '550 5.1.1 No such user'],
    ['erased@example.com', '550 5.1.1 No such user'],
    ['policy@example.com', '550 5.7.1 Blocked'],
    ['full@example.com', '552 5.2.2 Mailbox full'],
    ['orange@example.com', '552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417'],
    ['hour@example.com', '550 5.1.1 <x> - 192.0.2.1 has sent to too many recipients this hour. IB607'],
    [
      'sender@example.com',
      '550 5.1.1 <news@example.org>: Sender address rejected: User unknown in virtual mailbox table',
    ],
    ['listed@example.com', '550 5.1.1 mail from 192.0.2.1 blocked using zen.spamhaus.org'],
    ['later@example.com', '451 4.2.0 Try again'],
  ])
  const tried: string[] = []
  let later: string

  const bodyOf = (to: object, channels = ['email']) =>
    ({ message: { to, content, routing: { method: 'single', channels } } }) as MessageSendBody
  const send = async (to: object, channels?: string[]) => (await app.client.send(bodyOf(to, channels))).requestId
  const sent = async (to: object, channels?: string[]) => settled(app.client, await send(to, channels))
  const triesOf = (address: string) => tried.filter((recipient) => recipient === address).length
  const listed = async (address: string) => (await app.client.suppressions.list({ address })).results
  const suppress = (...addresses: object[]) => mustCall(app, 'POST', '/suppressions', { suppressions: addresses })

  beforeAll(async () => {
    ;[app, smtp, twilio] = await Promise.all([open(), startSmtpSink(), startRecorder()])
    smtp.script({
      recipient(address) {
        tried.push(address)
        const text = rejections.get(address)
        return text === undefined ? undefined : { code: Number(text.slice(0, 3)), text: text.slice(4) }
      },
    })
    const { port } = smtp
    const settings = { host: '127.0.0.1', port, security: 'opportunistic', fromAddress: 'news@example.org' }
    await integrate(app.client, { provider: 'smtp', settings })
    const account = { accountSid: 'AC1', authToken: 'twilio-secret', from: '+12025550100', baseUrl: twilio.url }
    await integrate(app.client, { provider: 'twilio', settings: account })
    twilio.answer(
      () => true,
      ({ body }) =>
        body.includes('2025550143')
          ? { status: 400, body: JSON.stringify({ code: 21610, message: 'Unsubscribed recipient' }) }
          : { status: 201, body: JSON.stringify({ sid: 'SM1' }) },
    )
    // Its second attempt comes after some seconds: it is looked at in the last test.
    later = await send({ email: 'later@example.com' })
    await until(
      async () => triesOf('later@example.com'),
      (tries) => tries === 1,
    )
    await suppress({ address: 'LATER@example.com', note: 'By telephone' })
  })
  afterAll(() => Promise.all([smtp?.close(), twilio?.close()]))

  test('550 5.1.1 once: the next send is not tried, and says so', async () => {
    const first = await sent({ user_id: 'ada', email: 'gone@example.com' })
    expect(first).toMatchObject({ status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR', error: '550 5.1.1 No such user' })
    const { results } = await app.client.messages.history(first.id)
    expect(results.at(-1)).toMatchObject({ type: 'UNDELIVERABLE', suppressed: 'hard_bounce' })
    const [entry, ...others] = await listed('gone@example.com')
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      ...{ kind: 'email', address: 'gone@example.com', reason: 'hard_bounce' },
      ...{ source: 'provider/smtp', message_id: first.id },
    })

    const second = await sent({ email: 'Gone@Example.com' })
    const error = `The email address is suppressed: hard_bounce by provider/smtp since ${new Date(entry!.created).toISOString()}`
    expect(second).toMatchObject({ status: 'UNDELIVERABLE', reason: 'SUPPRESSED', error })
    expect(triesOf('gone@example.com') + triesOf('Gone@Example.com')).toBe(1)
    const history = await app.client.messages.history(second.id)
    expect(history.results.at(-1)).toMatchObject({ type: 'UNDELIVERABLE', reason: 'SUPPRESSED', error_message: error })
    const { id, reason, source, created } = entry!
    const excluded = { channel: 'email', reason: 'SUPPRESSED', suppression: { id, reason, source, created } }
    const explanation = {
      decision: { status: 'UNDELIVERABLE', reason: 'SUPPRESSED', error },
      candidates: expect.arrayContaining([expect.objectContaining(excluded)]),
    }
    expect(await app.client.explain(bodyOf({ email: 'gone@example.com' }))).toMatchObject(explanation)
    expect(await app.client.messages.explain(second.id)).toMatchObject(explanation)
    const { text } = await app.call('GET', '/metrics')
    expect(text).toMatch(/^postrider_messages_suppressed_total 1$/m)

    await app.client.suppressions.delete(id)
    rejections.delete('gone@example.com')
    expect(await sent({ email: 'gone@example.com' })).toMatchObject({ status: 'SENT' })
    // Explained as it was decided.
    expect(await app.client.messages.explain(second.id)).toMatchObject(explanation)
  })

  test.each(['policy', 'full', 'orange', 'hour', 'sender', 'listed'].map((local) => `${local}@example.com`))(
    '%s is rejected for another reason, and tried again',
    async (email) => {
      for (let count = 1; count <= 2; count += 1) {
        expect(await sent({ email })).toMatchObject({ status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR' })
        expect(triesOf(email)).toBe(count)
      }
      expect(await listed(email)).toEqual([])
    },
  )

  test('another server that the send names suppresses no address', async () => {
    const { client } = await app.key('draft')
    const otherServer = await startSmtpSink()
    otherServer.script({ recipient: () => ({ code: 550, text: '5.1.1 No such user' }) })
    const body = bodyOf({ email: 'gwen@example.com' })
    Object.assign(body.message, { providers: { smtp: { override: { config: { port: otherServer.port } } } } })
    const message = await settled(client, (await client.send(body)).requestId)
    await otherServer.close()
    expect(message).toMatchObject({ status: 'UNDELIVERABLE', error: '550 5.1.1 No such user' })
    expect(await listed('gwen@example.com')).toEqual([])
    expect((await sent({ email: 'gwen@example.com' })).status).toBe('SENT')
  })

  test('a copy to a suppressed address is left out, and the explanations before and after say so', async () => {
    await suppress({ address: 'cara@example.com', reason: 'complaint' }, { address: 'dora@example.com' })
    const body = bodyOf({ email: 'ben@example.com' })
    const override = { cc: ['Cara <CARA@example.com>', 'emil@example.com'], bcc: 'dora@example.com' }
    Object.assign(body.message, { channels: { email: { override } } })
    const render = expect.objectContaining({
      step: 'render',
      notes: [
        {
          code: 'copies_suppressed',
          params: {
            copies: [
              expect.objectContaining({ address: 'cara@example.com', reason: 'complaint' }),
              expect.objectContaining({ address: 'dora@example.com', reason: 'manual' }),
            ],
          },
          text: expect.stringMatching(
            /^Copies are left out: cara@example\.com \(complaint by key\/.* since .*\), dora/,
          ),
        },
      ],
    })
    const before = await app.client.explain(body)
    expect(before.steps).toContainEqual(render)
    expect(JSON.stringify(before.rendered)).toMatch(/emil@example.com/)
    expect(JSON.stringify(before.rendered)).not.toMatch(/cara|dora/i)
    const message = await settled(app.client, (await app.client.send(body)).requestId)
    expect(message.status).toBe('SENT')
    const mail = await smtp.waitFor(({ to }) => to.includes('ben@example.com'))
    expect(mail.to).toEqual(['ben@example.com', 'emil@example.com'])
    expect(mail.raw).not.toMatch(/cara|dora/i)
    await app.client.suppressions.delete((await listed('cara@example.com'))[0]!.id)
    expect((await app.client.messages.explain(message.id)).steps).toContainEqual(render)
    // An address that cannot be read is the adapter's to refuse.
    Object.assign(override, { cc: 'not an address' })
    expect((await app.client.explain(body)).rendered).toMatchObject([{ error: 'cc has an invalid mail address' }])
  })

  test('another channel is used in its place, and a STOP suppresses the number', async () => {
    const to = { email: 'both@example.com', phone_number: '+12025550143' }
    const first = await sent(to, ['email', 'sms'])
    expect(first).toMatchObject({ status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR' })
    expect(first.providers.map(({ provider }) => provider)).toEqual(['smtp', 'twilio'])
    expect(await listed('+1 202 555-0143')).toMatchObject([
      { kind: 'phone_number', address: '+12025550143', reason: 'unsubscribed', source: 'provider/twilio' },
    ])
    for (const phone_number of [
      '\u202a+1\u00a0(202)\u00a0555\u20110143\u202c',
      'tel:+1-202-555-0143',
      '+1 (0)202 555/0143',
    ])
      expect(await sent({ phone_number }, ['sms'])).toMatchObject({ reason: 'SUPPRESSED' })
    const { results: changes } = await app.client.preferences.history(first.recipient)
    expect(changes).toMatchObject([
      { status: 'OPTED_OUT', source: 'provider', actor: 'provider/twilio', message_id: first.id },
    ])
    const second = await sent({ ...to, phone_number: '+12025550144' }, ['email', 'sms'])
    expect(second).toMatchObject({ status: 'SENT' })
    expect(second.providers.map(({ provider }) => provider)).toEqual(['twilio'])
    const { steps } = await app.client.messages.explain(second.id)
    expect(steps.find(({ step }) => step === 'route')?.summary).toContain(
      'The email address is suppressed: hard_bounce',
    )
    const third = await sent(to, ['email', 'sms'])
    expect(third).toMatchObject({ status: 'UNDELIVERABLE', reason: 'SUPPRESSED', providers: [] })
    expect(third.error).toContain('The sms address is suppressed: unsubscribed by provider/twilio')
    expect(triesOf('both@example.com')).toBe(1)
  })

  test('messages at the same time suppress their address once', async () => {
    const messages = await Promise.all([1, 2, 3, 4].map(() => sent({ email: 'twice@example.com' })))
    expect(messages.map(({ status }: MessageDetail) => status)).toEqual(Array(4).fill('UNDELIVERABLE'))
    expect(await listed('twice@example.com')).toHaveLength(1)
  })

  test('an erased person leaves no readable address, and their unsubscription still holds', async () => {
    const profile = { email: 'erased@example.com', phone_number: '+12025550199' }
    await mustCall(app, 'PUT', '/profiles/eve', { profile })
    await suppress({ address: '+12025550199', reason: 'unsubscribed', note: 'Eve' })
    expect(await sent({ user_id: 'eve' })).toMatchObject({ status: 'UNDELIVERABLE' })
    expect(await listed('erased@example.com')).toHaveLength(1)
    const { erasureId } = await mustCall(app, 'DELETE', '/profiles/eve?erase=true')
    const { removed } = await until(
      () => app.client.erasures.get(erasureId),
      ({ status }) => status === 'COMPLETED',
    )
    expect(removed).toMatchObject({ suppressions: 2 })
    expect(await listed('erased@example.com')).toEqual([])
    const [entry] = await listed('+12025550199')
    expect(entry).toMatchObject({
      kind: 'phone_number',
      address: null,
      reason: 'unsubscribed',
      source: expect.any(String),
    })
    expect(JSON.stringify(entry)).not.toMatch(/eve|2025550199/i)
    expect(await sent({ phone_number: '+12025550199' }, ['sms'])).toMatchObject({ reason: 'SUPPRESSED' })
    expect(await suppress({ address: '+12025550199' })).toEqual({ added: 0, existing: 1 })
  })

  test('a retry is not tried when its address was suppressed meanwhile', async () => {
    const message = await settled(app.client, later)
    expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'SUPPRESSED' })
    expect(message.error).toContain('The email address is suppressed: manual by key/')
    expect(triesOf('later@example.com')).toBe(1)
  })
})
