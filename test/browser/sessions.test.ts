/** A session in a browser: calls of the server's own pages work, and no page of another origin uses its cookie. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { type OtherOrigin, serveOtherOrigin } from './other-origin.ts'

interface Attempt {
  method: string
  path: string
  mode: 'cors' | 'no-cors'
  headers?: Record<string, string>
  body?: string
}

describe.skipIf(!hasBrowser)('in a browser that is signed in', () => {
  withApp((open) => {
    let app: App
    let browser: Browser
    let context: BrowserContext
    let ownPage: Page
    let other: OtherOrigin

    beforeAll(async () => {
      app = await open()
      browser = await openBrowser()
      other = await serveOtherOrigin()
    })
    afterAll(async () => {
      await browser?.close()
      other?.close()
    })
    beforeEach(async () => {
      await context?.close()
      context = await browser.newContext()
      ownPage = await context.newPage()
      await ownPage.goto(`${app.url}/livez`)
      expect(await signIn(ownPage)).toBe(201)
    })

    const signIn = (page: Page) =>
      page.evaluate(
        async ([url, key]) =>
          (
            await fetch(`${url}/session`, {
              method: 'POST',
              credentials: 'include',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ key }),
            })
          ).status,
        [app.url, app.apiKey] as const,
      )

    const calledBy = (page: Page, { path, ...attempt }: Attempt): Promise<number | 'opaque' | 'blocked'> =>
      page.evaluate(
        async ([url, init]) =>
          fetch(url, { ...init, credentials: 'include' }).then(
            ({ status, type }) => (type === 'opaque' ? ('opaque' as const) : status),
            () => 'blocked' as const,
          ),
        [app.url + path, attempt] as const,
      )

    const identity: Attempt = { method: 'GET', path: '/session', mode: 'cors', headers: { 'x-postrider-session': '1' } }

    test('its own page reads and writes, and no script sees the cookie', async () => {
      expect(await calledBy(ownPage, identity)).toBe(200)
      const put = { path: '/lists/own', body: '{"name":"Own"}', headers: identity.headers ?? {} }
      expect(await calledBy(ownPage, { method: 'PUT', mode: 'cors', ...put })).toBe(204)
      expect(await ownPage.evaluate('document.cookie')).toBe('')
      expect(await calledBy(ownPage, { ...identity, headers: {} })).toBe(403)
    })

    // The browser sends the cookie to every port of a host, so only the first of them is one that it does not protect.
    describe.each([
      ['another port of the host', () => `http://127.0.0.1:${other.port}`],
      ['another host', () => `http://localhost:${other.port}`],
    ])('%s', (_title, origin) => {
      const body = JSON.stringify({ event: 'welcome', recipient: 'reached-by-a-page' })
      const plain = { 'content-type': 'text/plain' }
      const attempts: [string, Attempt, 'opaque' | 'blocked'][] = [
        ['reads without a preflight', { method: 'GET', path: '/messages', mode: 'no-cors' }, 'opaque'],
        [
          'sends without a preflight',
          { method: 'POST', path: '/send', mode: 'no-cors', headers: plain, body },
          'opaque',
        ],
        ['reads', { ...identity, headers: {} }, 'blocked'],
        ['reads with the header', identity, 'blocked'],
        ['sends with the header', { ...identity, method: 'POST', path: '/send', body }, 'blocked'],
        ['signs out', { ...identity, method: 'DELETE' }, 'blocked'],
      ]

      test('no call of it has an effect or gives anything away', async () => {
        const page = await context.newPage()
        const answers: number[] = []
        page.on('response', (response) => answers.push(response.status()))
        await page.goto(origin())
        answers.length = 0
        for (const [title, attempt, outcome] of attempts)
          expect([title, await calledBy(page, attempt)]).toEqual([title, outcome])
        // Preflight requests are answered; nothing else is.
        expect(answers.filter((status) => ![204, 401, 403].includes(status))).toEqual([])
        expect((await app.call('GET', '/messages?recipient=reached-by-a-page')).json.results).toEqual([])
        expect(await calledBy(ownPage, identity)).toBe(200)
      })

      test('a form of it sends nothing and signs in to nothing', async () => {
        const another = await app.key('mock')
        const forms = [
          ['/send', body],
          ['/session', JSON.stringify({ key: another.apiKey })],
        ] as const
        for (const [path, text] of forms) {
          const page = await context.newPage()
          await page.goto(origin())
          const answered = page.waitForResponse(app.url + path)
          // The form writes `name=value`; the sign between them becomes part of a string.
          const [name, value] = [text.slice(0, -2), text.slice(-2)].map((part) => part.replaceAll('"', '&quot;'))
          const field = `<input name="${name}" value="${value}">`
          await page.setContent(`<form method="post" enctype="text/plain" action="${app.url + path}">${field}</form>`)
          await page.evaluate('document.forms[0].submit()')
          expect([401, 403]).toContain((await answered).status())
        }
        expect((await app.call('GET', '/messages?recipient=reached-by-a-page')).json.results).toEqual([])
        const kind = await ownPage.evaluate(
          `fetch('/session', { headers: { 'x-postrider-session': '1' } }).then((reply) => reply.json()).then((it) => it.kind)`,
        )
        expect(kind).toBe('published')
      })
    })
  })
})
