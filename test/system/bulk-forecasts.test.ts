/** The forecast of a bulk job agrees with the results of its messages. */
import type { BulkMessage, BulkUser, BulkUserForecast, Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const email = (name: string) => ({ email: `${name}@example.com` })
const phone = { phone_number: '+12025550143' }
const data = { name: 'Ada', plan: 'gold' }

const users: BulkUser[] = [
  { recipient: 'by-mail', profile: email('ada'), data },
  { recipient: 'by-phone', profile: phone, data },
  { recipient: 'stored', data },
  { profile: email('anonymous'), data },
  { recipient: 'nowhere', data },
  { recipient: 'bad-address', profile: { email: 'no address' }, data },
  { recipient: 'suppressed', profile: email('gone'), data },
  { recipient: 'opted-out', profile: email('tired'), data },
  { recipient: 'lacking', profile: email('grace'), data: { name: 'Grace' } },
]

withApp((open) => {
  let app: App
  let client: Postrider
  let smtp: SmtpSink
  let http: Recorder
  beforeAll(async () => {
    ;[smtp, http] = await Promise.all([startSmtpSink(), startRecorder()])
    http.answer(({ path }) => path.endsWith('/Messages.json'), { status: 201, body: { sid: 'SM1', status: 'queued' } })
    app = await open()
    client = app.client
    const mail = { host: '127.0.0.1', port: smtp.port, security: 'opportunistic', fromAddress: 'shop@example.com' }
    await integrate(client, { provider: 'smtp', title: 'Company mail', settings: mail })
    const twilio = { baseUrl: http.url, accountSid: `AC${'0'.repeat(32)}`, authToken: 'token', from: '+12025550100' }
    await integrate(client, { provider: 'twilio', title: 'Twilio', settings: twilio })
    const content = { title: 'Hello {name}', body: 'You have {plan}.' }
    const notification = await publish(client, 'plan', { channels: ['email', 'sms'], content })
    await publish(client, 'careful', { channels: ['email'], settings: { on_missing_variable: 'fail' }, content })
    await client.profiles.replace('stored', { profile: email('stored') })
    await client.suppressions.add({ suppressions: [{ address: 'gone@example.com' }] } as never)
    await client.preferences.replace('opted-out', { notifications: { [notification]: { status: 'OPTED_OUT' } } })
    // Where an integration has suppressions, decisions read them within a second.
    await until(
      () => explained({ event: 'plan' }),
      (forecasts) => forecasts.some(({ reason }) => reason === 'SUPPRESSED'),
    )
  })
  afterAll(() => Promise.all([smtp?.close(), http?.close()]))

  const explained = async (message: BulkMessage, of = users) =>
    (await client.bulk.explain({ message, users: of })).users

  /** The result of each message, by its recipient; those without a user have an id of the call. */
  async function sent(message: BulkMessage): Promise<Map<string, unknown>> {
    const { jobId } = await client.bulk.create({ message })
    await client.bulk.ingest(jobId, { users })
    await client.bulk.run(jobId)
    await until(
      () => client.bulk.get(jobId),
      ({ job }) => job.status === 'COMPLETED',
    )
    const { items } = await client.bulk.users(jobId)
    const messages = await Promise.all(items.map(({ messageId }) => settled(client, messageId ?? '')))
    return new Map(
      messages.map(({ recipient, status, reason, providers = [] }) => [
        nameOf(recipient),
        // A channel without a call has an entry, too.
        [status, reason, status === 'SENT' ? providers.flatMap(({ channel }) => channel?.key ?? []) : []],
      ]),
    )
  }

  const nameOf = (recipient: string) => (recipient.startsWith('anon_') ? 'anonymous' : recipient)
  const foreseen = ({ recipient, status, reason, deliveries }: BulkUserForecast): [string, unknown] => [
    nameOf(recipient),
    [status === 'ROUTED' ? 'SENT' : status, reason, deliveries.map(({ channel }) => channel)],
  ]

  test.each(['plan', 'careful'])(
    'the messages of `%s` go by the channels of the forecast, or not, for its reasons',
    async (event) => {
      const forecasts = await explained({ event })
      expect(new Map(forecasts.map(foreseen))).toEqual(await sent({ event }))
      expect(forecasts.find(({ recipient }) => recipient === 'lacking')?.missing).toEqual(['{plan}'])
    },
  )

  test('users that are not sent to have a reason', async () => {
    const forecasts = await explained({ event: 'plan' })
    const reasons = Object.fromEntries(
      forecasts.slice(4, 8).map(({ recipient, reason, unusable }) => [recipient, [reason, unusable]]),
    )
    expect(reasons).toEqual({
      nowhere: ['INCOMPLETE_PROFILE_DATA', undefined],
      'bad-address': ['INCOMPLETE_PROFILE_DATA', ['email']],
      suppressed: ['SUPPRESSED', undefined],
      'opted-out': ['UNSUBSCRIBED', undefined],
    })
    for (const { error, deliveries } of forecasts.slice(4, 8)) {
      expect(error).toMatch(/\.$/)
      expect(deliveries).toEqual([])
    }
  })

  test('a delayed job is foreseen as of when it is due', async () => {
    const [forecast] = await explained({ event: 'plan', delay: { duration: 3_600_000 } }, users.slice(0, 1))
    expect(forecast).toMatchObject({ status: 'DELAYED', deliveries: [{ channel: 'email', title: 'Company mail' }] })
  })

  test('a draft key foresees the draft, a mock key that no provider is called', async () => {
    const content = { title: 'Draft', body: 'Draft' }
    await client.notifications.create({ notification: { name: 'later', alias: 'later', content } } as never)
    const call = async (kind: 'published' | 'draft' | 'mock') => {
      const key = await app.key(kind)
      const { stopped, users: forecasts } = await key.client.bulk.explain({
        message: { event: 'later' },
        users: users.slice(0, 1),
      })
      return [stopped?.code, forecasts[0]?.status]
    }
    expect(await call('draft')).toEqual([undefined, 'ROUTED'])
    expect(await call('published')).toEqual(['notification_unpublished', 'UNROUTABLE'])
    const { client: mock } = await app.key('mock')
    const simulated = await mock.bulk.explain({ message: { event: 'plan' }, users: users.slice(0, 1) })
    expect(simulated.users[0]).toMatchObject({ status: 'SIMULATED', deliveries: [{ channel: 'email' }] })
  })

  test('data by locale is that of the user', async () => {
    const message = { event: 'plan', data: { name: 'Ada' }, locale: { de: { plan: 'Gold' } } }
    const of = (locale: string) => ({ profile: { ...email(locale), locale } })
    const forecasts = await explained(message, [of('de'), of('en')])
    expect(forecasts.map(({ missing }) => missing)).toEqual([undefined, ['{plan}']])
  })
})
