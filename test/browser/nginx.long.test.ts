/** The dashboard below a path of nginx with TLS, as the guide to production sets it up. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeBlocks, root } from '../documents/markdown.ts'
import { freePort } from '../support/free-port.ts'
import { type Nginx, startNginx } from '../support/peers/nginx.ts'
import { hasBrowser } from './chromium.ts'
import { type DashboardServer, pageErrorsOf, startDashboard } from './dashboard-server.ts'

const UPSTREAM = 'http://127.0.0.1:4600'

/** The site and the public address of the guide. */
function readGuide(): { site: string; publicUrl: URL } {
  const blocks = codeBlocks(readFileSync(join(root, 'docs/guides/production.md'), 'utf8'))
  const at = blocks.findIndex(({ language }) => language === 'nginx')
  const [site = '', command = ''] = blocks.slice(at, at + 2).map(({ text }) => text)
  return { site, publicUrl: new URL(/POSTRIDER_PUBLIC_URL=(\S+)/.exec(command)?.[1] ?? '') }
}

describe.skipIf(!hasBrowser)('below a path of nginx', () => {
  let dashboard: DashboardServer
  let nginx: Nginx
  let url: string
  let context: BrowserContext
  let page: Page
  let pageErrors: string[]

  beforeAll(async () => {
    const { site, publicUrl } = readGuide()
    expect(site).toContain(UPSTREAM)
    const [port, upstreamPort] = [await freePort(), await freePort()]
    url = `https://127.0.0.1:${port}${publicUrl.pathname}`
    nginx = await startNginx(port, site.replace(UPSTREAM, `http://127.0.0.1:${upstreamPort}`))
    dashboard = await startDashboard({ POSTRIDER_PUBLIC_URL: url, POSTRIDER_PORT: String(upstreamPort) })
    context = await dashboard.browser.newContext({
      ...{ locale: 'en-US', ignoreHTTPSErrors: true, viewport: { width: 1400, height: 900 } },
    })
    page = await context.newPage()
    // The first question of a browser without a session.
    pageErrors = pageErrorsOf(page, (text) => text.includes('401'))
  })
  afterAll(async () => {
    await dashboard?.close()
    await nginx?.close()
  })

  const heading = (name: string | RegExp) => page.getByRole('heading', { name }).waitFor()
  const mail = () => page.frameLocator('iframe[title="Rendered mail"]')
  const call = (method: string, path: string, data?: object) =>
    context.request.fetch(url + path, {
      ...{ method, headers: { authorization: `Bearer ${dashboard.apiKey}` } },
      ...(data && { data }),
    })

  test('a sign-in link leads there, and its cookie goes over HTTPS only, to no script and to no other site', async () => {
    const link = (await dashboard.client.sessions.createLink()).url
    expect(link).toMatch(`${url}/app/#link=`)
    await page.goto(link)
    await heading('Start')
    expect(page.url()).toBe(`${url}/app/`)
    expect(await context.cookies()).toEqual([
      expect.objectContaining({
        name: expect.stringMatching(/^__Host-postrider_session.*notify$/),
        ...{ path: '/', secure: true, httpOnly: true, sameSite: 'Strict' },
      }),
    ])
  })

  test('the first message is sent from Start, seen and explained', async () => {
    await page.getByRole('button', { name: 'Send welcome to Ada' }).click()
    await page.getByText(/^It works: Welcome was delivered/).waitFor()
    await mail().getByText('it is good to have you here').waitFor()
    await page.getByRole('link', { name: 'Why this way?' }).click()
    await heading(/^Delivered by email through Mailbox/)
  })

  test('a send is explained while it is filled in, and sent by its key', async () => {
    await dashboard.client.profiles.replace('grace', { profile: { email: 'grace@example.com' } })
    for (const key of 'gn') await page.keyboard.press(key)
    await page.getByRole('combobox', { name: 'Template or event' }).focus()
    await page.keyboard.type('welcome')
    await page.keyboard.press('Tab')
    await page.keyboard.type('grace')
    await heading(/^Would go to grace by email through Mailbox/i)
    await page.keyboard.press('Control+Enter')
    await heading(/^Delivered by email through Mailbox/)
  })

  test('the page of a message shows by itself that it was canceled, and a deep address is loaded again', async () => {
    const { messageId } = await dashboard.client.send({
      ...{ event: 'welcome', recipient: 'ada' },
      delay: { duration: 3_600_000 },
    })
    await page.goto(`${url}/app/messages/${messageId}`)
    await heading(/^Waits until /)
    await dashboard.client.messages.cancel(messageId)
    await heading(/^Canceled by the key first key/)
    await page.reload()
    await heading(/^Canceled by the key first key/)
  })

  test('the mailbox shows a mail in its frame, with its pictures, after a reload, too', async () => {
    for (const key of 'gx') await page.keyboard.press(key)
    const row = page.getByRole('grid', { name: 'Caught messages, newest first' }).getByRole('link').last()
    await row.click()
    await page.waitForURL(`${url}/app/mailbox/*`)
    await mail().getByText('it is good to have you here').waitFor()
    await page.getByRole('switch', { name: 'Remote pictures' }).click({ force: true })
    await page.locator('iframe[src$="?images=1"]').waitFor()
    await mail().getByText('it is good to have you here').waitFor()
    await page.reload()
    await mail().getByText('it is good to have you here').waitFor()
  })

  test('an id with a slash is found, and a body as large as the API takes arrives', async () => {
    expect((await call('PUT', '/profiles/a%2Fb', { profile: { name: 'Slash' } })).status()).toBe(200)
    await page.goto(`${url}/app/users/a%2Fb`)
    await heading(/Slash/)
    const to = { email: 'ada@example.com' }
    const message = (length: number) => ({
      message: { to, content: { title: 'Large', body: 'Hello' }, data: { text: 'x'.repeat(length) } },
    })
    expect((await call('POST', '/send', message(5_900_000))).status()).toBe(202)
    const refused = await call('POST', '/send', message(6_600_000))
    expect([refused.status(), refused.headers()['content-type']]).toEqual([413, 'application/json'])
  })

  test('the paths of operators stay inside, and a caller of the proxy has no rights of a program on the machine', async () => {
    for (const path of ['/metrics', '/metrics/', '//metrics', '/%6detrics', '/diagnostics'])
      expect([path, (await call('GET', path)).status()]).toEqual([path, 404])
    expect((await call('GET', '/metrics/summary')).status()).toBe(200)
  })

  test('the sign-out ends the session, and removes its cookie', async () => {
    await page.goto(`${url}/app/`)
    await page.getByRole('button', { name: 'Full access' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    await page.goto(url)
    await page.getByLabel('API key').waitFor()
    expect([page.url(), await context.cookies()]).toEqual([`${url}/app/`, []])
  })

  test('nothing was requested beside the path, no script failed, and nothing was refused by a policy', () => {
    const paths = nginx.paths()
    const { pathname } = new URL(url)
    expect(paths.length).toBeGreaterThan(50)
    expect([paths.filter((path) => !`${path}/`.startsWith(`${pathname}/`)), pageErrors]).toEqual([[], []])
  })
})
