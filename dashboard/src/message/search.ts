/** The state of one message as it stands in the address. */
import { oneOf, present, textOf } from '../parts/search-params.ts'

export const messageViews = ['now', 'message', 'history', 'explanation'] as const
export type MessageView = (typeof messageViews)[number]

export interface MessageSearch {
  /** The row of the timeline to open, the delivery whose last attempt it is, or `all`. */
  row?: string
  /** The reply that is shown below everything else, or the decision of now. */
  view?: MessageView
}

export const messageSearch = (search: Record<string, unknown>): MessageSearch =>
  present<MessageSearch>({ row: textOf(search.row), view: oneOf(messageViews, search.view) })
