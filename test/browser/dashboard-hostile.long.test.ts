/** 500 hostile strings in every field that the API takes, rendered in every view of the dashboard: nothing runs, breaks or overflows. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { hasBrowser } from './chromium.ts'
import { type DashboardServer, inParallel, startDashboard } from './dashboard-server.ts'
import { type HostileData, makeHostileData, spread } from './hostile-data.ts'
import { TALL_PHONE, type WatchedPage, watchedPage } from './hostile-page.ts'
import { HOSTILE_COUNT, hostileStrings, storableStrings } from './hostile-strings.ts'

const PAGES_AT_ONCE = 3
/** Pages of one thing that are opened in a view beside the first, which shows all groups. */
const GROUPS_OF_A_TAB = 2
const PROBLEMS_SHOWN = 4

describe.skipIf(!hasBrowser)('hostile strings in the dashboard', () => {
  let dashboard: DashboardServer
  let engine: Awaited<ReturnType<typeof engineOn>>
  let context: BrowserContext
  let data: HostileData

  beforeAll(async () => {
    const env = await databaseEnvironment()
    dashboard = await startDashboard(env)
    engine = await engineOn(env.POSTRIDER_DATABASE_URL)
    data = await makeHostileData(dashboard.client, dashboard.peers, engine)
    context = await dashboard.signedIn({ viewport: TALL_PHONE })
  }, 300_000)
  afterAll(async () => {
    await engine?.close()
    await dashboard?.close()
  })

  /** Works with a watched page for each view; the strings that were to be read, and the problems, by view. */
  async function inViews(
    views: readonly string[],
    work: (watched: WatchedPage, view: string) => Promise<void>,
    options = {},
  ) {
    const read: Record<string, number> = {}
    const problems: Record<string, string[]> = {}
    await inParallel(views, PAGES_AT_ONCE, async (view) => {
      const watched = await watchedPage(context, dashboard.server.url, options)
      try {
        await work(watched, view)
      } catch (error) {
        watched.problems.add(`${String(error)} at ${watched.page.url()}`)
      }
      read[view] = watched.seen.size
      if (watched.problems.size > 0) problems[view] = [...watched.problems].slice(0, PROBLEMS_SHOWN)
      await watched.page.close()
    })
    return { read, problems }
  }
  /** The views in which fewer strings were to be read than expected. */
  const withoutStrings = (read: Record<string, number>, expected: Record<string, number>) =>
    Object.entries(expected)
      .filter(([view, count]) => (read[view] ?? 0) < count)
      .map(([view, count]) => `${view}: ${read[view]} of ${count}`)

  test('the API takes each string somewhere, and fails at none', () => {
    expect(hostileStrings).toHaveLength(HOSTILE_COUNT)
    expect(data.crashes).toEqual([])
  })

  test('each list shows them to its end', async () => {
    const all = storableStrings.length
    const some = all * 0.9
    const lists: Record<string, number> = {
      '/messages': all,
      // A row has the beginning of a text, which holds many of them.
      '/mailbox': 250,
      '/templates': all,
      '/brands': some,
      '/users': all,
      '/lists': all,
      '/lists/list-0': some,
      '/audiences': 40,
      '/tenants': all,
      '/topics': some,
      '/suppressions': all,
      '/integrations': 60,
      '/integrations?tab=catalog': 0,
      '/integrations?tab=outage': 60,
      '/webhooks': 15,
      [`/webhooks/${data.webhook}`]: some,
      '/events': all,
      '/keys': some,
      '/audit': all,
      '/automations': some,
      '/automations?tab=runs': some,
      '/bulk': 100,
      '/bulk/new': 0,
      '/system': 60,
      '/system?tab=dead-letters': all,
      '/users/group-0?tab=preferences': some,
      '/': 0,
    }
    const { read, problems } = await inViews(Object.keys(lists), async ({ open, readAll }, view) => {
      await open(view)
      await readAll()
    })
    expect(problems).toEqual({})
    expect(withoutStrings(read, lists)).toEqual([])
  }, 300_000)

  test('each page of one thing shows them', async () => {
    const users = data.groups.map((_, index) => `/users/group-${index}`)
    const pages: Record<string, { addresses: (string | undefined)[]; tabs: string[] }> = {
      user: {
        addresses: users,
        tabs: [
          '',
          '?view=json',
          '?view=merged',
          '?tab=messages',
          '?tab=devices',
          '?tab=lists',
          '?tab=tenants',
          '?tab=digests',
          '?tab=suppressions',
        ],
      },
      message: {
        addresses: at('messages', data.messages),
        tabs: ['', '?row=all', '?view=now', '?view=message', '?view=history', '?view=explanation'],
      },
      'failed message': { addresses: at('messages', data.failedMessages), tabs: ['', '?row=all', '?view=explanation'] },
      'message beside its list': {
        addresses: data.messages.map((id) => id && `/messages?open=${id}`),
        tabs: [''],
      },
      mail: {
        addresses: at('mailbox', data.mailboxItems.slice(0, data.groups.length)),
        // The mail itself is in a frame, whose text is not read.
        tabs: ['?part=text', '', '?part=links', '?part=source', '?part=request'],
      },
      template: {
        addresses: at('templates', data.templates),
        tabs: [
          '',
          '?tab=json',
          '?tab=variables',
          '?tab=translations',
          '?tab=details',
          '?tab=versions',
          '?tab=changes',
          '?tab=uses',
        ],
      },
      automation: {
        addresses: at(
          'automations',
          data.groups.map((_, index) => `group-${index}`),
        ),
        tabs: [
          '',
          '?step=3',
          '?tab=simulation&recipient=group-0',
          '?tab=runs',
          '?tab=versions&version=1',
          '?tab=settings',
          '?panel=start',
        ],
      },
      run: { addresses: at('runs', data.runs), tabs: [''] },
      job: { addresses: at('bulk', data.jobs), tabs: ['', '?tab=failed', '?tab=users'] },
      audience: {
        addresses: at(
          'audiences',
          data.groups.map((_, index) => `group-${index}`),
        ),
        tabs: [''],
      },
      brand: {
        addresses: at(
          'brands',
          data.groups.map((_, index) => `brand-${index * 61}`),
        ),
        tabs: [''],
      },
      tenant: {
        addresses: at(
          'tenants',
          data.groups.map((_, index) => `tenant-${index * 61}`),
        ),
        tabs: [''],
      },
      list: {
        addresses: at(
          'lists',
          data.groups.map((_, index) => `list-${index * 61}`),
        ),
        tabs: [''],
      },
    }
    const views = Object.entries(pages).flatMap(([kind, { tabs }]) => tabs.map((tab) => `${kind} ${tab}`))
    const { read, problems } = await inViews(views, async ({ open, readAll, problems }, view) => {
      const [, kind = '', tab = ''] = /^(.*) (.*)$/.exec(view) ?? []
      const { addresses, tabs } = pages[kind]!
      const first = tabs.indexOf(tab)
      const shown = addresses.filter(
        (_, index) => first === 0 || (index + first) % data.groups.length < GROUPS_OF_A_TAB,
      )
      for (const address of shown) {
        if (address === undefined) continue
        await open(address + tab)
        await readAll()
        if (problems.size > 0) return void problems.add(`at ${address}`)
      }
    })
    expect(problems).toEqual({})
    const most = storableStrings.length * 0.9
    const expected = {
      ...{ 'user ': most, 'message ': most, 'failed message ': most, 'mail ?part=text': most },
      ...{ 'template ': most, 'job ': most, 'automation ': 300, 'run ': 250 },
    }
    expect(withoutStrings(read, expected)).toEqual([])
  }, 300_000)

  test('the address of a page carries them into its filters', async () => {
    const filters = [
      (text: string) =>
        `/messages?recipient=${text}&event=${text}&tag=${text}&error=${text}&tenant_id=${text}&traceId=${text}`,
      (text: string) => `/mailbox?recipient=${text}&channel=${text}`,
      (text: string) => `/users?search=${text}`,
      (text: string) => `/suppressions?search=${text}`,
      (text: string) => `/integrations?name=${text}&tab=catalog&add=${text}`,
      (text: string) => `/automations?tab=runs&parent=${text}`,
      (text: string) => `/automations/group-0?tab=simulation&recipient=${text}&start=${text}`,
      (text: string) => `/users/group-0?erasure=${text}&view=merged&tenant=${text}`,
      (text: string) =>
        `/templates/${data.templates[0]}?user=${text}&locale=${text}&brand=${text}&tenant=${text}&message=${text}&content=${text}`,
      (text: string) => `/topics?section=${text}&topic=${text}`,
    ]
    const { problems } = await inViews(
      filters.map((_, index) => String(index)),
      async ({ open, read, problems }, view) => {
        for (const text of spread(100).filter((_, index) => index % filters.length === Number(view))) {
          await open(filters[Number(view)]!(encodeURIComponent(JSON.stringify(text))))
          await read()
          if (problems.size > 0) return void problems.add(`with ${text}`)
        }
      },
      // The API refuses some of them, and the page says so.
      { canBeRefused: true },
    )
    expect(problems).toEqual({})
  }, 300_000)

  test('dialogs and forms show them', async () => {
    const erased = storableStrings[4] ?? ''
    const dialogs: Record<string, (page: Page, read: () => Promise<void>) => Promise<void>> = {
      '/': async (page, read) => {
        await page.keyboard.press('Control+k')
        const field = page.getByRole('dialog').getByRole('textbox')
        for (const text of spread(150)) {
          await field.fill(text)
          await read()
        }
      },
      '/messages': async (page, read) => {
        await page.getByRole('button', { name: 'More actions' }).click()
        // The first one is no view.
        await page.getByRole('menuitem').nth(1).waitFor()
        await read()
      },
      [`/users/${encodeURIComponent(erased)}`]: async (page, read) => {
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: 'Erase user' }).click()
        await page.getByRole('dialog').waitFor()
        await read()
      },
      [`/users/${encodeURIComponent(erased)}?panel=send`]: async (page, read) => {
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('textbox').first().fill(`${erased} `)
        await dialog
          .getByRole('textbox')
          .last()
          .fill(JSON.stringify({ [erased]: erased }))
        await read()
        await dialog.getByRole('button', { name: 'Send 1 message' }).click()
        await page.waitForURL(/\/messages\//)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await read()
      },
      '/bulk/new': async (page, read) => {
        await page.getByRole('combobox', { name: 'Event or template' }).fill(erased)
        await page.getByRole('option').first().click()
        const line = (cells: readonly string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
        const cells = storableStrings.filter((text) => text.length < 200)
        await page.setInputFiles('input[type=file]', {
          ...{ name: '<img src=x onerror=hostile()>.csv', mimeType: 'text/csv' },
          buffer: Buffer.from([line(['email', erased]), ...cells.map((cell) => line([cell, cell]))].join('\n')),
        })
        await page.getByRole('region', { name: /rows are left out/ }).waitFor()
        await read()
      },
      [`/bulk/${data.jobs[3]}?tab=failed`]: async (page) => {
        const saved = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Download as CSV' }).click()
        const download = await saved
        expect(download.suggestedFilename()).toMatch(/^[\w-]+\.csv$/)
        let text = ''
        for await (const chunk of await download.createReadStream()) text += String(chunk)
        const cells = [...text.slice(1).matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/g)].map(([, cell = '']) =>
          cell.replace(/^"/, ''),
        )
        expect(cells.length).toBeGreaterThan(100)
        expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
      },
    }
    const { problems } = await inViews(Object.keys(dialogs), async ({ page, open, read, problems }, address) => {
      await open(address)
      await dialogs[address]?.(page, read)
      if (problems.size > 0) problems.add(page.url())
    })
    expect(problems).toEqual({})
  }, 300_000)
})

const at = (screen: string, ids: readonly (string | undefined)[]) =>
  ids.map((id) => (id === undefined ? undefined : `/${screen}/${id}`))
