/** Data for every screen of the dashboard, made through the API, and the peers that its integrations call. */
import { generateKeyPairSync, sign } from 'node:crypto'
import type { AutomationStep, AutomationTemplateInput, Postrider } from '@postrider/client'
import { ticketForEach } from '../support/peers/expo.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from '../system/templates.ts'

/** The providers that the integrations reach: those by HTTP on one recorder, and a mail server. */
export interface DashboardPeers {
  http: Recorder
  smtp: SmtpSink
  close(): Promise<void>
}

/** Addresses at which something fails, by what fails. */
const addresses = {
  /** SendGrid refuses it, the mail server does, too. */
  refused: 'refused@example.com',
  /** SendGrid has an outage for it, so that the mail server takes over. */
  failedOver: 'failed-over@example.com',
  /** Neither answers, so that it is tried again. */
  retried: 'retried@example.com',
  suppressed: 'suppressed@example.com',
  landline: '+12025550199',
} as const

export async function startPeers(): Promise<DashboardPeers> {
  const [http, smtp] = await Promise.all([startRecorder(), startSmtpSink()])
  const isTo =
    (...to: string[]) =>
    ({ path, body }: { path: string; body: string }) =>
      path === '/v3/mail/send' && to.some((address) => body.includes(address))
  http.answer('/v3/mail/send', { status: 202, body: '', headers: { 'x-message-id': 'Zt0n2Vh1Q6yX' } })
  http.answer(isTo(addresses.refused), {
    status: 400,
    body: { errors: [{ message: 'Does not contain a valid address.', field: 'personalizations.0.to.0.email' }] },
  })
  http.answer(isTo(addresses.failedOver, addresses.retried), {
    status: 503,
    body: { errors: [{ message: 'Service unavailable' }] },
  })
  http.answer('/2010-04-01/Accounts/AC00000000000000000000000000000000/Messages.json', ({ body }) =>
    body.includes(encodeURIComponent(addresses.landline))
      ? { status: 400, body: { code: 21614, message: "'To' number is not a valid mobile number", status: 400 } }
      : { status: 201, body: { sid: 'SM5ef8732a3c49700934481addd5ce1659', status: 'queued' } },
  )
  http.answer('/chat.postMessage', { body: { ok: false, error: 'invalid_auth' } })
  http.answer('/--/api/v2/push/send', ticketForEach('019a9c5e-7d1b-7c0c-9b6e-2d3f4a5b6c7d'))
  smtp.script({
    recipient: (address) =>
      address === addresses.refused
        ? { code: 550, text: '5.1.1 The email account does not exist' }
        : address === addresses.retried
          ? { code: 450, text: '4.2.1 The mailbox is busy, try again later' }
          : undefined,
  })
  return {
    http,
    smtp,
    async close() {
      await Promise.all([http.close(), smtp.close()])
    },
  }
}

export interface DashboardData {
  templates: Awaited<ReturnType<typeof makeTemplates>>
  topics: Record<'news' | 'offers', string>
  integrations: Awaited<ReturnType<typeof makeIntegrations>>['ids']
  /** Messages by the status that they reach, or by what is to be seen at them. */
  messages: { delivered: string } & Awaited<ReturnType<typeof sendAll>>
  runs: Awaited<ReturnType<typeof makeAutomations>>
}

const HOUR = 3_600_000

/** A workspace in use: integrations, templates, users, lists, tenants, topics, and a message of each kind. */
export async function makeDashboardData(client: Postrider, peers: DashboardPeers): Promise<DashboardData> {
  // Before the integrations: a sandbox that has left its channel does not return.
  const delivered = await sendOne(client, { ...welcome('ada'), profile: { email: 'ada@example.com' } })
  await until(
    () => client.messages.get(delivered),
    ({ status }) => status === 'DELIVERED',
  )
  await client.settings.update({ hold_misconfigured: true })
  const topics = await makeTopics(client)
  const templates = await makeTemplates(client, topics)
  await makePeople(client, topics)
  const { ids: integrations, report } = await makeIntegrations(client, peers)
  await client.suppressions.add({ suppressions: [{ address: addresses.suppressed, note: 'By telephone' }] })
  const messages = await sendAll(client, topics)
  await report(messages)
  const runs = await makeAutomations(client, peers)
  return { templates, topics, integrations, messages: { delivered, ...messages }, runs }
}

async function makeTopics(client: Postrider) {
  const { id: section } = await client.sections.create({ name: 'Shop', routing_options: ['email', 'push', 'inbox'] })
  const summary = await publish(client, 'summary', {
    name: 'Daily summary',
    content: { title: '{orders.count} orders today', body: 'The first one: {orders.items[0].order_id}.' },
  })
  const [news, offers] = await Promise.all([
    client.topics.create(section, {
      name: 'Orders of the day',
      default_status: 'OPTED_IN',
      digest: {
        template_id: summary,
        schedules: [{ frequency: 'daily', time: '09:00' }],
        categories: [{ category_key: 'orders' }],
      },
    } as never),
    client.topics.create(section, { name: 'Offers', default_status: 'OPTED_IN' } as never),
  ])
  return { news: news.id, offers: offers.id }
}

async function makeTemplates(client: Postrider, topics: { offers: string }) {
  await client.brands.create({
    id: 'harbor',
    name: 'Harbor shop',
    settings: {
      colors: { primary: '#1f5f8b', secondary: '#12394f' },
      email: { header: { barColor: '#1f5f8b' }, footer: { markdown: 'Harbor shop, Pier 4' } },
    },
  } as never)
  const elements = (...list: object[]) => ({ version: '2022-01-01', elements: list })
  const text = (content: string) => ({ type: 'text', content })
  return {
    orderShipped: await publish(client, 'order-shipped', {
      name: 'Order shipped',
      tags: ['orders'],
      brand: { id: 'harbor' },
      channels: ['email', 'push', 'sms'],
      content: elements(
        { type: 'meta', title: 'Order {order_id} is on its way' },
        text('Hello **{name}**, your order left our warehouse today.'),
        { type: 'action', content: 'Track the parcel', href: 'https://shop.example.com/track?order={order_id}' },
        { type: 'divider' },
        text('It has {count} articles and should arrive in two days.'),
      ),
    }),
    passwordReset: await publish(client, 'password-reset', {
      name: 'Password reset',
      tags: ['security'],
      channels: ['sms', 'email'],
      settings: { delivery_policy: 'at_most_once' },
      content: { title: 'Your code', body: 'Your code is {code}. It is good for ten minutes.' },
    }),
    invoice: await publish(client, 'invoice', {
      name: 'Invoice',
      tags: ['orders', 'billing'],
      brand: { id: 'harbor' },
      channels: ['email'],
      settings: { if: 'data.total > 0' },
      content: elements(
        { type: 'meta', title: 'Invoice {invoice_id}' },
        text('Hello {name}, the total of {total} EUR is due in 14 days.'),
        { type: 'action', content: 'Pay now', href: 'https://shop.example.com/pay/{invoice_id}' },
      ),
    }),
    offer: await publish(client, 'offer', {
      name: 'Offer of the week',
      tags: ['marketing'],
      brand: { id: 'harbor' },
      subscription: { topic_id: topics.offers },
      channels: ['email', 'inbox'],
      content: { title: 'Ropes and sails at half the price', body: 'Only this week, {name}.' },
    } as never),
    onCall: await publish(client, 'on-call', {
      name: 'Alert for the people on call',
      tags: ['operations'],
      channels: ['direct_message'],
      content: { title: 'Disk almost full', body: 'The disk of {host} is at {percent} %.' },
    }),
  }
}

async function makePeople(client: Postrider, topics: { offers: string }) {
  await client.tenants.put('harbor', { name: 'Harbor shop', brand_id: 'harbor' })
  const users = Array.from({ length: 12 }, (_, index) => `customer-${1001 + index}`)
  for (const [index, user] of users.entries()) {
    const profile = {
      email: `${user}@example.com`,
      name: `Customer ${1001 + index}`,
      ...(index % 3 === 0 && { phone_number: `+1202555010${index % 10}` }),
      locale: index % 4 === 0 ? 'de' : 'en',
      address: { city: index % 2 === 0 ? 'Hamburg' : 'Lisbon' },
    }
    await client.profiles.replace(user, { profile })
    await client.memberships.put(user, 'harbor', {})
  }
  await client.deviceTokens.put('customer-1002', 'ExponentPushToken[a1b2c3d4e5f6a1b2c3d4e5]', {
    provider_key: 'expo',
    device: { platform: 'ios', manufacturer: 'Apple', model: 'iPhone 15' },
  })
  await client.profiles.replace('ada', { profile: { email: 'ada@example.com', name: 'Ada', city: 'London' } })
  await client.profiles.replace('on-call', { profile: { slack: { channel: 'C0ALERTS' } } })
  await client.lists.put('shop.news', { name: 'News of the shop' })
  await client.lists.replaceSubscriptions('shop.news', { recipients: users.map((recipientId) => ({ recipientId })) })
  await client.audiences.put('hamburg', {
    name: 'Customers in Hamburg',
    filter: { operator: 'EQ', path: 'address.city', value: 'Hamburg' },
  })
  const choice = { topic: { status: 'OPTED_OUT' } } as const
  await client.preferences.putTopic('customer-1005', topics.offers, choice as never)
}

/** The key with which SendGrid signs what it reports. */
const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

async function makeIntegrations(client: Postrider, { http, smtp }: DashboardPeers) {
  const baseUrl = http.url
  const sendgrid = await integrate(client, {
    provider: 'sendgrid',
    title: 'SendGrid, marketing account',
    priority: 1,
    settings: {
      ...{ baseUrl, apiKey: 'SG.dashboard-key', fromAddress: 'shop@harbor.example' },
      webhookKey: keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
  })
  const relay = { host: '127.0.0.1', port: smtp.port, security: 'opportunistic', fromAddress: 'shop@harbor.example' }
  const made = {
    sendgrid: sendgrid.id,
    smtp: await integrateAs('smtp', 'Mail relay of the office', relay),
    twilio: await integrateAs('twilio', 'Twilio', {
      ...{ baseUrl, accountSid: `AC${'0'.repeat(32)}`, authToken: 'dashboard-token', from: '+12025550100' },
    }),
    expo: await integrateAs('expo', 'Push to the app', { baseUrl }),
    slack: await integrateAs('slack', 'Slack of operations', { baseUrl, accessToken: 'xoxb-dashboard-token' }),
  }
  async function integrateAs(provider: string, title: string, settings: object) {
    return (await integrate(client, { provider, title, priority: 2, settings })).id
  }

  /** Later reports of SendGrid: deliveries, opens, a click and a bounce. It reports to a public address only. */
  async function report(messages: Awaited<ReturnType<typeof sendAll>>) {
    const { callback_url } = sendgrid
    if (!callback_url) return
    const now = Math.floor(Date.now() / 1_000)
    const event = (id: string, name: string, more = {}) => ({
      ...{ event: name, delivery_id: `${id}-0`, timestamp: now, email: 'customer@example.com', ...more },
    })
    const url = 'https://shop.example.com/track?order=A-10431'
    const body = JSON.stringify([
      event(messages.clicked, 'delivered'),
      event(messages.clicked, 'open'),
      event(messages.clicked, 'click', { url }),
      event(messages.opened, 'delivered'),
      event(messages.opened, 'open'),
      event(messages.bounced, 'bounce', { reason: '552 5.2.2 The mailbox is full', type: 'bounce' }),
    ])
    const signature = sign('sha256', Buffer.from(String(now) + body), keys.privateKey).toString('base64')
    const reply = await fetch(callback_url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-twilio-email-event-webhook-signature': signature,
        'x-twilio-email-event-webhook-timestamp': String(now),
      },
      body,
    })
    if (!reply.ok) throw new Error(`The report was refused: ${reply.status} ${await reply.text()}`)
    for (const [id, expected] of [
      [messages.clicked, 'CLICKED'],
      [messages.opened, 'OPENED'],
      [messages.bounced, 'UNDELIVERABLE'],
    ] as const)
      await until(
        () => client.messages.get(id),
        ({ status }) => status === expected,
      )
  }
  return { ids: made, report }
}

/** Three automations in use: one whose runs wait, one with a run that failed, and one that collects. */
async function makeAutomations(client: Postrider, { http }: DashboardPeers) {
  http.answer('/carts/A-1042', { status: 404, body: { error: 'There is no such cart' } })
  const put = (id: string, body: AutomationTemplateInput) => client.automations.putTemplate(id, body)
  const onboarding: AutomationStep[] = [
    { action: 'send', template: 'welcome', ref: 'first' },
    { action: 'delay', duration: '2 days', ref: 'pause' },
    { action: 'send', template: 'offer', if: 'refs.first.status < MessageStatus.Opened' },
    { action: 'delay', until: 'Mo-Fr 09:00-17:00', timezone: 'Europe/Lisbon' },
    { action: 'send', template: 'offer', if: 'profile.locale === "en"' },
  ]
  const name = 'Onboarding over a week'
  await put('onboarding', { name, automation: { steps: onboarding.slice(0, 3) } })
  await put('onboarding', {
    name,
    triggers: [{ type: 'event', event: 'user.signed-up' }],
    automation: {
      cancelation_token: 'onboarding/${recipient}',
      steps: [
        {
          ...{ action: 'throttle', max_allowed: 5, period: '1 day', scope: 'global' },
          on_throttle: { $node_id: 'pause' },
        },
        ...onboarding,
      ],
    },
  })
  await put('cart-left', {
    name: 'Cart reminder',
    triggers: [{ type: 'event', event: 'cart.left' }],
    automation: {
      steps: [
        { action: 'fetch-data', webhook: { url: `${http.url}/carts/\${data.cart}` }, merge_strategy: 'overwrite' },
        { action: 'send', template: 'offer' },
      ],
    },
  })
  await put('comments', {
    name: 'One mail about many comments',
    triggers: [{ type: 'schedule', cron: '0 9 * * MON', timezone: 'Europe/Lisbon' }],
    automation: {
      steps: [
        { action: 'add-to-batch', scope: 'user', wait_period: '5 minutes', category_key: 'comments' },
        { action: 'send', template: 'offer' },
      ],
    },
  })
  const start = async (id: string, recipient: string, data: object) =>
    (await client.automations.invokeTemplate(id, { recipient, data: { ...data } })).runId
  const waiting = await Promise.all(
    [1001, 1002, 1003, 1004, 1006, 1007].map((number) =>
      start('onboarding', `customer-${number}`, { name: `Customer ${number}` }),
    ),
  )
  const failed = await start('cart-left', 'customer-1008', { cart: 'A-1042' })
  const isAt = (id: string, expected: string) =>
    until(
      () => client.automations.run(id),
      ({ status }) => status === expected,
    )
  await Promise.all([...waiting.map((id) => isAt(id, 'WAITING')), isAt(failed, 'ERROR')])
  return { waiting: waiting[0] ?? '', failed }
}

const welcome = (recipient: string) => ({ event: 'welcome', recipient, data: { name: 'Ada' } })
const shipped = (recipient: string, order: number) => ({
  ...{ event: 'order-shipped', recipient },
  data: { order_id: `A-${order}`, name: recipient, count: 1 + (order % 4) },
})

async function sendOne(client: Postrider, body: object): Promise<string> {
  return ((await client.send(body as never)) as unknown as { messageId: string }).messageId
}
async function sendMessage(client: Postrider, message: object): Promise<string> {
  return ((await client.send({ message } as never)) as unknown as { requestId: string }).requestId
}

async function sendAll(client: Postrider, topics: { news: string }) {
  const to = (email: string, user_id = email.split('@')[0]) => ({ user_id, email })
  const event = (body: object) => sendOne(client, body)
  const message = (body: object) => sendMessage(client, body)
  const byOrder = (email: string, order: number) =>
    event({ ...shipped(email.split('@')[0] ?? '', order), profile: { email } })
  const messages = {
    clicked: await event(shipped('customer-1001', 10_431)),
    opened: await event(shipped('customer-1003', 10_432)),
    bounced: await event(shipped('customer-1004', 10_433)),
    sent: await event({ event: 'invoice', recipient: 'customer-1006', data: { invoice_id: '2026-118', total: 84 } }),
    failedOver: await byOrder(addresses.failedOver, 10_434),
    refused: await byOrder(addresses.refused, 10_435),
    retried: await byOrder(addresses.retried, 10_436),
    suppressed: await byOrder(addresses.suppressed, 10_437),
    optedOut: await event({ event: 'offer', recipient: 'customer-1005', data: { name: 'you' } }),
    unroutable: await event({
      event: 'invoice',
      recipient: 'without-address',
      data: { invoice_id: '2026-119', total: 5 },
    }),
    unmapped: await event({ event: 'order-returned', recipient: 'customer-1007' }),
    filtered: await event({ event: 'invoice', recipient: 'customer-1008', data: { invoice_id: '2026-120', total: 0 } }),
    delayed: await message({
      to: { user_id: 'customer-1009' },
      template: 'offer',
      delay: { duration: 72 * HOUR },
      metadata: { tags: ['marketing', 'week-32'], trace_id: 'campaign-32' },
    }),
    canceled: await event({ ...shipped('customer-1010', 10_438), delay: { duration: HOUR } }),
    digested: await message({
      to: to('customer-1011@example.com'),
      content: { title: 'A new order', body: 'Order {order_id}' },
      data: { orders: true, order_id: 'A-10439' },
      preferences: { subscription_topic_id: topics.news },
    }),
    held: await event({ event: 'on-call', recipient: 'on-call', data: { host: 'db-2', percent: 91 } }),
    sms: await event({
      ...{ event: 'password-reset', recipient: 'customer-1001', data: { code: '493 810' } },
    }),
    smsFailed: await message({
      to: { user_id: 'landline', phone_number: addresses.landline },
      content: { title: 'Your code', body: 'Your code is 118 204.' },
      routing: { method: 'single', channels: ['sms'] },
    }),
    push: await message({
      to: { user_id: 'customer-1002' },
      content: { title: 'Your parcel is here', body: 'Pick it up at Pier 4 until Friday.' },
      routing: { method: 'all', channels: ['push', 'inbox'] },
      context: { tenant_id: 'harbor' },
    }),
  }
  await client.messages.cancel(messages.canceled)
  // Past these statuses, only time or a person changes a message.
  for (const id of Object.values(messages))
    await until(
      () => client.messages.explain(id),
      ({ message: { status }, deliveries }) =>
        !['ENQUEUED', 'ROUTED'].includes(status) ||
        deliveries.some(({ attempts }) => attempts.some(({ outcome }) => outcome)),
    )
  return messages
}
