/** A session that runs out, and one that another tab switches: nothing typed is lost, and nothing acts in the wrong environment. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { settled } from './dashboard-server.ts'

const HOUR = 3_600_000

describe.skipIf(!hasBrowser)('the session of the dashboard', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let context: BrowserContext
    /** The clock of the server goes ahead. */
    let ahead = 0

    beforeAll(async () => {
      app = await open({ clock: { now: () => Date.now() + ahead } })
      browser = await openBrowser()
    })
    afterAll(() => browser?.close())
    beforeEach(async () => {
      await context?.close()
      context = await browser.newContext({ locale: 'en-US', viewport: { width: 1400, height: 900 } })
    })

    async function at(address: string): Promise<Page> {
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      // The rail reads them again and again: it would notice before what each test does.
      await page.route('**/providers?*', (route) => route.fulfill({ json: { paging: { more: false }, results: [] } }))
      await page.goto(`${app.url}/app${address}`)
      return page
    }
    async function signIn(page: Page): Promise<void> {
      await page.getByLabel('API key').fill(app.apiKey)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    const ended = (page: Page) => page.getByText('Your session has ended.')
    async function template(name: string): Promise<string> {
      const content = { title: name, body: 'Hello' }
      const { id } = await app.client.notifications.create({ notification: { name, content }, state: 'PUBLISHED' })
      return id
    }
    const draftName = async (id: string) => (await app.client.notifications.get(id, { version: 'draft' })).name

    test('12 hours later, the next action leads to the sign-in and back to the same form, as it was typed', async () => {
      await app.client.profiles.replace('ada', { profile: { name: 'Ada', email: 'ada@example.com' } })
      const page = await at('/users/ada?tab=profile')
      await signIn(page)
      await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
      const address = page.url()
      ahead += 13 * HOUR
      await page.getByRole('button', { name: 'Save profile' }).click()
      await ended(page).waitFor()
      await page.getByText('Nothing was changed').waitFor()
      expect((await app.client.profiles.get('ada')).profile.name).toBe('Ada')
      await signIn(page)
      await ended(page).waitFor({ state: 'detached' })
      expect(page.url()).toBe(address)
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada Lovelace')
      await page.getByRole('button', { name: 'Save profile' }).click()
      await page.getByText('The profile is saved').waitFor()
      expect((await app.client.profiles.get('ada')).profile.name).toBe('Ada Lovelace')
    })

    test('a template that is edited is saved by itself after the sign-in', async () => {
      const id = await template('Before')
      const page = await at(`/templates/${id}?tab=details`)
      await signIn(page)
      const name = page.getByLabel('Name', { exact: true })
      await name.waitFor()
      // A read that is still to come would be refused first.
      await settled(page)
      ahead += 13 * HOUR
      await name.fill('After the sign-in')
      await ended(page).waitFor()
      expect(await draftName(id)).toBe('Before')
      await signIn(page)
      await ended(page).waitFor({ state: 'detached' })
      await expect.poll(() => draftName(id), { timeout: 10_000 }).toBe('After the sign-in')
      expect(await name.inputValue()).toBe('After the sign-in')
    })

    test('a save that is refused as late as after the sign-in opens no second dialog, and is made up for', async () => {
      const id = await template('Before')
      const page = await at(`/templates/${id}?tab=details`)
      await signIn(page)
      const name = page.getByLabel('Name', { exact: true })
      await name.waitFor()
      // A read that is still to come would be refused first.
      await settled(page)
      let isSignedIn = () => {}
      const signedIn = new Promise<void>((resolve) => {
        isSignedIn = resolve
      })
      let refused = 0
      await page.route(`**/notifications/${id}`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue()
        const response = await route.fetch()
        if (response.status() === 401) {
          refused += 1
          await signedIn
        }
        return route.fulfill({ response })
      })
      ahead += 13 * HOUR
      await name.fill('Refused late')
      await expect.poll(() => refused, { timeout: 10_000 }).toBe(1)
      await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
      await ended(page).waitFor()
      await signIn(page)
      await ended(page).waitFor({ state: 'detached' })
      isSignedIn()
      await expect.poll(() => draftName(id), { timeout: 10_000 }).toBe('Refused late')
      expect([refused, await ended(page).count()]).toEqual([1, 0])
    })

    test('a window that is looked at again after a night keeps its page behind the dialog', async () => {
      const page = await at('/lists?panel=new')
      await signIn(page)
      await page.getByLabel('List id').fill('typed-before-the-night')
      ahead += 13 * HOUR
      // As a browser does when the window comes to the front; the session is read when it is older than a minute.
      await page.evaluate(`{
        const now = Date.now
        Date.now = () => now() + 3600000
        window.dispatchEvent(new Event('visibilitychange'))
      }`)
      await ended(page).waitFor()
      await signIn(page)
      await ended(page).waitFor({ state: 'detached' })
      expect(await page.getByLabel('List id').inputValue()).toBe('typed-before-the-night')
    })

    test('another tab switches the environment: this one reads and changes nothing in it', async () => {
      await app.client.lists.put('of-production', { name: 'Of production' })
      const first = await at('/lists')
      await signIn(first)
      await first.getByText('Of production').waitFor()
      const second = await at('/')
      await second.getByRole('button', { name: 'Environment: Production' }).first().click()
      await second.getByRole('menuitem', { name: /^Test/ }).click()
      await second.getByRole('button', { name: 'Environment: Test' }).first().waitFor()

      await first.bringToFront()
      await first.getByRole('button', { name: 'Create list' }).first().click()
      await first.getByLabel('List id').fill('made-here')
      await first.getByRole('dialog').getByLabel('Name').fill('Made here')
      await first.getByRole('dialog').getByRole('button', { name: 'Create list' }).click()
      await first.getByText('The session was switched to Test').waitFor()
      const test = await app.key('published', 'test')
      expect((await test.client.lists.list({})).items).toEqual([])

      await first.getByRole('button', { name: 'Switch back to Production' }).click()
      await first.getByText('The session was switched to Test').waitFor({ state: 'detached' })
      expect(await first.getByLabel('List id').inputValue()).toBe('made-here')
      await first.getByRole('dialog').getByRole('button', { name: 'Create list' }).click()
      await first.getByRole('heading', { level: 1, name: 'Made here' }).waitFor()
      expect(await app.client.lists.get('made-here')).toMatchObject({ name: 'Made here' })

      // Now the other tab is the one that shows the wrong environment.
      await second.bringToFront()
      await second.getByRole('link', { name: 'Recipients' }).click()
      await second.getByText('The session was switched to Production').waitFor()
      await second.getByRole('button', { name: 'Go to Production' }).click()
      await second.getByRole('button', { name: 'Environment: Production' }).first().waitFor()
    })
  })
})
