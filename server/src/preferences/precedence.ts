/** Resolves preferences by precedence: stored documents and choices as layers; for each aspect the first layer that sets it wins. */
import type { PreferenceStatus } from '@postrider/contract'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { toTimestamp } from '../base/time/clock.ts'
import type { PreferenceLayer, PreferenceOrigin, PreferenceSource } from '../messages/facts.ts'
import type { SendInput } from '../messages/send.ts'

/** The keys of a preference document: the notification's id, its event or the caller's event name, and its category. */
export interface About {
  event: string
  /** `metadata.event`. */
  name?: string
  notification: string
  category?: string
}

export function aboutOf(
  { event, metadata }: Pick<SendInput, 'event' | 'metadata'>,
  notification: { id?: string | undefined; category?: string | undefined },
): About {
  const { id = '', category } = notification
  const about: About = { event, notification: id }
  const name = metadata?.event
  if (typeof name === 'string') about.name = name
  if (category !== undefined) about.category = category
  return about
}

/** `{notifications, categories}`: the entry of the notification comes before that of its category. */
export function documentLayers(source: PreferenceSource, document: unknown, about: About): PreferenceLayer[] {
  if (!isObject(document)) return []
  const { notifications, categories } = document
  return [
    entryOf(notifications, about.notification) ??
      entryOf(notifications, about.event) ??
      entryOf(notifications, about.name),
    about.category === undefined ? undefined : entryOf(categories, about.category),
  ].flatMap((entry) => (entry ? [documentLayer(source, entry)] : []))
}

function entryOf(map: unknown, key: string | undefined): JsonObject | undefined {
  const found = isObject(map) && key !== undefined && Object.hasOwn(map, key) ? map[key] : undefined
  return isObject(found) ? found : undefined
}

function documentLayer(source: PreferenceSource, entry: JsonObject): PreferenceLayer {
  const { status, channel_preferences, rules } = entry
  const channels = list(channel_preferences).flatMap((one) => (isObject(one) ? [one.channel] : []))
  const ofSnoozes = list(rules).filter(isSnooze)
  const snoozes = ofSnoozes.flatMap(snoozeOf)
  return {
    ...layer(source, { status, channels, snoozes }),
    ...(snoozes.length < ofSnoozes.length && { endlessSnooze: true }),
  }
}

/** A rule without a type is a snooze. */
const isSnooze = (rule: unknown): rule is JsonObject =>
  isObject(rule) && (rule.type === undefined || rule.type === 'snooze')

/** A snooze without a valid end has no effect. */
function snoozeOf(rule: JsonObject): { start?: number; until: number }[] {
  const until = toTimestamp(rule.until)
  const start = rule.start === undefined || rule.start === null ? undefined : toTimestamp(rule.start)
  if (Number.isNaN(until) || Number.isNaN(start)) return []
  return [{ ...(start !== undefined && { start }), until }]
}

/** The preference for a topic: chosen by a user, or a default. */
interface Choice {
  status: string
  has_custom_routing: boolean
  custom_routing: readonly string[]
  change?: PreferenceOrigin | null
}

/** The stored preferences for the topic of a message. */
export interface TopicFacts {
  in_tenant: Choice | null
  anywhere: Choice | null
  /** The nearest tenant first. */
  tenants: readonly (Choice & { tenant: string })[] | null
  topic: Choice | null
}

/** The user in the tenant, the user, the tenant, those above it, the topic. */
export function topicLayers(facts: TopicFacts, tenant: string | undefined): PreferenceLayer[] {
  const { in_tenant, anywhere, tenants, topic } = facts
  return [
    ...(in_tenant ? [choiceLayer('recipient', in_tenant, tenant)] : []),
    ...(anywhere ? [choiceLayer('recipient', anywhere)] : []),
    ...(tenants ?? []).map((one) => choiceLayer('tenant', one, one.tenant)),
    ...(topic ? [choiceLayer('topic', topic)] : []),
  ]
}

function choiceLayer(source: PreferenceSource, choice: Choice, tenant?: string): PreferenceLayer {
  const { status, has_custom_routing, custom_routing, change } = choice
  const channels = has_custom_routing ? list(custom_routing) : []
  return {
    ...layer(source, { status, channels, snoozes: [] }),
    ...(tenant !== undefined && { tenant }),
    ...(change && { change }),
  }
}

function layer(
  source: PreferenceSource,
  entry: { status: unknown; channels: readonly unknown[]; snoozes: { start?: number; until: number }[] },
): PreferenceLayer {
  const { status, snoozes } = entry
  const channels = entry.channels.filter((channel) => typeof channel === 'string')
  return {
    source,
    ...((status === 'OPTED_IN' || status === 'OPTED_OUT' || status === 'REQUIRED') && { status }),
    ...(channels.length > 0 && { channels }),
    ...(snoozes.length > 0 && { snoozes }),
  }
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export interface ResolvedPreferences {
  verdict: 'allowed' | 'opted_out' | 'snoozed' | 'not_opted_in'
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
  return { verdict: 'allowed', ...where }
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
  return layer.status === undefined ? undefined : 'allowed'
}

function snoozedUntil({ snoozes = [] }: PreferenceLayer, now: number): number | undefined {
  return snoozes.find(({ start, until }) => (start === undefined || start <= now) && now < until)?.until
}
