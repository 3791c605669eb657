/** The screen Start in a browser: samples that run as they are copied, steps that tick themselves, and today. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Postrider } from '@postrider/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendAndSettle } from '../support/app.ts'
import { hasBrowser } from './chromium.ts'
import { openStartScreen, type StartOfNew } from './start-screen.ts'

const run = promisify(execFile)
const TEST_PACKAGE = new URL('../', import.meta.url)
const COMMAND = new URL('../../cli/bin/postrider.js', import.meta.url)

describe.skipIf(!hasBrowser)('samples and steps of the first screen', () => {
  let screen: StartOfNew
  let client: Postrider
  let page: Page

  beforeAll(async () => {
    screen = await openStartScreen()
    ;({ client, page } = screen)
  })
  afterAll(() => screen?.dashboard.close())

  test('the stations light up one after the other, in the order of their times, and at once without motion', async () => {
    const [moving, still] = await Promise.all(
      (['no-preference', 'reduce'] as const).map(async (reducedMotion) => {
        const context = await screen.dashboard.signedIn({ reducedMotion })
        const opened = await context.newPage()
        await opened.goto(`${screen.dashboard.server.url}/app/`)
        await opened.getByText('It runs. Nothing was sent yet.').waitFor()
        await opened.evaluate(`{
          const list = document.querySelector('ol[aria-live]')
          const reached = () => [...list.children].flatMap(({ dataset }, index) => dataset.is === 'reached' ? [index] : []).join('')
          globalThis.lit = ['']
          new MutationObserver(() => reached() !== lit.at(-1) && lit.push(reached())).observe(list, { subtree: true, attributes: true })
        }`)
        return opened
      }),
    )
    if (!moving || !still) throw new Error('Both pages are open')
    await moving.getByRole('button', { name: 'Send welcome to Ada' }).click()
    const lit = (opened: Page) => opened.evaluate<string[]>('lit')
    await expect.poll(() => lit(moving)).toEqual(['', '0', '01', '012', '0123', '01234'])
    await still.locator('li[data-is="reached"]').nth(4).waitFor()
    expect((await lit(still)).length).toBeLessThan(5)
    // A message that was there before is no news.
    await moving.reload()
    await moving.locator('ol[aria-live] li').first().waitFor()
    expect(await moving.locator('li[data-is="reached"]').count()).toBe(5)
    await Promise.all([moving.context().close(), still.context().close()])
  })

  test('nothing moves while the screen is loaded, in whichever order its parts arrive', async () => {
    const parts = ['**/metrics/summary?*', '**/providers?*', '**/system', '**/mailbox?*']
    for (const late of parts) {
      const context = await screen.dashboard.signedIn()
      const opened = await context.newPage()
      await opened.addInitScript(`globalThis.shifts = []
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries()) shifts.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 80))])
        }).observe({ type: 'layout-shift', buffered: true })`)
      const release: (() => void)[] = []
      let isHeld = true
      await opened.route(late, async (route) => {
        if (isHeld) await new Promise<void>((resolve) => release.push(resolve))
        await route.continue()
      })
      await opened.goto(`${screen.dashboard.server.url}/app/`)
      await expect.poll(() => release.length).toBeGreaterThan(0)
      // The others are there, or wait for it.
      await opened.waitForLoadState('load')
      await opened.locator('main [aria-busy="true"], main ol').first().waitFor()
      isHeld = false
      for (const resolve of release) resolve()
      await opened.frameLocator('iframe[title="Rendered mail"]').getByText('it is good to have you here').waitFor()
      await opened.getByText('1 of 6', { exact: true }).waitFor()
      expect([late, await opened.evaluate('shifts')]).toEqual([late, []])
      await context.close()
    }
  })

  test('each sample runs as it is copied, and its message lights up on the page by itself', async () => {
    const script = { ...process.env, POSTRIDER_API_KEY: screen.dashboard.apiKey }
    const asModule = (code: string) => run(process.execPath, ['--input-type=module', '-e', code], options)
    const options = { cwd: TEST_PACKAGE, env: script }
    const inShell = (code: string) => run('sh', ['-c', code], options)
    const samples: [tab: string, run: (code: string) => Promise<unknown>][] = [
      ['curl', inShell],
      ['TypeScript', asModule],
      ['Command line', (code) => inShell(`postrider() { "${process.execPath}" "${COMMAND.pathname}" "$@"; }\n${code}`)],
      ['Courier SDK', (code) => asModule(code.replace("'@trycourier/courier'", "'courier7'"))],
    ]
    await page.getByRole('button', { name: 'Send welcome to Ada' }).click()
    await page.getByText(/^It works: Welcome was delivered/).waitFor()
    for (const [tab, runSample] of samples) {
      const before = await screen.shownMessage()
      await page.getByRole('tab', { name: tab }).click()
      await page.keyboard.press('c')
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      await runSample(await page.evaluate<string>('navigator.clipboard.readText()'))
      await expect.poll(screen.shownMessage, { timeout: 15_000 }).not.toBe(before)
      await page.getByText(/^It works: Welcome was delivered/).waitFor()
      const { recipient, status } = await client.messages.get(await screen.shownMessage())
      expect([tab, recipient, status]).toEqual([tab, 'ada', 'DELIVERED'])
    }
  })

  test('a failure before the send says that nothing was changed, a lost reply that it is not known', async () => {
    const context = await screen.dashboard.signedIn()
    const opened = await context.newPage()
    await opened.goto(`${screen.dashboard.server.url}/app/`)
    const button = opened.getByRole('button', { name: 'Send welcome to Ada' })
    await button.click({ trial: true })
    for (const [path, title] of Object.entries({
      '/explain': 'Nothing was changed',
      '/send': 'It is not known whether this was done',
    })) {
      const isCall = ({ pathname }: URL) => pathname === path
      await opened.route(isCall, (route) => route.abort('connectionreset'))
      await button.click()
      await opened.getByRole('alert').filter({ hasText: title }).waitFor()
      await opened.unroute(isCall)
    }
    await context.close()
  })

  test('a figure of today leads to the messages behind it', async () => {
    await page.reload()
    const accepted = page.getByRole('link', { name: /^\d+\s*accepted$/ })
    const count = Number.parseInt((await accepted.textContent()) ?? '', 10)
    await accepted.click()
    await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'ada' }).count()).toBe(count)
    await page.goBack()
  })

  test('with a real integration the button still reaches no one outside', async () => {
    const { smtp } = screen.dashboard.peers
    await client.providers.create({
      ...{ provider: 'smtp', title: 'Company mail' },
      settings: { host: '127.0.0.1', port: smtp.port, security: 'opportunistic', fromAddress: 'news@example.com' },
    })
    await page.getByText('2 of 6', { exact: true }).waitFor()
    const before = await screen.shownMessage()
    await page.getByRole('button', { name: 'Send welcome to Ada again' }).click()
    await expect.poll(screen.shownMessage).not.toBe(before)
    await page.getByText(/^It works: Welcome was delivered/).waitFor()
    const { recipient } = await client.messages.get(await screen.shownMessage())
    expect([recipient, smtp.all.length]).toEqual(['first-message', 0])
  })

  test('each step ticks by what shows it: a template, a real delivery, a backup', async () => {
    const content = { version: '2022-01-01' as const, elements: [{ type: 'text' as const, content: 'Hello' }] }
    await client.notifications.create({ notification: { name: 'Order shipped', content }, state: 'PUBLISHED' })
    await page.getByText('3 of 6', { exact: true }).waitFor()
    await sendAndSettle(client, { event: 'welcome', recipient: 'grace', profile: { email: 'grace@example.com' } })
    await page.getByText('4 of 6', { exact: true }).waitFor()
    await page.getByText('By Company mail, ').waitFor()
    for await (const _chunk of await client.service.backup()) {
      // Read to its end.
    }
    await page.reload()
    await page.getByText('5 of 6', { exact: true }).waitFor()
    expect(await screen.stepsDone()).not.toContain('Set a public URL')
  })

  test('once real messages go out, today comes first, with what failed in it', async () => {
    await page.getByText('No message failed today.').waitFor()
    expect(await page.getByText('It works').count()).toBe(0)
    const order = await page
      .locator('main section')
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? each.querySelector('h2')?.textContent))
    expect(order).toEqual(['Today', 'The first message', 'From your code', 'Next'])
    await client.send({ event: 'nothing-mapped', recipient: 'ada' })
    await page.getByText(/^1 of \d+ finished messages$/).waitFor({ timeout: 20_000 })
  })

  test('where the clock of the browser has passed midnight and that of the server has not, there are figures', async () => {
    await page.clock.setFixedTime(new Date().setHours(24, 10))
    await page.reload()
    await page.getByRole('link', { name: /^\d+\s*accepted$/ }).waitFor()
    expect(await page.getByText('This could not be loaded').count()).toBe(0)
  })

  test('no script failed', () => {
    expect(screen.pageErrors).toEqual([])
  })
})
