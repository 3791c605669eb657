/** Whether a real provider accepted a message: one that failed over to the mailbox is delivered, too, but reached no person. */
import type { MessageProvider } from '@postrider/client'

export const acceptedStatuses: MessageProvider['status'][] = ['SENT', 'DELIVERED', 'OPENED', 'CLICKED']

export const isSentBy = (
  realProviders: readonly string[],
  deliveries: readonly Pick<MessageProvider, 'provider' | 'status'>[],
): boolean =>
  deliveries.some(({ provider = '', status }) => realProviders.includes(provider) && acceptedStatuses.includes(status))
