/** ROUTED: the candidates of a message as a tree in the order of their turns, or the reason why there are none. */
import {
  type Candidate,
  type CandidateReason,
  type Channel,
  type DecisionFinding,
  channels as everyChannel,
} from '@postrider/contract'
import { copyWith } from '../../base/perf/copy-with.ts'
import { providerNames } from '../../providers/catalog.ts'
import { isNamed, isSandbox, valueFor } from '../../providers/provider.ts'
import { renderChannels } from '../../templates/render.ts'
import { type ChannelRoute, type Facts, hasName, type Integration, type Routing, type RoutingEntry } from '../facts.ts'
import {
  addressFor,
  candidateKey,
  candidatesOf,
  isReal,
  isSandboxCandidate,
  realChannels,
  someCandidate,
  withoutSandbox,
} from './candidates.ts'
import { unmet } from './condition.ts'
import type {
  Findings,
  Group,
  Mapped,
  Permitted,
  Route,
  RouteCandidate,
  Routed,
  StepFinding,
  StepResult,
} from './decision.ts'
import { type DeviceCandidate, devicesFor } from './devices.ts'
import { appliedStrategy } from './read-routing.ts'
import { shownSuppression, suppressionOf, suppressionsOf } from './suppressions.ts'
import { unresolvedChoice, unresolvedRoute, unresolvedStrategy } from './unresolved-references.ts'
import { whyUnroutable } from './unroutable.ts'

export function route(value: Permitted): StepResult<StepFinding<'route'>, Permitted, Routed> {
  const limited = routed(value)
  if ('added' in limited || !value.channelsYield || !value.chosenChannels) return limited
  return routed(copyWith(value, { chosenChannels: undefined }))
}

function routed(value: Permitted): StepResult<StepFinding<'route'>, Permitted, Routed> {
  const routing = routingOf(value)
  const considered: Candidate[] = []
  const whole = groupOf(routing, value, considered)
  const named = candidatesOf(whole)
  if (named.length === 0) {
    const unresolved = [...unresolvedStrategy(appliedStrategy(value.input, value.notification)), ...unknownNames(value)]
    const { stop, findings } = whyUnroutable(considered, unresolved, value)
    return { stop, considered, explain: () => ({ findings, facts: routingFacts(routing, value) }) }
  }
  const isNamedTwice = named.some((candidate, at) => named.findIndex(({ key }) => key === candidate.key) < at)
  const tree = isNamedTwice ? withoutRepeats(whole, new Set()) : whole
  const candidates = isNamedTwice ? candidatesOf(tree) : named
  return {
    added: { route: tree, candidates, considered },
    explain: () => ({
      findings: routeFindings(tree, considered, routing, value),
      facts: routingFacts(routing, value),
    }),
  }
}

const isDefaultRouting = ({ input }: Permitted) => input.routing?.channels.length === 0

function routingFacts({ method, channels }: Routing, value: Permitted) {
  const unknown = unknownNames(value).map(({ params: { name } }) => name)
  return {
    method,
    channels,
    ...(isDefaultRouting(value) && { default_channels: true }),
    ...strategyFacts(value),
    ...(unknown.length > 0 && { unknown }),
  }
}

function strategyFacts({ input, notification }: Permitted) {
  const { id, name } = appliedStrategy(input, notification) ?? {}
  return id === undefined ? {} : { strategy: { id, ...(name === undefined ? { missing: true } : { name }) } }
}

function strategyFindings({ input, notification }: Permitted): StepFinding<'route'>[] {
  const strategy = appliedStrategy(input, notification)
  if (!strategy) return []
  if (strategy.name === undefined) return unresolvedStrategy(strategy)
  return [{ code: 'strategy_applied', params: { strategy: strategy.name } }]
}

function routeFindings(
  tree: Route,
  considered: readonly Candidate[],
  { method }: Routing,
  value: Permitted,
): Findings<StepFinding<'route'>> {
  const candidates = candidatesOf(tree)
  const later = fallbacksOf(tree)
  const { criterion } = value.input.timeouts ?? {}
  const integrations = integrationsOf(candidates).map(({ first, channel, integration, devices }) => ({
    ...{ channel, provider: integration.provider.key, title: integration.title, devices },
    fallback: later.has(first),
  }))
  return [
    { code: 'routed', params: { method, integrations, ...(criterion && { criterion }) } },
    ...strategyFindings(value),
    ...weightFindings(candidates, value),
    ...(isDefaultRouting(value) ? [{ code: 'default_channels' as const, params: {} }] : []),
    ...suppressionsOf(considered).map((suppression) => ({
      code: 'address_suppressed' as const,
      params: { suppressions: [suppression] },
    })),
    ...unknownNames(value),
  ]
}

/** Each integration once, with the number of its devices. */
function integrationsOf(candidates: readonly RouteCandidate[]) {
  const all = new Map<string, { first: RouteCandidate; channel: Channel; integration: Integration; devices: number }>()
  for (const first of candidates) {
    const { channel, integration, device } = first
    const key = candidateKey(channel, integration.id)
    const entry = all.get(key) ?? { first, channel, integration, devices: 0 }
    all.set(key, { ...entry, devices: entry.devices + (device ? 1 : 0) })
  }
  return [...all.values()]
}

/** Those that have their turn only when others have failed: in a `single` group all after the first. */
function fallbacksOf(tree: Route): ReadonlySet<RouteCandidate> {
  const fallbacks = new Set<RouteCandidate>()
  const collect = (node: Route, isFallback: boolean): void => {
    if (node.kind === 'candidate') {
      if (isFallback) fallbacks.add(node)
      return
    }
    const ways = node.routes.filter((way) => someCandidate(way, () => true))
    for (const [at, way] of ways.entries()) collect(way, isFallback || (node.method === 'single' && at > 0))
  }
  collect(tree, false)
  return fallbacks
}

/** Only where its weight has put an integration before another one. */
function weightFindings(
  candidates: readonly RouteCandidate[],
  { messageId, facts }: Permitted,
): StepFinding<'route'>[] {
  return [...new Set(candidates.map(({ channel }) => channel))].flatMap((channel) => {
    const ofChannel = integrationsOf(candidates).filter((integration) => integration.channel === channel)
    const weighted = ofChannel.filter(({ integration }) => integration.weight !== undefined)
    const [first] = weighted
    if (!first || weighted.length < 2) return []
    // A routing that names integrations has an order of its own.
    const serving = facts.integrations.filter(({ channels }) => channels.includes(channel))
    const chosen = byWeight(serving, channel, messageId).find(({ weight }) => weight !== undefined)
    if (chosen !== first.integration) return []
    const { title, weight = 0 } = first.integration
    const code = messageId === '' ? 'first_by_weight_anew' : 'first_by_weight'
    return [{ code, params: { channel, title, weight, weight_total: weightsOf(weighted) } }]
  })
}

const UNKNOWN_NAMES_MAX = 20

/** Names in the routing and in channel settings that stand for nothing, probably misspelled or deleted; of many the first. */
export function unknownNames(value: Mapped): DecisionFinding<'route_name_unknown'>[] {
  const { facts, input } = value
  const entries = new Set<string>()
  const choices = new Set<string>()
  const readChoices = (names: readonly string[] = []) => {
    for (const name of names)
      if (choices.size < UNKNOWN_NAMES_MAX && isUnknownChoice(name, facts.integrations)) choices.add(name)
  }
  const readEntry = (entry: RoutingEntry): void => {
    if (isGroup(entry)) {
      entry.channels.forEach(readEntry)
      return
    }
    const name = entryName(entry)
    if (entries.size < UNKNOWN_NAMES_MAX && channelsOf(name, value).length === 0) entries.add(name)
    if (typeof entry !== 'string') readChoices(entry.providers)
  }
  routingOf(value).channels.forEach(readEntry)
  for (const [name, { providers }] of Object.entries(input.channels ?? {})) {
    if (!everyChannel.some((channel) => channel === name)) entries.add(name)
    readChoices(providers)
  }
  return [
    ...[...entries].map((name) => unresolvedRoute(name, facts)),
    ...[...choices].filter((name) => !entries.has(name)).map((name) => unresolvedChoice(name, facts)),
  ]
}

const isUnknownChoice = (name: string, integrations: readonly Integration[]) =>
  !providerNames.has(name) &&
  !integrations.some((integration) => isNamed(integration.provider, name) || hasName(integration, name))

/** A routing of the send without channels takes the default ones, by its own method. */
function routingOf({ input, notification }: Mapped): Routing {
  if (input.routing && input.routing.channels.length > 0) return input.routing
  const ofNotification: Routing = notification.routing ?? {
    method: 'single',
    channels: renderChannels(notification.template) ?? everyChannel,
  }
  return input.routing ? { ...ofNotification, method: input.routing.method } : ofNotification
}

const isGroup = (entry: RoutingEntry): entry is Routing => typeof entry === 'object' && 'channels' in entry

/** In the order the recipient prefers, else in the order of the notification. */
function inChosenOrder(channels: readonly RoutingEntry[], value: Permitted): readonly RoutingEntry[] {
  const { chosenChannels } = value
  if (!chosenChannels) return channels
  const rank = (entry: RoutingEntry): number => {
    const ranks = isGroup(entry)
      ? entry.channels.map(rank)
      : channelsOf(entryName(entry), value).map((channel) => chosenChannels.indexOf(channel))
    return Math.min(
      ...ranks.map((position) => (position < 0 ? Number.POSITIVE_INFINITY : position)),
      Number.POSITIVE_INFINITY,
    )
  }
  // Compared and not subtracted: two ranks of infinity are equal.
  return [...channels].sort((left, right) => (rank(left) < rank(right) ? -1 : rank(left) > rank(right) ? 1 : 0))
}

const entryName = (entry: string | ChannelRoute) => (typeof entry === 'string' ? entry : entry.channel)

function groupOf(routing: Routing, value: Permitted, considered: Candidate[]): Group {
  const before = considered.length
  const routes = inChosenOrder(routing.channels, value).map((entry) =>
    isGroup(entry) ? groupOf(entry, value, considered) : channelGroup(entry, value, considered),
  )
  const { method } = routing
  const isSandboxOut =
    method === 'single' &&
    routes.some((route) => someCandidate(route, isSandboxCandidate)) &&
    realChannels(considered.slice(before), value).length > 0
  return { kind: 'group', method, routes: isSandboxOut ? withoutSandbox(routes, considered) : routes }
}

/** A candidate that is named twice is tried once: the second mention would be the same delivery at the same time. */
function withoutRepeats(node: Group, seen: Set<string>): Group {
  const routes = node.routes.flatMap((route): Route[] => {
    if (route.kind === 'group') return [withoutRepeats(route, seen)]
    if (seen.has(route.key)) return []
    seen.add(route.key)
    return [route]
  })
  return { ...node, routes }
}

function channelGroup(entry: string | ChannelRoute, value: Permitted, considered: Candidate[]): Route {
  const here = typeof entry === 'string' ? { channel: entry } : entry
  const channel = everyChannel.find((name) => name === here.channel)
  if (channel) return channelCandidates(channel, here, value, considered)
  const only = { ...here, providers: [here.channel] }
  const routes = channelsOf(here.channel, value).map((name) => channelCandidates(name, only, value, considered))
  return { kind: 'group', method: 'single', routes }
}

/** An entry names a channel, or a provider and through it its channels. */
function channelsOf(name: string, { facts }: Mapped): Channel[] {
  const channel = everyChannel.find((candidate) => candidate === name)
  if (channel) return [channel]
  const served = facts.integrations.flatMap(({ provider, channels }) => (isNamed(provider, name) ? channels : []))
  return [...new Set(served)]
}

/** Settings in this place of the routing win over those of the channel in the whole message. */
function channelCandidates(channel: Channel, here: ChannelRoute, value: Permitted, considered: Candidate[]): Group {
  const settings = value.input.channels?.[channel]
  const method = here.method ?? settings?.method ?? 'single'
  if (value.chosenChannels && !value.chosenChannels.includes(channel)) {
    considered.push({ channel, selected: false, reason: 'UNSUBSCRIBED', order: considered.length })
    return { kind: 'group', method, channel, routes: [] }
  }
  if (channel === 'inbox' && value.now >= expiresAt(value)) {
    considered.push({ channel, selected: false, reason: 'EXPIRED', order: considered.length })
    return { kind: 'group', method, channel, routes: [] }
  }
  const serving = servingOf(channel, here.providers ?? settings?.providers, value)
  const real = isReal(channel, serving, value)
  const filtered =
    unmet(here.condition, `routing: the if of ${here.channel}`, value) ??
    unmet(settings?.condition, `channels.${channel}.if`, value)
  const group: Route[] = []
  if (serving.length === 0)
    considered.push({ channel, selected: false, reason: 'NO_PROVIDERS', order: considered.length })
  for (const integration of serving) {
    const { id, provider } = integration
    const out =
      filtered ?? unmet(valueFor(provider, value.input.providers)?.condition, `providers.${provider.key}.if`, value)
    const unusable = out ? 'FILTERED' : exclusion(integration, real)
    const devices = unusable || !provider.devices ? [] : devicesFor(provider, value)
    if (devices.length > 0) {
      group.push(deviceGroup(channel, integration, devices, considered, value.facts))
      continue
    }
    const to = unusable ? undefined : addressFor(integration, channel, value)
    const suppression = to === undefined ? undefined : suppressionOf(channel, to, value.facts)
    const unreachable = to === undefined ? 'INCOMPLETE_PROFILE_DATA' : suppression ? 'SUPPRESSED' : undefined
    const reason = unusable ?? unreachable ?? (integration.unavailable && 'UNAVAILABLE')
    considered.push({
      channel,
      provider: provider.key,
      integration: id,
      order: considered.length,
      selected: !reason,
      ...(reason && { reason }),
      ...(out?.error && { error: out.error }),
      ...(suppression && { suppression: shownSuppression(suppression) }),
    })
    if (!reason) group.push({ kind: 'candidate', key: candidateKey(channel, id), channel, integration, to })
  }
  return { kind: 'group', method, channel, routes: group }
}

/** Every device gets a delivery, and the integration has accepted the message when one of them was. */
function deviceGroup(
  channel: Channel,
  integration: Integration,
  devices: readonly DeviceCandidate[],
  considered: Candidate[],
  facts: Facts,
): Group {
  const { id, provider } = integration
  const routes: RouteCandidate[] = []
  for (const { device, to, reason: unusable, error, isStored } of devices) {
    const suppression = unusable ? undefined : suppressionOf(channel, to, facts)
    // A token that was registered after its provider refused it is active again.
    const isSuppressed = suppression !== undefined && !(isStored && suppression.source.startsWith('provider/'))
    const reason = unusable ?? (isSuppressed ? 'SUPPRESSED' : undefined) ?? (integration.unavailable && 'UNAVAILABLE')
    considered.push({
      channel,
      provider: provider.key,
      integration: id,
      device,
      order: considered.length,
      selected: !reason,
      ...(reason && { reason }),
      ...(error !== undefined && { error }),
      ...(isSuppressed && { suppression: shownSuppression(suppression) }),
    })
    if (!reason)
      routes.push({ kind: 'candidate', key: candidateKey(channel, id, device.id), channel, integration, device, to })
  }
  return { kind: 'group', method: 'all', devices: true, routes }
}

function expiresAt({ input: { expiry = {} }, firstDue }: Permitted): number {
  const { at = Number.POSITIVE_INFINITY, inMs = Number.POSITIVE_INFINITY } = expiry
  return Math.min(at, firstDue + inMs)
}

/** The integrations of these providers, or those with these ids or aliases, in that order; else every integration of the channel. */
function servingOf(channel: Channel, providers: readonly string[] | undefined, value: Permitted): Integration[] {
  const serving = value.facts.integrations.filter(({ channels }) => channels.includes(channel))
  if (!providers) return byWeight(serving, channel, value.messageId)
  return providers.flatMap((name) => {
    const ofProvider = serving.filter(({ provider }) => isNamed(provider, name))
    if (ofProvider.length > 0) return byWeight(ofProvider, channel, value.messageId)
    return serving.filter((integration) => hasName(integration, name))
  })
}

function exclusion(integration: Integration, channelHasReal: boolean): CandidateReason | undefined {
  if (!integration.enabled || !integration.readable) return 'MISSING_CONFIGURATION'
  return isSandbox(integration.provider) && channelHasReal ? 'SANDBOX' : undefined
}

/**
 * The id of the message chooses the first of the integrations with weights, the same each time; the others follow as
 * failover. Those without a weight keep their places.
 */
export function byWeight(serving: Integration[], channel: string, messageId: string): Integration[] {
  const weighted = serving.filter(isWeighted)
  if (weighted.length < 2) return serving
  const chosen = choose(weighted, fraction(`${messageId}:${channel}`))
  const others = weighted.filter((integration) => integration !== chosen)
  return serving.map((integration) =>
    isWeighted(integration) ? (integration === weighted[0] ? chosen : (others.shift() ?? integration)) : integration,
  )
}

/** One that is disabled or unreadable takes no share. */
const isWeighted = ({ weight, enabled, readable }: Integration) => weight !== undefined && enabled && readable

const weightsOf = (candidates: readonly Pick<RouteCandidate, 'integration'>[]): number =>
  candidates.reduce((sum, { integration }) => sum + (integration.weight ?? 0), 0)

function choose(weighted: readonly Integration[], at: number): Integration {
  const total = weighted.reduce((sum, { weight = 0 }) => sum + weight, 0)
  let left = at * total
  const choice = weighted.find(({ weight = 0 }) => {
    left -= weight
    return left < 0
  })
  return choice ?? (weighted[0] as Integration)
}

/** In [0, 1), evenly distributed: FNV-1a with the finalizer of MurmurHash3, because ids differ in few characters. */
function fraction(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
