/** A real browser, where the machine has one: Chromium of the system, or the one that POSTRIDER_TEST_CHROMIUM names. */
import { existsSync } from 'node:fs'
import { type Browser, chromium as driver, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const executablePath = process.env.POSTRIDER_TEST_CHROMIUM || PLACES.find((place) => existsSync(place))

export const hasBrowser = executablePath !== undefined

if (!hasBrowser && process.env.CI) throw new Error(`No browser at ${PLACES.join(', ')}: install chromium`)
if (!hasBrowser) console.warn('The tests with a browser are skipped: install chromium, or set POSTRIDER_TEST_CHROMIUM')

export interface Visit {
  page: Page
  /** Addresses of other origins that the page requested. */
  outside: string[]
  /** Errors of scripts, and what the security policy of the page refused. */
  pageErrors: string[]
}

/** `flags`: of Chromium. */
export function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  // Root has no sandbox.
  const args = [...flags, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  return driver.launch({ ...(executablePath && { executablePath }), args })
}

/** Opens an address in a page without any history for as long as `look` takes. */
export async function visit(browser: Browser, url: string, look: (visit: Visit) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
  try {
    page.setDefaultTimeout(25_000)
    const outside: string[] = []
    const pageErrors: string[] = []
    const { origin } = new URL(url)
    page.on('request', (request) => {
      const address = request.url()
      if (/^https?:/.test(address) && new URL(address).origin !== origin) outside.push(address)
    })
    page.on('pageerror', (error) => pageErrors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') pageErrors.push(message.text())
    })
    await page.goto(url)
    await look({ page, outside, pageErrors })
  } finally {
    await page.close()
  }
}
