/** The candidates of a route: their order, the address of each, and when those of the sandbox are left out. */
import type { Candidate, Channel } from '@postrider/contract'
import { addressOf, type NormalAddress } from '../../providers/address.ts'
import { isSandbox } from '../../providers/provider.ts'
import type { Facts, Integration } from '../facts.ts'
import { ANONYMOUS_PREFIX, type SendInput } from '../send.ts'
import type { DecisionInput, Permitted, Route, RouteCandidate } from './decision.ts'
import { devicesFor, shownDevice } from './devices.ts'
import { mergedProfileOf } from './profile.ts'

export const candidateKey = (channel: string, integrationId: string, deviceId?: string) =>
  deviceId === undefined ? `${channel}:${integrationId}` : `${channel}:${integrationId}:${deviceId}`

export const someCandidate = (node: Route, holds: (candidate: RouteCandidate) => boolean): boolean =>
  node.kind === 'candidate' ? holds(node) : node.routes.some((child) => someCandidate(child, holds))

/** In the order of their turns. */
export function candidatesOf(tree: Route): RouteCandidate[] {
  const candidates: RouteCandidate[] = []
  const collect = (node: Route): void => {
    if (node.kind === 'candidate') candidates.push(node)
    else node.routes.forEach(collect)
  }
  collect(tree)
  return candidates
}

interface Addressed {
  input: Pick<SendInput, 'recipient'>
  profile: Pick<Permitted['profile'], 'merged'>
  facts: Pick<Facts, 'devices'>
}

/** Undefined where the profile has no address for the integration. */
export function addressFor({ provider, settings }: Integration, channel: Channel, value: Addressed): unknown {
  const { recipient } = value.input
  // A recipient without a user id has no inbox.
  if (channel === 'inbox' && recipient.startsWith(ANONYMOUS_PREFIX)) return undefined
  if (provider.devices) return devicesFor(provider, value).find(({ to }) => to !== undefined)?.to
  const { devices } = channel === 'push' ? value.facts : {}
  const active = devices?.filter(({ inactive }) => inactive === undefined).map(shownDevice)
  return provider.contact(value.profile.merged, settings, { recipient, channel, ...(active && { devices: active }) })
}

/** Every address that a route to the recipient could use: those that are looked up before the decision. */
export function usableAddresses({ input, facts }: DecisionInput): NormalAddress[] {
  const value = { input, facts, profile: { merged: mergedProfileOf(input, facts) } }
  return facts.integrations.flatMap((integration) =>
    integration.channels.flatMap((channel) => {
      if (!integration.enabled) return []
      if (integration.provider.devices)
        return devicesFor(integration.provider, value).flatMap(({ to }) => addressOf(channel, to) ?? [])
      return addressOf(channel, addressFor(integration, channel, value)) ?? []
    }),
  )
}

export const isSandboxCandidate = (candidate: RouteCandidate) => isSandbox(candidate.integration.provider)

/** In production a channel stays real when its last integration is switched off or deleted: DELIVERED would be untrue. */
export function isReal(
  channel: Channel,
  integrations: readonly Integration[],
  { workspace, facts }: Permitted,
): boolean {
  if (workspace === 'production' && facts.integratedChannels.has(channel)) return true
  return integrations.some(
    ({ enabled, provider, channels }) => enabled && !isSandbox(provider) && channels.includes(channel),
  )
}

/** The channels among these with a real integration, also one that cannot reach this recipient. */
export function realChannels(considered: readonly Candidate[], value: Permitted): Channel[] {
  const permitted = considered.filter(({ reason }) => reason !== 'UNSUBSCRIBED')
  const named = new Set(permitted.map(({ channel }) => channel))
  return [...named].filter((channel) => isReal(channel, value.facts.integrations, value))
}

/**
 * Leaves out the candidates of the mailbox, also in channels without a real integration: a mail that failed for good
 * would fail over to an inbox of the mailbox and end as delivered.
 */
export function withoutSandbox(routes: readonly Route[], considered: Candidate[]): Route[] {
  for (const { channel, integration } of routes.flatMap(candidatesOf).filter(isSandboxCandidate)) {
    const at = considered.findIndex((entry) => entry.channel === channel && entry.integration === integration.id)
    const candidate = considered[at]
    if (candidate) considered[at] = { ...candidate, selected: false, reason: 'SANDBOX' }
  }
  return routes.map(realOnly)
}

function realOnly(node: Route): Route {
  if (node.kind === 'candidate') return node
  return {
    ...node,
    routes: node.routes.filter((child) => child.kind === 'group' || !isSandboxCandidate(child)).map(realOnly),
  }
}
