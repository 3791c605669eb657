/** An outage drill in the dashboard: how many of the last messages go by which route, and each of them. */
import type { IntegrationId, IntegrationWrite } from '@postrider/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

describe.skipIf(!hasBrowser)('an outage drill in the dashboard', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let sink: SmtpSink
    let peer: Recorder
    let page: Page
    let firstId: string
    const pageErrors: string[] = []

    beforeAll(async () => {
      app = await open()
      ;[sink, peer] = await Promise.all([startSmtpSink(), startRecorder()])
      peer.answer(() => true, { status: 201, body: { sid: 'SM1' } })
      const smtp = {
        host: '127.0.0.1',
        port: sink.port,
        security: 'opportunistic',
        fromAddress: 'a@example.com',
      } as const
      const twilio = { accountSid: 'AC1', authToken: 'token', from: '+12025550100', baseUrl: peer.url }
      const add = async (write: IntegrationWrite) => (await app.client.providers.create(write)).id
      firstId = await add({ provider: 'smtp', title: 'First mail', priority: 1, settings: smtp })
      await add({ provider: 'smtp', title: 'Second mail', priority: 2, settings: smtp })
      await add({ provider: 'twilio', title: 'Texts', settings: twilio })
      browser = await openBrowser()
      page = await (await signedIn(browser, app.url, app.apiKey)).newPage()
      page.setDefaultTimeout(20_000)
      pageErrorsOf(page, () => false, pageErrors)
    })
    afterAll(async () => {
      await browser?.close()
      await Promise.all([sink?.close(), peer?.close()])
    })

    const drill = () => page.locator(`[data-drill="${firstId}"]`)
    const figures = async () => {
      await drill().locator('dl').waitFor()
      const entries = drill().locator('dl > div')
      return await entries.evaluateAll((all) => all.map((entry) => [...entry.children].map((part) => part.textContent)))
    }
    const send = async (name: string, more: { phone?: boolean; bound?: boolean } = {}) => {
      const to = { user_id: name, email: `${name}@example.com`, ...(more.phone && { phone_number: '+12025550143' }) }
      const bound = more.bound && { channels: { email: { providers: [firstId as IntegrationId] } } }
      const routing = { method: 'single' as const, channels: ['email' as const, 'sms' as const] }
      const message = { to, content: { title: 'Hello', body: 'Hello' }, routing, ...bound }
      const { requestId } = await app.client.send({ message })
      expect((await settled(app.client, requestId)).status).toBe('SENT')
      return requestId
    }

    test('before any message the page says so, and leads to a send', async () => {
      await page.goto(`${app.url}/app/integrations?tab=outage`)
      await page.getByText('Check an integration to see how the last messages').waitFor()
      await page.getByLabel('First mail').check()
      await page.getByRole('heading', { name: 'No message could have gone by it' }).waitFor()
      await drill().getByRole('link', { name: 'Send a message' }).click()
      await page.getByRole('heading', { level: 1, name: 'Send' }).waitFor()
    })

    test('the counts come first, then each message with its route and a link', async () => {
      for (let n = 0; n < 6; n += 1) await send(`free-${n}`)
      for (let n = 0; n < 3; n += 1) await send(`text-${n}`, { bound: true, phone: true })
      for (let n = 0; n < 2; n += 1) await send(`bound-${n}`, { bound: true })
      const refused = await send('refused')
      await app.client.suppressions.add({ suppressions: [{ kind: 'email', address: 'refused@example.com' }] })
      await page.goto(`${app.url}/app/integrations?tab=outage`)
      await page.getByLabel('First mail').check()
      expect(await figures()).toEqual([
        ['go by Second mail (Email)', '6'],
        ['go by Texts (SMS)', '3'],
        ['wait until it is back', '2'],
        ['are not delivered', '1'],
      ])
      await drill().getByText('The last 12 messages:').waitFor()
      const row = (name: string) => drill().getByRole('row').filter({ hasText: name })
      await row('text-0').getByText('Texts (SMS), after 30 min at most').waitFor()
      await row('bound-1').getByText('waits', { exact: true }).waitFor()
      await row('refused').getByText('Every usable address is on the list of suppressed addresses.').waitFor()
      await row('refused').getByRole('link', { name: 'refused' }).click()
      await page.waitForURL(`**/app/messages/${refused}`)
    })

    test('a second integration that is down changes the counts, and each has its messages', async () => {
      await page.goto(`${app.url}/app/integrations?tab=outage`)
      await page.getByLabel('First mail').check()
      await page.getByLabel('Second mail').check()
      await expect.poll(figures).toEqual([
        ['go by Texts (SMS)', '3'],
        ['wait until it is back', '8'],
        ['are not delivered', '1'],
      ])
      await page.getByRole('heading', { name: 'Without Second mail' }).waitFor()
      // The figures are compared; the messages of both are mostly the same.
      const shown = page.getByRole('row').filter({ visible: true })
      await expect.poll(() => shown.count()).toBe(0)
      await drill().getByText('Each of the 12 messages').click()
      await drill().getByRole('row').filter({ hasText: 'text-0' }).waitFor()
    })

    test('only what could fail is offered: not the mailbox, nor one that is off, unless the address names it', async () => {
      const labels = async () => (await page.getByRole('checkbox').count()) - 3
      const settings = { host: '127.0.0.1', fromAddress: 'a@example.com' }
      const off = await app.client.providers.create({ provider: 'smtp', title: 'Off mail', enabled: false, settings })
      await page.goto(`${app.url}/app/integrations?tab=outage`)
      await page.getByLabel('First mail').waitFor()
      expect(await labels()).toBe(0)
      await page.goto(`${app.url}/app/integrations?tab=outage&down=${encodeURIComponent(JSON.stringify([off.id]))}`)
      await page.getByLabel('Off mail').waitFor()
      expect(await labels()).toBe(1)
      await app.client.providers.delete(off.id)
    })

    test('a viewer has the drill, and no form for a message that a key of this role cannot explain', async () => {
      const { key } = await app.client.keys.create({ name: 'viewer', role: 'viewer' })
      const other = await (await signedIn(browser, app.url, key)).newPage()
      pageErrorsOf(other, () => false, pageErrors)
      await other.goto(`${app.url}/app/integrations?tab=outage&template=news&recipient=ada`)
      await other.getByLabel('First mail').check()
      await other.getByText('The last 12 messages:').waitFor()
      expect(await other.getByRole('heading', { name: 'One message' }).count()).toBe(0)
      await page.getByRole('heading', { name: 'One message' }).waitFor()
    })

    test('the page is German, too, and reported no error', async () => {
      await page.evaluate("localStorage.setItem('postrider-language', 'de')")
      await page.goto(`${app.url}/app/integrations?tab=outage`)
      await page.getByLabel('First mail').check()
      await page.getByRole('heading', { name: 'Ohne First mail' }).waitFor()
      expect((await figures())[0]).toEqual(['gehen über Second mail (E-Mail)', '6'])
      expect(pageErrors).toEqual([])
    })
  })
})
