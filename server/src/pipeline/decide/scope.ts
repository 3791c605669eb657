/** What templates and conditions can see of a message. */
import type { JsonObject } from '../../base/merge.ts'
import type { Profiled } from './deciding.ts'

export function scopeOf({ messageId, workspace, input, notification, profile, now }: Profiled) {
  const data: JsonObject = input.data ?? {}
  return {
    data,
    profile: profile.merged,
    recipient: input.recipient,
    event: input.event,
    messageId,
    template: notification.id,
    courier: { environment: workspace, scope: `${workspace}/api` },
    datetime: { year: new Date(now).getUTCFullYear() },
  }
}
