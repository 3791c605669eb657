/** Mails as a browser lays them out: what is promised for narrow screens, dark ones and text from right to left. */
import { readFileSync } from 'node:fs'
import type { ContentInput } from '@postrider/client'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { hasBrowser, openBrowser } from './chromium.ts'

interface Mail {
  name: string
  locale: string
  data: Record<string, unknown>
  content: ContentInput
}

// The mails in the pictures of the guides.
const pictures = new URL('../../docs/guides/pictures/', import.meta.url)
const mails: Mail[] = JSON.parse(readFileSync(new URL('mails.json', pictures), 'utf8'))
const { settings } = JSON.parse(readFileSync(new URL('brand.json', pictures), 'utf8'))

async function htmlOf({ client }: App, name: string): Promise<string> {
  const mail = mails.find((candidate) => candidate.name === name)
  if (!mail) throw new Error(`There is no mail ${name}`)
  const { locale, data, content } = mail
  const to = { email: 'ada@example.com', locale, data }
  const { rendered } = await client.explain({ message: { to, content, brand_id: 'acme' } })
  return rendered[0]?.content.html ?? ''
}

const box = async (locator: Locator) => {
  const boundingBox = await locator.boundingBox()
  if (!boundingBox) throw new Error('It is not shown')
  return boundingBox
}
/** As much of a browser's types as is used: the project has none of them. */
interface Window {
  getComputedStyle: (element: unknown) => { getPropertyValue: (name: string) => string }
}

const style = (locator: Locator, property: string): Promise<string> =>
  locator.evaluate(
    (element, name) => (globalThis as unknown as Window).getComputedStyle(element).getPropertyValue(name),
    property,
  )

withApp((open) => {
  describe.skipIf(!hasBrowser)('in a browser', () => {
    let browser: Browser
    let app: App
    beforeAll(async () => {
      app = await open()
      await app.client.brands.create({ id: 'acme', name: 'Acme', settings })
      browser = await openBrowser()
    })
    afterAll(() => browser?.close())

    async function show(name: string, width: number, look: (page: Page) => Promise<void>, dark = false): Promise<void> {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: dark ? 'dark' : 'light' })
      try {
        await page.route(/^https?:/, (route) => route.abort())
        await page.setContent(await htmlOf(app, name))
        await look(page)
      } finally {
        await page.close()
      }
    }

    test.each(mails.map(({ name }) => name))('%s fits a screen of 400 px', (name) =>
      show(name, 400, async (page) => {
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400)
      }),
    )

    test('a button is as wide as its text on a wide screen, and as wide as the card on a narrow one', async () => {
      const widthOf = async (page: Page) => (await box(page.getByRole('link', { name: 'Track the parcel' }))).width
      await show('order', 700, async (page) => expect(await widthOf(page)).toBeLessThan(250))
      await show('order', 400, async (page) => {
        const card = await box(page.locator('.pr-card'))
        expect(await widthOf(page)).toBeGreaterThan(card.width - 50)
      })
    })

    test('columns are stacked on a narrow screen, those of a table are not', () =>
      show('order', 400, async (page) => {
        const [shipTo, paidWith] = [
          await box(page.locator('.pr-card').getByText('Ship to')),
          await box(page.locator('.pr-card').getByText('Paid with')),
        ]
        expect(paidWith.y).toBeGreaterThan(shipTo.y + shipTo.height)
        const row = page.getByRole('row', { name: 'Fountain pen' })
        const cells = await Promise.all((await row.getByRole('cell').all()).map(box))
        expect(cells).toHaveLength(3)
        expect(new Set(cells.map(({ y }) => y)).size).toBe(1)
        expect(cells.map(({ x }) => x)).toEqual(cells.map(({ x }) => x).toSorted((left, right) => left - right))
      }))

    test('a dark screen has a dark card with light text, and the second logo', async () => {
      const seen = async (page: Page) => ({
        card: await style(page.locator('.pr-card'), 'background-color'),
        page: await style(page.locator('body'), 'background-color'),
        text: await style(page.locator('.pr-card').getByText('Hello Ada'), 'color'),
        logos: [
          await style(page.locator('.pr-logo'), 'display'),
          await style(page.locator('.pr-logo-dark'), 'display'),
        ],
      })
      await show('order', 700, async (page) =>
        expect(await seen(page)).toEqual({
          card: 'rgb(255, 255, 255)',
          page: 'rgb(244, 244, 245)',
          text: 'rgb(63, 63, 70)',
          logos: ['inline', 'none'],
        }),
      )
      const look = async (page: Page) =>
        expect(await seen(page)).toEqual({
          card: 'rgb(27, 27, 31)',
          page: 'rgb(16, 16, 18)',
          text: 'rgb(217, 217, 222)',
          logos: ['none', 'inline-block'],
        })
      await show('order', 700, look, true)
    })

    test('text from right to left begins at the right, and so do tables', () =>
      show('right-to-left', 700, async (page) => {
        const heading = page.getByRole('heading')
        expect(await style(heading, 'direction')).toBe('rtl')
        expect(await style(heading, 'text-align')).toBe('right')
        const [item, price] = await Promise.all((await page.getByRole('columnheader').all()).map(box))
        expect(item?.x).toBeGreaterThan(price?.x ?? 0)
        expect(await style(page.locator('blockquote'), 'border-right-width')).toBe('3px')
      }))
  })
})
