/** The screen Send in a browser: the explanation while a send is filled in, and the send. */
import type { Postrider } from '@postrider/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from './chromium.ts'
import { settled } from './dashboard-server.ts'
import { openSendScreen, type SendScreen } from './send-screen.ts'

describe.skipIf(!hasBrowser)('a send is explained while it is filled in', () => {
  let screen: SendScreen
  let client: Postrider
  let page: Page
  const sentence = (text: string | RegExp) => screen.sentence(text)

  beforeAll(async () => {
    screen = await openSendScreen()
    ;({ client, page } = screen)
  })
  afterAll(() => screen?.dashboard.close())
  const stepText = (name: string) =>
    page.getByRole('list', { name: 'The decision, step by step' }).getByRole('listitem').filter({ hasText: name })

  test('by keyboard alone: the sentence, the steps, the ways and the words follow what is typed', async () => {
    await page.goto(`${screen.dashboard.server.url}/app/`)
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await page.getByText('Name a template and a recipient').waitFor()
    await page.reload()
    await page.getByText('Name a template and a recipient').waitFor()
    // The link to the content is the first stop, and leads to the first field.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Template or event' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('order-shipped')
    await page.keyboard.press('Tab')
    await page.keyboard.type('ada')
    await sentence(
      'Would go to Ada by email through Mailbox. If that fails: SMS through Mailbox. The mailbox would keep it: nothing would leave this server.',
    )
    expect(await stepText('Route').textContent()).toContain('It goes by email (Mailbox); if that fails, SMS (Mailbox).')
    expect(
      await page.locator('li[data-kind]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-kind'))),
    ).toEqual(['first', 'next'])
    await page.getByText('Without a value the message shows {order.id}').waitFor()
    await page.getByLabel(/^order\.id/).fill('A-1843')
    await page.getByLabel(/^carrier/).fill('Harbor <b>Post</b>')
    await page.getByLabel(/^total/).fill('65.4')
    const mail = page.frameLocator('iframe')
    await mail.getByText('It comes by Harbor <b>Post</b>.').waitFor()
    // A number, not a text: the condition of the gift compares it.
    await mail.getByText('A gift is in it.').waitFor()
    await page.getByRole('tab', { name: 'SMS' }).click()
    await page.getByText('1 segment').waitFor()
    expect(new URL(page.url()).search).toBe('?event=order-shipped&to=ada')
  })

  test('the send is the one that was explained, once, however often its key is pressed', async () => {
    await page.getByLabel(/^carrier/).focus()
    await page.keyboard.press('Control+Enter')
    await sentence(/^Delivered by email through Mailbox, .+ nothing left this server\.$/)
    const [second] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/send') && response.request().method() === 'POST'),
      page.keyboard.press('Control+Enter'),
    ])
    await second.finished()
    const { results } = await client.messages.list({ recipient: 'ada' })
    expect(results).toMatchObject([{ status: 'DELIVERED', event: 'order-shipped' }])
    const { rendered } = await client.messages.explain(results[0]?.id ?? '')
    expect(rendered[0]?.content.text).toContain('It comes by Harbor <b>Post</b>.')
    await page.getByRole('button', { name: 'Send another' }).click()
    await sentence(/^Would go to Ada/)
    await page.keyboard.press('Control+Enter')
    await sentence(/^Delivered by email/)
    expect((await client.messages.list({ recipient: 'ada' })).results).toHaveLength(2)
  })

  test('JSON that is not complete is not sent: no other message goes out for it', async () => {
    await page.getByText('JSON', { exact: true }).click()
    const editor = page.getByRole('textbox', { name: 'JSON' })
    await editor.click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('{"carrier": ')
    await page.getByText('Not valid JSON of this kind yet').waitFor()
    const isInEditor = () => page.evaluate<boolean>("document.activeElement.matches('[data-editor]')")
    await page.getByRole('button', { name: 'Send to Ada' }).click()
    expect(await isInEditor()).toBe(true)
    // Nor is it gone when the fields are chosen.
    await page.getByText('Fields', { exact: true }).click()
    await editor.waitFor()
    expect(await isInEditor()).toBe(true)
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('{"carrier": "Other"}')
    await sentence(/^Would go to Ada/)
    expect((await client.messages.list({ recipient: 'ada' })).results).toHaveLength(2)
  })

  test('a send that would stop says where and why; an address without a user is one', async () => {
    await screen.open('?event=no-such-event&to=lin%40example.com')
    await sentence('Would not be sent. There is no template no-such-event.')
    expect(await stepText('Template').getAttribute('data-outcome')).toBe('stopped')
    expect(await stepText('Route').getAttribute('data-outcome')).toBe('notReached')
    await page.getByText('An address: no stored profile is used.').waitFor()
    await page.getByRole('combobox', { name: 'Template or event' }).fill('order-shipped')
    await sentence(/^Would go to lin@example\.com by email through Mailbox\./)
    await settled(page)
    expect(screen.pageErrors).toEqual([])
  })
})
