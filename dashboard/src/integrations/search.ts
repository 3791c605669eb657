/** The state of the screens of integrations as it stands in the address; malformed parts are dropped. */
import type { Channel } from '@postrider/client'
import { channels } from '../parts/meanings.ts'
import { oneOf, present, textOf, textsOf } from '../parts/search-params.ts'

const listTabs = ['order', 'catalog', 'outage'] as const
const detailTabs = ['health', 'settings', 'test'] as const
const windows = ['24h', '7d', '30d'] as const
export type HealthWindow = (typeof windows)[number]

export interface IntegrationsSearch {
  tab?: (typeof listTabs)[number] | undefined
  /** Part of a provider's name. */
  name?: string | undefined
  channel?: Channel | undefined
  /** The provider that is being added. */
  add?: string | undefined
  /** Integrations that a simulated outage takes down. */
  down?: string[] | undefined
  template?: string | undefined
  recipient?: string | undefined
}

export const integrationsSearch = (search: Record<string, unknown>): IntegrationsSearch =>
  present<IntegrationsSearch>({
    tab: oneOf(listTabs, search.tab),
    name: textOf(search.name),
    channel: oneOf(channels, search.channel),
    add: textOf(search.add),
    down: textsOf(search.down),
    template: textOf(search.template),
    recipient: textOf(search.recipient),
  })

export interface IntegrationSearch {
  tab?: (typeof detailTabs)[number] | undefined
  window?: HealthWindow | undefined
}

export const integrationSearch = (search: Record<string, unknown>): IntegrationSearch =>
  present<IntegrationSearch>({ tab: oneOf(detailTabs, search.tab), window: oneOf(windows, search.window) })
