/** GET /notifications/:id/uses: events and automations that lead to a notification. */
import { usesMax } from '@postrider/contract'
import { isObject } from '../../../base/json/json.ts'
import { automationsWithTexts } from '../../../database/tables/automations/automation-templates.ts'
import { latestMessage } from '../../../database/tables/messages/messages.ts'
import { eventsOfNotification } from '../../../database/tables/notifications/notifications.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import type { StoredAutomation } from '../automations/automations.ts'
import { requireNotification } from './notifications.ts'

export const notificationUses = {
  'notifications.uses': async ({ params }, ctx) => {
    const { database } = ctx.app
    const { workspaceId } = ctx.caller
    const { id, alias } = await requireNotification(ctx, params.id)
    const [events, latest] = await Promise.all([
      eventsOfNotification(database, workspaceId, id, usesMax + 1),
      latestMessage(database, workspaceId, id),
    ])
    const names = new Set([id, ...(alias === null ? [] : [alias]), ...events.slice(0, usesMax)])
    const rows = await automationsWithTexts(database, workspaceId, [...names], usesMax + 1)
    const automations = rows.flatMap((row) => {
      const { automation } = JSON.parse(row.template) as StoredAutomation
      const steps = placesOf(automation, names)
      const { id: automationId, alias: otherId, name } = row
      return steps.length > 0 ? [{ id: automationId, ...(otherId !== null && { alias: otherId }), name, steps }] : []
    })
    return success('notifications.uses', {
      events: events.slice(0, usesMax),
      automations: automations.slice(0, usesMax),
      last_message: latest ?? null,
      complete: events.length <= usesMax && rows.length <= usesMax,
    })
  },
} satisfies Partial<ResourceHandlers<'notifications'>>

/** Deeper than any automation. */
const DEPTH_MAX = 32

/** Paths of the objects whose `template`, or the `event` of whose message, is one of the names. */
function placesOf(automation: unknown, names: ReadonlySet<string>): string[] {
  const places: string[] = []
  const visit = (value: unknown, path: readonly string[]): void => {
    if (places.length === usesMax || path.length > DEPTH_MAX || typeof value !== 'object' || value === null) return
    if (isObject(value)) {
      const named = [value.template, isObject(value.message) ? value.message.template : undefined]
      const ofMessage = isObject(value.message) ? value.message.event : undefined
      if ([...named, ofMessage].some((name) => typeof name === 'string' && names.has(name))) {
        places.push(path.join('.'))
        return
      }
    }
    for (const [key, item] of Object.entries(value)) visit(item, [...path, key])
  }
  visit(automation, [])
  return places
}
