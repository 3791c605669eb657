/** Before a draft is published, recent messages show what it would change: words, routes and failures. */
import type { AutomationStep, NotificationInput, Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let id: string
  const written = (body: string, more: Partial<NotificationInput> = {}): NotificationInput => ({
    name: 'Order',
    content: { title: 'Order {number}', body },
    routing: { method: 'single', channels: ['email'] },
    ...more,
  })
  const send = async (recipient: string, data: Record<string, unknown>) => {
    const { messageId } = await client.send({
      event: 'order',
      recipient,
      profile: { email: `${recipient}@example.com`, phone_number: '+12025550143' },
      data,
    })
    await until(
      () => client.messages.get(messageId),
      ({ status }) => status === 'DELIVERED' || status === 'SENT',
    )
  }
  beforeAll(async () => {
    app = await open()
    client = app.client
    id = await publish(client, 'order', written('It is on its way.'))
    await send('ada', { number: 1 })
    await send('bob', { number: 2, note: 'Ring twice' })
  })

  test('a draft like the published version changes nothing', async () => {
    expect(await client.notifications.changes(id)).toMatchObject({
      ...{ published: 'v1', compared: 2, changed: 0, failed: 0, complete: true, results: [] },
    })
  })

  test('words that depend on data change those messages alone, with both contents', async () => {
    await client.notifications.replace(id, { notification: written('It is on its way. {{#if note}}{note}{{/if}}') })
    const { results, ...counts } = await client.notifications.changes(id)
    expect(counts).toMatchObject({ compared: 2, changed: 1, failed: 0 })
    expect(results).toMatchObject([{ recipient: 'bob', differs: ['content'], fails: false }])
    const [changed] = results
    expect(changed?.published.rendered[0]?.content?.text).not.toContain('Ring twice')
    expect(changed?.draft.rendered[0]?.content?.text).toContain('Ring twice')
    expect((await client.notifications.get(id)).version).toBe('v1')
  })

  test('content that is not stored is compared, failures go first, and fewer messages can be compared', async () => {
    const failing = written('It is on its way. {note}', { settings: { on_missing_variable: 'fail' } })
    const { results, ...counts } = await client.notifications.changes(id, { notification: failing })
    expect(counts).toMatchObject({ compared: 2, changed: 2, failed: 1 })
    expect(results.map(({ recipient, fails }) => [recipient, fails])).toEqual([
      ['ada', true],
      ['bob', false],
    ])
    expect(results[0]?.draft.error).toContain('note')
    expect(await client.notifications.changes(id, { notification: failing, limit: 1 })).toMatchObject({
      ...{ compared: 1, changed: 1, failed: 0 },
    })
  })

  test('another routing shows as another route', async () => {
    const notification = written('It is on its way.', { routing: { method: 'single', channels: ['sms'] } })
    const { results } = await client.notifications.changes(id, { notification })
    expect(
      results.map(({ differs, published, draft }) => [differs.includes('route'), published.route, draft.route]),
    ).toMatchObject(Array(2).fill([true, [{ channel: 'email' }], [{ channel: 'sms' }]]))
  })

  test('nothing is written and nothing is sent', async () => {
    const mails = async () => (await client.mailbox.list({ limit: 100 })).results.length
    const before = [await mails(), (await client.messages.list()).results.length]
    await client.notifications.changes(id)
    expect([await mails(), (await client.messages.list()).results.length]).toEqual(before)
  })

  test('unknown fields, limits out of bounds and unpublished notifications are refused', async () => {
    const { id: unpublished } = await client.notifications.create({ notification: written('x') })
    const call = async (of: string, body: object) => {
      const { status, json } = await app.call('POST', `/notifications/${of}/changes`, { body })
      return [status, json.param]
    }
    expect(await call(id, { limit: 501 })).toEqual([400, 'limit'])
    expect(await call(id, { messages: 1 })).toEqual([400, 'messages'])
    expect((await call(unpublished, {}))[0]).toBe(404)
    expect((await call('missing', {}))[0]).toBe(404)
  })

  test('a version is restored as the draft, or published', async () => {
    await client.notifications.replace(id, { notification: written('Second.'), state: 'PUBLISHED' })
    const { versions } = await client.notifications.versions(id)
    expect(versions.map(({ version }) => version)).toEqual(['draft', 'v3', 'v1'])
    expect(await client.notifications.restore(id, { version: 'v1' })).toMatchObject({
      ...{ state: 'DRAFT', version: 'draft' },
    })
    const texts = async (version: string) => JSON.stringify((await client.notifications.get(id, { version })).content)
    expect(await texts('draft')).toContain('on its way')
    expect(await texts('published')).toContain('Second.')
    expect(await client.notifications.restore(id, { version: 'v1', state: 'PUBLISHED' })).toMatchObject({
      ...{ state: 'PUBLISHED', version: 'v5' },
    })
    expect(await texts('published')).toContain('on its way')
    await expect(client.notifications.restore(id, { version: 'v99' })).rejects.toMatchObject({ status: 404 })
    await expect(client.notifications.restore(id, { version: 'x' })).rejects.toMatchObject({ status: 400 })
  })

  test('its uses are the events and the automations that lead to it', async () => {
    await client.events.put('order-again', { id, type: 'notification' })
    const other: AutomationStep = { action: 'send', recipient: 'ada', template: 'another' }
    const steps: AutomationStep[] = [
      { action: 'delay', duration: '1 minute' },
      { action: 'send', recipient: 'ada', template: 'order-again' },
      other,
      { action: 'send', recipient: 'ada', message: { template: id } },
    ]
    await client.automations.putTemplate('shipping', { name: 'Shipping', automation: { steps } })
    await client.automations.putTemplate('other', { automation: { steps: [other] } })
    expect(await client.notifications.uses(id)).toEqual({
      events: ['order', 'order-again'],
      automations: [{ id: 'shipping', name: 'Shipping', steps: ['steps.1', 'steps.3'] }],
      last_message: expect.any(Number),
      complete: true,
    })
  })
})
