/** Automations in the dashboard: simulated, changed, published and run; errors at their step; two tabs; roles. */
import type { AutomationStep } from '@postrider/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

withApp((open) => {
  describe.skipIf(!hasBrowser)('in a browser', () => {
    let app: App
    let browser: Browser
    let context: BrowserContext
    const pageErrors: string[] = []

    beforeAll(async () => {
      app = await open()
      browser = await openBrowser()
      context = await signedIn(browser, app.url, app.apiKey)
      for (const name of ['hello', 'tips'])
        await app.client.notifications.create({
          notification: { name, alias: name, content: { title: `${name} {name}`, body: `Text of ${name}` } as never },
          state: 'PUBLISHED',
        })
      await app.client.profiles.replace('ada', { profile: { email: 'ada@example.com', plan: 'free' } })
    })
    beforeEach(() => {
      pageErrors.length = 0
    })
    afterAll(() => browser?.close())

    async function newPage(path: string, of = context): Promise<Page> {
      const page = await of.newPage()
      page.setDefaultTimeout(15_000)
      // The browser logs the failed check of a draft while it is typed, and a refused publication.
      pageErrorsOf(page, (text) => /40[09] \((?:Bad Request|Conflict)\)/.test(text), pageErrors)
      await page.goto(`${app.url}/app${path}`)
      return page
    }

    const put = (id: string, steps: AutomationStep[]) =>
      app.client.automations.putTemplate(id, { automation: { steps } })
    const stepsOf = async (id: string) => (await app.client.automations.template(id)).automation.steps
    const graph = (page: Page) => page.getByRole('list', { name: 'Steps' })
    const step = (page: Page, text: string) => graph(page).getByRole('button', { name: text })

    test('an automation is simulated, changed, published and run, and the run is counted at its steps', async () => {
      await put('welcome-series', [
        { action: 'send', template: 'hello', ref: 'first' },
        { action: 'delay', duration: '2 days' },
        { action: 'send', template: 'tips', if: 'refs.first.status < MessageStatus.Opened' },
      ])
      const page = await newPage('/automations')
      await page.getByRole('row', { name: /welcome-series/ }).click()
      await page.getByRole('tab', { name: 'Simulation' }).click()
      await page.getByRole('combobox', { name: 'For the user' }).fill('ada')
      await page.getByRole('button', { name: 'Simulate', exact: true }).click()
      const clock = page.getByRole('slider', { name: 'Simulated time' })
      await page.getByRole('heading', { name: '1 run, over after 2 days' }).waitFor()
      await page.getByRole('heading', { name: 'Messages until then: 2' }).waitFor()
      await clock.press('Home')
      await page.getByRole('heading', { name: 'Messages until then: 1' }).waitFor()
      await clock.press('ArrowRight')
      await graph(page).getByText('WAITING').waitFor()
      await page.getByLabel('Result of first').selectOption('OPENED')
      await page.getByRole('button', { name: 'Simulate again' }).click()
      await graph(page).getByText('SKIPPED').waitFor()
      await page.getByRole('heading', { name: 'Messages until then: 1' }).waitFor()

      await page.getByRole('tab', { name: 'Steps' }).click()
      await step(page, 'Wait 2 days').click()
      await page.getByRole('textbox', { name: 'For how long' }).fill('1 second')
      await page.getByText('draft, not published').waitFor()
      expect((await stepsOf('welcome-series'))[1]).toMatchObject({ duration: '2 days' })
      await page.getByRole('tab', { name: 'Simulation' }).click()
      await page.getByRole('heading', { name: /over after 1 sec/ }).waitFor()

      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('1 second').waitFor()
      await dialog.getByRole('button', { name: 'Publish version 2' }).click()
      await page.getByText('version 2 in force').waitFor()
      expect((await stepsOf('welcome-series'))[1]).toMatchObject({ duration: '1 second' })

      await page.getByRole('button', { name: 'Start run' }).click()
      await dialog.getByRole('combobox', { name: 'Recipient' }).fill('ada')
      await dialog.getByRole('button', { name: 'Start run' }).click()
      await page.getByRole('heading', { name: 'Run of welcome-series' }).waitFor()
      await page.getByRole('heading', { name: 'All steps are done' }).waitFor()
      const messages = page.getByRole('grid', { name: 'Messages' })
      await messages.getByText('tips').waitFor()
      await page.getByRole('link', { name: 'welcome-series' }).click()
      await page.getByText('Version 2: 1 run').waitFor()
      await graph(page).getByText('1 PROCESSED').first().waitFor()
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('steps are inserted, moved, deleted and brought back; JSON is in step; an error stands at its step', async () => {
      await put('edited', [{ action: 'send', template: 'hello' }])
      const page = await newPage('/automations/edited')
      await page.getByRole('button', { name: 'Insert a step at 2' }).click()
      await page.getByRole('menuitem', { name: 'Cancel other runs' }).click()
      const second = graph(page).getByRole('listitem').nth(2)
      await second.getByRole('alert').getByText('automation.steps.1.cancelation_token').waitFor()
      await page.getByRole('textbox', { name: 'Token of the runs to cancel' }).fill('order/7')
      await second.getByRole('alert').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Move step 2 up' }).click()
      const json = page.getByRole('textbox', { name: 'Automation as JSON' })
      const written = async () => ((await json.textContent()) ?? '').match(/"action": "[\w-]+"/g)
      await until(written, (actions) => actions?.join() === '"action": "cancel","action": "send"')
      await step(page, 'Send a message hello').click()
      await page.getByRole('button', { name: 'Delete step 2' }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      await step(page, 'Send a message hello').waitFor()
      await json.fill('{"steps": [')
      await page.getByText('Not valid JSON yet').waitFor()
      await json.fill('{"steps": [{"action": "send", "template": "tips", "tempalte": "x"}]}')
      await step(page, 'Send a message tips').waitFor()
      await graph(page).getByRole('alert').getByText('Unknown field `tempalte`').waitFor()
      // A draft is kept in its tab, and is no version before it is published.
      await page.reload()
      await step(page, 'Send a message tips').waitFor()
      expect(await stepsOf('edited')).toEqual([{ action: 'send', template: 'hello' }])
      await page.getByRole('button', { name: 'Discard draft' }).click()
      await step(page, 'Send a message hello').waitFor()
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('a version that others have written in between is shown before a draft replaces it', async () => {
      await put('shared', [{ action: 'send', template: 'hello' }])
      const page = await newPage('/automations/shared?step=0')
      await page.getByRole('combobox', { name: 'Template' }).fill('tips')
      await page.getByText('draft, not published').waitFor()
      await put('shared', [
        { action: 'delay', duration: '3 hours' },
        { action: 'send', template: 'hello' },
      ])
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('alert').getByText('Version 2 was written after your draft began').waitFor()
      await dialog.getByText('3 hours').waitFor()
      // One that comes while the differences are read is not overwritten: they are shown again.
      await put('shared', [
        { action: 'delay', duration: '5 hours' },
        { action: 'send', template: 'hello' },
      ])
      await dialog.getByRole('button', { name: 'Publish version 3' }).click()
      await dialog.getByRole('alert').getByText('Version 3 was written after your draft began').waitFor()
      await dialog.getByText('5 hours').waitFor()
      expect((await stepsOf('shared'))[0]).toMatchObject({ duration: '5 hours' })
      await dialog.getByRole('button', { name: 'Publish version 4' }).click()
      await page.getByText('version 4 in force').waitFor()
      expect(await stepsOf('shared')).toEqual([{ action: 'send', template: 'tips' }])
      await page.getByRole('button', { name: 'Undo' }).click()
      await until(
        () => stepsOf('shared'),
        (steps) => steps.length === 2,
      )
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('a run that waits is canceled after a confirmation, and a failed one says why', async () => {
      await put('slow', [
        { action: 'delay', duration: '1 hour' },
        { action: 'send', template: 'hello' },
      ])
      const { runId } = await app.client.automations.invokeTemplate('slow', { recipient: 'ada' })
      const page = await newPage(`/runs/${runId}`)
      await page.getByRole('button', { name: 'Cancel run' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('2 are left').waitFor()
      await dialog.getByRole('button', { name: 'Cancel run' }).click()
      await page.getByRole('heading', { name: 'It was canceled' }).waitFor()
      expect((await app.client.automations.run(runId)).status).toBe('CANCELED')
      const { runId: failing } = await app.client.automations.invoke({
        automation: { steps: [{ action: 'invoke', template: 'there-is-none' }] },
      })
      await until(
        () => app.client.automations.run(failing),
        ({ status }) => status === 'ERROR',
      )
      await page.goto(`${app.url}/app/automations?tab=runs&status=ERROR`)
      await page.getByRole('row', { name: /Steps in the call/ }).click()
      await page.getByRole('heading', { name: 'A step failed' }).waitFor()
      await graph(page).getByText('there-is-none').first().waitFor()
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('the latest run is simulated once more with its user and data', async () => {
      await put('onboarding', [{ action: 'send', template: 'hello', recipient: { $ref: 'data.user' } }])
      await app.client.automations.invokeTemplate('onboarding', { recipient: 'ada', data: { user: 'grace' } })
      const page = await newPage('/automations/onboarding?tab=simulation')
      await page.getByRole('button', { name: 'As the latest run, of ada' }).click()
      await page.getByRole('button', { name: 'Simulate', exact: true }).click()
      await page.getByRole('heading', { name: 'Messages until then: 1' }).waitFor()
      expect(await page.getByRole('combobox', { name: 'For the user' }).inputValue()).toBe('ada')
      await page.getByText('grace').first().waitFor()
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('a simulation that its bounds end says so, and a refused one leads to the step', async () => {
      await put('leaf', [{ action: 'delay', duration: '1 hour' }])
      await put(
        'many',
        Array.from({ length: 12 }, () => ({ action: 'invoke', template: 'leaf' })),
      )
      const page = await newPage('/automations/many?tab=simulation')
      await page.getByRole('button', { name: 'More input' }).click()
      const further = Array.from({ length: 100 }, () => ({ after: '1 minute' }))
      await page.getByRole('textbox', { name: 'Replies, profiles' }).fill(JSON.stringify({ further }))
      await page.getByRole('button', { name: 'Simulate', exact: true }).click()
      await page.getByText('Stopped at a bound').waitFor()
      await page.getByRole('tab', { name: 'Steps' }).click()
      await page
        .getByRole('textbox', { name: 'Automation as JSON' })
        .fill('{"steps": [{"action": "delay", "duration": "soon"}]}')
      await step(page, 'Wait soon').waitFor()
      await page.getByRole('tab', { name: 'Simulation' }).click()
      await page.getByRole('button', { name: 'Open step 1' }).click()
      await page.getByRole('textbox', { name: 'For how long' }).waitFor()
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('a viewer sees no steps in clear and is offered no change', async () => {
      await put('watched', [{ action: 'send', template: 'hello', recipient: 'grace@example.com' }])
      const { key } = await app.client.keys.create({ name: 'viewer', role: 'viewer' } as never)
      const viewer = await signedIn(browser, app.url, key)
      const page = await newPage('/automations/watched', viewer)
      await page.getByText('Your role sees the steps masked.').waitFor()
      expect(await page.locator('main').textContent()).not.toContain('grace@example.com')
      for (const name of ['Start run', 'Publish'])
        expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
      expect(await page.getByRole('button', { name: /^Insert a step/ }).count()).toBe(0)
      await page.getByRole('tab', { name: 'Simulation' }).click()
      await page.getByText('Simulating needs the role editor.').waitFor()
      await viewer.close()
      expect(pageErrors).toEqual([])
    })
  })
})
