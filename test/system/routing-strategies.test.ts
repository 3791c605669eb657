/** A notification goes by the stored strategy that it names, as it is now; the explanation says which one it was. */
import type { RoutingStrategyWrite } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, sendAndSettle, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { publish } from './templates.ts'

withApp((open) => {
  let app: App
  let strategy: string
  const recipient = 'ada'
  const profile = { email: 'ada@example.com', phone_number: '+15550100' }
  const smsFirst: RoutingStrategyWrite = {
    name: 'Text first',
    routing: { method: 'single', channels: ['sms', 'email'] },
  }

  beforeAll(async () => {
    app = await open()
    const { id } = await app.client.routingStrategies.create(smsFirst)
    strategy = id
    await publish(app.client, 'routed', { routing: { strategy_id: id } })
  })

  const explain = async (event: string, more = {}) => {
    const { rendered, steps } = await app.client.explain({ event, recipient, profile, ...more })
    return { channels: rendered.map(({ channel }) => channel), step: steps.find(({ step }) => step === 'route')! }
  }
  const sent = async (message = {}) => {
    const { requestId } = await app.client.send({
      message: { to: { user_id: recipient, ...profile }, template: 'routed', ...message },
    })
    const { steps } = await app.client.messages.explain(requestId)
    return { id: requestId, step: steps.find(({ step }) => step === 'route')! }
  }

  test('explained, with the name of the strategy', async () => {
    const { channels, step } = await explain('routed')
    expect(channels).toEqual(['sms', 'email'])
    expect(step.summary).toContain('The routing is that of the strategy `Text first`.')
    expect(step.facts).toMatchObject({ strategy: { id: strategy, name: 'Text first' }, method: 'single' })
    const message = await sendAndSettle(app.client, { event: 'routed', recipient, profile })
    expect((await app.client.messages.explain(message.id)).deliveries[0]).toMatchObject({ channel: 'sms' })
  })

  test('a send with channels of its own goes by them; its method alone is put over those of the strategy', async () => {
    const message = await sent({ routing: { method: 'single', channels: ['email'] } })
    expect(message.step.facts).toMatchObject({ channels: ['email'] })
    expect(message.step.facts).not.toHaveProperty('strategy')
    const all = await sent({ routing: { method: 'all' } })
    expect(all.step.facts).toMatchObject({ method: 'all', channels: ['sms', 'email'], strategy: { id: strategy } })
  })

  test('its settings hold beneath those of the send', async () => {
    const { client } = app
    const email = { if: 'data.mail', override: { subject: 'Of the strategy', from: 'shop@example.com' } }
    const { id } = await client.routingStrategies.create({
      name: 'Mail with conditions',
      routing: { method: 'single', channels: ['email', 'sms'] },
      channels: { email },
    })
    await publish(client, 'settings', { routing: { strategy_id: id } })
    expect((await explain('settings')).channels).toEqual(['sms'])
    const { rendered } = await client.explain({ event: 'settings', recipient, profile, data: { mail: true } })
    expect(rendered[0]!.content.subject).toBe('Of the strategy')
    const over = { channel: { email: { subject: 'Of the send' } } }
    const again = await client.explain({ event: 'settings', recipient, profile, data: { mail: true }, override: over })
    expect(again.rendered[0]!.content.subject).toBe('Of the send')
  })

  test('a change is used by the next decision; one that is gone is named, and the default channels are used', async () => {
    const { client } = app
    await client.routingStrategies.replace(strategy, {
      ...smsFirst,
      name: 'Mail only',
      routing: { channels: ['email'] },
    })
    expect((await explain('routed')).channels).toEqual(['email'])
    await expect(client.routingStrategies.archive(strategy)).rejects.toMatchObject({ status: 409, code: 'in_use' })
    await publish(client, 'lost', { routing: { strategy_id: 'nowhere' } })
    const { step, channels } = await explain('lost')
    expect(channels).toContain('email')
    expect(step.summary).toContain('Unknown routing strategy `nowhere`; the default channels are used.')
    const strict = await app.call('POST', '/send?strict=true', { body: { event: 'lost', recipient, profile } })
    expect([strict.status, strict.json.message]).toEqual([400, expect.stringContaining('Unknown routing strategy')])
    const foreign = await app.key('published', 'test')
    await publish(foreign.client, 'foreign', { routing: { strategy_id: strategy } })
    const theirs = await foreign.client.explain({ event: 'foreign', recipient, profile })
    expect(theirs.steps.find(({ step }) => step === 'route')!.summary).toContain('Unknown routing strategy')
  })

  test('a send with channels of its own is not warned of a strategy that is gone', async () => {
    const { client } = app
    await publish(client, 'own', { routing: { strategy_id: 'nowhere' } })
    const send = (channel: string) => ({
      message: {
        template: 'own',
        data: { name: 'Ada' },
        to: { user_id: recipient, ...profile },
        routing: { method: 'single', channels: [channel] },
      },
    })
    const { json } = await app.call('POST', '/explain', { body: send('emial') })
    const route = json.steps.find(({ step }: { step: string }) => step === 'route')
    expect(route).toMatchObject({ code: 'route_name_unknown' })
    expect(route).not.toHaveProperty('notes')
    const strict = await app.call('POST', '/send?strict=true', { body: send('email') })
    expect([strict.status, strict.json]).toEqual([202, { requestId: expect.any(String) }])
  })

  test('a strategy with a chosen id is used by a notification that named it before', async () => {
    const { client } = app
    const id = 'night-and-day'
    await publish(client, 'early', { routing: { strategy_id: id } })
    expect((await explain('early')).step.summary).toContain(`Unknown routing strategy \`${id}\``)
    expect(await client.routingStrategies.create({ id, ...smsFirst })).toMatchObject({ id, ...smsFirst })
    await until(
      () => explain('early'),
      ({ channels }) => channels.join() === 'sms,email',
    )
    expect((await client.routingStrategies.notifications(id)).results).toMatchObject([{ name: 'early' }])
    await expect(client.routingStrategies.create({ id, ...smsFirst })).rejects.toMatchObject({
      ...{ status: 409, code: 'already_exists', param: 'id' },
    })
    await expect(client.routingStrategies.archive(id)).rejects.toMatchObject({ code: 'in_use' })
  })

  test('a strategy that could never work is refused with its place', async () => {
    const refused = async (more: object) => {
      const { status, json } = await app.call('POST', '/routing-strategies', { body: { ...smsFirst, ...more } })
      return [status, json.param]
    }
    expect(await refused({ routing: { channels: [''] } })).toEqual([400, 'routing.channels.0'])
    expect(await refused({ channels: { email: { if: 'data.' } } })).toEqual([400, 'channels.email.if'])
    const config = { sendgrid: { override: { config: { apiKey: 'SG.secret' } } } }
    expect(await refused({ providers: config })).toEqual([400, 'providers.sendgrid.override.config'])
    const types = (await app.client.auditEvents.list()).results.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['routing_strategy:created', 'routing_strategy:updated']))
  })
})
