/** The dashboard over a large table: a cold first load, pages of lists, frames of the live tail while messages come in. */
import { Postrider } from '@postrider/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { seedMessages } from './filters.ts'
import type { Bench, Figures } from './measure.ts'
import type { SteadyAnswer, SteadyRequest } from './peers/peers.ts'
import { apiKey, events, setUp, startProduct } from './product.ts'
import { quantile } from './statistics.ts'

const COLD_LOADS = 7
const LIST_PAGES = 20
/** Screens opened from the rail, each this many times. */
const OPENINGS = 5
/** By the name in the rail, with the heading. */
const SCREENS = {
  Messages: 'Messages',
  Mailbox: 'Mailbox',
  Integrations: 'Integrations',
  Templates: 'Templates',
  Recipients: 'Users',
  System: 'System',
}
const VIEWPORT = { width: 1400, height: 900 }
const CONNECTIONS = 16
const LIVE_SECONDS = 20
const IDLE_SECONDS = 5
/** A frame that took longer was a dropped one at 60 a second. */
const FRAME_MS = 1_000 / 60
const DROPPED_MS = FRAME_MS * 1.5

export async function dashboardSpeed(bench: Bench): Promise<Figures> {
  // Only here, so that the other measurements need no browser.
  const { openBrowser } = await import('@postrider/test/browser/chromium')
  const place = await bench.databases.copy()
  await seedMessages(place, bench.messages)
  const product = await startProduct(place, bench.port, bench)
  const origin = `http://127.0.0.1:${product.port}`
  const browser = await openBrowser()
  try {
    await setUp(product, bench.sinks)
    const state = await signIn(browser, origin)
    return {
      messages: bench.messages,
      ...(await coldLoads(browser, origin, state)),
      ...(await withPage(browser, state, (page) => lists(page, origin))),
      ...(await withPage(browser, state, (page) => liveTail(page, origin, bench))),
    }
  } finally {
    await browser.close()
    await product.stop()
  }
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>

async function signIn(browser: Browser, origin: string): Promise<State> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  const page = await context.newPage()
  await page.goto(`${origin}/app/`)
  await page.getByLabel('API key').fill(apiKey)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Start' }).waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

/** A context has a cache of its own, which is empty at first. */
async function withPage<T>(browser: Browser, storageState: State, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: VIEWPORT, storageState })
  try {
    return await use(await context.newPage())
  } finally {
    await context.close()
  }
}

/** Resolves with the time of the page when the condition holds and the main thread is idle again. */
const interactive = (condition: string) => `new Promise((resolve) => {
  const look = () => (${condition}) ? requestIdleCallback(() => resolve(performance.now())) : requestAnimationFrame(look)
  look()
})`

const hasRows = `document.querySelector('main [role="row"][data-index]')`
const isLoaded = (title: string) =>
  `document.querySelector('main h1')?.textContent === ${JSON.stringify(title)} && !document.querySelector('main [aria-busy="true"]')`

async function coldLoads(browser: Browser, origin: string, state: State): Promise<Figures> {
  const times: number[] = []
  let bytes = 0
  for (let load = 0; load < COLD_LOADS; load += 1)
    await withPage(browser, state, async (page) => {
      await page.goto(`${origin}/app/messages`, { waitUntil: 'commit' })
      times.push(await page.evaluate<number>(interactive(hasRows)))
      bytes = await page.evaluate<number>(
        `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/app/')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
      )
    })
  return { coldP50: quantile(times, 0.5), coldMax: Math.max(...times), coldKb: bytes / 1_024 }
}

async function lists(page: Page, origin: string): Promise<Figures> {
  await page.goto(`${origin}/app/`)
  await page.getByRole('heading', { name: 'Start' }).waitFor()
  const figures: Figures = {}
  for (const [screen, title] of Object.entries(SCREENS)) {
    const times: number[] = []
    for (let opening = 0; opening < OPENINGS; opening += 1) {
      await clickNavigation(page, 'Start')
      times.push(await clickNavigation(page, screen, title))
    }
    figures[`open ${screen}`] = quantile(times, 0.5)
    figures[`open ${screen} max`] = Math.max(...times)
  }
  await page.goto(`${origin}/app/messages`)
  await page.evaluate(interactive(hasRows))
  const pages: number[] = []
  for (let next = 0; next < LIST_PAGES; next += 1) pages.push(await page.evaluate<number>(nextPage))
  const rowsDrawn = await page.evaluate<number>(`document.querySelectorAll('main [role="row"][data-index]').length`)
  return { ...figures, rowsDrawn, nextPageP50: quantile(pages, 0.5), nextPageMax: Math.max(...pages) }
}

/** From the click until the screen is there. */
const clickNavigation = (page: Page, name: string, title = name): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const link = [...document.querySelectorAll('nav a')].find(({ textContent }) => textContent.trim() === ${JSON.stringify(name)})
    if (!link) throw new Error('The navigation has no link ' + ${JSON.stringify(name)})
    const begin = performance.now()
    link.click()
    return (await ${interactive(isLoaded(title))}) - begin
  })()`)

/** From the scroll to the end of the list until there are more rows. */
const nextPage = `(async () => {
  const count = () => document.querySelector('main [role="rowgroup"]').clientHeight
  const before = count()
  const begin = performance.now()
  scrollTo({ top: document.documentElement.scrollHeight })
  return (await ${interactive('count() > before')}) - begin
})()`

const countFrames = `(() => {
  globalThis.frameTimes = []
  let last = performance.now()
  const frame = (now) => { globalThis.frameTimes.push(now - last); last = now; requestAnimationFrame(frame) }
  requestAnimationFrame(frame)
})()`

async function liveTail(page: Page, origin: string, { peers, port, perSecond }: Bench): Promise<Figures> {
  await page.goto(`${origin}/app/messages?live=true`)
  await page.evaluate(interactive(hasRows))
  await page.evaluate(countFrames)
  const idle = await framesOf(page, () => page.waitForTimeout(IDLE_SECONDS * 1_000))
  const count = LIVE_SECONDS * perSecond
  const request: SteadyRequest = { port, apiKey, event: events.webhook, connections: CONNECTIONS, perSecond, count }
  let refused = 0
  const live = await framesOf(page, async () => {
    refused = (await peers.call<SteadyAnswer>('steady', request)).refused
  })
  const begin = performance.now()
  await new Postrider({ apiKey, baseUrl: origin }).send({ event: events.webhook, recipient: 'the-last-one' })
  await page.evaluate(interactive(`document.querySelector('main [title="the-last-one"]')`))
  return {
    liveSent: count,
    liveRefused: refused,
    livePerSecond: count / live.seconds,
    liveFramesIdle: idle.perSecond,
    liveFrames: live.perSecond,
    liveFrameP99: live.p99,
    liveFrameMax: live.max,
    liveDroppedPercent: live.droppedPercent,
    liveLag: performance.now() - begin,
  }
}

async function framesOf(page: Page, during: () => Promise<unknown>) {
  await page.evaluate('globalThis.frameTimes.length = 0')
  await during()
  const times = await page.evaluate<number[]>('globalThis.frameTimes')
  const total = times.reduce((sum, time) => sum + time, 0)
  return {
    seconds: total / 1_000,
    perSecond: (times.length * 1_000) / total,
    p99: quantile(times, 0.99),
    max: Math.max(...times),
    droppedPercent: (100 * times.filter((time) => time > DROPPED_MS).length) / times.length,
  }
}
