/** Resolves layers of preferences: whether a message is wanted, and on which channels. */
import type { PreferenceStatus } from '@postrider/contract'
import type { PreferenceLayer } from '../messages/facts.ts'

export interface ResolvedPreferences {
  verdict: 'wanted' | 'opted_out' | 'snoozed' | 'not_opted_in'
  /** The deciding layer; absent when no layer applies. */
  by?: PreferenceLayer
  /** When the snooze ends. */
  until?: number
  /** The layer that sets the channels. */
  channelsBy?: PreferenceLayer & { channels: readonly string[] }
  /** When none of these channels works, the notification's own are used. */
  channelsYield: boolean
}

/**
 * Resolves each aspect by precedence: a layer with channels but without a status leaves the status to later layers. A
 * default that is REQUIRED takes precedence over all layers but the send itself.
 */
export function resolvePreferences(layers: readonly PreferenceLayer[], now: number): ResolvedPreferences {
  const initial = firstDefault(layers)
  const required = initial?.status === 'REQUIRED'
  const applicable = required ? layers.filter((layer) => layer.source === 'send' || layer === initial) : layers
  const channelsBy = layers.find(namesChannels)
  const channelsYield = required || (channelsBy !== undefined && isDefault(channelsBy))
  const where = { ...(channelsBy && { channelsBy }), channelsYield }
  for (const layer of applicable) {
    const until = snoozedUntil(layer, now)
    const verdict = verdictOf(layer, until)
    if (verdict) return { verdict, by: layer, ...(verdict === 'snoozed' && until !== undefined && { until }), ...where }
  }
  return { verdict: 'wanted', ...where }
}

/** Defaults apply where the user has not chosen. */
const isDefault = ({ source }: PreferenceLayer) => source === 'tenant' || source === 'topic'

/** The default status, without a choice of the user; undefined where no default is set. */
export const defaultStatus = (layers: readonly PreferenceLayer[]): PreferenceStatus | undefined =>
  firstDefault(layers)?.status

const firstDefault = (layers: readonly PreferenceLayer[]) =>
  layers.find((layer) => isDefault(layer) && layer.status !== undefined)

const namesChannels = (layer: PreferenceLayer): layer is PreferenceLayer & { channels: readonly string[] } =>
  layer.channels !== undefined && layer.channels.length > 0

function verdictOf(layer: PreferenceLayer, until: number | undefined): ResolvedPreferences['verdict'] | undefined {
  if (layer.status === 'OPTED_OUT') return isDefault(layer) ? 'not_opted_in' : 'opted_out'
  if (until !== undefined) return 'snoozed'
  return layer.status === undefined ? undefined : 'wanted'
}

function snoozedUntil({ snoozes = [] }: PreferenceLayer, now: number): number | undefined {
  return snoozes.find(({ start, until }) => (start === undefined || start <= now) && now < until)?.until
}
