/** The dashboard on a bad network: it says what fails, offers to try again, loses no draft and makes no call twice. */
import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from './chromium.ts'
import { type DashboardData, makeDashboardData } from './dashboard-data.ts'
import { dashboardPages } from './dashboard-pages.ts'
import { type DashboardServer, inParallel, pageErrorsOf, settled, startDashboard } from './dashboard-server.ts'

const AT_ONCE = 4
/** In the page: whether something was drawn in each frame since its document was read. */
const WATCH_BLANKS = `
  const look = () => {
    const isDrawn = document.body?.innerText.trim() || document.querySelector('[aria-busy=true]')
    if (!isDrawn && document.readyState !== 'loading') window.wasBlank = true
    requestAnimationFrame(look)
  }
  look()`
const TWO_FRAMES = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))'

/** How calls fail. */
const failures: Record<string, (route: Route) => Promise<void>> = {
  'no connection': (route) => route.abort('connectionrefused'),
  'a reset': (route) => route.abort('connectionreset'),
  'an internal error': (route) =>
    route.fulfill({ status: 500, json: { message: 'Internal error', type: 'api_error', code: 'internal' } }),
  'an overloaded server': (route) =>
    route.fulfill({
      status: 503,
      headers: { 'retry-after': '30' },
      json: { message: 'The server is busy', type: 'api_error', code: 'busy' },
    }),
  'a page of a proxy': (route) =>
    route.fulfill({ status: 200, contentType: 'text/html', body: '<!doctype html><h1>Sign in to the network</h1>' }),
  'half of an answer': (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: '{"results":[{"id":"1-6' }),
}

describe.skipIf(!hasBrowser)('the dashboard on a slow and failing network', () => {
  let dashboard: DashboardServer
  let context: BrowserContext
  let data: DashboardData
  let pages: [name: string, address: string][]

  beforeAll(async () => {
    dashboard = await startDashboard()
    const { client, peers } = dashboard
    data = await makeDashboardData(client, peers)
    pages = Object.entries(await dashboardPages(client, peers, data))
    context = await dashboard.signedIn()
  }, 120_000)
  afterAll(() => dashboard?.close())

  const at = (address: string) => `${dashboard.server.url}/app${address}`
  const isCall = (url: URL) => !url.pathname.startsWith('/app') && !url.pathname.startsWith('/docs')
  const isDataCall = (url: URL) => isCall(url) && url.pathname !== '/session'
  async function opened(): Promise<Page> {
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    return page
  }

  test('while a call has no answer no page is blank, and each shows its content in the end', async () => {
    const problems: Record<string, string[]> = {}
    await inParallel(pages, AT_ONCE, async ([name, address]) => {
      const page = await opened()
      const pageErrors = pageErrorsOf(page)
      await page.addInitScript(WATCH_BLANKS)
      // Each call, also those after another: the page is drawn without its answer.
      await page.route(isCall, async (route) => {
        await page.evaluate(TWO_FRAMES).catch(() => {})
        await route.continue().catch(() => {})
      })
      await page.goto(at(address))
      await page.locator('main h1').first().waitFor()
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })
      const pageProblems = [...pageErrors]
      if (await page.evaluate('window.wasBlank')) pageProblems.push('was blank')
      if ((await page.locator('[role=alert]').count()) > 0)
        pageProblems.push(...(await page.locator('[role=alert]').allTextContents()))
      if (pageProblems.length > 0) problems[name] = pageProblems
      await page.close()
    })
    expect(problems).toEqual({})
  }, 300_000)

  test('each page says that it cannot be loaded, and loads when the network is back', async () => {
    const problems: Record<string, string[]> = {}
    const kinds = Object.entries(failures)
    // Each page meets two of the failures, and each failure a third of the pages.
    const cases = pages.flatMap(([name, address], index) =>
      [kinds[index % kinds.length], kinds[(index + 3) % kinds.length]].flatMap((kind) =>
        kind ? [{ name: `${name}, ${kind[0]}`, address, fail: kind[1] }] : [],
      ),
    )
    await inParallel(cases, AT_ONCE, async ({ name, address, fail }) => {
      const page = await opened()
      const scripts: string[] = []
      page.on('pageerror', (error) => scripts.push(String(error)))
      await page.route(isDataCall, fail)
      try {
        await page.goto(at(address))
        const retry = page.getByRole('button', { name: 'Try again' })
        await retry.first().waitFor()
        expect((await page.locator('main').textContent())?.trim()).not.toBe('')
        await page.unroute(isDataCall, fail)
        // One failure after the other, as a person would; a part that reads again by itself has none to press.
        for (let presses = 0; presses < 8 && (await retry.count()) > 0; presses += 1) {
          await retry
            .first()
            .click({ timeout: 2_000 })
            .catch(() => {})
          await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })
        }
        await retry.first().waitFor({ state: 'detached' })
        await page.locator('main h1').first().waitFor()
        const text = (await page.locator('main').textContent()) ?? ''
        if (/could not be loaded|cannot be reached|as of the last answer|what is missing here/.test(text))
          scripts.push(text)
      } catch (error) {
        scripts.push(String(error), ...(await page.locator('main').allTextContents()))
      }
      if (scripts.length > 0) problems[name] = scripts
      await page.close()
    })
    expect(problems).toEqual({})
  }, 600_000)

  test('data that is shown stays when it cannot be read again, and a bar says so', async () => {
    const page = await opened()
    await page.goto(at(`/integrations/${data.integrations.sendgrid}`))
    await settled(page)
    await page.route(isDataCall, (route) => route.abort('connectionrefused'))
    await page.getByText('24 hours').first().waitFor()
    await page.getByText('What you see is as of the last answer.').waitFor({ timeout: 40_000 })
    await page.getByRole('heading', { level: 1, name: 'SendGrid, marketing account' }).waitFor()
    await page.unroute(isDataCall)
    // Health is read again by itself.
    await page.getByText('What you see is as of the last answer.').waitFor({ state: 'detached' })
    await page.close()
  }, 60_000)

  test('a page that had no answer yet is not said to be as of the last one', async () => {
    const page = await opened()
    await page.goto(at('/messages'))
    await settled(page)
    await page.route(isDataCall, (route) => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Templates' }).first().click()
    await page.getByText('what is missing here follows its answer').waitFor()
    expect(await page.getByText('as of the last answer').count()).toBe(0)
    await page.unroute(isDataCall)
    await page.getByText('what is missing here follows its answer').waitFor({ state: 'detached' })
    await page.close()
  }, 60_000)

  test('a screen whose script does not arrive says so, and opens when it can', async () => {
    const page = await opened()
    await page.goto(at('/templates'))
    await settled(page)
    const isScreen = (url: URL) => /\/app\/assets\/.*brand/.test(url.pathname)
    await page.route(isScreen, (route) => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Brands' }).click()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute(isScreen)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Brands' }).waitFor()
    await page.close()
  }, 60_000)

  test('a draft of a template is kept through every failure, and saved when the network is back', async () => {
    const page = await opened()
    const id = data.templates.invoice
    await page.goto(at(`/templates/${id}?tab=details`))
    await settled(page)
    const name = page.getByLabel('Name', { exact: true })
    for (const [kind, fail] of Object.entries(failures)) {
      const isSave = ({ pathname }: URL) => pathname === `/notifications/${id}`
      await page.route(isSave, fail)
      await name.fill(`Invoice after ${kind}`)
      await page.getByText('Not saved:').waitFor()
      expect(await name.inputValue()).toBe(`Invoice after ${kind}`)
      await page.unroute(isSave)
      await page.getByText(/^Saved/).waitFor()
      expect((await dashboard.client.notifications.get(id, { version: 'draft' })).name).toBe(`Invoice after ${kind}`)
    }
    await page.close()
  }, 120_000)

  test('a form that fails keeps what was typed, and says whether anything was changed', async () => {
    const page = await opened()
    const says: Record<string, string> = {}
    for (const [kind, fail] of Object.entries({
      ...failures,
      'a rejection': (route: Route) =>
        route.fulfill({ status: 400, json: { message: 'No', type: 'invalid_request_error', code: 'invalid_request' } }),
    })) {
      await page.goto(at('/users/customer-1003'))
      await settled(page)
      await page.route(isDataCall, (route) => (route.request().method() === 'GET' ? route.continue() : fail(route)))
      await page.getByLabel('Name', { exact: true }).fill('Typed Name')
      await page.getByRole('button', { name: 'Save profile' }).click()
      const alert = page.getByRole('alert').first()
      await alert.waitFor()
      says[kind] =
        /^(It is not known whether this was done|Nothing was changed)?/.exec((await alert.textContent()) ?? '')?.[0] ??
        ''
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed Name')
      await page.unroute(isDataCall)
    }
    const unknown = 'It is not known whether this was done'
    expect(says).toEqual({
      ...Object.fromEntries(Object.keys(failures).map((kind) => [kind, unknown])),
      'a rejection': 'Nothing was changed',
    })
    expect((await dashboard.client.profiles.get('customer-1003')).profile.name).toBe('Customer 1003')
    await page.getByRole('button', { name: 'Save profile' }).click()
    await page.getByText('The profile is saved').waitFor()
    expect((await dashboard.client.profiles.get('customer-1003')).profile.name).toBe('Typed Name')
    await page.close()
  }, 90_000)

  test('a double click makes one call', async () => {
    const page = await opened()
    const calls: string[] = []
    await page.route(isDataCall, async (route) => {
      const request = route.request()
      if (request.method() !== 'GET') calls.push(`${request.method()} ${new URL(request.url()).pathname}`)
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue().catch(() => {})
    })
    const sends = () => calls.filter((call) => call === 'POST /send').length
    const send = page.getByRole('button', { name: 'Send 1 message' })
    const ways = {
      'two clicks of a mouse': () => send.dblclick(),
      // The page is too busy to draw between them.
      'two clicks at once': () =>
        send.evaluate((element) => {
          const button = element as unknown as { click(): void }
          button.click()
          button.click()
        }),
    }
    for (const [way, click] of Object.entries(ways)) {
      await page.goto(at('/users/customer-1002?panel=send'))
      await page.getByLabel('Event or template').fill('order-shipped')
      // Until the button can be pressed.
      await send.click({ trial: true })
      calls.length = 0
      await click()
      await page.waitForURL(/\/messages\/1-/)
      expect(sends(), way).toBe(1)
    }
    await page.close()
  }, 60_000)
})
