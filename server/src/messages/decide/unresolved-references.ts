/** Names in a message that resolve to nothing. They are skipped, and reported by explanations, history and strict sends. */
import { channels as everyChannel } from '@postrider/contract'
import { nearestName, quoted } from '../../base/quote.ts'
import { namesOf } from '../../providers/provider.ts'
import { missingSnippets } from '../../templates/snippets.ts'
import type { Facts, Notification, TenantFacts } from '../facts.ts'
import type { SendInput } from '../send.ts'
import type { Profiled } from './decision.ts'
import { brandingOf } from './render.ts'

/** Sentences without their full stop. */
export interface UnresolvedReference {
  problem: string
  /** The substitute, where the message goes on. */
  consequence?: string
  advice?: string
}

/** For a message that is sent without it. */
export const describeUnresolved = ({ problem, consequence, advice }: UnresolvedReference): string =>
  `${problem}${consequence === undefined ? '' : `; ${consequence}`}.${advice === undefined ? '' : ` ${advice}`}`

/** For a send that is refused because of it. */
export const describeProblem = ({ problem, advice }: UnresolvedReference): string =>
  describeUnresolved({ problem, ...(advice && { advice }) })

export function unresolvedTenant(
  { tenantId }: SendInput,
  tenant: Pick<TenantFacts, 'id'> | undefined,
): UnresolvedReference[] {
  return tenantId === undefined || tenant ? [] : [{ problem: `Unknown tenant ${quoted(tenantId)}` }]
}

export const unresolvedTopic = ({ missingTopic }: Pick<Facts, 'missingTopic'>): UnresolvedReference[] =>
  missingTopic === undefined ? [] : [{ problem: `Unknown topic ${quoted(missingTopic)}` }]

export const unresolvedBrands = (missing: readonly string[]): UnresolvedReference[] =>
  missing.map((id) => ({ problem: `Unknown brand ${quoted(id)}`, consequence: 'the default is used' }))

export function unresolvedSnippets(plan: Profiled, channels: readonly string[]): UnresolvedReference[] {
  const { template } = plan.notification
  const missing = channels.flatMap((channel) => missingSnippets(template, brandingOf(plan, channel).brand))
  return [...new Set(missing)].map((name) => ({
    problem: `The brand has no snippet ${quoted(name)}`,
    consequence: 'nothing stands in its place',
  }))
}

export const unresolvedStrategy = ({ strategy }: Pick<Notification, 'strategy'>): UnresolvedReference[] =>
  strategy && strategy.name === undefined
    ? [{ problem: `Unknown routing strategy ${quoted(strategy.id)}`, consequence: 'the default channels are used' }]
    : []

/** A name in a routing that is neither a channel nor a provider with an integration. */
export function unresolvedRoute(name: string, { integrations }: Pick<Facts, 'integrations'>): UnresolvedReference {
  const known = [...everyChannel, ...integrations.flatMap(({ provider }) => namesOf(provider))]
  return {
    problem: `${quoted(name)} is neither a channel nor a provider with an integration`,
    ...didYouMean(name, known),
  }
}

/** The names of settings that are not read: no provider of any integration has them. */
export function unresolvedProvider(name: string, providers: readonly string[]): UnresolvedReference[] {
  if (providers.includes(name)) return []
  return [{ problem: `Unknown provider ${quoted(name)}`, ...didYouMean(name, providers) }]
}

function didYouMean(name: string, known: readonly string[]): Pick<UnresolvedReference, 'advice'> {
  const near = nearestName(name, known)
  return near === undefined ? {} : { advice: `Did you mean ${quoted(near)}?` }
}
