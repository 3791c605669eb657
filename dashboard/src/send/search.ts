/** The state of the screen Send as it stands in the address. */
import { oneOf, present, textOf } from '../parts/search-params.ts'

export interface SendSearch {
  /** A template by its alias or id, or a mapped event. */
  event?: string
  /** A user, an email address or a phone number. */
  to?: string
  tenant?: string
  /** The message whose recipient and data fill the form. */
  message?: string
  /** `stored`: without the addresses of that send. */
  contact?: 'stored'
}

export const sendSearch = (search: Record<string, unknown>): SendSearch =>
  present<SendSearch>({
    event: textOf(search.event),
    to: textOf(search.to),
    tenant: textOf(search.tenant),
    message: textOf(search.message),
    contact: oneOf(['stored'], search.contact),
  })
