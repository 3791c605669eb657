/** MAPPED: the event leads to a notification and to one version of it. */
import { quoted } from '../../base/quote.ts'
import type { BudgetedInput, Mapped, StepResult } from './decision.ts'

export function map(decisionInput: BudgetedInput): StepResult<BudgetedInput, Mapped> {
  const { input } = decisionInput
  const event = input.template ?? input.event
  const { mapping } = decisionInput.facts
  if (!mapping) return unmapped(event, input.template !== undefined)
  const kind = input.template === undefined ? 'event' : 'template'
  const { notificationId, notification } = mapping
  if (input.content && notification)
    return {
      added: { notification },
      explain: () => ({ summary: 'The content came with the send.', facts: { event } }),
    }
  if (!notification)
    return {
      stop: { status: 'UNROUTABLE', reason: 'UNPUBLISHED', error: 'Notification is not published' },
      explain: () => ({
        summary: `The notification ${quoted(notificationId)} has no published version.`,
        facts: { event, notification_id: notificationId },
      }),
    }
  const version = `v${notification.version}`
  return {
    added: { notification },
    explain: () => ({
      summary: `The ${kind} ${quoted(event)} leads to the notification ${quoted(notificationId)}, version ${version}.`,
      facts: { event, notification_id: notificationId, version },
    }),
  }
}

function unmapped(event: string, isTemplate: boolean): StepResult<BudgetedInput, Mapped> {
  const error = isTemplate
    ? `Unknown template ${quoted(event)}`
    : `Event not mapped to a notification: ${quoted(event)}`
  const summary = isTemplate ? `${error}.` : `Unknown event ${quoted(event)}.`
  return { stop: { status: 'UNMAPPED', error }, explain: () => ({ summary, facts: { event } }) }
}
