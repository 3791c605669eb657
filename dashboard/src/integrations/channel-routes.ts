/** The way that messages of each channel take now, for the sentence above the integrations and the places in their list. */
import type { Channel, Integration } from '@postrider/client'
import { channels } from '../parts/meanings.ts'
import { isCalled } from './integration-condition.ts'
import { placesOf } from './order.ts'

export interface ChannelRoute {
  channels: Channel[]
  /** `stopped`: none of its integrations is called now. `mailbox`: messages are kept and not sent. `none`: they fail. */
  kind: 'sent' | 'stopped' | 'mailbox' | 'none'
  /** One after the other; those that share a turn by weight are one entry. */
  turns: string[][]
  /** Those that would come first, and are not called now. */
  skipped: string[]
}

/** Channels that take the same way are one route. */
export function channelRoutes(integrations: readonly Integration[]): ChannelRoute[] {
  const routes = new Map<string, ChannelRoute>()
  for (const channel of channels) {
    const route = routeOf(triedIn(integrations, channel))
    const name = JSON.stringify(route)
    const same = routes.get(name)
    if (same) same.channels.push(channel)
    else routes.set(name, { channels: [channel], ...route })
  }
  const places = ['sent', 'stopped', 'none', 'mailbox']
  return [...routes.values()].toSorted((a, b) => places.indexOf(a.kind) - places.indexOf(b.kind))
}

/** Those of a channel that messages are tried at, in their order. */
export const triedIn = (integrations: readonly Integration[], channel: Channel): Integration[] =>
  placesOf(integrations, channel).flatMap(({ integration, turn }) => (turn === 'tried' ? [integration] : []))

function routeOf(tried: readonly Integration[]): Omit<ChannelRoute, 'channels'> {
  if (tried.length === 0) return { kind: 'none', turns: [], skipped: [] }
  if (tried.every(({ provider }) => provider === 'mailbox')) return { kind: 'mailbox', turns: [], skipped: [] }
  const { turns, skipped } = calledNow(tried)
  return {
    kind: turns.length === 0 ? 'stopped' : 'sent',
    turns: turns.map((turn) => turn.map(({ title }) => title)),
    skipped: skipped.map(({ title }) => title),
  }
}

/** The turns of those that are called now, and those that the first turn stands in for. */
export function calledNow(tried: readonly Integration[]): { turns: Integration[][]; skipped: Integration[] } {
  const ways = waysThrough(tried)
  const skipped = new Set(
    ways.flatMap((way) => {
      const first = way.findIndex(isCalled)
      return first < 0 ? way : way.slice(0, first)
    }),
  )
  return {
    turns: turnsOf(ways.map((way) => way.filter(isCalled))),
    skipped: tried.filter((integration) => skipped.has(integration)),
  }
}

/** The number of the turn of each integration, from 1, whether it is called now or not. */
export const turnNumbers = (tried: readonly Integration[]): ReadonlyMap<string, number> =>
  new Map(turnsOf(waysThrough(tried)).flatMap((turn, index) => turn.map(({ id }) => [id, index + 1] as const)))

/** The sum of the weights of those that share a turn; undefined where none do. */
export function weightsIn(tried: readonly Integration[]): number | undefined {
  const weights = tried.flatMap(({ weight }) => weight ?? [])
  return weights.length > 1 ? weights.reduce((sum, weight) => sum + weight) : undefined
}

/**
 * As the server goes: the message chooses which one with a weight takes the first of their places, the others of them
 * take the rest, and those without a weight keep theirs.
 */
function waysThrough(tried: readonly Integration[]): Integration[][] {
  const weighted = tried.filter(({ weight }) => weight !== undefined)
  if (weighted.length < 2) return [[...tried]]
  return weighted.map((chosen) => {
    const rest = [chosen, ...weighted.filter((integration) => integration !== chosen)]
    return tried.map((integration) => (integration.weight === undefined ? integration : (rest.shift() ?? integration)))
  })
}

/** Those that some message finds at a place share its turn; each has its first one only. */
function turnsOf(ways: readonly Integration[][]): Integration[][] {
  const named = new Set<Integration>()
  return (ways[0] ?? []).flatMap((_, place) => {
    const turn = [...new Set(ways.flatMap((way) => way[place] ?? []))].filter((integration) => !named.has(integration))
    for (const integration of turn) named.add(integration)
    return turn.length > 0 ? [turn] : []
  })
}

/** The first of them, as many as have room in a sentence. */
export function firstOf<Row>(turns: readonly (readonly Row[])[], max: number): Row[][] {
  let left = max
  return turns.flatMap((turn) => {
    const shown = turn.slice(0, left)
    left -= shown.length
    return shown.length > 0 ? [shown] : []
  })
}
