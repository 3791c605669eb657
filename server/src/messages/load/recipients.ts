/** Stored facts of the recipients of a batch: profiles, preferences, subscriptions, topics, tenants, suppressed addresses; one query a kind. */

import type { SuppressionReason } from '@postrider/contract'
import type { JsonObject } from '../../base/json/json.ts'
import type { Reader } from '../../database/engine.ts'
import {
  type ListFactsRow,
  listFacts,
  type RecipientRow,
  storedRecipients,
  type TopicFactsRow,
  topicFacts,
} from '../../database/tables/messages/facts.ts'
import { findSuppressions } from '../../database/tables/suppressions/suppressions.ts'
import { membershipProfiles } from '../../database/tables/tenants/memberships.ts'
import { type ChainRow, type TenantRequest, tenantChains } from '../../database/tables/tenants/tenants.ts'
import { digestFacts, isTooLarge } from '../../digests/events.ts'
import { aboutOf, documentEntries, topicEntries } from '../../preferences/precedence.ts'
import type { NormalAddress } from '../../providers/address.ts'
import { usableAddresses } from '../decide/candidates.ts'
import type { DecisionInput } from '../decide/decision.ts'
import { copyAddresses } from '../decide/suppressions.ts'
import type { DecisionSnapshot } from '../decision-snapshot.ts'
import type { DigestFacts, Mapping, PreferenceEntry, Suppression, TenantFacts } from '../facts.ts'
import type { LoadRequest } from '../leased-message.ts'
import type { SendInput } from '../send.ts'

export interface Recipient {
  profile?: JsonObject
  erasing?: true
  preferences: readonly PreferenceEntry[]
  /** The topic it is about, where there is none of that id. */
  missingTopic?: string
  unsubscribeHeader?: true
  digest?: DigestFacts
}

/** Nothing is stored of the recipient. */
const emptyRecipient: Recipient = { preferences: [] }

/** In order; the profile only where no snapshot has one. `mappings` load meanwhile. */
export async function loadRecipients(
  engine: Reader,
  requests: readonly LoadRequest[],
  mappings: Promise<readonly (Mapping | undefined)[]>,
  now: number,
): Promise<Recipient[]> {
  // An explanation of an earlier decision uses the preferences of its snapshot.
  const live = requests.flatMap((request, n) => (request.asOfSnapshot && request.snapshot ? [] : [{ request, n }]))
  const [mapped, profiles, listed, topical] = await Promise.all([
    mappings,
    live.length > 0 ? storedRecipients(engine, live.map(recipientRequest)) : [],
    listsOf(engine, live),
    mappings.then((loadedMappings) => topicsOf(engine, live, loadedMappings)),
  ])
  const byNumber = <Row extends { n: number }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.n, row]))
  const [recipients, lists, topics] = [byNumber(profiles), byNumber(listed), byNumber(topical)]
  return requests.map((request, n): Recipient => {
    if (request.asOfSnapshot && request.snapshot) return recipientOfSnapshot(request.snapshot)
    const rows = { recipient: recipients.get(n), list: lists.get(n), topic: topics.get(n) }
    if (!rows.recipient && !rows.list && !rows.topic) return emptyRecipient
    return recipientOf(request, mapped[n], rows, now)
  })
}

function recipientOfSnapshot(snapshot: DecisionSnapshot): Recipient {
  const { preferences = [], missingTopic, unsubscribeHeader, digest } = snapshot
  return {
    preferences,
    ...(missingTopic !== undefined && { missingTopic }),
    ...(unsubscribeHeader && { unsubscribeHeader }),
    ...(digest && { digest }),
  }
}

interface RecipientRows {
  recipient: RecipientRow | undefined
  list: ListFactsRow | undefined
  topic: TopicFactsRow | undefined
}

function recipientOf(
  { input, snapshot }: LoadRequest,
  mapping: Mapping | undefined,
  { recipient, list, topic }: RecipientRows,
  now: number,
): Recipient {
  const about = aboutOf(input, { id: mapping?.notificationId, category: mapping?.notification?.category })
  const missingTopic = topic && topic.topic === null ? topicOf(input, mapping) : undefined
  // A message with a decision is not added to a digest any more.
  const digest = topic?.topic?.digest && !snapshot ? digestOf(topic, input, mapping, now) : undefined
  return {
    ...(recipient?.profile && { profile: recipient.profile }),
    ...(recipient?.erasing && { erasing: true }),
    preferences: [
      ...(list?.subscribed === false ? [unsubscribed] : []),
      ...documentEntries('subscription', list?.subscription, about),
      ...documentEntries('list', list?.list, about),
      ...documentEntries('recipient', recipient?.preferences, about),
      ...(topic ? topicEntries(topic, input.tenantId) : []),
    ],
    ...(missingTopic !== undefined && { missingTopic }),
    ...(topic?.topic?.unsubscribe_header && { unsubscribeHeader: true }),
    ...(digest && { digest }),
  }
}

/** Data that are too large for a digest are sent alone. */
function digestOf(
  { topic, in_tenant, anywhere }: TopicFactsRow,
  input: SendInput,
  mapping: Mapping | undefined,
  now: number,
) {
  if (input.isDigest || isTooLarge(input.data ?? {})) return undefined
  const chosen = in_tenant?.digest_schedule_id ?? anywhere?.digest_schedule_id ?? null
  return digestFacts(topicOf(input, mapping) ?? '', topic?.digest, chosen, now)
}

/** The entry of a recipient who left the list, and of every recipient of a deleted list. */
const unsubscribed: PreferenceEntry = { source: 'subscription', status: 'OPTED_OUT' }

interface Numbered {
  request: LoadRequest
  n: number
}

const recipientRequest = ({ request: { message, snapshot }, n }: Numbered) => ({
  n,
  workspaceId: message.workspace_id,
  recipient: message.recipient,
  needsProfile: snapshot === undefined,
})

async function listsOf(engine: Reader, requests: readonly Numbered[]) {
  const lookups = requests.flatMap(({ request: { message }, n }) => {
    const { workspace_id: workspaceId, recipient, list_id: list } = message
    return list ? [{ n, workspaceId, recipient, list }] : []
  })
  return lookups.length > 0 ? listFacts(engine, lookups) : []
}

const topicOf = (input: SendInput, mapping: Mapping | undefined) => input.topic ?? mapping?.notification?.topic

async function topicsOf(engine: Reader, requests: readonly Numbered[], mapped: readonly (Mapping | undefined)[]) {
  const lookups = requests.flatMap(({ request: { message, input }, n }) => {
    const topic = topicOf(input, mapped[n])
    const { tenantId: tenant } = input
    const { workspace_id: workspaceId, recipient: user } = message
    return topic === undefined ? [] : [{ n, workspaceId, user, topic, ...(tenant !== undefined && { tenant }) }]
  })
  return lookups.length > 0 ? topicFacts(engine, lookups) : []
}

/** In the order of the requests; undefined without a tenant, and for one that does not exist. */
export async function loadTenants(
  engine: Reader,
  requests: readonly LoadRequest[],
): Promise<readonly (TenantFacts | undefined)[]> {
  const lookups = requests.flatMap(({ message, input, snapshot }, n) =>
    snapshot || input.tenantId === undefined
      ? []
      : [{ n, workspaceId: message.workspace_id, tenantId: input.tenantId, userId: message.recipient }],
  )
  const [chains, profiles] = await (lookups.length > 0 ? readTenants(engine, lookups) : nothing)
  return requests.map(({ message, input, snapshot }, n) => {
    // The profile of the snapshot holds what the tenant contributed.
    if (snapshot) return snapshot.tenant && { ...snapshot.tenant, profiles: [] }
    const chain = input.tenantId === undefined ? undefined : chains.get(keyOf(message.workspace_id, input.tenantId))
    return chain && factsOf(chain, profiles.get(n))
  })
}

type Found = [chains: ReadonlyMap<string, readonly ChainRow[]>, profiles: ReadonlyMap<number, TenantFacts['ofUser']>]

const nothing: Found = [new Map(), new Map()]

const keyOf = (workspaceId: number, tenantId: string) => `${workspaceId} ${tenantId}`

async function readTenants(
  engine: Reader,
  lookups: readonly (TenantRequest & { n: number; userId: string })[],
): Promise<Found> {
  const once = new Map(lookups.map((lookup) => [keyOf(lookup.workspaceId, lookup.tenantId), lookup]))
  const [rows, members] = await Promise.all([
    tenantChains(engine, [...once.values()]),
    membershipProfiles(engine, lookups),
  ])
  const chains = new Map<string, ChainRow[]>()
  for (const row of rows) {
    const key = keyOf(row.workspace_id, row.requested)
    chains.set(key, [...(chains.get(key) ?? []), row])
  }
  return [chains, new Map(members.map(({ n, profile }) => [n, profile ?? undefined]))]
}

const isNotEmpty = (profile: JsonObject) => Object.keys(profile).length > 0

function factsOf(chain: readonly ChainRow[], ofUser: TenantFacts['ofUser']): TenantFacts | undefined {
  const ownRow = chain.at(-1)
  if (!ownRow) return undefined
  return {
    id: ownRow.id,
    name: ownRow.name,
    properties: ownRow.properties ?? {},
    ...(ownRow.brand_id !== null && { brandId: ownRow.brand_id }),
    profiles: chain.map(({ user_profile }) => user_profile).filter(isNotEmpty),
    ...(ofUser && isNotEmpty(ofUser) && { ofUser }),
  }
}

interface SuppressionRequest {
  /** The number under which its suppressions are found. */
  n: number
  workspaceId: number
  decisionInput: DecisionInput
}

/** By the number of the request. */
export async function loadSuppressions(
  engine: Reader,
  requests: readonly SuppressionRequest[],
  now: number,
): Promise<ReadonlyMap<number, readonly Suppression[]>> {
  const lookups = new Map<string, NormalAddress & { workspaceId: number; requests: number[] }>()
  for (const { n, workspaceId, decisionInput } of requests)
    for (const address of [...usableAddresses(decisionInput), ...copyAddresses(decisionInput.input)]) {
      const key = `${workspaceId} ${address.kind} ${address.address}`
      const lookup = lookups.get(key)
      if (!lookup) lookups.set(key, { ...address, workspaceId, requests: [n] })
      else if (lookup.requests.at(-1) !== n) lookup.requests.push(n)
    }
  const byMessage = new Map<number, Suppression[]>()
  if (lookups.size === 0) return byMessage
  const addresses = [...lookups.values()]
  for (const { n, id, reason, source, created } of await findSuppressions(engine, addresses, now)) {
    const { kind, address, requests: of = [] } = addresses[n] ?? {}
    if (kind === undefined || address === undefined) continue
    const suppression = { kind, address, id, reason: reason as SuppressionReason, source, created }
    for (const request of of) byMessage.set(request, [...(byMessage.get(request) ?? []), suppression])
  }
  return byMessage
}

export function withSuppressions(
  decisionInput: DecisionInput,
  suppressions: readonly Suppression[] | undefined,
): DecisionInput {
  const { suppressions: earlier, ...facts } = decisionInput.facts
  if (!suppressions && !earlier) return decisionInput
  return { ...decisionInput, facts: { ...facts, ...(suppressions && { suppressions }) } }
}

/** As if this profile were stored: its addresses may be suppressed where those of the stored one are not. */
export async function withStoredProfile(
  engine: Reader,
  workspaceId: number,
  loaded: DecisionInput,
  storedProfile: JsonObject,
): Promise<DecisionInput> {
  const decisionInput = { ...loaded, facts: { ...loaded.facts, storedProfile } }
  const suppressions = await loadSuppressions(engine, [{ n: 0, workspaceId, decisionInput }], loaded.now)
  return withSuppressions(decisionInput, suppressions.get(0))
}
