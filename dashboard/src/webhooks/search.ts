/** The state of one webhook's screen as it stands in the address. */
import { oneOf, present } from '../parts/search-params.ts'

const statuses = ['WAITING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof statuses)[number]

export interface WebhookSearch {
  status?: DeliveryStatus
}

export const webhookSearch = ({ status }: Record<string, unknown>): WebhookSearch =>
  present<WebhookSearch>({ status: oneOf(statuses, status) })
