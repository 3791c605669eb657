/** Messages of an outage drill, counted by the route that is left to them. */
import type { OutageMessage } from '@postrider/client'

export interface OutageCount {
  key: string
  count: number
  /** The integrations that would be called; empty where none is. */
  during: OutageMessage['during']
  result: OutageMessage['result']
}

/** The most frequent first; those that are not sent come last. */
export function outageCounts(messages: readonly Pick<OutageMessage, 'result' | 'during'>[]): OutageCount[] {
  const counts = new Map<string, OutageCount>()
  for (const { result, during } of messages) {
    const isSent = during.length > 0
    const routes = during.map(({ channel, integration }) => `${channel} ${integration}`)
    const key = isSent && result !== 'fewer_channels' ? routes.join(', ') : [result, ...routes].join(' ')
    const entry = counts.get(key) ?? { key, count: 0, during, result }
    counts.set(key, { ...entry, count: entry.count + 1 })
  }
  const rank = ({ during, result }: OutageCount) => (during.length > 0 ? 0 : result === 'waits' ? 1 : 2)
  return [...counts.values()].toSorted((left, right) => rank(left) - rank(right) || right.count - left.count)
}

/** Channels that a message was sent by, and would not be. */
export function lostChannels(
  before: OutageMessage['before'],
  during: OutageMessage['during'],
): OutageMessage['before'][number]['channel'][] {
  const left = new Set(during.map(({ channel }) => channel))
  return [...new Set(before.map(({ channel }) => channel))].filter((channel) => !left.has(channel))
}
