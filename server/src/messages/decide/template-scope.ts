/** What templates and conditions can see of a message. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Profiled } from './decision.ts'

export function scopeOf({ messageId, workspace, input, notification, profile, facts, now }: Profiled) {
  const data: JsonObject = input.data ?? {}
  const { tenant } = facts
  return {
    data,
    profile: profile.merged,
    recipient: input.recipient,
    event: input.event,
    messageId,
    template: notification.id,
    courier: { environment: workspace, scope: `${workspace}/api` },
    datetime: { year: new Date(now).getUTCFullYear() },
    ...(tenant && { tenant: { ...tenant.properties, id: tenant.id, name: tenant.name } }),
    // What steps filled into the words of the content: variables in it stand for these.
    ...(input.content?.filled_in !== undefined && { filled_in: input.content.filled_in }),
  }
}
