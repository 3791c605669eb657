/** The sign-in of the dashboard: links beside a session, and what pages of others could do with it. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { type OtherOrigin, serveOtherOrigin } from './other-origin.ts'

/** Resolves to the server: an attacker's name, once its address was changed. */
const REBOUND = 'rebound.example'
/** A name of the network, as in an office. */
const NAMED = 'postrider.test'

describe.skipIf(!hasBrowser)('the sign-in of the dashboard', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let context: BrowserContext
    let other: OtherOrigin

    beforeAll(async () => {
      app = await open()
      browser = await openBrowser([`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1, MAP ${NAMED} 127.0.0.1`])
      other = await serveOtherOrigin()
    })
    afterAll(async () => {
      await browser?.close()
      other?.close()
    })
    beforeEach(async () => {
      await context?.close()
      context = await browser.newContext({ locale: 'en-US', viewport: { width: 1400, height: 900 } })
    })

    const newLink = async (client = app.client) => {
      const { url } = await client.sessions.createLink()
      return `${app.url}/app/${new URL(url).hash}`
    }
    async function at(address: string, where = context): Promise<Page> {
      const page = await where.newPage()
      page.setDefaultTimeout(20_000)
      await page.goto(address)
      return page
    }
    const home = (page: Page) => page.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    const form = (page: Page) => page.getByLabel('API key').waitFor()

    test('a link that signed in is not in the history', async () => {
      const page = await at(await newLink())
      await home(page)
      await page.goto('about:blank')
      await page.goBack()
      await home(page)
      expect(page.url()).toBe(`${app.url}/app/`)
    })

    test('a link that is pasted where the form is shown signs in, too', async () => {
      const page = await at(`${app.url}/app/`)
      await form(page)
      await page.goto(await newLink())
      await home(page)
    })

    test('a browser with a session shows a question before another key takes over', async () => {
      const { key } = await app.client.keys.create({ name: 'support', role: 'viewer' })
      const page = await at(`${app.url}/app/`)
      await page.getByLabel('API key').fill(key)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await home(page)
      const session = () =>
        page.evaluate(
          `fetch('/session', { headers: { 'x-postrider-session': '1' } }).then((reply) => reply.json()).then((it) => it.role)`,
        )
      const link = await newLink()
      await page.goto(link)
      await page.getByText('You are signed in with the key support.').waitFor()
      await page.getByRole('button', { name: 'Go back' }).click()
      expect(await session()).toBe('viewer')
      // It was not used by being opened.
      await page.goto(link)
      const loaded = page.waitForEvent('load')
      await page.getByRole('button', { name: 'Sign in with the link' }).click()
      await loaded
      await home(page)
      expect(await session()).toBe('full')
    })

    /** The page of a template, signed in with a key, whose changed name is not saved before `save` is called. */
    async function unsavedDraft(name: string) {
      const notification = { name: 'Before', content: { title: 'Before', body: 'Hello' } }
      const { id } = await app.client.notifications.create({ notification, state: 'PUBLISHED' })
      const { id: keyId, key } = await app.client.keys.create({ name })
      const page = await at(`${app.url}/app/templates/${id}?tab=details`)
      const signIn = async () => {
        await page.getByLabel('API key').fill(key)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      }
      let save = () => {}
      const late = new Promise<void>((resolve) => {
        save = resolve
      })
      await page.route(`**/notifications/${id}`, async (route) => {
        if (route.request().method() === 'PUT') await late
        await route.continue()
      })
      await signIn()
      const saving = page.waitForRequest((request) => request.method() === 'PUT')
      await page.getByLabel('Name', { exact: true }).fill('After')
      await saving
      return {
        ...{ page, keyId, signIn },
        async save() {
          const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
          save()
          return (await answered).status()
        },
        savedName: async () => (await app.client.notifications.get(id, { version: 'draft' })).name,
      }
    }
    const ended = (page: Page) => page.getByText('Your session has ended.')

    test.each([
      ['a session that has ended', true],
      ['a session that goes on', false],
    ])('a draft of one person is not saved with the key of a link, opened over %s', async (title, isRevoked) => {
      const { page, keyId, save, savedName } = await unsavedDraft(title)
      if (isRevoked) {
        await app.client.keys.revoke(keyId)
        // A session is read again when the page is looked at after more than a minute.
        await page.evaluate(`{
          const now = Date.now
          Date.now = () => now() + 3600000
          window.dispatchEvent(new Event('visibilitychange'))
        }`)
        await ended(page).waitFor()
      }
      // The save goes out when the cookie is the one of the link, and the page is not left yet.
      let status = 0
      await page.route('**/session', async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        const response = await route.fetch()
        status = await save()
        await route.fulfill({ response })
      })
      const loaded = page.waitForEvent('load')
      await page.evaluate(`location.hash = '${new URL(await newLink()).hash}'`)
      if (!isRevoked) await page.getByRole('button', { name: 'Sign in with the link' }).click()
      await loaded
      await home(page)
      expect([status, await savedName()]).toEqual([401, 'Before'])
    })

    test('a tab does not go on with the key of a link that another tab has opened', async () => {
      const { page, signIn, save, savedName } = await unsavedDraft('first tab')
      const second = await at(await newLink())
      const loaded = second.waitForEvent('load')
      await second.getByRole('button', { name: 'Sign in with the link' }).click()
      await loaded
      await home(second)
      expect([await save(), await savedName()]).toEqual([401, 'Before'])
      await ended(page).waitFor()
      await signIn()
      await ended(page).waitFor({ state: 'detached' })
      await expect.poll(savedName).toBe('After')
    })

    test('no page of another origin shows it in a frame', async () => {
      const page = await at(`http://127.0.0.1:${other.port}`)
      const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
      await page.setContent(`<iframe src="${app.url}/app/"></iframe>`)
      await refused
      expect(await page.frames()[1]?.title()).not.toBe('Postrider')
    })

    test('a name of others that resolves to this machine has no session and no rights of the machine', async () => {
      await home(await at(await newLink()))
      const page = await at(`${app.url.replace('127.0.0.1', REBOUND)}/app/`)
      await form(page)
      const call = (path: string) =>
        page.evaluate(`fetch('${path}', { headers: { 'x-postrider-session': '1' } }).then(({ status }) => status)`)
      expect([await call('/session'), await call('/messages'), await call('/metrics')]).toEqual([401, 401, 401])
    })

    test('over plain HTTP on a name of the network: a key signs in, a message is sent, and its id is copied', async () => {
      const notification = { name: 'Greeting', content: { title: 'Hello', body: 'Hello' } }
      const { id } = await app.client.notifications.create({ notification, state: 'PUBLISHED' })
      const url = app.url.replace('127.0.0.1', NAMED)
      const page = await at(`${url}/app/`)
      expect(await page.evaluate('[isSecureContext, navigator.clipboard === undefined]')).toEqual([false, true])
      await page.getByLabel('API key').fill(app.apiKey)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await home(page)
      await page.goto(`${url}/app/send?event=${id}&to=named`)
      await page.getByRole('heading', { level: 2, name: /^Would / }).waitFor()
      await page.keyboard.press('Control+Enter')
      const sent = () => app.client.messages.list({ recipient: 'named' })
      await expect.poll(async () => (await sent()).results.length).toBe(1)
      const [message] = (await sent()).results
      await page.goto(`${url}/app/messages/${message?.id}`)
      await page
        .getByRole('button', { name: `Copy: ${message?.id}` })
        .first()
        .click()
      await page.goto(`${url}/app/messages`)
      await page.getByRole('row').filter({ hasText: 'named' }).waitFor()
      await page.keyboard.press('/')
      await page.keyboard.press('ControlOrMeta+V')
      await expect.poll(() => page.evaluate('document.activeElement.value')).toBe(message?.id)
    })

    test('a cookie that a page of another port has set is worth nothing after the sign-in', async () => {
      const planted = 'p'.repeat(43)
      const name = await nameOfCookie()
      const theirs = await at(`http://127.0.0.1:${other.port}`)
      await theirs.evaluate(`document.cookie = '${name}=${planted}; path=/'`)
      const page = await at(await newLink())
      await home(page)
      const cookies = (await context.cookies(app.url)).filter((cookie) => cookie.name === name)
      expect(cookies).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Strict' })])
      expect(cookies[0]?.value).not.toBe(planted)
    })

    async function nameOfCookie(): Promise<string> {
      const elsewhere = await browser.newContext()
      await home(await at(await newLink(), elsewhere))
      const [cookie] = await elsewhere.cookies(app.url)
      await elsewhere.close()
      return cookie?.name ?? ''
    }

    test('a page whose key is revoked shows the sign-in at its next call', async () => {
      const { id, key } = await app.client.keys.create({ name: 'leaves' })
      const { url } = await app.client.sessions.createLink({ headers: { authorization: `Bearer ${key}` } })
      const page = await at(`${app.url}/app/${new URL(url).hash}`)
      await home(page)
      await app.client.keys.revoke(id)
      await page.getByText('Your session has ended.').waitFor()
    })
  })
})
