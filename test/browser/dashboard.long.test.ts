/** Each page of the dashboard in a browser: without errors, accessible in light and dark, narrow enough for a phone, and quick to load. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from './chromium.ts'
import { makeDashboardData } from './dashboard-data.ts'
import { dashboardPages } from './dashboard-pages.ts'
import { type DashboardServer, pageErrorsOf, settled, startDashboard } from './dashboard-server.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FIRST_LOAD_BYTES_MAX = 300_000

/** The areas of the rail, with the tabs of those that have several screens. */
const AREAS: Record<string, string[]> = {
  Start: [],
  Send: ['Send', 'Bulk jobs'],
  Messages: [],
  Mailbox: [],
  Integrations: ['Integrations', 'Webhooks', 'Event map'],
  Templates: ['Templates', 'Automations', 'Brands'],
  Recipients: ['Users', 'Lists', 'Audiences', 'Tenants', 'Topics', 'Suppressions'],
  System: ['System', 'Audit log', 'API keys and sessions'],
}

/** Every rule in each size; in the second scheme contrast, the only one that depends on it. A phone has the colors of the wide page. */
const SIZES = [
  { width: 1400, height: 900, schemes: ['light', 'dark'] },
  { width: 390, height: 844, schemes: ['dark'] },
] as const
/** More than a page of a list. */
const MESSAGES = 60

describe.skipIf(!hasBrowser)('every page of the dashboard', () => {
  let dashboard: DashboardServer
  let context: BrowserContext
  let page: Page
  let pages: Record<string, string>
  const pageErrors: string[] = []
  const outside: string[] = []

  beforeAll(async () => {
    dashboard = await startDashboard()
    const { client, peers, browser, server } = dashboard
    pages = await dashboardPages(client, peers, await makeDashboardData(client, peers))
    for (let n = 0; n < MESSAGES; n += 1) await client.send({ event: 'nothing-mapped', recipient: `reader-${n}` })
    context = await browser.newContext({ viewport: SIZES[0], reducedMotion: 'reduce' })
    page = await context.newPage()
    page.setDefaultTimeout(15_000)
    // Before the sign-in the browser logs that there is no session.
    pageErrorsOf(page, (text) => text.includes('401'), pageErrors)
    page.on('request', (request) => {
      const address = request.url()
      if (/^(https?|wss?):/.test(address) && new URL(address).origin !== server.url) outside.push(address)
    })
  }, 60_000)
  afterAll(() => dashboard?.close())

  /** Those that keep people out, one line for each element. */
  const seriousViolations = async (isContrast: boolean): Promise<string[]> => {
    const { violations } = await page.evaluate<AxeResults>(
      `axe.run(document, { resultTypes: ['violations']${isContrast ? `, runOnly: ['color-contrast']` : ''} })`,
    )
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`))
  }

  test('the first load is at most 300 kB over the wire, with the start page in it', async () => {
    const network = await context.newCDPSession(page)
    let bytes = 0
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await network.send('Network.enable')
    await page.goto(`${dashboard.server.url}/app/`)
    await page.getByLabel('API key').fill(dashboard.apiKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await settled(page)
    await network.detach()
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX)
  })

  test('the navigation leads to screens that exist, and each of them is in this test', async () => {
    const rail = page.getByRole('navigation', { name: 'Navigation' })
    expect(await rail.locator('li').allInnerTexts()).toEqual(Object.keys(AREAS))
    const addresses: string[] = []
    for (const [name, tabs] of Object.entries(AREAS)) {
      const area = rail.getByRole('link', { name, exact: true })
      await area.click()
      await page.getByRole('heading', { level: 1, name: tabs[0] ?? name, exact: true }).waitFor()
      addresses.push(new URL(page.url()).pathname)
      for (const tab of tabs) {
        await page.getByRole('navigation', { name, exact: true }).getByRole('link', { name: tab, exact: true }).click()
        await page.getByRole('heading', { level: 1, name: tab, exact: true }).waitFor()
        expect([tab, await area.getAttribute('aria-current')]).not.toEqual([tab, null])
        addresses.push(new URL(page.url()).pathname)
      }
    }
    const tested = new Set(Object.values(pages).map((address) => address.replace(/\?.*/, '')))
    expect(addresses.filter((address) => !tested.has(address.replace(/^\/app\/?/, '/')))).toEqual([])
  })

  test('each page opens without errors, is accessible in both sizes and schemes, and does not scroll sideways on a phone', async () => {
    const problemsByPage: Record<string, string[]> = {}
    const withMore = new Set<string>()
    const withOpenRows = {
      'messages without one beside them': '/messages',
      'message-refused, all open': `${pages['message-refused']}?row=all&view=now`,
    }
    for (const [name, address] of Object.entries({ ...pages, ...withOpenRows })) {
      const before = pageErrors.length
      await page.goto(`${dashboard.server.url}/app${address}`)
      await settled(page)
      await page.evaluate(axe)
      const problems = []
      if ((await page.getByText('There is no such page').count()) > 0) problems.push('does not exist')
      if ((await page.getByRole('button', { name: 'Load more' }).count()) > 0) withMore.add(name)
      for (const size of SIZES) {
        await page.setViewportSize(size)
        for (const [index, colorScheme] of size.schemes.entries()) {
          await page.emulateMedia({ colorScheme })
          const violations = await seriousViolations(index > 0)
          problems.push(...violations.map((violation) => `${colorScheme}, ${size.width} px: ${violation}`))
        }
        const width = await page.evaluate<number>('document.documentElement.scrollWidth')
        if (width > size.width) problems.push(`is ${width} px wide in ${size.width} px`)
      }
      await page.setViewportSize(SIZES[0])
      problems.push(...pageErrors.slice(before))
      if (problems.length > 0) problemsByPage[name] = problems
    }
    expect(problemsByPage).toEqual({})
    expect([...withMore]).toContain('messages without one beside them')
    expect(outside).toEqual([])
  }, 300_000)
})
