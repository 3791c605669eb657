/** `npm run pictures:dashboard [folder] [page …]`: pictures of the main pages of the dashboard, light, dark and on a phone, for the README and the guide. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { makeDashboardData } from './dashboard-data.ts'
import { dashboardPages } from './dashboard-pages.ts'
import { type DashboardServer, settled, startDashboard } from './dashboard-server.ts'

/** Text stays sharp, at a third of the bytes of a PNG. */
const QUALITY = 82
const VIEWS = [
  { name: 'light', colorScheme: 'light', width: 1400, height: 900 },
  { name: 'dark', colorScheme: 'dark', width: 1400, height: 900 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const

/** Low enough to leave room for the words of the README: the sentence of a message and the course of its attempts. */
const README = 'why'
const README_HEIGHT = 560

/** The port of a server by default, so that addresses in the pictures are those of the guides. */
const PORT = '4600'
const SERVER = `http://127.0.0.1:${PORT}`
const HOUR_MS = 3_600_000
/** The browser's clock stands this long after the data are made: all of them are as old in each run. */
const AGE_MS = 2.2 * HOUR_MS
/** In its zone it is after two in the afternoon then: the data are of the same day. */
const ZONE_HOURS = 14 - new Date(Date.now() + AGE_MS).getUTCHours()
/** Zones of this kind have the other sign. */
const ZONE = `Etc/GMT${ZONE_HOURS > 0 ? '-' : '+'}${Math.abs(ZONE_HOURS)}`

/** From the folder of this package, where npm starts it. */
const [target = '../docs/dashboard', ...names] = process.argv.slice(2)
mkdirSync(target, { recursive: true })
const options = { locale: 'en-GB', timezoneId: ZONE }

// A server as it is at its first start, of which nothing is set.
await withDashboard({ POSTRIDER_PUBLIC_URL: '' }, async ({ browser, signedIn }) => {
  const outside = await browser.newContext({ ...options, reducedMotion: 'reduce' })
  await picture(await outside.newPage(), { 'sign-in': '/' })
  const context = await signedIn(options)
  await picture(await context.newPage(), { 'start-first': '/' })
})
await withDashboard({ POSTRIDER_PUBLIC_URL: SERVER }, async ({ client, peers, signedIn }) => {
  const context = await signedIn(options)
  const page = await context.newPage()
  const pages = await dashboardPages(client, peers, await makeDashboardData(client, peers))
  await page.clock.setFixedTime(Date.now() + AGE_MS)
  const [address = ''] = pages['message-failed-over']?.split('?') ?? []
  await picture(page, { ...pages, [README]: address })
})

async function withDashboard(environment: Record<string, string>, act: (dashboard: DashboardServer) => Promise<void>) {
  const dashboard = await startDashboard({ POSTRIDER_PORT: PORT, ...environment })
  try {
    await act(dashboard)
  } finally {
    await dashboard.close()
  }
}

async function picture(page: Page, addresses: Record<string, string>) {
  const camera = await page.context().newCDPSession(page)
  for (const [name, address] of Object.entries(addresses)) {
    if (names.length > 0 && !names.includes(name)) continue
    for (const { name: view, colorScheme, width, height } of VIEWS) {
      await page.emulateMedia({ colorScheme })
      if (name === README && view === 'phone') continue
      await page.setViewportSize({ width, height: name === README ? README_HEIGHT : height })
      if (view === VIEWS[0].name) await open(page, name, address)
      await settled(page)
      const { data } = await camera.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
      writeFileSync(join(target, `${name}-${view}.webp`), Buffer.from(data, 'base64'))
    }
  }
}

async function open(page: Page, name: string, address: string) {
  await page.goto(`${SERVER}/app${address}`)
  if (name !== 'send') return
  // The address has no data.
  for (const [variable, value] of Object.entries({ order_id: 'A-1043', name: 'Customer 1002', count: '3' }))
    await page.getByLabel(new RegExp(`^${variable}`)).fill(value)
  await page.getByText('Order A-1043 is on its way').waitFor()
  await page.locator(':focus').blur()
}
