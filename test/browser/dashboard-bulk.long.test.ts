/** Bulk jobs in the dashboard: from a CSV file to the last message, an upload that fails in the middle, and a job that is stopped. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { publish } from '../system/templates.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

const csv = (name: string, lines: readonly string[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(lines.join('\r\n')),
})

describe.skipIf(!hasBrowser)('bulk jobs in the dashboard', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let context: BrowserContext
    let page: Page
    const pageErrors: string[] = []

    beforeAll(async () => {
      app = await open()
      await publish(app.client, 'spring', { channels: ['email'] })
      browser = await openBrowser()
      context = await signedIn(browser, app.url, app.apiKey)
      page = await context.newPage()
      page.setDefaultTimeout(20_000)
      // Replies that the page expects: signed out, and the page of users that the test fails.
      pageErrorsOf(page, (text) => /status of (?:401|503)/.test(text), pageErrors)
      await page.goto(`${app.url}/app/bulk`)
      await page.getByRole('heading', { level: 1, name: 'Bulk jobs' }).waitFor()
    })
    afterAll(() => browser?.close())

    const start = async (file: ReturnType<typeof csv> | string) => {
      await page.goto(`${app.url}/app/bulk/new`)
      await page.getByRole('combobox', { name: 'Event or template' }).fill('spring')
      await page.getByRole('option', { name: 'spring' }).first().click()
      await page.setInputFiles('input[type=file]', file)
    }
    const jobId = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''

    test('a file is mapped, checked with the lines that are wrong, added, and sent', async () => {
      await page.getByRole('link', { name: 'Create bulk job' }).first().click()
      await start(
        csv('spring.csv', [
          'Customer id;E-Mail;First name;Orders;Notes',
          'c-1;ada@example.com;Ada;3;first',
          'c-2;broken;Bob;1;',
          'c-3;cleo@example.com;Cleo;many;',
          'c-1;ada@example.com;Ada;3;',
          'c-4;dan@example.com;"Dan\r\nJr.";7;',
        ]),
      )
      expect(await page.getByRole('textbox', { name: 'Name of the field of First name' }).inputValue()).toBe(
        'First_name',
      )
      await page.getByRole('textbox', { name: 'Name of the field of First name' }).fill('name')
      await page.getByRole('combobox', { name: 'Type of Orders' }).click()
      await page.getByRole('option', { name: 'Number' }).click()
      await page.getByRole('combobox', { name: 'Field of Notes' }).click()
      await page.getByRole('option', { name: 'Leave out' }).click()
      await page.getByText('2 of 5 users are ready.').waitFor()
      const bad = await page.getByRole('region', { name: '3 rows are left out' }).getByRole('row').allInnerTexts()
      expect(bad.slice(1).map((row) => row.split('\t').slice(0, 2))).toEqual([
        ['3', 'broken is no email address'],
        ['4', 'The cell of Orders does not have the type of its column'],
        ['5', 'The same user is in line 2'],
      ])
      await page.getByText('As c-1 would get it now.').waitFor()
      await page.frameLocator('iframe').getByText('Ada').waitFor()
      expect((await app.client.bulk.list()).items).toEqual([])
      await page.getByRole('button', { name: 'Add 2 users' }).click()
      await page.getByText('2 users are in the job. Nothing is sent yet.').waitFor()
      expect((await app.client.bulk.list()).items).toMatchObject([{ status: 'CREATED', received: 2, enqueued: 0 }])
      await page.getByRole('button', { name: 'Send to 2 users' }).click()
      await page.getByRole('dialog').getByText('2 users get a message each').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Send to 2 users' }).click()
      await page.getByText('2 of 2 messages created').waitFor()
      await page.getByText('Completed', { exact: true }).waitFor()
      const { items } = await app.client.bulk.users(jobId())
      expect(items).toMatchObject([
        { recipient: 'c-1', profile: { email: 'ada@example.com' }, data: { name: 'Ada', Orders: 3 } },
        { recipient: 'c-4', data: { name: 'Dan\nJr.', Orders: 7 } },
      ])
      const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row')
      await rows.filter({ hasText: 'c-1' }).filter({ hasText: 'DELIVERED' }).waitFor()
      await rows.filter({ hasText: 'c-4' }).filter({ hasText: 'DELIVERED' }).waitFor()
    })

    test('users are counted after the last of them is stored, however late an earlier count arrives', async () => {
      let delayedReply: Promise<void> | undefined
      await page.route('**/bulk/1-*', (route) => {
        if (delayedReply || route.request().method() !== 'GET') return route.continue()
        delayedReply = (async () => {
          const response = await route.fetch()
          await page.getByText(/users are in the job/).waitFor()
          // The page may have given the call up.
          await route.fulfill({ response }).catch(() => undefined)
        })()
        return delayedReply
      })
      await page.goto(`${app.url}/app/bulk`)
      await start(csv('two.csv', ['email', 'ada@example.com', 'dan@example.com']))
      await page.getByRole('button', { name: 'Add 2 users' }).click()
      await page.getByRole('button', { name: 'Send to 2 users' }).waitFor()
      await delayedReply
      await page.unroute('**/bulk/1-*')
    })

    test('messages that failed are listed with their reason, and saved as a file', async () => {
      const { jobId: id } = await app.client.bulk.create({ message: { event: 'spring' } })
      await app.client.bulk.ingest(id, { users: [{ recipient: 'no-address' }] })
      await app.client.bulk.run(id)
      await until(
        () => app.client.messages.list({ messageId: id, status: ['UNROUTABLE', 'UNDELIVERABLE'] }),
        ({ results }) => results.length === 1,
        60_000,
      )
      await page.goto(`${app.url}/app/bulk/${id}?tab=failed`)
      await page.getByRole('grid', { name: 'Failed' }).getByText('no-address').waitFor()
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download as CSV' }).click()
      const file = await (await saved).createReadStream()
      let text = ''
      for await (const chunk of file) text += String(chunk)
      expect(text).toMatch(/^\ufeffrecipient,status,reason,error,message\r\nno-address,UN/)
    })

    test('an upload that fails and is reloaded goes on, and adds each user once', async () => {
      const users = 3_500
      const folder = await mkdtemp(join(tmpdir(), 'postrider-bulk-'))
      const file = join(folder, 'many.csv')
      await writeFile(file, ['email', ...Array.from({ length: users }, (_, n) => `user-${n}@example.com`)].join('\n'))
      const keys: (string | undefined)[] = []
      let pages = 0
      await page.route('**/bulk/1-*', async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        pages += 1
        keys.push(route.request().headers()['idempotency-key'])
        if (pages <= 2) return route.continue()
        // The page is stored and its reply lost.
        if (pages === 3) await route.fetch()
        return route.fulfill({ status: 503, json: { message: 'down', type: 'api_error', code: 'overloaded' } })
      })
      await start(file)
      await page.getByRole('button', { name: 'Add 3,500 users' }).click()
      await page.getByRole('alert').getByText('down').waitFor()
      await page.getByText('2,000 of 3,500 users added').waitFor()
      await page.unroute('**/bulk/1-*')
      const repeated: (string | undefined)[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST' && /\/bulk\/1-[^/]*$/.test(request.url()))
          repeated.push(request.headers()['idempotency-key'])
      })
      await page.reload()
      await page.getByText('This job was interrupted').waitFor()
      await page.setInputFiles('input[type=file]', file)
      await page.getByRole('button', { name: 'Go on with 3,500 users' }).click()
      await page.getByText('3,500 users are in the job. Nothing is sent yet.').waitFor()
      const [job] = (await app.client.bulk.list({ limit: 1 })).items
      expect(job).toMatchObject({ status: 'CREATED', received: users })
      // The page without a reply again, under its key, and the last one.
      expect(repeated).toHaveLength(2)
      expect(repeated[0]).toBe(keys[2])
      await rm(folder, { recursive: true })
    })

    test('a job in progress is stopped after it was said how many are sent', async () => {
      const id = (await app.client.bulk.list({ limit: 1 })).items[0]?.jobId ?? ''
      await page.goto(`${app.url}/app/bulk/${id}`)
      await page.getByText('3,500 users are added, and nothing is sent yet.').waitFor()
      await app.client.bulk.run(id)
      // It stays in progress while the page is read, however fast the machine is.
      await app.client.requests.pause(id)
      await page.reload()
      await page.getByRole('button', { name: 'Stop job' }).click()
      const dialog = page.getByRole('dialog')
      const text = dialog.getByText('messages are created so far and are sent')
      const before = (await text.textContent()) ?? ''
      expect(before).toMatch(
        /^[\d,]+ messages are created so far and are sent\. The other [\d,]+ users get none.* This cannot be undone\.$/,
      )
      // Messages are created while the dialog is open.
      const { enqueued } = (await app.client.bulk.get(id)).job
      await app.client.requests.resume(id)
      await until(
        () => app.client.bulk.get(id),
        ({ job }) => job.enqueued > enqueued,
      )
      await app.client.requests.pause(id)
      await dialog.getByText(before).waitFor({ state: 'detached' })
      await dialog.getByRole('button', { name: 'Stop job' }).click()
      await page.getByText('Stopped', { exact: true }).waitFor()
      const { job } = await app.client.bulk.get(id)
      expect(job.status).toBe('CANCELED')
      expect(job.enqueued).toBeLessThan(3_500)
      const rest = (3_500 - job.enqueued).toLocaleString('en-US')
      await page.getByText(`${rest} users get no message`).waitFor()
      await page.getByRole('tab', { name: 'Users' }).click()
      await page.getByRole('grid', { name: 'Users' }).getByText('Message created').first().waitFor()
      expect(await page.getByRole('button', { name: 'Stop job' }).count()).toBe(0)
    })

    test('stopping a job also cancels what waits, where that is chosen, and what waits of a stopped job is canceled later', async () => {
      const start = async (users: number, fields = {}) => {
        const { jobId } = await app.client.bulk.create({ message: { event: 'spring', ...fields } })
        for (let from = 0; from < users; from += 1_000)
          await app.client.bulk.ingest(jobId, {
            users: Array.from({ length: Math.min(1_000, users - from) }, (_, n) => ({ recipient: `w-${from + n}` })),
          })
        await app.client.bulk.run(jobId)
        await until(
          () => app.client.bulk.get(jobId),
          ({ job }) => job.enqueued > 0,
        )
        return jobId
      }
      const waiting = async (id: string) =>
        (await app.client.messages.cancelMany({ filter: { messageId: id } })).cancelable
      const stopped = await start(12_000, { delay: { duration: 3_600_000 } })
      await page.goto(`${app.url}/app/bulk/${stopped}`)
      await page.getByRole('button', { name: 'Stop job' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('checkbox', { name: /^Also cancel the [\d,]+ messages that wait$/ }).check()
      await dialog.getByText(/of them wait and are canceled, the others are sent/).waitFor()
      await dialog.getByRole('button', { name: 'Stop job' }).click()
      await page.getByText(/^The job is stopped: [\d,]+ messages are canceled$/).waitFor()
      expect(await waiting(stopped)).toBe(0)
      expect((await app.client.bulk.get(stopped)).job.status).toBe('CANCELED')

      const ended = await start(30, { delay: { duration: 3_600_000 } })
      await page.goto(`${app.url}/app/bulk/${ended}`)
      await page.getByRole('button', { name: 'Cancel 30 waiting' }).click()
      await dialog.getByText('30 messages wait', { exact: true }).waitFor()
      expect(await waiting(ended)).toBe(30)
      await dialog.getByRole('button', { name: 'Cancel 30 messages' }).click()
      await page.getByText('30 messages are canceled').waitFor()
      expect(await waiting(ended)).toBe(0)
      await page.getByRole('button', { name: 'Cancel 30 waiting' }).waitFor({ state: 'detached' })
    })

    test('a hundred thousand rows are checked while the page answers', async () => {
      const lines = [
        'id,email,name',
        ...Array.from({ length: 100_000 }, (_, n) => `u-${n},u-${n}@example.com,Name ${n}`),
      ]
      await start(csv('large.csv', lines))
      // The page draws between the parts: a check in one piece would show its end only.
      const seen = page.evaluate<number>(`(async () => {
        const texts = new Set()
        while (!document.body.innerText.includes('All 100,000 users')) {
          await new Promise((resolve) => setTimeout(resolve, 10))
          const [text] = document.body.innerText.match(/[0-9,]+ rows checked/) ?? []
          if (text) texts.add(text)
        }
        return texts.size
      })()`)
      await page.getByText('All 100,000 users are ready.').waitFor({ timeout: 60_000 })
      expect(await seen).toBeGreaterThan(3)
    })

    test('a viewer starts and stops nothing', async () => {
      const { key } = await app.client.keys.create({ name: 'reader', kind: 'published', role: 'viewer' })
      const [job] = (await app.client.bulk.list({ limit: 1 })).items
      await context.clearCookies()
      await page.goto(`${app.url}/app/bulk`)
      await page.getByLabel('API key').fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('grid', { name: 'Bulk jobs' }).getByText('spring').first().waitFor()
      expect(await page.getByRole('button', { name: 'Create bulk job' }).first().isDisabled()).toBe(true)
      await page.goto(`${app.url}/app/bulk/${job?.jobId}?tab=users`)
      await page.getByRole('grid', { name: 'Users' }).waitFor()
      expect(await page.getByRole('button', { name: 'Download as CSV' }).count()).toBe(0)
    })

    test('no script failed and the policy of the page refused nothing', () => expect(pageErrors).toEqual([]))
  })
})
