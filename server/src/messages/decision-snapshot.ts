/** What a decision leaves with its message: the snapshot that later attempts and explanations start from, and its history events. */

import type { Candidate } from '@postrider/contract'
import { isObject, type JsonObject } from '../base/json/json.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import { usesBrand } from './decide/brand.ts'
import type { Decision } from './decide/decide.ts'
import type { DecisionInput, Ending } from './decide/decision.ts'
import { storedProfileOf } from './decide/profile.ts'
import type { StoredEvent } from './delivery.ts'
import type { BrandVersion, DigestFacts, Facts, Mapping, PreferenceLayer, TenantFacts } from './facts.ts'

/** What a decision leaves for every later look at the message. */
export interface DecisionSnapshot {
  /** Absent: the event led nowhere. Without a version: nothing was published. */
  notification?: { id: string; version?: number }
  /** As stored for the recipient, with what its tenant says of it merged in: what every later look begins with. */
  profile?: JsonObject
  tenant?: TenantSnapshot
  considered?: readonly Candidate[]
  /** Opening hours let it go at this moment; deadlines count from here. */
  released?: number
  /** As they were when it was decided last; absent: none applied. */
  preferences?: readonly PreferenceLayer[]
  missingTopic?: string
  /** Where it was kept. */
  digest?: DigestFacts
  /** Only where words depend on one. */
  brand?: BrandReference
  channelBrands?: Readonly<Record<string, BrandReference>>
  missingBrands?: readonly string[]
}

export interface BrandReference {
  id: string
  version: number
}

export type TenantSnapshot = Pick<TenantFacts, 'id' | 'name' | 'properties' | 'brandId'>

export function snapshotOf(decision: Decision): DecisionSnapshot {
  const known = decision.kind === 'routed' ? decision.plan : decision.known
  const { mapping, tenant } = known.facts
  const profile = storedProfileOf(known.facts)
  // Field by field, as everything that is made for each message (base/perf/copy-with.ts).
  const snapshot: DecisionSnapshot = {}
  if (mapping && !known.input.content) snapshot.notification = notificationReference(mapping)
  if (profile) snapshot.profile = profile
  if (tenant) snapshot.tenant = tenantSnapshot(tenant)
  if (known.input.openingHours) snapshot.released = known.now
  if (decision.considered.length > 0) snapshot.considered = decision.considered
  if (known.facts.digest) snapshot.digest = known.facts.digest
  return Object.assign(snapshot, heard(known.facts), brands(decision))
}

/** A retry asks again whether it is wanted, and is explained by the answer of then. */
export function refreshSnapshot(before: DecisionSnapshot, { facts }: DecisionInput): DecisionSnapshot {
  const { preferences: _preferences, missingTopic: _missingTopic, ...snapshot } = before
  return { ...snapshot, ...heard(facts) }
}

const heard = ({ preferences, missingTopic }: Facts): Pick<DecisionSnapshot, 'preferences' | 'missingTopic'> => ({
  ...(preferences.length > 0 && { preferences }),
  ...(missingTopic !== undefined && { missingTopic }),
})

const notificationReference = ({ notificationId: id, notification }: Mapping) =>
  notification ? { id, version: notification.version } : { id }

const tenantSnapshot = ({ id, name, properties, brandId }: TenantFacts): TenantSnapshot => ({
  id,
  name,
  properties,
  ...(brandId !== undefined && { brandId }),
})

function brands(decision: Decision): Pick<DecisionSnapshot, 'brand' | 'channelBrands' | 'missingBrands'> {
  if (decision.kind !== 'routed') return {}
  const { notification, facts } = decision.plan
  const channels = decision.considered.map(({ channel }) => channel)
  const { message, own, missing } = facts.brands
  const unresolved = missing.length > 0 ? { missingBrands: missing } : {}
  if (!usesBrand(notification, channels)) return unresolved
  return {
    ...(message && { brand: brandReference(message) }),
    ...unresolved,
    ...(own.size > 0 && {
      channelBrands: Object.fromEntries([...own].map(([channel, version]) => [channel, brandReference(version)])),
    }),
  }
}

const brandReference = ({ id, version }: BrandVersion): BrandReference => ({ id, version })

/** What the decision itself leaves in the history, in the order of its steps. */
export function decisionEvents(decision: Decision, now: number): StoredEvent[] {
  const known = decision.kind === 'routed' ? decision.plan : decision.known
  const events: StoredEvent[] = []
  if (known.facts.mapping && !known.input.content)
    events.push({ type: 'MAPPED', ts: now, notification_id: known.facts.mapping.notificationId })
  if ('profile' in known && known.profile) events.push({ type: 'PROFILE_LOADED', ts: now })
  if (decision.kind === 'stopped') events.push(stopEvent(decision.stop, now))
  if (decision.kind === 'digested') {
    const { topicId, until } = decision.stop.digest
    events.push({ type: 'DIGESTED', ts: now, topic_id: topicId, until })
  }
  return events
}

function stopEvent({ status, reason, error }: Ending, now: number): StoredEvent {
  if (status === 'UNMAPPED') return { type: status, ts: now }
  return { type: status, ts: now, channel: { id: '' }, reason, error_message: error }
}

export function parseSnapshot(text: string): DecisionSnapshot {
  const parsed: unknown = JSON.parse(text)
  return isObject(parsed) ? parsed : {}
}

/** A copy of the stored profile is in it. */
export function snapshotText(snapshot: DecisionSnapshot, workspaceId: number, tokens: TokenCipher): string {
  const { profile } = snapshot
  const sealed = profile && tokens.encrypt(workspaceId, profile)
  return JSON.stringify(sealed === profile ? snapshot : { ...snapshot, ...(sealed && { profile: sealed }) })
}
