/** The dashboard in a browser: the first minute by keyboard alone, why a message failed, and the mailbox. */
import type { Postrider } from '@postrider/client'
import { messageSentence, sentenceText } from '@postrider/client/sentence'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendAndSettle, settled } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { hasBrowser } from './chromium.ts'
import { type DashboardData, makeDashboardData } from './dashboard-data.ts'
import { type DashboardServer, pageErrorsOf, startDashboard } from './dashboard-server.ts'

describe.skipIf(!hasBrowser)('the dashboard, from the first message to the reason of a failure', () => {
  let dashboard: DashboardServer
  let page: Page
  let data: DashboardData
  let client: Postrider
  const pageErrors: string[] = []

  beforeAll(async () => {
    dashboard = await startDashboard()
    client = dashboard.client
    page = await dashboard.browser.newPage({ viewport: { width: 1400, height: 900 } })
    page.setDefaultTimeout(15_000)
    // Before the first sign-in the browser logs that there is no session.
    pageErrorsOf(page, (text) => text.includes('401'), pageErrors)
  })
  afterAll(() => dashboard?.close())

  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key)
  }
  /** Without a frame between them, as a busy machine delivers keys. */
  const keysAtOnce = (...pressed: string[]) =>
    page.evaluate<void>(`for (const key of ${JSON.stringify(pressed)})
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
  /** Moves the focus by the keyboard until it is on a control of this name. */
  async function tabTo(name: RegExp): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab')
      const focused = await page.evaluate<string>(
        "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''",
      )
      if (name.test(focused)) return
    }
    throw new Error(`No control ${name} is reached by the keyboard`)
  }

  test('sign in, send, and see it arrive in the mailbox: wholly by keyboard', async () => {
    await page.goto(`${dashboard.server.url}/app/`)
    await page.getByLabel('API key').waitFor()
    await page.keyboard.type(dashboard.apiKey)
    await keys('Enter')
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await tabTo(/^Send welcome to Ada/)
    await keys('Enter')
    await page.getByText(/^It works: Welcome was delivered/).waitFor()
    const frame = page.frameLocator('iframe[title="Rendered mail"]')
    await frame.getByText('it is good to have you here').waitFor()
    await tabTo(/^Why this way\?$/)
    await keys('Enter')
    await page.getByRole('heading', { name: /^Delivered by email through Mailbox, / }).waitFor()
    expect(await client.messages.list({ recipient: 'ada' })).toMatchObject({
      results: [{ status: 'DELIVERED', event: 'welcome' }],
    })
    await keys('g', 'x')
    await page.getByRole('heading', { name: 'Mailbox' }).waitFor()
    // Until the list is there, `j` has no row to go to.
    await page.getByRole('grid').getByRole('link').first().waitFor()
    await keys('j')
    await page.getByRole('tab', { name: 'Source' }).waitFor()
    expect(page.url()).toMatch(/\/app\/mailbox\/1-/)
  })

  test('a failed message is found, and says why: each candidate with its reason', async () => {
    data = await makeDashboardData(client, dashboard.peers)
    await keys('g', 'm')
    await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
    await page.getByText('Failed', { exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'refused' }).waitFor()
    expect(new URL(page.url()).searchParams.get('status')).toContain('UNDELIVERABLE')
    await keys('/')
    await page.keyboard.type('Refused@example.com')
    await keys('Enter')
    await page.getByRole('button', { name: 'Remove the filter Address Refused@example.com' }).waitFor()
    // Meanwhile the list is loading and has no row to go to.
    await page.getByRole('row').filter({ hasText: 'refused' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await keysAtOnce('j', 'Enter')
    await page.getByRole('heading', { name: /^Not delivered: SendGrid, marketing account refused it/ }).waitFor()
    expect(page.url()).toContain(data.messages.refused)
    const candidates = page.locator('li[data-kind]')
    expect(await candidates.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-kind')))).toEqual([
      ...['failed', 'failed', 'skipped', 'skipped', 'skipped', 'skipped', 'skipped'],
    ])
    expect(await candidates.nth(0).textContent()).toContain('400 Bad Request: Does not contain a valid address.')
    expect(await candidates.nth(1).textContent()).toContain('550 5.1.1 The email account does not exist')
    expect(await candidates.nth(5).textContent()).toContain('Twilio')
    // Messages of every status are sent first, each to its end.
  }, 90_000)

  test('each attempt shows its request and reply, without the key', async () => {
    await page.getByText('SendGrid, marketing account, attempt 1').click()
    const request = page.getByRole('region', { name: 'Request' }).first()
    await request.getByText('/v3/mail/send').waitFor()
    const requestText = (await request.textContent()) ?? ''
    expect(requestText).toContain('authorization: ********')
    expect(requestText).toContain('"to":[{"email":"refused@example.com"}]')
    const reply = page.getByRole('region', { name: 'Reply' }).first()
    expect(await reply.textContent()).toContain('Does not contain a valid address.')
    await page.getByText('Mail relay of the office, attempt 1').click()
    await page.getByText('RCPT TO:<refused@example.com>').waitFor()
  })

  test('a German reader reads why in German: the route, the missing address, the missing template', async () => {
    const german = await dashboard.signedIn()
    try {
      const read = await german.newPage()
      pageErrorsOf(read, () => false, pageErrors)
      await read.goto(`${dashboard.server.url}/app/`)
      await read.evaluate("localStorage.setItem('postrider-language', 'de')")
      // No word of a figure breaks on a phone.
      const { width, height } = read.viewportSize() ?? { width: 1400, height: 900 }
      await read.setViewportSize({ width: 390, height: 844 })
      await read.reload()
      const word = await read
        .getByRole('link', { name: /fehlgeschlagen$/ })
        .locator('span')
        .boundingBox()
      expect(word?.height).toBeLessThan(30)
      await read.setViewportSize({ width, height })
      const stepsOf = async (id: string) => {
        await read.goto(`${dashboard.server.url}/app/messages/${id}?row=all`)
        const steps = read.getByRole('list', { name: 'Die Entscheidung, Schritt für Schritt' })
        await steps.waitFor()
        return (await steps.getByRole('paragraph').allTextContents()).join('\n')
      }
      const refused = await stepsOf(data.messages.refused)
      await read.getByText(/^Das Ereignis order-shipped führt zur Vorlage Order shipped, Version \d+\.$/).waitFor()
      expect(refused).toMatch(
        /^Sie geht über E-Mail \(SendGrid, marketing account\); schlägt das fehl, E-Mail \(Mail relay of the office\)\./m,
      )
      const rows = async () => (await read.locator('summary').allTextContents()).join('\n')
      expect(await rows()).toMatch(/^.*Unzustellbar.*Die Adresse ist gesperrt: die Adresse gibt es nicht/m)
      // The row has the words of the sentence.
      await stepsOf(data.messages.optedOut)
      await read
        .getByRole('heading', {
          name: /^Nicht gesendet\. Der Empfänger wurde durch den Schlüssel first key abgemeldet/,
        })
        .waitFor()
      expect(await rows()).toMatch(/^.*Nicht zugestellt.*Der Empfänger wurde durch den Schlüssel first key abgemeldet/m)
      expect(await stepsOf(data.messages.unmapped)).toBe('Das Ereignis order-returned führt zu keiner Vorlage.')
      await read
        .getByRole('heading', { name: 'Nicht gesendet. Das Ereignis order-returned führt zu keiner Vorlage.' })
        .waitFor()
      expect(await stepsOf(data.messages.unroutable)).toMatch(
        /^Keine nutzbare Adresse: E-Mail \(.+\) braucht email im Profil/m,
      )
    } finally {
      await german.close()
    }
  })

  test('each message says in a sentence what happened to it and why; its page has the same', async () => {
    const sentences: [keyof DashboardData['messages'], RegExp][] = [
      [
        'delivered',
        /^Delivered by email through Mailbox, \d+ after the call\. The mailbox keeps it: nothing left this/,
      ],
      ['clicked', /^A link in it was clicked, \d+ after it was sent by email through SendGrid, marketing account\.$/],
      ['opened', /^Opened, \d+ after it was sent by email through SendGrid, marketing account\.$/],
      [
        'bounced',
        /^Not delivered: SendGrid, marketing account reported a bounce: `552 5\.2\.2 The mailbox is full`\. /,
      ],
      ['sent', /^Sent by email through SendGrid, marketing account, \d+ after the call\. No receipt confirms that it/],
      [
        'refused',
        /refused it: `400 .+`; Mail relay of the office refused the address: `550 5\.1\.1 .+`\. Push was not tried: no usable token of a device\. SMS was/,
      ],
      [
        'suppressed',
        /^Not sent\. The address for email has been suppressed since \d+: added by hand, with the key `first key`\./,
      ],
      [
        'optedOut',
        /^Not sent\. The recipient was opted out by the key first key \(\d+\)\. That is the choice for the topic `\w+`\.$/,
      ],
      [
        'unroutable',
        /^Not sent\. No usable address: email \(SendGrid, marketing account and Mail relay of the office\) needs `email` in the/,
      ],
      ['unmapped', /^Not sent\. The event `order-returned` leads to no template\.$/],
      ['filtered', /^Not sent\. The condition `data\.total > 0` is not met\.$/],
      ['delayed', /^Waits until \d+: the send says so\.$/],
      ['canceled', /^Canceled by the key first key \d+ after the call\. No provider was called\.$/],
      ['digested', /^Part of the digest of the topic `\w+`, which goes out by \d+\.$/],
      ['held', /^Held until Slack of operations is repaired: `invalid_auth`\. Without a repair it fails at \d+\.$/],
      ['sms', /^Sent by SMS through Twilio, \d+ after the call\. No receipt confirms that it arrived\.$/],
      ['smsFailed', /^Not delivered: Twilio refused the address: `400 .+`\. Nothing else is left\.$/],
      [
        'push',
        /^Sent by push through Push to the app, \d+ .+ Inbox was delivered to the mailbox only, and did not leave/,
      ],
    ]
    for (const [name, expected] of sentences) {
      const id = data.messages[name]
      const [message, explanation, { results: history }] = await Promise.all([
        client.messages.get(id),
        client.messages.explain(id),
        client.messages.history(id),
      ])
      const format = { time: String, duration: String, list: (items: readonly string[]) => items.join(' and ') }
      const sentence = sentenceText(messageSentence({ message, explanation, history }, { format }))
      expect(sentence, name).toMatch(expected)
      if (name !== 'refused' && name !== 'filtered') continue
      await page.goto(`${dashboard.server.url}/app/messages/${id}`)
      await page.getByRole('heading', { name: sentence.replaceAll('`', ''), exact: true }).waitFor()
    }
  })

  test('a topic has its name on the page of a message, and one that was canceled before its decision has no way', async () => {
    await page.goto(`${dashboard.server.url}/app/messages/${data.messages.digested}`)
    await page.getByRole('heading', { name: /^Part of the digest of the topic Orders of the day, / }).waitFor()
    await page.goto(`${dashboard.server.url}/app/messages/${data.messages.canceled}`)
    await page.getByText('It ended before its decision.').waitFor()
    await page.getByText('Nothing was rendered.').waitFor()
    expect(await page.locator('li[data-kind]').count()).toBe(0)
    await page.goto(`${dashboard.server.url}/app/messages/${data.messages.delayed}`)
    await page.getByText('as things are now: it is not decided yet').waitFor()
    expect(await page.locator('li[data-kind]').count()).toBeGreaterThan(0)
  })

  test('as of now, the refused address is suppressed: its note and a resend say so; a replay of the failed ones says how many', async () => {
    await page.goto(`${dashboard.server.url}/app/messages/${data.messages.refused}`)
    await page.getByRole('button', { name: 'As of now' }).click()
    await page.getByText('UNDELIVERABLE SUPPRESSED').waitFor()
    await page.getByText('Since this message the address is on the list of suppressed addresses.').waitFor()
    await keys('r')
    const question = page.getByRole('dialog')
    await question.getByText(/^Would not be sent\. The address for email has been suppressed since /).waitFor()
    await question.getByRole('button', { name: 'Resend message anyway' }).waitFor()
    await keys('Escape')
    await question.waitFor({ state: 'hidden' })
    await page.goto(`${dashboard.server.url}/app/messages?status=["UNDELIVERABLE"]`)
    await page.getByRole('button', { name: 'Replay' }).click()
    const { replayable } = await client.replays.create({ filter: { status: ['UNDELIVERABLE'] } })
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${replayable} messages`, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: `Replay ${replayable} messages` }).waitFor()
    await keys('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })

  test('beside the list stands the message that is clicked; keys go on with it, and Escape closes it', async () => {
    await page.goto(`${dashboard.server.url}/app/messages?status=["UNDELIVERABLE"]`)
    const rows = page.locator('[data-index]')
    // The names of the sentence.
    const names = /Order shipped.*refused.*SendGrid, marketing account.*Mail relay of the office/
    await page.getByRole('row').filter({ hasText: names }).waitFor()
    const beside = page.getByRole('region', { name: 'Message', exact: true })
    const opened = () => new URL(page.url()).searchParams.get('open') ?? ''
    await rows.nth(0).click()
    await beside.getByRole('heading', { name: /^Not / }).waitFor()
    const first = opened()
    expect(await rows.nth(0).getAttribute('aria-current')).toBe('true')
    await keys('j')
    await expect.poll(opened).not.toBe(first)
    await beside.getByRole('heading', { name: /^Not / }).waitFor()
    expect(await rows.nth(1).getAttribute('aria-current')).toBe('true')
    // Escape answers the question, and closes the message only then.
    await keys('r')
    await page.getByRole('dialog').waitFor()
    await keys('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await beside.isVisible()).toBe(true)
    const second = opened()
    // The keys go on from the message that is shown, also when the page was just opened.
    await page.reload()
    await beside.getByRole('heading', { name: /^Not / }).waitFor()
    await keys('k')
    await expect.poll(opened).toBe(first)
    await keys('j')
    await expect.poll(opened).toBe(second)
    // A link shows it to others, and a smaller window has the list alone, whose rows open as pages.
    await page.reload()
    await beside.getByRole('heading', { name: /^Not / }).waitFor()
    await page.setViewportSize({ width: 1000, height: 900 })
    await beside.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Open the message of this link' }).waitFor()
    await rows.nth(0).click({ position: { x: 300, y: 20 } })
    await page.getByRole('heading', { level: 1, name: /^Not / }).waitFor()
    expect(page.url()).toContain(`/app/messages/${first}`)
    await page.goBack()
    await page.setViewportSize({ width: 1400, height: 900 })
    await beside.getByRole('link', { name: 'Open message' }).waitFor()
    expect(opened()).toBe(second)
    await keys('Escape')
    await beside.waitFor({ state: 'hidden' })
    expect(opened()).toBe('')
  })

  test('a row stays in the window when its message opens beside the list, though all rows are higher then', async () => {
    await page.setViewportSize({ width: 1400, height: 500 })
    await page.goto(`${dashboard.server.url}/app/messages`)
    const row = page.locator('[data-index="20"]')
    await row.scrollIntoViewIfNeeded()
    await row.click({ position: { x: 900, y: 20 } })
    await page.getByRole('region', { name: 'Message', exact: true }).waitFor()
    const bounds = async () => (await page.locator('[aria-current="true"][role="row"]').boundingBox()) ?? { y: -1 }
    await expect.poll(async () => (await bounds()).y).toBeGreaterThanOrEqual(0)
    expect((await bounds()).y).toBeLessThan(500)
    await keys('Escape')
    await page.getByRole('region', { name: 'Message', exact: true }).waitFor({ state: 'hidden' })
    await expect.poll(async () => (await row.boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0)
    expect((await row.boundingBox())?.y).toBeLessThan(500)
    await page.setViewportSize({ width: 1400, height: 900 })
  })

  test('the last day is a sentence whose figures lead to their messages; conditions are typed', async () => {
    const { finished, statuses, reasons, held: heldCount } = await client.metrics.summary({ window: '24h' })
    const sum = (counts: { count: number }[]) => counts.reduce((total, { count }) => total + count, 0)
    const failed = statuses.filter(({ status }) => ['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED'].includes(status))
    const optedOut = reasons.filter(({ reason }) => reason === 'UNSUBSCRIBED')
    expect(sum(optedOut)).toBeGreaterThan(0)
    await page.goto(`${dashboard.server.url}/app/messages`)
    await page.getByRole('link', { name: `${sum(failed) - sum(optedOut)} of ${finished} finished messages` }).click()
    await page.getByRole('tab', { name: 'Failed', selected: true }).waitFor()
    // A recipient who opted out is no failure.
    await page.getByRole('row').filter({ hasText: 'Unroutable' }).first().waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'opted out' }).count()).toBe(0)
    await page.getByRole('tab', { name: 'All' }).click()
    await page.getByRole('row').filter({ hasText: 'opted out' }).first().waitFor()
    await page.getByRole('link', { name: heldCount === 1 ? '1 is held.' : `${heldCount} are held.` }).click()
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Held' }).count()).toBe(heldCount)
    await keys('/')
    await page.keyboard.type('status:lost')
    await keys('Enter')
    await page.getByText('Status has no value lost').waitFor()
    expect(new URL(page.url()).searchParams.get('status')).toBe('["HELD"]')
    await keys('Control+a')
    await page.keyboard.type('status:unmapped event:order-returned')
    await keys('Enter')
    await page.getByRole('button', { name: 'Remove the filter Event order-returned' }).waitFor()
    await page.getByText('Its event leads to no template.').first().waitFor()
    const { results } = await client.messages.list({ status: ['UNMAPPED'], event: 'order-returned' })
    await expect.poll(() => page.getByRole('row').count()).toBe(results.length + 1)
    const menu = page.getByRole('button', { name: 'More actions' })
    const hasFocus = page.locator(':focus')
    const openMenu = async () => {
      await menu.focus()
      await keys('Enter')
      await page.getByRole('menu').and(page.locator(':focus-within')).waitFor()
    }
    await openMenu()
    await keys('ArrowDown')
    await page.getByRole('menuitem', { name: 'Copy as curl' }).and(hasFocus).waitFor()
    await keys('Enter')
    await page.getByRole('menuitem', { name: 'Copied' }).waitFor()
    await keys('ArrowUp', 'Enter')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Returned orders')
    await keys('Enter')
    await page.getByText('The view Returned orders is saved').waitFor()
    await menu.and(hasFocus).waitFor()
    await openMenu()
    await keys('ArrowDown', 'ArrowDown')
    await page.getByRole('menuitem', { name: 'Returned orders' }).and(hasFocus).waitFor()
    await keys('Escape')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await menu.and(hasFocus).waitFor()
  })

  test('a row names an address without a user, until when a message waits, and who canceled it', async () => {
    const message = { to: { email: 'guest@example.com' }, content: { title: 'Later', body: 'Later' } }
    const { requestId } = await client.send({ message: { ...message, delay: { duration: 3_600_000 } } })
    await page.goto(`${dashboard.server.url}/app/messages?messageId=${requestId}`)
    const row = page.getByRole('row').filter({ hasText: 'guest@example.com' })
    await row.getByText(/^Due at /).waitFor()
    await client.messages.cancel(requestId)
    await page.reload()
    await row.getByText(/^By the key first key .* after the call$/).waitFor()
  })

  test('held messages are counted first, and all of them are released, however many calls that takes', async () => {
    const bodies: unknown[] = []
    // More than a call releases, which this server has not.
    await page.route('**/messages/release', async (route) => {
      const body = route.request().postDataJSON()
      bodies.push(body)
      const pages = { next: { released: 234, more: false }, first: { released: 1_000, more: true, cursor: 'next' } }
      const reply = body.dry_run ? { dry_run: true, released: 0, more: false, releasable: 1_234 } : undefined
      await route.fulfill({ json: reply ?? { dry_run: false, ...(body.cursor ? pages.next : pages.first) } })
    })
    await page.goto(`${dashboard.server.url}/app/messages?status=["HELD"]`)
    await page.getByRole('button', { name: 'Release held' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Release 1,234 messages' }).click()
    await page.getByText('1,234 messages were released').waitFor()
    const filter = { status: ['HELD'] }
    expect(bodies).toEqual([{ filter, dry_run: true }, { filter }, { filter, cursor: 'next' }])
    await page.unroute('**/messages/release')
  })

  test('the form of the filters offers what there is: templates by their names', async () => {
    await page.goto(`${dashboard.server.url}/app/messages`)
    await page.getByRole('button', { name: 'Filter' }).waitFor()
    await keys('f')
    await page.getByRole('combobox', { name: 'Template id' }).fill('order sh')
    await page.getByRole('option', { name: 'Order shipped' }).click()
    await page.getByRole('button', { name: 'Show messages' }).click()
    await page.getByRole('button', { name: `Remove the filter Template id ${data.templates.orderShipped}` }).waitFor()
    await page.getByText('Order shipped').first().waitFor()
  })

  test('an address of the send that is not the stored one is named, and the form opens with the stored one', async () => {
    await client.profiles.replace('maria', { profile: { name: 'Maria', email: 'maria@example.com' } })
    const { requestId } = await client.send({
      message: { to: { user_id: 'maria', email: 'refused@example.com' }, template: data.templates.orderShipped },
    })
    await until(
      () => client.messages.get(requestId),
      ({ status }) => status === 'UNDELIVERABLE',
    )
    await page.goto(`${dashboard.server.url}/app/messages/${requestId}`)
    await page.getByText('Used: refused@example.com. Stored: maria@example.com.').waitFor()
    await page.getByText('1 value of the send won').waitFor()
    await page.getByRole('link', { name: 'Open in Send with the stored address' }).click()
    await page.getByText('Contact values for this message only').click()
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('')
    await page.getByRole('heading', { name: /^Would go to Maria by email/ }).waitFor()
    const malformed = await client.send({
      message: { to: { user_id: 'maria', email: 'maria@@example' }, template: data.templates.orderShipped },
    })
    await until(
      () => client.messages.get(malformed.requestId),
      ({ status }) => status === 'UNROUTABLE',
    )
    await page.goto(`${dashboard.server.url}/app/messages/${malformed.requestId}`)
    await page.getByRole('heading', { name: /No usable address: email is not valid for email/ }).waitFor()
    await page.getByText('Used: maria@@example. Stored: maria@example.com.').waitFor()
  })

  test('a message that another provider took does not end in a failure, and says who was tried before', async () => {
    await page.goto(`${dashboard.server.url}/app/messages/${data.messages.failedOver}`)
    const sentence = page.getByRole('heading', { name: /^Sent by email through Mail relay/ })
    await sentence.waitFor()
    expect(await sentence.textContent()).toContain(
      'SendGrid, marketing account failed: 503 Service Unavailable: Service unavailable.',
    )
    const rows = page.getByRole('list', { name: 'Timeline' }).locator(':scope > li')
    expect((await rows.allTextContents()).map((text) => text.replace(/^(?:0|\+[\d.]+ m?s(?:ec)?)/, ''))).toEqual([
      expect.stringMatching(/^Accepted/),
      expect.stringMatching(/^Decided/),
      expect.stringMatching(/^SendGrid, marketing account, attempt 1503 Service Unavailable/),
      expect.stringMatching(/^Mail relay of the office, attempt 1accepted/),
    ])
    await page.getByText('given to Mail relay of the office').waitFor()
    // A part of the sentence leads to its proof.
    await sentence.getByRole('link', { name: /^SendGrid, marketing account failed/ }).click()
    await page.getByRole('region', { name: 'Request' }).waitFor()
    const openRows = () => rows.locator('details[open]').evaluateAll((all) => all.map(({ textContent }) => textContent))
    expect(await openRows()).toEqual([expect.stringContaining('SendGrid, marketing account, attempt 1')])
    await keys(']')
    await expect.poll(openRows).toEqual([expect.stringContaining('Mail relay of the office, attempt 1')])
    await keys('[', '[', '[')
    await expect.poll(openRows).toEqual([expect.stringContaining('on disk before the reply')])
    // The open row is in the address: a link shows what its sender saw.
    await page.reload()
    await expect.poll(openRows).toEqual([expect.stringContaining('on disk before the reply')])
  })

  test('once all steps are done, Start no longer shows them', async () => {
    await page.goto(`${dashboard.server.url}/app/`)
    await page.getByText('5 of 6', { exact: true }).waitFor()
    for await (const _chunk of await client.service.backup()) {
      // Read to its end.
    }
    await page.reload()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })
    expect(await page.getByRole('heading', { name: 'Next' }).count()).toBe(0)
  })

  test('a template names what uses it, and what publishing would change', async () => {
    const id = data.templates.orderShipped
    await page.goto(`${dashboard.server.url}/app/templates/${id}?tab=uses`)
    await page.getByText('order-shipped', { exact: true }).waitFor()
    await page.goto(`${dashboard.server.url}/app/templates/${id}?tab=changes`)
    await page.getByText(/^All \d+ messages would be the same\.$/).waitFor()
  })

  test('the live tail shows a message that is sent while it is open', async () => {
    await page.goto(`${dashboard.server.url}/app/messages?live=true`)
    await page.getByRole('row').nth(5).waitFor()
    await client.send({ event: 'nothing-mapped', recipient: 'just-now' })
    await page.getByRole('row').nth(1).filter({ hasText: 'just-now' }).waitFor()
  })

  test('the live tail moves nothing that is read: new messages wait above', async () => {
    await page.setViewportSize({ width: 1400, height: 360 })
    await page.evaluate('scrollTo({ top: 400 })')
    await client.send({ event: 'nothing-mapped', recipient: 'while-reading' })
    const waiting = page.getByRole('button', { name: /^\d+ new$/ })
    await waiting.waitFor()
    expect(await page.getByText('while-reading').count()).toBe(0)
    await waiting.click()
    await page.getByRole('row').nth(1).filter({ hasText: 'while-reading' }).waitFor()
  })

  test('a message that is retried says so, in the list and on its page: the error, and when the next attempt is', async () => {
    const settings = { url: `http://127.0.0.1:${await freePort()}` }
    await client.providers.create({ provider: 'webhook', title: 'Closed port', settings })
    const { requestId } = await client.send({
      message: {
        to: { user_id: 'closed-port' },
        content: { title: 'A hook', body: 'Hello' },
        routing: { method: 'single', channels: ['webhook'] },
      },
    })
    // The list is read once.
    await until(
      () => client.messages.get(requestId),
      ({ retry }) => retry !== undefined,
    )
    await page.setViewportSize({ width: 1400, height: 900 })
    await page.goto(`${dashboard.server.url}/app/messages?retrying=true`)
    const row = page.getByRole('row').filter({ hasText: 'closed-port' })
    await row.getByText('Retrying', { exact: true }).first().waitFor()
    await row
      .getByText(/^Next at .*connection refused \(ECONNREFUSED\)$/)
      .first()
      .waitFor()
    await page.goto(`${dashboard.server.url}/app/messages/${requestId}`)
    await page.getByRole('heading', { name: /^Not sent yet: Closed port failed: .*connection refused/ }).waitFor()
    await client.messages.cancel(requestId)
    await page
      .getByRole('heading', { name: /^Canceled by the key first key .+ after the call\. Closed port failed: / })
      .waitFor()
  })

  test('looking at a mail calls no server, and counts no open where its pictures are shown', async () => {
    const { http } = dashboard.peers
    await client.tracking.replace({ email: { open: true, click: false } })
    const { requestId } = await client.send({
      message: {
        to: { user_id: 'looked-at', email: 'looked-at@example.com' },
        content: {
          version: '2022-01-01',
          elements: [
            { type: 'meta', title: 'A picture' },
            { type: 'image', src: `${http.url}/picture.png` },
          ],
        },
        routing: { method: 'single', channels: ['email'] },
      },
    })
    expect((await http.waitFor(({ body }) => body.includes('looked-at@example.com'))).body).toContain('/o/')
    const reader = await dashboard.signedIn()
    try {
      const read = await reader.newPage()
      const loaded: string[] = []
      read.on('requestfinished', (request) => loaded.push(new URL(request.url()).pathname))
      await read.goto(`${dashboard.server.url}/app/messages/${requestId}`)
      await read.frameLocator('iframe[title="Rendered mail"]').locator('img').first().waitFor({ state: 'attached' })
      expect(loaded).not.toContain('/picture.png')
      await read.getByRole('switch', { name: 'Remote pictures' }).click({ force: true })
      await expect.poll(() => loaded).toContain('/picture.png')
      await read.waitForLoadState('networkidle')
      expect(loaded.filter((path) => path.includes('/o/'))).toEqual([])
      const { results } = await client.messages.history(requestId)
      expect(results.map(({ type }) => type)).not.toContain('OPENED')
    } finally {
      await reader.close()
      await client.tracking.replace({ email: { open: false, click: false } })
    }
  })

  test('chosen rows are canceled where they wait, after it was said how many are left out', async () => {
    const { messageId } = await client.send({ event: 'welcome', recipient: 'chosen', delay: { duration: 3_600_000 } })
    // The list is read once.
    await sendAndSettle(client, { event: 'nothing-mapped', recipient: 'chosen' })
    await until(
      () => client.messages.get(messageId),
      ({ status }) => status === 'DELAYED',
    )
    await page.goto(`${dashboard.server.url}/app/messages?recipient=chosen`)
    await page.getByRole('row').filter({ hasText: 'UNMAPPED' }).getByRole('checkbox').check()
    expect(await page.getByRole('button', { name: /^Cancel \d/ }).count()).toBe(0)
    await page.getByRole('row').filter({ hasText: 'DELAYED' }).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Cancel 1', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 message waits', { exact: true }).waitFor()
    await dialog.getByText('1 left out: sent, or ended').waitFor()
    await dialog.getByRole('button', { name: 'Cancel 1 message' }).click()
    await page.getByText('1 message is canceled').waitFor()
    await page.getByRole('row').filter({ hasText: 'CANCELED' }).waitFor()
    expect((await client.messages.get(messageId)).status).toBe('CANCELED')
  })

  test('a message that was sent shows its mistakes before a row is opened, and leads to those with the same', async () => {
    const body = {
      message: { to: { email: 'ada@example.com' }, content: { title: 'Hi', body: 'Hello {name}' }, brnd: 'x' },
    }
    const { requestId } = await client.send(body)
    const { id } = await settled(client, requestId)
    await page.goto(`${dashboard.server.url}/app/messages/${id}`)
    const fact = page.locator('dl > div').filter({ hasText: 'Findings' })
    await fact.getByRole('link', { name: 'Variable without a value' }).waitFor()
    await fact.getByRole('link', { name: 'Field that is not read' }).click()
    await page.getByRole('row').filter({ hasText: 'ada@example.com' }).first().waitFor()
    expect(new URL(page.url()).searchParams.get('finding')).toContain('field_ignored')
  })

  test('an unknown value of a filter in the address is ignored', async () => {
    await page.goto(`${dashboard.server.url}/app/messages?finding=variable_mising&status=SEND&last=3y`)
    await page.getByRole('row').filter({ hasText: 'ada@example.com' }).first().waitFor()
    await page.waitForURL(({ search }) => search === '')
  })

  test('nothing was refused by the policy of the page, and no script failed', () => {
    expect(pageErrors).toEqual([])
  })
})
