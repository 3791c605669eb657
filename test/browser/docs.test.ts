/** The documents of a server in a browser: navigation, search, a call from the page, guides in groups, on phones and without scripts, and no request to another origin. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServerProcess, startServer } from '../support/process.ts'
import { hasBrowser, openBrowser, visit } from './chromium.ts'

const key = 'pk_prod_docs-0123456789abcdef'

describe.skipIf(!hasBrowser)('in a browser', () => {
  let server: ServerProcess
  let folder: string
  let browser: Browser

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-docs-'))
    browser = await openBrowser()
    server = await startServer({ env: { POSTRIDER_DATA_DIR: join(folder, 'data'), POSTRIDER_API_KEY: key } })
  })
  afterAll(async () => {
    await browser?.close()
    server?.kill()
    await server?.exited
    await rm(folder, { recursive: true, force: true })
  })

  test('the reference has each resource, samples with the address of the server, and requests nothing elsewhere', async () => {
    await visit(browser, `${server.url}/docs`, async ({ page, outside, pageErrors }) => {
      await page.getByRole('button', { name: 'Send', exact: false }).first().waitFor()
      const navigation = await page.locator('#reference aside, #reference nav').first().textContent()
      for (const title of ['Send', 'Messages', 'Profiles', 'Automations', 'Webhooks'])
        expect(navigation).toContain(title)
      await page.goto(`${server.url}/docs#tag/send/POST/send`)
      await page.getByText(new URL(server.url).host).first().waitFor()
      expect(outside).toEqual([])
      expect(pageErrors).toEqual([])
    })
  })

  test('search finds an operation', async () => {
    await visit(browser, `${server.url}/docs`, async ({ page }) => {
      await page.getByRole('button', { name: 'Send', exact: false }).first().waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('cancel')
      await page
        .getByRole('option', { name: /cancel/i })
        .first()
        .waitFor()
    })
  })

  test('a call from the page uses the key of the reader', async () => {
    await visit(browser, `${server.url}/docs#tag/send/POST/send`, async ({ page, outside }) => {
      await page.locator('[placeholder=Token]:visible').first().fill(key)
      await page
        .getByRole('button', { name: /Test Request/ })
        .first()
        .click()
      const answered = page.waitForResponse((reply) => reply.url() === `${server.url}/send`)
      await page.getByRole('button', { name: /^Send/ }).last().click()
      const reply = await answered
      expect(reply.status()).toBe(200)
      expect(await reply.json()).toHaveProperty('messageId')
      expect(outside).toEqual([])
    })
  })

  test('an operation has an address, to which guides and results lead', async () => {
    const address = '/docs#tag/preferences/PUT/users/{user_id}/preferences/{topic_id}'
    await visit(browser, `${server.url}${address}`, async ({ page }) => {
      const heading = page.getByRole('heading', { name: "Store a user's choice for a topic" })
      await heading.waitFor()
      await page.waitForFunction(
        `[...document.querySelectorAll('h3')].some((heading) => heading.textContent.includes("Store a user's choice for a topic") && heading.getBoundingClientRect().top < innerHeight)`,
      )
    })
  })

  test('guides stand in their groups, with links that stay, at the address of the server', async () => {
    await visit(browser, `${server.url}/docs/guides`, async ({ page, pageErrors }) => {
      expect(await page.locator('main h1').textContent()).toBe('Guides')
      expect(await page.locator('main h2').allTextContents()).toEqual(expect.arrayContaining(['Send', 'Reference']))
      await page.locator('main').getByRole('link', { name: 'Running Postrider' }).click()
      await page.waitForURL('**/docs/running')
      const rail = page.getByRole('navigation', { name: 'Guides', exact: true })
      expect(await rail.getByRole('link').allTextContents()).toContain('Running Postrider')
      expect(await rail.getByRole('link', { name: 'Sending', exact: true }).count()).toBe(0)
      expect(await rail.locator('[aria-current=page]').textContent()).toBe('Running Postrider')
      await rail.getByText('Send', { exact: true }).click()
      await rail.getByRole('link', { name: 'Sending', exact: true }).waitFor()
      const hrefs = await page
        .locator('main a[href]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
      const ownLinks = hrefs.filter((href): href is string => href?.startsWith('/') === true)
      expect(ownLinks.length).toBeGreaterThan(0)
      for (const href of new Set(ownLinks)) expect((await fetch(new URL(href, server.url))).status, href).toBe(200)
      expect(await page.locator('main').textContent()).not.toContain('127.0.0.1:4600')
      await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Upgrades' }).click()
      await page.waitForURL('**/docs/running#upgrades')
      await page.getByRole('navigation', { name: 'Neighboring guides' }).getByRole('link', { name: 'Next' }).click()
      await page.waitForURL('**/docs/configuration')
      expect(pageErrors).toEqual([])
    })
  })

  test('without scripts a reader skips the navigation, searches, and reaches the section', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    await page.goto(`${server.url}/docs/sending`)
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to the text' })
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/sending#main')
    await page.getByRole('searchbox', { name: 'Search the documents' }).fill('stop a send')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/search?q=stop+a+send')
    expect(await page.getByRole('searchbox').inputValue()).toBe('stop a send')
    expect(await page.locator('main mark').count()).toBeGreaterThan(3)
    await page.locator('main ol').getByRole('link', { name: 'Stop a send' }).click()
    await page.waitForURL('**/docs/sending#stop-a-send')
    await context.close()
  })

  test('on a phone the guides are a closed menu, the header is whole, and each page fits', async () => {
    await visit(browser, `${server.url}/docs/sending`, async ({ page }) => {
      await page.setViewportSize({ width: 400, height: 900 })
      expect(await page.getByRole('navigation', { name: 'Guides', exact: true }).count()).toBe(0)
      await page.getByText('All guides').click()
      const menu = page.getByRole('navigation', { name: 'Guides', exact: true })
      await menu.getByRole('searchbox').waitFor()
      const hrefs = await menu.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
      expect(hrefs.length).toBeGreaterThan(35)
      const tooWide: string[] = []
      for (const href of [...hrefs, '/docs/guides', '/docs/plain', '/docs/search?q=unsubscribe+a+user']) {
        await page.goto(new URL(href ?? '', server.url).href)
        const widths = await page.evaluate<number[]>(
          `['html', 'body > header'].map((name) => document.querySelector(name).scrollWidth)`,
        )
        if (Math.max(...widths) > 400) tooWide.push(`${href}: ${widths} pixels`)
      }
      expect(tooWide).toEqual([])
    })
  })

  test.each(['light', 'dark'] as const)('axe finds nothing, %s', async (colorScheme) => {
    const page = await browser.newPage({ colorScheme })
    for (const name of ['guides', 'sending', 'errors', 'search?q=stop+a+send', 'search?q=qqzzxx']) {
      await page.goto(`${server.url}/docs/${name}`)
      await page.evaluate(axe.source)
      for (const width of [1280, 400]) {
        await page.setViewportSize({ width, height: 900 })
        const { violations } = await page.evaluate<AxeResults>('axe.run()')
        const problems = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
        expect(problems, `${name}, ${width} px`).toEqual([])
      }
    }
    await page.close()
  })
})
