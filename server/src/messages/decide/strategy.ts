/** A stored routing strategy beneath a send: its routing is that of the notification, its settings are beneath those of the send. */
import { type JsonObject, merge } from '../../base/json/json.ts'
import type { Notification, RoutingStrategy } from '../facts.ts'
import type { SendInput } from '../send.ts'
import { readRouting } from './read-routing.ts'

/** The strategy that a version names; `document` is as it is stored, undefined where there is none. */
export function withStrategy(
  notification: Notification,
  id: string,
  stored: { name: string; document: JsonObject } | undefined,
): Notification {
  if (!stored) return { ...notification, strategy: { id, settings: {} } }
  const { routing, ...settings } = readRouting(stored.document, '')
  const isDefault = !routing || routing.channels.length === 0
  return {
    ...notification,
    routing: isDefault ? undefined : routing,
    strategy: { id, name: stored.name, settings },
  }
}

/** A send with channels of its own goes by them alone. */
export const appliedStrategy = (
  { routing }: Pick<SendInput, 'routing'>,
  notification: Pick<Notification, 'strategy'> | undefined,
): RoutingStrategy | undefined => (routing && routing.channels.length > 0 ? undefined : notification?.strategy)

/** The same input where no strategy has settings. */
export function withSettings(input: SendInput, notification: Notification | undefined): SendInput {
  if (!notification?.strategy) return input
  const { channels, providers, override } = appliedStrategy(input, notification)?.settings ?? {}
  if (!channels && !providers && !override) return input
  return {
    ...input,
    ...(channels && { channels: beneath(channels, input.channels) }),
    ...(providers && { providers: beneath(providers, input.providers) }),
    ...(override && { override: merge(override, input.override ?? {}) }),
  }
}

/** By name, and in each by field. */
function beneath<Settings extends object>(
  below: Readonly<Record<string, Settings>>,
  over: Readonly<Record<string, Settings>> = {},
): Record<string, Settings> {
  const merged = { ...below, ...over }
  return Object.fromEntries(Object.entries(merged).map(([name, settings]) => [name, { ...below[name], ...settings }]))
}
