/** Everything a batch of messages needs to be decided: one query per kind, whatever its size. */
import { during } from '../../base/activity.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Engine, Reader } from '../../database/engine.ts'
import { stoppedAmong } from '../../database/tables/messages/stopped-requests.ts'
import { type StoredDeviceRow, storedDevices } from '../../database/tables/users/users.ts'
import type { RecipientLinks } from '../../preferences/recipient-links.ts'
import { ContentInvalid } from '../../templates/failure.ts'
import type { Tracker } from '../../tracking/tracker.ts'
import type { DecisionInput } from '../decide/decision.ts'
import { deviceId, mayPush, pushServices } from '../decide/devices.ts'
import { withSettings } from '../decide/read-routing.ts'
import {
  type Brands,
  type DeviceFacts,
  inlineNotification,
  type Mapping,
  type TenantFacts,
  type Windows,
} from '../facts.ts'
import type { LeasedMessage, LoadedMessage, LoadRequest } from '../leased-message.ts'
import type { Mode } from '../send.ts'
import { loadBrands, noBrands } from './brands.ts'
import { loadRecipients, loadSuppressions, loadTenants, type Recipient, withSuppressions } from './recipients.ts'
import type { SharedInputs } from './shared-inputs.ts'
import { isTranslated, withTranslations } from './translations.ts'
import type { MappingRequest, WorkspaceConfigCache, WorkspaceIntegrations } from './workspace-config-cache.ts'

export interface Loader {
  /** In order. */
  load(requests: readonly LoadRequest[]): Promise<DecisionInput[]>
  loadOne(request: LoadRequest): Promise<DecisionInput>
  /** In order. Messages of one request first get the input that they share, and are stopped with it. */
  loadLeased(batch: readonly LeasedMessage[]): Promise<LoadedMessage[]>
  /** Messages whose request was stopped call no provider any more. */
  stopWithRequests(batch: readonly LeasedMessage[]): Promise<void>
}

export interface LoadOptions {
  engine: Engine
  configCache: WorkspaceConfigCache
  windows: Windows
  workspaceName(id: number): string
  now(): number
  /** Absent without a public address. */
  links?: RecipientLinks | undefined
  tracker?: Tracker | undefined
}

export function createLoader(options: LoadOptions & { sharedInputs: SharedInputs }): Loader {
  return {
    load: (requests) => load(requests, options),
    async loadOne(request) {
      const [decisionInput] = await load([request], options)
      if (!decisionInput) throw new Error('One load request has one decision input')
      return decisionInput
    },
    async loadLeased(batch) {
      const isComplete = batch.every(({ message }) => message.request_id === null)
      const [requests] = isComplete
        ? [batch]
        : await Promise.all([withSharedInputs(batch, options.sharedInputs), stopWithRequests(batch, options.engine)])
      const decisionInputs = await load(requests, options)
      return batch.map((leased, n) => ({ leased, decisionInput: decisionInputs[n] as DecisionInput }))
    },
    stopWithRequests: (batch) => stopWithRequests(batch, options.engine),
  }
}

async function withSharedInputs(batch: readonly LeasedMessage[], sharedInputs: SharedInputs): Promise<LoadRequest[]> {
  const inputs = await sharedInputs.complete(
    batch.map(({ message, input }) => ({ requestId: message.request_id, ownInput: input })),
  )
  return batch.map(({ message, input, snapshot }, n) => ({ message, input: inputs[n] ?? input, snapshot }))
}

/** Those whose request was stopped before they were claimed, or by a node whose notification was lost. */
async function stopWithRequests(batch: readonly LeasedMessage[], engine: Reader): Promise<void> {
  const ids = new Set(batch.flatMap(({ message }) => message.request_id ?? []))
  if (ids.size === 0) return
  const stopped = new Map((await stoppedAmong(engine, [...ids])).map((request) => [request.id, request]))
  for (const { message, lease } of batch) {
    const stop = stopped.get(message.request_id ?? '')
    if (stop) lease.stopWithRequest(stop)
  }
}

/** In the order of the requests. */
export async function load(requests: readonly LoadRequest[], options: LoadOptions): Promise<DecisionInput[]> {
  const { configCache, engine, now } = options
  const workspaces = [...new Set(requests.map(({ message }) => message.workspace_id))]
  const mapped = mappingsOf(configCache, requests)
  const tenanted = loadTenants(engine, requests)
  const [mappings, recipients, tenants, brands, ...ofWorkspaces] = await Promise.all([
    mapped,
    loadRecipients(engine, requests, mapped, now()),
    tenanted,
    loadBrands(configCache.brands, requests, mapped, tenanted),
    ...workspaces.map((id) => configCache.integrations(id)),
  ])
  const integrations = new Map(ofWorkspaces.map((ofWorkspace, n) => [workspaces[n] ?? 0, ofWorkspace]))
  // Devices and suppressions are read last, and only where routing, integrations and stored addresses can lead to one.
  const pushes = pushRequests(requests, mappings, integrations)
  const devices = pushes.length > 0 ? await loadDevices(engine, pushes, now()) : noDevices
  const batch = { mappings, recipients, tenants, brands, integrations, devices }
  const time = now()
  const decisionInputs = requests.map((request, n) => decisionInputOf(request, n, batch, time, options))
  const translated = decisionInputs.some(isTranslated)
    ? await withTranslations(decisionInputs, requests, configCache.translations)
    : decisionInputs
  const suppressible = translated.flatMap((decisionInput, n) => {
    const { workspace_id: workspaceId } = (requests[n] as LoadRequest).message
    const isLookedUp = integrations.get(workspaceId)?.hasSuppressions && !isAsOfSnapshot(requests[n] as LoadRequest)
    return isLookedUp ? [{ n, workspaceId, decisionInput }] : []
  })
  if (suppressible.length === 0) return translated
  const suppressions = await loadSuppressions(engine, suppressible, time)
  return translated.map((decisionInput, n) => withSuppressions(decisionInput, suppressions.get(n)))
}

/** An earlier decision is explained with what its snapshot kept. */
const isAsOfSnapshot = ({ asOfSnapshot, snapshot }: LoadRequest) => asOfSnapshot === true && snapshot !== undefined

/** The facts of a batch, by the number of the request; integrations by the id of the workspace. */
interface BatchFacts {
  mappings: readonly (Mapping | undefined)[]
  recipients: readonly Recipient[]
  tenants: readonly (TenantFacts | undefined)[]
  brands: readonly Brands[]
  devices: ReadonlyMap<number, readonly DeviceFacts[]>
  integrations: ReadonlyMap<number, WorkspaceIntegrations>
}

const noIntegrations: WorkspaceIntegrations = {
  integrations: [],
  integratedChannels: new Set(),
  holdsMisconfigured: false,
  onMissing: 'keep',
  hasSuppressions: false,
  push: pushServices([], []),
}

function decisionInputOf(
  request: LoadRequest,
  n: number,
  batch: BatchFacts,
  now: number,
  { windows, workspaceName, links, tracker }: LoadOptions,
): DecisionInput {
  const { message, input, snapshot } = request
  const { workspace_id: workspaceId } = message
  const ofWorkspace = batch.integrations.get(workspaceId) ?? noIntegrations
  const { integrations, integratedChannels, holdsMisconfigured, onMissing, tracking } = ofWorkspace
  const recipient = batch.recipients[n]
  const tenant = batch.tenants[n]
  const devices = batch.devices.get(n)
  const suppressions = isAsOfSnapshot(request) ? snapshot?.suppressions : undefined
  return {
    messageId: message.id,
    workspaceId,
    workspace: workspaceName(workspaceId),
    links,
    tracker,
    mode: message.mode as Mode,
    input: withSettings(input, batch.mappings[n]?.notification),
    firstDue: snapshot?.released ?? (input.openingHours ? now : message.first_due),
    now,
    facts: {
      mapping: batch.mappings[n],
      storedProfile: snapshot ? snapshot.profile : recipient?.profile,
      preferences: recipient?.preferences ?? [],
      ...(recipient?.missingTopic !== undefined && { missingTopic: recipient.missingTopic }),
      ...(recipient?.unsubscribeHeader && { unsubscribeHeader: true }),
      ...(recipient?.erasing && { erasing: true }),
      ...(recipient?.digest && { digest: recipient.digest }),
      ...(tenant && { tenant }),
      ...(devices && { devices }),
      integrations,
      integratedChannels,
      holdsMisconfigured,
      onMissing: snapshot ? (snapshot.onMissing ?? 'keep') : onMissing,
      brands: batch.brands[n] ?? noBrands,
      windows,
      ...(tracking && { tracking }),
      ...(suppressions && { suppressions }),
    },
  }
}

const noDevices: ReadonlyMap<number, readonly DeviceFacts[]> = new Map()

/** The requests whose routing and integrations can lead to a device. */
function pushRequests(
  requests: readonly LoadRequest[],
  mappings: readonly (Mapping | undefined)[],
  integrations: ReadonlyMap<number, WorkspaceIntegrations>,
) {
  return requests.flatMap((request, n) => {
    const { input, message } = request
    const push = integrations.get(message.workspace_id)?.push
    return push && mayPush(input, mappings[n]?.notification, push) ? [{ n, request, providers: push.keys }] : []
  })
}

/** In the order of the requests. */
async function mappingsOf(
  configCache: WorkspaceConfigCache,
  requests: readonly LoadRequest[],
): Promise<readonly (Mapping | undefined)[]> {
  // A promise for each message costs more than the lookup.
  if (!requests.some(hasFixedMapping)) return configCache.mappings(requests.map(mappingRequest))
  const others = requests.filter((request) => !hasFixedMapping(request))
  const loadedMappings = (await configCache.mappings(others.map(mappingRequest))).values()
  return Promise.all(
    requests.map((request) =>
      hasFixedMapping(request) ? fixedMapping(configCache, request) : loadedMappings.next().value,
    ),
  )
}

const hasFixedMapping = ({ snapshot, input, notification }: LoadRequest) =>
  snapshot !== undefined || input.content !== undefined || notification !== undefined

function mappingRequest({ message, input }: LoadRequest): MappingRequest {
  return { workspaceId: message.workspace_id, event: input.template ?? input.event, mode: message.mode as Mode }
}

/** Mappings that no change of the configuration affects: inline content, and those of a snapshot. */
async function fixedMapping(
  configCache: WorkspaceConfigCache,
  { message, input, snapshot, notification: replaced }: LoadRequest,
): Promise<Mapping | undefined> {
  if (replaced) return { notificationId: replaced.id, notification: replaced }
  const { content } = input
  if (content) return during('message', message.id, 'compiling its content', () => inlineMapping(content))
  if (!snapshot?.notification) return undefined
  const { id, version } = snapshot.notification
  const snapshotVersion =
    version === undefined ? undefined : await configCache.version(message.workspace_id, id, version)
  const notification = snapshotVersion?.strategy
    ? await configCache.routed(message.workspace_id, snapshotVersion)
    : snapshotVersion
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

interface PushRequest {
  /** The number under which its devices are found. */
  n: number
  request: LoadRequest
  /** Keys of the providers whose tokens it can use. */
  providers: readonly string[]
}

/** By the number of the request, in one query. An earlier decision is explained with the devices that it had. */
async function loadDevices(
  engine: Reader,
  requests: readonly PushRequest[],
  now: number,
): Promise<ReadonlyMap<number, readonly DeviceFacts[]>> {
  const devicesByMessage = new Map<number, readonly DeviceFacts[]>()
  const lookups = requests.flatMap(({ n, providers, request: { message, asOfSnapshot, snapshot } }) => {
    if (!asOfSnapshot || !snapshot)
      return [{ n, workspaceId: message.workspace_id, userId: message.recipient, providers }]
    if (snapshot.devices) devicesByMessage.set(n, snapshot.devices)
    return []
  })
  const rows = lookups.length > 0 ? await storedDevices(engine, lookups, now) : []
  for (const { n, devices } of rows)
    devicesByMessage.set(
      n,
      (devices ?? []).map((row) => factsOf(row, now)),
    )
  return devicesByMessage
}

function factsOf(row: StoredDeviceRow, now: number): DeviceFacts {
  const { token, provider_key: provider, model, platform, properties, version } = row
  const name = [model, platform && (model ? `(${platform})` : platform)].filter(Boolean).join(' ').slice(0, NAME_MAX)
  const inactive = inactiveReason(row, now)
  return {
    id: deviceId(token),
    provider,
    ...(name !== '' && { name }),
    ...(inactive !== undefined && { inactive }),
    stored: { token, version, ...(properties && { properties }) },
  }
}

const NAME_MAX = 100

function inactiveReason({ status, status_reason, expires }: StoredDeviceRow, now: number): string | undefined {
  if (status === 'failed' || status === 'revoked') return status_reason ? `${status}: ${status_reason}` : status
  return expires !== null && expires <= now ? 'expired' : undefined
}
