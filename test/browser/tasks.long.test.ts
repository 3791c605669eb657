/** Tasks of a new user and of support, on a server that has just started: each with the clicks that it takes. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendAndSettle } from '../support/app.ts'
import { hasBrowser } from './chromium.ts'
import { type DashboardServer, pageErrorsOf, settled, startDashboard } from './dashboard-server.ts'

/** Presses of a mouse button, over all pages of the tab. */
const COUNT_CLICKS = `addEventListener('pointerdown', () => {
  sessionStorage.setItem('clicks', String(1 + Number(sessionStorage.getItem('clicks'))))
}, true)`

describe.skipIf(!hasBrowser)('tasks in the dashboard, by their clicks', () => {
  let dashboard: DashboardServer
  let page: Page
  let pageErrors: string[]

  beforeAll(async () => {
    dashboard = await startDashboard()
    const context = await dashboard.browser.newContext({ locale: 'en-US', viewport: { width: 1400, height: 900 } })
    await context.addInitScript(COUNT_CLICKS)
    page = await context.newPage()
    page.setDefaultTimeout(20_000)
    pageErrors = pageErrorsOf(page, (text) => text.includes('401'))
  })
  afterAll(() => dashboard?.close())

  async function clicksOf(task: () => Promise<unknown>): Promise<number> {
    await page.evaluate(`sessionStorage.removeItem('clicks')`)
    await task()
    return Number(await page.evaluate<string>(`sessionStorage.getItem('clicks') ?? '0'`))
  }
  /** Goes on to the field by the keyboard, and replaces what is there. */
  async function typeAt(field: string, text: string): Promise<void> {
    const isThere = `document.activeElement.matches(${JSON.stringify(field)})`
    for (let presses = 0; !(await page.evaluate<boolean>(isThere)); presses += 1) {
      if (presses > 20) throw new Error(`The keyboard does not lead to ${field}`)
      await page.keyboard.press('Tab')
    }
    if (!field.startsWith('select')) await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(text)
  }
  const rail = (name: string) =>
    page.getByRole('navigation', { name: 'Navigation' }).getByRole('link', { name }).click()
  const toStart = async () => {
    await page.goto(`${dashboard.server.url}/app/`)
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await settled(page)
  }

  test('the first message is sent, seen as its recipient sees it, and explained, in 2 clicks after the link', async () => {
    const { url } = await dashboard.client.sessions.createLink()
    await page.goto(url)
    await page.getByText('It runs. Nothing was sent yet.').waitFor()
    const clicks = await clicksOf(async () => {
      await page.getByRole('button', { name: 'Send welcome to Ada' }).click()
      await page.frameLocator('iframe[title="Rendered mail"]').getByText('it is good to have you here').waitFor()
      await page.getByRole('link', { name: 'Why this way?' }).click()
      await page.getByRole('heading', { name: /^Delivered by email through Mailbox, / }).waitFor()
    })
    expect(clicks).toBe(2)
  })

  test('where a message would go is read before it is sent, in 3 clicks', async () => {
    await toStart()
    const clicks = await clicksOf(async () => {
      await rail('Send')
      await page.getByRole('combobox', { name: 'Template or event' }).click()
      await page.keyboard.type('welcome')
      await page.getByRole('combobox', { name: 'Recipient' }).click()
      await page.keyboard.type('ada')
      await page.getByText(/^Would go to /).waitFor()
    })
    expect(clicks).toBe(3)
  })

  test('an integration is added, with its sign-in, in 5 clicks', async () => {
    await toStart()
    const { smtp } = dashboard.peers
    const clicks = await clicksOf(async () => {
      await rail('Integrations')
      await page.getByRole('button', { name: 'Add integration' }).click()
      await page.getByRole('link', { name: /^SMTP/ }).click()
      await page.getByLabel('Host').click()
      await page.keyboard.type('127.0.0.1')
      for (const [field, text] of [
        ['input[name=port]', String(smtp.port)],
        ['select[name=security]', 'Op'],
        ['input[name=fromAddress]', 'news@example.com'],
      ] as const)
        await typeAt(field, text)
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      await page.getByRole('heading', { level: 1, name: 'SMTP', exact: true }).waitFor()
    })
    expect(clicks).toBe(5)
  })

  test('a support person finds a failed message and its cause in 2 clicks, and the proof in 3', async () => {
    const profile = { email: 'refused@example.com' }
    const failed = await sendAndSettle(dashboard.client, { event: 'welcome', recipient: 'grace', profile })
    expect(failed.status).toBe('UNDELIVERABLE')
    await sendAndSettle(dashboard.client, { event: 'welcome', recipient: 'ada', profile: { email: 'ada@example.com' } })
    await toStart()
    let proof = 0
    const cause = await clicksOf(async () => {
      await page.getByRole('link', { name: /^1\s*failed$/ }).click()
      await page.getByRole('row').filter({ hasText: 'grace' }).getByRole('gridcell').last().click()
      await page.getByText(/refused the address: 550 5\.1\.1/).waitFor()
    })
    await page.goBack()
    await page.getByText(/refused the address: 550 5\.1\.1/).waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/app/messages')
    await page.goForward()
    await page.getByText(/refused the address: 550 5\.1\.1/).waitFor()
    proof = await clicksOf(() => page.getByRole('link', { name: /^SMTP refused the address/ }).click())
    await page.getByRole('region', { name: 'Reply' }).first().waitFor()
    expect([cause, cause + proof]).toEqual([2, 3])
  })

  test('on call: from any screen, what is broken is one click away', async () => {
    await page.goto(`${dashboard.server.url}/app/brands`)
    await page.getByRole('heading', { level: 1, name: 'Brands' }).waitFor()
    const clicks = await clicksOf(async () => {
      await rail('System')
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
      await page.getByText(/^(Everything works|\d+ things? (is|are|needs?) )/).waitFor()
    })
    expect(clicks).toBe(1)
  })

  test('no script failed', () => {
    expect(pageErrors).toEqual([])
  })
})
