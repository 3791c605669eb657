/** People in the dashboard: an audience and its members, a preference with its history, the erasure of a user. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

describe.skipIf(!hasBrowser)('people in the dashboard', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let context: BrowserContext
    let page: Page
    const pageErrors: string[] = []

    beforeAll(async () => {
      app = await open()
      for (const [id, plan] of [
        ['ada', 'pro'],
        ['grace', 'pro'],
        ['alan', 'free'],
      ] as const)
        await app.client.profiles.replace(id, { profile: { name: `${id} Example`, plan } })
      browser = await openBrowser()
      context = await signedIn(browser, app.url, app.apiKey)
      page = await context.newPage()
      page.setDefaultTimeout(20_000)
      // Replies of the API that the page expects: signed out, changed meanwhile, erased.
      pageErrorsOf(page, (text) => /status of 40[0149]/.test(text), pageErrors)
      await page.goto(`${app.url}/app/audiences`)
      await page.getByRole('heading', { level: 1, name: 'Audiences' }).waitFor()
    })
    afterAll(() => browser?.close())

    const members = () =>
      page
        .getByRole('grid', { name: 'Members' })
        .getByRole('row')
        .filter({ hasText: /plan \S+ / })
        .allInnerTexts()

    test('a person, and a screen by the name of its area, are found from anywhere', async () => {
      await page.keyboard.press('ControlOrMeta+k')
      const field = page.getByRole('textbox', { name: 'Search or jump' })
      await field.fill('grac')
      await page.getByRole('option', { name: 'User grace Example · grace' }).click()
      await page.waitForURL('**/app/users/grace')
      await page.keyboard.press('ControlOrMeta+k')
      await field.fill('recipients')
      await page.getByRole('option', { name: 'Audiences' }).click()
      await page.getByRole('heading', { level: 1, name: 'Audiences' }).waitFor()
    })

    test('an audience is built, and its members follow the filter', async () => {
      await page.getByRole('button', { name: 'Create audience' }).first().click()
      const form = page.getByRole('dialog')
      await form.getByLabel('Audience id').fill('payers')
      await form.getByLabel('Name').fill('Payers')
      await form.getByRole('button', { name: 'Create audience' }).click()
      await page.getByRole('heading', { level: 1, name: 'Payers' }).waitFor()
      await page.getByRole('button', { name: 'Add condition' }).click()
      expect(await page.getByRole('button', { name: 'Save audience' }).isDisabled()).toBe(true)
      await page.getByLabel('Field of the profile').fill('plan')
      await page.getByLabel('Value').fill('free')
      await page.getByText('1 of 3 users match, before saving.').waitFor()
      await page.getByLabel('Value').fill('pro')
      await page.getByText('2 of 3 users match, before saving.').waitFor()
      expect(await page.getByRole('link', { name: 'grace' }).getAttribute('title')).toContain(
        `EQ('plan', 'pro') => true`,
      )
      expect((await app.client.audiences.get('payers')).filter).toBeNull()
      await page.getByRole('button', { name: 'Save audience' }).click()
      await until(members, ({ length }) => length === 2)
      expect((await members()).join()).toContain('plan is pro')
      expect(await page.getByTitle(`EQ('plan', 'pro') => true`).count()).toBeGreaterThan(0)
      await page.getByLabel('Value').fill('pro, free')
      await page.getByRole('button', { name: 'Save audience' }).click()
      await until(members, ({ length }) => length === 3)
      const { filter } = await app.client.audiences.get('payers')
      expect(filter).toEqual({
        operator: 'AND',
        filters: [{ operator: 'EQ', path: 'plan', value: ['pro', 'free'] }],
      })
    })

    test('a preference is changed, explained and taken back', async () => {
      const section = await app.client.sections.create({ name: 'News' })
      const topic = await app.client.topics.create(section.id, { name: 'Products', default_status: 'OPTED_IN' })
      const status = async () => (await app.client.preferences.topic('ada', topic.id)).topic.status
      await page.goto(`${app.url}/app/users/ada?tab=preferences`)
      await page.getByText('No choice: the default is Opted in').waitFor()
      await page.getByRole('radiogroup', { name: 'Choice for Products' }).getByText('Opted out').click()
      await page.getByText(/^Chosen by the key /).waitFor()
      expect(await status()).toBe('OPTED_OUT')
      const history = page.getByRole('grid', { name: 'History' }).getByRole('row')
      await history.filter({ hasText: 'Products' }).filter({ hasText: 'Opted out' }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('No choice: the default is Opted in').waitFor()
      expect(await status()).toBe('OPTED_IN')
    })

    test('a subscription that is taken back has its preferences again, from either side', async () => {
      const preferences = { notifications: { spring: { status: 'OPTED_OUT' as const } } }
      await app.client.lists.put('news', { name: 'News' })
      await app.client.lists.subscribe('news', 'ada', { preferences })
      const preferencesNow = async () => (await app.client.lists.subscriptions('news')).items[0]?.preferences
      const before = await preferencesNow()
      expect(before).toMatchObject(preferences)
      for (const [address, unsubscribe] of [
        ['lists/news', 'Unsubscribe 1'],
        ['users/ada?tab=lists', 'Unsubscribe'],
      ] as const) {
        await page.goto(`${app.url}/app/${address}`)
        if (address === 'lists/news') await page.getByRole('checkbox', { name: 'Select ada' }).check()
        await page.getByRole('button', { name: unsubscribe, exact: true }).click()
        await until(preferencesNow, (now) => now === undefined)
        await page.getByRole('button', { name: 'Undo' }).click()
        expect(await until(preferencesNow, (now) => now !== undefined)).toEqual(before)
      }
    })

    test('a profile is not overwritten when it changed meanwhile', async () => {
      await page.goto(`${app.url}/app/users/grace`)
      await page.getByLabel('Email').fill('grace@example.com')
      await app.client.profiles.merge('grace', { profile: { name: 'Grace Hopper' } })
      await page.getByLabel('Name', { exact: true }).fill('Someone else')
      await page.getByRole('button', { name: 'Save profile' }).click()
      await page.getByRole('alert').waitFor()
      expect((await app.client.profiles.get('grace')).profile.name).toBe('Grace Hopper')
    })

    test('a list is added by a key, filled, sent to, and found by its pattern', async () => {
      await page.goto(`${app.url}/app/lists`)
      await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor()
      await page.keyboard.press('n')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('List id').fill('news.product')
      await dialog.getByLabel('Name').fill('Product news')
      await dialog.getByRole('button', { name: 'Create list' }).click()
      await page.getByRole('heading', { level: 1, name: 'Product news' }).waitFor()
      await page.getByRole('button', { name: 'Subscribe users' }).click()
      await dialog.getByLabel('User ids').fill('ada\ngrace')
      await dialog.getByRole('button', { name: 'Subscribe 2' }).click()
      await page.getByRole('row').filter({ hasText: 'grace' }).waitFor()
      await page.getByRole('button', { name: 'Send to the list' }).click()
      const send = dialog.getByRole('button', { name: 'Send 2 messages' })
      await send.waitFor()
      expect(await send.isDisabled()).toBe(true)
      await dialog.getByLabel('Event or template').fill('welcome')
      await send.click()
      await page.waitForURL(/\/app\/messages\?list=news\.product$/)
      await until(
        async () => (await app.client.messages.list({ list: 'news.product' })).results,
        ({ length }) => length === 2,
      )
      await page.goto(`${app.url}/app/lists?search=other.**`)
      await page.getByText('No list matches the pattern').waitFor()
      await page.getByLabel('Pattern: news.**').fill('news.*')
      await page.getByRole('row').filter({ hasText: 'Product news' }).waitFor()
    })

    test('a form that creates something says at its id what exists already, and leaves it as it is', async () => {
      await app.client.lists.put('taken', { name: 'Before' })
      await app.client.audiences.put('taken', { name: 'Before' })
      await app.client.tenants.put('taken', { name: 'Before' })
      await app.client.profiles.replace('taken', { profile: { name: 'Before' } })
      await app.client.events.put('taken', { id: 'before', type: 'notification' })
      const dialog = page.getByRole('dialog')
      for (const [address, open, id, name] of [
        ['lists', 'Create list', 'List id', 'Name'],
        ['audiences', 'Create audience', 'Audience id', 'Name'],
        ['tenants', 'Create tenant', 'Tenant id', 'Name'],
        ['users', 'Add user', 'User id', 'Name'],
        ['events', 'Map event', 'Event', 'Template'],
      ] as const) {
        await page.goto(`${app.url}/app/${address}`)
        await page.getByRole('button', { name: open }).first().click()
        const field = dialog.getByLabel(id, { exact: true }).or(dialog.getByLabel(`${id} *`, { exact: true }))
        await field.fill('taken')
        await dialog.getByLabel(name).fill('After')
        await dialog.locator('[type=submit]').click()
        await dialog.getByText(/This id exists already|This event is mapped already/).waitFor()
        expect(await field.getAttribute('aria-invalid')).toBe('true')
        await field.fill('free')
        expect(await field.getAttribute('aria-invalid')).not.toBe('true')
      }
      const { client } = app
      expect([
        (await client.lists.get('taken')).name,
        (await client.audiences.get('taken')).name,
        (await client.tenants.get('taken')).name,
        (await client.profiles.get('taken')).profile.name,
        (await client.events.get('taken')).id,
      ]).toEqual(['Before', 'Before', 'Before', 'Before', 'before'])
    })

    test('a user is erased after the id was typed', async () => {
      await page.goto(`${app.url}/app/users/alan`)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Erase user' }).click()
      const dialog = page.getByRole('dialog')
      const erase = dialog.getByRole('button', { name: 'Erase user' })
      expect(await erase.isDisabled()).toBe(true)
      await dialog.getByLabel('Type alan to confirm').fill('alan')
      await erase.click()
      await page.getByRole('heading', { name: 'Erasure' }).waitFor()
      await page.locator('section', { hasText: 'Pseudonym' }).getByText('Completed').first().waitFor()
      await expect(app.client.profiles.get('alan')).rejects.toMatchObject({ status: 404 })
    })

    test('a viewer changes nothing and sees no personal data', async () => {
      const { key } = await app.client.keys.create({ name: 'reader', kind: 'published', role: 'viewer' })
      await context.clearCookies()
      await page.goto(`${app.url}/app/users/ada`)
      await page.getByLabel('API key').fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Not shown to viewers').waitFor()
      expect(await page.getByRole('button', { name: 'Send test' }).isDisabled()).toBe(true)
      expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0)
      expect(await page.getByText('ada Example').count()).toBe(0)
    })

    test('no script failed and the policy of the page refused nothing', () => expect(pageErrors).toEqual([]))
  })
})
