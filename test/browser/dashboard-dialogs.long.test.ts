/** Each dialog of the dashboard is accessible in both schemes, fits a phone, and closes by Escape, after which keys are the page's. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from './chromium.ts'
import { type DashboardData, makeDashboardData } from './dashboard-data.ts'
import { type DashboardServer, pageErrorsOf, settled, startDashboard } from './dashboard-server.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDE = { width: 1400, height: 900 }
const PHONE = { width: 390, height: 844 }

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
const key = (keys: string) => (page: Page) => page.keyboard.press(keys)
const inMenu = (item: string | RegExp, menu: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name: menu }).first().click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe.skipIf(!hasBrowser)('the dialogs of the dashboard', () => {
  let dashboard: DashboardServer
  let context: BrowserContext
  let data: DashboardData

  beforeAll(async () => {
    dashboard = await startDashboard()
    data = await makeDashboardData(dashboard.client, dashboard.peers)
    context = await dashboard.signedIn()
  }, 120_000)
  afterAll(() => dashboard?.close())

  test('in light and dark, and on a phone', async () => {
    const dialogs: Record<string, [address: string, open: (page: Page) => Promise<void>]> = {
      palette: ['/', key('Control+k')],
      keys: ['/messages', key('?')],
      filters: ['/messages', press('Filter')],
      replay: ['/messages?status=["UNDELIVERABLE"]', press('Replay')],
      release: ['/messages?status=["HELD"]', press('Release held')],
      template: ['/templates', press('Create template')],
      publish: [`/templates/${data.templates.invoice}`, press('Publish')],
      test: [`/templates/${data.templates.invoice}`, press('Send test')],
      brand: ['/brands', press('Create brand')],
      list: ['/lists', press('Create list')],
      audience: ['/audiences', press('Create audience')],
      tenant: ['/tenants', press('Create tenant')],
      section: ['/topics', press(/^Create section/)],
      suppressions: ['/suppressions', press('Suppress addresses')],
      webhook: ['/webhooks', press(/webhook$/)],
      key: ['/keys', press('Create API key')],
      send: ['/users/customer-1002', press('Send test')],
      erase: ['/users/customer-1002', inMenu('Erase user', 'More')],
      delete: [`/integrations/${data.integrations.slack}`, inMenu(/^Delete/, /actions/i)],
    }
    const problems: Record<string, string[]> = {}
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    const pageErrors = pageErrorsOf(page)
    for (const [name, [address, open]] of Object.entries(dialogs)) {
      const pageProblems: string[] = []
      try {
        await page.setViewportSize(WIDE)
        await page.goto(`${dashboard.server.url}/app${address}`)
        await settled(page)
        await open(page)
        const dialog = page.getByRole('dialog').first()
        await dialog.waitFor()
        await page.evaluate(axe)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          const { violations } = await page.evaluate<AxeResults>(
            `axe.run(document.querySelector('[role=dialog]'), { resultTypes: ['violations'] })`,
          )
          pageProblems.push(
            ...violations
              .filter(({ impact }) => impact === 'serious' || impact === 'critical')
              .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${colorScheme}: ${id} at ${target}`)),
          )
        }
        await page.setViewportSize(PHONE)
        const box = await dialog.boundingBox()
        if (box && (box.x < 0 || box.x + box.width > PHONE.width))
          pageProblems.push(`is ${box.width} px wide at ${box.x}`)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'hidden' })
      } catch (error) {
        pageProblems.push(String(error).slice(0, 400))
      }
      pageProblems.push(...pageErrors.splice(0))
      if (pageProblems.length > 0) problems[name] = pageProblems
    }
    expect(problems).toEqual({})
  }, 240_000)

  test("a key right after a dialog is closed is the page's", async () => {
    // With motion: a dialog that fades out takes no keys any more.
    const moving = await dashboard.signedIn({ reducedMotion: 'no-preference' })
    const page = await moving.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(`${dashboard.server.url}/app/templates`)
    await settled(page)
    await page.keyboard.press('n')
    await page.getByRole('dialog').getByRole('textbox').waitFor()
    for (const keys of ['Escape', 'g', 'm']) await page.keyboard.press(keys)
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
    await settled(page)
    await page.getByRole('button', { name: 'Filter' }).first().click()
    await page.getByRole('dialog').waitFor()
    for (const keys of ['Escape', 'g', 't']) await page.keyboard.press(keys)
    await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor()
    await moving.close()
  }, 60_000)
})
