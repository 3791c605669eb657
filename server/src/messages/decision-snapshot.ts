/**
 * The result of a decision in its message: the snapshot that later attempts and explanations start from, and its
 * history events.
 */
import type { Candidate, OnMissingVariable } from '@postrider/contract'
import { isObject, type JsonObject } from '../base/json/json.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import type { Decision, DecisionOf } from './decide/decide.ts'
import type { DecisionInput, Ending, Routed, StepExplanation } from './decide/decision.ts'
import { storedProfileOf } from './decide/profile.ts'
import { usesBrand } from './decide/render.ts'
import type { StoredHistoryEvent } from './delivery.ts'
import type {
  BrandVersion,
  DeviceFacts,
  DigestFacts,
  Facts,
  PreferenceEntry,
  Suppression,
  TenantFacts,
} from './facts.ts'

/** Its JSON is the column `pinned` of messages. */
export interface DecisionSnapshot {
  /** Absent: the event led to none. Without a version: nothing was published. */
  readonly notification?: { readonly id: string; readonly version?: number }
  /** As stored for the recipient, with what the tenant adds merged in. */
  readonly profile?: JsonObject
  readonly tenant?: TenantSnapshot
  readonly considered?: readonly Candidate[]
  /** The step `route`, where a message without a delivery ended there: integrations that come or go later change none of it. */
  readonly routeStop?: RouteStop
  /** The setting of the workspace; absent: `keep`. */
  readonly onMissing?: Exclude<OnMissingVariable, 'keep'>
  /** When the opening hours let it go; deadlines count from here. */
  readonly released?: number
  /** The preferences of the latest decision; absent: none applied. */
  readonly preferences?: readonly PreferenceEntry[]
  readonly missingTopic?: string
  /** Its topic offers to unsubscribe in the header of mails. */
  readonly unsubscribeHeader?: true
  /** Among the addresses of the latest decision; absent: none. */
  readonly suppressions?: readonly Suppression[]
  /** The devices of the latest decision, without their tokens. */
  readonly devices?: readonly DeviceFacts[]
  /** The digest it was added to. */
  readonly digest?: DigestFacts
  /** Only where the content depends on a brand, or has links to a page in it. */
  readonly brand?: BrandReference
  readonly channelBrands?: Readonly<Record<string, BrandReference>>
  readonly missingBrands?: readonly string[]
  /** The catalogs it is translated by, the most specific first; absent where its content needs none. */
  readonly translations?: readonly { readonly locale: string; readonly version: number }[]
}

export interface RouteStop extends StepExplanation {
  ending: Ending
}

/** While it is made: field by field, as everything that is made for each message (base/perf/copy-with.ts). */
type Draft = { -readonly [Field in keyof DecisionSnapshot]: DecisionSnapshot[Field] }

export interface BrandReference {
  readonly id: string
  readonly version: number
}

type TenantSnapshot = Pick<TenantFacts, 'id' | 'name' | 'properties' | 'brandId'>

export function snapshotOf(decision: Decision): DecisionSnapshot {
  const { input, facts, now } = decision.plan
  const { mapping, tenant } = facts
  const profile = storedProfileOf(facts)
  const snapshot: Draft = {}
  if (mapping && !input.content) {
    const { notificationId: id, notification } = mapping
    snapshot.notification = notification ? { id, version: notification.version } : { id }
  }
  if (profile) snapshot.profile = profile
  if (tenant) snapshot.tenant = tenantSnapshot(tenant)
  if (facts.onMissing !== 'keep') snapshot.onMissing = facts.onMissing
  if (input.openingHours) snapshot.released = now
  if (decision.considered.length > 0) snapshot.considered = decision.considered
  if (facts.digest) snapshot.digest = facts.digest
  addPermissions(snapshot, facts)
  addDevices(snapshot, facts)
  if (facts.brands.missing.length > 0) snapshot.missingBrands = facts.brands.missing
  if (decision.kind === 'routed') addBrands(snapshot, decision.plan)
  if (decision.kind === 'stopped') Object.assign(snapshot, routeStopOf(decision))
  if (facts.translations)
    snapshot.translations = facts.translations.map(({ version, catalog: { locale } }) => ({ locale, version }))
  return snapshot
}

/** A retry reads preferences, suppressions and device tokens anew, and is explained by those. */
export function refreshSnapshot(snapshot: DecisionSnapshot, { facts }: DecisionInput): DecisionSnapshot {
  const {
    preferences: _,
    missingTopic: _topic,
    unsubscribeHeader: _header,
    suppressions: _suppressions,
    devices: _devices,
    routeStop: _stop,
    ...refreshed
  } = snapshot
  addPermissions(refreshed, facts)
  addDevices(refreshed, facts)
  return refreshed
}

export function routeStopOf({ trace, stop }: DecisionOf<'stopped'>): Pick<DecisionSnapshot, 'routeStop'> | undefined {
  const last = trace.at(-1)
  return last?.step === 'route' ? { routeStop: { ...last.explain(), ending: stop } } : undefined
}

function addPermissions(snapshot: Draft, facts: Facts): void {
  const { preferences, missingTopic, unsubscribeHeader, suppressions } = facts
  if (preferences.length > 0) snapshot.preferences = preferences
  if (missingTopic !== undefined) snapshot.missingTopic = missingTopic
  if (unsubscribeHeader) snapshot.unsubscribeHeader = unsubscribeHeader
  if (suppressions) snapshot.suppressions = suppressions
}

function addDevices(snapshot: Draft, { devices }: Facts): void {
  if (devices && devices.length > 0) snapshot.devices = devices.map(({ stored: _, ...device }) => device)
}

const tenantSnapshot = ({ id, name, properties, brandId }: TenantFacts): TenantSnapshot => ({
  id,
  name,
  properties,
  ...(brandId !== undefined && { brandId }),
})

function addBrands(snapshot: Draft, { notification, facts, considered }: Routed): void {
  const { message, channelBrands } = facts.brands
  const channels = considered.map(({ channel }) => channel)
  // The page that its links lead to is in its brand.
  if (!usesBrand(notification, channels) && !notification.template.namesLinks) return
  if (message) snapshot.brand = brandReference(message)
  if (channelBrands.size > 0)
    snapshot.channelBrands = Object.fromEntries(
      [...channelBrands].map(([channel, version]) => [channel, brandReference(version)]),
    )
}

const brandReference = ({ id, version }: BrandVersion): BrandReference => ({ id, version })

/** The history events of a first decision, in the order of its steps. */
export function decisionEvents(decision: Decision, now: number): StoredHistoryEvent[] {
  const { input, facts, profile } = decision.plan
  const events: StoredHistoryEvent[] = []
  if (facts.mapping && !input.content)
    events.push({ type: 'MAPPED', ts: now, notification_id: facts.mapping.notificationId })
  if (profile) events.push({ type: 'PROFILE_LOADED', ts: now })
  if (decision.kind === 'stopped') events.push(endingEvent(decision.stop, now))
  if (decision.kind === 'digested') {
    const { topicId, until } = decision.stop.digest
    events.push({ type: 'DIGESTED', ts: now, topic_id: topicId, until })
  }
  return events
}

export function endingEvent({ status, reason, error }: Ending, now: number): StoredHistoryEvent {
  if (status === 'UNMAPPED') return { type: status, ts: now }
  return { type: status, ts: now, channel: { id: '' }, reason, error_message: error }
}

export function parseSnapshot(text: string): DecisionSnapshot {
  const parsed: unknown = JSON.parse(text)
  return isObject(parsed) ? parsed : {}
}

/** The tokens of the profile encrypted. */
export function snapshotText(snapshot: DecisionSnapshot, workspaceId: number, tokens: TokenCipher): string {
  const { profile } = snapshot
  const encrypted = profile && tokens.encrypt(workspaceId, profile)
  return JSON.stringify(encrypted === profile ? snapshot : { ...snapshot, profile: encrypted })
}
