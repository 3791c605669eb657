/** ROUTED: the candidates of a message as a tree in the order of their turns, or the reason why there are none. */
import { type Candidate, type CandidateReason, type Channel, channels as everyChannel } from '@postrider/contract'
import { extended } from '../../base/perf/copy-with.ts'
import { nearestName } from '../../base/quote.ts'
import { isSandbox } from '../../providers/provider.ts'
import { renderChannels } from '../../templates/render.ts'
import type { ChannelRoute, Integration, Routing, RoutingEntry } from '../facts.ts'
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
import type { Ending, Group, Mapped, Permitted, Route, RouteCandidate, Routed, StepResult } from './decision.ts'
import { optedOut } from './preferences.ts'
import { describeUnresolved, unresolvedRoute } from './unresolved-references.ts'

export function route(value: Permitted): StepResult<Permitted, Routed> {
  const limited = routed(value)
  if ('added' in limited || !value.channelsYield || !value.wantedChannels) return limited
  return routed(extended(value, { wantedChannels: undefined }))
}

function routed(value: Permitted): StepResult<Permitted, Routed> {
  const routing = routingOf(value)
  const considered: Candidate[] = []
  const whole = groupOf(routing, value, considered)
  const named = candidatesOf(whole)
  if (named.length === 0) {
    const { stop, summary } = whyUnroutable(considered, describeUnknownNames(value), value)
    return { stop, considered, explain: () => ({ summary, facts: routingFacts(routing, value) }) }
  }
  const isNamedTwice = named.some((candidate, at) => named.findIndex(({ key }) => key === candidate.key) < at)
  const tree = isNamedTwice ? withoutRepeats(whole, new Set()) : whole
  const candidates = isNamedTwice ? candidatesOf(tree) : named
  return {
    added: { route: tree, candidates, considered },
    explain: () => ({
      summary: describeRoute(candidates, routing, value),
      facts: routingFacts(routing, value),
    }),
  }
}

const isDefaultRouting = ({ input }: Permitted) => input.routing?.channels.length === 0

function routingFacts({ method, channels }: Routing, value: Permitted) {
  const unknown = unknownNames(value)
  return {
    method,
    channels,
    ...(isDefaultRouting(value) && { default_channels: true }),
    ...(unknown.length > 0 && { unknown }),
  }
}

function describeRoute(candidates: readonly RouteCandidate[], { method }: Routing, value: Permitted): string {
  const names = candidates.map(({ channel, integration }) => `${channel} (${integration.provider.key})`)
  return [
    `It goes by ${names.join(method === 'all' ? ' and ' : ', else ')}.`,
    ...(isDefaultRouting(value) ? ['The routing of the send names no channels: the default ones are used.'] : []),
    ...describeUnknownNames(value),
  ].join(' ')
}

const describeUnknownNames = (value: Permitted) =>
  unknownNames(value).map((name) => describeUnresolved(unresolvedRoute(name, value.facts)))

/** Names in the routing and in channel settings that stand for nothing, probably misspelled. */
export function unknownNames(value: Mapped): string[] {
  const named = (entry: RoutingEntry): string[] => (isGroup(entry) ? entry.channels.flatMap(named) : [entryName(entry)])
  const isChannel = (name: string) => everyChannel.some((channel) => channel === name)
  const ofRouting = named(routingOf(value)).filter((name) => channelsOf(name, value).length === 0)
  const ofSettings = Object.keys(value.input.channels ?? {}).filter((name) => !isChannel(name))
  return [...new Set([...ofRouting, ...ofSettings])]
}

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
function inWantedOrder(channels: readonly RoutingEntry[], value: Permitted): readonly RoutingEntry[] {
  const { wantedChannels } = value
  if (!wantedChannels) return channels
  const rank = (entry: RoutingEntry): number => {
    const ranks = isGroup(entry)
      ? entry.channels.map(rank)
      : channelsOf(entryName(entry), value).map((one) => wantedChannels.indexOf(one))
    return Math.min(...ranks.map((one) => (one < 0 ? Number.POSITIVE_INFINITY : one)), Number.POSITIVE_INFINITY)
  }
  // Compared and not subtracted: two ranks of infinity are equal.
  return [...channels].sort((one, other) => (rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0))
}

const entryName = (entry: string | ChannelRoute) => (typeof entry === 'string' ? entry : entry.channel)

function groupOf(routing: Routing, value: Permitted, considered: Candidate[]): Group {
  const before = considered.length
  const routes = inWantedOrder(routing.channels, value).map((entry) =>
    isGroup(entry) ? groupOf(entry, value, considered) : channelGroup(entry, value, considered),
  )
  const { method } = routing
  const isSandboxOut =
    method === 'single' &&
    routes.some((one) => someCandidate(one, isSandboxCandidate)) &&
    realChannels(considered.slice(before), value).length > 0
  return { kind: 'group', method, routes: isSandboxOut ? withoutSandbox(routes, considered) : routes }
}

/** A way that was named twice is gone once: the second mention would be the same delivery at the same time. */
function withoutRepeats(node: Group, seen: Set<string>): Group {
  const routes = node.routes.flatMap((one): Route[] => {
    if (one.kind === 'group') return [withoutRepeats(one, seen)]
    if (seen.has(one.key)) return []
    seen.add(one.key)
    return [one]
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
  const channel = everyChannel.find((one) => one === name)
  if (channel) return [channel]
  const served = facts.integrations.flatMap(({ provider, channels }) => (provider.key === name ? channels : []))
  return [...new Set(served)]
}

/** Settings in this place of the routing win over those of the channel in the whole message. */
function channelCandidates(channel: Channel, here: ChannelRoute, value: Permitted, considered: Candidate[]): Group {
  const settings = value.input.channels?.[channel]
  const method = here.method ?? settings?.method ?? 'single'
  if (value.wantedChannels && !value.wantedChannels.includes(channel)) {
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
  const group: RouteCandidate[] = []
  if (serving.length === 0)
    considered.push({ channel, selected: false, reason: 'NO_PROVIDERS', order: considered.length })
  for (const integration of serving) {
    const { provider } = integration
    const to = addressFor(integration, channel, value)
    const out =
      filtered ?? unmet(value.input.providers?.[provider.key]?.condition, `providers.${provider.key}.if`, value)
    const reason = out ? 'FILTERED' : exclusion(integration, real, to)
    const order = considered.length
    const { id } = integration
    considered.push({
      channel,
      provider: provider.key,
      integration: id,
      order,
      selected: !reason,
      ...(reason && { reason }),
      ...(out?.error && { error: out.error }),
    })
    if (!reason) group.push({ kind: 'candidate', key: candidateKey(channel, id), channel, integration, to })
  }
  return { kind: 'group', method, channel, routes: group }
}

function expiresAt({ input: { expiry = {} }, firstDue }: Permitted): number {
  const { at = Number.POSITIVE_INFINITY, inMs = Number.POSITIVE_INFINITY } = expiry
  return Math.min(at, firstDue + inMs)
}

/** The integrations of these providers, or those with these ids, in that order; else every integration of the channel. */
function servingOf(channel: Channel, providers: readonly string[] | undefined, { facts }: Permitted): Integration[] {
  const serving = facts.integrations.filter(({ channels }) => channels.includes(channel))
  if (!providers) return serving
  return providers.flatMap((name) => serving.filter(({ id, provider }) => provider.key === name || id === name))
}

function exclusion(integration: Integration, channelHasReal: boolean, to: unknown): CandidateReason | undefined {
  if (!integration.enabled || !integration.readable) return 'MISSING_CONFIGURATION'
  if (isSandbox(integration.provider) && channelHasReal) return 'SANDBOX'
  return to === undefined ? 'INCOMPLETE_PROFILE_DATA' : undefined
}

const isUnsubscribed = ({ reason }: Candidate) => reason === 'UNSUBSCRIBED'

const isFiltered = ({ reason }: Candidate) => reason === 'FILTERED'
const isSandboxed = ({ reason }: Candidate) => reason === 'SANDBOX'
const isOff = ({ reason }: Candidate) => reason === 'MISSING_CONFIGURATION'
const isUnaddressed = ({ reason }: Candidate) => reason === 'INCOMPLETE_PROFILE_DATA'

/** One sentence names so many integrations; the candidates of an explanation name all. */
const NAMED_MAX = 5
/** One sentence lists the profile keys of integrations up to so many; those after it are named by their number. */
const KEYS_NAMED_MAX = 8
/** Of a large profile no more keys are compared with those that are needed. */
const KEYS_COMPARED_MAX = 100

interface Unroutable {
  stop: Ending
  summary: string
}

/** `unresolved`: a sentence for each name of the routing that stands for nothing. */
export function whyUnroutable(
  considered: readonly Candidate[],
  unresolved: readonly string[],
  value: Permitted,
): Unroutable {
  if (considered.length === 0)
    return unroutable('NO_CHANNELS', unresolved.length > 0 ? [] : ['No channels added'], unresolved)
  if (considered.every(isUnsubscribed))
    return { stop: optedOut, summary: 'The recipient has opted out of all its channels.' }
  if (considered.every(({ reason }) => reason === 'EXPIRED'))
    return {
      stop: { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: 'Its time in the inbox is over' },
      summary: 'No inbox shows it any more.',
    }
  // The sandbox has stepped back for an integration that a condition took out.
  if (considered.some(isFiltered) && considered.every((one) => isFiltered(one) || isSandboxed(one))) {
    const failed = considered.find((one) => one.error)?.error
    const error = `The conditions of its channels ${failed === undefined ? 'are not met' : `cannot be evaluated: ${failed}`}`
    return { stop: { status: 'FILTERED', reason: 'FILTERED', error }, summary: `${error}.` }
  }
  const unaddressed = considered.filter(isUnaddressed)
  if (unaddressed.length > 0 && !considered.some((one) => isUnserved(one, considered, value)))
    return unroutable('INCOMPLETE_PROFILE_DATA', [withoutAddress(unaddressed, considered, value)], unresolved)
  return unroutable('NO_PROVIDERS', [withoutProviders(considered, value)], unresolved)
}

/** The recipient has an address in its channel, and the integrations that would use it are switched off or deleted. */
function isUnserved(candidate: Candidate, considered: readonly Candidate[], value: Permitted): boolean {
  const { channel } = candidate
  const integration = integrationOf(candidate, value)
  if (!integration || !(isOff(candidate) || isSandboxed(candidate))) return false
  const isOfReal = !isSandbox(integration.provider) || isReal(channel, value.facts.integrations, value)
  const isServed = considered.some((one) => one.channel === channel && isUnaddressed(one))
  return isOfReal && !isServed && hasAddress(candidate, value)
}

function hasAddress(candidate: Candidate, value: Permitted): boolean {
  const integration = integrationOf(candidate, value)
  return integration !== undefined && addressFor(integration, candidate.channel, value) !== undefined
}

function unroutable(
  reason: 'NO_CHANNELS' | 'NO_PROVIDERS' | 'INCOMPLETE_PROFILE_DATA',
  causes: readonly string[],
  unresolved: readonly string[],
): Unroutable {
  const summary = [...causes.map((cause) => `${cause}.`), ...unresolved].join(' ')
  // A documented text such as `No providers added` stands alone where it is the whole truth.
  const error = unresolved.length === 0 ? causes.join('; ') : summary
  return { stop: { status: 'UNROUTABLE', reason, error }, summary }
}

function withoutAddress(unaddressed: readonly Candidate[], considered: readonly Candidate[], value: Permitted): string {
  const reachable = considered.filter((one) => isSandboxed(one) && hasAddress(one, value))
  const causes = [
    `No usable address: ${addressesNeeded(unaddressed, value)}`,
    ...besideReal(reachable, considered, value),
  ]
  return causes.join('; ')
}

/** The missing fields of the profile, for each integration that could be used otherwise: first those with a value of no use. */
function addressesNeeded(unaddressed: readonly Candidate[], value: Permitted): string {
  const needs = unaddressed.map((candidate) => ({ candidate, ...profileKeys(candidate, value) }))
  const inOrder = [
    ...needs.filter(({ unusable }) => unusable !== undefined),
    ...needs.filter(({ unusable }) => unusable === undefined),
  ]
  let keysNamed = 0
  return listed(
    inOrder.map(({ candidate, keys, unusable }) => {
      const name = nameOf(candidate, integrationOf(candidate, value))
      const [first, second] = keys
      if (first === undefined) return `${name} needs a user id`
      if (unusable !== undefined) return `${name} cannot use the \`${unusable}\` of the profile`
      const isShort = second !== undefined && keysNamed + keys.length > KEYS_NAMED_MAX
      if (isShort) return `${name} needs one of ${keys.length} keys such as \`${first}\``
      keysNamed += keys.length
      if (second === undefined) return `${name} needs \`${first}\` in the profile${misspelled(keys, value)}`
      return `${name} needs one of ${keys.map((key) => `\`${key}\``).join(', ')} in the profile${misspelled(keys, value)}`
    }),
  )
}

/** A key of the profile that was probably meant to be one of these. */
function misspelled(keys: readonly string[], { profile }: Permitted): string {
  for (const key of Object.keys(profile.merged).slice(0, KEYS_COMPARED_MAX)) {
    const near = keys.includes(key) ? undefined : nearestName(key, keys)
    if (near !== undefined) return ` (which has \`${key.slice(0, 64)}\`: did you mean \`${near}\`?)`
  }
  return ''
}

/** The keys of a profile that the candidate could use, and the one that has a value it cannot use. */
function profileKeys(candidate: Candidate, value: Permitted): { keys: readonly string[]; unusable?: string } {
  const { provider } = integrationOf(candidate, value) ?? {}
  const keys = provider?.profileKeysByChannel?.[candidate.channel] ?? provider?.profileKeys ?? []
  const { merged } = value.profile
  const unusable = keys.find((key) => merged[key] !== undefined && merged[key] !== null && merged[key] !== '')
  return unusable === undefined ? { keys } : { keys, unusable }
}

/** Which integrations are off, and which channels the mailbox has left. */
function withoutProviders(considered: readonly Candidate[], value: Permitted): string {
  const offReasons = considered.filter(isOff).map((candidate) => {
    const integration = integrationOf(candidate, value)
    return `${nameOf(candidate, integration)} ${integration?.enabled === false ? 'is switched off' : 'has secrets that cannot be read'}`
  })
  const causes = offReasons.length > 0 ? [listed(offReasons)] : []
  const real = realChannels(considered, value)
  const sandboxed = considered.filter(isSandboxed)
  const replaced = sandboxed.map(({ channel }) => channel).filter((channel) => real.includes(channel))
  if (replaced.length > 0)
    causes.push(`the mailbox does not serve ${listed(replaced)} in the place of a real integration`)
  causes.push(...besideReal(sandboxed, considered, value))
  return causes.length > 0 ? `No provider can be used: ${causes.join('; ')}` : 'No providers added'
}

/** Channels without a real integration that the mailbox leaves because they are tried in turn with one that has it. */
function besideReal(sandboxed: readonly Candidate[], considered: readonly Candidate[], value: Permitted): string[] {
  const real = realChannels(considered, value)
  const beside = sandboxed.map(({ channel }) => channel).filter((channel) => !real.includes(channel))
  if (beside.length === 0) return []
  return [
    `the mailbox does not serve ${listed(beside)} in a \`single\` routing with ${listed(real)}, which has or had a real integration`,
  ]
}

const integrationOf = ({ integration }: Candidate, { facts }: Permitted): Integration | undefined =>
  facts.integrations.find(({ id }) => id === integration)

const nameOf = ({ channel, provider }: Candidate, integration: Integration | undefined) =>
  `${channel} (${integration?.title ?? provider})`

function listed(items: readonly string[]): string {
  const different = [...new Set(items)]
  const rest = different.length - NAMED_MAX
  return different.slice(0, NAMED_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
