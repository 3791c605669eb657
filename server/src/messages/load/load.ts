/** Everything a batch of messages needs to be decided: one query per kind, whatever its size. */
import { during } from '../../base/activity.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Engine } from '../../database/engine.ts'
import type { Windows } from '../../queue/retry.ts'
import { ContentInvalid } from '../../templates/failure.ts'
import type { Question } from '../decide/decision.ts'
import type { Mapping } from '../facts.ts'
import { inlineNotification } from '../inline-content.ts'
import type { Mode } from '../send.ts'
import { loadBrands, noBrands } from './load-brands.ts'
import { loadRecipients } from './load-recipients.ts'
import type { Subject } from './load-request.ts'
import { loadTenants } from './load-tenants.ts'
import type { Asked, Catalogue, WorkspaceIntegrations } from './workspace-config-cache.ts'

export interface LoadOptions {
  engine: Engine
  catalogue: Catalogue
  windows: Windows
  workspaceName(id: number): string
  now(): number
}

const noIntegrations: WorkspaceIntegrations = { integrations: [], integratedChannels: new Set() }

/** In the order of the subjects. */
export async function load(subjects: readonly Subject[], options: LoadOptions): Promise<Question[]> {
  const { catalogue, engine, windows, workspaceName, now } = options
  const workspaces = [...new Set(subjects.map(({ message }) => message.workspace_id))]
  const mapped = mappingsOf(catalogue, subjects)
  const tenanted = loadTenants(engine, subjects)
  const [mappings, recipients, tenants, brands, ...integrations] = await Promise.all([
    mapped,
    loadRecipients(engine, subjects, mapped, now()),
    tenanted,
    loadBrands(catalogue.brands, subjects, mapped, tenanted),
    ...workspaces.map((id) => catalogue.integrations(id)),
  ])
  const integrationsOf = new Map(workspaces.map((id, index) => [id, integrations[index] ?? noIntegrations]))
  const time = now()
  return subjects.map((subject, index): Question => {
    const { message, input, pinned } = subject
    const recipient = recipients[index]
    const tenant = tenants[index]
    const integrated = integrationsOf.get(message.workspace_id) ?? noIntegrations
    return {
      messageId: message.id,
      workspace: workspaceName(message.workspace_id),
      mode: message.mode as Mode,
      input,
      firstDue: pinned?.released ?? (input.openingHours ? time : message.first_due),
      now: time,
      facts: {
        mapping: mappings[index],
        storedProfile: pinned ? pinned.profile : recipient?.profile,
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
  catalogue: Catalogue,
  subjects: readonly Subject[],
): Promise<readonly (Mapping | undefined)[]> {
  // A promise for each message costs more than the look-up.
  if (!subjects.some(isFixed)) return catalogue.mappings(subjects.map(askedOf))
  const others = subjects.filter((subject) => !isFixed(subject))
  const found = (await catalogue.mappings(others.map(askedOf))).values()
  return Promise.all(
    subjects.map((subject) => (isFixed(subject) ? fixedMapping(catalogue, subject) : found.next().value)),
  )
}

const isFixed = ({ pinned, input }: Subject) => pinned !== undefined || input.content !== undefined

function askedOf({ message, input }: Subject): Asked {
  return { workspaceId: message.workspace_id, event: input.template ?? input.event, mode: message.mode as Mode }
}

/** What no change of the configuration can move: inline content, and what an earlier decision pinned. */
async function fixedMapping(catalogue: Catalogue, { message, input, pinned }: Subject): Promise<Mapping | undefined> {
  const { content } = input
  if (content) return during('message', message.id, 'compiling its content', () => inlineMapping(content))
  if (!pinned?.notification) return undefined
  const { id, version } = pinned.notification
  const notification = version === undefined ? undefined : await catalogue.version(message.workspace_id, id, version)
  return { notificationId: id, ...(notification && { notification }) }
}

/** Content that an older release took and this one refuses counts as unpublished: it stops its own message only. */
function inlineMapping(content: JsonObject): Mapping {
  try {
    return { notificationId: '', notification: inlineNotification(content) }
  } catch (error) {
    if (error instanceof ContentInvalid) return { notificationId: '' }
    throw error
  }
}
