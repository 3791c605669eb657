/** Signing in to the dashboard by a link: one click, once. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { hasBrowser, openBrowser } from './chromium.ts'

describe.skipIf(!hasBrowser)('a sign-in link', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    beforeAll(async () => {
      app = await open()
      browser = await openBrowser()
    })
    afterAll(() => browser?.close())

    /** In a browser without history. */
    async function at(address: string): Promise<Page> {
      const context = await browser.newContext({ locale: 'en-US' })
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      await page.goto(address)
      return page
    }
    const home = (page: Page) => page.getByRole('heading', { level: 1, name: 'Start' }).waitFor()

    test('signs in with one click, is not in the address after it, and is worth nothing to a thief', async () => {
      const { url } = await app.client.sessions.createLink()
      const link = `${app.url}/app/${new URL(url).hash}`
      const page = await at(link)
      await home(page)
      expect(page.url()).toBe(`${app.url}/app/`)
      const stolen = await at(link)
      await stolen.getByText('was used before').waitFor()
      await stolen.getByLabel('API key').fill(app.apiKey)
      await stolen.getByRole('button', { name: 'Sign in', exact: true }).click()
      await home(stolen)
    })

    test('signing out shows the form at once, and nothing of the screen before comes back', async () => {
      await app.client.profiles.merge('grace', { profile: { email: 'grace@example.com' } })
      const page = await at(`${app.url}/app/users`)
      await page.getByLabel('API key').fill(app.apiKey)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText('grace@example.com').waitFor()
      const read: string[] = []
      await page.getByRole('button', { name: 'Full access' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByLabel('API key').waitFor()
      page.on('request', (request) => read.push(request.url()))
      expect(await page.content()).not.toContain('grace@example.com')
      expect(await page.getByRole('menuitem').count()).toBe(0)
      await page.reload()
      await page.getByLabel('API key').waitFor()
      expect(read.filter((url) => url.includes('/profiles'))).toEqual([])
    })
  })
})
