/** A failing integration in the dashboard: said in the first line, signed in to before it is changed, repaired; and a failover whose figures are those of its messages. */
import type { Integration } from '@postrider/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until, untilTime } from '../support/until.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'
import { takePictures } from './pictures.ts'

const user = 'post'
const password = 'right-password'
const wrong = 'wrong-password'
const HELD = 5

describe.skipIf(!hasBrowser)('the repair of an integration in the dashboard', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let sink: SmtpSink
    let page: Page
    let pageErrors: string[]

    beforeAll(async () => {
      app = await open()
      sink = await startSmtpSink({ user, password })
      browser = await openBrowser()
      page = await (await signedIn(browser, app.url, app.apiKey)).newPage()
      page.setDefaultTimeout(20_000)
      pageErrors = pageErrorsOf(page, (text) => text.includes('400'))
    })
    afterAll(async () => {
      await browser?.close()
      await sink?.close()
    })

    const settingsWith = (secret: string, port = sink.port) => ({
      ...{ host: '127.0.0.1', port, security: 'opportunistic' as const, user, password: secret },
      fromAddress: 'news@example.com',
    })
    const create = (title: string, secret: string, more: { enabled?: boolean; priority?: number } = {}) =>
      app.client.providers.create({ provider: 'smtp', title, settings: settingsWith(secret), ...more })
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
    const isOn = async ({ id }: Integration) => (await app.client.providers.get(id)).enabled
    const openSettings = async ({ id }: Integration) => {
      await page.goto(`${app.url}/app/integrations/${id}?tab=settings`)
      await page.locator('input[name=host]').waitFor()
    }
    const focused = async () => await page.evaluate('document.activeElement.textContent')
    const save = () => page.getByRole('button', { name: 'Test and save settings' }).click()
    const sentence = () => page.locator('header p').first()
    const picture = (name: string) => takePictures(page, name)

    test('messages are to be held until a repair: switched on, off after a confirmation, and on again', async () => {
      const old = await create('Spare mail', wrong, { enabled: false })
      const isHoldOn = async () => (await app.client.settings.get()).hold_misconfigured
      await page.goto(`${app.url}/app/integrations`)
      const hold = page.getByRole('switch', { name: 'Hold the messages until the repair' })
      await hold.click({ force: true })
      await page.getByText('Messages are held from now on.').waitFor()
      expect(await isHoldOn()).toBe(true)
      await hold.click({ force: true })
      await page.getByRole('dialog').getByText('tried once more, and then fail').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click()
      expect(await isHoldOn()).toBe(true)
      await hold.click({ force: true })
      await page.getByRole('dialog').getByRole('button', { name: 'Let messages fail' }).click()
      await page.getByText('Messages fail from now on.').waitFor()
      expect(await isHoldOn()).toBe(false)
      await hold.click({ force: true })
      await expect.poll(isHoldOn).toBe(true)
      await app.client.providers.delete(old.id)
    })

    test('the first line says by what each channel goes, what fails since when, and what is held, with the repair', async () => {
      const broken = await create('Old mail', wrong, { priority: 5 })
      // Its creation counts as a repair of what is tried within two seconds of it.
      await untilTime(broken.created + 2_500)
      const ids = await Promise.all(Array.from({ length: HELD }, (_, index) => send(`held-${index}`)))
      for (const id of ids)
        await until(
          () => app.client.messages.get(id),
          ({ status }) => status === 'HELD',
        )
      await page.goto(`${app.url}/app/integrations`)
      await sentence().getByText('Old mail has been failing since').waitFor()
      await expect
        .poll(() => sentence().textContent())
        .toMatch(
          /^Nothing carries Email now: Old mail is not called; .*stay in the mailbox\. Old mail has been failing since .*: the provider refuses its credentials; 5 messages are held.*\. Repair Old mail\./,
        )
      const row = page.locator(`li[data-integration="${broken.id}"]`)
      for (const text of [/Next probe:|the next message tries/, '535', '5 messages are held', 'calls in 24 hours'])
        await row.getByText(text).first().waitFor()
      await picture('list-failing')
    })

    test('its repair begins with the words of the provider at the password, which is focused, and the held messages', async () => {
      await sentence().getByRole('link', { name: 'Repair Old mail' }).click()
      const note = page.locator('[data-repair="authentication"]')
      for (const text of ['the provider refuses its credentials', '535 Wrong user or password', '5 messages are held'])
        await note.getByText(text).first().waitFor()
      await note.getByText('held messages are tried again by themselves').waitFor()
      await page.locator('input[name=password]:focus').waitFor()
      expect(await page.locator('form [id$="-error"]').allTextContents()).toEqual([
        expect.stringContaining('535 Wrong user or password'),
      ])
      await picture('repair')
      // Nothing was entered: the stored one stays.
      await page.locator('input[name=fromName]').fill('Typed')
      await save()
      await page.locator('[data-test-result="fail"]').getByText('535 Wrong user or password').waitFor()
      await page.locator('input[name=fromName]').fill('')
    })

    test('an integration with a wrong password is not added; once it is right, held messages leave by themselves', async () => {
      await page.goto(`${app.url}/app/integrations?tab=catalog&add=smtp`)
      await page.getByLabel('Name', { exact: true }).fill('New mail')
      await page.locator('input[name=host]').fill('127.0.0.1')
      await page.locator('input[name=port]').fill(String(sink.port))
      await page.locator('select[name=security]').selectOption('opportunistic')
      await page.locator('input[name=user]').fill(user)
      await page.locator('input[name=password]').fill(wrong)
      await page.locator('input[name=fromAddress]').fill('news@example.com')
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      const outcome = page.locator('[data-test-result="fail"]')
      await outcome.getByText('535 Wrong user or password').waitFor()
      await outcome.getByText('Correct User and Password').waitFor()
      for (const name of ['user', 'password'])
        await page.locator(`.mantine-InputWrapper-root:has(input[name=${name}]) [id$="-error"]`).waitFor()
      expect(await page.locator('form [id$="-error"]').count()).toBe(2)
      await picture('add-rejected')
      expect((await app.client.providers.list()).results.map(({ title }) => title)).not.toContain('New mail')

      await page.locator('input[name=password]').fill(password)
      expect(await page.locator('form [id$="-error"]').count()).toBe(1)
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      await page.getByRole('heading', { level: 1, name: 'New mail' }).waitFor()
      await page.getByText('New mail was added. It is tried after Old mail.').waitFor()
      await page.getByText('In use').waitFor()
      await until(
        async () => sink.all.length,
        (count) => count === HELD,
      )
      expect(new Set(sink.all.flatMap(({ to }) => to)).size).toBe(HELD)
      await page.goto(`${app.url}/app/integrations`)
      await expect.poll(() => sentence().textContent()).not.toContain('held')
    })

    test('a wrong password is not saved, unless anyway; a right one is, and the error is said to be over', async () => {
      const { results } = await app.client.providers.list()
      const broken = results.find(({ title }) => title === 'Old mail')!
      await openSettings(broken)
      await page.locator('input[name=password]:focus').fill('still-wrong')
      await save()
      await page.locator('[data-test-result="fail"]').getByText('535 Wrong user or password').waitFor()
      await page.getByText('Nothing was saved.').waitFor()
      await page.getByRole('button', { name: 'Save anyway' }).waitFor()
      expect((await app.client.providers.get(broken.id)).updated).toBe(broken.updated)
      await picture('settings-rejected')

      await page.locator('input[name=password]').fill(password)
      await save()
      await page.getByText('The settings are saved').waitFor()
      await page.getByRole('button', { name: 'Replace: Password' }).waitFor()
      await expect.poll(focused).toBe('Test and save settings')
      await page.getByRole('button', { name: 'Replace: Password' }).click()
      await page.locator('input[name=password]:focus').waitFor()
      await page.getByRole('button', { name: 'Keep the stored one' }).click()
      await expect.poll(focused).toBe('Replace')
      await page.getByRole('tab', { name: 'Health' }).click()
      await page.locator('[data-error="changed"]').waitFor()
      const newMail = results.find(({ title }) => title === 'New mail')!
      await app.client.providers.update(newMail.id, { provider: 'smtp', enabled: false })
      await settled(app.client, await send('after-repair'))
      await page.reload()
      await page.locator('[data-error="over"]').getByText('It works again.').waitFor()
      await picture('health-repaired')
    })

    test('an integration whose sign-in fails is not switched on, unless anyway', async () => {
      const off = await create('Spare mail', wrong, { enabled: false })
      await page.goto(`${app.url}/app/integrations/${off.id}`)
      await page.getByRole('button', { name: 'Switch on' }).click()
      await page.locator('[data-test-result="fail"]').getByText('535 Wrong user or password').waitFor()
      await page.getByText('Spare mail is still switched off').waitFor()
      expect(await focused()).toBe('Switch on')
      expect(await isOn(off)).toBe(false)
      await picture('switch-on-rejected')
      await page.getByRole('button', { name: 'Switch on anyway' }).click()
      await page.getByText('Spare mail is switched on.').waitFor()
      expect(await isOn(off)).toBe(true)
      await page.getByRole('button', { name: 'Switch off' }).click()
      await page.getByText('Spare mail is switched off.').waitFor()

      await app.client.providers.update(off.id, { provider: 'smtp', settings: settingsWith(password) })
      await page.getByRole('button', { name: 'Switch on' }).click()
      await expect.poll(() => isOn(off)).toBe(true)
      expect(await page.locator('[data-test-result="fail"]').count()).toBe(0)
      await app.client.providers.delete(off.id)
    })

    test('a server that does not encrypt has Security and Port marked, and the focus', async () => {
      await page.goto(`${app.url}/app/integrations?tab=catalog&add=smtp`)
      await page.locator('input[name=host]').fill('127.0.0.1')
      await page.locator('input[name=port]').fill(String(sink.port))
      await page.locator('input[name=fromAddress]').fill('news@example.com')
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      await page.locator('[data-test-result="fail"]').getByText('Correct Security or Port.').waitFor()
      for (const field of ['select[name=security]', 'input[name=port]'])
        await page.locator(`.mantine-InputWrapper-root:has(${field}) [id$="-error"]`).waitFor()
      await page.locator('select[name=security]:focus').waitFor()
      await picture('add-not-encrypted')
      await page.goto(`${app.url}/app/integrations`)
    })

    test('a failure that is about no field leaves the focus at the button', async () => {
      await page.goto(`${app.url}/app/integrations?tab=catalog&add=smtp`)
      await page.locator('input[name=host]').fill('169.254.169.254')
      await page.locator('input[name=fromAddress]').fill('news@example.com')
      await page.getByRole('button', { name: 'Test and add SMTP' }).click()
      await page.locator('[data-test-result="fail"]').waitFor()
      await expect.poll(focused).toBe('Test and add SMTP')
      await page.goto(`${app.url}/app/integrations`)
    })

    test('a deletion names the integration that takes over, and says when that one is not called', async () => {
      const { results } = await app.client.providers.list()
      const of = (title: string) => results.find((each) => each.title === title)!
      const question = page.getByRole('dialog', { name: 'Delete Old mail' })
      const openQuestion = async () => {
        await page.goto(`${app.url}/app/integrations/${of('Old mail').id}`)
        await page.getByRole('button', { name: 'More actions' }).click()
        await page.getByRole('menuitem', { name: 'Delete Old mail' }).click()
      }
      await app.client.providers.update(of('New mail').id, { provider: 'smtp', enabled: true })
      await openQuestion()
      await question.getByText('Email goes by New mail from then on.').waitFor()
      expect(await question.getByText('is not called now').count()).toBe(0)
    })

    test('the last integration of a channel is switched off only after a word of what that does', async () => {
      const settings = { accountSid: 'AC1', authToken: 'token', from: '+12025550100' }
      const texts = await app.client.providers.create({ provider: 'twilio', title: 'Texts', settings })
      await page.goto(`${app.url}/app/integrations/${texts.id}`)
      await page.getByRole('button', { name: 'Switch off' }).click()
      const question = page.getByRole('dialog', { name: 'Switch off Texts' })
      await question.getByText('Nothing else delivers SMS then').waitFor()
      await question.getByRole('button', { name: 'Go back' }).click()
      expect(await isOn(texts)).toBe(true)
      await page.getByRole('button', { name: 'Switch off' }).click()
      await question.getByRole('button', { name: 'Switch off Texts' }).click()
      await page.getByText('Texts is switched off.').waitFor()
      expect(await isOn(texts)).toBe(false)
      await app.client.providers.delete(texts.id)
    })

    test('typed settings stay while another tab is open, and are left only after a question', async () => {
      const { results } = await app.client.providers.list()
      const integration = results.find(({ title }) => title === 'Old mail')!
      await openSettings(integration)
      await page.locator('input[name=fromName]').fill('Typed')
      await page.getByRole('tab', { name: 'Health' }).click()
      await page.getByText('Answered', { exact: true }).first().waitFor()
      await page.getByRole('tab', { name: 'Settings' }).click()
      expect(await page.locator('input[name=fromName]').inputValue()).toBe('Typed')

      const rail = page.getByRole('navigation', { name: 'Navigation' })
      await rail.getByRole('link', { name: 'Start' }).click()
      const question = page.getByRole('dialog', { name: 'Leave without saving?' })
      await question.getByRole('button', { name: 'Go back' }).click()
      expect(await page.locator('input[name=fromName]').inputValue()).toBe('Typed')
      await rail.getByRole('link', { name: 'Start' }).click()
      await question.getByRole('button', { name: 'Leave and discard changes' }).click()
      await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    })

    test('an error of a setting stands at its field', async () => {
      const { results } = await app.client.providers.list()
      await openSettings(results.find(({ title }) => title === 'Old mail')!)
      await page.locator('input[name=user]').fill('u'.repeat(321))
      await save()
      const field = page.locator('input[name=user][aria-invalid="true"]')
      await field.waitFor()
      const description = (await field.getAttribute('aria-describedby')) ?? ''
      const errorId = description.split(' ').find((id) => id.endsWith('error')) ?? ''
      expect(await page.locator(`[id="${errorId}"]`).textContent()).toBe('Must have at most 320 characters')
      expect(await page.locator('input[name=user]:focus').count()).toBe(1)
      expect(await page.getByText('Nothing was changed').count()).toBe(0)
      await picture('field-error')
      await page.locator('input[name=user]').fill(user)
      expect(await page.locator('input[name=user][aria-invalid="true"]').count()).toBe(0)
      expect(pageErrors).toEqual([])
    })
  })
})

describe.skipIf(!hasBrowser)('a failover on the page', () => {
  withApp((open) => {
    test('health, counts and breaker of both integrations are those of the messages', async () => {
      const app = await open()
      const sinks = [await startSmtpSink(), await startSmtpSink()]
      const browser = await openBrowser()
      try {
        const [first, second] = await Promise.all(
          sinks.map(({ port }, priority) =>
            app.client.providers.create({
              ...{ provider: 'smtp', title: priority === 0 ? 'Main mail' : 'Backup mail', priority },
              settings: { host: '127.0.0.1', port, security: 'opportunistic', fromAddress: 'news@example.com' },
            }),
          ),
        )
        const send = async (index: number) =>
          (
            await app.client.send({
              message: {
                to: { email: `u${index}@example.com` },
                content: { title: 'Load', body: 'Load' },
                routing: { method: 'single', channels: ['email'] },
              },
            })
          ).requestId
        const ids: string[] = []
        for (let index = 0; index < 120; index += 10) {
          ids.push(...(await Promise.all(Array.from({ length: 10 }, (_, part) => send(index + part)))))
          // In the middle of the load the first provider is killed.
          if (index === 50) {
            await until(
              async () => sinks[0]!.all.length,
              (count) => count > 0,
            )
            await sinks[0]!.close()
          }
        }
        const messages = await Promise.all(ids.map((id) => settled(app.client, id)))
        expect(messages.every(({ status }) => status === 'SENT' || status === 'DELIVERED')).toBe(true)
        const attemptsAt = (id: string | undefined) =>
          messages
            .flatMap(({ providers }) => providers)
            .reduce((sum, { integration, attempts = 0 }) => (integration === id ? sum + attempts : sum), 0)
        const sentBy = (id: string | undefined) =>
          messages
            .flatMap(({ providers }) => providers)
            .filter(({ integration, sent }) => integration === id && sent !== undefined).length
        expect(attemptsAt(first?.id)).toBeGreaterThan(sentBy(first?.id))
        expect(sentBy(first?.id) + sentBy(second?.id)).toBe(ids.length)

        const page = await (await signedIn(browser, app.url, app.apiKey)).newPage()
        page.setDefaultTimeout(20_000)
        await page.goto(`${app.url}/app/integrations`)
        await page.getByText('Email now goes by Backup mail, instead of Main mail').waitFor()
        await page.getByText('Main mail has been failing since').waitFor()
        for (const integration of [first, second]) {
          const id = integration?.id ?? ''
          const row = page.locator(`li[data-integration="${id}"]`).first()
          await row.getByText(`${attemptsAt(id)} calls in 24 hours`).waitFor()
          await row
            .getByText(id === first?.id ? /^(Not called: calls failed|Failed: the next message tries it)$/ : 'In use')
            .waitFor()
        }
        if (process.env.POSTRIDER_TEST_PICTURES)
          await page.screenshot({ path: `${process.env.POSTRIDER_TEST_PICTURES}/failover.png`, fullPage: true })
        for (const integration of [first, second]) {
          const id = integration?.id ?? ''
          await page.goto(`${app.url}/app/integrations/${id}`)
          const figure = page.locator('dl > div', { has: page.getByText('Calls', { exact: true }) }).locator('dd')
          await expect.poll(() => figure.first().textContent()).toBe(String(attemptsAt(id)))
          const accepted = page.locator('section', { hasText: 'Results' }).locator('dl')
          expect(await accepted.first().textContent()).toContain(`Accepted${sentBy(id)}`)
          expect((await app.client.providers.health(id)).circuit_breaker.state).toBe(
            id === first?.id ? 'open' : 'closed',
          )
          await page.getByText(/^It is not called: /).waitFor({
            state: id === first?.id ? 'visible' : 'detached',
          })
        }
      } finally {
        await browser.close()
        await Promise.all(sinks.map((sink) => sink.close()))
      }
    })
  })
})
