/** The loss of an integration: by which others its channels go then, and which have none. */
import type { Integration } from '@postrider/client'
import { placesOf } from './order.ts'

export interface Loss {
  /** Channels that nothing else delivers. */
  alone: Integration['channel'][]
  /** Channels by the integrations that are tried first then: several with a weight share them. */
  covered: { channels: Integration['channel'][]; next: Integration[]; broken: Integration[] }[]
}

const isBroken = ({ circuit_breaker: breaker }: Integration) => breaker !== undefined && breaker.state !== 'closed'

/** The next is the first one whose breaker is closed; where there is none, the first one. Those before it are broken. */
export function lossOf(
  integrations: readonly Integration[],
  lostId: Integration['id'],
  channels: readonly Integration['channel'][],
): Loss {
  const others = integrations.filter((other) => other.id !== lostId)
  const loss: Loss = { alone: [], covered: [] }
  for (const channel of channels) {
    const tried = placesOf(others, channel)
      .filter(({ turn, integration }) => turn === 'tried' && integration.provider !== 'mailbox')
      .map(({ integration }) => integration)
    const called = tried.filter((other) => !isBroken(other))
    const [first] = called.length > 0 ? called : tried
    if (!first) {
      loss.alone.push(channel)
      continue
    }
    const next = first.weight === undefined ? [first] : called.filter(({ weight }) => weight !== undefined)
    const broken = called.length > 0 ? [] : tried
    const same = loss.covered.find((entry) => entry.next.map(({ id }) => id).join() === next.map(({ id }) => id).join())
    if (same) same.channels.push(channel)
    else loss.covered.push({ channels: [channel], next: next.length > 0 ? next : [first], broken })
  }
  return loss
}
