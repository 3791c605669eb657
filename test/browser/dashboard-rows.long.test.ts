/** The list of messages in a browser: by keys, while it is live, in little room, and the names and reasons in its rows. */
import type { Postrider } from '@postrider/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendAndSettle } from '../support/app.ts'
import { hasBrowser } from './chromium.ts'
import { type DashboardServer, pageErrorsOf, startDashboard } from './dashboard-server.ts'

/** More than a page of the list. */
const COUNT = 60

describe.skipIf(!hasBrowser)('rows of messages', () => {
  let dashboard: DashboardServer
  let client: Postrider
  let page: Page
  let pageErrors: string[]

  beforeAll(async () => {
    dashboard = await startDashboard()
    ;({ client } = dashboard)
    for (let n = 0; n < COUNT; n += 1) await client.send({ event: 'nothing-mapped', recipient: `reader-${n}` })
    await sendAndSettle(client, { event: 'nothing-mapped', recipient: 'reader-last' })
    page = await (await dashboard.signedIn()).newPage()
    pageErrors = pageErrorsOf(page)
  })
  afterAll(() => dashboard?.close())

  const open = (path: string) => page.goto(`${dashboard.server.url}/app${path}`)
  const rows = () => page.locator('[data-index]')
  const focusedIndex = () => page.evaluate<string | undefined>('document.activeElement?.dataset.index')
  const list = '/messages?event=nothing-mapped'

  test('Esc on the page of a message leads to the list as it was left, and the keys go on from its row', async () => {
    await page.setViewportSize({ width: 1400, height: 400 })
    await open(list)
    await rows().nth(1).waitFor()
    for (let presses = 0; presses < 20; presses += 1) await page.keyboard.press('j')
    await expect.poll(focusedIndex).toBe('19')
    const scrolled = await page.evaluate<number>('scrollY')
    expect(scrolled).toBeGreaterThan(300)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Not sent/ }).waitFor()
    // The open row of the timeline is in the address, too.
    await page.keyboard.press(']')
    await page.waitForURL(/row=/)
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/app\/messages\?event=nothing-mapped$/)
    await rows().nth(19).waitFor()
    await expect.poll(() => page.evaluate<number>('scrollY')).toBe(scrolled)
    await page.keyboard.press('j')
    await expect.poll(focusedIndex).toBe('20')
    await page.setViewportSize({ width: 1400, height: 900 })
  })

  test('the list has few stops of the keyboard: arrows, Home and End walk it, Space chooses, and Tab leaves its row', async () => {
    // The second page is not answered: the button stays.
    await page.route(/cursor=/, () => {})
    await open(list)
    await page.getByRole('button', { name: 'Load more' }).waitFor()
    const grid = page.getByRole('grid')
    const stops = () =>
      grid
        .locator('a, button, input, [tabindex]')
        .evaluateAll((all) => all.filter(({ tabIndex }) => tabIndex >= 0).length)
    const focusedName = () =>
      page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.textContent')
    // The box of all rows; a row, its box and its recipient.
    expect(await stops()).toBe(4)
    await rows().first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('j')
    expect(await focusedIndex()).toBe('2')
    await page.keyboard.press('ArrowUp')
    expect([await focusedIndex(), await stops()]).toEqual(['1', 4])
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Replay 1', exact: true }).waitFor()
    expect(await page.getByRole('row', { selected: true }).count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowRight')
    expect(await focusedName()).toMatch(/^Select /)
    await page.keyboard.press('ArrowDown')
    expect(await focusedIndex()).toBe('2')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await focusedName()).toMatch(/^reader-/)
    await page.keyboard.press('Tab')
    // In view it loads, and keeps the focus.
    await page.getByRole('button', { name: 'Loading more' }).waitFor()
    expect(await focusedName()).toBe('Loading more')
    await page.keyboard.press('Shift+Tab')
    expect(await focusedName()).toMatch(/^reader-/)
    await page.keyboard.press('Home')
    expect(await focusedIndex()).toBe('0')
    await page.keyboard.press('End')
    await expect.poll(focusedIndex).toBe('49')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Not sent/ }).waitFor()
    await page.unroute(/cursor=/)
  })

  test('Esc leads back to the message beside the list, and to the whole list from a message that was opened by its address', async () => {
    await open(list)
    await rows()
      .nth(3)
      .click({ position: { x: 600, y: 20 } })
    await page.getByRole('link', { name: 'Open message' }).click()
    await page.getByRole('heading', { level: 1, name: /^Not sent/ }).waitFor()
    const message = page.url()
    await page.keyboard.press('Escape')
    await page.waitForURL(/event=nothing-mapped&open=/)
    await page.goto(message)
    await page.getByRole('heading', { level: 1, name: /^Not sent/ }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Back to the list').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(page.url()).toBe(message)
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/app\/messages$/)
  })

  test('Esc drops the selection first, and closes the message beside the list then', async () => {
    await open(list)
    await rows()
      .nth(2)
      .click({ position: { x: 600, y: 20 } })
    const beside = page.getByRole('region', { name: 'Message', exact: true })
    await beside.getByRole('heading', { name: /^Not sent/ }).waitFor()
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Replay 1', exact: true }).waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog')
    await keys.getByText('Drop the selection').waitFor()
    await keys.getByText('Close the message').waitFor()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Replay', exact: true }).waitFor()
    expect(await beside.isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await beside.waitFor({ state: 'hidden' })
  })

  test('rows of the live list are chosen, and stay where they are while new ones are counted', async () => {
    await open('/messages?live=true')
    await rows().nth(2).waitFor()
    const first = rows().first()
    await first.getByText('reader-last').waitFor()
    await first.getByRole('checkbox').check()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Replay 2', exact: true }).waitFor()
    // The selection alone keeps the list.
    await page.evaluate('document.activeElement.blur()')
    await client.send({ event: 'nothing-mapped', recipient: 'while-choosing' })
    await page.getByRole('status').getByRole('button', { name: '1 new' }).waitFor()
    expect(await first.getByText('reader-last').isVisible()).toBe(true)
    expect(await page.getByRole('row').getByRole('checkbox', { checked: true }).count()).toBe(2)
    await page.keyboard.press('Escape')
    await first.getByText('while-choosing').waitFor()
    expect(await page.getByRole('row').getByRole('checkbox', { checked: true }).count()).toBe(0)
    // So does the focus, without a selection.
    await page.keyboard.press('k')
    expect(await focusedIndex()).toBe('1')
    await client.send({ event: 'nothing-mapped', recipient: 'while-walking' })
    const added = page.getByRole('button', { name: '1 new' })
    await added.waitFor()
    expect(await page.getByText('while-walking').count()).toBe(0)
    await added.click()
    await first.getByText('while-walking').waitFor()
  })

  test('a row says by its title which integration it went by, and in words who canceled it', async () => {
    const { port } = dashboard.peers.smtp
    const settings = { host: '127.0.0.1', port, security: 'opportunistic' as const, fromAddress: 'news@example.com' }
    await client.providers.create({ provider: 'smtp', title: 'Company mail', settings })
    const send = (recipient: string, profile: Record<string, string>) =>
      sendAndSettle(client, { event: 'welcome', recipient, profile })
    await send('grace', { email: 'grace@example.com' })
    const { messageId } = await client.send({ event: 'welcome', recipient: 'ada', delay: { duration: 3_600_000 } })
    await client.messages.cancel(messageId)
    await open('/messages?event=welcome')
    const grace = page.getByRole('row').filter({ hasText: 'grace' })
    await grace.getByText('Company mail').waitFor()
    const reason = page.getByRole('row').filter({ hasText: 'Canceled' })
    await reason.getByText(/^By the key first key /).waitFor()
    expect(await reason.textContent()).not.toContain('`')
  })

  test('no hop of a row is cut off: two have their names as far as there is room, more are one and a number', async () => {
    const failed = (provider: string) => ({ provider, channel: { template: 'email' }, status: 'UNDELIVERABLE' })
    const ways = [
      ['sendgrid', 'smtp'],
      ['sendgrid', 'smtp', 'amazon-ses', 'mailgun-in-the-european-union'],
      ['mailgun-in-the-european-union', 'microsoft-teams-workflows'],
    ].map((providers) => providers.map(failed))
    const list = /\/messages\?.*include=providers/
    await page.route(list, async (route) => {
      const reply = (await (await route.fetch()).json()) as { results: object[] }
      const results = reply.results.map((message, index) => ({ ...message, providers: ways[index % ways.length] }))
      await route.fulfill({ json: { ...reply, results } })
    })
    await page.setViewportSize({ width: 1280, height: 900 })
    await open('/messages?event=nothing-mapped')
    await rows().first().getByText('smtp').waitFor()
    const outside = await rows()
      .locator('[role="gridcell"] [role="img"]')
      .evaluateAll(
        (marks) =>
          marks.filter((mark) => {
            const cell = mark.closest('[role="gridcell"]')?.getBoundingClientRect()
            return mark.getBoundingClientRect().right > (cell?.right ?? 0) + 1
          }).length,
      )
    expect(outside).toBe(0)
    const before = page.getByRole('img', { name: 'SendGrid failed, then SMTP failed, then amazon-ses failed' }).first()
    expect([await before.textContent(), await before.getAttribute('title')]).toEqual([
      '+3',
      'SendGrid failed, then SMTP failed, then amazon-ses failed',
    ])
    await page.unroute(list)
  })

  test('names are read in full at the width of a tablet and of a phone', async () => {
    for (const width of [1150, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await open('/messages?event=nothing-mapped')
      const row = page.getByRole('row').filter({ hasText: 'reader-last' })
      await row.waitFor()
      const cut = await row
        .locator('[data-place="title"], [data-place="beside"], [data-place="corner"]')
        .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length)
      expect([width, cut]).toEqual([width, 0])
    }
  })

  test('no script failed', () => {
    expect(pageErrors).toEqual([])
  })
})
