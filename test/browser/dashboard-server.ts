/** A dashboard with data of each kind: a server as a process of its own, the peers of its integrations, and a browser. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KeyRole, Postrider } from '@postrider/client'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { freePort } from '../support/free-port.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { openBrowser } from './chromium.ts'
import { type DashboardPeers, startPeers } from './dashboard-data.ts'

const IDLE_MS_MAX = 6_000
const KEY = 'pk_prod_dashboard-0123456789abcdef'

export interface DashboardServer {
  server: ServerProcess
  peers: DashboardPeers
  browser: Browser
  client: Postrider
  apiKey: string
  /** A browser without history that is signed in with the key, the one of the server by default. */
  signedIn(options?: BrowserContextOptions & { key?: string }): Promise<BrowserContext>
  keyOf(role: KeyRole, kind?: 'published' | 'mock'): Promise<string>
  close(): Promise<void>
}

export async function startDashboard(env: Record<string, string> = {}): Promise<DashboardServer> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-dashboard-'))
  const port = String(await freePort())
  const [server, peers, browser] = await Promise.all([
    startServer({
      env: {
        POSTRIDER_DATA_DIR: join(folder, 'data'),
        POSTRIDER_PORT: port,
        POSTRIDER_API_KEY: KEY,
        POSTRIDER_PUBLIC_URL: `http://127.0.0.1:${port}`,
        POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
        ...env,
      },
    }),
    startPeers(),
    openBrowser(),
  ])
  const client = new Postrider({ baseUrl: server.url, apiKey: KEY })
  return {
    ...{ server, peers, browser, client, apiKey: KEY },
    signedIn: ({ key = KEY, ...options } = {}) => signedIn(browser, server.url, key, options),
    keyOf: async (role, kind = 'published') => (await client.keys.create({ name: `${role} ${kind}`, role, kind })).key,
    async close() {
      await browser.close()
      server.kill()
      await server.exited
      await peers.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A browser without history, signed in to the dashboard of a server with the key. */
export async function signedIn(
  browser: Browser,
  url: string,
  key: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...{ viewport: { width: 1400, height: 900 }, locale: 'en-US', reducedMotion: 'reduce' },
    ...options,
  })
  const page = await context.newPage()
  await page.goto(`${url}/app/`)
  await page.getByLabel('API key').fill(key)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Start' }).waitFor()
  await page.close()
  return context
}

/** Every skeleton has become content, and nothing is being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })
  // The frame of a mail whose pictures are refused is never idle.
  await page.waitForLoadState('networkidle', { timeout: IDLE_MS_MAX }).catch(() => {})
}

/** Errors of scripts, and what the browser logs, without the refused calls that the caller expects; added to `pageErrors`. */
export function pageErrorsOf(
  page: Page,
  isExpected: (text: string) => boolean = () => false,
  pageErrors: string[] = [],
): string[] {
  page.on('pageerror', (error) => pageErrors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) pageErrors.push(message.text())
  })
  return pageErrors
}

/** Runs the work for each item, a few at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await work(next[1], next[0])
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
