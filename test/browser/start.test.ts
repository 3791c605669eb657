/** The screen Start in a browser: a first message on its way, station by station. */
import type { Postrider } from '@postrider/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from './chromium.ts'
import { openStartScreen, type StartOfNew } from './start-screen.ts'

describe.skipIf(!hasBrowser)('the first message on the first screen', () => {
  let screen: StartOfNew
  let client: Postrider
  let page: Page

  beforeAll(async () => {
    screen = await openStartScreen()
    ;({ client, page } = screen)
  })
  afterAll(() => screen?.dashboard.close())

  test('before the first message it says so, and no step is done', async () => {
    await page.getByText('It runs. Nothing was sent yet.').waitFor()
    await page.getByRole('heading', { name: 'Next' }).waitFor()
    await page.getByText('0 of 6', { exact: true }).waitFor()
    expect((await screen.stations()).map((text) => text.split('\n'))).toEqual(
      ['Accepted', 'Decided', 'Rendered', 'Sent', 'Delivered'].map((name) => [name, 'not yet']),
    )
  })

  test('Enter sends it: five stations with their times, what the recipient got, and the step ticks', async () => {
    await page.keyboard.press('Enter')
    await page.getByText(/^It works: Welcome was delivered .+ after the call\.$/).waitFor()
    const texts = await screen.stations()
    for (const [index, text] of [/on disk/, /Email, of 5 channels/, /HTML and text/, /by Mailbox/, /after/].entries())
      expect(texts[index]).toMatch(text)
    expect(texts.filter((text) => /\d (?:ms|sec)/.test(text))).toHaveLength(5)
    await page.frameLocator('iframe[title="Rendered mail"]').getByText('it is good to have you here').waitFor()
    await page.getByText('1 of 6', { exact: true }).waitFor()
    expect(await screen.stepsDone()).toEqual(['A first message'])
    const [message] = (await client.messages.list({ recipient: 'ada' })).results
    expect(message).toMatchObject({ event: 'welcome', status: 'DELIVERED', id: await screen.shownMessage() })
  })

  test('Enter on a link follows the link and sends nothing', async () => {
    await page.getByRole('link', { name: 'Open the mail' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/app\/mailbox\/1-/)
    expect((await client.messages.list({ recipient: 'ada' })).results).toHaveLength(1)
    await page.goBack()
  })

  test('today counts a message of the call from elsewhere as soon as the screen shows it', async () => {
    // The figures are not read again by their interval.
    await page.addInitScript(`{
      const { setInterval } = globalThis
      globalThis.setInterval = (act, ms, ...more) => (ms === 10_000 ? 0 : setInterval(act, ms, ...more))
    }`)
    await page.reload()
    for (const name of ['1 accepted', '1 sent']) await page.getByRole('link', { name, exact: true }).waitFor()
    const before = await screen.shownMessage()
    await client.send({ event: 'welcome', recipient: 'ada', profile: { email: 'ada@example.com' } })
    await expect.poll(screen.shownMessage).not.toBe(before)
    for (const name of ['2 accepted', '2 sent']) await page.getByRole('link', { name, exact: true }).waitFor()
  })

  test('no script failed', () => {
    expect(screen.pageErrors).toEqual([])
  })
})
