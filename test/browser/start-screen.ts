/** The screen Start of a new installation, in a browser. */
import type { Postrider } from '@postrider/client'
import type { Page } from 'playwright-core'
import { type DashboardServer, pageErrorsOf, startDashboard } from './dashboard-server.ts'

export interface StartOfNew {
  dashboard: DashboardServer
  client: Postrider
  page: Page
  pageErrors: string[]
  /** The texts of the five stations. */
  stations(): Promise<string[]>
  stepsDone(): Promise<string[]>
  /** The id of the message that is shown. */
  shownMessage(): Promise<string>
}

/** As in the first minute, without a public address. */
export async function openStartScreen(): Promise<StartOfNew> {
  const dashboard = await startDashboard({ POSTRIDER_PUBLIC_URL: '' })
  const context = await dashboard.signedIn({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  const pageErrors = pageErrorsOf(page)
  await page.goto(`${dashboard.server.url}/app/`)
  return {
    ...{ dashboard, client: dashboard.client, page, pageErrors },
    stations: () => page.getByRole('list', { name: 'The way of the message' }).getByRole('listitem').allInnerTexts(),
    stepsDone: () => page.locator('li[data-done="true"] b').allInnerTexts(),
    shownMessage: async () =>
      (await page.getByRole('link', { name: 'Why this way?' }).getAttribute('href'))?.split('/').at(-1) ?? '',
  }
}
