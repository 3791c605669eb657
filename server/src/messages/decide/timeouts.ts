/** How long a way is given, from the settings of its message. */
import type { Windows } from '../../queue/retry.ts'
import type { Criterion } from '../send.ts'
import { type Way, wayKey, ways } from './candidates.ts'
import type { Question, Routed } from './decision.ts'

/** The nearest setting counts: of the provider or the channel, then by name or for all in the message's timeouts. */
export function windowsOf({ input, facts: { windows } }: Pick<Question, 'input' | 'facts'>, way?: Way): Windows {
  if (!isTimed({ input })) return windows
  const { timeouts, channels, providers } = input
  const channel = way && channels?.[way.channel]
  const provider = way?.integration.provider.key
  const providerMs =
    (provider === undefined ? undefined : providers?.[provider]?.providerMs) ??
    channel?.providerMs ??
    named(timeouts?.providerMs, provider)
  const channelMs = channel?.channelMs ?? named(timeouts?.channelMs, way?.channel)
  const messageMs = timeouts?.messageMs ?? windows.messageMs
  if (channelMs !== undefined) return { providerMs: providerMs ?? windows.providerMs, channelMs, messageMs }
  if (providerMs === undefined) return { ...windows, messageMs }
  // After its last provider a channel is not waited for any longer.
  return { providerMs, channelMs: Number.POSITIVE_INFINITY, messageMs, lastProviderMs: providerMs }
}

/** Whether the message may say how long something is given. */
export const isTimed = ({ input }: Pick<Question, 'input'>): boolean =>
  input.timeouts !== undefined || input.channels !== undefined || input.providers !== undefined

function named(limit: number | Readonly<Record<string, number>> | undefined, name: string | undefined) {
  if (typeof limit === 'number' || limit === undefined) return limit
  return name === undefined || !Object.hasOwn(limit, name) ? undefined : limit[name]
}

/** What has to happen after sending, and how long it is waited for before the next channel follows. */
export interface Escalation {
  criterion: Criterion
  waitMs(channel: string, integration: string): number
}

export function escalationOf(plan: Routed): Escalation | undefined {
  const { timeouts } = plan.input
  if (!timeouts?.criterion) return undefined
  const byKey = new Map(ways(plan.route).map((way) => [way.key, way]))
  return {
    criterion: timeouts.criterion,
    waitMs(channel, integration) {
      const { channelMs, lastProviderMs } = windowsOf(plan, byKey.get(wayKey(channel, integration)))
      return timeouts.escalationMs ?? lastProviderMs ?? channelMs
    },
  }
}
