/** The page that links in messages lead to, in a browser without JavaScript: choices, unsubscribing, undo, any language, narrow screens. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiCaller, apiCaller, mustCall } from '../support/api-client.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'
import { hasBrowser, openBrowser } from './chromium.ts'

const key = 'pk_prod_pages-0123456789abcdef'
const publicUrl = 'https://post.example.com'

describe.skipIf(!hasBrowser)('in a browser without JavaScript', () => {
  let server: ServerProcess
  let folder: string
  let browser: Browser
  let api: ApiCaller
  const topics: Record<string, string> = {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-pages-'))
    browser = await openBrowser()
    server = await startServer({
      env: {
        POSTRIDER_DATA_DIR: join(folder, 'data'),
        POSTRIDER_API_KEY: key,
        POSTRIDER_PUBLIC_URL: publicUrl,
        POSTRIDER_LOG_LEVEL: 'debug',
      },
    })
    api = apiCaller(server.url, key)
    const section = { name: 'Shop <b>', routing_options: ['email', 'sms'], has_custom_routing: true }
    const { id } = await mustCall(api, 'POST', '/preferences/sections', section)
    const byChannel = { allowed_preferences: ['channel_preferences'] }
    for (const [name, more] of Object.entries({
      News: { default_status: 'OPTED_IN', ...byChannel },
      Offers: { default_status: 'OPTED_OUT' },
      Security: { default_status: 'REQUIRED' },
    }))
      topics[name] = (await mustCall(api, 'POST', `/preferences/sections/${id}/topics`, { name, ...more })).id
    const settings = { colors: { primary: '#7a1f6b' } }
    await mustCall(api, 'POST', '/brands', { id: 'acme', name: 'Acme brand', settings })
    await mustCall(api, 'PUT', '/tenants/acme', { name: 'Acme & Söhne', brand_id: 'acme' })
  })
  afterAll(async () => {
    await browser?.close()
    server?.kill()
    await server?.exited
    await rm(folder, { recursive: true, force: true })
  })

  /** The links in a message, at the address of this server. */
  async function linksTo(user: string, locale?: string) {
    const message = {
      to: { user_id: user, email: `${user}@example.com` },
      content: { title: 'News', body: '{unsubscribe_url} {preferences_url}' },
      preferences: { subscription_topic_id: topics.News },
      context: { tenant_id: 'acme' },
      routing: { method: 'single', channels: ['email'] },
    }
    if (locale) await mustCall(api, 'PUT', `/profiles/${user}`, { profile: { locale } })
    const { requestId } = await mustCall(api, 'POST', '/send', { message })
    const outputs = await until(
      () => mustCall(api, 'GET', `/messages/${requestId}/output`),
      ({ results }) => results.length > 0,
    )
    const [, unsubscribe = '', preferences = ''] =
      /(https:\S+\/u\/\S+) (https:\S+\/p\/\S+)/.exec(outputs.results[0].content.text) ?? []
    return {
      id: requestId as string,
      unsubscribe: unsubscribe.replace(publicUrl, server.url),
      preferences: preferences.replace(publicUrl, server.url),
    }
  }

  async function look(url: string, at: BrowserContextOptions, see: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ javaScriptEnabled: false, ...at })
    try {
      const page = await context.newPage()
      page.setDefaultTimeout(10_000)
      const pageErrors: string[] = []
      page.on('console', (line) => {
        if (line.type() === 'error') pageErrors.push(line.text())
      })
      await page.goto(url)
      await see(page)
      expect(pageErrors).toEqual([])
    } finally {
      await context.close()
    }
  }

  const statuses = async (user: string) =>
    Object.fromEntries(
      (await mustCall(api, 'GET', `/users/${user}/preferences?tenant_id=acme`)).items.map(
        ({ topic_name, status, custom_routing }: { topic_name: string; status: string; custom_routing: string[] }) => [
          topic_name,
          [status, ...custom_routing].join(' '),
        ],
      ),
    )

  test('one button unsubscribes, another one takes it back; the token is in no log', async () => {
    const links = await linksTo('ada')
    await look(links.unsubscribe, {}, async (page) => {
      expect(await page.title()).toBe('Your preferences · Acme & Söhne')
      await page.getByRole('button', { name: 'Unsubscribe from News' }).click()
      expect(await page.getByRole('status').textContent()).toContain('You are unsubscribed from News.')
      expect(await statuses('ada')).toMatchObject({ News: 'OPTED_OUT', Offers: 'OPTED_OUT' })
      await page.getByRole('button', { name: 'Undo' }).click()
      expect(await page.getByRole('status').textContent()).toContain('restored')
      expect(await statuses('ada')).toMatchObject({ News: 'OPTED_IN' })
    })
    const { results } = await mustCall(api, 'GET', '/users/ada/preference-history')
    const by = { source: 'page', actor: 'recipient', message_id: links.id, ip: '127.0.0.1', tenant_id: 'acme' }
    expect(results).toMatchObject([
      { ...by, status: null },
      { ...by, status: 'OPTED_OUT', user_agent: expect.stringContaining('Chrome') },
    ])
    const token = links.unsubscribe.split('/u/')[1] ?? ''
    expect(token.length).toBeGreaterThan(50)
    expect(server.output()).not.toContain(token)
  })

  test('topics and channels are chosen and saved; required ones are fixed', async () => {
    const { preferences } = await linksTo('bob')
    await look(preferences, {}, async (page) => {
      expect(await page.getByRole('checkbox', { name: 'Security Always sent' }).isDisabled()).toBe(true)
      await page.getByRole('checkbox', { name: 'Offers' }).check()
      await page.getByRole('group', { name: 'Channels for News' }).getByLabel('Email').uncheck()
      await page.getByRole('button', { name: 'Save' }).click()
      expect(await page.getByRole('status').textContent()).toContain('saved')
      expect(await statuses('bob')).toMatchObject({ News: 'OPTED_IN sms', Offers: 'OPTED_IN' })
      await page.getByRole('button', { name: 'Unsubscribe from all' }).click()
      expect(await statuses('bob')).toMatchObject({ News: 'OPTED_OUT sms', Offers: 'OPTED_OUT', Security: 'REQUIRED' })
      await page.getByRole('button', { name: 'Undo' }).click()
      expect(await statuses('bob')).toMatchObject({ News: 'OPTED_IN sms', Offers: 'OPTED_IN' })
    })
  })

  test('a form without its token, or with that of another link, changes nothing', async () => {
    const [mine, other] = await Promise.all([linksTo('cy'), linksTo('dee')])
    const form = /name="form" value="([^"]+)"/.exec(await (await fetch(other.preferences)).text())?.[1] ?? ''
    expect(form).not.toBe('')
    for (const token of ['', form]) {
      const body = new URLSearchParams({ action: 'unsubscribe_all', form: token })
      const text = await (await fetch(mine.preferences, { method: 'POST', body })).text()
      expect(text).toContain('role="alert"')
    }
    expect(await statuses('cy')).toMatchObject({ News: 'OPTED_IN' })
    const headers = (await fetch(mine.preferences)).headers
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
  })

  test.each([
    ['de', 'ltr', 'Speichern'],
    ['fr-CA', 'ltr', 'Enregistrer'],
    ['es', 'ltr', 'Guardar'],
    ['ar', 'rtl', 'حفظ'],
    ['xx', 'ltr', 'Save'],
  ])('in %s, at 400 pixels, on a dark screen', async (locale, dir, save) => {
    const { preferences } = await linksTo(`user-${locale}`, locale)
    const narrow = { viewport: { width: 400, height: 800 }, colorScheme: 'dark' as const, locale: 'en' }
    await look(preferences, narrow, async (page) => {
      const html = page.locator('html')
      expect(await html.getAttribute('dir')).toBe(dir)
      const button = page.getByRole('button', { name: save, exact: true })
      const box = await button.boundingBox()
      expect(box && box.x >= 0 && box.x + box.width <= 400 && box.height >= 44).toBe(true)
      const wide = await page.locator('main').boundingBox()
      expect(wide && wide.width <= 400).toBe(true)
    })
  })

  /** Rules of WCAG and of good practice that the page breaks, with the parts that break them. */
  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe.source)
    const results = await page.evaluate<AxeResults>('axe.run()')
    expect(results.passes.length).toBeGreaterThan(10)
    return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  }

  test.each(['en', 'de', 'fr', 'es', 'it', 'ar'])('axe finds nothing in %s, light and dark', async (locale) => {
    const links = await linksTo(`axe-${locale}`, locale)
    for (const colorScheme of ['light', 'dark'] as const) {
      const violationsByPage: Record<string, string[]> = {}
      // The page has no script; axe is one.
      const at = { javaScriptEnabled: true, colorScheme, viewport: { width: 400, height: 800 } }
      await look(links.unsubscribe, at, async (page) => {
        expect(await page.locator('html').getAttribute('lang')).toBe(locale)
        violationsByPage.choices = await violations(page)
        await page.locator('button').first().click()
        await page.getByRole('status').waitFor()
        violationsByPage.unsubscribed = await violations(page)
      })
      const broken = `${links.unsubscribe.slice(0, -4)}AAAA`
      const context = await browser.newContext({ ...at, locale })
      try {
        const page = await context.newPage()
        await page.goto(broken)
        violationsByPage.invalid = await violations(page)
      } finally {
        await context.close()
      }
      expect(violationsByPage).toEqual({ choices: [], unsubscribed: [], invalid: [] })
    }
  })

  /** Presses the tab key until this has the focus, which is to be seen. */
  async function tabTo(page: Page, target: Locator): Promise<void> {
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab')
      const isFocused = await target.evaluate((node) => node === node.ownerDocument.activeElement)
      if (!isFocused) continue
      expect(await target.evaluate((node) => node.ownerDocument.defaultView?.getComputedStyle(node).outlineStyle)).toBe(
        'solid',
      )
      return
    }
    throw new Error(`The tab key does not lead to ${target}`)
  }

  test('everything can be done with the keyboard alone', async () => {
    const links = await linksTo('kay')
    await look(links.preferences, {}, async (page) => {
      await tabTo(page, page.getByRole('checkbox', { name: 'Offers' }))
      await page.keyboard.press('Space')
      await tabTo(page, page.getByRole('button', { name: 'Save' }))
      await page.keyboard.press('Enter')
      await page.getByRole('status').waitFor()
      expect(await statuses('kay')).toMatchObject({ News: expect.stringContaining('OPTED_IN'), Offers: 'OPTED_IN' })
    })
    await look(links.unsubscribe, {}, async (page) => {
      await tabTo(page, page.getByRole('button', { name: 'Unsubscribe from News' }))
      await page.keyboard.press('Enter')
      await page.getByRole('status').waitFor()
      expect(await statuses('kay')).toMatchObject({ News: expect.stringContaining('OPTED_OUT') })
      await tabTo(page, page.getByRole('button', { name: 'Undo' }))
      await page.keyboard.press('Enter')
      await page.getByText('restored').waitFor()
      expect(await statuses('kay')).toMatchObject({ News: expect.stringContaining('OPTED_IN') })
    })
  })
})
