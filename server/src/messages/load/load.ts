/** Everything a batch of messages needs to be decided: one query per kind, whatever its size. */

import { during } from '../../base/activity.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { createCache } from '../../base/perf/cache.ts'
import type { Engine, Reader } from '../../database/engine.ts'
import { listFacts, storedRecipients, type TopicFactsRow, topicFacts } from '../../database/tables/messages/facts.ts'
import { requestInputs } from '../../database/tables/messages/requests.ts'
import { membershipProfiles } from '../../database/tables/tenants/memberships.ts'
import { type ChainRow, type TenantRequest, tenantChains } from '../../database/tables/tenants/tenants.ts'
import { digestFacts, isTooLarge } from '../../digests/events.ts'
import { aboutOf, documentLayers, topicLayers } from '../../preferences/precedence.ts'
import type { Windows } from '../../queue/retry.ts'
import { ContentInvalid } from '../../templates/failure.ts'
import type { DecisionInput } from '../decide/decision.ts'
import { mayPush, pushServices } from '../decide/devices.ts'
import { type DigestFacts, inlineNotification, type Mapping, type PreferenceLayer, type TenantFacts } from '../facts.ts'
import type { LeasedMessage, LoadedMessage, LoadRequest } from '../leased-message.ts'
import { completed, type Mode, type OwnInput, type SendInput, type SharedInput } from '../send.ts'
import { loadBrands, noBrands } from './brands.ts'
import { loadDevices } from './devices.ts'
import { loadSuppressions, withSuppressions } from './suppressions.ts'
import { isTranslated, withTranslations } from './translations.ts'
import type { MappingRequest, WorkspaceConfigCache, WorkspaceIntegrations } from './workspace-config-cache.ts'

export interface LoadOptions {
  engine: Engine
  configCache: WorkspaceConfigCache
  windows: Windows
  workspaceName(id: number): string
  now(): number
}

/** In order. Messages of one request first get the input that they share. */
export async function loadMessages(
  batch: readonly LeasedMessage[],
  options: LoadOptions & { sharedInputs: SharedInputs },
): Promise<LoadedMessage[]> {
  const inputs = await options.sharedInputs.complete(
    batch.map(({ message, input }) => ({ requestId: message.request_id, own: input })),
  )
  const requests = batch.map((leased, index): LoadRequest => {
    const input = inputs[index]
    if (!input || input === leased.input) return leased
    return { message: leased.message, input, snapshot: leased.snapshot }
  })
  const decisionInputs = await load(requests, options)
  return batch.map((leased, index) => ({ leased, decisionInput: decisionInputs[index] as DecisionInput }))
}

/** One message, with its complete input. */
export async function loadOne(request: LoadRequest, options: LoadOptions): Promise<DecisionInput> {
  const [decisionInput] = await load([request], options)
  if (!decisionInput) throw new Error('One load request has one decision input')
  return decisionInput
}

const noIntegrations: WorkspaceIntegrations = {
  integrations: [],
  integratedChannels: new Set(),
  hasSuppressions: false,
  push: pushServices([], []),
}

/** In the order of the requests. */
export async function load(requests: readonly LoadRequest[], options: LoadOptions): Promise<DecisionInput[]> {
  const { configCache, engine, windows, workspaceName, now } = options
  const workspaces = [...new Set(requests.map(({ message }) => message.workspace_id))]
  const mapped = mappingsOf(configCache, requests)
  const tenanted = loadTenants(engine, requests)
  const [mappings, recipients, tenants, brands, ...integrations] = await Promise.all([
    mapped,
    loadRecipients(engine, requests, mapped, now()),
    tenanted,
    loadBrands(configCache.brands, requests, mapped, tenanted),
    ...workspaces.map((id) => configCache.integrations(id)),
  ])
  const integrationsOf = new Map(workspaces.map((id, index) => [id, integrations[index] ?? noIntegrations]))
  const servicesOf = ({ message }: LoadRequest) => (integrationsOf.get(message.workspace_id) ?? noIntegrations).push
  // Read last: most messages go nowhere near a device, which routing and integrations say.
  const mayUseDevices = requests.some(({ input, message: { workspace_id } }, index) => {
    const push = integrationsOf.get(workspace_id)?.push
    return push !== undefined && mayPush(input, mappings[index]?.notification, push)
  })
  const devices = mayUseDevices ? await loadDevices(engine, requests, mappings, servicesOf, now()) : undefined
  const time = now()
  const decisionInputs = requests.map((request, index): DecisionInput => {
    const { message, input, snapshot } = request
    const recipient = recipients[index]
    const tenant = tenants[index]
    const ofDevices = devices?.[index]
    const integrated = integrationsOf.get(message.workspace_id) ?? noIntegrations
    const asOf = request.asOfSnapshot ? snapshot : undefined
    return {
      messageId: message.id,
      workspace: workspaceName(message.workspace_id),
      mode: message.mode as Mode,
      input,
      firstDue: snapshot?.released ?? (input.openingHours ? time : message.first_due),
      now: time,
      facts: {
        mapping: mappings[index],
        storedProfile: snapshot ? snapshot.profile : recipient?.profile,
        preferences: recipient?.preferences ?? [],
        ...(recipient?.missingTopic !== undefined && { missingTopic: recipient.missingTopic }),
        ...(recipient?.erasing && { erasing: true }),
        ...(recipient?.digest && { digest: recipient.digest }),
        ...(tenant && { tenant }),
        ...(ofDevices && { devices: ofDevices }),
        integrations: integrated.integrations,
        integratedChannels: integrated.integratedChannels,
        brands: brands[index] ?? noBrands,
        windows,
        ...(asOf?.suppressions && { suppressions: asOf.suppressions }),
      },
    }
  })
  const worded = decisionInputs.some(isTranslated)
    ? await withTranslations(decisionInputs, requests, configCache.translations)
    : decisionInputs
  const hasSuppressions = (workspaceId: number) => integrationsOf.get(workspaceId)?.hasSuppressions ?? false
  const looked = worded.flatMap((decisionInput, n) => {
    const { message, asOfSnapshot, snapshot } = requests[n] as LoadRequest
    const isLive = hasSuppressions(message.workspace_id) && !(asOfSnapshot && snapshot)
    return isLive ? [{ n, workspaceId: message.workspace_id, decisionInput }] : []
  })
  if (looked.length === 0) return worded
  const found = await loadSuppressions(engine, looked, time)
  return worded.map((decisionInput, n) => withSuppressions(decisionInput, found.get(n)))
}

/** In the order of the requests. */
async function mappingsOf(
  configCache: WorkspaceConfigCache,
  requests: readonly LoadRequest[],
): Promise<readonly (Mapping | undefined)[]> {
  // A promise for each message costs more than the lookup.
  if (!requests.some(hasFixedMapping)) return configCache.mappings(requests.map(mappingRequest))
  const others = requests.filter((request) => !hasFixedMapping(request))
  const found = (await configCache.mappings(others.map(mappingRequest))).values()
  return Promise.all(
    requests.map((request) => (hasFixedMapping(request) ? fixedMapping(configCache, request) : found.next().value)),
  )
}

const hasFixedMapping = ({ snapshot, input }: LoadRequest) => snapshot !== undefined || input.content !== undefined

function mappingRequest({ message, input }: LoadRequest): MappingRequest {
  return { workspaceId: message.workspace_id, event: input.template ?? input.event, mode: message.mode as Mode }
}

/** Mappings that no change of the configuration affects: inline content, and those of a snapshot. */
async function fixedMapping(
  configCache: WorkspaceConfigCache,
  { message, input, snapshot }: LoadRequest,
): Promise<Mapping | undefined> {
  const { content } = input
  if (content) return during('message', message.id, 'compiling its content', () => inlineMapping(content))
  if (!snapshot?.notification) return undefined
  const { id, version } = snapshot.notification
  const notification = version === undefined ? undefined : await configCache.version(message.workspace_id, id, version)
  return { notificationId: id, ...(notification && { notification }) }
}

/** Content that an older release accepted and this one refuses counts as unpublished: it stops its own message only. */
function inlineMapping(content: JsonObject): Mapping {
  try {
    return { notificationId: '', notification: inlineNotification(content) }
  } catch (error) {
    if (error instanceof ContentInvalid) return { notificationId: '' }
    throw error
  }
}

interface Recipient {
  profile?: JsonObject
  erasing?: true
  preferences: readonly PreferenceLayer[]
  /** The topic it is about, where there is none of that id. */
  missingTopic?: string
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
  const [mapped, stored, listed, topical] = await Promise.all([
    mappings,
    live.length > 0 ? storedRecipients(engine, live.map(recipientRequest)) : [],
    listsOf(engine, live),
    mappings.then((known) => topicsOf(engine, live, known)),
  ])
  const byNumber = <Row extends { n: number }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.n, row]))
  const [recipients, lists, topics] = [byNumber(stored), byNumber(listed), byNumber(topical)]
  return requests.map(({ input, snapshot, asOfSnapshot }, n): Recipient => {
    if (asOfSnapshot && snapshot) {
      const { preferences = [], missingTopic, digest } = snapshot
      return { preferences, ...(missingTopic !== undefined && { missingTopic }), ...(digest && { digest }) }
    }
    const recipient = recipients.get(n)
    if (!recipient && !lists.has(n) && !topics.has(n)) return emptyRecipient
    const profile = recipient?.profile ?? undefined
    const mapping = mapped[n]
    const about = aboutOf(input, { id: mapping?.notificationId, category: mapping?.notification?.category })
    const topic = topics.get(n)
    const missingTopic = topic && topic.topic === null ? topicOf(input, mapped[n]) : undefined
    // A message with a decision is not added to a digest any more.
    const digest = topic?.topic?.digest && !snapshot ? digestOf(topic, input, mapped[n], now) : undefined
    return {
      ...(profile && { profile }),
      ...(recipient?.erasing && { erasing: true }),
      preferences: [
        ...(lists.get(n)?.subscribed === false ? [unsubscribed] : []),
        ...documentLayers('subscription', lists.get(n)?.subscription, about),
        ...documentLayers('list', lists.get(n)?.list, about),
        ...documentLayers('recipient', recipient?.preferences, about),
        ...(topic ? topicLayers(topic, input.tenantId) : []),
      ],
      ...(missingTopic !== undefined && { missingTopic }),
      ...(digest && { digest }),
    }
  })
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

/** The layer of a recipient who left the list, and of every recipient of a deleted list. */
const unsubscribed: PreferenceLayer = { source: 'subscription', status: 'OPTED_OUT' }

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
  const once = new Map(lookups.map((one) => [keyOf(one.workspaceId, one.tenantId), one]))
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
  const own = chain.at(-1)
  if (!own) return undefined
  return {
    id: own.id,
    name: own.name,
    properties: own.properties ?? {},
    ...(own.brand_id !== null && { brandId: own.brand_id }),
    profiles: chain.map(({ user_profile }) => user_profile).filter(isNotEmpty),
    ...(ofUser && isNotEmpty(ofUser) && { ofUser }),
  }
}

export interface SharedInputs {
  /** The whole inputs, in order; a message that belongs to no request has its own already. */
  complete(parts: readonly { requestId: string | null; own: OwnInput }[]): Promise<SendInput[]>
}

/** A few requests are expanded at a time; their inputs never change. */
const REQUESTS_MAX = 100
const BYTES_MAX = 32 * 1_048_576
/** Each has up to 6 MB. */
const REQUESTS_A_READ = 8

export function createSharedInputs(engine: Reader): SharedInputs {
  const known = createCache<string, { shared: SharedInput; bytes: number }>({
    entriesMax: REQUESTS_MAX,
    weightMax: BYTES_MAX,
    weigh: ({ bytes }) => bytes,
  })
  const remember = (id: string, text: string): SharedInput => {
    const shared = JSON.parse(text) as SharedInput
    known.set(id, { shared, bytes: text.length })
    return shared
  }

  return {
    async complete(parts) {
      const requestIds = new Set(parts.flatMap(({ requestId }) => requestId ?? []))
      const inputs = new Map<string, SharedInput>()
      const missing: string[] = []
      for (const id of requestIds) {
        const entry = known.get(id)
        if (entry) inputs.set(id, entry.shared)
        else missing.push(id)
      }
      if (missing.length > 0)
        for (let from = 0; from < missing.length; from += REQUESTS_A_READ)
          for (const { id, input } of await requestInputs(engine, missing.slice(from, from + REQUESTS_A_READ)))
            inputs.set(id, known.get(id)?.shared ?? remember(id, input))
      return parts.map(({ requestId, own }) => {
        if (requestId === null) return own as SendInput
        // Without its request a message has no event: it ends as unmapped, and delays no other one.
        return completed(inputs.get(requestId) ?? { event: '' }, own)
      })
    },
  }
}
