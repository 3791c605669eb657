/** MAPPED: the event leads to a notification and to one version of it. */
import { extended } from '../../base/extended.ts'
import type { Mapped, Question, StepResult } from './deciding.ts'

export function map(question: Question): StepResult<Mapped> {
  const { input } = question
  const event = input.template ?? input.event
  const named = `The ${input.template === undefined ? 'event' : 'template'} \`${event}\``
  const { mapping } = question.facts
  if (!mapping)
    return {
      stop: { status: 'UNMAPPED', error: 'Event not mapped to a notification' },
      found: () => ({ summary: `${named} names no notification.`, facts: { event } }),
    }
  const { notificationId, notification } = mapping
  if (input.content && notification)
    return {
      value: extended(question, { notification }),
      found: () => ({ summary: 'The content came with the send.', facts: { event } }),
    }
  if (!notification)
    return {
      stop: { status: 'UNROUTABLE', reason: 'UNPUBLISHED', error: 'Notification is not published' },
      found: () => ({
        summary: `The notification ${notificationId} has no published version.`,
        facts: { event, notification_id: notificationId },
      }),
    }
  const version = `v${notification.version}`
  return {
    value: extended(question, { notification }),
    found: () => ({
      summary: `${named} leads to the notification ${notificationId}, version ${version}.`,
      facts: { event, notification_id: notificationId, version },
    }),
  }
}
