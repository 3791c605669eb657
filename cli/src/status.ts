/** How a status looks: green arrived, yellow on its way, red failed. */
import { plain } from './plain.ts'
import type { Style, Terminal } from './terminal.ts'

const styles: Record<string, Style> = {
  ENQUEUED: 'yellow',
  DELAYED: 'yellow',
  ROUTED: 'yellow',
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
