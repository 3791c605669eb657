/** The list of integrations and its first line say what carries messages now, what does not and why, and what that cost. */
import type { Integration } from '@postrider/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until, untilTime } from '../support/until.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'
import { takePictures } from './pictures.ts'

const user = 'post'
const password = 'right-password'

describe.skipIf(!hasBrowser)('the integrations that carry messages', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let sink: SmtpSink
    let page: Page
    let pageErrors: string[]
    let created: Integration[] = []

    beforeAll(async () => {
      app = await open()
      sink = await startSmtpSink({ user, password })
      browser = await openBrowser()
      page = await (await signedIn(browser, app.url, app.apiKey)).newPage()
      page.setDefaultTimeout(20_000)
      pageErrors = pageErrorsOf(page, () => false)
    })
    afterEach(async () => {
      // The page must not read what is gone.
      await page.goto(`${app.url}/app/lists`)
      for (const { id } of created) await app.client.providers.delete(id)
      created = []
    })
    afterAll(async () => {
      await browser?.close()
      await sink?.close()
    })

    const settingsWith = (secret: string) => ({
      ...{ host: '127.0.0.1', port: sink.port, security: 'opportunistic' as const, user, password: secret },
      fromAddress: 'news@example.com',
    })
    async function create(
      title: string,
      secret = password,
      more: { priority?: number; weight?: number; limits?: Integration['limits'] } = {},
    ) {
      const settings = settingsWith(secret)
      const integration = await app.client.providers.create({ provider: 'smtp', title, settings, ...more })
      created.push(integration)
      return integration
    }
    const send = async (recipient: string) =>
      (
        await app.client.send({
          message: {
            to: { user_id: recipient, email: `${recipient}@example.com` },
            content: { title: 'Hello', body: 'Hello' },
            routing: { method: 'single', channels: ['email'] },
          },
        })
      ).requestId
    const openList = async () => {
      await page.goto(`${app.url}/app/integrations`)
      await page.locator('li[data-integration]').first().waitFor()
    }
    const sentence = () => page.locator('header p').first()
    const row = ({ id }: Integration) => page.locator(`li[data-integration="${id}"]`)
    const textOf = async (integration: Integration) => (await row(integration).textContent()) ?? ''
    const picture = (name: string) => takePictures(page, name)

    test('those with a weight share a turn behind the one that comes first, which carries the messages', async () => {
      const first = await create('Company mail')
      const shared = [
        await create('Weighted one', password, { priority: 10, weight: 50 }),
        await create('Weighted two', password, { priority: 20, weight: 60 }),
      ]
      for (const id of await Promise.all(['one', 'two', 'three', 'four'].map(send))) {
        const { providers } = await settled(app.client, id)
        expect(providers.map(({ integration }) => integration)).toEqual([first.id])
      }
      await openList()
      await sentence().getByText('Email goes by Company mail, then Weighted one or Weighted two').waitFor()
      expect(await textOf(first)).toMatch(/^1/)
      for (const integration of shared) expect(await textOf(integration)).toMatch(/^2/)
      await row(shared[1]!).getByText('first for 60 of 110 messages').waitFor()
      await picture('weights')
    })

    test('when the calls of a day are used up, the next one is said to take over, and without one what waits', async () => {
      const first = await create('Company mail', password, { limits: { per_day: 2 } })
      for (const recipient of ['one', 'two']) await settled(app.client, await send(recipient))
      const waiting = await send('three')
      await until(
        () => app.client.messages.get(waiting),
        ({ retry }) => retry !== undefined,
      )
      await openList()
      await sentence().getByText('Nothing carries Email now: Company mail is not called').waitFor()
      await sentence().getByText('Company mail has reached its limit of today, 2 calls, until 00:00 UTC').waitFor()
      await sentence().getByText('1 message waits for its next attempt').waitFor()
      expect(await sentence().textContent()).not.toContain('None of them is failing')
      for (const text of ['Limit of today reached', 'Until 00:00 UTC,', 'Change the limit of Company mail'])
        await row(first).getByText(text).waitFor()
      await picture('limit')

      const second = await create('Second mail', password, { priority: 10 })
      await openList()
      await sentence().getByText('Email now goes by Second mail, instead of Company mail').waitFor()
      await row(second).getByText('Takes over for Company mail').waitFor()
    })

    test('messages that a wrong password cost are counted, linked, and still named after the repair', async () => {
      const broken = await create('Company mail', 'wrong-password')
      for (const id of await Promise.all(['one', 'two', 'three'].map(send)))
        expect((await settled(app.client, id)).status).toBe('UNDELIVERABLE')
      const second = await create('Second mail', password, { priority: 10 })
      await openList()
      await sentence().getByText('Email now goes by Second mail, instead of Company mail').waitFor()
      await sentence().getByText('Company mail has been failing since').waitFor()
      await expect
        .poll(() => sentence().textContent())
        .toMatch(/the provider refuses its credentials; 3 messages failed.*\. Repair Company mail\./)
      await expect.poll(() => textOf(second)).toMatch(/Takes over for Company mail since \d/)
      await expect.poll(() => textOf(broken)).toMatch(/Since \d[^:]*:\d.*: the provider refuses its credentials/)
      await picture('lost')
      await row(broken).getByRole('link', { name: '3 messages failed since' }).click()
      await page.getByRole('row', { name: 'Undeliverable' }).nth(2).waitFor()
      expect(await page.getByRole('row', { name: 'Undeliverable' }).count()).toBe(3)

      await app.client.providers.update(broken.id, { provider: 'smtp', settings: { password } })
      await settled(app.client, await send('after'))
      await page.goto(`${app.url}/app/integrations/${broken.id}`)
      const note = page.locator('[data-lost="3"]')
      await note.getByText('3 messages failed while it did not work').waitFor()
      await picture('lost-after-repair')
      await note.getByRole('link', { name: 'See and replay them' }).click()
      await page.getByRole('row', { name: 'Undeliverable' }).nth(2).waitFor()
    })

    test('once its wait is over, nothing is said to probe: the next message does', async () => {
      const broken = await create('Company mail', 'wrong-password')
      await settled(app.client, await send('one'))
      const { circuit_breaker: breaker } = await app.client.providers.get(broken.id)
      await untilTime((breaker?.next_probe ?? 0) + 1)
      await openList()
      await row(broken).getByText('Failed: the next message tries it').waitFor()
      await sentence().getByText('the next message tries it again').waitFor()
      expect(await page.getByText('Next probe').count()).toBe(0)
      await row(broken).getByRole('link', { name: 'Company mail', exact: true }).click()
      await page.getByText('The next message tries it again.').waitFor()
    })

    test('held messages are counted beyond a page, at each integration and together', async () => {
      await app.client.settings.update({ hold_misconfigured: true })
      const both = [await create('Company mail', 'wrong-password'), await create('Second mail', 'wrong-password')]
      // The creation counts as a repair of what is tried within two seconds of it.
      await untilTime(both[1]!.created + 2_500)
      for (let index = 0; index < 107; index += 1) await send(`held-${index}`)
      await until(
        () => app.client.metrics.summary({ window: '1h' }),
        (summary) => summary.held === 107,
      )
      await openList()
      await expect
        .poll(() => sentence().textContent())
        .toMatch(
          /Company mail has .*; 107 messages are held.* Second mail has .*; 107 messages are held.*\. 107 messages are held in all\./,
        )
      await picture('held')
      await app.client.settings.update({ hold_misconfigured: false })
    })

    test('the first of many are named and the others counted; a phone has a few lines for each', async () => {
      for (let index = 1; index <= 12; index += 1) await create(`Mail ${index}`, password, { priority: index * 10 })
      await openList()
      await sentence().getByText('Email goes by Mail 1, then Mail 2, then Mail 3, and 9 more').waitFor()
      await page.setViewportSize({ width: 400, height: 850 })
      const highest = () =>
        page
          .locator('li[data-turn="tried"]', { hasText: 'smtp' })
          .evaluateAll((rows) => Math.max(...rows.map((each) => each.getBoundingClientRect().height)))
      await expect.poll(highest).toBeLessThan(72)
      await picture('many')
      expect(pageErrors).toEqual([])
    })
  })
})
