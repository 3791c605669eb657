/** The page of `postrider templates preview`: a file that shows each channel, fits a phone, and runs nothing of the template. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import { type App, withApp } from '../support/app.ts'
import { hasBrowser, openBrowser, visit } from './chromium.ts'

const hostile = '</iframe></style><script>document.title = "run"</script><img src="x" onerror="document.title = `run`">'
const template = {
  name: 'Order',
  content: {
    elements: [
      { type: 'meta', title: `Order {number} ${hostile} ${'W'.repeat(120)}` },
      { type: 'text', content: `It is on its way, {name}. ${'More words. '.repeat(200)}` },
      {
        type: 'html',
        content: '<script>document.title = "run"</script><p>Own <a href="https://example.com/own">link</a></p>',
      },
      { type: 'action', content: 'Follow', href: 'https://example.com/{number}' },
    ],
  },
}

withApp((open) => {
  describe.skipIf(!hasBrowser)('in a browser', () => {
    let browser: Browser
    let app: App
    let folder: string
    beforeAll(async () => {
      ;[app, browser] = await Promise.all([open(), openBrowser()])
      folder = mkdtempSync(join(tmpdir(), 'postrider-preview-page-'))
      writeFileSync(join(folder, 'order.json'), JSON.stringify(template))
      const data = ['--data', 'number=7', '--data', `name=${hostile}`]
      const { err } = await run(['templates', 'preview', 'order', '--dir', folder, ...data, '--out', folder], {
        env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey },
      })
      expect(err).toBe('')
    })
    afterAll(async () => {
      await browser?.close()
      rmSync(folder, { recursive: true })
    })

    test('each channel is shown, and nothing of the template runs', () =>
      visit(browser, pathToFileURL(join(folder, 'index.html')).href, async ({ page, pageErrors }) => {
        expect(await page.getByRole('heading').allTextContents()).toEqual(['order', 'Email', 'SMS', 'Push'])
        const mail = page.frameLocator('iframe')
        await mail.getByText('It is on its way').waitFor()
        expect(await mail.getByText('It is on its way').textContent()).toContain(hostile)
        expect(await page.title()).toBe('order: preview')
        // The policy of the page refuses the scripts of the template.
        expect(pageErrors.filter((error) => !/script|x$/i.test(error))).toEqual([])
        expect(await page.getByText('segments of').count()).toBe(1)
        await page.context().route(/^https:/, (route) => route.fulfill({ body: 'There' }))
        const [outside] = await Promise.all([page.waitForEvent('popup'), mail.getByText('link').click()])
        expect(outside.url()).toBe('https://example.com/own')
        await mail.getByText('It is on its way').waitFor()
      }))

    test('the mail has its height at each width, in light and in dark, and the page fits a phone', async () => {
      // The scheme of a page that is set to one would be that of its frames.
      const page = await browser.newPage({ colorScheme: null })
      try {
        await page.goto(pathToFileURL(join(folder, 'index.html')).href)
        const isDark = () => page.frameLocator('iframe').locator('html').evaluate(DARK)
        for (const width of [400, 1000]) {
          await page.setViewportSize({ width, height: 800 })
          for (const choice of ['Phone', 'Desktop', 'Dark', 'Light']) {
            await page.getByLabel(choice).check()
            const { clientHeight, scrollHeight } = await measured(page)
            expect([width, choice, clientHeight]).toEqual([width, choice, scrollHeight])
            if (choice === 'Dark' || choice === 'Light')
              expect([choice, await isDark()]).toEqual([choice, choice === 'Dark'])
          }
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        }
        expect((await measured(page)).clientWidth).toBe(700)
        await page.getByLabel('Phone').check()
        expect((await measured(page)).clientWidth).toBe(390)
      } finally {
        await page.close()
      }
    })
  })
})

const DARK = "matchMedia('(prefers-color-scheme: dark)').matches"

interface Measured {
  clientHeight: number
  clientWidth: number
  scrollHeight: number
}

const measured = (page: Page): Promise<Measured> =>
  page.evaluate(`(() => {
    const { clientHeight, clientWidth, contentDocument } = document.querySelector('iframe')
    return { clientHeight, clientWidth, scrollHeight: contentDocument.documentElement.scrollHeight }
  })()`)
