/** A message is explained as of its decision, and as a resend of it would be decided now. */
import type { MessageRouting, MessageSend, MessageSendBody, Postrider } from '@postrider/client'
import { forecast, messageSentence, sentenceText } from '@postrider/client/sentence'
import { beforeAll, expect, test } from 'vitest'
import { type App, sendAndSettle, settled, withApp } from '../support/app.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { inForce, integrate, publish } from './templates.ts'

const DAY = 86_400_000
const format = { time: String, duration: String, list: (items: readonly string[]) => items.join(', ') }

async function sentenceOf(client: Postrider, id: string): Promise<string> {
  const [message, explanation, { results: history }] = await Promise.all([
    client.messages.get(id),
    client.messages.explain(id),
    client.messages.history(id),
  ])
  return sentenceText(messageSentence({ message, explanation, history }, { format }))
}

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  test('the decision of then stays, the one of now has the new template, profile and preferences', async () => {
    const { client } = app
    const id = await publish(client, 'parcel', { channels: ['email'], content: { title: 'Old', body: 'Hello {city}' } })
    await client.profiles.replace('ada', { profile: { email: 'ada@example.com', city: 'London' } })
    const message = await sendAndSettle(app.client, { event: 'parcel', recipient: 'ada', data: { city: 'London' } })
    await client.notifications.replace(id, {
      notification: {
        name: 'parcel',
        content: { title: 'New', body: 'Hello' },
        routing: { method: 'single', channels: ['sms'] },
      },
      state: 'PUBLISHED',
    } as never)
    await client.profiles.replace('ada', { profile: { email: 'ada@example.com', city: 'Paris' } })
    const now = await until(
      () => client.messages.explain(message.id, { as_of: 'now' }),
      ({ notification, profile }) => notification?.version === 'v2' && profile.city === 'Paris',
    )
    expect(now).toMatchObject({
      message: { id: message.id, status: 'DELIVERED' },
      decision: { status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA' },
      deliveries: [{ channel: 'email', status: 'DELIVERED' }],
    })
    const before = await client.messages.explain(message.id, { as_of: 'decision' })
    expect(before).toMatchObject({ decision: { status: 'ROUTED' }, notification: { version: 'v1' } })
    expect(before.profile).toMatchObject({ city: 'London' })
    expect(await client.messages.explain(message.id)).toEqual(before)
  })

  test('a message that went into the mailbox is explained so after its channel has an integration', async () => {
    const { client } = app
    const message = { to: { email: 'grace@example.com' }, content: { title: 'Hello', body: 'Hello Grace' } }
    const { requestId } = await client.send({
      message: { ...message, routing: { method: 'single', channels: ['email'] } },
    })
    await until(
      () => client.messages.get(requestId),
      ({ status }) => status === 'DELIVERED',
    )
    const before = await client.messages.explain(requestId)
    expect(before).toMatchObject({ decision: { status: 'ROUTED' }, rendered: [{ provider: 'mailbox' }] })
    const settings = { host: '127.0.0.1', port: 9, security: 'opportunistic', fromAddress: 'news@example.com' } as const
    await client.providers.create({ provider: 'smtp', title: 'Company mail', settings })
    await until(
      () => client.messages.explain(requestId, { as_of: 'now' }),
      ({ rendered }) => rendered.some(({ title }) => title === 'Company mail'),
    )
    expect(await client.messages.explain(requestId)).toEqual(before)
  })

  test('a message before its hours is explained as things are now, with its way, or with what would stop it', async () => {
    const { client } = app
    await publish(client, 'invoice', { settings: { if: 'data.total > 0' }, content: { title: 'Invoice', body: '' } })
    const weekday = ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'][new Date(Date.now() + 3 * DAY).getUTCDay()]
    const bodyOf = (total: number): MessageSendBody => ({
      message: {
        ...{ to: { phone_number: '+12025550143' }, template: 'invoice', data: { total } },
        ...{ routing: { method: 'single', channels: ['sms'] }, delay: { until: `${weekday} 08:00-18:00` } },
      },
    })
    const [sent, stopped] = [bodyOf(1), bodyOf(0)]
    const { requestId: id } = await client.send(sent)
    await until(
      () => client.messages.get(id),
      ({ status }) => status === 'DELAYED',
    )
    const explained = await client.messages.explain(id)
    const { delayed_until: opening = 0 } = explained.decision
    expect(explained).toMatchObject({
      decision: { status: 'DELAYED', due_at: opening },
      candidates: [{ channel: 'sms', selected: true }],
      rendered: [{ channel: 'sms', content: { title: 'Invoice' } }],
    })
    expect(explained.steps.map(({ step, outcome, code }) => `${step} ${outcome} ${code}`).slice(3)).toEqual([
      ...['window passed hours_closed', 'route passed routed', 'render passed rendered'],
    ])
    expect(explained.steps[3]?.notes).toMatchObject([{ code: 'condition_met' }])
    expect(await sentenceOf(client, id)).toBe(`Waits until ${opening}: its hours begin then.`)
    expect(sentenceText(forecast(await client.explain(sent), { format }))).toMatch(
      new RegExp(
        `^Would wait until ${opening}: its hours begin then. As things are now: would go by SMS through Mailbox`,
      ),
    )
    const { decision, steps } = await client.explain(stopped)
    expect(decision).toMatchObject({ status: 'FILTERED', delayed_until: opening })
    expect(steps.at(-1)).toMatchObject({ code: 'condition_unmet', notes: [{ code: 'hours_closed' }] })
  })

  test('a channel that is not used for a suppressed address, or as the recipient chose another one, is in the sentence', async () => {
    const { client } = await open()
    const section = await client.sections.create({ name: 'Shop', routing_options: ['email', 'sms'] })
    const topic = await client.topics.create(section.id, { name: 'Orders', default_status: 'OPTED_IN' })
    await client.profiles.replace('lin', { profile: { email: 'lin@example.com', phone_number: '+12025550144' } })
    await client.preferences.putTopic('lin', topic.id, {
      topic: { status: 'OPTED_IN', has_custom_routing: true, custom_routing: ['sms'] },
    })
    await client.suppressions.add({
      suppressions: [{ address: 'gone@example.com', reason: 'hard_bounce' }],
    })
    const content = { title: 'Hello', body: 'Hello' }
    const sentencesOf = async (message: MessageSend) => {
      const before = sentenceText(forecast(await client.explain({ message }), { format }))
      const { requestId } = await client.send({ message })
      await settled(client, requestId)
      return [before, await sentenceOf(client, requestId)]
    }
    const gone = { email: 'gone@example.com', phone_number: '+12025550143' }
    for (const routing of [
      { method: 'all', channels: ['email', 'sms'] },
      { method: 'single', channels: [{ method: 'all', channels: ['sms', 'email'] }] },
      { method: 'single', channels: ['sms', 'email'] },
    ] as MessageRouting[]) {
      const [before, after] = await sentencesOf({ to: gone, content, routing })
      const why = /the address has been suppressed since \d+ \(the address does not exist\)/.source
      expect(before).toMatch(new RegExp(`^Would go by SMS .*Email would not be tried: ${why}`))
      expect(after).toMatch(new RegExp(`^Delivered by SMS .*Email was not tried: ${why}`))
    }
    const about = { to: { user_id: 'lin' }, content, preferences: { subscription_topic_id: topic.id } }
    const why = 'the recipient chose to get such messages by SMS only'
    for (const method of ['single', 'all'] as const) {
      const [before, after] = await sentencesOf({ ...about, routing: { method, channels: ['email', 'sms'] } })
      expect(before).toContain(`Email would not be tried: ${why}.`)
      expect(after).toContain(`Email was not tried: ${why}.`)
    }
    const [before, after] = await sentencesOf({ ...about, routing: { method: 'single', channels: ['email'] } })
    const none = 'The recipient chose to get such messages by SMS only, which its routing does not have.'
    expect([before, after]).toEqual([`Would not be sent. ${none}`, `Not sent. ${none}`])
  })

  test('an address that the message itself had suppressed was none to its decision', async () => {
    const { client } = app
    const sink = await startSmtpSink()
    sink.script({ recipient: () => ({ code: 550, text: '5.1.1 User unknown' }) })
    const smtp = (title: string, port: number, priority: number) => {
      const settings = { host: '127.0.0.1', port, security: 'opportunistic', fromAddress: 'news@example.com' } as const
      return client.providers.create({ provider: 'smtp', title, priority, settings })
    }
    // Nothing listens at the first: its second attempt comes after the bounce.
    await smtp('Unreachable mail', 9, 1)
    await smtp('Second mail', sink.port, 2)
    const message = { to: { email: 'linus@example.com' }, content: { title: 'Hello', body: 'Hello' } }
    const { requestId } = await client.send({
      message: { ...message, routing: { method: 'single', channels: ['email'] } },
    })
    await until(
      () => client.messages.get(requestId),
      ({ status }) => status === 'UNDELIVERABLE',
    )
    expect((await client.suppressions.list({ address: 'linus@example.com' })).results).toHaveLength(1)
    const { decision, steps, rendered } = await client.messages.explain(requestId)
    expect([decision.status, steps.filter(({ outcome }) => outcome === 'stopped')]).toEqual(['ROUTED', []])
    expect(rendered.map(({ title }) => title)).toContain('Second mail')
    await sink.close()
  })

  test('the decision of then has the integrations that were on then', async () => {
    const { client } = app
    const twilio = (title: string) => ({
      ...{ provider: 'twilio', title },
      // Nothing listens there: the message is tried again.
      settings: { accountSid: 'A', authToken: 't', from: '+12025550100', baseUrl: 'http://127.0.0.1:1' },
    })
    const first = await integrate(client, twilio('first'))
    await integrate(client, twilio('second'))
    const { requestId } = await client.send({
      message: {
        to: { phone_number: '+12025550143' },
        content: { title: 'Hello', body: 'Hello' },
        routing: { method: 'single', channels: ['sms'] },
      },
    })
    await until(
      () => client.messages.get(requestId),
      ({ retry }) => retry !== undefined,
    )
    const then = async () => {
      const { decision, steps, candidates, rendered } = await client.messages.explain(requestId, { as_of: 'decision' })
      return { decision, steps, candidates, rendered: rendered.map(({ title }) => title) }
    }
    const before = await then()
    expect(before.rendered).toEqual(['first', 'second'])
    await client.providers.update(first.id, { provider: 'twilio', enabled: false })
    await client.providers.create(twilio('third') as never)
    const now = await until(
      () => client.messages.explain(requestId, { as_of: 'now' }),
      ({ rendered }) => rendered.some(({ title }) => title === 'third'),
    )
    expect(now.rendered.map(({ title }) => title)).toEqual(['second', 'third'])
    expect(await then()).toEqual(before)
  })

  test('the integration that is being called is known before its attempt is stored, also after a failover', async () => {
    const { client } = await open()
    const peer = await startRecorder()
    peer.answer(({ path }) => path.startsWith('/first'), { status: 503, body: { message: 'busy' } })
    const answerSecond = peer.hold(({ path }) => path.startsWith('/second'))
    for (const title of ['first', 'second'])
      await integrate(client, {
        ...{ provider: 'twilio', title },
        settings: { accountSid: 'A', authToken: 't', from: '+12025550100', baseUrl: `${peer.url}/${title}` },
      })
    const { requestId } = await client.send({
      message: {
        to: { phone_number: '+12025550143' },
        content: { title: 'Hello', body: 'Hello' },
        routing: { method: 'single', channels: ['sms'] },
      },
    })
    const { deliveries } = await until(
      () => client.messages.explain(requestId),
      (explanation) => explanation.deliveries.some(({ title }) => title === 'second'),
    )
    const [attempt] = deliveries.find(({ title }) => title === 'second')?.attempts ?? []
    expect(attempt).toEqual({ number: 1, started: expect.any(Number) })
    expect(await sentenceOf(client, requestId)).toMatch(/^On its way: second is being called\./)
    answerSecond()
    await until(
      () => client.messages.get(requestId),
      ({ status }) => status !== 'ENQUEUED',
    )
    await peer.close()
  })

  test('a message that no integration could take keeps its steps and candidates, whatever integrations come or go', async () => {
    const { client } = await open()
    const ended = async (channel: 'sms' | 'telegram', to: { user_id: string } | { email: string }) => {
      const { requestId } = await client.send({
        message: { to, content: { title: 'Hello', body: 'Hello' }, routing: { method: 'single', channels: [channel] } },
      })
      await until(
        () => client.messages.get(requestId),
        ({ status }) => status === 'UNROUTABLE',
      )
      return requestId
    }
    const vonage = {
      ...{ provider: 'vonage', title: 'Text messages' },
      settings: { apiKey: 'k', apiSecret: 's', from: 'Postrider', baseUrl: 'http://127.0.0.1:1' },
    }
    const telegram = { provider: 'telegram', title: 'Chat', settings: { botToken: '1:a' } }
    const { id: deleted } = await client.providers.create(vonage as never)
    const withoutAddress = await ended('sms', { user_id: 'without-number' })
    const withoutIntegration = await ended('telegram', { email: 'grace@example.com' })
    const both = [withoutAddress, withoutIntegration]
    const then = async () => {
      const explanations = await Promise.all(both.map((each) => client.messages.explain(each)))
      return explanations.map(({ decision, steps, candidates, rendered }) => ({
        ...{ decision, steps, rendered },
        // The title is the one of now, and a deleted integration has none.
        candidates: candidates.map(({ title: _, ...candidate }) => candidate),
      }))
    }
    const before = await then()
    expect(before.map(({ decision, steps }) => [decision.reason, steps.at(-1)?.step])).toEqual([
      ['INCOMPLETE_PROFILE_DATA', 'route'],
      ['NO_CHANNELS', 'route'],
    ])
    await client.providers.delete(deleted)
    await client.providers.create(telegram as never)
    const reasonNow = (id: string, reason: string) =>
      until(
        () => client.messages.explain(id, { as_of: 'now' }),
        ({ decision }) => decision.reason === reason,
      )
    await reasonNow(withoutAddress, 'NO_PROVIDERS')
    await reasonNow(withoutIntegration, 'INCOMPLETE_PROFILE_DATA')
    expect(await then()).toEqual(before)
  })

  test('a message keeps the route of its decision when the integration that sent it is deleted', async () => {
    const { client } = await open()
    const smtp = await startSmtpSink()
    const settings = { host: '127.0.0.1', port: smtp.port, fromAddress: 'shop@example.com', security: 'opportunistic' }
    const { id: deleted } = await integrate(client, { provider: 'smtp', title: 'Relay', settings })
    const { requestId: id } = await client.send({
      message: {
        to: { email: 'ada@example.com' },
        content: { title: 'Hello', body: 'Hello' },
        routing: { method: 'single', channels: ['email'] },
      },
    })
    await settled(client, id)
    const routeOf = async () => {
      const { decision, steps } = await client.messages.explain(id)
      const { summary = '', outcome } = steps.find(({ step }) => step === 'route') ?? {}
      return {
        status: decision.status,
        outcome,
        summary,
        steps: steps.map(({ step, outcome: each }) => `${step} ${each}`),
      }
    }
    const before = await routeOf()
    expect(before).toMatchObject({ status: 'ROUTED', summary: 'It goes by email (Relay).' })
    await client.providers.delete(deleted)
    await until(
      () => client.messages.explain(id, { as_of: 'now' }),
      ({ decision }) => decision.status !== 'ROUTED',
    )
    const after = await routeOf()
    // The title went with the integration.
    const summary = 'It goes by email (smtp).'
    expect(after).toEqual({ ...before, summary, steps: before.steps.filter((step) => step !== 'render passed') })
    await smtp.close()
  })

  test('a message whose time was over while it was held keeps its sentence when the integration is switched on', async () => {
    const { client } = await open()
    await client.settings.update({ hold_misconfigured: true })
    const smtp = await startSmtpSink()
    const settings = { host: '127.0.0.1', port: smtp.port, fromAddress: 'shop@example.com', security: 'opportunistic' }
    const relay = await integrate(client, { provider: 'smtp', title: 'Relay', settings })
    const switched = async (enabled: boolean) =>
      inForce(client, await client.providers.update(relay.id, { provider: 'smtp', enabled }))
    await switched(false)
    const { requestId } = await client.send({
      message: {
        to: { email: 'ada@example.com' },
        content: { title: 'Hello', body: 'Hello' },
        routing: { method: 'single', channels: ['email'] },
        timeout: { message: 500 },
      },
    })
    await until(
      () => client.messages.get(requestId),
      ({ status }) => status === 'UNDELIVERABLE',
    )
    const before = await sentenceOf(client, requestId)
    expect(before).toMatch(
      /^Not sent\. Its deadline was \d+\. It was held for a repair that did not come in time: `No .+ email \(Relay\) is switched off/,
    )
    const { steps } = await client.messages.explain(requestId)
    await switched(true)
    expect(await sentenceOf(client, requestId)).toBe(before)
    expect((await client.messages.explain(requestId)).steps).toEqual(steps)
    await smtp.close()
  })
})
