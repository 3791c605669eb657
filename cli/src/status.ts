/** The statuses of messages: which are final, which have failed, and how each looks. */
import type { MessageStatus } from '@postrider/client'
import { plain } from './plain.ts'
import type { Style, Terminal } from './terminal.ts'

/** Still in progress on our side. */
export const pendingStatuses: ReadonlySet<MessageStatus> = new Set(['ENQUEUED', 'DELAYED', 'ROUTED', 'HELD'])
export const failedStatuses: ReadonlySet<MessageStatus> = new Set([
  'UNMAPPED',
  'UNROUTABLE',
  'UNDELIVERABLE',
  'FILTERED',
  'CANCELED',
  'THROTTLED',
])

/** Green arrived, yellow in progress, red failed. */
const styles: Record<string, Style> = {
  ENQUEUED: 'yellow',
  DELAYED: 'yellow',
  ROUTED: 'yellow',
  HELD: 'yellow',
  DELIVERING: 'yellow',
  SENT: 'green',
  DELIVERED: 'green',
  OPENED: 'green',
  CLICKED: 'green',
  UNMAPPED: 'red',
  UNROUTABLE: 'red',
  UNDELIVERABLE: 'red',
  FILTERED: 'yellow',
  CANCELED: 'yellow',
  THROTTLED: 'yellow',
  SIMULATED: 'green',
  PROCESSED: 'green',
  SKIPPED: 'yellow',
  WAITING: 'yellow',
  PROCESSING: 'yellow',
  ERROR: 'red',
}

export function statusStyle(terminal: Terminal, status: string): string {
  const style = styles[status]
  return style ? terminal.style(style, plain(status)) : plain(status)
}
