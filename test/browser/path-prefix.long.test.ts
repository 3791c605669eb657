/** The dashboard and the documents below a path of a proxy, with the public address that says so and without it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PrefixProxy, startPrefixProxy } from '../support/peers/prefix-proxy.ts'
import { hasBrowser } from './chromium.ts'
import { type DashboardServer, pageErrorsOf, startDashboard } from './dashboard-server.ts'

describe.skipIf(!hasBrowser)('below a path of a proxy', () => {
  let dashboard: DashboardServer
  let proxy: PrefixProxy
  let page: Page
  let pageErrors: string[]

  beforeAll(async () => {
    proxy = await startPrefixProxy('/a/app/notify', () => dashboard.server.url)
    dashboard = await startDashboard({ POSTRIDER_PUBLIC_URL: proxy.url })
    page = await (await dashboard.browser.newContext({ locale: 'en-US' })).newPage()
    // The first question of a browser without a session.
    pageErrors = pageErrorsOf(page, (text) => text.includes('401'))
  })
  afterAll(async () => {
    await dashboard?.close()
    proxy?.close()
  })

  test('a sign-in link leads there, and a message is sent, seen and explained', async () => {
    const { url } = await dashboard.client.sessions.createLink()
    expect(url).toMatch(`${proxy.url}/app/#link=`)
    await page.goto(url)
    await page.getByRole('button', { name: 'Send welcome to Ada' }).click()
    await page.getByText(/^It works: Welcome was delivered/).waitFor()
    await page.frameLocator('iframe[title="Rendered mail"]').getByText('it is good to have you here').waitFor()
    await page.getByText(`curl '${proxy.url}/send'`).waitFor()
    await page.getByRole('link', { name: 'Why this way?' }).click()
    await page.getByRole('heading', { name: /^Delivered by email through Mailbox/ }).waitFor()
    expect(page.url()).toMatch(new RegExp(`^${proxy.url}/app/messages/1-`))
  })

  test('a deep address is loaded again, and keys and links stay below the path', async () => {
    await page.reload()
    await page.getByRole('heading', { name: /^Delivered by email through Mailbox/ }).waitFor()
    for (const [keys, heading] of [
      ['gm', 'Messages'],
      ['gt', 'Templates'],
      ['gi', 'Integrations'],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key)
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      expect(page.url().startsWith(`${proxy.url}/app/`)).toBe(true)
    }
  })

  test('the documents are there, with their links and the public address in their calls', async () => {
    await page.goto(`${proxy.url}/app/`)
    await page.getByRole('link', { name: 'The first message, a guide' }).waitFor()
    await page.goto(
      await page
        .getByRole('link', { name: 'The first message, a guide' })
        .evaluate((link) => (link as unknown as { href: string }).href),
    )
    await page.getByRole('heading', { name: 'The first message' }).waitFor()
    await page.getByText(`curl -s ${proxy.url}/send`).first().waitFor()
    await page.getByRole('link', { name: 'API reference' }).click()
    await page.getByRole('button', { name: 'Send', exact: false }).first().waitFor()
    await page.goto(`${proxy.url}/docs/plain`)
    await page.getByRole('link', { name: 'Guides' }).click()
    await page.getByRole('navigation', { name: 'Guides' }).waitFor()
  })

  test('it works at the address of the server, too', async () => {
    const context = await dashboard.signedIn()
    const direct = await context.newPage()
    await direct.goto(`${dashboard.server.url}/app/messages`)
    await direct.getByRole('row').filter({ hasText: 'ada' }).waitFor()
    await context.close()
  })

  test('without a public address the dashboard finds its path by itself', async () => {
    const unnamed = await startDashboard({ POSTRIDER_PUBLIC_URL: '' })
    const other = await startPrefixProxy('/notify', () => unnamed.server.url)
    try {
      const context = await unnamed.browser.newContext({ locale: 'en-US' })
      const at = await context.newPage()
      await at.goto(`${other.url}/`)
      await at.getByLabel('API key').fill(unnamed.apiKey)
      await at.keyboard.press('Enter')
      await at.getByText('It runs. Nothing was sent yet.').waitFor()
      await at.goto(`${other.url}/app/templates`)
      await at.getByText('Welcome').first().waitFor()
      expect(other.strayed).toEqual([])
    } finally {
      other.close()
      await unnamed.close()
    }
  })

  test('nothing was requested beside the path, and no script failed', () => {
    expect([proxy.strayed, pageErrors]).toEqual([[], []])
  })
})
