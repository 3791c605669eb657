/** What a message names and nothing is found under. Each is passed over; explanations, history and strict sends tell. */
import { channels as everyChannel } from '@postrider/contract'
import { nearestName } from '../../base/nearest-name.ts'
import { missingSnippets } from '../../templates/snippets.ts'
import type { Facts, TenantFacts } from '../facts.ts'
import type { SendInput } from '../message.ts'
import { brandingOf } from './brand.ts'
import type { Profiled } from './deciding.ts'

/** Sentences without their full stop. */
export interface Unresolved {
  problem: string
  /** What is done instead, where the message goes on. */
  consequence?: string
  advice?: string
}

/** For a message that went, or would go, on without it. */
export const passedOver = ({ problem, consequence, advice }: Unresolved): string =>
  `${problem}${consequence === undefined ? '' : `; ${consequence}`}.${advice === undefined ? '' : ` ${advice}`}`

/** For a send that is refused for it. */
export const refusedFor = ({ problem, advice }: Unresolved): string =>
  passedOver({ problem, ...(advice && { advice }) })

export function unresolvedTenant({ tenantId }: SendInput, tenant: Pick<TenantFacts, 'id'> | undefined): Unresolved[] {
  return tenantId === undefined || tenant ? [] : [{ problem: `There is no tenant ${tenantId}` }]
}

export const unresolvedTopic = ({ missingTopic }: Pick<Facts, 'missingTopic'>): Unresolved[] =>
  missingTopic === undefined ? [] : [{ problem: `There is no topic ${missingTopic}` }]

export const unresolvedBrands = (missing: readonly string[]): Unresolved[] =>
  missing.map((id) => ({ problem: `There is no brand ${id}`, consequence: 'the default is used' }))

export function unresolvedSnippets(plan: Profiled, channels: readonly string[]): Unresolved[] {
  const { template } = plan.notification
  const missing = channels.flatMap((channel) => missingSnippets(template, brandingOf(plan, channel).brand))
  return [...new Set(missing)].map((name) => ({
    problem: `The brand has no snippet ${name}`,
    consequence: 'nothing stands in its place',
  }))
}

/** A name in a routing that is neither a channel nor a provider with an integration. */
export function unresolvedRoute(name: string, { integrations }: Pick<Facts, 'integrations'>): Unresolved {
  const known = [...everyChannel, ...integrations.map(({ provider }) => provider.key)]
  return { problem: `\`${name}\` is neither a channel nor a provider with an integration`, ...didYouMean(name, known) }
}

/** The names of settings that are not read: no provider of any integration has them. */
export function unresolvedProvider(name: string, providers: readonly string[]): Unresolved[] {
  if (providers.includes(name)) return []
  return [{ problem: `\`${name}\` is not a provider`, ...didYouMean(name, providers) }]
}

function didYouMean(name: string, known: readonly string[]): Pick<Unresolved, 'advice'> {
  const near = nearestName(name, known)
  return near === undefined ? {} : { advice: `Did you mean \`${near}\`?` }
}
