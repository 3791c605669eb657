/** When the mailbox steps back: where a real integration serves, or once served, a message must not end as delivered in it. */
import type { Channel } from '@postrider/contract'
import { isSandbox } from '../../providers/provider.ts'
import type { Integration } from '../facts.ts'
import { type Considered, type Route, type Way, ways } from './candidates.ts'
import type { Permitted } from './decision.ts'

export const isSandboxWay = (way: Way) => isSandbox(way.integration.provider)

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

/** The real ones of these channels, be it by an integration that cannot reach this recipient. */
export function realChannels(considered: readonly Considered[], value: Permitted): Channel[] {
  const wanted = considered.filter(({ reason }) => reason !== 'UNSUBSCRIBED')
  const named = new Set(wanted.map(({ channel }) => channel))
  return [...named].filter((channel) => isReal(channel, value.facts.integrations, value))
}

/**
 * Without the ways of the mailbox, also in channels that it serves otherwise: a mail that failed for good would go on
 * to an inbox of the mailbox and end as delivered.
 */
export function withoutSandbox(routes: readonly Route[], considered: Considered[]): Route[] {
  for (const { channel, integration } of routes.flatMap(ways).filter(isSandboxWay)) {
    const at = considered.findIndex((one) => one.channel === channel && one.integration === integration.id)
    const found = considered[at]
    if (found) considered[at] = { ...found, selected: false, reason: 'SANDBOX' }
  }
  return routes.map(realOnly)
}

function realOnly(node: Route): Route {
  if (node.kind === 'way') return node
  return { ...node, routes: node.routes.filter((one) => one.kind === 'group' || !isSandboxWay(one)).map(realOnly) }
}
