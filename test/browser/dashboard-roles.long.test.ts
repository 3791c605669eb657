/** The roles in a browser, on each page: what a role may not do is not offered, and a viewer sees no address. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from './chromium.ts'
import { type DashboardData, makeDashboardData } from './dashboard-data.ts'
import { dashboardPages } from './dashboard-pages.ts'
import { type DashboardServer, inParallel, pageErrorsOf, settled, startDashboard } from './dashboard-server.ts'

const AT_ONCE = 3

/** Names of buttons that change something. */
const CHANGES =
  /^(Save|New|Add|Send|Publish|Delete|Remove|Create|Replay|Release|Revoke|Erase|Import|Suppress addresses|Archive|Switch|Rotate|Subscribe|Unsubscribe|Edit|Try .+ (earlier|later)$)/
/** Pages of what an editor changes. */
const OF_EDITORS = /^(template|brand)s?$/
/** Addresses of the data; the samples of a first call have one of their own. */
const ADDRESS = /(?<!"?email"?: ["']|--profile email=)\b[\w.-]+@example\.com|\+1 ?202|\+1202/

interface Offer {
  name: string
  isDisabled: boolean
  reason: string
}

describe.skipIf(!hasBrowser)('the roles of the dashboard', () => {
  let dashboard: DashboardServer
  let data: DashboardData
  let pages: [name: string, address: string][]

  beforeAll(async () => {
    dashboard = await startDashboard()
    const { client, peers } = dashboard
    data = await makeDashboardData(client, peers)
    const more = ['messages', 'preferences', 'devices', 'lists', 'tenants', 'suppressions']
    pages = Object.entries({
      ...(await dashboardPages(client, peers, data)),
      ...Object.fromEntries(more.map((tab) => [`user's ${tab}`, `/users/customer-1002?tab=${tab}`])),
      ...Object.fromEntries(
        ['row=all', 'view=now', 'view=message'].map((part) => [
          `message's ${part}`,
          `/messages/${data.messages.refused}?${part}`,
        ]),
      ),
    })
  }, 120_000)
  afterAll(() => dashboard?.close())

  /** Every enabled or disabled button of the page, with why it is disabled. */
  const OFFERS = `[...document.querySelectorAll('main button, main [role=menuitem]')].map((button) => ({
    name: (button.getAttribute('aria-label') ?? button.textContent).trim(),
    isDisabled: button.disabled || button.getAttribute('aria-disabled') === 'true',
    reason: button.closest('[title]')?.title ?? '',
  }))`

  test.each(['viewer', 'editor'] as const)(
    'the role %s is offered no change that the role may not make',
    async (role) => {
      const context = await dashboard.signedIn({ key: await dashboard.keyOf(role) })
      const problems: Record<string, string[]> = {}
      await inParallel(pages, AT_ONCE, async ([name, address]) => {
        const page = await context.newPage()
        page.setDefaultTimeout(30_000)
        const pageProblems = pageErrorsOf(page)
        await page.goto(`${dashboard.server.url}/app${address}`)
        await settled(page)
        if (!(role === 'editor' && OF_EDITORS.test(name)))
          for (const { name: button, isDisabled, reason } of await page.evaluate<Offer[]>(OFFERS)) {
            if (!CHANGES.test(button)) continue
            if (!isDisabled) pageProblems.push(`offers: ${button}`)
            else if (
              reason === '' &&
              !/\brole\b|full access|needs a|cannot send/i.test((await page.locator('main').textContent()) ?? '')
            )
              pageProblems.push(`gives no reason: ${button}`)
          }
        if (role === 'viewer') {
          const values = await page
            .locator('main input, main textarea')
            .evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value).join(' '))
          const text = `${await page.locator('body').textContent()} ${values}`
          const seen = ADDRESS.exec(text)
          if (seen) pageProblems.push(`shows ${text.slice(Math.max(0, seen.index - 60), seen.index + 60)}`)
        }
        if (pageProblems.length > 0) problems[name] = [...new Set(pageProblems)]
        await page.close()
      })
      await context.close()
      expect(problems).toEqual({})
    },
    240_000,
  )

  test('the errors of a provider, which can hold addresses, are masked for a viewer and shown to an editor', async () => {
    const error = /invalid_auth/
    const texts: Record<string, string> = {}
    for (const role of ['viewer', 'editor'] as const) {
      const context = await dashboard.signedIn({ key: await dashboard.keyOf(role) })
      const page = await context.newPage()
      await page.goto(`${dashboard.server.url}/app/integrations/${data.integrations.slack}`)
      await page.getByRole('heading', { name: 'Last error' }).waitFor()
      await settled(page)
      texts[role] = (await page.locator('main').textContent()) ?? ''
      await context.close()
    }
    expect(texts.editor).toMatch(error)
    expect(texts.viewer).not.toMatch(error)
    expect(texts.viewer).toContain('•••')
  }, 60_000)

  test('an editor edits and publishes a template, and tests it with a mock key only, which the page says', async () => {
    const template = `/templates/${data.templates.invoice}`
    const context = await dashboard.signedIn({ key: await dashboard.keyOf('editor') })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`${dashboard.server.url}/app${template}?tab=details`)
    await page.getByLabel('Name', { exact: true }).fill('Invoice of an editor')
    await page.getByText(/^Saved/).waitFor()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('This key cannot send.').waitFor()
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Send test' }).isDisabled()).toBe(true)
    await context.close()

    const mock = await dashboard.signedIn({ key: await dashboard.keyOf('editor', 'mock') })
    const test = await mock.newPage()
    test.setDefaultTimeout(30_000)
    await test.goto(`${dashboard.server.url}/app${template}`)
    await test.getByRole('button', { name: 'Send test' }).click()
    await test.getByText('Signed in with a mock key').waitFor()
    await test.getByText('Editor of templates and brands · mock key').waitFor()
    await test.getByRole('dialog').getByRole('button', { name: 'Send test' }).click()
    await test.getByText('The test is sent').waitFor()
    await mock.close()
  }, 60_000)
})
