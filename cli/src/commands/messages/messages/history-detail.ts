/** A history event on a line: its channel and integration, and its cause. */
import type { HistoryEvent } from '@postrider/client'
import { sourceText } from '@postrider/client/steps'
import { errorText } from '../../../error-text.ts'
import { utcTime } from '../../../plain.ts'

/** By id. Two integrations of one provider differ by their titles. */
export type Titles = ReadonlyMap<string, string>

/** The facts that fit on a line: actor and reason, without texts and profile. */
export function detailOf(event: HistoryEvent, titles: Titles): string {
  const fields = event as unknown as Record<string, unknown>
  const name = (value: unknown, key: string) =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
  const due = fields.next_attempt_at ?? fields.until
  const parts = [
    fields.notification_id,
    name(fields.channel, 'id'),
    name(fields.integration, 'provider'),
    titles.get(String(name(fields.integration, 'id'))),
    typeof fields.attempt === 'number' ? `attempt ${fields.attempt}` : undefined,
    fields.reason,
    releaseOf(fields, titles),
    errorText(fields.error_message ?? fields.error),
    automationOf(fields),
    typeof due === 'number' ? `${event.type === 'HELD' ? 'fails at the latest' : 'next'} ${utcTime(due)}` : undefined,
    Array.isArray(fields.findings) ? fields.findings.join(' ') : undefined,
    // Last: a long one is cut.
    fields.url,
  ]
  return parts.filter((part) => part !== undefined && part !== '').join(' · ')
}

/** Why a message that waited, or was given up, goes on. */
function releaseOf({ cause, integration_id: id, source }: Record<string, unknown>, titles: Titles): string | undefined {
  if (cause === 'dead_letter')
    return `its dead letter was released${typeof source === 'string' ? ` by ${sourceText(source)}` : ''}`
  if (cause === 'call') return 'by a call'
  if (cause === 'settings') return 'such messages are no longer held'
  if (cause !== 'repair') return undefined
  return `${titles.get(String(id)) ?? id ?? 'an integration'} was added or changed, or works again`
}

/** An open or a click of a program, with the sign of it. */
function automationOf({ automated, automated_reason: reason }: Record<string, unknown>): string | undefined {
  if (automated !== true) return undefined
  return typeof reason === 'string' ? `automated: ${reason}` : 'automated'
}
