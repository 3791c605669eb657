/** Names in a message that resolve to nothing. They are skipped, and reported by explanations, history and strict sends. */
import { type DecisionFinding, type DecisionParamsOf, channels as everyChannel } from '@postrider/contract'
import { didYouMean, nearestName, quoted } from '../../base/quote.ts'
import { providerNames } from '../../providers/catalog.ts'
import { namesOf, type Provider } from '../../providers/provider.ts'
import { missingSnippets } from '../../templates/snippets.ts'
import type { Facts, RoutingStrategy, TenantFacts } from '../facts.ts'
import type { SendInput } from '../send.ts'
import type { Profiled } from './decision.ts'
import { brandingOf } from './render.ts'

type UnresolvedCode =
  | 'tenant_unknown'
  | 'topic_unknown'
  | 'strategy_unknown'
  | 'route_name_unknown'
  | 'brand_unknown'
  | 'snippet_missing'

/** A name of the message that resolves to nothing. */
export type UnresolvedReference = DecisionFinding<UnresolvedCode>

/** Sentences without their full stop. */
interface Problem {
  problem: string
  /** The substitute, where the message goes on. */
  consequence?: string
  advice?: string
}

const problems: { [Code in UnresolvedCode]: (params: DecisionParamsOf<Code>) => Problem } = {
  tenant_unknown: ({ tenant_id }) => ({ problem: `Unknown tenant ${quoted(tenant_id)}` }),
  topic_unknown: ({ topic_id }) => ({ problem: `Unknown topic ${quoted(topic_id)}` }),
  strategy_unknown: ({ strategy_id }) => ({
    problem: `Unknown routing strategy ${quoted(strategy_id)}`,
    consequence: 'the default channels are used',
  }),
  route_name_unknown: ({ name, suggestion }) => ({
    problem: `${quoted(name)} is neither a channel nor a provider with an integration`,
    ...(suggestion !== undefined && { advice: `Did you mean ${quoted(suggestion)}?` }),
  }),
  brand_unknown: ({ brand_id }) => ({
    problem: `Unknown brand ${quoted(brand_id)}`,
    consequence: 'the default is used',
  }),
  snippet_missing: ({ snippet }) => ({
    problem: `The brand has no snippet ${quoted(snippet)}`,
    consequence: 'it is left out',
  }),
}

const problemOf = <Code extends UnresolvedCode>({ code, params }: DecisionFinding<Code>): Problem =>
  problems[code](params)

/** For a message that is sent without it. */
export function describeUnresolved(reference: UnresolvedReference): string {
  const { problem, consequence, advice } = problemOf(reference)
  return `${problem}${consequence === undefined ? '' : `; ${consequence}`}.${advice === undefined ? '' : ` ${advice}`}`
}

/** For a send that is refused because of it. */
export function describeProblem(reference: UnresolvedReference): string {
  const { problem, advice } = problemOf(reference)
  return `${problem}.${advice === undefined ? '' : ` ${advice}`}`
}

export function unresolvedTenant(
  { tenantId }: SendInput,
  tenant: Pick<TenantFacts, 'id'> | undefined,
): DecisionFinding<'tenant_unknown'>[] {
  return tenantId === undefined || tenant ? [] : [{ code: 'tenant_unknown', params: { tenant_id: tenantId } }]
}

export const unresolvedTopic = ({ missingTopic }: Pick<Facts, 'missingTopic'>): DecisionFinding<'topic_unknown'>[] =>
  missingTopic === undefined ? [] : [{ code: 'topic_unknown', params: { topic_id: missingTopic } }]

export const unresolvedBrands = (missing: readonly string[]): DecisionFinding<'brand_unknown'>[] =>
  missing.map((id) => ({ code: 'brand_unknown', params: { brand_id: id } }))

export function unresolvedSnippets(plan: Profiled, channels: readonly string[]): DecisionFinding<'snippet_missing'>[] {
  const { template } = plan.notification
  const missing = channels.flatMap((channel) => missingSnippets(template, brandingOf(plan, channel).brand))
  return [...new Set(missing)].map((snippet) => ({ code: 'snippet_missing', params: { snippet } }))
}

/** `strategy`: the one that the message applies. */
export const unresolvedStrategy = (strategy: RoutingStrategy | undefined): DecisionFinding<'strategy_unknown'>[] =>
  strategy && strategy.name === undefined ? [{ code: 'strategy_unknown', params: { strategy_id: strategy.id } }] : []

/** A name in a routing that is neither a channel nor a provider with an integration. */
export function unresolvedRoute(
  name: string,
  { integrations }: { integrations: readonly { provider: Pick<Provider, 'key' | 'aliases'> }[] },
): DecisionFinding<'route_name_unknown'> {
  const knownNames = [...everyChannel, ...integrations.flatMap(({ provider }) => namesOf(provider))]
  const suggestion = nearestName(name, knownNames)
  return { code: 'route_name_unknown', params: { name, ...(suggestion !== undefined && { suggestion }) } }
}

/** A name among the providers of a channel that is neither a provider nor an integration. */
export function unresolvedChoice(
  name: string,
  { integrations }: Pick<Facts, 'integrations'>,
): DecisionFinding<'route_name_unknown'> {
  const aliases = integrations.flatMap(({ alias }) => (alias === undefined ? [] : [alias]))
  const suggestion = nearestName(name, [...providerNames, ...aliases])
  return { code: 'route_name_unknown', params: { name, ...(suggestion !== undefined && { suggestion }) } }
}

/** Settings under a name that no provider of any integration has. `settingsOfChannels`: the path of those that channels have there. */
export function unknownProvider(name: string, providers: readonly string[], settingsOfChannels?: string): string[] {
  if (providers.includes(name)) return []
  const isChannel = settingsOfChannels !== undefined && everyChannel.some((channel) => channel === name)
  const near = isChannel ? `${settingsOfChannels}.${name}` : nearestName(name, providers)
  return [`Unknown provider ${quoted(name)}.${didYouMean(near)}`]
}
