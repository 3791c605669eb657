/** MAPPED: the event leads to a notification and to one version of it. */
import { quoted } from '../../base/quote.ts'
import type { Asked, Mapped, StepResult } from './deciding.ts'

export function map(question: Asked): StepResult<Asked, Mapped> {
  const { input } = question
  const event = input.template ?? input.event
  const kind = input.template === undefined ? 'event' : 'template'
  const { mapping } = question.facts
  if (!mapping)
    return {
      stop: { status: 'UNMAPPED', error: 'Event not mapped to a notification' },
      found: () => ({ summary: `Unknown ${kind} ${quoted(event)}.`, facts: { event } }),
    }
  const { notificationId, notification } = mapping
  if (input.content && notification)
    return {
      added: { notification },
      found: () => ({ summary: 'The content came with the send.', facts: { event } }),
    }
  if (!notification)
    return {
      stop: { status: 'UNROUTABLE', reason: 'UNPUBLISHED', error: 'Notification is not published' },
      found: () => ({
        summary: `The notification ${quoted(notificationId)} has no published version.`,
        facts: { event, notification_id: notificationId },
      }),
    }
  const version = `v${notification.version}`
  return {
    added: { notification },
    found: () => ({
      summary: `The ${kind} ${quoted(event)} leads to the notification ${quoted(notificationId)}, version ${version}.`,
      facts: { event, notification_id: notificationId, version },
    }),
  }
}
