/** Integrations in the dashboard: added, tested, failing over; what roles may do; a session that ends while typing. */
import { type KeyRole, Postrider } from '@postrider/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sendAndSettle, withApp } from '../support/app.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

const password = 'smtp-secret-of-the-test'

describe.skipIf(!hasBrowser)('integrations in the dashboard', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let sink: SmtpSink
    let page: Page
    const pageErrors: string[] = []

    beforeAll(async () => {
      app = await open()
      sink = await startSmtpSink()
      browser = await openBrowser()
      page = await newPage(app.apiKey)
    })
    afterAll(async () => {
      await browser?.close()
      await sink?.close()
    })

    async function newPage(key: string): Promise<Page> {
      const fresh = await (await signedIn(browser, app.url, key)).newPage()
      fresh.setDefaultTimeout(20_000)
      // An ended session is an answer that the browser reports, too.
      pageErrorsOf(fresh, (text) => text.includes('401'), pageErrors)
      await fresh.goto(`${app.url}/app/integrations`)
      await fresh.getByRole('heading', { level: 1, name: 'Integrations' }).waitFor()
      return fresh
    }
    const signIn = async (at: Page, key: string) => {
      await at.getByLabel('API key').fill(key)
      await at.getByRole('button', { name: 'Sign in' }).click()
    }
    const keyOfRole = async (role: KeyRole) => (await app.client.keys.create({ name: role, role })).key
    const titlesInOrder = (at: Page) =>
      at.locator('section', { hasText: 'Email' }).locator('li[data-turn="tried"] a').allTextContents()

    test('settings that cannot sign in are not added, and no message goes to them', async () => {
      const before = (await app.client.providers.list()).results.length
      await page.goto(`${app.url}/app/integrations?tab=catalog&add=smtp`)
      await page.locator('input[name=host]').fill('127.0.0.1')
      await page.locator('input[name=port]').fill('9')
      await page.locator('input[name=fromAddress]').fill('news@example.com')
      expect(await page.locator('input[name=dkimDomain]').count()).toBe(0)
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      await page.locator('[data-test-result="fail"]').waitFor()
      expect((await app.client.providers.list()).results.length).toBe(before)
      await page.getByRole('button', { name: 'Add it switched off' }).click()
      await page.getByRole('heading', { level: 1, name: 'SMTP' }).waitFor()
      const [off] = (await app.client.providers.list()).results.filter(({ title }) => title === 'SMTP')
      expect(off?.enabled).toBe(false)
      // Its page reads it again and again.
      await page.goto(`${app.url}/app/integrations`)
      await app.client.providers.delete(off?.id ?? '')
    })

    test('an integration is added by the form of its provider, and its secret is not shown again', async () => {
      await page.getByRole('button', { name: 'Add integration' }).click()
      await page.getByLabel('Search', { exact: true }).fill('smtp')
      await page.getByRole('link', { name: /^SMTP/ }).click()
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      expect(await page.getByText('This setting is required.').count()).toBe(2)
      await page.getByLabel('Name', { exact: true }).fill('First mail')
      await page.getByLabel('Host', { exact: false }).first().fill('127.0.0.1')
      await page.locator('input[name=fromAddress]').fill('news@example.com')
      await page.locator('input[name=port]').fill(String(sink.port))
      await page.locator('select[name=security]').selectOption('opportunistic')
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      await page.getByRole('heading', { level: 1, name: 'First mail' }).waitFor()
      const [integration] = (await app.client.providers.list()).results.filter(({ title }) => title === 'First mail')
      expect(integration?.settings).toMatchObject({ host: '127.0.0.1', port: sink.port })
    })

    test('a test signs in, sends one message, and says how it went', async () => {
      await page.getByRole('button', { name: 'Test the sign-in' }).click()
      await page.locator('[data-test-result="ok"]').waitFor()
      await page.getByLabel('Send to').fill('ada@example.com')
      await page.getByLabel('Subject or title').fill('From the dashboard')
      await page.getByRole('button', { name: 'Send test message' }).click()
      await page.locator('[data-test-message="sent"]').waitFor()
      await sink.waitFor(({ parsed }) => parsed.subject === 'From the dashboard')
    })

    test('the order on the page is the order of failover, and a simulated outage shows who takes over', async () => {
      const down = { host: '127.0.0.1', port: 9, security: 'opportunistic', user: 'post', password } as const
      const settings = { ...down, fromAddress: 'second@example.com' }
      await app.client.providers.create({ provider: 'smtp', title: 'Second mail', priority: 20, settings })
      await app.client.profiles.merge('ada', { profile: { email: 'ada@example.com' } })
      await page.goto(`${app.url}/app/integrations`)
      await page.getByRole('button', { name: 'Try Second mail earlier' }).click()
      await page.getByText('Second mail was moved.').waitFor()
      await expect.poll(() => titlesInOrder(page)).toEqual(['Second mail', 'First mail'])
      const { status, providers } = await sendAndSettle(app.client, { event: 'welcome', recipient: 'ada' })
      expect([status === 'SENT' || status === 'DELIVERED', providers.length > 0]).toEqual([true, true])

      await page.getByRole('tab', { name: 'Simulate an outage' }).click()
      await page.getByLabel('Template or event').fill('welcome')
      await page.getByLabel('Recipient').fill('ada')
      await page.getByRole('button', { name: 'Show the routing' }).click()
      await page.getByLabel('Second mail').check()
      const during = page.locator('section', { hasText: 'During the outage' })
      await during.locator('li', { hasText: 'Second mail' }).getByText('down').waitFor()
      await during.locator('li', { hasText: 'First mail' }).getByText('takes over').waitFor()
    })

    test('a new one is placed and limited before messages go to it, and it is said where it is tried', async () => {
      await page.goto(`${app.url}/app/integrations?tab=catalog&add=smtp`)
      await page.getByLabel('Name', { exact: true }).fill('Third mail')
      await page.locator('input[name=host]').fill('127.0.0.1')
      await page.locator('input[name=port]').fill(String(sink.port))
      await page.locator('select[name=security]').selectOption('opportunistic')
      await page.locator('input[name=fromAddress]').fill('third@example.com')
      const place = page.getByLabel('Tried for Email')
      expect(await place.locator('option').allTextContents()).toEqual([
        'First, then Second mail',
        'After Second mail, before First mail',
        'Last, after First mail',
      ])
      expect(await place.locator('option:checked').textContent()).toBe('Last, after First mail')
      await place.selectOption('First, then Second mail')
      await page.getByLabel('Calls per day (UTC)').fill('5')
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      await page.getByText('Third mail was added. It is tried first, before Second mail.').waitFor()
      await page.goto(`${app.url}/app/integrations`)
      await expect.poll(() => titlesInOrder(page)).toEqual(['Third mail', 'Second mail', 'First mail'])
      const third = (await app.client.providers.list()).results.find(({ title }) => title === 'Third mail')
      expect(third?.limits).toEqual({ per_day: 5 })
      // The list reads the health of each again and again.
      await page.goto(`${app.url}/app/keys`)
      await app.client.providers.delete(third?.id ?? '')
    })

    test('the focus stays at the arrows, also where one comes to its end', async () => {
      await page.goto(`${app.url}/app/integrations`)
      const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')")
      await page.getByRole('button', { name: 'Try First mail earlier' }).press('Enter')
      await expect.poll(() => titlesInOrder(page)).toEqual(['First mail', 'Second mail'])
      await expect.poll(focused).toBe('Try First mail later')
      await page.keyboard.press('Enter')
      await expect.poll(() => titlesInOrder(page)).toEqual(['Second mail', 'First mail'])
      await expect.poll(focused).toBe('Try First mail earlier')
    })

    test('a stored secret is only said to be set', async () => {
      await page.goto(`${app.url}/app/integrations`)
      await page.getByRole('link', { name: 'Second mail' }).first().click()
      await page.getByRole('tab', { name: 'Settings' }).click()
      await page.getByRole('button', { name: 'Replace: Password' }).waitFor()
      expect(await page.content()).not.toContain(password)
    })

    test('an editor and a viewer see integrations and are offered no change', async () => {
      for (const role of ['editor', 'viewer'] as const) {
        const other = await newPage(await keyOfRole(role))
        await other.getByRole('link', { name: 'First mail' }).first().waitFor()
        expect(await other.getByRole('button', { name: /^(Add integration|Try )/ }).count()).toBe(0)
        await other.getByRole('link', { name: 'First mail' }).first().click()
        await other.getByRole('tab', { name: 'Settings' }).click()
        expect(await other.locator('input[name=host]').isDisabled()).toBe(true)
        await other.context().close()
      }
    })

    test('an open circuit breaker is counted in the rail of every screen, and on a phone', async () => {
      const recorder = await startRecorder()
      recorder.answer(() => true, { status: 401, body: { message: 'Authenticate' } })
      const settings = { accountSid: 'AC1', authToken: 'wrong', from: '+12025550100', baseUrl: recorder.url }
      const sms = await app.client.providers.create({ provider: 'twilio', title: 'Texts', settings })
      const other = await newPage(app.apiKey)
      try {
        await other.goto(`${app.url}/app/lists`)
        await other.getByRole('heading', { level: 1, name: 'Lists' }).waitFor()
        const rail = other.getByRole('navigation', { name: 'Navigation' })
        await rail.getByRole('link', { name: 'Integrations', exact: true }).waitFor()

        const message = { to: { phone_number: '+12025550143' }, content: { body: 'Hello' } }
        await app.client.send({ message: { ...message, routing: { method: 'single', channels: ['sms'] } } })
        const failing = rail.getByRole('link', { name: 'Integrations 1 integration is failing' })
        await failing.waitFor()
        await other.setViewportSize({ width: 390, height: 844 })
        await other.getByRole('button', { name: 'All screens 1 integration is failing' }).click()
        await failing.click()
        await other.getByRole('link', { name: 'Texts', exact: true }).waitFor()
        await other.setViewportSize({ width: 1400, height: 900 })

        // Nothing reads its health there any more.
        await rail.getByRole('link', { name: 'Recipients' }).click()
        await other.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
        await app.client.providers.delete(sms.id)
        await failing.waitFor({ state: 'detached' })
      } finally {
        await other.context().close()
        await recorder.close()
      }
    })

    test('a session that is revoked while typing loses nothing', async () => {
      const key = await keyOfRole('full')
      const other = await newPage(key)
      await other.goto(`${app.url}/app/integrations?tab=catalog&add=smtp`)
      await other.locator('input[name=host]').fill('typed.example.com')
      await other.locator('input[name=fromAddress]').fill('typed@example.com')
      for (const session of (await app.client.sessions.list()).results)
        if (session.key.name === 'full') await app.client.sessions.revoke(session.id)
      await other.getByRole('button', { name: 'Test and add SMTP' }).click()
      await other.getByText('Your session has ended.').waitFor()
      await signIn(other, key)
      await other.getByText('Your session has ended.').waitFor({ state: 'hidden' })
      expect(await other.locator('input[name=host]').inputValue()).toBe('typed.example.com')
      await other.getByRole('button', { name: 'Add it switched off' }).click()
      await other.getByRole('heading', { level: 1, name: 'SMTP' }).waitFor()
      await other.context().close()
    })

    test('a new key is shown once, works, and is refused once revoked', async () => {
      await page.goto(`${app.url}/app/keys`)
      await page.getByRole('button', { name: 'Create API key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('support')
      await dialog.getByLabel('Expires').selectOption('In 7 days')
      await dialog.getByRole('button', { name: 'Create API key' }).click()
      const key = (await page.getByRole('region', { name: 'The key support' }).textContent()) ?? ''
      const holder = new Postrider({ baseUrl: app.url, apiKey: key, retries: 0 })
      expect(await holder.sessions.identity()).toMatchObject({ role: 'viewer', key: { name: 'support' } })
      await page.getByRole('button', { name: 'I have stored it' }).click()
      // A week is less than the two before which the page warns.
      await page.getByText('support expires within 14 days').waitFor()
      const row = page.getByRole('row').filter({ hasText: 'support' })
      expect(await row.textContent()).toContain('in 7 days')
      await until(
        () => app.client.keys.list(),
        ({ results }) => results.some(({ name, last_used }) => name === 'support' && last_used !== null),
      )
      await page.reload()
      await row.getByText(`${new Date().toISOString().slice(0, 10)} · 127.0.0.1`).waitFor()
      await page.getByRole('button', { name: 'Revoke the key support' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key support' }).click()
      await page.getByText('The key support was revoked.').waitFor()
      await expect(holder.sessions.identity()).rejects.toMatchObject({ status: 401 })
      expect(await page.content()).not.toContain(key)
    })

    test('the audit log names the change and its key; the pages reported no error', async () => {
      await page.goto(`${app.url}/app/audit`)
      await page.getByText('key:revoked').first().waitFor()
      await page.getByRole('combobox', { name: 'Kind of record' }).click()
      await page.getByRole('option', { name: 'Integrations' }).click()
      await page.getByText('integration:created').first().waitFor()
      expect(new URL(page.url()).searchParams.get('kind')).toBe('integration')
      await page.getByText('key:revoked').first().waitFor({ state: 'detached' })
      await page.goto(`${app.url}/app/audit?kind=key&source=dashboard`)
      await page.getByText('key:revoked').first().waitFor()
      expect(await page.getByText('integration:created').count()).toBe(0)
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByText('integration:created').first().waitFor()
      expect(pageErrors).toEqual([])
    })
  })
})
