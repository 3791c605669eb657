/** Resolves preferences by precedence: stored documents and choices as entries; for each aspect the first entry that sets it wins. */
import type { PreferenceStatus } from '@postrider/contract'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { toTimestamp } from '../base/time/clock.ts'
import type { PreferenceEntry, PreferenceOrigin, PreferenceSource } from '../messages/facts.ts'
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
export function documentEntries(source: PreferenceSource, document: unknown, about: About): PreferenceEntry[] {
  if (!isObject(document)) return []
  const { notifications, categories } = document
  return [
    fieldsOf(notifications, about.notification) ??
      fieldsOf(notifications, about.event) ??
      fieldsOf(notifications, about.name),
    about.category === undefined ? undefined : fieldsOf(categories, about.category),
  ].flatMap((fields) => (fields ? [documentEntry(source, fields)] : []))
}

function fieldsOf(map: unknown, key: string | undefined): JsonObject | undefined {
  const value = isObject(map) && key !== undefined && Object.hasOwn(map, key) ? map[key] : undefined
  return isObject(value) ? value : undefined
}

function documentEntry(source: PreferenceSource, fields: JsonObject): PreferenceEntry {
  const { status, channel_preferences, rules } = fields
  const channels = list(channel_preferences).flatMap((preference) => (isObject(preference) ? [preference.channel] : []))
  const ofSnoozes = list(rules).filter(isSnooze)
  const snoozes = ofSnoozes.flatMap(snoozeOf)
  return {
    ...preferenceEntry(source, { status, channels, snoozes }),
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
export function topicEntries(facts: TopicFacts, tenant: string | undefined): PreferenceEntry[] {
  const { in_tenant, anywhere, tenants, topic } = facts
  return [
    ...(in_tenant ? [choiceEntry('recipient', in_tenant, tenant)] : []),
    ...(anywhere ? [choiceEntry('recipient', anywhere)] : []),
    ...(tenants ?? []).map((choice) => choiceEntry('tenant', choice, choice.tenant)),
    ...(topic ? [choiceEntry('topic', topic)] : []),
  ]
}

function choiceEntry(source: PreferenceSource, choice: Choice, tenant?: string): PreferenceEntry {
  const { status, has_custom_routing, custom_routing, change } = choice
  const channels = has_custom_routing ? list(custom_routing) : []
  return {
    ...preferenceEntry(source, { status, channels, snoozes: [] }),
    ...(tenant !== undefined && { tenant }),
    ...(change && { change }),
  }
}

function preferenceEntry(
  source: PreferenceSource,
  fields: { status: unknown; channels: readonly unknown[]; snoozes: { start?: number; until: number }[] },
): PreferenceEntry {
  const { status, snoozes } = fields
  const channels = fields.channels.filter((channel) => typeof channel === 'string')
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
  /** The deciding entry; absent when no entry applies. */
  by?: PreferenceEntry
  /** When the snooze ends. */
  until?: number
  /** The entry that sets the channels. */
  channelsBy?: PreferenceEntry & { channels: readonly string[] }
  /** When none of these channels works, the notification's own are used. */
  channelsYield: boolean
}

/**
 * Resolves each aspect by precedence: an entry with channels but without a status leaves the status to later entries. A
 * default that is REQUIRED takes precedence over all entries but the send itself.
 */
export function resolvePreferences(entries: readonly PreferenceEntry[], now: number): ResolvedPreferences {
  const initial = firstDefault(entries)
  const required = initial?.status === 'REQUIRED'
  const applicable = required ? entries.filter((entry) => entry.source === 'send' || entry === initial) : entries
  const channelsBy = entries.find(namesChannels)
  const channelsYield = required || (channelsBy !== undefined && isDefault(channelsBy))
  const where = { ...(channelsBy && { channelsBy }), channelsYield }
  for (const entry of applicable) {
    const until = snoozedUntil(entry, now)
    const verdict = verdictOf(entry, until)
    if (verdict) return { verdict, by: entry, ...(verdict === 'snoozed' && until !== undefined && { until }), ...where }
  }
  return { verdict: 'allowed', ...where }
}

/** Defaults apply where the user has not chosen. */
const isDefault = ({ source }: PreferenceEntry) => source === 'tenant' || source === 'topic'

/** The default status, without a choice of the user; undefined where no default is set. */
export const defaultStatus = (entries: readonly PreferenceEntry[]): PreferenceStatus | undefined =>
  firstDefault(entries)?.status

const firstDefault = (entries: readonly PreferenceEntry[]) =>
  entries.find((entry) => isDefault(entry) && entry.status !== undefined)

const namesChannels = (entry: PreferenceEntry): entry is PreferenceEntry & { channels: readonly string[] } =>
  entry.channels !== undefined && entry.channels.length > 0

function verdictOf(entry: PreferenceEntry, until: number | undefined): ResolvedPreferences['verdict'] | undefined {
  if (entry.status === 'OPTED_OUT') return isDefault(entry) ? 'not_opted_in' : 'opted_out'
  if (until !== undefined) return 'snoozed'
  return entry.status === undefined ? undefined : 'allowed'
}

function snoozedUntil({ snoozes = [] }: PreferenceEntry, now: number): number | undefined {
  return snoozes.find(({ start, until }) => (start === undefined || start <= now) && now < until)?.until
}
