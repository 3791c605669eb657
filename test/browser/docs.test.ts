/** The documents of a server in a browser: navigation, search, a call from the page, guides, and no request to another origin. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
      const navigation = await page.locator('aside, nav').first().textContent()
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

  test('guides stand beside it, with links that stay, at the address of the server', async () => {
    await visit(browser, `${server.url}/docs/guides`, async ({ page, pageErrors }) => {
      expect(await page.locator('main h1').textContent()).toBe('The first message')
      await page.getByRole('link', { name: 'Running Postrider' }).first().click()
      await page.waitForURL('**/docs/running')
      const hrefs = await page
        .locator('main a[href]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
      const ownLinks = hrefs.filter((href): href is string => href?.startsWith('/') === true)
      expect(ownLinks.length).toBeGreaterThan(0)
      for (const href of new Set(ownLinks)) expect((await fetch(new URL(href, server.url))).status, href).toBe(200)
      expect(await page.locator('main').textContent()).not.toContain('127.0.0.1:4600')
      expect(pageErrors).toEqual([])
    })
  })

  test('each guide fits a phone', async () => {
    await visit(browser, `${server.url}/docs/guides`, async ({ page }) => {
      await page.setViewportSize({ width: 400, height: 900 })
      const guides = await page
        .locator('nav li a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
      expect(guides.length).toBeGreaterThan(30)
      const tooWide: string[] = []
      for (const guide of guides) {
        await page.goto(new URL(guide ?? '', server.url).href)
        const width = await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)
        if (width > 400) tooWide.push(`${guide}: ${width} pixels`)
      }
      expect(tooWide).toEqual([])
    })
  })
})
