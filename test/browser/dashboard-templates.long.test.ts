/** Templates and brands in the dashboard: edited, previewed, published, sent; two tabs; hostile words run no script. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { hasBrowser, openBrowser } from './chromium.ts'
import { pageErrorsOf, signedIn } from './dashboard-server.ts'

const content = (words: string) => ({
  version: '2022-01-01',
  elements: [
    { type: 'meta' as const, title: 'Order {id}' },
    { type: 'text' as const, content: words },
    { type: 'action' as const, content: 'See the order', href: 'https://shop.example.com/{id}' },
  ],
})

const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=1</script>',
  '"><svg onload=window.hacked=1>',
  '[x](javascript:window.hacked=1)',
]

withApp((open) => {
  describe.skipIf(!hasBrowser)('in a browser', () => {
    let app: App
    let browser: Browser
    let context: BrowserContext
    const pageErrors: string[] = []

    beforeAll(async () => {
      app = await open()
      browser = await openBrowser()
      context = await signedIn(browser, app.url, app.apiKey)
    })
    beforeEach(() => {
      pageErrors.length = 0
    })
    afterAll(() => browser?.close())

    async function newPage(path: string): Promise<Page> {
      const page = await context.newPage()
      page.setDefaultTimeout(15_000)
      pageErrorsOf(page, undefined, pageErrors)
      await page.goto(`${app.url}/app${path}`)
      return page
    }

    const create = async (name: string, words: string, state: 'DRAFT' | 'PUBLISHED' = 'PUBLISHED') =>
      (await app.client.notifications.create({ notification: { name, content: content(words) }, state })).id
    const textOf = async (id: string, version: string) => {
      const { elements } = (await app.client.notifications.get(id, { version })).content
      return elements[1]?.type === 'text' ? elements[1].content : undefined
    }
    const edit = (page: Page) => page.getByRole('button', { name: /^Edit Text/ })
    const mail = (page: Page) => page.frameLocator('iframe').first()

    test('a template is found by its name from anywhere', async () => {
      const id = await create('Parcel on the way', 'It is there.')
      const page = await newPage('/keys')
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('textbox', { name: 'Search or jump' }).fill('on the w')
      await page.getByRole('option', { name: 'Template Parcel on the way' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/app/templates/${id}`)
      await page.close()
    })

    test('words are changed, seen, published and arrive in the mailbox', async () => {
      const id = await create('Order', 'It leaves **today**.')
      const page = await newPage(`/templates/${id}`)
      await edit(page).click()
      // The words can be typed at once.
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('It leaves **tomorrow**.')
      await mail(page).getByText('tomorrow').waitFor()
      await until(
        () => textOf(id, 'draft'),
        (words) => words === 'It leaves **tomorrow**.',
      )
      expect(await textOf(id, 'published')).toBe('It leaves **today**.')
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('It leaves **tomorrow**.').waitFor()
      await dialog.getByRole('button', { name: 'Publish draft' }).click()
      await page.getByText('v2 published').waitFor()
      await page.getByRole('button', { name: 'Send test' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Send test' }).click()
      await page.getByText('The test is sent').waitFor()
      const [arrived] = await until(
        async () => (await app.client.mailbox.list()).results,
        ({ length }) => length > 0,
      )
      expect(JSON.stringify(arrived?.content)).toContain('It leaves tomorrow')
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('blocks are added, moved by keys, deleted and brought back; JSON is in step', async () => {
      const id = await create('Blocks', 'First')
      const page = await newPage(`/templates/${id}`)
      const types = async () =>
        (await app.client.notifications.get(id, { version: 'draft' })).content.elements.map(({ type }) => type)
      const becomes = (expected: string[]) => until(types, (listed) => listed.join() === expected.join())
      await page.getByRole('toolbar').getByRole('button', { name: 'Divider' }).click()
      await becomes(['meta', 'text', 'action', 'divider'])
      await page.getByRole('button', { name: /^Edit Divider/ }).press('Alt+ArrowUp')
      await becomes(['meta', 'text', 'divider', 'action'])
      await page.getByRole('button', { name: /^Move Text/ }).focus()
      await page.keyboard.press('Space')
      await page.locator('[data-dragging="true"]').waitFor()
      await page.keyboard.press('ArrowDown')
      await page.getByText('Before Divider').waitFor({ state: 'attached' })
      await page.keyboard.press('Space')
      await becomes(['meta', 'divider', 'text', 'action'])
      await edit(page).press('Delete')
      await becomes(['meta', 'divider', 'action'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await becomes(['meta', 'divider', 'text', 'action'])
      await page.getByRole('tab', { name: 'JSON' }).click()
      const json = page.getByRole('textbox', { name: 'Content as JSON' })
      await json.fill('{"elements": [{"type": "quote", "content": "Only this"}, {"type": "hologram", "depth": 3}]}')
      await becomes(['quote', 'hologram'])
      await json.fill('{"elements": [')
      await page.getByText('not valid JSON yet').waitFor()
      await page.getByRole('tab', { name: 'Blocks' }).click()
      await page.getByRole('button', { name: /^Edit Quote Only this/ }).waitFor()
      const unknown = (await app.client.notifications.get(id, { version: 'draft' })).content.elements[1]
      expect(unknown).toEqual({ type: 'hologram', depth: 3 })
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('the preview shows the data of the latest message, and says whose they are', async () => {
      const id = await create('Latest', 'Hello {profile.name}, {id} leaves.')
      await app.client.profiles.merge('ada', { profile: { name: 'Ada Byron', email: 'ada@example.com' } })
      await app.client.send({ message: { to: { user_id: 'ada' }, template: id, data: { id: 'O-77' } } })
      const page = await newPage(`/templates/${id}`)
      await mail(page).getByText('Hello Ada Byron, O-77 leaves.').waitFor()
      await page.getByRole('link', { name: 'ada', exact: true }).waitFor()
      await page.getByRole('button', { name: 'Without data' }).click()
      await mail(page).getByText('Hello {profile.name}, {id} leaves.').waitFor()
      await page.reload()
      await mail(page).getByText('Hello {profile.name}, {id} leaves.').waitFor()
      await page.getByRole('button', { name: 'With data' }).click()
      await mail(page).getByText('O-77').waitFor()
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('a user is shown the words of each channel, with and without an address there', async () => {
      const id = await create('Words', 'Hello {profile.name}')
      await app.client.profiles.replace('nowhere', { profile: { name: 'Bo' } })
      const page = await newPage(`/templates/${id}?user=nowhere&channel=sms`)
      await page.getByText('Hello Bo').waitFor()
      await page.goto(`${page.url().split('?')[0]}?user=unknown&channel=sms`)
      await page.getByText('No profile is stored for `unknown`.').waitFor()
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('the uses of a template are one click away', async () => {
      const id = await create('Used', 'Hello')
      const steps = [
        { action: 'delay' as const, duration: '1 day' },
        { action: 'send' as const, template: id },
      ]
      await app.client.automations.putTemplate('follow-up', { name: 'Follow-up', automation: { steps } })
      const page = await newPage(`/templates/${id}?tab=uses`)
      await page.getByRole('link', { name: 'Step 2' }).click()
      await page.getByRole('heading', { name: 'Follow-up', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Move step 2 up' }).waitFor()
      await page.goBack()
      await page.getByRole('link', { name: 'Follow-up' }).click()
      await page.getByRole('heading', { name: 'Follow-up', level: 1 }).waitFor()
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('two tabs with one draft do not overwrite each other unseen', async () => {
      const id = await create('Tabs', 'Start')
      const [first, second] = [await newPage(`/templates/${id}`), await newPage(`/templates/${id}`)]
      await edit(second).click()
      await second.route('**/notifications/*?version=draft', (route) => route.abort())
      await edit(first).click()
      await first.getByRole('textbox', { name: 'Words' }).fill('From the first tab')
      await until(
        () => textOf(id, 'draft'),
        (words) => words === 'From the first tab',
      )
      await second.unroute('**/notifications/*?version=draft')
      await second.getByRole('textbox', { name: 'Words' }).fill('From the second tab')
      await second.getByRole('alert').getByText('has saved this draft').waitFor()
      expect(await textOf(id, 'draft')).toBe('From the first tab')
      await second.getByRole('button', { name: 'Replace theirs with mine' }).click()
      await until(
        () => textOf(id, 'draft'),
        (words) => words === 'From the second tab',
      )
      await first.close()
      await second.close()
    })

    test('an earlier version is compared, taken into the draft and published again', async () => {
      const id = await create('Versions', 'One')
      await app.client.notifications.replace(id, {
        notification: { name: 'Versions', content: content('Two') },
        state: 'PUBLISHED',
      })
      const page = await newPage(`/templates/${id}?tab=versions&version=v1`)
      await page.getByText('From v1 to the draft').waitFor()
      await page.getByRole('button', { name: 'Take into the draft' }).click()
      await until(
        () => textOf(id, 'draft'),
        (words) => words === 'One',
      )
      await page.getByRole('button', { name: 'Publish v1' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish v1' }).click()
      await until(
        () => textOf(id, 'published'),
        (words) => words === 'One',
      )
      await page.close()
      expect(pageErrors).toEqual([])
    })

    test('hostile words in every field run no script', async () => {
      const [words = ''] = HOSTILE
      const id = await create(words, HOSTILE.join(' '), 'DRAFT')
      await app.client.notifications.replace(id, {
        notification: {
          name: HOSTILE.join(' ').slice(0, 190),
          tags: ['<b>tag</b>'],
          content: {
            version: '2022-01-01',
            elements: [
              { type: 'meta', title: words, preheader: words },
              { type: 'text', content: HOSTILE.join('\n\n'), if: '"<img src=x onerror=window.hacked=1>" !== ""' },
              { type: 'html', content: HOSTILE.join('') },
              { type: 'image', src: 'javascript:window.hacked=1', alt_text: words },
              { type: 'action', content: words, href: 'javascript:window.hacked=1' },
              { type: 'comment', comment: words },
            ],
          },
        },
      })
      await app.client.brands.create({
        id: 'hostile',
        name: words,
        settings: { email: { footer: { markdown: words } } },
      })
      const page = await newPage('/templates')
      await page
        .getByText(HOSTILE[3] ?? '', { exact: false })
        .first()
        .waitFor()
      const isHacked = () =>
        Promise.all(page.frames().map((frame) => frame.evaluate(() => 'hacked' in globalThis))).then((results) =>
          results.includes(true),
        )
      expect(await isHacked()).toBe(false)
      for (const path of [
        `/templates/${id}`,
        `/templates/${id}?tab=translations&locale=de`,
        '/brands',
        '/brands/hostile',
      ]) {
        await page.goto(`${app.url}/app${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        if (!path.endsWith('/brands'))
          await mail(page).locator('body').getByText('onerror').filter({ visible: true }).first().waitFor()
        expect([path, await isHacked()]).toEqual([path, false])
      }
      await page.close()
    })

    test('a brand is seen before it is saved, and the saving can be undone', async () => {
      await app.client.brands.create({ id: 'acme', name: 'Acme', settings: { colors: { primary: '#112233' } } })
      const page = await newPage('/brands/acme')
      await mail(page).getByText('Track the parcel').waitFor()
      await page.getByRole('textbox', { name: 'Markdown below the content' }).fill('Acme, 1 High Street')
      await mail(page).getByText('Acme, 1 High Street').waitFor()
      expect((await app.client.brands.get('acme')).settings.email).toBeUndefined()
      await page.getByRole('button', { name: 'Save brand' }).click()
      const footer = async () => (await app.client.brands.get('acme')).settings.email?.footer?.markdown
      await until(
        () => footer(),
        (words) => words === 'Acme, 1 High Street',
      )
      await page.getByRole('button', { name: 'Undo' }).click()
      await until(
        () => footer(),
        (words) => words === undefined,
      )
      await page.close()
      expect(pageErrors).toEqual([])
    })
  })
})
