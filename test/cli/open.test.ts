/** `postrider open`: a link for the key in use, or for the operator of the machine, and the browser of a person at a screen. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Postrider } from '@postrider/client'
import { findCluster } from '@postrider/server'
import { expect, test } from 'vitest'
import { openApp, withApp } from '../support/app.ts'
import { newDataFolder } from '../support/databases.ts'
import { withBrowser } from './fake-browser.ts'
import { json, run } from './in-process.ts'

interface Link {
  url: string
  expires: number
}

/** The identity that a link signs in to. */
const signedIn = (baseUrl: string, link: string) =>
  new Postrider({ baseUrl, session: true, retries: 0 }).sessions.signIn({ link })

withApp((open) => {
  test('with a key, the link signs in with that key', async () => {
    const app = await open()
    const { key } = await app.client.keys.create({ name: 'support', role: 'viewer' })
    const env = { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: key }
    const { url, expires } = await json<Link>(['open'], { env })
    expect(url).toMatch(/\/app\/#link=[\w-]{22}$/)
    expect(expires).toEqual(expect.any(Number))
    expect(await signedIn(app.url, url)).toMatchObject({ role: 'viewer', key: { name: 'support' } })
    const printed = await run(['open'], { env })
    expect(printed).toMatchObject({ code: 0, out: expect.stringMatching(/#link=[\w-]{22}\n\n.*once, within ten min/) })
  })

  test('without a key, beside the server of this machine, it signs in with the oldest key that may do everything', async () => {
    const folder = { POSTRIDER_DATA_DIR: await newDataFolder() }
    const app = await openApp({ env: folder })
    try {
      const env = { ...folder, POSTRIDER_PORT: new URL(app.url).port }
      const { url } = await json<Link>(['open'], { env })
      expect(await signedIn(app.url, url)).toMatchObject({ role: 'full', key: { name: 'first key' } })
      const [event] = (await app.client.auditEvents.list({ type: ['key:link_created'] })).results
      expect(event).toMatchObject({ source: 'cli', actor: { id: 'operator' } })
      // A server on another database: one that does not exist, and one that is stopped, with what a kill left behind.
      const stopped = { POSTRIDER_DATA_DIR: await newDataFolder() }
      const other = await openApp({ env: stopped })
      await other.stop()
      for (const leftBehind of [false, true]) {
        const pidFile = join(findCluster(stopped.POSTRIDER_DATA_DIR)?.folder ?? '', 'postmaster.pid')
        if (leftBehind) writeFileSync(pidFile, '999999\n/nowhere\n0\n5432\n')
        for (const dataDir of ['/nowhere/data', stopped.POSTRIDER_DATA_DIR]) {
          const elsewhere = await run(['open'], { env: { ...env, POSTRIDER_DATA_DIR: dataDir } })
          expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining('There is no API key') })
        }
      }
    } finally {
      await app.stop()
    }
  })

  test('without a server there is nothing to open', async () => {
    const { code, err } = await run(['open'], { env: { POSTRIDER_PORT: '1' } })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('No Postrider server responds') })
  })

  test.runIf(process.platform === 'linux')('in a terminal with a screen, the browser gets the link', async () => {
    const app = await open()
    await withBrowser(async ({ env, address }) => {
      const access = { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey }
      const { code, out } = await run(['open'], { env: { ...env, ...access } })
      expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('/app/#link=') })
      expect(await address()).toBe(out.split('\n', 1)[0])
    })
  })
})
