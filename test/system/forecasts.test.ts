/** An explanation before a send agrees with what happens: generated sends are explained, then made, and both are compared. */
import type {
  Explanation,
  Integration,
  MessageDetail,
  MessageExplanation,
  MessageRouting,
  MessageSend,
  Postrider,
  RenderedContent,
} from '@postrider/client'
import { forecast, messageSentence, type SentenceFormat, sentenceText } from '@postrider/client/sentence'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled, withApp } from '../support/app.ts'
import { type SettableClock, settableClock } from '../support/clock.ts'
import { ticketForEach } from '../support/peers/expo.ts'
import { type Recorded, type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { type SeededRandom, seededRandom } from '../support/random.ts'
import { isLong } from '../support/run/long.ts'
import { until } from '../support/until.ts'
import { inForce, integrate, publish } from './templates.ts'

const SECOND = 1_000
const DAY = 86_400_000
const SENDS = isLong ? 1_000 : 50
const SEED = isLong ? Date.now() % 1_000_000 : 33
const LATER = new Date(Date.now() + 3 * DAY).toISOString()
/** On one day of the week, in three days. */
const HOURS = `${['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'][new Date(LATER).getUTCDay()]} 08:00-18:00`
const PUSH_PATH = '/--/api/v2/push/send'
/** The last one is some five minutes away: longer than these tests take. */
const PROBES = 5
/** A send of these waits for a time, a person or an integration. */
const WAITING: readonly string[] = ['DELAYED', 'HELD', 'waiting']
const ACCEPTED: readonly string[] = ['SENT', 'DELIVERED']
const IN_PROGRESS: readonly string[] = ['ENQUEUED', 'ROUTED']

const format: SentenceFormat = {
  time: (at) => new Date(at).toISOString(),
  // The time that a call took is not foreseen.
  duration: () => 'some ms',
  list: (items) => new Intl.ListFormat('en').format(items),
}

interface Peers {
  published: Postrider
  smtp: SmtpSink
  http: Recorder
}

interface Situation extends Peers {
  about: (n: number) => string
  /** One for each send. */
  numbers: readonly number[]
  mock: Postrider
  topics: Topics
}

/** A send with the addresses of its number. */
interface NumberedSend {
  n: number
  message: MessageSend
  /** With a key of another mode. */
  client?: Postrider
  about: string
}

withApp((open) => {
  let smtp: SmtpSink
  let http: Recorder
  let closed: { port: number; url: string }

  beforeAll(async () => {
    ;[smtp, http] = await Promise.all([startSmtpSink(), startRecorder()])
    http.answer('/v3/mail/send', { status: 202, headers: { 'x-message-id': 'SG1' } })
    http.answer(({ path }) => path.endsWith('/Messages.json'), { status: 201, body: { sid: 'SM1', status: 'queued' } })
    http.answer(PUSH_PATH, ticketForEach())
    http.answer(({ path }) => path.startsWith('/refusing/'), { status: 401, body: { message: 'Authenticate' } })
    const sink = await startSmtpSink()
    await sink.close()
    closed = { port: sink.port, url: `http://127.0.0.1:${sink.port}` }
  })
  afterAll(() => Promise.all([smtp?.close(), http?.close()]))

  test(`for ${SENDS} generated sends the explanation before, its sentence and its words are those of what happened`, async () => {
    const app = await open()
    const { topics } = await prepare(app.client, {
      port: smtp.port,
      sendgrid: http.url,
      twilio: http.url,
      expo: http.url,
    })
    const mock = (await app.key('mock')).client
    const statuses = await sendAll({
      published: app.client,
      mock,
      topics,
      smtp,
      http,
      numbers,
      about: aboutOf('all work'),
    })
    expect(statuses).toEqual([
      ...['DELAYED', 'DIGESTED', 'FILTERED', 'HELD', 'ROUTED', 'SIMULATED', 'UNDELIVERABLE', 'UNMAPPED', 'UNROUTABLE'],
    ])
    const pushes = http.all
      .filter(({ path }) => path === PUSH_PATH)
      .flatMap(({ body }) => JSON.parse(body) as { to: string }[])
    const devices = pushes.map(({ to }) => to)
    expect(new Set(devices)).toEqual(new Set(['ada-1', 'ada-2', 'lin'].map(tokenOf)))
  }, 600_000)

  test('the same while the mail server and the SMS provider cannot be reached, and their circuit breakers are open', async () => {
    const clock = settableClock()
    const app = await open({ clock })
    const prepared = await prepare(app.client, {
      port: closed.port,
      sendgrid: http.url,
      twilio: closed.url,
      expo: http.url,
    })
    await openBreakers(app.client, clock, [prepared.smtp, prepared.twilio])
    const mock = (await app.key('mock')).client
    const { topics } = prepared
    const statuses = await sendAll({
      published: app.client,
      mock,
      topics,
      smtp,
      http,
      numbers: even,
      about: aboutOf('unreachable'),
    })
    expect(statuses).toContain('waiting')
    expect(statuses).toContain('ROUTED')
  }, 600_000)

  test('the same while the first mail provider and the SMS provider refuse their credentials', async () => {
    const clock = settableClock()
    const app = await open({ clock })
    const refusing = `${http.url}/refusing`
    const prepared = await prepare(app.client, {
      ...{ port: smtp.port, sendgrid: refusing, twilio: refusing, expo: http.url, sendgridPriority: 0 },
    })
    await openBreakers(app.client, clock, [prepared.sendgrid, prepared.twilio])
    const mock = (await app.key('mock')).client
    const { topics } = prepared
    const statuses = await sendAll({
      published: app.client,
      mock,
      topics,
      smtp,
      http,
      numbers: odd,
      about: aboutOf('refused'),
    })
    expect(statuses).toContain('HELD')
    expect(statuses).toContain('ROUTED')
  }, 600_000)

  test('the same while the first mail provider, the SMS provider and the one of phones have made the calls of their day', async () => {
    // At noon the day does not end meanwhile.
    const noon = Math.ceil(Date.now() / DAY) * DAY + DAY / 2
    const app = await open({ clock: settableClock(noon) })
    const prepared = await prepare(app.client, {
      ...{ port: smtp.port, sendgrid: http.url, twilio: http.url, expo: http.url, sendgridPriority: 0 },
      limits: { per_day: 1 },
    })
    await useUp(app.client, [prepared.sendgrid, prepared.twilio, prepared.expo])
    const mock = (await app.key('mock')).client
    const { topics } = prepared
    const statuses = await sendAll({
      ...{ published: app.client, mock, topics, smtp, http },
      ...{ numbers: even, about: aboutOf('limited') },
    })
    expect(statuses).toContain('waiting')
    expect(statuses).toContain('ROUTED')
  }, 600_000)

  test('the same while a call of the SMS provider, whose circuit breaker is open, tests whether it works again', async () => {
    const clock = settableClock()
    const app = await open({ clock })
    const failing = '/failing'
    const isCall = ({ path }: Recorded) => path.startsWith(`${failing}/`)
    http.answer(isCall, { status: 503 })
    const prepared = await prepare(app.client, {
      ...{ port: smtp.port, sendgrid: http.url, twilio: `${http.url}${failing}`, expo: http.url },
    })
    const { twilio } = prepared
    await openBreakers(app.client, clock, [twilio], 0)
    const release = http.hold(isCall, { status: 201, body: { sid: 'SM1', status: 'queued' } })
    clock.set((await app.client.providers.get(twilio.id)).circuit_breaker?.next_probe ?? 0)
    const calls = () => http.all.filter(isCall).length
    const before = calls()
    const sendOf = (n: number, method: 'single' | 'all', ...channels: string[]) => {
      const to = { phone_number: phoneOf(n), email: emailOf(n) }
      const routing = { method, channels } as MessageRouting
      return { n, about: 'probed', message: { to, content: { title: `Hello ${n}`, body: `Hello ${n}` }, routing } }
    }
    const peers = { published: app.client, smtp, http }
    const { requestId: probe } = await app.client.send({ message: sendOf(9_000, 'single', 'sms').message })
    await until(
      async () => calls(),
      (count) => count === before + 1,
    )
    const waiting = await compare(peers, sendOf(9_001, 'single', 'sms', 'email'))
    const byMail = await compare(peers, sendOf(9_002, 'all', 'sms', 'email'))
    expect([waiting.status, byMail.status, calls()]).toEqual(['waiting', 'ROUTED', before + 1])
    const probed = { title: 'Twilio', held_back: 'circuit_breaker', circuit_breaker: { state: 'half_open' } }
    for (const {
      before: { rendered },
    } of [waiting, byMail])
      expect(rendered[0]).toMatchObject(probed)
    const [first, second] = [waiting, byMail].map((send) => sentenceText(forecast(send.before, { format })))
    expect(first).toMatch(
      /A call is testing whether Twilio works again, which decides when its turn comes\. If that fails: email through Company mail/,
    )
    expect(second).toMatch(/Twilio is not called while another call tests whether it works again: `503 /)
    release()
    for (const id of [probe, waiting.id]) expect((await settled(app.client, id)).status).toBe('SENT')
  })
})

const numbers = Array.from({ length: SENDS }, (_, n) => n)
const even = numbers.filter((n) => n % 2 === 0)
const odd = numbers.filter((n) => n % 2 === 1)
const aboutOf = (name: string) => (n: number) => `send ${n} of seed ${SEED}, ${name}`

/** Explains and makes every send; gives the statuses that were explained, sorted: `waiting` for those that no provider gets yet. */
async function sendAll({ about, numbers, mock, topics, ...peers }: Situation): Promise<string[]> {
  const statuses = new Set<string>()
  for (const n of numbers) {
    const message = draw(n, seededRandom(SEED * 10_000 + n), topics)
    const client = n % 5 === 4 ? mock : peers.published
    const { id, status } = await compare(peers, {
      ...{ n, message, client },
      about: `${about(n)}: ${JSON.stringify(message)}`,
    })
    if (WAITING.includes(status)) await canceled(peers.published, id)
    statuses.add(status)
  }
  return [...statuses].sort()
}

/** A release that the preparation has caused can have it in hand. */
const canceled = (client: Postrider, id: string) =>
  until(
    () =>
      client.messages.cancel(id).then(
        () => 'canceled',
        ({ code }: { code?: string }) => code,
      ),
    (code) => code !== 'too_late_to_cancel',
  )

/** Explains a send and makes it. */
async function compare(
  { published, smtp, http }: Peers,
  { n, message, client = published, about }: NumberedSend,
): Promise<{ id: string; status: string; before: Explanation }> {
  const mails = smtp.all.length
  const requests = http.all.length
  const before = await client.explain({ message })
  const { requestId: id } = await client.send({ message })
  const { accepted, waits } = expected(before)
  // The preparation is a repair, whose release can send a held message on between two readings.
  const [after, reached] = await until(
    () => Promise.all([published.messages.explain(id), published.messages.get(id)]),
    ([{ message: explained, deliveries }, { status }]) =>
      explained.status === status &&
      (!IN_PROGRESS.includes(status) || (waits && deliveries.some(({ next_attempt_at: at }) => at !== undefined))) &&
      deliveries.filter(isAccepted).length >= accepted.length,
  )
  const { results: history } = await published.messages.history(id)
  expect(decided(after), about).toEqual(decided(before))
  expect(outcome(reached, after), about).toEqual(expected(before))
  const sentence = sentenceText(messageSentence({ message: reached, explanation: after, history }, { format }))
  expect(inOrder(sentence).startsWith(inOrder(happened(before))), `${about}\n${sentence}\n${happened(before)}`).toBe(
    true,
  )
  expect(received(n, smtp.all.slice(mails), http.all.slice(requests)), about).toEqual(promised(before))
  return { id, status: waits ? 'waiting' : before.decision.status, before }
}

/** The words that the providers got for a send, by channel. */
const received = (n: number, mails: SmtpSink['all'], calls: Recorder['all']) =>
  [
    ...mails
      .filter(({ to }) => to.includes(emailOf(n)))
      .map(({ parsed }) => ({ channel: 'email', words: parsed.subject ?? '' })),
    ...calls
      .filter(({ path, body }) => path === '/v3/mail/send' && body.includes(`"${emailOf(n)}"`))
      .map(({ body }) => ({ channel: 'email', words: (JSON.parse(body) as { subject: string }).subject })),
    ...calls
      .map(({ body }) => new URLSearchParams(body))
      .filter((fields) => fields.get('To') === phoneOf(n))
      .map((fields) => ({ channel: 'sms', words: fields.get('Body') ?? '' })),
    ...calls
      .filter(({ path }) => path === PUSH_PATH)
      .flatMap(({ body }) => JSON.parse(body) as { title: string }[])
      .map(({ title }) => ({ channel: 'push', words: title })),
  ].sort(byChannel)

/** Sends until each is open, and makes its probes fail: after all of them the next one is minutes away. */
async function openBreakers(
  client: Postrider,
  clock: SettableClock,
  integrations: readonly Integration[],
  probesMax = PROBES,
) {
  const probeOf = async ({ id }: Integration) => {
    const { state, next_probe: probe = 0 } = (await client.providers.get(id)).circuit_breaker!
    return state === 'open' ? probe : 0
  }
  const to = { email: 'breaker@example.com', phone_number: '+12025559999' }
  const content = { title: 'Hello', body: 'Hello' }
  for (let probes = 0; probes <= probesMax; probes += 1) {
    const before = await Promise.all(integrations.map(probeOf))
    clock.set(Math.max(clock.now(), ...before))
    for (const [at, integration] of integrations.entries()) {
      const routing = { method: 'single', channels: [integration.provider] } as MessageRouting
      await until(
        async () => {
          // A message that was to make the probe, and was not called, is given up after a time.
          clock.set(clock.now() + SECOND)
          await client.send({ message: { to, content, routing } })
          return await probeOf(integration)
        },
        (probe) => probe > (before[at] ?? 0),
      )
    }
  }
}

/** Each makes the only call of its day. */
async function useUp(client: Postrider, integrations: readonly Integration[]) {
  const to = { user_id: 'lin', email: 'limited@example.com', phone_number: '+12025559998' }
  const content = { title: 'Hello', body: 'Hello' }
  for (const { id, provider } of integrations) {
    const routing = { method: 'single', channels: [provider] } as MessageRouting
    await client.send({ message: { to, content, routing } })
    await until(
      () => client.providers.get(id),
      ({ used_today: used }) => used === 1,
    )
  }
}

const emailOf = (n: number) => `send-${n}@example.com`
const tokenOf = (name: string) => `ExponentPushToken[${name}]`
const phoneOf = (n: number) => `+1202555${String(n).padStart(4, '0')}`

interface Providers {
  port: number
  sendgrid: string
  twilio: string
  expo: string
  sendgridPriority?: number
  /** The limits of SendGrid, Twilio and Expo. */
  limits?: Integration['limits']
}

type Topics = Record<'news' | 'offers' | 'daily', string>

/** Templates, topics, a person who opted out, devices, and integrations: a mail server, SendGrid, Twilio, Expo, a Slack that is off. */
async function prepare(
  client: Postrider,
  { port, sendgrid: sendgridUrl, twilio: twilioUrl, expo: expoUrl, sendgridPriority = 2, limits = {} }: Providers,
) {
  await publish(client, 'parcel', { content: { title: 'Parcel {n}', body: 'Parcel {n} comes by {carrier}.' } })
  await publish(client, 'invoice', {
    channels: ['email'],
    settings: { if: 'data.total > 0' },
    content: { title: 'Invoice {n} of {total}', body: 'Please pay {total}.' },
  })
  await publish(client, 'strict', {
    channels: ['email', 'sms'],
    settings: { on_missing_variable: 'fail' },
    content: { title: 'Code {n}', body: 'It is {code}.' },
  })
  const channel = (name: string, content: string) => ({
    ...{ type: 'channel', channel: name, elements: [{ type: 'text', content }] },
  })
  await publish(client, 'strict-in-sms', {
    settings: { on_missing_variable: 'fail' },
    content: {
      version: '2022-01-01',
      elements: [channel('email', 'Code {n} comes by SMS'), channel('sms', 'It is {code}.')],
    },
  })
  await client.notifications.create({
    notification: { name: 'draft', alias: 'unpublished', content: { title: 'Draft', body: '' } },
  })
  await publish(client, 'summary', { content: { title: '{news.count} news', body: 'News' } })
  const { id: section } = await client.sections.create({ name: 'Shop', routing_options: ['email', 'sms', 'push'] })
  const topic = async (name: string, more: object = {}) =>
    (await client.topics.create(section, { name, default_status: 'OPTED_IN', ...more } as never)).id
  const digest = {
    template_id: 'summary',
    schedules: [{ frequency: 'daily', time: '09:00' }],
    categories: [{ category_key: 'news' }],
  }
  const topics = {
    news: await topic('News'),
    offers: await topic('Offers', { default_status: 'OPTED_OUT' }),
    daily: await topic('Daily', { digest }),
  }
  await client.profiles.replace('ada', { profile: { name: 'Ada', carrier: 'Harbor Post' } })
  await client.profiles.replace('grace', { profile: { name: 'Grace' } })
  await client.preferences.putTopic('grace', topics.news, { topic: { status: 'OPTED_OUT' } } as never)
  await registerDevices(client)
  await client.settings.update({ hold_misconfigured: true })
  const mail = { host: '127.0.0.1', port, security: 'opportunistic', fromAddress: 'shop@example.com' }
  const twilio = { baseUrl: twilioUrl, accountSid: `AC${'0'.repeat(32)}`, authToken: 'token', from: '+12025550100' }
  const sendgrid = { apiKey: 'SG.key', baseUrl: sendgridUrl, fromAddress: 'shop@example.com' }
  const integrations = {
    smtp: await integrate(client, { provider: 'smtp', title: 'Company mail', priority: 1, settings: mail }),
    sendgrid: await integrate(client, {
      ...{ provider: 'sendgrid', title: 'Second mail', priority: sendgridPriority, settings: sendgrid, limits },
    }),
    twilio: await integrate(client, { provider: 'twilio', title: 'Twilio', settings: twilio, limits }),
    expo: await integrate(client, { provider: 'expo', title: 'Phones', settings: { baseUrl: expoUrl }, limits }),
  }
  const slack = { baseUrl: sendgridUrl, accessToken: 'xoxb-token' }
  const { id } = await integrate(client, { provider: 'slack', title: 'Slack', settings: slack })
  await inForce(client, await client.providers.update(id, { provider: 'slack', enabled: false }))
  return { topics, ...integrations }
}

/** Two devices and a revoked one, a revoked one alone, and one. */
async function registerDevices(client: Postrider) {
  const device = (name: string, status = 'active') => ({
    ...{ token: tokenOf(name), provider_key: 'expo', status },
  })
  const devices = {
    ada: [device('ada-1'), device('ada-2'), device('ada-3', 'revoked')],
    grace: [device('grace', 'revoked')],
    lin: [device('lin')],
  }
  for (const [user, tokens] of Object.entries(devices)) await client.deviceTokens.add(user, { tokens } as never)
}

/** A send with an address of its number: whom it goes to, by which ways, with which words, when and about what. */
function draw(n: number, { between }: SeededRandom, topics: Topics): MessageSend {
  const oneOf = <Item>(...items: readonly Item[]): Item => items[between(0, items.length - 1)] as Item
  const words = oneOf<Partial<MessageSend>>(
    { template: 'parcel' },
    { template: 'invoice' },
    { template: 'strict' },
    { template: 'strict-in-sms' },
    { content: { title: 'Hello {n}', body: 'Hello **{name}** & <you>' } },
    { content: { title: 'Long {n}', body: 'Grüße, {name} 🎈 '.repeat(12) } },
    oneOf({ template: 'unpublished' }, { template: 'no-such-template' }, { template: 'parcel' }),
  )
  const routing = oneOf<MessageSend['routing']>(
    undefined,
    undefined,
    { method: 'single', channels: ['email', 'sms'] },
    { method: 'single', channels: ['sms', 'email'] },
    { method: 'all', channels: ['email', 'sms'] },
    { method: 'all', channels: [{ method: 'single', channels: ['push', 'sms'] }, 'email'] },
    { method: 'single', channels: [{ method: 'all', channels: ['sms', 'push'] }, 'email'] },
    { method: 'single', channels: ['direct_message'] },
    { method: 'single', channels: ['push'] },
    { method: 'single', channels: ['push', 'email'] },
    { method: 'all', channels: ['push', 'sms'] },
  )
  return {
    to: {
      ...oneOf({ user_id: 'ada' }, { user_id: 'grace' }, { user_id: 'lin' }, { user_id: `unknown-${n}` }, {}),
      ...oneOf({ email: emailOf(n) }, { phone_number: phoneOf(n) }, { email: emailOf(n), phone_number: phoneOf(n) }),
      ...(routing?.channels?.[0] === 'direct_message' && { slack: { channel: 'C1' } }),
    },
    ...words,
    data: { n, ...oneOf({}, { total: 0 }, { total: 12.5, code: '493 810' }, { code: '1', carrier: '{name}' }) },
    ...(routing && { routing }),
    ...oneOf<Partial<MessageSend>>(
      {},
      {},
      {},
      { preferences: { subscription_topic_id: oneOf(topics.news, topics.offers) } },
      { to: { user_id: 'ada' }, data: { n, news: true }, preferences: { subscription_topic_id: topics.daily } },
      { delay: { until: oneOf(LATER, HOURS) } },
      { channels: { email: { if: oneOf('data.total > 0', 'true'), override: { subject: `Another ${n}` } } } },
    ),
  } as MessageSend
}

/**
 * The decision and what it rests on. Requests to providers name the message, which has no id before it is sent; its
 * deadline and the end of its hold count from the send.
 */
const decided = ({ steps, candidates, rendered, notification, profile }: Explanation) => ({
  steps: steps.map(({ facts: { deadline: _, ...facts }, ...step }) => ({ ...step, facts })),
  ...{ candidates, notification, profile },
  rendered: rendered.map(({ channel, integration, content, error }) => ({ channel, integration, content, error })),
})

const byChannel = (left: { channel: string }, right: { channel: string }) => left.channel.localeCompare(right.channel)
const wayOf = ({ channel, title }: { channel: string; title?: string | undefined }) => `${channel} ${title}`
const isAccepted = ({ status }: { status: string }) => ACCEPTED.includes(status)

/** Which ways were taken. */
const outcome = ({ status, reason }: MessageDetail, { deliveries }: MessageExplanation) => ({
  status: ACCEPTED.includes(status) ? 'ROUTED' : status,
  reason,
  accepted: deliveries.filter(isAccepted).map(wayOf).sort(),
  waits: status === 'ROUTED',
})

function expected({ decision: { status, reason, delayed_until: delayedUntil }, ...explanation }: Explanation) {
  if (delayedUntil !== undefined) return { status: 'DELAYED', reason: undefined, accepted: [], waits: false }
  const accepted = status === 'ROUTED' ? callsOf(explanation).map(wayOf).sort() : []
  return { status, reason, accepted, waits: status === 'ROUTED' && accepted.length === 0 }
}

/** Those that are called. */
const ways = ({ rendered }: Pick<Explanation, 'rendered'>) =>
  rendered.filter(({ fallback, held_back: deferral }) => fallback === false && deferral === undefined)

/** Each device of an integration gets its own call. */
const callsOf = (explanation: Pick<Explanation, 'candidates' | 'rendered'>) =>
  ways(explanation).flatMap((way) => {
    const devices = explanation.candidates.filter(
      ({ selected, device, integration }) => selected && device && integration === way.integration,
    )
    return Array.from({ length: Math.max(1, devices.length) }, () => way)
  })

/** The words that providers will get; the mailbox is none. */
const promised = ({ decision: { status, delayed_until: delayedUntil }, ...explanation }: Explanation) =>
  (status === 'ROUTED' && delayedUntil === undefined ? callsOf(explanation) : [])
    .filter(({ provider }) => provider !== 'mailbox')
    .map(({ channel, content }) => ({ channel, words: texts[channel as keyof typeof texts](content) }))
    .sort(byChannel)

const texts = {
  email: ({ subject }: RenderedContent) => subject,
  sms: ({ body, text }: RenderedContent) => body || text,
  push: ({ title }: RenderedContent) => title,
}

const isKept = (explanation: Explanation) => ways(explanation).some(({ provider }) => provider === 'mailbox')

/** One that follows a failure has its turn later than those that are called at once. All limits end at midnight: any is named. */
const inOrder = (sentence: string) =>
  sentence
    .replace(
      /^(Sent|Delivered) by (.+?)(?=, some ms after)/,
      (_, head: string, names: string) => `${head} by ${names.split(' and by ').sort().join(' and by ')}`,
    )
    .replace(/^Not sent yet: a limit of .+? is reached/, 'Not sent yet: a limit is reached')
    // Each integration may have an error of its own.
    .replace(/^Held until .+? is repaired/, (head) => head.replaceAll(/ \(`[^`]*`\)/g, ''))

/** The answer of the forecast, in the past tense. */
const happened = (explanation: Explanation) =>
  sentenceText(forecast(explanation, { format }).filter(({ isAnswer }) => isAnswer))
    .replace(/^Would go (.*)\.$/, `${isKept(explanation) ? 'Delivered' : 'Sent'} $1, some ms after the call`)
    .replaceAll(/to (\d+) devices/g, 'to $1 of $1 devices')
    .replace(/^Would not be sent yet/, 'Not sent yet')
    .replace(/^Would wait/, 'Waits')
    .replace(/^Would become part/, 'Part')
    .replace(/^Would be held (.*)\.$/, 'Held $1')
    .replace(/^Would not be sent/, 'Not sent')
    .replace(/^Would not be delivered/, 'Not delivered')
    .replace(/^Would be simulated/, 'Simulated')
    .replaceAll('would have nothing', 'had nothing')
    .replaceAll('would be called', 'was called')
