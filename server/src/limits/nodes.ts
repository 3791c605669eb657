/** The part of a limit that one node may use, so that all of them together keep it. */

export interface Nodes {
  /** Those that deliver, this one included. */
  count: number
  /** This node's place among them, from 0. */
  position: number
}

/** `numbers`: one for each node, in order. A node whose own number is missing counts itself last. */
export function nodesOf(numbers: readonly number[], own: number): Nodes {
  const position = numbers.indexOf(own)
  return position < 0 ? { count: numbers.length + 1, position: numbers.length } : { count: numbers.length, position }
}

/** Divides a number of calls at a time; the nodes that get one more differ from integration to integration. */
export function concurrencyOf(total: number, { count, position }: Nodes, integrationId: string): number {
  const shift = integrationId.charCodeAt(integrationId.length - 1) || 0
  return Math.floor(total / count) + ((position + shift) % count < total % count ? 1 : 0)
}
