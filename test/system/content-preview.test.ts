/** A preview has the words that are sent, for a stored user and for any channel, whatever stops a message; it stores nothing. */
import type { Element, NotificationInput, NotificationPreviewRequest, Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { integrate, publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let id: string
  const elements: Element[] = [
    { type: 'meta', title: 'Order {number}', locales: { de: { title: 'Bestellung {number}' } } },
    {
      type: 'text',
      content: '**Hello** {$.profile.name}, it is on its way.',
      locales: { de: { content: '**Hallo** {$.profile.name}, sie ist unterwegs.' } },
    },
  ]
  const order: NotificationInput = { name: 'Order', content: { elements } }
  const preview = (body: NotificationPreviewRequest) => client.notifications.preview(body)
  const ofOrder = (more: NotificationPreviewRequest = {}) =>
    preview({ notification_id: id, data: { number: 7 }, channels: ['sms'], ...more })
  const text = async (more: NotificationPreviewRequest = {}) => (await ofOrder(more)).results[0]?.content.text

  beforeAll(async () => {
    app = await open({ env: { POSTRIDER_PUBLIC_URL: 'https://post.example.com' } })
    client = app.client
    await client.profiles.replace('ada', { profile: { name: 'Ada', email: 'ada@example.com', locale: 'de' } })
    id = await publish(client, 'order', order)
  })

  test('the content of each channel is that of a message', async () => {
    const { results, missing, warnings, ...rest } = await ofOrder({ recipient: 'ada', channels: ['email'] })
    expect(rest).toEqual({ notification: { id, version: 'v1' }, locale: 'de' })
    expect([missing, warnings]).toEqual([[], []])
    const { requestId } = await client.send({
      message: {
        to: { user_id: 'ada' },
        template: 'order',
        data: { number: 7 },
        routing: { method: 'single', channels: ['email'] },
      },
    })
    expect(await settled(client, requestId)).toMatchObject({ status: 'DELIVERED' })
    const { results: sent } = await client.messages.output(requestId)
    expect(results).toEqual(sent.map(({ channel, content }) => ({ channel, content })))
    expect(results[0]?.content).toMatchObject({
      subject: 'Bestellung 7',
      text: expect.stringContaining('Hallo Ada, sie ist unterwegs.'),
    })
  })

  test('for whom it is rendered: locale, profile, tenant and brand', async () => {
    expect(await text({ recipient: 'ada' })).toBe('Hallo Ada, sie ist unterwegs.')
    expect(await text({ recipient: 'ada', locale: 'en' })).toBe('Hello Ada, it is on its way.')
    expect(await text({ recipient: 'ada', profile: { name: 'Bo' } })).toBe('Hallo Bo, sie ist unterwegs.')
    expect(await text({ profile: { name: 'Bo' } })).toBe('Hello Bo, it is on its way.')
    await client.profiles.replace('preview', { profile: { name: 'Stored' } })
    expect(await text()).toBe('Hello {$.profile.name}, it is on its way.')
    await client.tenants.put('acme', { name: 'Acme', default_preferences: null, properties: { city: 'Ulm' } } as never)
    const { id: brand } = await client.brands.create({ name: 'Red', settings: { colors: { primary: '#c0ffee' } } })
    const notification = { ...order, content: { title: 'Hi', body: 'From {tenant.name}\n\n[Go](https://example.com)' } }
    const { results, warnings } = await preview({
      ...{ notification, tenant_id: 'acme', brand_id: brand, channels: ['email'] },
    })
    expect(results[0]?.content.text).toContain('From Acme')
    expect(results[0]?.content.html).toContain('#c0ffee')
    expect(warnings).toEqual([])
  })

  test('preferences, conditions and missing addresses stop a message, and no preview', async () => {
    const stopped = await publish(client, 'stopped', {
      content: { title: 'Hi', body: 'Hello {name}' },
      channels: ['sms'],
      settings: { if: 'data.name == "Bo"' },
    })
    await client.preferences.replace('ada', { notifications: { [stopped]: { status: 'OPTED_OUT' } }, categories: {} })
    const { decision } = await client.explain({ event: 'stopped', recipient: 'ada', data: { name: 'Ada' } })
    expect(decision.status).not.toBe('ROUTED')
    const { results } = await preview({ notification_id: stopped, recipient: 'ada', data: { name: 'Ada' } })
    expect(results.map(({ channel, content }) => [channel, content.text])).toEqual([['sms', 'Hello Ada']])
  })

  test('the channels are those of the routing, of the content, or those that most messages take', async () => {
    const channelsOf = async (notification: Partial<NotificationInput>) =>
      (await preview({ notification: { ...order, ...notification } })).results.map(({ channel }) => channel)
    expect(await channelsOf({})).toEqual(['email', 'sms', 'push'])
    expect(await channelsOf({ routing: { method: 'all', channels: ['sms', 'email', 'sms'] } })).toEqual([
      'sms',
      'email',
    ])
    const branch: Element = { type: 'channel', channel: 'push', elements: [{ type: 'text', content: 'Hi' }] }
    expect(await channelsOf({ content: { elements: [branch] } })).toEqual(['push'])
  })

  test('a chat message has the markup of its provider', async () => {
    const ofChat = async (name: string) => (await ofOrder({ profile: { name: 'A' }, channels: [name] })).results
    expect(await ofChat('direct_message')).toMatchObject([{ content: { text: 'Hello A, it is on its way.' } }])
    expect((await ofOrder({ channels: ['sms', 'direct_message', 'sms'] })).results).toHaveLength(2)
    expect(await ofChat('slack')).toMatchObject([
      { channel: 'direct_message', provider: 'slack', content: { text: '*Hello* A, it is on its way.' } },
    ])
    // Behind the mailbox in the order, which a message would not use beside it either.
    await integrate(client, { provider: 'discord', priority: 1_000, settings: { botToken: 'token' } })
    expect(await ofChat('direct_message')).toMatchObject([
      { provider: 'discord', content: { text: '**Hello** A, it is on its way.' } },
    ])
    // Now every message of a notification without a routing can go there.
    expect((await preview({ notification: order })).results.map(({ channel }) => channel)).toContain('direct_message')
  })

  test('versions: the published one, the draft, an earlier one, and one that is not stored', async () => {
    const renamed = (title: string): NotificationInput => ({ ...order, content: { title, body: 'Hello' } })
    await client.notifications.replace(id, { notification: renamed('Draft') })
    const title = async (more: NotificationPreviewRequest) => {
      const { notification, results } = await ofOrder(more)
      return [notification?.version, results[0]?.content.title]
    }
    expect(await title({})).toEqual(['v1', 'Order 7'])
    expect(await title({ version: 'draft' })).toEqual(['draft', 'Draft'])
    await client.notifications.publish(id)
    expect(await title({})).toEqual(['v2', 'Draft'])
    expect(await title({ version: 'v1' })).toEqual(['v1', 'Order 7'])
    const { notification, results } = await preview({ notification: renamed('New'), channels: ['push'] })
    expect([notification, results[0]?.content.title]).toEqual([undefined, 'New'])
    await expect(ofOrder({ version: 'v9' })).rejects.toMatchObject({ status: 404, message: 'Version not found' })
    const { id: draft } = await client.notifications.create({ notification: renamed('Only a draft') })
    expect((await preview({ notification_id: draft })).notification).toEqual({ id: draft, version: 'draft' })
    await client.events.put('bought', { id, type: 'notification' })
    expect((await preview({ notification_id: 'bought' })).notification).toEqual({ id, version: 'v2' })
  })

  test('variables without a value and misspelled names are said', async () => {
    const body = 'Hi {name}, {number} {$.profile.city}'
    const notification: NotificationInput = { ...order, content: { title: 'Hi {name}', body } }
    const { missing, warnings } = await preview({
      ...{ notification, data: { number: 1 }, recipient: 'bo', locale: 'xxxx', tenant_id: 'acm', brand_id: 'reed' },
      channels: ['sms', 'email'],
    })
    expect(missing.toSorted()).toEqual(['{$.profile.city}', '{name}'])
    expect(warnings).toEqual([
      'No profile is stored for `bo`.',
      expect.stringContaining('`acm`'),
      expect.stringContaining('`reed`'),
      ...[expect.stringContaining('{name}'), expect.stringContaining('{$.profile.city}')],
      expect.stringContaining('xxxx'),
    ])
  })

  test('a message that would fail is shown with its error', async () => {
    const settings = { on_missing_variable: 'fail' } as const
    const failing = { ...order, content: { title: 'Hi', body: 'Hello {name}' }, settings }
    const { results, missing, warnings } = await preview({ notification: failing, channels: ['sms'] })
    expect(results).toMatchObject([
      { content: { text: 'Hello {name}' }, error: expect.stringContaining('`{name}` has no value') },
    ])
    expect(missing).toEqual(['{name}'])
    // The error says it, and no warning that the variable stands in the message.
    expect(warnings).toEqual([])
    const branch: Element = { type: 'channel', channel: 'push', elements: [{ type: 'text', content: 'Hi' }] }
    const other = await preview({ notification: { ...order, content: { elements: [branch] } }, channels: ['sms'] })
    expect(other.results).toMatchObject([{ content: { text: '' }, error: expect.any(String) }])
    // Each channel has the budget of a message that goes by it alone.
    const body = '{{#each items}}{{#each ../items}}{{/each}}{{/each}}ok'
    const work = { notification: { ...order, content: { title: 'Hi', body } }, data: { items: Array(400).fill(1) } }
    expect((await preview(work)).results.flatMap(({ error }) => error ?? [])).toEqual([])
  })

  test('links for the recipient are samples, and nothing is stored or sent', async () => {
    const notification = { ...order, content: { title: 'Hi', body: 'Stop: {unsubscribe_url}' } }
    const before = (await client.messages.list()).results.length
    const { results, warnings } = await preview({ notification, channels: ['sms'], recipient: 'ada' })
    expect(results[0]?.content.text).toBe('Stop: https://post.example.com/u/sample')
    expect(warnings).toEqual([])
    expect((await client.messages.list()).results).toHaveLength(before)
    // The links of a message are longer, and count as much.
    const to = { user_id: 'ada', phone_number: '+12025550143' }
    const { requestId } = await client.send({
      message: { to, content: notification.content, routing: { method: 'single', channels: ['sms'] } },
    })
    await settled(client, requestId)
    const [sent] = (await client.messages.output(requestId)).results
    expect(sent?.content.sms?.characters).toBeGreaterThan(80)
    expect(results[0]?.content.sms).toEqual(sent?.content.sms)
  })

  test('errors name the field', async () => {
    const refused = (body: object) => preview(body as NotificationPreviewRequest)
    const notification = order
    for (const [body, message] of [
      [{}, 'notification_id must be there, or `notification`, but not both'],
      [{ notification_id: id, notification }, 'notification_id must be there'],
      [{ notification, version: 'v1' }, 'version must be absent with `notification`'],
      [{ notification, channels: ['sm'] }, 'channels.0 must be a channel or a provider: `sm` is neither.'],
      [{ notification, channels: ['twillio'] }, 'Did you mean `twilio`?'],
      [{ notification, channels: [] }, 'channels must'],
      [{ notification, to: 'ada' }, 'Unknown field `to`'],
      [{ notification: { ...order, settings: { if: 'data.x ==' } } }, 'notification.settings.if'],
    ] as const)
      await expect(refused(body)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) })
    await expect(refused({ notification_id: 'oder' })).rejects.toMatchObject({
      ...{ status: 404, message: 'Unknown template `oder`. Did you mean `order`?' },
    })
  })
})
