/**
 * Messages have the style of their brand: chosen by the send, the notification or the workspace, and the same ever
 * after.
 */
import { beforeAll, expect, test } from 'vitest'
import { type App, sendAndSettle, settled, withApp } from '../support/app.ts'
import { publish } from './templates.ts'

const red = '#c00001'
const green = '#00c002'
const blue = '#0000c3'
const colored = (primary: string) => ({ colors: { primary } })
const elements = [
  { type: 'meta', title: 'News {{>sign}}' },
  { type: 'action', content: 'Go', href: 'https://x.y' },
  { type: 'text', content: 'In {brand.colors.primary} by {brand.name}' },
]

withApp((open) => {
  let app: App
  const recipient = 'ada'
  const profile = { email: 'ada@example.com', phone_number: '+15550100' }
  const content = { version: '2022-01-01', elements }

  beforeAll(async () => {
    app = await open()
    const { brands } = app.client
    const snippets = { items: [{ name: 'sign', value: 'from Red' }] }
    await brands.create({ id: 'red', name: 'Red', settings: colored(red), snippets })
    await brands.create({ id: 'green', name: 'Green', settings: colored(green) })
    await brands.create({ id: 'blue', name: 'Blue', settings: colored(blue) })
    await publish(app.client, 'plain', { channels: ['email'], content })
    await publish(app.client, 'branded', { channels: ['email'], content, brand: { id: 'green' } })
  })

  const explain = async (event: string, more = {}) => {
    const { rendered, steps } = await app.client.explain({ event, recipient, profile, ...more })
    return { content: rendered[0]!.content, step: steps.at(-1)! }
  }
  /** The background color of the button. */
  const colorOf = async (event: string, more = {}) => {
    const { html } = (await explain(event, more)).content
    return /<a\s+href="https:\/\/x\.y"[^>]*background:\s*(#\w+)/.exec(html)?.[1]
  }

  test('a new workspace has a default brand, and it can give its place but not go', async () => {
    const { results } = await app.client.brands.list()
    const standard = results.find((brand) => brand.default)
    expect(standard).toMatchObject({ name: 'Default', settings: { colors: { primary: '#2a5bd7' } } })
    await expect(app.client.brands.delete(standard!.id)).rejects.toMatchObject({ status: 409 })
    expect(await colorOf('plain')).toBe('#2a5bd7')
  })

  test('the brand of the send wins over the one of the notification, and that over the default', async () => {
    expect(await colorOf('branded')).toBe(green)
    expect(await colorOf('branded', { brand: 'red' })).toBe(red)
    expect(await colorOf('plain', { brand: 'red' })).toBe(red)
  })

  test('an override names a brand for all channels or for one, or changes parts of it', async () => {
    expect(await colorOf('branded', { override: { brand: 'red' } })).toBe(red)
    expect(await colorOf('branded', { brand: 'red', override: { channel: { email: { brand: 'blue' } } } })).toBe(blue)
    expect(await colorOf('branded', { brand: 'red', override: { channel: { sms: { brand: 'blue' } } } })).toBe(red)
    const parts = { colors: { primary: '#abcdef' } }
    expect(await colorOf('plain', { brand: 'red', override: { brand: parts } })).toBe('#abcdef')
    const { content } = await explain('plain', {
      brand: 'red',
      override: { channel: { email: { brand: { settings: parts } } } },
    })
    expect(content.html).toContain('#abcdef')
    expect(content.subject).toBe('News from Red')
  })

  test('a message of the second generation names its brand, and inline content has one too', async () => {
    const htmlOf = async (more: object) => {
      const message = {
        to: { email: profile.email },
        content,
        routing: { method: 'single', channels: ['email'] },
        ...more,
      }
      const { json } = await app.call('POST', '/send', { body: { message } })
      await settled(app.client, json.requestId)
      return (await app.client.messages.output(json.requestId)).results[0]!.content.html
    }
    expect(await htmlOf({})).toContain('by Default')
    expect(await htmlOf({ brand_id: 'red' })).toContain(`In ${red} by Red`)
    expect(await htmlOf({ brand_id: 'red', channels: { email: { brand_id: 'blue' } } })).toContain(`In ${blue} by Blue`)
  })

  test('a message in a tenant has the brand of the tenant, unless the send names another', async () => {
    const { client } = app
    await client.tenants.put('branded-tenant', { name: 'Tenant', brand_id: 'blue' })
    const nameOf = async (more: object) => {
      const message = {
        to: { user_id: recipient, ...profile },
        template: 'branded',
        context: { tenant_id: 'branded-tenant' },
        ...more,
      }
      const { json } = await app.call('POST', '/send', { body: { message } })
      await settled(client, json.requestId)
      return /In #\w+ by (\w+)/.exec((await client.messages.output(json.requestId)).results[0]!.content.text)?.[1]
    }
    expect(await nameOf({})).toBe('Blue')
    expect(await nameOf({ brand_id: 'red' })).toBe('Red')
  })

  test('text can name the brand and its snippets, in every channel', async () => {
    const { content } = await explain('plain', { brand: 'red' })
    expect([content.subject, content.text]).toEqual(['News from Red', expect.stringContaining(`In ${red} by Red`)])
    await publish(app.client, 'by-sms', {
      channels: ['sms'],
      content: { title: '', body: 'Hi {{>sign}} {brand.name}' },
    })
    expect((await explain('by-sms', { brand: 'red' })).content.body).toBe('Hi from Red Red')
    expect((await explain('by-sms', { brand: 'blue' })).content.body).toBe('Hi  Blue')
  })

  test('an unknown brand is replaced by the default, and the explanation names it', async () => {
    const { step } = await explain('branded', { brand: 'unknown' })
    expect(await colorOf('branded', { brand: 'unknown' })).toBe('#2a5bd7')
    expect(step.summary).toContain('Unknown brand `unknown`; the default is used.')
    expect(step.facts).toMatchObject({ missing_brands: ['unknown'], brand: { version: expect.any(String) } })
    const { version } = await app.client.brands.get('red')
    expect((await explain('branded', { brand: 'red' })).step.facts).toMatchObject({ brand: { id: 'red', version } })
    const foreign = await app.key('published', 'test')
    await foreign.client.brands.create({ id: 'theirs', name: 'Theirs', settings: colored(red) })
    expect(await colorOf('plain', { brand: 'theirs' })).toBe('#2a5bd7')
  })

  test('a message keeps the version it was decided with; the next one has the new version', async () => {
    const { client } = app
    await client.brands.create({ id: 'changing', name: 'One', settings: colored(red) })
    const message = await sendAndSettle(client, { event: 'plain', recipient, profile, brand: 'changing' })
    const htmlOf = async (id: string) => (await client.messages.output(id)).results[0]!.content.html
    const before = await htmlOf(message.id)
    const kept = await client.mailbox.list({ message_id: message.id })
    expect(kept.results[0]!.content).toMatchObject({ html: before })
    expect(before).toContain(red)

    await client.brands.replace('changing', { name: 'Two', settings: colored(green) })
    const two = await sendAndSettle(client, { event: 'plain', recipient, profile, brand: 'changing' })
    expect(await htmlOf(two.id)).toContain(green)
    await client.brands.delete('changing')
    expect(await htmlOf(message.id)).toBe(before)
    expect(await htmlOf(two.id)).toContain(`In ${green} by Two`)
    const unknown = await sendAndSettle(client, { event: 'plain', recipient, profile, brand: 'changing' })
    await client.brands.create({ id: 'changing', name: 'Three', settings: colored(blue) })
    expect(await htmlOf(unknown.id)).toContain('by Default')
    expect(JSON.stringify((await client.messages.explain(unknown.id)).steps)).toContain('Unknown brand `changing`')
  })

  test('a mail larger than Gmail shows is named before it is sent, in its history, and when its content is checked', async () => {
    const { client } = app
    const long = { version: '2022-01-01', elements: [{ type: 'text' as const, content: 'word '.repeat(21_000) }] }
    const warning = expect.stringMatching(
      /^The HTML of the email has 1\d\d kB: Gmail shows 102 kB and cuts off the rest\.$/,
    )
    const { warnings } = await client.notifications.inspect({ notification: { name: 'Long', content: long } })
    expect(warnings).toEqual([warning])
    await publish(client, 'long', { channels: ['email'], content: long })
    expect((await client.explain({ event: 'long', recipient, profile })).warnings).toEqual([warning])
    expect((await client.explain({ event: 'plain', recipient, profile })).warnings).toBeUndefined()
    const { id } = await sendAndSettle(client, { event: 'long', recipient, profile })
    const { results } = await client.messages.history(id)
    expect(results.find(({ type }) => type === 'RENDERED')).toMatchObject({ findings: [warning] })
  })

  test('the default brand is used by sends without one', async () => {
    const { client } = app
    const { results } = await client.brands.list()
    const standard = results.find((brand) => brand.default)!
    await client.brands.replace('blue', { name: 'Blue', default: true })
    const { id } = await sendAndSettle(client, { event: 'plain', recipient, profile })
    expect((await client.messages.output(id)).results[0]!.content.html).toContain(blue)
    await client.brands.replace(standard.id, { name: 'Default', default: true })
    expect(await colorOf('plain')).toBe('#2a5bd7')
    expect((await client.messages.output(id)).results[0]!.content.html).toContain(blue)
  })
})
