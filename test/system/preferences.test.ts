/** Preferences decide: an opted-out recipient gets nothing, and messages take the preferred channels. */
import type { MessageDetail, MessageSendBody, Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sendAndSettle, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { figureOf } from './figures.ts'
import { integrate, publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  let plain: string
  let section: string
  let topics: Record<'orders' | 'news' | 'legal', string>

  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open(), startRecorder()])
    client = app.client
    await integrate(client, { provider: 'webhook' })
    section = (await client.sections.create({ name: 'Shop' })).id
    const create = async (name: string, default_status: 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED') =>
      (await client.topics.create(section, { name, default_status })).id
    topics = {
      orders: await create('Orders', 'OPTED_IN'),
      news: await create('News', 'OPTED_OUT'),
      legal: await create('Legal', 'REQUIRED'),
    }
    plain = await publish(client, 'plain', { channels: ['webhook', 'inbox'], settings: { category: 'tips' } })
    for (const [name, topic_id] of Object.entries(topics))
      await publish(client, name, { channels: ['webhook', 'inbox'], subscription: { topic_id } })
    for (const id of ['group', 'acme'])
      await client.tenants.put(id, { name: id, ...(id === 'acme' && { parent_tenant_id: 'group' }) })
  })
  afterAll(() => peer.close())

  const called = (path: string) => peer.all.filter((request) => request.path === `/${path}`).length
  const profile = (recipient: string) => ({ webhook: { url: `${peer.url}/${recipient}` } })
  type Body = Extract<Parameters<Postrider['send']>[0], { event: string }>
  const send = (event: string, recipient: string, more: Partial<Body> = {}) =>
    sendAndSettle(client, { event, recipient, profile: profile(recipient), ...more })
  const inTenant = async (event: string, user_id: string, tenant_id: string) => {
    const to = { user_id, ...profile(user_id) }
    const { requestId } = await client.send({ message: { to, template: event, context: { tenant_id } } })
    return settled(client, requestId)
  }
  const verdict = ({ status, reason }: MessageDetail) => (reason ? `${status} ${reason}` : status)
  const preferencesOf = async (id: string) =>
    (await client.messages.explain(id)).steps.find(({ step }) => step === 'preferences')
  const [unsubscribed, optInRequired] = ['UNDELIVERABLE UNSUBSCRIBED', 'UNDELIVERABLE OPT_IN_REQUIRED']
  const out = { status: 'OPTED_OUT' as const }
  const optedIn = { status: 'OPTED_IN' as const }

  describe('by notification and category', () => {
    test.each([
      ['the id of the notification', () => ({ notifications: { [plain]: out } })],
      ['the event', () => ({ notifications: { plain: out } })],
      ['the category', () => ({ categories: { tips: out } })],
    ])('a recipient who opted out by %s gets nothing, from the next send on', async (how, document) => {
      const recipient = `out-by-${how.replaceAll(' ', '-')}`
      expect(verdict(await send('plain', recipient))).toBe('DELIVERED')
      await client.preferences.replace(recipient, document())
      const message = await send('plain', recipient)
      const error = 'Notification opted out by user'
      expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED', error })
      expect(message.providers).toEqual([{ status: 'UNDELIVERABLE', error }])
      expect(called(recipient)).toBe(1)
      expect(await figureOf(app.url, 'postrider_messages_opted_out_total')).toBeGreaterThan(0)
      expect(await preferencesOf(message.id)).toMatchObject({
        outcome: 'stopped',
        facts: { source: 'recipient', status: 'OPTED_OUT' },
      })
      const { results } = await client.messages.history(message.id)
      expect(results.map(({ type }) => type)).toEqual(['ENQUEUED', 'MAPPED', 'PROFILE_LOADED', 'UNDELIVERABLE'])
      await client.preferences.replace(recipient, { notifications: {}, categories: {} })
      expect(verdict(await send('plain', recipient))).toBe('DELIVERED')
      // A past decision is shown as it was then.
      expect(await preferencesOf(message.id)).toMatchObject({ facts: { status: 'OPTED_OUT' } })
    })

    test('a snooze silences until its end', async () => {
      const rules = (until: string) => ({ notifications: { [plain]: { rules: [{ type: 'snooze' as const, until }] } } })
      await client.preferences.replace('sleeper', rules(new Date(Date.now() + 3_600_000).toISOString()))
      expect(verdict(await send('plain', 'sleeper'))).toBe(unsubscribed)
      await client.preferences.replace('sleeper', rules('2021-12-31T00:00:00.000Z'))
      expect(verdict(await send('plain', 'sleeper'))).toBe('DELIVERED')
      expect(called('sleeper')).toBe(1)
    })

    test('the preferences of the send override the stored ones', async () => {
      await client.preferences.replace('overruled', { notifications: { [plain]: out } })
      const message = await send('plain', 'overruled', { preferences: { notifications: { plain: optedIn } } })
      expect(verdict(message)).toBe('DELIVERED')
      expect(await preferencesOf(message.id)).toMatchObject({ facts: { source: 'send', status: 'OPTED_IN' } })
    })

    test('the preferred channels come in their order, the others not at all', async () => {
      const deliveredBy = (...channels: ('inbox' | 'webhook' | 'sms')[]) => ({
        notifications: { [plain]: { channel_preferences: channels.map((channel) => ({ channel })) } },
      })
      await client.preferences.replace('chooser', deliveredBy('inbox'))
      expect((await send('plain', 'chooser')).providers.map(({ provider }) => provider)).toEqual(['mailbox'])
      expect(called('chooser')).toBe(0)
      await client.preferences.replace('chooser', deliveredBy('sms'))
      expect(verdict(await send('plain', 'chooser'))).toBe(unsubscribed)
    })
  })

  describe('by topic', () => {
    test('an opted-out default requires an opt-in, and an opt-in is enough', async () => {
      const optedOut = () => figureOf(app.url, 'postrider_messages_opted_out_total')
      const before = await optedOut()
      const message = await send('news', 'reader')
      // It counts as undeliverable, and is no failure.
      expect(await optedOut()).toBe(before + 1)
      expect(verdict(message)).toBe(optInRequired)
      expect(message.providers).toEqual([{ status: 'UNDELIVERABLE', error: message.error }])
      expect(await preferencesOf(message.id)).toMatchObject({
        facts: { source: 'topic', status: 'OPTED_OUT', topic_id: topics.news },
      })
      await client.preferences.putTopic('reader', topics.news, { topic: optedIn })
      expect(verdict(await send('news', 'reader'))).toBe('DELIVERED')
      await client.preferences.deleteTopic('reader', topics.news)
      expect(verdict(await send('news', 'reader'))).toBe(optInRequired)
      expect(called('reader')).toBe(1)
    })

    test('an opted-out recipient gets nothing, unless the topic is required', async () => {
      const { id } = await client.topics.create(section, { name: 'Terms', default_status: 'OPTED_IN' })
      await publish(client, 'terms', { channels: ['webhook'], subscription: { topic_id: id } })
      await client.preferences.putTopic('refuser', id, { topic: out })
      expect(verdict(await send('terms', 'refuser'))).toBe(unsubscribed)
      await client.topics.replace(section, id, { name: 'Terms', default_status: 'REQUIRED' })
      const message = await send('terms', 'refuser')
      expect(verdict(message)).toBe('DELIVERED')
      expect(await preferencesOf(message.id)).toMatchObject({ facts: { source: 'topic', status: 'REQUIRED' } })
      await client.topics.replace(section, id, { name: 'Terms', default_status: 'OPTED_IN' })
      await client.topics.archive(section, id)
      expect(verdict(await send('terms', 'refuser'))).toBe(unsubscribed)
      expect(verdict(await send('terms', 'another-user'))).toBe('DELIVERED')
    })

    test('the user in the tenant, the user, the tenant, the one above it, the topic: the first one counts', async () => {
      const event = 'news'
      const verdictIn = async (tenant: string) => verdict(await inTenant(event, 'member', tenant))
      expect(await verdictIn('acme')).toBe(optInRequired)
      await client.preferences.putTenantDefault('group', topics.news, optedIn)
      expect([await verdictIn('acme'), await verdictIn('group'), verdict(await send(event, 'member'))]).toEqual([
        'DELIVERED',
        'DELIVERED',
        optInRequired,
      ])
      await client.preferences.putTenantDefault('acme', topics.news, out)
      expect([await verdictIn('acme'), await verdictIn('group')]).toEqual([optInRequired, 'DELIVERED'])
      await client.preferences.putTopic('member', topics.news, { topic: optedIn })
      expect([await verdictIn('acme'), verdict(await send(event, 'member'))]).toEqual(['DELIVERED', 'DELIVERED'])
      await client.preferences.putTopic('member', topics.news, { topic: out }, { tenant_id: 'acme' })
      expect([await verdictIn('acme'), await verdictIn('group')]).toEqual([unsubscribed, 'DELIVERED'])
      const message = await inTenant(event, 'member', 'acme')
      expect(await preferencesOf(message.id)).toMatchObject({ facts: { source: 'recipient', tenant_id: 'acme' } })
    })

    test('custom routing limits the channels; what is required finds another candidate', async () => {
      const custom = { ...optedIn, has_custom_routing: true }
      await client.preferences.putTopic('picky', topics.orders, { topic: { ...custom, custom_routing: ['inbox'] } })
      expect((await send('orders', 'picky')).providers.map(({ provider }) => provider)).toEqual(['mailbox'])
      await client.preferences.putTopic('picky', topics.legal, { topic: { ...custom, custom_routing: ['sms'] } })
      expect((await send('legal', 'picky')).providers.map(({ provider }) => provider)).toEqual(['webhook'])
    })

    test('a message can name its topic, with a notification or with content of its own', async () => {
      const to = { user_id: 'named', ...profile('named') }
      const preferences = { subscription_topic_id: topics.news }
      const routing = { method: 'single' as const, channels: ['webhook' as const] }
      for (const what of [{ template: 'orders' }, { content: { title: 'Hello', body: 'Hello' } }]) {
        const { requestId } = await client.send({ message: { to, ...what, routing, preferences } })
        expect(verdict(await settled(client, requestId))).toBe(optInRequired)
      }
      await client.preferences.putTopic('named', topics.news, { topic: optedIn })
      const { requestId } = await client.send({ message: { to, template: 'orders', routing, preferences } })
      expect(verdict(await settled(client, requestId))).toBe('DELIVERED')
    })
  })

  test('the preferences of a list and of its subscriptions apply to sends to the list', async () => {
    const about = (preference: object) => ({ notifications: { [plain]: preference } })
    await client.lists.put('weekly', { name: 'Weekly', preferences: about(out) })
    for (const user of ['silent', 'keen']) await client.profiles.replace(user, { profile: profile(user) })
    await client.lists.subscribe('weekly', 'silent')
    await client.lists.subscribe('weekly', 'keen', { preferences: about(optedIn) })
    const { messageId } = await client.lists.send({ list: 'weekly', event: 'plain' })
    const { results } = await until(
      () => client.messages.list({ list: 'weekly' }),
      ({ results }) => results.length === 2 && results.every(({ status }) => status !== 'ENQUEUED'),
    )
    const messages = await Promise.all(results.map(({ id }) => settled(client, id)))
    expect(Object.fromEntries(messages.map((message) => [message.recipient, verdict(message)]))).toEqual({
      silent: unsubscribed,
      keen: 'DELIVERED',
    })
    for (const { id, recipient, listMessageId } of messages) {
      expect(listMessageId).toBe(messageId)
      const source = recipient === 'keen' ? 'subscription' : 'list'
      expect(await preferencesOf(id)).toMatchObject({ facts: { source } })
    }
  })

  test('a retry loads preferences again: a recipient who opted out meanwhile is not called a second time', async () => {
    await publish(client, 'once-more', { channels: ['webhook'], subscription: { topic_id: topics.orders } })
    peer.answer('/meanwhile', { status: 503 })
    const { messageId } = await client.send({
      event: 'once-more',
      recipient: 'meanwhile',
      profile: profile('meanwhile'),
    })
    await until(
      () => client.messages.history(messageId, { type: 'DELIVERING' }),
      ({ results }) => results.length > 0,
    )
    expect((await preferencesOf(messageId))?.outcome).toBe('passed')
    await client.preferences.replaceTopics('meanwhile', { topics: [{ topic_id: topics.orders, ...out }] })
    const message = await settled(client, messageId)
    expect(verdict(message)).toBe(unsubscribed)
    expect(message.error).toBe('Notification opted out by user')
    expect(message.providers).toMatchObject([{ provider: 'webhook', status: 'UNDELIVERABLE', error: message.error }])
    expect(called('meanwhile')).toBe(1)
    expect(await preferencesOf(messageId)).toMatchObject({ outcome: 'stopped', facts: { source: 'recipient' } })
  })

  test('a channel and a topic that are not there are named, before a send and after it', async () => {
    // A caller without the client's types.
    const message = {
      to: { user_id: 'mistyped', ...profile('mistyped') },
      template: 'plain',
      routing: { method: 'single' as const, channels: ['emial', { channels: ['webhok'] }, 'webhook'] },
      channels: { sns: { brand_id: null } },
      preferences: { subscription_topic_id: 'no-such-topic' },
    }
    const body = { message } as unknown as MessageSendBody
    const before = await client.explain(body)
    const { requestId } = await client.send(body)
    await settled(client, requestId)
    for (const { steps } of [before, await client.messages.explain(requestId)]) {
      const summary = steps.map((step) => step.summary).join(' ')
      expect(summary).toMatch(/Unknown topic `no-such-topic`\. .*`emial` is neither a channel nor a provider/)
      const facts = Object.assign({}, ...steps.map((step) => step.facts))
      expect(facts).toMatchObject({ missing_topic: 'no-such-topic', unknown: ['emial', 'webhok', 'sns'] })
    }
  })

  test('explaining before a send applies the same preferences', async () => {
    await client.preferences.replace('explained', { categories: { tips: out } })
    const explained = await client.explain({ event: 'plain', recipient: 'explained' })
    expect(explained.decision).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' })
    expect(explained.steps.at(-1)).toMatchObject({ step: 'preferences', facts: { source: 'recipient' } })
  })
})
