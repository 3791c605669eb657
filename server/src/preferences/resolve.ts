/** Resolves layers of preferences: whether a message is wanted, and on which channels. */
import type { PreferenceStatus } from '@postrider/contract'
import type { PreferenceLayer } from '../messages/facts.ts'

export interface ResolvedPreferences {
  verdict: 'wanted' | 'opted_out' | 'snoozed' | 'not_opted_in'
  /** Who said so; absent when nobody spoke of it. */
  by?: PreferenceLayer
  /** When the snooze ends. */
  until?: number
  /** Who named the channels. */
  channelsBy?: PreferenceLayer & { channels: readonly string[] }
  /** True: where none of these channels works, the notification's own are used. */
  channelsYield: boolean
}

/**
 * By falling precedence, aspect by aspect: who names channels and no status leaves the status to those after it. A
 * default that is REQUIRED is heard before everybody but the send itself.
 */
export function resolvePreferences(layers: readonly PreferenceLayer[], now: number): ResolvedPreferences {
  const initial = firstDefault(layers)
  const required = initial?.status === 'REQUIRED'
  const heard = required ? layers.filter((layer) => layer.source === 'send' || layer === initial) : layers
  const channelsBy = layers.find(namesChannels)
  const channelsYield = required || (channelsBy !== undefined && isDefault(channelsBy))
  const where = { ...(channelsBy && { channelsBy }), channelsYield }
  for (const layer of heard) {
    const until = snoozedUntil(layer, now)
    const verdict = verdictOf(layer, until)
    if (verdict) return { verdict, by: layer, ...(verdict === 'snoozed' && until !== undefined && { until }), ...where }
  }
  return { verdict: 'wanted', ...where }
}

/** What holds where nobody has chosen. */
const isDefault = ({ source }: PreferenceLayer) => source === 'tenant' || source === 'topic'

/** The status in force where nobody has chosen; undefined where no default is set. */
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
