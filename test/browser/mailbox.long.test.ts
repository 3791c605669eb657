/** The mailbox in a browser: what it caught on each channel as its recipient would have seen it. */
import type { Channel, Postrider } from '@postrider/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { hasBrowser } from './chromium.ts'
import { type DashboardServer, pageErrorsOf, startDashboard } from './dashboard-server.ts'

describe.skipIf(!hasBrowser)('the mailbox', () => {
  let dashboard: DashboardServer
  let client: Postrider
  let page: Page
  let pageErrors: string[]

  const channels: Channel[] = ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook']
  const profile = {
    ...{ email: 'ada@example.com', phone_number: '+12025550143', firebaseToken: 'token-1' },
    ...{ slack: { access_token: 'x', channel: 'releases' }, webhook: { url: 'https://example.com/hooks' } },
  }
  const content = {
    version: '2022-01-01' as const,
    elements: [
      { type: 'meta' as const, title: 'Your order {id}' },
      { type: 'text' as const, content: 'Hello, we handed [order {id}](https://shop.example/{id}) to the carrier.' },
    ],
  }
  const send = (recipient: string, id: string, routed = channels) =>
    client.send({
      message: {
        to: { user_id: recipient, ...profile },
        data: { id },
        content,
        routing: { method: 'all', channels: routed },
      },
    })
  const caught = (count: number) =>
    until(
      async () => (await client.mailbox.list({ limit: 50 })).results,
      ({ length }) => length === count,
    )
  const rows = () => page.getByRole('grid', { name: 'Caught messages, newest first' }).getByRole('link')
  const heading = (name: string) => page.getByRole('heading', { level: 2, name, exact: true })

  beforeAll(async () => {
    dashboard = await startDashboard()
    ;({ client } = dashboard)
    page = await (await dashboard.signedIn()).newPage()
    pageErrors = pageErrorsOf(page)
  })
  afterAll(() => dashboard?.close())

  test('empty, it says so and leads to the first message', async () => {
    await page.goto(`${dashboard.server.url}/app/mailbox`)
    await page.getByText('Nothing was caught yet.').waitFor()
    await page.getByText('The mailbox serves every channel of production.').waitFor()
    await page.getByRole('link', { name: 'Send welcome to Ada' }).click()
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await page.goBack()
  })

  test('messages come in by themselves, and beside the list stands the newest', async () => {
    await send('ada', 'A1')
    await caught(6)
    await expect.poll(() => rows().count()).toBe(6)
    await page.getByText('People would have seen this, had it been sent.').waitFor()
    await heading('Your order A1').waitFor()
    expect(new URL(page.url()).pathname).toBe('/app/mailbox')
  })

  test('j and k go through the list, m leads to the message, and back to the item', async () => {
    await page.keyboard.press('j')
    await page.waitForURL(/\/app\/mailbox\/1-/)
    const [, second] = await caught(6)
    expect(page.url()).toContain(second?.id)
    expect(await rows().nth(1).getAttribute('aria-current')).toBe('page')
    await page.keyboard.press('m')
    await page.waitForURL(new RegExp(`/app/messages/${second?.message_id}$`))
    await page.goBack()
    await heading('Your order A1').waitFor()
  })

  test('the list has one stop of the keyboard: arrows, Home and End walk it, and Tab leaves it', async () => {
    await page.goto(`${dashboard.server.url}/app/mailbox`)
    await expect.poll(() => rows().count()).toBe(6)
    const focused = () =>
      page.evaluate<number>(`[...document.querySelectorAll('[role="grid"] a')].indexOf(document.activeElement)`)
    const stops = () =>
      page
        .locator('[role="grid"] :is(a, button, [tabindex])')
        .evaluateAll((all) => all.filter(({ tabIndex }) => tabIndex >= 0).length)
    expect(await stops()).toBe(1)
    await rows().first().focus()
    await page.keyboard.press('ArrowDown')
    await page.waitForURL(new RegExp(`/app/mailbox/${(await caught(6))[1]?.id}`))
    expect([await focused(), await stops()]).toEqual([1, 1])
    await page.keyboard.press('End')
    expect(await focused()).toBe(5)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('k')
    expect([await focused(), await stops()]).toEqual([3, 1])
    await page.waitForURL(new RegExp(`/app/mailbox/${(await caught(6))[3]?.id}`))
    expect(await page.getByRole('row', { selected: true }).count()).toBe(1)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe(-1)
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe(3)
    await page.keyboard.press('Home')
    await heading('Your order A1').waitFor()
    expect(await focused()).toBe(0)
  })

  test('a channel is a choice of the address, and the focus stays on it', async () => {
    await page.getByRole('radio', { name: 'SMS' }).check({ force: true })
    await expect.poll(() => rows().count()).toBe(1)
    expect(new URL(page.url()).searchParams.get('channel')).toBe('sms')
    expect(await page.evaluate('document.activeElement.type')).toBe('radio')
    await page.getByText(/^1 segment · GSM-7 · \d+ characters$/).waitFor()
    await page.getByRole('radio', { name: 'Push' }).check({ force: true })
    await page.getByRole('group', { name: 'Push' }).getByText('Your order A1').waitFor()
    await page.getByRole('radio', { name: 'Chat' }).check({ force: true })
    await rows().filter({ hasText: '#releases' }).waitFor()
    await page.locator('dd').filter({ hasText: '#releases Recipient ada' }).waitFor()
  })

  test('a mail is seen on a phone and dark by a key, with its links and its source', async () => {
    await page.getByRole('radio', { name: 'Email' }).check({ force: true })
    const frame = page.locator('iframe[title="Rendered mail"]')
    await page.frameLocator('iframe[title="Rendered mail"]').getByText('to the carrier').waitFor()
    await page.getByText('ada@example.com').first().waitFor()
    const width = async () => (await frame.boundingBox())?.width ?? 0
    const wide = await width()
    await page.keyboard.press('p')
    await expect.poll(width).toBe(390)
    expect(wide).toBeGreaterThan(390)
    await page.keyboard.press('d')
    await expect.poll(() => frame.evaluate((element) => element.style.colorScheme)).toBe('dark')
    await page.getByRole('tab', { name: 'Links' }).click()
    await page.getByRole('link', { name: 'https://shop.example/A1', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Source' }).click()
    await page.getByRole('region', { name: 'Source' }).getByText('<!doctype html>').waitFor()
    await page.reload()
    await page.getByRole('region', { name: 'Source' }).waitFor()
    await page.getByRole('tab', { name: 'Captured request' }).click()
    await page.getByText('message_id').waitFor()
  })

  test('a mail whose pictures are shown counts no open', async () => {
    const { http } = dashboard.peers
    await client.tracking.replace({ email: { open: true, click: false } })
    const image = { type: 'image' as const, src: `${http.url}/picture.png` }
    const { requestId } = await client.send({
      message: {
        to: { user_id: 'looked-at', email: 'looked-at@example.com' },
        content: { version: '2022-01-01', elements: [{ type: 'meta', title: 'A picture' }, image] },
        routing: { method: 'single', channels: ['email'] },
      },
    })
    const [item] = await caught(7)
    expect(item?.content.html).toContain(`${dashboard.server.url}/o/`)
    const reader = await dashboard.signedIn()
    try {
      const read = await reader.newPage()
      const requested: string[] = []
      read.on('request', (request) => requested.push(new URL(request.url()).pathname))
      await read.goto(`${dashboard.server.url}/app/mailbox/${item?.id}`)
      await read.getByRole('switch', { name: 'Remote pictures' }).click({ force: true })
      await expect.poll(() => requested).toContain('/picture.png')
      await read.waitForLoadState('networkidle')
      expect(requested.filter((path) => path.startsWith('/o/'))).toEqual([])
      const { results } = await client.messages.history(requestId)
      expect(results.map(({ type }) => type)).not.toContain('OPENED')
    } finally {
      await reader.close()
      await client.tracking.replace({ email: { open: false, click: false } })
    }
  })

  test('with newest on top switched off, the list stays as it is', async () => {
    await page.clock.install()
    await page.goto(`${dashboard.server.url}/app/mailbox?channel=inbox`)
    await expect.poll(() => rows().count()).toBe(1)
    await page.getByRole('switch', { name: 'Newest on top' }).click({ force: true })
    await page.waitForURL(/still=true/)
    await send('grace', 'A2', ['inbox'])
    await caught(8)
    await page.clock.runFor(20_000)
    await page.waitForLoadState('networkidle')
    expect(await rows().count()).toBe(1)
    await page.getByRole('switch', { name: 'Newest on top' }).click({ force: true })
    await page.clock.runFor(20_000)
    await expect.poll(() => rows().count()).toBe(2)
    // The item that was read is still the one beside the list.
    await heading('Your order A1').waitFor()
  })

  test('a channel with an integration leaves the mailbox, and the sentence says which it serves', async () => {
    const { port } = dashboard.peers.smtp
    await client.providers.create({
      ...{ provider: 'smtp', title: 'Company mail' },
      settings: { host: '127.0.0.1', port, security: 'opportunistic', fromAddress: 'news@example.com' },
    })
    await page.goto(`${dashboard.server.url}/app/mailbox`)
    await page
      .getByText(
        'None of it left this server: the mailbox serves SMS, Push, Chat, Inbox, and Webhook in production, and no other channel.',
      )
      .waitFor()
  })

  test('on a phone the item has the page, and a link back to the list', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await rows().first().click()
    await heading('Your order A2').waitFor()
    expect(await rows().count()).toBe(0)
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await rows().first().waitFor()
    // Without a place for the item, the keys walk the list, and Enter opens.
    await rows().first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('j')
    expect(new URL(page.url()).pathname).toBe('/app/mailbox')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/app/mailbox/${(await client.mailbox.list({ limit: 3 })).results[2]?.id}`))
  })

  test('no script failed', () => {
    expect(pageErrors).toEqual([])
  })
})
