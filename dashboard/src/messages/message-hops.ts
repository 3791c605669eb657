/** The way of a message in a row: its hops in the order of their attempts, and those of them that are shown. */
import type { Message, MessageProvider } from '@postrider/client'

type Status = MessageProvider['status']

export interface Hop {
  channel: string
  name: string | undefined
  /** After a call. */
  hasFailed: boolean
  /** The furthest status that a provider has brought the message to. */
  accepted: Status | undefined
  /** The part of an `all` routing: those of different parts stand side by side. */
  branch: number | undefined
}

/** The name of an integration in a row. */
export type NameOf = (delivery: {
  provider?: string | undefined
  integration?: string | undefined
}) => string | undefined

/** Those that are later count more. */
const acceptedStatuses: readonly Status[] = ['SENT', 'DELIVERED', 'OPENED', 'CLICKED']
const rankOf = (status: Status | undefined) => (status === undefined ? -1 : acceptedStatuses.indexOf(status))

type Way = Pick<Message, 'providers' | 'retry'>

/** The devices of an integration are one hop, which failed where all of them did. The one that has the message comes last. */
export function hopsOf({ providers = [], retry }: Way, nameOf: NameOf): Hop[] {
  const hops = new Map<string, Hop>()
  // One that was never called is no part of the way of a message that others were called for.
  const called = providers.filter(({ attempts }) => attempts !== 0)
  for (const { channel, provider, integration, status, attempts, branch } of called.length > 0 ? called : providers) {
    if (!channel) continue
    const key = `${channel.template} ${integration ?? provider}`
    const before = hops.get(key)
    const accepted = rankOf(status) > rankOf(before?.accepted) ? status : before?.accepted
    const hasFailed = status === 'UNDELIVERABLE' && attempts !== 0 && before?.hasFailed !== false
    hops.set(key, { channel: channel.template, name: nameOf({ provider, integration }), hasFailed, accepted, branch })
  }
  const all = inOrder([...hops.values()])
  const next = retry && { channel: retry.channel, name: nameOf(retry), hasFailed: false, accepted: undefined }
  return next ? [...all, { ...next, branch: undefined }] : all
}

function inOrder(hops: readonly Hop[]): Hop[] {
  const acceptedBranches = new Set(hops.flatMap(({ accepted, branch }) => (accepted === undefined ? [] : [branch])))
  const rank = ({ accepted, branch }: Hop) =>
    [acceptedBranches.has(branch) ? 1 : 0, branch ?? -1, accepted === undefined ? 0 : 1] as const
  return hops.toSorted((left, right) => {
    const ranks = rank(right)
    return (
      rank(left)
        .map((value, at) => value - (ranks[at] ?? 0))
        .find((difference) => difference !== 0) ?? 0
    )
  })
}

/** They stand side by side, and do not follow each other. */
export const isBeside = (left: Hop | undefined, right: Hop): boolean =>
  left?.branch !== undefined && right.branch !== undefined && left.branch !== right.branch

/** The hops of parts that have failed while another part has the message. */
function failedBeside(hops: readonly Hop[]): Hop[] {
  const accepted = hops.filter((hop) => hop.accepted !== undefined)
  return hops.filter(
    (hop) =>
      hop.hasFailed &&
      accepted.some((other) => isBeside(hop, other)) &&
      accepted.every((other) => other.branch !== hop.branch),
  )
}

/** As the page of the message says it: one channel has it, and another one has failed. */
export const isSentInPart = (message: Way): boolean => failedBeside(hopsOf(message, () => undefined)).length > 0

/** A row has no room for more names. */
const SHOWN_MAX = 2

/** Where there are more: the one that brought the message furthest, with one that failed beside it, else the last. */
export function shownHops(hops: readonly Hop[]): {
  before: readonly Hop[]
  shown: readonly Hop[]
  after: readonly Hop[]
} {
  if (hops.length <= SHOWN_MAX) return { before: [], shown: hops, after: [] }
  const furthest = Math.max(...hops.map(({ accepted }) => rankOf(accepted)))
  const at = hops.findLastIndex(({ accepted }) => rankOf(accepted) === furthest)
  const failed = failedBeside(hops).at(-1)
  const brought = hops[at]
  if (failed && brought) {
    const shown = [failed, brought]
    return { before: hops.filter((hop) => !shown.includes(hop)), shown, after: [] }
  }
  return { before: hops.slice(0, at), shown: hops.slice(at, at + 1), after: hops.slice(at + 1) }
}
