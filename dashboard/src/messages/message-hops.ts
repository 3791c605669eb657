/** The way of a message in a row: its hops in the order of their attempts, and those of them that are shown. */
import type { Message, MessageProvider } from '@postrider/client'

type Status = MessageProvider['status']

export interface Hop {
  channel: string
  name: string | undefined
  hasFailed: boolean
  /** The furthest status that a provider has brought the message to. */
  accepted: Status | undefined
}

/** The name of an integration in a row. */
export type NameOf = (delivery: {
  provider?: string | undefined
  integration?: string | undefined
}) => string | undefined

/** Those that are later count more. */
const acceptedStatuses: readonly Status[] = ['SENT', 'DELIVERED', 'OPENED', 'CLICKED']
const rankOf = (status: Status | undefined) => (status === undefined ? -1 : acceptedStatuses.indexOf(status))

/** The devices of an integration are one hop, which failed where all of them did. */
export function hopsOf({ providers = [], retry }: Pick<Message, 'providers' | 'retry'>, nameOf: NameOf): Hop[] {
  const hops = new Map<string, Hop>()
  for (const { channel, provider, integration, status } of providers) {
    if (!channel) continue
    const key = `${channel.template} ${integration ?? provider}`
    const before = hops.get(key)
    const accepted = rankOf(status) > rankOf(before?.accepted) ? status : before?.accepted
    const hasFailed = status === 'UNDELIVERABLE' && before?.hasFailed !== false
    hops.set(key, { channel: channel.template, name: nameOf({ provider, integration }), hasFailed, accepted })
  }
  const all = [...hops.values()]
  if (retry) all.push({ channel: retry.channel, name: nameOf(retry), hasFailed: false, accepted: undefined })
  return all
}

/** A row has no room for more names. */
const SHOWN_MAX = 2

/** Where there are more: the one that brought the message furthest, else the last, where it ended or goes next. */
export function shownHops(hops: readonly Hop[]): {
  before: readonly Hop[]
  shown: readonly Hop[]
  after: readonly Hop[]
} {
  if (hops.length <= SHOWN_MAX) return { before: [], shown: hops, after: [] }
  const furthest = Math.max(...hops.map(({ accepted }) => rankOf(accepted)))
  const at = hops.findLastIndex(({ accepted }) => rankOf(accepted) === furthest)
  return { before: hops.slice(0, at), shown: hops.slice(at, at + 1), after: hops.slice(at + 1) }
}
