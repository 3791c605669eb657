/** Which channels and integrations can carry the message, as a tree of who is tried after whom. */
import { type Candidate, type CandidateReason, type Channel, channels as everyChannel } from '@postrider/contract'
import { renderChannels } from '../../templates/render.ts'
import type { ChannelRoute, Integration, Routing, RoutingEntry } from '../facts.ts'
import { holds } from './condition.ts'
import type { Permitted, Routed, StepResult } from './deciding.ts'

/** One way the message can go. `key` is the same whenever the message is decided anew. */
export interface Way {
  kind: 'way'
  key: string
  channel: Channel
  integration: Integration
  to: unknown
}

/** `single`: one after the other until one is accepted. `all`: each of them. `channel` marks one channel's ways. */
export interface Group {
  kind: 'group'
  method: 'single' | 'all'
  channel?: Channel
  routes: readonly Route[]
}

export type Route = Way | Group

export type Considered = Candidate

export const wayKey = (channel: string, integrationId: string) => `${channel}:${integrationId}`

export function route(value: Permitted): StepResult<Routed> {
  const routing = wanted(routingOf(value), value.wantedChannels)
  const considered: Considered[] = []
  const tree = once(groupOf(routing, value, considered), new Set())
  const facts = { method: routing.method, channels: routing.channels }
  if (countWays(tree) > 0)
    return {
      value: { ...value, route: tree, considered },
      found: () => ({
        summary: `It goes by ${ways(tree)
          .map((way) => `${way.channel} (${way.integration.provider.key})`)
          .join(routing.method === 'all' ? ' and ' : ', else ')}.`,
        facts,
      }),
    }
  if (routing.channels.length === 0 || considered.length === 0)
    return {
      stop: { status: 'UNROUTABLE', reason: 'NO_CHANNELS', error: 'No channels added' },
      considered,
      found: () => ({ summary: 'There is no channel to use.', facts }),
    }
  return {
    stop: { status: 'UNROUTABLE', reason: 'NO_PROVIDERS', error: 'No providers added' },
    considered,
    found: () => ({ summary: 'No integration of these channels can reach the recipient.', facts }),
  }
}

function routingOf({ input, notification }: Permitted): Routing {
  const given = input.routing ?? notification.routing
  if (given) return given
  return { method: 'single', channels: renderChannels(notification.template) ?? everyChannel }
}

function wanted(routing: Routing, channels: readonly string[] | undefined): Routing {
  if (!channels) return routing
  const named = new Map(flat(routing).map((entry) => [channelOf(entry), entry]))
  return { method: routing.method, channels: channels.flatMap((channel) => named.get(channel) ?? []) }
}

const channelOf = (entry: string | ChannelRoute) => (typeof entry === 'string' ? entry : entry.channel)

const flat = (routing: Routing): (string | ChannelRoute)[] =>
  routing.channels.flatMap((entry) => (isGroup(entry) ? flat(entry) : [entry]))

const isGroup = (entry: RoutingEntry): entry is Routing => typeof entry === 'object' && 'channels' in entry

function groupOf(routing: Routing, value: Permitted, considered: Considered[]): Group {
  const before = considered.length
  const routes = routing.channels.map((entry) =>
    isGroup(entry) ? groupOf(entry, value, considered) : channelGroup(entry, value, considered),
  )
  const { method } = routing
  const isReal = method === 'single' && isServedForReal(considered.slice(before), value)
  return { kind: 'group', method, routes: isReal ? withoutSandbox(routes, considered) : routes }
}

/** Whether one of these channels has an integration of the real world, be it one that cannot reach this recipient. */
function isServedForReal(considered: readonly Considered[], { facts }: Permitted): boolean {
  const named = new Set(considered.map(({ channel }) => channel))
  return facts.integrations.some(
    ({ enabled, provider, channels }) =>
      enabled && provider.key !== 'mailbox' && channels.some((channel) => named.has(channel)),
  )
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

const isSandbox = (way: Way) => way.integration.provider.key === 'mailbox'

/** The sandbox takes over from nobody: a mail that failed or had no address must not end as delivered there. */
function withoutSandbox(routes: Route[], considered: Considered[]): Route[] {
  for (const { channel, integration } of routes.flatMap(ways).filter(isSandbox)) {
    const at = considered.findIndex((one) => one.channel === channel && one.integration === integration.id)
    const found = considered[at]
    if (found) considered[at] = { ...found, selected: false, reason: 'SANDBOX' }
  }
  return routes.map(realOnly)
}

function realOnly(node: Route): Route {
  if (node.kind === 'way') return node
  return { ...node, routes: node.routes.filter((one) => one.kind === 'group' || !isSandbox(one)).map(realOnly) }
}

/** An entry names a channel, or a provider and through it its channels. */
function channelGroup(entry: string | ChannelRoute, value: Permitted, considered: Considered[]): Route {
  const here = typeof entry === 'string' ? { channel: entry } : entry
  const channel = everyChannel.find((name) => name === here.channel)
  if (channel) return waysOf(channel, here, value, considered)
  const named = new Set(
    value.facts.integrations.flatMap(({ provider, channels }) => (provider.key === here.channel ? channels : [])),
  )
  const only = { ...here, providers: [here.channel] }
  return {
    kind: 'group',
    method: 'single',
    routes: [...named].map((name) => waysOf(name, only, value, considered)),
  }
}

/** What holds in this place of the routing beats what holds for the channel in the whole message. */
function waysOf(channel: Channel, here: ChannelRoute, value: Permitted, considered: Considered[]): Group {
  const settings = value.input.channels?.[channel]
  const method = here.method ?? settings?.method ?? 'single'
  const serving = servingOf(channel, here.providers ?? settings?.providers, value)
  const real = serving.some(({ provider, enabled }) => enabled && provider.key !== 'mailbox')
  const isFiltered = [here.condition, settings?.condition].some((condition) => !holds(condition, value))
  const group: Way[] = []
  if (serving.length === 0)
    considered.push({ channel, selected: false, reason: 'NO_PROVIDERS', order: considered.length })
  for (const integration of serving) {
    const { provider } = integration
    const to = provider.contact(value.profile.merged, integration.settings, {
      recipient: value.input.recipient,
      channel,
    })
    const isOut = isFiltered || !holds(value.input.providers?.[provider.key]?.condition, value)
    const reason = isOut ? 'FILTERED' : refusal(integration, real, to)
    const order = considered.length
    const named = { channel, provider: provider.key, integration: integration.id, order }
    if (reason) considered.push({ ...named, selected: false, reason })
    else {
      considered.push({ ...named, selected: true })
      group.push({ kind: 'way', key: wayKey(channel, integration.id), channel, integration, to })
    }
  }
  return { kind: 'group', method, channel, routes: group }
}

/** Of these providers only, in their order; else every integration of the channel in its own. */
function servingOf(channel: Channel, providers: readonly string[] | undefined, { facts }: Permitted): Integration[] {
  const serving = facts.integrations.filter(({ channels }) => channels.includes(channel))
  if (!providers) return serving
  return providers.flatMap((key) => serving.filter(({ provider }) => provider.key === key))
}

function refusal(integration: Integration, channelHasReal: boolean, to: unknown): CandidateReason | undefined {
  if (!integration.enabled || !integration.readable) return 'MISSING_CONFIGURATION'
  if (integration.provider.key === 'mailbox' && channelHasReal) return 'SANDBOX'
  return to === undefined ? 'INCOMPLETE_PROFILE_DATA' : undefined
}

export function ways(tree: Route): Way[] {
  return tree.kind === 'way' ? [tree] : tree.routes.flatMap(ways)
}

const countWays = (tree: Route): number => ways(tree).length
