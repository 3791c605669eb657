/** The page of the person on call: two nodes, a late lane, a dead letter that is confirmed and released; what a viewer sees. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { startSmtpSink } from '../support/peers/smtp.ts'
import { delivery, insertDeadLetter, insertMessage } from '../support/rows.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from '../system/templates.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

const pictures = process.env.POSTRIDER_TEST_PICTURES

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
      pageErrorsOf(fresh, (text) => text.includes('status of 409'), pageErrors)
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
      const onTime = section('Queues').locator('details')
      await onTime.getByText(/^\d+ queues are on time$/).click()
      expect(await onTime.getByRole('listitem').count()).toBeGreaterThan(5)
    })

    test('the first line names what was given up, and leads to it', async () => {
      const verdict = page.getByRole('status').filter({ has: page.getByRole('list', { name: 'Findings' }) })
      await verdict
        .getByText('Given up and neither released nor dismissed: 1, 1 of them in the last 24 hours.')
        .waitFor()
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

    test('a message that is released goes out once, and nothing of it is left in the queue', async () => {
      const peer = await startRecorder()
      try {
        await integrate(app.client, { provider: 'webhook', settings: { url: `${peer.url}/hook` } })
        await publish(app.client, 'greeting', { channels: ['webhook'] })
        const delay = { duration: 3_600_000 }
        const { messageId } = await app.client.send({ event: 'greeting', recipient: 'ada', delay })
        // As if each start of it had ended the process.
        await engine.run({
          text: 'update messages set claims = 100, due_at = $2 where id = $1',
          values: [messageId, Date.now()],
        })
        const read = async () => {
          const text =
            'select status, lane, due_at, lease, delivered is not null as delivered from messages where id = $1'
          return (await engine.run({ text, values: [messageId] })).rows[0]
        }
        expect(await until(read, (row) => row?.status === 'UNDELIVERABLE')).toMatchObject({ due_at: null })
        await page.goto(`${app.url}/app/system?tab=dead-letters`)
        await page.getByRole('button', { name: 'Release', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Release 1 message' }).click()
        await page.getByText('Nothing was given up').waitFor()
        const row = await until(read, (now) => now?.status === 'DELIVERED')
        expect(row).toEqual({ status: 'DELIVERED', lane: 0, due_at: null, lease: null, delivered: true })
        await page.goto(`${app.url}/app/messages/${messageId}`)
        await page.getByText('By the release of its dead letter (POST /dead-letters/:id/release)').waitFor()
        await page.getByText('By the key first key').waitFor()
        await page.goto(`${app.url}/app/system`)
        const lane = section('Messages by lane').locator('tbody tr', { hasText: 'Transactional' })
        await lane.waitFor()
        expect(await lane.locator('td').allTextContents()).toEqual(['Transactional', '0', '0', '–'])
        const [lanes] = (await app.client.system.get()).lanes ?? []
        expect(lanes).toEqual({ lane: 'transactional', waiting: 0, overdue: 0, oldest_ms: null })
        expect(peer.all.filter(({ path }) => path === '/hook')).toHaveLength(1)
      } finally {
        await peer.close()
      }
    })

    test('a state that cannot be read again is not green, but unknown since the last one', async () => {
      const isState = (url: URL) => url.pathname === '/system'
      // Its console names each call that failed.
      const fresh = await (await signedIn(browser, app.url, app.apiKey)).newPage()
      await fresh.goto(`${app.url}/app/system`)
      await fresh.getByRole('heading', { name: 'Nodes' }).waitFor()
      await fresh.route(isState, (route) => route.abort())
      const verdict = fresh.getByRole('heading', { name: /The state has been unknown since/ })
      await verdict.waitFor({ timeout: 40_000 })
      expect(await fresh.locator('[data-tone="good"]', { has: verdict }).count()).toBe(0)
      await fresh.getByText('The server could not be read again. Before that:').waitFor()
      await fresh.unroute(isState)
      await verdict.waitFor({ state: 'detached' })
      await fresh.close()
    })

    test('the messages of a day and of a month are those of the environment', async () => {
      await page.goto(`${app.url}/app/system`)
      await page.getByRole('radiogroup', { name: 'Time of the figures' }).getByText('24 hours').click()
      await page.getByText('This environment, by the hour.').waitFor()
      const { accepted } = await app.client.metrics.summary({ window: '24h' })
      expect(accepted).toBeGreaterThan(0)
      await page.getByRole('img', { name: `Accepted ${accepted}, finished` }).waitFor()
      expect(new URL(page.url()).search).toBe('?traffic=24h')
      await page.getByText('30 days').click()
      await page.getByText('This environment, by the day (UTC).').waitFor()
      await page.getByRole('img', { name: `Accepted ${accepted}, finished` }).waitFor()
    })

    test('a database server has its command, its guide, and a word about the secret key', async () => {
      const database = section('Database')
      await database.getByText('pg_dump --format=custom').waitFor()
      await database.getByText('The secret key is not in it').waitFor()
      const guide = await database.getByRole('link', { name: 'Backup and restore' }).getAttribute('href')
      expect(guide).toMatch(/running#backup-and-restore$/)
      expect(await page.getByRole('button', { name: 'Download a backup' }).count()).toBe(0)
    })

    test('each integration signs in on request: the words of its provider, the remedy, and a link', async () => {
      const sink = await startSmtpSink({ user: 'post', password: 'right' })
      try {
        const settings = { host: '127.0.0.1', port: sink.port, security: 'opportunistic', user: 'post' } as const
        const add = (title: string, password: string, enabled = true) =>
          app.client.providers.create({
            ...{ provider: 'smtp', title, enabled },
            settings: { ...settings, password, fromAddress: 'news@example.com' },
          })
        const wrong = await add('Wrong mail', 'wrong')
        const [right, off] = [await add('Right mail', 'right'), await add('Mail that is off', 'wrong', false)]
        await page.goto(`${app.url}/app/system`)
        const list = page.getByRole('list', { name: 'Sign-ins of integrations' })
        await page.getByRole('button', { name: 'Sign in to each integration' }).waitFor()
        expect(await list.count()).toBe(0)
        await page.getByRole('button', { name: 'Sign in to each integration' }).click()
        await page.getByText(/^Accepted: \d+\. Failed: \d+\.$/).waitFor()
        const { sign_in } = await app.client.providers.test(wrong.id)
        const rowOf = (title: string) => list.getByRole('listitem').filter({ hasText: title })
        expect(await rowOf(right.title).textContent()).toContain('Accepted')
        expect(await rowOf(off.title).count()).toBe(0)
        const failed = (await rowOf(wrong.title).textContent()) ?? ''
        expect([failed.includes(sign_in.detail), sign_in.hint && failed.includes(sign_in.hint)]).toEqual([true, true])
        if (pictures) await page.screenshot({ path: `${pictures}/system-sign-ins.png`, fullPage: true })
        await rowOf(wrong.title).getByRole('link', { name: wrong.title }).click()
        await page.getByRole('heading', { level: 1, name: wrong.title }).waitFor()
        for (const { id } of [wrong, right, off]) await app.client.providers.delete(id)
      } finally {
        await sink.close()
      }
    })

    test('an integration that is not called leads to the messages that wait for it, held ones too', async () => {
      const heldDelivery = {
        ...delivery,
        ...{
          channel: 'webhook',
          provider: 'webhook',
          state: 'failed',
          error: '401 No',
          sentAt: undefined,
          deliveredAt: undefined,
        },
      }
      await insertMessage(engine, Date.now(), {
        ...{
          status: 'HELD',
          recipient: 'hedy',
          due_at: Date.now() + 3_600_000,
          deliveries: JSON.stringify([heldDelivery]),
        },
      })
      const failedDelivery = { ...heldDelivery, error: '500 No' }
      const failed = { status: 'UNDELIVERABLE', deliveries: JSON.stringify([failedDelivery]) }
      await insertMessage(engine, Date.now(), { ...failed, recipient: 'grace' })
      await insertMessage(engine, Date.now() - 3_600_000, { ...failed, recipient: 'long before' })
      const fresh = await newPage(app.apiKey)
      await fresh.route(
        (url) => url.pathname === '/system',
        async (route) => {
          const reply = await route.fetch()
          const broken = { id: 'I', provider: 'webhook', title: 'Post', enabled: true, circuit_breaker: 'open' }
          const figures = {
            open_since: Date.now() - 60_000,
            limited_until: null,
            calls: 1,
            working: 0,
            p95_ms: 1,
            last_error: null,
          }
          await route.fulfill({
            response: reply,
            json: { ...(await reply.json()), providers: [{ ...broken, ...figures }] },
          })
        },
      )
      await fresh.goto(`${app.url}/app/system`)
      await fresh.getByRole('link', { name: 'See which messages wait' }).click()
      await fresh.getByText('hedy').first().waitFor()
      expect(await fresh.getByText('ada', { exact: true }).count()).toBe(0)
      await fresh.goBack()
      await fresh.getByRole('link', { name: 'See 1 that failed' }).click()
      await fresh.getByText('grace').first().waitFor()
      expect(await fresh.getByText('long before').count()).toBe(0)
      await fresh.close()
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

    test('several dead letters are chosen: those that can go on are released, one that was erased is named', async () => {
      const old = Date.now() - 48 * 3_600_000
      const letters = [await insertDeadLetter(engine, old), await insertDeadLetter(engine, Date.now())]
      const gone = await insertDeadLetter(engine, Date.now())
      await engine.run({ text: 'delete from messages where id = $1', values: [gone.subject] })
      await page.goto(`${app.url}/app/system?tab=dead-letters`)
      await page.getByRole('tab', { name: 'Dead letters (3)' }).waitFor()
      await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check()
      await page.getByRole('button', { name: 'Release 3 dead letters' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Release 3 dead letters' }).click()
      const alert = page.getByRole('alert').filter({ hasText: 'Not everything was changed' })
      await alert.getByText(gone.subject).waitFor()
      const open = (await app.client.deadLetters.list({ state: 'open' })).results
      expect(open.map(({ id }) => id)).toEqual([gone.id])
      const released = (await app.client.deadLetters.list({ state: 'released' })).results.map(({ id }) => id)
      expect(released).toEqual(expect.arrayContaining(letters.map(({ id }) => id)))
      await page.getByRole('tab', { name: 'Dead letters (1)' }).waitFor()
      expect(await page.getByRole('button', { name: /Release \d/ }).count()).toBe(0)
      await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Dismiss 1 message' }).click()
      await page.getByText('Nothing was given up').waitFor()
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
