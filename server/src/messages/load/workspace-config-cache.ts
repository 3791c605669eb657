/** Caches the configuration of a workspace for a second: events, notifications, integrations, brands, translations, webhooks. */

import { deviceTokenProviders, missingVariableChoices } from '@postrider/contract'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { createCache } from '../../base/perf/cache.ts'
import type { SecretKey } from '../../base/secret.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { Engine } from '../../database/engine.ts'
import {
  type MappingRow,
  mapEvents,
  notificationPayload,
  type WorkspaceIntegration,
  workspaceFacts,
  workspaceIntegrations,
} from '../../database/tables/messages/facts.ts'
import {
  type RoutingStrategyInForce,
  routingStrategiesInForce,
} from '../../database/tables/notifications/routing-strategies.ts'
import { workspacesWithMessageWebhooks } from '../../database/tables/webhooks/webhook-outbox.ts'
import { limitsOf, openCredentials } from '../../database/tables/workspace/integrations.ts'
import { onMissing as onMissingOf } from '../../database/tables/workspace/settings.ts'
import type { Provider } from '../../providers/provider.ts'
import { compile } from '../../templates/compile.ts'
import { ContentInvalid } from '../../templates/failure.ts'
import type { Template } from '../../templates/template.ts'
import { type PushServices, pushServices } from '../decide/devices.ts'
import { withStrategy } from '../decide/read-routing.ts'
import type { Facts, Integration, Mapping, Notification, Routing, RoutingEntry } from '../facts.ts'
import type { Mode } from '../send.ts'
import { type BrandCache, createBrandCache } from './brands.ts'
import { createTranslationCache, type TranslationCache } from './translations.ts'

export interface WorkspaceConfigCache {
  /** In order; undefined for an event that leads to no notification. */
  mappings(requests: readonly MappingRequest[]): Promise<readonly (Mapping | undefined)[]>
  integrations(workspaceId: number): Promise<WorkspaceIntegrations>
  /** A version as it was when a message was decided; undefined when it is gone. */
  version(workspaceId: number, notificationId: string, version: number): Promise<Notification | undefined>
  /** The notification with the stored strategy that it names, as that is now. */
  routed(workspaceId: number, notification: Notification): Promise<Notification>
  brands: BrandCache
  translations: TranslationCache
  /** The workspaces with a webhook for messages. */
  webhookWorkspaces(): Promise<ReadonlySet<number>>
  /** An outcome of this process added to the list of suppressed addresses; other nodes see it within the second. */
  suppressed(workspaceIds: Iterable<number>): void
  forget(): void
}

export interface WorkspaceIntegrations
  extends Pick<Facts, 'integrations' | 'integratedChannels' | 'holdsMisconfigured' | 'onMissing' | 'tracking'> {
  push: PushServices
  /** False: no address has to be looked up. */
  hasSuppressions: boolean
}

export interface MappingRequest {
  workspaceId: number
  event: string
  mode: Mode
}

const eventKey = ({ workspaceId, event, mode }: MappingRequest) => `${workspaceId} ${mode === 'draft'} ${event}`

export interface WorkspaceConfigCacheOptions {
  engine: Engine
  secretKey: SecretKey
  providers: ReadonlyMap<string, Provider>
  now(): number
}

// With the second a message may wait for a slot, facts stay younger than two seconds when a provider is called.
const LIFETIME_MS = SECOND
// Versions are immutable; a few hundred cover the messages of one time.
const VERSIONS_MAX = 500
const MAPPINGS_MAX = 10_000
/** Each has 50 kB at most. */
const STRATEGIES_MAX = 500
/** An installation has two. */
const WORKSPACES_MAX = 100

export function createWorkspaceConfigCache(options: WorkspaceConfigCacheOptions): WorkspaceConfigCache {
  const { engine, now } = options
  const mappings = createCache<string, Mapping>({ entriesMax: MAPPINGS_MAX })
  const integrations = createCache<number, Promise<WorkspaceIntegrations>>({ entriesMax: WORKSPACES_MAX })
  const version = createVersionCache(engine)
  const strategies = createStrategyCache(engine, now)

  const readMappings = async (requests: readonly MappingRequest[]): Promise<ReadonlyMap<string, Mapping>> => {
    const rows = await mapEvents(engine, requests)
    const until = now() + LIFETIME_MS
    const mappingByKey = new Map<string, Mapping>()
    for (const row of rows) {
      const mode: Mode = row.draft ? 'draft' : 'live'
      const key = eventKey({ workspaceId: row.workspace_id, event: row.event, mode })
      mappingByKey.set(key, await mappingOf(row, version, strategies.routed))
    }
    for (const [key, mapping] of mappingByKey) mappings.set(key, mapping, until)
    return mappingByKey
  }

  const brands = createBrandCache(engine, now)
  const translations = createTranslationCache(engine, now)
  const webhooks = createWebhookWorkspaces(engine, now)

  return {
    version,
    routed: strategies.routed,
    brands,
    translations,
    async mappings(requests) {
      const time = now()
      // An event that was not found is not cached: one that is mapped now can be used at once.
      const missing = new Map<string, MappingRequest>()
      const cachedMappings = requests.map((request) => {
        const key = eventKey(request)
        const mapping = mappings.get(key, time)
        if (mapping) return mapping
        missing.set(key, request)
        return undefined
      })
      if (missing.size === 0) return cachedMappings
      for (const key of missing.keys()) mappings.delete(key)
      // From the rows, not the cache: it may be cleared meanwhile.
      const rows = await readMappings([...missing.values()])
      return cachedMappings.map((mapping, at) => mapping ?? rows.get(eventKey(requests[at] as MappingRequest)))
    },
    integrations(workspaceId) {
      const cachedIntegrations = integrations.get(workspaceId, now())
      if (cachedIntegrations) return cachedIntegrations
      const loadedIntegrations = loadIntegrations(options, workspaceId)
      loadedIntegrations.catch(() => integrations.delete(workspaceId))
      integrations.set(workspaceId, loadedIntegrations, now() + LIFETIME_MS)
      return loadedIntegrations
    },
    webhookWorkspaces: webhooks.workspaces,
    suppressed(workspaceIds) {
      for (const id of workspaceIds) integrations.delete(id)
    },
    forget() {
      mappings.clear()
      integrations.clear()
      strategies.forget()
      webhooks.forget()
      brands.forget()
      translations.forget()
    },
  }
}

function createWebhookWorkspaces(engine: Engine, now: () => number) {
  const cached = createCache<'all', Promise<ReadonlySet<number>>>({ entriesMax: 1 })
  return {
    workspaces(): Promise<ReadonlySet<number>> {
      const latest = cached.get('all', now())
      if (latest) return latest
      const workspaces = workspacesWithMessageWebhooks(engine)
      workspaces.catch(cached.clear)
      cached.set('all', workspaces, now() + LIFETIME_MS)
      return workspaces
    },
    forget: cached.clear,
  }
}

function createVersionCache(engine: Engine): WorkspaceConfigCache['version'] {
  const versions = createCache<string, Promise<Notification | undefined>>({ entriesMax: VERSIONS_MAX })
  return (workspaceId, id, number) => {
    const key = `${workspaceId} ${id} ${number}`
    const cachedNotification = versions.get(key)
    if (cachedNotification) return cachedNotification
    const loaded = loadVersion(engine, workspaceId, id, number)
    // A failure is not cached.
    loaded.catch(() => versions.delete(key))
    versions.set(key, loaded)
    return loaded
  }
}

async function mappingOf(
  row: MappingRow,
  version: WorkspaceConfigCache['version'],
  routed: WorkspaceConfigCache['routed'],
): Promise<Mapping> {
  const { workspace_id, notification_id: notificationId } = row
  const number = row.draft ? row.draft_version : row.published_version
  const notification = number === null ? undefined : await version(workspace_id, notificationId, number)
  return { notificationId, ...(notification && { notification: await routed(workspace_id, notification) }) }
}

async function loadVersion(
  engine: Engine,
  workspaceId: number,
  id: string,
  version: number,
): Promise<Notification | undefined> {
  const payload = await notificationPayload(engine, workspaceId, id, version)
  return payload && notificationOf(id, version, payload)
}

/** Undefined when its content is refused. */
export function notificationOf(id: string, version: number, payload: JsonObject): Notification | undefined {
  const template = usable(payload.content)
  if (!template) return undefined
  const settings = isObject(payload.settings) ? payload.settings : {}
  const onMissing = missingVariableChoices.find((choice) => choice === settings.on_missing_variable)
  const topic = isObject(payload.subscription) ? payload.subscription.topic_id : undefined
  return {
    id,
    version,
    name: String(payload.name ?? ''),
    template,
    routing: routingOf(payload.routing),
    ...strategyOf(payload.routing),
    condition: typeof settings.if === 'string' ? settings.if : undefined,
    ...(typeof topic === 'string' && { topic }),
    ...(typeof settings.category === 'string' && { category: settings.category }),
    brandId: isObject(payload.brand) && typeof payload.brand.id === 'string' ? payload.brand.id : undefined,
    atMostOnce: settings.delivery_policy === 'at_most_once',
    ...(onMissing && { onMissing }),
    ...(isObject(settings.tracking) && { tracking: settings.tracking }),
  }
}

/** A version that an older release accepted and this one refuses counts as unpublished: it stops its own messages only. */
function usable(content: unknown): Template | undefined {
  try {
    return compile(content)
  } catch (error) {
    if (error instanceof ContentInvalid) return undefined
    throw error
  }
}

/** A version names it; its routing and settings are looked up for each decision. */
const strategyOf = (value: unknown): Pick<Notification, 'strategy'> =>
  isObject(value) && typeof value.strategy_id === 'string' ? { strategy: { id: value.strategy_id, settings: {} } } : {}

function createStrategyCache(engine: Engine, now: () => number) {
  const cachedStrategies = createCache<string, Promise<RoutingStrategyInForce | undefined>>({
    entriesMax: STRATEGIES_MAX,
  })
  const find = (workspaceId: number, id: string) => {
    const key = `${workspaceId} ${id}`
    const cachedStrategy = cachedStrategies.get(key, now())
    if (cachedStrategy) return cachedStrategy
    const loadedStrategy = routingStrategiesInForce(engine, [{ workspaceId, id }]).then(([row]) => row)
    loadedStrategy.catch(() => cachedStrategies.delete(key))
    cachedStrategies.set(key, loadedStrategy, now() + LIFETIME_MS)
    return loadedStrategy
  }
  return {
    async routed(workspaceId: number, notification: Notification): Promise<Notification> {
      const { strategy } = notification
      return strategy ? withStrategy(notification, strategy.id, await find(workspaceId, strategy.id)) : notification
    },
    forget: () => cachedStrategies.clear(),
  }
}

function routingOf(value: unknown): Routing | undefined {
  if (!isObject(value) || !Array.isArray(value.channels)) return undefined
  const channels = value.channels.flatMap((entry): RoutingEntry[] => {
    if (typeof entry === 'string') return [entry]
    const nested = routingOf(entry)
    return nested ? [nested] : []
  })
  return { method: value.method === 'all' ? 'all' : 'single', channels }
}

async function loadIntegrations(
  options: WorkspaceConfigCacheOptions,
  workspaceId: number,
): Promise<WorkspaceIntegrations> {
  const [rows, workspace] = await Promise.all([
    workspaceIntegrations(options.engine, workspaceId),
    workspaceFacts(options.engine, workspaceId),
  ])
  const integrations = rows.flatMap((row) => integrationOf(options, workspaceId, row))
  const tracking = workspace?.tracking
  return {
    integrations,
    integratedChannels: new Set(workspace?.integrated_channels ?? []),
    holdsMisconfigured: workspace?.hold_misconfigured ?? false,
    onMissing: onMissingOf(workspace),
    push: pushServices(integrations, deviceTokenProviders),
    hasSuppressions: workspace?.has_suppressions ?? false,
    ...(tracking && { tracking }),
  }
}

/** An integration whose adapter is gone does not exist; one whose secrets cannot be read exists and cannot be used. */
function integrationOf(
  { providers, secretKey }: WorkspaceConfigCacheOptions,
  workspaceId: number,
  row: WorkspaceIntegration,
): Integration[] {
  const provider = providers.get(row.provider)
  if (!provider) return []
  const channels = row.channel ? provider.channels.filter((channel) => channel === row.channel) : provider.channels
  const secrets = openCredentials(secretKey, { workspaceId, id: row.id }, row.secrets)
  return [
    {
      id: row.id,
      ...(row.alias !== null && { alias: row.alias }),
      title: row.title,
      provider,
      channels,
      enabled: row.enabled,
      readable: secrets !== undefined,
      priority: row.priority,
      version: row.version,
      ...(row.weight !== null && { weight: row.weight }),
      limits: limitsOf(row),
      ...(row.tracking && { tracking: row.tracking }),
      settings: { ...row.settings, ...secrets },
      publicSettings: row.settings,
    },
  ]
}
