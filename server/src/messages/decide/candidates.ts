/** The tree of candidates for a message: the order in which channels and integrations are tried. */
import type { Candidate, Channel } from '@postrider/contract'
import type { Integration } from '../facts.ts'

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

/** Whether it holds for any of them. */
export const someWay = (node: Route, holds: (way: Way) => boolean): boolean =>
  node.kind === 'way' ? holds(node) : node.routes.some((one) => someWay(one, holds))

/** In the order they are tried. */
export function ways(tree: Route): Way[] {
  const found: Way[] = []
  const look = (node: Route): void => {
    if (node.kind === 'way') found.push(node)
    else node.routes.forEach(look)
  }
  look(tree)
  return found
}
