/** The documented calls whose effect a provider sees: failover and overrides; the titles carry the numbers of the case list. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../../support/peers/smtp.ts'
import { integrate, publish } from '../../system/templates.ts'
import { EVENT, sendAs } from './wire.ts'

const fromAddress = 'news@shop.example'

withApp((open) => {
  let app: App
  let sendgrid: Recorder
  let mail: SmtpSink
  beforeAll(async () => {
    ;[app, sendgrid, mail] = await Promise.all([open(), startRecorder(), startSmtpSink()])
    const { client } = app
    const sender = { apiKey: 'key', fromAddress, baseUrl: sendgrid.url }
    await integrate(client, { provider: 'sendgrid', priority: 1, settings: sender })
    const server = { host: '127.0.0.1', port: mail.port, security: 'opportunistic', fromAddress }
    await integrate(client, { provider: 'smtp', priority: 2, settings: server })
    await publish(client, EVENT, { channels: ['email'] })
  })
  afterAll(() => Promise.all([sendgrid.close(), mail.close()]))

  const isFor = (email: string) => (call: { body: string }) => call.body.includes(email)
  const sent = (email: string, override?: object) =>
    sendAs(app, { event: EVENT, recipient: email, profile: { email }, data: { name: 'Ada' }, override })

  test('case 15: a message that the first integration answers with 500 is delivered by the second, and the record has both', async () => {
    const email = 'failover@example.com'
    sendgrid.answer(isFor(email), { status: 500, body: { errors: [{ message: 'down' }] } })
    const message = await sent(email)
    expect(message.status).toBe('SENT')
    expect(message.providers.map(({ provider }: { provider: string }) => provider)).toEqual(['sendgrid', 'smtp'])
    expect(sendgrid.all.filter(isFor(email))).toHaveLength(1)
    expect(mail.all.filter(({ to }) => to.includes(email))).toHaveLength(1)
  })

  test('case 16: an override of the body is in the request, beside what was generated', async () => {
    const email = 'override@example.com'
    sendgrid.answer(isFor(email), { status: 202, body: '' })
    const attachments = [{ content: 'aGVsbG8=', type: 'text/plain', filename: 'hello.txt' }]
    await sent(email, { sendgrid: { body: { attachments, subject: 'Overridden' } } })
    const request = await sendgrid.waitFor(isFor(email))
    expect(JSON.parse(request.body)).toMatchObject({
      attachments,
      subject: 'Overridden',
      from: { email: fromAddress },
      personalizations: [{ to: [{ email }] }],
      content: expect.arrayContaining([{ type: 'text/plain', value: expect.stringContaining('Ada') }]),
    })
  })
})
