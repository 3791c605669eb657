/** Problems of a message that do not depend on its recipient: what it names and nothing has. A strict send is refused for them. */
import { channels as everyChannel } from '@postrider/contract'
import { type Finding, textsOf } from '../../base/finding.ts'
import { isObject } from '../../base/json/json.ts'
import type { SendInput } from '../send.ts'
import type { Decision } from './decide.ts'
import { appliedStrategy } from './read-routing.ts'
import { unknownNames } from './route.ts'
import {
  describeProblem,
  unknownProvider,
  unresolvedBrands,
  unresolvedRoute,
  unresolvedSnippets,
  unresolvedStrategy,
  unresolvedTenant,
  unresolvedTopic,
} from './unresolved-references.ts'

/** Sentences. Once its content was rendered, its findings are among them. `providers`: the names of all of them. */
export function sharedProblems({ plan, considered }: Decision, providers: readonly string[]): string[] {
  const { notification, profile, facts, input } = plan
  const routes = new Set(
    [
      ...(notification ? unknownNames({ ...plan, notification }) : []),
      ...overriddenChannels(input)
        .filter((name) => !everyChannel.some((channel) => channel === name))
        .map((name) => unresolvedRoute(name, facts)),
    ].map(describeProblem),
  )
  const channels = [...new Set(considered.map(({ channel }) => channel))]
  const snippets = notification && profile ? unresolvedSnippets({ ...plan, notification, profile }, channels) : []
  return [
    ...unresolvedTenant(input, facts.tenant).map(describeProblem),
    ...unresolvedTopic(facts).map(describeProblem),
    ...unresolvedBrands(facts.brands.missing).map(describeProblem),
    ...unresolvedStrategy(appliedStrategy(input, notification)).map(describeProblem),
    ...routes,
    ...[...providerNames(input)].flatMap(([name, place]) => unknownProvider(name, providers, place)),
    ...snippets.map(describeProblem),
    ...contentProblems(notification?.template.findings ?? [], input),
  ]
}

/** A field without effect is the mistake of a caller who wrote the content; in a template its author was warned of it. */
const contentProblems = (findings: readonly Finding[], { content }: SendInput) =>
  textsOf(content ? findings : findings.filter(({ code }) => code !== 'element_field_ignored'))

/** The names under which settings for a provider are given, with the place of those for a channel. */
function providerNames({ override = {}, providers = {} }: SendInput): ReadonlyMap<string, string> {
  const overridden = Object.keys(override).filter((name) => name !== 'channel' && name !== 'brand')
  return new Map([
    ...overridden.map((name) => [name, 'override.channel'] as const),
    // Their overrides are among the others.
    ...Object.keys(providers).map((name) => [name, 'channels'] as const),
  ])
}

const overriddenChannels = ({ override }: SendInput) =>
  isObject(override?.channel) ? Object.keys(override.channel) : []
