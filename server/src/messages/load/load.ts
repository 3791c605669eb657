/** Everything a batch of messages needs to be decided: one query per kind, whatever its size. */
import { during } from '../../base/activity.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Engine } from '../../database/engine.ts'
import type { Windows } from '../../queue/retry.ts'
import { ContentInvalid } from '../../templates/failure.ts'
import type { DecisionInput } from '../decide/decision.ts'
import { inlineNotification, type Mapping } from '../facts.ts'
import type { LeasedMessage, LoadedMessage, LoadRequest } from '../leased-message.ts'
import type { Mode } from '../send.ts'
import { loadBrands, noBrands } from './brands.ts'
import { loadRecipients } from './recipients.ts'
import type { SharedInputs } from './shared-inputs.ts'
import { loadTenants } from './tenants.ts'
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

const noIntegrations: WorkspaceIntegrations = { integrations: [], integratedChannels: new Set() }

/** In the order of the subjects. */
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
  const time = now()
  return requests.map((request, index): DecisionInput => {
    const { message, input, snapshot } = request
    const recipient = recipients[index]
    const tenant = tenants[index]
    const integrated = integrationsOf.get(message.workspace_id) ?? noIntegrations
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
        integrations: integrated.integrations,
        integratedChannels: integrated.integratedChannels,
        brands: brands[index] ?? noBrands,
        windows,
      },
    }
  })
}

/** In the order of the subjects. */
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
