/** The statuses of messages: those in progress, those that failed, and how each looks. */
import type { MessageStatus } from '@postrider/client'
import { statusOutcome } from './operations/generated.ts'
import { plain } from './plain.ts'
import type { Style, Terminal } from './terminal.ts'

const statusesWith = (...outcomes: readonly string[]): ReadonlySet<MessageStatus> =>
  new Set((Object.keys(statusOutcome) as MessageStatus[]).filter((status) => outcomes.includes(statusOutcome[status])))

/** Still in progress on our side. */
export const pendingStatuses = statusesWith('in_progress')
export const failedStatuses = statusesWith('failed', 'stopped')

const outcomeStyles: Record<string, Style> = { sent: 'green', in_progress: 'yellow', stopped: 'yellow', failed: 'red' }

/** For history events, runs and steps. */
const otherStyles: Record<string, Style> = {
  DELIVERING: 'yellow',
  PROCESSED: 'green',
  SKIPPED: 'yellow',
  WAITING: 'yellow',
  PROCESSING: 'yellow',
  ERROR: 'red',
}

const outcomes: Record<string, string> = statusOutcome

export function statusStyle(terminal: Terminal, status: string): string {
  const style = outcomeStyles[outcomes[status] ?? ''] ?? otherStyles[status]
  return style ? terminal.style(style, plain(status)) : plain(status)
}
