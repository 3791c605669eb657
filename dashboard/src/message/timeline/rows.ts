/** The rows of a timeline: the history of a message and the attempts of its deliveries, in the order of time. */
import type { AttemptRecord, DeliveryRecord, HistoryEvent, MessageDetail, MessageExplanation } from '@postrider/client'
import type { Span } from './axis.ts'
import { wayName, wayOf } from './event-words.ts'

interface RowBase {
  /** Unique within the timeline. */
  id: string
  /** Milliseconds since the message was accepted, as everywhere in a row. */
  at: number
  /** End of a bar; a row without it is a point. */
  end?: number
  /** It is waited from here until it begins, or with `waitEnd` from its begin until then. */
  waitStart?: number
  waitEnd?: number
  /** Those that it shows: it opens to their facts. */
  events: HistoryEvent[]
}

export type TimelineRow = RowBase &
  (
    | { kind: 'decided' }
    | { kind: 'attempt'; delivery: DeliveryRecord; attempt: AttemptRecord }
    /** An attempt that is due. */
    | { kind: 'next'; delivery: DeliveryRecord }
    /** The message has failed with its last attempt. */
    | { kind: 'failed' }
    | { kind: 'event'; event: HistoryEvent; isReceipt: boolean }
  )

type AttemptRow = Extract<TimelineRow, { kind: 'attempt' }>

export interface TimelineInput {
  message: Pick<MessageDetail, 'status' | 'enqueued'>
  explanation: Pick<MessageExplanation, 'deliveries'>
  events: readonly HistoryEvent[]
}

export function timelineRows({ message, explanation: { deliveries }, events }: TimelineInput): TimelineRow[] {
  const start = events[0]?.ts ?? message.enqueued
  // Several machines write their times: what follows from the acceptance is never before it.
  const since = (ts: number) => Math.max(0, ts - start)
  const attempts = deliveries.flatMap((delivery) => attemptRows(delivery, since))
  const rows: TimelineRow[] = [...attempts]
  const decisions = decidedRows(events, since)
  rows.push(...decisions)
  for (const [index, event] of events.entries()) {
    if (deciding.has(event.type)) continue
    const row = attemptOf(event, attempts, events) ?? (event.type === 'RENDERED' ? decisions.at(-1) : undefined)
    if (row) row.events.push(event)
    else rows.push(eventRow(event, index, { since, attempts }))
  }
  for (const delivery of deliveries) {
    const last = attempts.findLast((row) => row.delivery === delivery)
    // A held message waits for a repair: that time is when it fails.
    if (delivery.next_attempt_at !== undefined && isUnfinished(message) && message.status !== 'HELD')
      rows.push(nextRow(delivery, last, since(delivery.next_attempt_at)))
  }
  // The history has the cause first where both have the same time.
  const recorded = ({ events: [first] }: TimelineRow) => (first ? events.indexOf(first) : events.length)
  const sorted = rows.toSorted((a, b) => a.at - b.at || recorded(a) - recorded(b))
  return withWaits(withEnd(sorted, message), message)
}

/** All that the axis has to show. */
export const spansOf = (rows: readonly TimelineRow[]): Span[] =>
  rows.flatMap(({ at, end = at, waitEnd }) => [
    { from: at, to: end },
    // Only the end of a wait counts: a long one is folded.
    ...(waitEnd === undefined ? [] : [{ from: waitEnd, to: waitEnd }]),
  ])

/** The work of each decision, from when it could begin: the acceptance, the due time, or a release. */
function decidedRows(events: readonly HistoryEvent[], since: (ts: number) => number): TimelineRow[] {
  const rows: TimelineRow[] = []
  let begin = 0
  let open: TimelineRow | undefined
  for (const event of events) {
    if (event.type === 'DELAYED') begin = since(event.until)
    if (event.type === 'RELEASED') [begin, open] = [since(event.ts), undefined]
    if (!deciding.has(event.type) && (open || !isStop(event))) continue
    if (!open) {
      open = { kind: 'decided', id: `decided ${rows.length}`, at: Math.min(begin, since(event.ts)), events: [] }
      rows.push(open)
    }
    open.end = since(event.ts)
    open.events.push(event)
  }
  return rows
}
const deciding: ReadonlySet<HistoryEvent['type']> = new Set(['MAPPED', 'PROFILE_LOADED'])
/** It ends the decision, perhaps as the only event of it, and has a row of its candidates. */
const isStop = (event: HistoryEvent): boolean =>
  event.type === 'UNDELIVERABLE' ? event.integration === undefined : stops.has(event.type)
const stops: ReadonlySet<HistoryEvent['type']> = new Set([
  ...(['UNMAPPED', 'FILTERED', 'THROTTLED', 'DIGESTED', 'UNROUTABLE'] as const),
])
const waiting: ReadonlySet<HistoryEvent['type']> = new Set(['DELAYED', 'HELD'])

const attemptRows = (delivery: DeliveryRecord, since: (ts: number) => number): AttemptRow[] =>
  delivery.attempts.map((attempt, index): AttemptRow => {
    const { number, started, ended } = attempt
    const at = since(started)
    const before = delivery.attempts[index - 1]
    return {
      ...{ kind: 'attempt', id: `${delivery.id} ${number}`, delivery, attempt, events: [], at },
      end: ended === undefined ? at : Math.max(at, since(ended)),
      ...(before && { waitStart: Math.min(at, since(before.ended ?? before.started)) }),
    }
  })

function nextRow(delivery: DeliveryRecord, last: AttemptRow | undefined, at: number): TimelineRow {
  const waitStart = last && Math.min(at, last.end ?? last.at)
  return {
    ...{ kind: 'next', id: `${delivery.id} next`, delivery, at, events: [] },
    ...(waitStart !== undefined && { waitStart }),
  }
}

const ownAttempts = (event: HistoryEvent, attempts: readonly AttemptRow[]) =>
  attempts.filter(
    ({ delivery: { channel, integration, device } }) => wayOf(event) === wayName(channel, integration, device?.id),
  )

/** The attempt that an event reports; undefined for what has a row of its candidates. */
function attemptOf(
  event: HistoryEvent,
  attempts: readonly AttemptRow[],
  events: readonly HistoryEvent[],
): AttemptRow | undefined {
  const candidates = ownAttempts(event, attempts)
  switch (event.type) {
    case 'RENDERED':
      return candidates[0]
    case 'DELIVERING':
      return event.held_back ? undefined : candidates.find(({ attempt }) => attempt.number === event.attempt)
    case 'SENT':
      return candidates.findLast(({ attempt }) => attempt.outcome === 'sent')
    case 'UNDELIVERABLE': {
      // A report after the provider had accepted it is a receipt.
      const wasSent = events.some((other) => other.type === 'SENT' && wayOf(other) === wayOf(event))
      const last = candidates.at(-1)
      return !wasSent && last && ends.has(last.attempt.outcome) ? last : undefined
    }
    default:
      return undefined
  }
}
const ends: ReadonlySet<AttemptRecord['outcome']> = new Set(['rejected', 'in_doubt', 'retry'])

function eventRow(
  event: HistoryEvent,
  index: number,
  { since, attempts }: { since(ts: number): number; attempts: readonly AttemptRow[] },
): TimelineRow {
  // Providers write whole seconds: a receipt is not before the attempt that it confirms.
  const confirmed =
    isReceipt(event) && ownAttempts(event, attempts).findLast(({ attempt }) => attempt.outcome === 'sent')
  const at = Math.max(since(event.ts), confirmed ? (confirmed.end ?? confirmed.at) : 0)
  const waitEnd = 'until' in event && waiting.has(event.type) ? Math.max(at, since(event.until)) : undefined
  return {
    ...{ kind: 'event', id: `event ${index}`, event, isReceipt: isReceipt(event), at, events: [event] },
    ...(waitEnd !== undefined && { waitEnd }),
  }
}

const receipts: ReadonlySet<HistoryEvent['type']> = new Set([
  ...(['DEFERRED', 'DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED', 'UNSUBSCRIBED'] as const),
])
const isReceipt = (event: HistoryEvent) =>
  receipts.has(event.type) || (event.type === 'UNDELIVERABLE' && event.reason === 'BOUNCED')

/** A message that failed ends with a row that says so, where its last row is an attempt. */
function withEnd(rows: readonly TimelineRow[], { status }: TimelineInput['message']): TimelineRow[] {
  const last = rows.at(-1)
  if (status !== 'UNDELIVERABLE' || last?.kind !== 'attempt') return [...rows]
  const failures = rows.flatMap(({ events }) => events.filter(({ type }) => type === 'UNDELIVERABLE'))
  return [...rows, { kind: 'failed', id: 'failed', at: last.end ?? last.at, events: failures.slice(-1) }]
}

/** A wait ends where the next row begins; the last one of a message in progress ends when it is due. */
function withWaits(rows: readonly TimelineRow[], message: TimelineInput['message']): TimelineRow[] {
  return rows.map((row, index) => {
    if (row.waitEnd === undefined) return row
    const next = rows.slice(index + 1).find(({ at }) => at > row.at)
    if (next) return { ...row, waitEnd: Math.min(row.waitEnd, next.at) }
    const { waitEnd: _, ...point } = row
    return isUnfinished(message) ? row : point
  })
}

const unfinished: ReadonlySet<MessageDetail['status']> = new Set(['ENQUEUED', 'DELAYED', 'ROUTED', 'HELD'])
export const isUnfinished = ({ status }: Pick<MessageDetail, 'status'>): boolean => unfinished.has(status)

/** The row that a reference in the address names: its id, or the last attempt of a delivery. */
export const rowNamed = (rows: readonly TimelineRow[], name: string): TimelineRow | undefined =>
  rows.find(({ id }) => id === name) ??
  rows.findLast((row) => (row.kind === 'attempt' || row.kind === 'next') && row.delivery.id === name)

/** The counts in the head of the timeline. */
export interface TimelineCounts {
  attempts: number
  integrations: number
  receipts: number
  /** Milliseconds from the acceptance to the end of the last attempt. */
  ms: number
}

export function timelineCounts(rows: readonly TimelineRow[], deliveries: readonly DeliveryRecord[]): TimelineCounts {
  const tried = deliveries.filter(({ attempts_total: total }) => total > 0)
  const lastEnds = rows.flatMap((row) => (row.kind === 'attempt' ? [row.end ?? row.at] : []))
  return {
    attempts: tried.reduce((total, { attempts_total: count }) => total + count, 0),
    integrations: new Set(tried.map(({ integration }) => integration)).size,
    receipts: rows.filter((row) => row.kind === 'event' && row.isReceipt).length,
    ms: Math.max(0, ...lastEnds),
  }
}
