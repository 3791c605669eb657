/** The screen Send of a server with a template of four variables and the user ada. */
import type { Postrider } from '@postrider/client'
import type { Page } from 'playwright-core'
import { publish } from '../system/templates.ts'
import { type DashboardServer, pageErrorsOf, startDashboard } from './dashboard-server.ts'

export interface SendScreen {
  dashboard: DashboardServer
  client: Postrider
  page: Page
  pageErrors: string[]
  /** Opens the screen with these parameters in the address. */
  open(search: string): Promise<void>
  /** Resolves when this is the sentence. */
  sentence(text: string | RegExp): Promise<void>
}

export async function openSendScreen(): Promise<SendScreen> {
  const dashboard = await startDashboard()
  const { client } = dashboard
  await publish(client, 'order-shipped', {
    name: 'Order shipped',
    channels: ['email', 'sms'],
    content: {
      version: '2022-01-01',
      elements: [
        { type: 'meta', title: 'Your order {order.id}' },
        { type: 'text', content: 'It comes by {carrier}.' },
        { type: 'text', if: 'data.total > 50', content: 'A gift is in it.' },
        { type: 'text', loop: 'data.items', content: '{$.item.name}' },
      ],
    },
  })
  await client.profiles.replace('ada', {
    profile: { name: 'Ada', email: 'ada@example.com', phone_number: '+12025550143' },
  })
  const context = await dashboard.signedIn({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  return {
    ...{ dashboard, client, page },
    pageErrors: pageErrorsOf(page, (text) => text.includes('ERR_CONNECTION_RESET')),
    open: async (search) => void (await page.goto(`${dashboard.server.url}/app/send${search}`)),
    sentence: (text) => page.getByRole('heading', { level: 2, name: text }).waitFor(),
  }
}
