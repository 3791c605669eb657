/** The person on call acts on the installation in the dashboard: pause and resume, a backup that restores, a node that was killed. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Postrider } from '@postrider/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseEnvironment, newDataFolder } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from '../system/templates.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

const apiKey = 'pk_prod_operations-0123456789abcdef'
const PAGES = ['', 'send', 'messages', 'mailbox', 'integrations', 'templates', 'users', 'system', 'audit', 'keys']

describe.skipIf(!hasBrowser)('operations in the dashboard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-operations-'))
  let dataFolder: string
  let server: ServerProcess
  let client: Postrider
  let peer: Recorder
  let browser: Browser
  let page: Page
  const pageErrors: string[] = []

  beforeAll(async () => {
    dataFolder = await newDataFolder()
    const env = { POSTRIDER_DATA_DIR: dataFolder, POSTRIDER_API_KEY: apiKey, POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true' }
    ;[server, peer, browser] = await Promise.all([startServer({ env }), startRecorder(), openBrowser()])
    client = new Postrider({ baseUrl: server.url, apiKey })
    await integrate(client, { provider: 'webhook', settings: { url: `${peer.url}/hook` } })
    await publish(client, 'greeting', { channels: ['webhook'] })
    page = await newPage(server.url, apiKey)
  })
  afterAll(async () => {
    await browser?.close()
    server?.kill('SIGKILL')
    await peer?.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function newPage(url: string, key: string): Promise<Page> {
    const fresh = await (await signedIn(browser, url, key)).newPage()
    fresh.setDefaultTimeout(20_000)
    pageErrorsOf(fresh, undefined, pageErrors)
    return fresh
  }
  const bar = (on: Page) => on.getByRole('status').filter({ hasText: 'Deliveries are paused: sends are accepted' })

  test('paused after a confirmation; every page says so, also to a viewer, until it is resumed', async () => {
    await page.goto(`${server.url}/app/system`)
    await page.getByRole('button', { name: 'Pause deliveries' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.textContent()).toContain('nothing leaves any more')
    await dialog.getByRole('button', { name: 'Go back' }).click()
    expect(await client.service.readyz()).toEqual({ status: 'ok' })
    await page.getByRole('button', { name: 'Pause deliveries' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause deliveries' }).click()
    await bar(page).waitFor()
    await page.getByText('Deliveries are paused by the key').waitFor()
    expect(await page.getByRole('button', { name: 'Pause deliveries' }).count()).toBe(0)
    const { messageId } = await client.send({ event: 'greeting', recipient: 'waiting' })
    for (const name of PAGES) {
      await page.goto(`${server.url}/app/${name}`)
      await bar(page).waitFor()
    }
    const { key } = await client.keys.create({ name: 'viewer', role: 'viewer' })
    const other = await newPage(server.url, key)
    await other.goto(`${server.url}/app/messages`)
    await bar(other).waitFor()
    expect(await other.getByRole('button', { name: 'Resume deliveries' }).count()).toBe(0)
    expect(peer.all).toEqual([])

    await page.getByRole('button', { name: 'Resume deliveries' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume deliveries' }).click()
    await bar(page).waitFor({ state: 'detached' })
    await until(
      () => client.messages.get(messageId),
      ({ status }) => status === 'DELIVERED',
    )
    await bar(other).waitFor({ state: 'detached' })
    const { results } = await client.auditEvents.list()
    expect(results.filter(({ type }) => type.startsWith('deliveries:'))).toMatchObject([
      { type: 'deliveries:resumed', source: 'dashboard' },
      { type: 'deliveries:paused', source: 'dashboard' },
    ])
  })

  test('a backup downloaded in the browser restores', { timeout: 120_000 }, async () => {
    await page.goto(`${server.url}/app/system`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download a backup' }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^postrider-\d{4}-\d\d-\d\d\.tar\.gz$/)
    const copy = join(folder, 'backup.tar.gz')
    await file.saveAs(copy)
    expect(statSync(copy).size).toBeGreaterThan(1_000_000)
    await page.getByText('The secret key is not in it').waitFor()
    await page.getByText('Last backup').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Download a backup')
    const data = mkdtempSync(join(folder, 'data-'))
    await promisify(execFile)('tar', ['-xzf', copy, '-C', data])
    copyFileSync(join(dataFolder, 'secret.key'), join(data, 'secret.key'))
    const restored = await startServer({ env: { POSTRIDER_DATA_DIR: data }, args: ['serve', '--paused'] })
    try {
      const there = new Postrider({ baseUrl: restored.url, apiKey })
      const { results } = await client.messages.list()
      expect(results).toHaveLength(1)
      expect((await there.messages.list()).results).toEqual(results)
    } finally {
      restored.kill('SIGKILL')
    }
    const { results } = await client.auditEvents.list()
    expect(results[0]).toMatchObject({ type: 'database:copied', source: 'dashboard' })
  })

  test('a node that is killed is named, with its messages until they are taken over', {
    timeout: 240_000,
  }, async () => {
    const shared = { POSTRIDER_API_KEY: apiKey, POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true', POSTRIDER_LEASE_SECONDS: '75' }
    const env = { ...(await databaseEnvironment()), ...shared }
    const first = await startServer({ env })
    const onFirst = new Postrider({ baseUrl: first.url, apiKey })
    await integrate(onFirst, { provider: 'webhook', settings: { url: `${peer.url}/slow` } })
    await publish(onFirst, 'greeting', { channels: ['webhook'] })
    // It works on the messages, and the other node does not before their leases end.
    peer.answer('/slow', { delayMs: 10_000 })
    const sent = await Promise.all(
      Array.from({ length: 3 }, (_, n) => onFirst.send({ event: 'greeting', recipient: `user-${n}` })),
    )
    await until(
      async () => peer.all.filter(({ path }) => path === '/slow').length,
      (count) => count === 3,
    )
    const second = await startServer({ env })
    try {
      const { node: killed } = await onFirst.system.get()
      first.kill('SIGKILL')
      await first.exited
      peer.answer('/slow', { delayMs: 0 })
      const other = await newPage(second.url, apiKey)
      await other.goto(`${second.url}/app/system`)
      const finding = (text: string) => other.getByRole('list', { name: 'Findings' }).getByText(text)
      await finding(`Node ${killed} has not reported for`).waitFor({ timeout: 60_000 })
      await other.getByRole('row', { name: killed }).getByText('Silent').waitFor()
      await finding(`Node ${killed} died without stopping; of its messages, 3 have not been taken over yet`).waitFor({
        timeout: 90_000,
      })
      await finding(`Node ${killed} died without stopping; living nodes have taken over its messages`).waitFor({
        timeout: 90_000,
      })
      const onSecond = new Postrider({ baseUrl: second.url, apiKey })
      for (const { messageId } of sent)
        await until(
          () => onSecond.messages.get(messageId),
          ({ status }) => status === 'DELIVERED',
        )
    } finally {
      second.kill('SIGKILL')
    }
  })

  test('no script failed', () => expect(pageErrors).toEqual([]))
})
