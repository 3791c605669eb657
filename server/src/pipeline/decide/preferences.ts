/** Whether the recipient wants this notification, and on which channels. */
import { isObject, type JsonObject } from '../../base/merge.ts'
import type { Ending, Permitted, Profiled, StepResult } from './deciding.ts'

const optedOut: Ending = {
  status: 'UNDELIVERABLE',
  reason: 'UNSUBSCRIBED',
  error: 'Notification opted out by user',
}

export function preferences(value: Profiled): StepResult<Permitted> {
  const { notifications } = value.input.preferences ?? {}
  const preference = isObject(notifications) ? preferenceOf(notifications, value) : undefined
  if (!preference)
    return {
      value: { ...value, wantedChannels: undefined },
      found: () => ({ summary: 'No preference applies.', facts: {} }),
    }
  if (preference.status === 'OPTED_OUT')
    return {
      stop: optedOut,
      found: () => ({ summary: 'The recipient opted out.', facts: { source: 'send', status: 'OPTED_OUT' } }),
    }
  const snoozedUntil = snooze(preference, value.now)
  if (snoozedUntil !== undefined)
    return {
      stop: optedOut,
      found: () => ({
        summary: `The recipient wants none before ${new Date(snoozedUntil).toISOString()}.`,
        facts: { source: 'send', snoozed_until: snoozedUntil },
      }),
    }
  const wantedChannels = channelsOf(preference)
  return {
    value: { ...value, wantedChannels },
    found: () => ({
      summary: wantedChannels
        ? `The recipient wants it by ${wantedChannels.join(', ')} only.`
        : 'The recipient wants it.',
      facts: { source: 'send', ...(wantedChannels && { channels: wantedChannels }) },
    }),
  }
}

/** By the id of the notification, or by the event it was sent with. */
function preferenceOf(notifications: JsonObject, { notification, input }: Profiled): JsonObject | undefined {
  for (const key of [notification.id, input.event]) {
    const found = Object.hasOwn(notifications, key) ? notifications[key] : undefined
    if (isObject(found)) return found
  }
  return undefined
}

function snooze({ rules }: JsonObject, now: number): number | undefined {
  for (const rule of Array.isArray(rules) ? rules : []) {
    if (!isObject(rule) || (rule.type !== undefined && rule.type !== 'snooze')) continue
    const start = rule.start === undefined ? now : moment(rule.start)
    const until = moment(rule.until)
    if (start <= now && now < until) return until
  }
  return undefined
}

/** ISO 8601 or milliseconds since the epoch, as number or text. NaN for anything else: such a rule never applies. */
function moment(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return Number.NaN
  return /^\d+$/.test(value) ? Number(value) : Date.parse(value)
}

function channelsOf({ channel_preferences }: JsonObject): string[] | undefined {
  if (!Array.isArray(channel_preferences) || channel_preferences.length === 0) return undefined
  return channel_preferences.flatMap((entry) =>
    isObject(entry) && typeof entry.channel === 'string' ? [entry.channel] : [],
  )
}
