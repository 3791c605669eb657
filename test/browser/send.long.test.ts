/** The screen Send beyond the first send: other values, a failing network, and its copy as curl. */
import type { Postrider } from '@postrider/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { hasBrowser } from './chromium.ts'
import { openSendScreen, type SendScreen } from './send-screen.ts'

describe.skipIf(!hasBrowser)('a send is made from a form that is edited', () => {
  let screen: SendScreen
  let client: Postrider
  let page: Page
  const sentence = (text: string | RegExp) => screen.sentence(text)

  beforeAll(async () => {
    screen = await openSendScreen()
    ;({ client, page } = screen)
  })
  afterAll(() => screen?.dashboard.close())

  test('another value makes it another send, and the sentence is a forecast again', async () => {
    await screen.open('?event=order-shipped&to=ada')
    await sentence(/^Would go to Ada/)
    await page.getByLabel(/^carrier/).fill("the baker's cart")
    await page.frameLocator('iframe').getByText("the baker's cart").waitFor()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/^curl 'http:\/\/127\.0\.0\.1:\d+\/send' /)
    expect(copied).toContain("baker'\\''s cart")
    await page.getByText('Contact values for this message only').click()
    await page.getByLabel('Email', { exact: true }).fill('elsewhere@example.com')
    await page.getByRole('button', { name: 'Send to Ada' }).click()
    await sentence(/^Delivered by email/)
    const { items } = await mailOf('elsewhere@example.com')
    expect(items).toHaveLength(1)
    await page.getByRole('link', { name: 'Open the message' }).click()
    await page.getByRole('heading', { name: /^Delivered by email/, level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Open in Send' }).click()
    await sentence(/^Would go to Ada by email/)
    expect(await page.getByLabel(/^carrier/).inputValue()).toBe("the baker's cart")
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('elsewhere@example.com')
  })

  test('a message opens with its routing, its tags and its tenant, and says what the form does not have', async () => {
    await client.tenants.put('harbor', { name: 'Harbor' })
    const { requestId } = await client.send({
      message: {
        to: { user_id: 'ada', ...({ emial: 'ada@example.com' } as object) },
        template: 'order-shipped',
        data: { carrier: 'Harbor Post' },
        ...{ routing: { method: 'single', channels: ['sms'] }, metadata: { tags: ['order'] } },
        ...{ context: { tenant_id: 'harbor' }, channels: { sms: { override: { body: 'Your order is on its way' } } } },
      },
    })
    await until(
      () => client.messages.get(requestId),
      ({ status }) => status === 'DELIVERED',
    )
    await screen.open(`?message=${requestId}`)
    await sentence(/^Would go to Ada by SMS through Mailbox/)
    await page.getByText('With its routing single of sms. With its profile values emial.').waitFor()
    await page.getByText('The profile of this message has emial. Did you mean email?').waitFor()
    await page.getByText('Left out: its overrides.').waitFor()
    expect(await page.getByLabel('Tags').inputValue()).toBe('order')
    expect(await page.getByLabel('Tenant', { exact: true }).inputValue()).toBe('harbor')
    expect(await page.locator('details[open] > summary').allTextContents()).toEqual(['Options for this message'])
    await page.getByRole('button', { name: 'Leave out' }).click()
    await sentence(/^Would go to Ada by email/)
  })

  const mailOf = (address: string) =>
    until(
      async () => {
        const { results } = await client.mailbox.list({ channel: 'email' })
        return { items: results.filter((item) => JSON.stringify(item).includes(address)) }
      },
      ({ items }) => items.length > 0,
    )

  test('a failing network takes nothing that was typed, and a lost reply to the send makes no second message', async () => {
    await screen.open('?event=order-shipped&to=grace')
    await page.getByText('No profile is stored under this id.').waitFor()
    await page.getByText('Contact values for this message only').click()
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com')
    await sentence(/^Would go to grace by email/)
    // The button has a long name, and the two beside it stay together at each width.
    const topOf = async (name: string) => (await page.getByRole('button', { name, exact: true }).boundingBox())?.y
    for (const width of [400, 500, 540, 580, 620, 1400]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await topOf('TypeScript'), `at ${width}`).toBe(await topOf('Copy as curl'))
    }
    const isExplanation = (url: URL) => url.pathname === '/explain'
    await page.route(isExplanation, (route) => route.abort('connectionreset'))
    await page.getByLabel(/^carrier/).fill('Harbor Post')
    await page.getByText('The form is kept, and explained once the server answers.').waitFor()
    await page.getByRole('status').filter({ hasText: 'The server did not answer as it should' }).waitFor()
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('grace@example.com')
    expect(await page.getByLabel(/^carrier/).inputValue()).toBe('Harbor Post')
    // Nothing goes out without an answer, now or later: one place says so, and the bar why.
    const isSend = (url: URL) => url.pathname === '/send'
    const sends: string[] = []
    page.on('request', (request) => {
      if (isSend(new URL(request.url())) && request.method() === 'POST') sends.push(request.url())
    })
    await page.keyboard.press('Control+Enter')
    await page.getByText('Not sent. The form is kept: send it again once the server answers.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.unroute(isExplanation)
    // By itself: no one has to look after it.
    await sentence(/^Would go to grace by email/)
    expect(sends).toEqual([])
    await page.route(isSend, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      return route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Send to grace' }).click()
    await page.getByText('It is not known whether this was done').waitFor()
    await page.unroute(isSend)
    // A reload takes neither what was typed nor that it was sent.
    await page.reload()
    await sentence(/^Would go to grace by email/)
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('grace@example.com')
    expect(await page.getByLabel(/^carrier/).inputValue()).toBe('Harbor Post')
    await page.getByRole('button', { name: 'Send to grace, without a profile' }).click()
    await sentence(/^Delivered by email/)
    expect((await client.messages.list({ recipient: 'grace' })).results).toHaveLength(1)
  })

  test('the way back finds what was typed; another visit begins anew', async () => {
    await screen.open('?event=order-shipped&to=ada')
    await sentence(/^Would go to Ada/)
    await page.getByLabel(/^carrier/).fill('Harbor Post')
    await page.frameLocator('iframe').getByText('Harbor Post').waitFor()
    // At once, before the history has what was typed last.
    await page.getByLabel(/^carrier/).fill('Harbor Post 2')
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('heading', { name: 'Order shipped', level: 1 }).waitFor()
    await page.goBack()
    await page.frameLocator('iframe').getByText('Harbor Post 2').waitFor()
    expect(await page.getByLabel(/^carrier/).inputValue()).toBe('Harbor Post 2')
    await page.getByLabel(/^carrier/).fill('Harbor Post 3')
    await page.reload()
    await page.frameLocator('iframe').getByText('Harbor Post 3').waitFor()
    await page.getByRole('link', { name: 'Send', exact: true }).first().click()
    await page.getByText('Name a template and a recipient').waitFor()
    await page.getByRole('combobox', { name: 'Template or event' }).fill('order-shipped')
    await page.getByRole('combobox', { name: 'Recipient' }).fill('ada')
    await sentence(/^Would go to Ada/)
    expect(await page.getByLabel(/^carrier/).inputValue()).toBe('')
    // A message that was sent is no reason to swallow the next one.
    const sendOne = async () => {
      const { length } = (await client.messages.list({ recipient: 'ada' })).results
      await page.getByRole('button', { name: 'Send to Ada' }).click()
      await sentence(/^Delivered by email/)
      expect((await client.messages.list({ recipient: 'ada' })).results).toHaveLength(length + 1)
    }
    await sendOne()
    await page.getByRole('link', { name: 'Open the message' }).click()
    await page.getByRole('heading', { name: /^Delivered by email/, level: 1 }).waitFor()
    await page.goBack()
    await sentence(/^Would go to Ada/)
    await sendOne()
  })

  test('the outcome is of the body that was sent; the same body after another one is another message', async () => {
    await client.profiles.replace('hopper@example.com', { profile: { name: 'Hopper', email: 'hopper@example.com' } })
    await screen.open('?event=order-shipped&to=lin')
    await sentence(/^Would not be sent/)
    // At once: the send waits until it is known that the text is the id of a user, and until it is explained.
    await page.getByRole('combobox', { name: 'Recipient' }).fill('hopper@example.com')
    await page.keyboard.press('Control+Enter')
    await sentence(/^Delivered by email/)
    const carrier = page.getByLabel(/^carrier/)
    const sendOne = async (value: string) => {
      await carrier.fill(value)
      await page.keyboard.press('Control+Enter')
      await sentence(/^Delivered by email/)
    }
    for (const value of ['one', 'two', 'one']) await sendOne(value)
    const isSend = (url: URL) => url.pathname === '/send'
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(isSend, async (route) => {
      if (route.request().method() === 'POST') await released
      await route.continue()
    })
    await carrier.fill('three')
    const answered = page.waitForResponse(
      (response) => isSend(new URL(response.url())) && response.request().method() === 'POST',
    )
    const requested = page.waitForRequest((request) => isSend(new URL(request.url())) && request.method() === 'POST')
    await page.keyboard.press('Control+Enter')
    await requested
    await carrier.fill('four')
    release()
    await (await answered).finished()
    await sentence(/^Would go to Hopper/)
    await page.unroute(isSend)
    const sent = await until(
      () => client.messages.list({ recipient: 'hopper@example.com' }),
      ({ results }) => results.length === 5,
    )
    const outputs = await Promise.all(
      sent.results.map(async ({ id }) => (await client.messages.explain(id)).rendered[0]?.content.text),
    )
    expect(outputs.map((text) => /comes by (\w+)/.exec(text ?? '')?.[1] ?? 'none').sort()).toEqual([
      ...['none', 'one', 'one', 'three', 'two'],
    ])
  })

  test('a template beyond the first page of the API is found by its name, and chosen by keys', async () => {
    const templates = Array.from({ length: 150 }, (_, index) => `Letter ${150 - index}`)
    for (const name of templates)
      await client.notifications.create({
        notification: { name, content: { title: name, body: name } as never },
        state: 'PUBLISHED',
      })
    await screen.open('?to=ada')
    const field = page.getByRole('combobox', { name: 'Template or event' })
    await field.focus()
    // The oldest of them, which is on the second page.
    await page.getByRole('group', { name: /^There are more than are offered/ }).waitFor()
    expect(await page.getByRole('option').filter({ hasText: 'Letter 150' }).count()).toBe(0)
    await page.keyboard.type('letter 150')
    await page.getByRole('option').filter({ hasText: 'Letter 150' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await sentence(/^Would go to Ada/)
    await page.getByText('Letter 150, v1').waitFor()
    expect(screen.pageErrors).toEqual([])
  })
})
