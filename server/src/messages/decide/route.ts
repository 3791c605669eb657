/** Which channels and integrations can carry the message, as a tree of who is tried after whom. */
import { type CandidateReason, type Channel, channels as everyChannel } from '@postrider/contract'
import { extended } from '../../base/perf/copy-with.ts'
import { isSandbox } from '../../providers/provider.ts'
import { renderChannels } from '../../templates/render.ts'
import type { ChannelRoute, Integration, Routing, RoutingEntry } from '../facts.ts'
import { addressFor } from './address.ts'
import { type Considered, type Group, type Route, someWay, type Way, wayKey, ways } from './candidates.ts'
import { unmet } from './condition.ts'
import type { Mapped, Permitted, Routed, StepResult } from './decision.ts'
import { isReal, isSandboxWay, realChannels, withoutSandbox } from './sandbox.ts'
import { passedOver, unresolvedRoute } from './unresolved-references.ts'
import { whyNowhere } from './unroutable-reason.ts'

export function route(value: Permitted): StepResult<Permitted, Routed> {
  const limited = routed(value)
  if ('added' in limited || !value.channelsYield || !value.wantedChannels) return limited
  return routed(extended(value, { wantedChannels: undefined }))
}

function routed(value: Permitted): StepResult<Permitted, Routed> {
  const { input } = value
  const routing = routingOf(value)
  const considered: Considered[] = []
  const whole = groupOf(routing, value, considered)
  const named = ways(whole)
  const isNamedTwice = named.some((way, at) => named.findIndex(({ key }) => key === way.key) < at)
  const tree = isNamedTwice ? once(whole, new Set()) : whole
  // Read only where the message stops or is explained: most messages are neither.
  const unresolved = () => unknownNames(value).map((name) => passedOver(unresolvedRoute(name, value.facts)))
  const isDefault = input.routing?.channels.length === 0
  const defaults = isDefault ? ['The routing of the send names no channels: the default ones are used.'] : []
  const facts = () => {
    const unknown = unknownNames(value)
    return {
      method: routing.method,
      channels: routing.channels,
      ...(isDefault && { default_channels: true }),
      ...(unknown.length > 0 && { unknown }),
    }
  }
  if (named.length > 0)
    return {
      added: { route: tree, considered },
      found: () => ({ summary: [goingBy(tree, routing), ...defaults, ...unresolved()].join(' '), facts: facts() }),
    }
  const { stop, summary } = whyNowhere(considered, unresolved(), value)
  return { stop, considered, found: () => ({ summary, facts: facts() }) }
}

const goingBy = (tree: Route, { method }: Routing) =>
  `It goes by ${ways(tree)
    .map((way) => `${way.channel} (${way.integration.provider.key})`)
    .join(method === 'all' ? ' and ' : ', else ')}.`

/** What was probably mistyped: names in the routing and of channel settings that stand for nothing. */
export function unknownNames(value: Mapped): string[] {
  const named = (entry: RoutingEntry): string[] => (isGroup(entry) ? entry.channels.flatMap(named) : [nameOf(entry)])
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

/** In the order the recipient wants; without a wish, in the order of the notification. */
function inWantedOrder(channels: readonly RoutingEntry[], value: Permitted): readonly RoutingEntry[] {
  const { wantedChannels } = value
  if (!wantedChannels) return channels
  const rank = (entry: RoutingEntry): number => {
    const ranks = isGroup(entry)
      ? entry.channels.map(rank)
      : channelsOf(nameOf(entry), value).map((one) => wantedChannels.indexOf(one))
    return Math.min(...ranks.map((one) => (one < 0 ? Number.POSITIVE_INFINITY : one)), Number.POSITIVE_INFINITY)
  }
  // Compared and not subtracted: two that nobody wants are infinitely far away, and equal.
  return [...channels].sort((one, other) => (rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0))
}

const nameOf = (entry: string | ChannelRoute) => (typeof entry === 'string' ? entry : entry.channel)

function groupOf(routing: Routing, value: Permitted, considered: Considered[]): Group {
  const before = considered.length
  const routes = inWantedOrder(routing.channels, value).map((entry) =>
    isGroup(entry) ? groupOf(entry, value, considered) : channelGroup(entry, value, considered),
  )
  const { method } = routing
  const isSandboxOut =
    method === 'single' &&
    routes.some((one) => someWay(one, isSandboxWay)) &&
    realChannels(considered.slice(before), value).length > 0
  return { kind: 'group', method, routes: isSandboxOut ? withoutSandbox(routes, considered) : routes }
}

/** A way that was named twice is gone once: the second mention would be the same delivery at the same time. */
function once(node: Group, seen: Set<string>): Group {
  const routes = node.routes.flatMap((one): Route[] => {
    if (one.kind === 'group') return [once(one, seen)]
    if (seen.has(one.key)) return []
    seen.add(one.key)
    return [one]
  })
  return { ...node, routes }
}

function channelGroup(entry: string | ChannelRoute, value: Permitted, considered: Considered[]): Route {
  const here = typeof entry === 'string' ? { channel: entry } : entry
  const channel = everyChannel.find((name) => name === here.channel)
  if (channel) return waysOf(channel, here, value, considered)
  const only = { ...here, providers: [here.channel] }
  const routes = channelsOf(here.channel, value).map((name) => waysOf(name, only, value, considered))
  return { kind: 'group', method: 'single', routes }
}

/** An entry names a channel, or a provider and through it its channels. */
function channelsOf(name: string, { facts }: Mapped): Channel[] {
  const channel = everyChannel.find((one) => one === name)
  if (channel) return [channel]
  const served = facts.integrations.flatMap(({ provider, channels }) => (provider.key === name ? channels : []))
  return [...new Set(served)]
}

/** What holds in this place of the routing beats what holds for the channel in the whole message. */
function waysOf(channel: Channel, here: ChannelRoute, value: Permitted, considered: Considered[]): Group {
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
  const filtered = unmet(
    [
      { condition: here.condition, place: `routing: the if of ${here.channel}` },
      { condition: settings?.condition, place: `channels.${channel}.if` },
    ],
    value,
  )
  const group: Way[] = []
  if (serving.length === 0)
    considered.push({ channel, selected: false, reason: 'NO_PROVIDERS', order: considered.length })
  for (const integration of serving) {
    const { provider } = integration
    const to = addressFor(integration, channel, value)
    const out = filtered ?? unmet([ofProvider(provider.key, value)], value)
    const reason = out ? 'FILTERED' : refusal(integration, real, to)
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
    if (!reason) group.push({ kind: 'way', key: wayKey(channel, id), channel, integration, to })
  }
  return { kind: 'group', method, channel, routes: group }
}

const ofProvider = (key: string, { input }: Permitted) => ({
  condition: input.providers?.[key]?.condition,
  place: `providers.${key}.if`,
})

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

function refusal(integration: Integration, channelHasReal: boolean, to: unknown): CandidateReason | undefined {
  if (!integration.enabled || !integration.readable) return 'MISSING_CONFIGURATION'
  if (isSandbox(integration.provider) && channelHasReal) return 'SANDBOX'
  return to === undefined ? 'INCOMPLETE_PROFILE_DATA' : undefined
}
