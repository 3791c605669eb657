/** Integrations of one channel with weights: the id of a message chooses the first one, the others follow as failover. */
import type { Integration } from '../facts.ts'
import type { RouteCandidate } from './decision.ts'

/** The same for a message each time; those without a weight keep their places. */
export function byWeight(serving: Integration[], channel: string, messageId: string): Integration[] {
  const weighted = serving.filter(isWeighted)
  if (weighted.length < 2) return serving
  const chosen = choose(weighted, fraction(`${messageId}:${channel}`))
  const others = weighted.filter((one) => one !== chosen)
  return serving.map((one) => (isWeighted(one) ? (one === weighted[0] ? chosen : (others.shift() ?? one)) : one))
}

/** One that is disabled or unreadable takes no share. */
const isWeighted = ({ weight, enabled, readable }: Integration) => weight !== undefined && enabled && readable

export const weightsOf = (candidates: readonly Pick<RouteCandidate, 'integration'>[]): number =>
  candidates.reduce((sum, { integration }) => sum + (integration.weight ?? 0), 0)

function choose(weighted: readonly Integration[], at: number): Integration {
  const total = weighted.reduce((sum, { weight = 0 }) => sum + weight, 0)
  let left = at * total
  const found = weighted.find(({ weight = 0 }) => {
    left -= weight
    return left < 0
  })
  return found ?? (weighted[0] as Integration)
}

/** In [0, 1), evenly distributed: FNV-1a with the finalizer of MurmurHash3, because ids differ in few characters. */
function fraction(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
