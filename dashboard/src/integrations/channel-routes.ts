/** The way that messages of each channel take, for the sentence above the integrations. */
import type { Channel, Integration } from '@postrider/client'
import { channels } from '../parts/meanings.ts'
import { placesOf } from './order.ts'

export interface ChannelRoute {
  channels: Channel[]
  /** `mailbox`: messages are kept and not sent. `none`: they fail. */
  kind: 'sent' | 'mailbox' | 'none'
  /** One after the other; those that share the first turn by weight are one entry. */
  turns: string[][]
}

/** Channels that take the same way are one route. */
export function channelRoutes(integrations: readonly Integration[]): ChannelRoute[] {
  const routes = new Map<string, ChannelRoute>()
  for (const channel of channels) {
    const tried = placesOf(integrations, channel).filter(({ turn }) => turn === 'tried')
    const isMailbox = tried.length > 0 && tried.every(({ integration }) => integration.provider === 'mailbox')
    const kind = tried.length === 0 ? 'none' : isMailbox ? 'mailbox' : 'sent'
    const turns = kind === 'sent' ? turnsOf(tried.map(({ integration }) => integration)) : []
    const name = JSON.stringify([kind, turns])
    const route = routes.get(name)
    if (route) route.channels.push(channel)
    else routes.set(name, { channels: [channel], kind, turns })
  }
  const places = ['sent', 'none', 'mailbox']
  return [...routes.values()].toSorted((a, b) => places.indexOf(a.kind) - places.indexOf(b.kind))
}

function turnsOf(integrations: readonly Integration[]): string[][] {
  const shared = integrations.filter(({ weight }) => weight !== undefined)
  const rest = shared.length > 1 ? integrations.filter((integration) => !shared.includes(integration)) : integrations
  const titles = rest.map(({ title }) => [title])
  return shared.length > 1 ? [shared.map(({ title }) => title), ...titles] : titles
}
