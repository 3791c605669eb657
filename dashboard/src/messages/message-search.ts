/** The open tab of a message as it stands in the address. */
import { oneOf, present } from '../parts/search-params.ts'

export const messageTabs = ['content', 'attempts', 'data', 'now', 'json'] as const
export type MessageTab = (typeof messageTabs)[number]

export const messageSearch = ({ tab }: Record<string, unknown>): { tab?: MessageTab } =>
  present<{ tab: MessageTab }>({ tab: oneOf(messageTabs, tab) })
