/** The page of the person on call: two nodes, a late lane, a dead letter that is confirmed and released; what a viewer sees. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { insertDeadLetter } from '../support/rows.ts'
import { until } from '../support/until.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

describe.skipIf(!hasBrowser)('the system in the dashboard', () => {
  withApp((open) => {
    let app: App
    let second: App
    let engine: Awaited<ReturnType<typeof engineOn>>
    let browser: Browser
    let page: Page
    let letter: { id: string; subject: string }
    const pageErrors: string[] = []

    beforeAll(async () => {
      const env = await databaseEnvironment()
      engine = await engineOn(env.POSTRIDER_DATABASE_URL)
      app = await open({ env })
      second = await open({ env: { ...env, POSTRIDER_API_KEY: app.apiKey } })
      letter = await insertDeadLetter(engine, Date.now(), {
        event: 'no-such-event',
        input: '{"event":"no-such-event"}',
      })
      browser = await openBrowser()
      page = await newPage(app.apiKey)
    })
    afterAll(async () => {
      await browser?.close()
      await engine?.close()
    })

    async function newPage(key: string): Promise<Page> {
      const fresh = await (await signedIn(browser, app.url, key)).newPage()
      fresh.setDefaultTimeout(20_000)
      pageErrorsOf(fresh, undefined, pageErrors)
      await fresh.goto(`${app.url}/app/system`)
      await fresh.getByRole('heading', { level: 1, name: 'System' }).waitFor()
      return fresh
    }
    const section = (title: string) => page.locator('section', { has: page.getByRole('heading', { name: title }) })

    test('both nodes live, and one that is stopped is shown as stopped within seconds', async () => {
      const nodes = section('Nodes').locator('tbody tr')
      await expect.poll(() => nodes.filter({ hasText: 'Alive' }).count(), { timeout: 30_000 }).toBe(2)
      expect(await nodes.filter({ hasText: 'answers this page' }).count()).toBe(1)
      await second.stop()
      await expect.poll(() => nodes.filter({ hasText: 'Stopped' }).count(), { timeout: 30_000 }).toBe(1)
      expect(await section('Queues').getByText('on time').count()).toBeGreaterThan(5)
    })

    test('the first line names what was given up, and leads to it', async () => {
      const verdict = page.getByRole('status').filter({ has: page.getByRole('list', { name: 'Findings' }) })
      await verdict.getByText('Given up in the last 24 hours: 1.').waitFor()
      await verdict.getByRole('link', { name: 'See dead letters' }).click()
      await page.getByText('Dead-lettered after 9 attempts').waitFor()
      expect(new URL(page.url()).search).toBe('?tab=dead-letters')
    })

    test('a dead letter is released after a confirmation, and its message goes on', async () => {
      await page.getByRole('button', { name: 'Release', exact: true }).click()
      const dialog = page.getByRole('dialog')
      expect(await dialog.textContent()).toContain('cannot be undone')
      await dialog.getByRole('button', { name: 'Go back' }).click()
      expect((await app.client.deadLetters.list({ state: 'open' })).results).toHaveLength(1)
      await page.getByRole('button', { name: 'Release', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Release 1 message' }).click()
      await page.getByText('Nothing was given up').waitFor()
      const message = await until(
        () => app.client.messages.get(letter.subject),
        ({ status }) => status === 'UNMAPPED',
      )
      expect(message.status).toBe('UNMAPPED')
      await page.getByText('Released', { exact: true }).first().click()
      await page.getByRole('row', { name: /message/ }).waitFor()
    })

    test('a dead letter is dismissed after a confirmation, and listed apart from then on', async () => {
      const { id } = await insertDeadLetter(engine, Date.now())
      await page.goto(`${app.url}/app/system?tab=dead-letters`)
      await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
      expect(await page.getByRole('dialog').textContent()).toContain('can be released there')
      await page.getByRole('dialog').getByRole('button', { name: 'Dismiss 1 message' }).click()
      await page.getByText('Nothing was given up').waitFor()
      await page.getByText('Dismissed', { exact: true }).first().click()
      await page.getByRole('row', { name: /message/ }).waitFor()
      expect(new URL(page.url()).search).toContain('state=dismissed')
      expect(await page.getByRole('button', { name: 'Dismiss', exact: true }).count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Release', exact: true }).count()).toBe(1)
      expect((await app.client.deadLetters.list({ state: 'dismissed' })).results).toMatchObject([{ id }])
    })

    test('a viewer sees dead letters without their release, and not the installation', async () => {
      await insertDeadLetter(engine, Date.now())
      const { key } = await app.client.keys.create({ name: 'viewer', role: 'viewer' })
      const other = await newPage(key)
      await other.getByText('Only for operators').waitFor()
      await other.getByRole('tab', { name: 'Dead letters' }).click()
      await other.getByText('Dead-lettered after 9 attempts').waitFor()
      expect(await other.getByRole('button', { name: 'Release', exact: true }).count()).toBe(0)
    })

    test('no script failed', () => expect(pageErrors).toEqual([]))
  })
})
