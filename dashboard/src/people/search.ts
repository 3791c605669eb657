/** The state of the screens of people as it stands in the address; unknown and malformed parts are dropped. */
import { oneOf, present, textOf } from '../parts/search-params.ts'

export const userTabs = [
  'profile',
  'messages',
  'preferences',
  'devices',
  'lists',
  'tenants',
  'digests',
  'suppressions',
] as const
export type UserTab = (typeof userTabs)[number]

export const addressKinds = ['email', 'phone_number', 'device_token', 'chat_id'] as const
export const suppressionReasons = ['hard_bounce', 'complaint', 'invalid_address', 'unsubscribed', 'manual'] as const

export type Panel = 'new' | 'send' | 'import' | 'edit'
const panels = ['new', 'send', 'import', 'edit'] as const

export interface ListingSearch {
  search: string
  panel: Panel
}
export const listingSearch = (search: Record<string, unknown>): Partial<ListingSearch> =>
  present<ListingSearch>({ search: textOf(search.search), panel: oneOf(panels, search.panel) })

export interface UserSearch {
  tab: UserTab
  view: 'json' | 'merged'
  tenant: string
  /** The erasure whose progress is shown. */
  erasure: string
  panel: Panel
}
export const userSearch = (search: Record<string, unknown>): Partial<UserSearch> =>
  present<UserSearch>({
    tab: oneOf(userTabs, search.tab),
    view: oneOf(['json', 'merged'], search.view),
    tenant: textOf(search.tenant),
    erasure: textOf(search.erasure),
    panel: oneOf(panels, search.panel),
  })

export interface TopicsSearch {
  section: string
  topic: string
  panel: Panel
}
export const topicsSearch = (search: Record<string, unknown>): Partial<TopicsSearch> =>
  present<TopicsSearch>({
    section: textOf(search.section),
    topic: textOf(search.topic),
    panel: oneOf(panels, search.panel),
  })

export interface SuppressionsSearch {
  search: string
  kind: (typeof addressKinds)[number]
  reason: (typeof suppressionReasons)[number]
  panel: Panel
}
export const suppressionsSearch = (search: Record<string, unknown>): Partial<SuppressionsSearch> =>
  present<SuppressionsSearch>({
    search: textOf(search.search),
    kind: oneOf(addressKinds, search.kind),
    reason: oneOf(suppressionReasons, search.reason),
    panel: oneOf(panels, search.panel),
  })
