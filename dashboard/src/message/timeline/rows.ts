/** The rows of a timeline: the history of a message and the attempts of its deliveries, in the order of time. */
import type { AttemptRecord, DeliveryRecord, HistoryEvent, MessageDetail, MessageExplanation } from '@postrider/client'
import type { Span } from './axis.ts'
import { isWithoutCall, wayName, wayOf } from './event-words.ts'

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
  /** The delivery that it is about. */
  deliveryId?: string | undefined
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

/** When a message was accepted, in milliseconds since the Unix epoch: the offsets of its rows count from here. */
export const timelineStart = ({ message, events }: Pick<TimelineInput, 'message' | 'events'>): number =>
  events[0]?.ts ?? message.enqueued

export function timelineRows({ message, explanation: { deliveries }, events }: TimelineInput): TimelineRow[] {
  const start = timelineStart({ message, events })
  // Several machines write their times: what follows from the acceptance is never before it.
  const since = (ts: number) => Math.max(0, ts - start)
  const attempts = deliveries.flatMap((delivery) => attemptRows(delivery, since))
  const ways = new Map(deliveries.map((delivery) => [wayOfDelivery(delivery), delivery]))
  const attemptsByWay = byWay(attempts)
  const sentWays = new Set(events.flatMap((event) => (event.type === 'SENT' ? [wayOf(event)] : [])))
  const decisions = decidedRows(events, since)
  const rows: TimelineRow[] = [...attempts, ...decisions]
  for (const [index, event] of events.entries()) {
    if (deciding.has(event.type)) continue
    const way = wayOf(event)
    const candidates = attemptsByWay.get(way) ?? []
    const row = attemptOf(event, candidates, sentWays) ?? (event.type === 'RENDERED' ? decisions.at(-1) : undefined)
    if (row) row.events.push(event)
    else rows.push({ ...eventRow(event, index, { since, candidates }), deliveryId: ways.get(way)?.id })
  }
  for (const delivery of deliveries)
    if (isDue(delivery, message))
      rows.push(nextRow(delivery, attemptsByWay.get(wayOfDelivery(delivery))?.at(-1), since))
  // The history has the cause first where both have the same time.
  const places = new Map(events.map((event, place) => [event, place]))
  const placeOf = ({ events: [first] }: TimelineRow) => (first && places.get(first)) ?? events.length
  const sorted = rows.toSorted((a, b) => a.at - b.at || placeOf(a) - placeOf(b))
  return withWaits(withEnd(sorted, { message, events }, since), message)
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
/** Before that its explanation is as of now. */
export const isDecided = ({ events, explanation }: Pick<TimelineInput, 'events' | 'explanation'>): boolean =>
  explanation.deliveries.length > 0 || events.some((event) => deciding.has(event.type) || isStop(event))

const deciding: ReadonlySet<HistoryEvent['type']> = new Set(['MAPPED', 'PROFILE_LOADED'])
/** It ends the decision, perhaps as the only event of it, and has a row besides. */
const isStop = (event: HistoryEvent): boolean =>
  event.type === 'UNDELIVERABLE' ? event.integration === undefined : stops.has(event.type)
const stops: ReadonlySet<HistoryEvent['type']> = new Set([
  ...(['UNMAPPED', 'FILTERED', 'THROTTLED', 'DIGESTED', 'UNROUTABLE'] as const),
])

const attemptRows = (delivery: DeliveryRecord, since: (ts: number) => number): AttemptRow[] =>
  delivery.attempts.map((attempt, index): AttemptRow => {
    const { number, started, ended } = attempt
    const at = since(started)
    const before = delivery.attempts[index - 1]
    return {
      ...{
        kind: 'attempt',
        id: `${delivery.id} ${number}`,
        deliveryId: delivery.id,
        delivery,
        attempt,
        events: [],
        at,
      },
      end: ended === undefined ? at : Math.max(at, since(ended)),
      ...(before && { waitStart: Math.min(at, since(before.ended ?? before.started)) }),
    }
  })

/** A delivery of a sent message can be tried again, for another device. A held one waits for a repair: the time is its end. */
export const isDue = (
  { next_attempt_at: next }: Pick<DeliveryRecord, 'next_attempt_at'>,
  { status }: Pick<MessageDetail, 'status'>,
): boolean => next !== undefined && status !== 'CANCELED' && status !== 'HELD'

function nextRow(delivery: DeliveryRecord, last: AttemptRow | undefined, since: (ts: number) => number): TimelineRow {
  const at = since(delivery.next_attempt_at ?? 0)
  const waitStart = last && Math.min(at, last.end ?? last.at)
  return {
    ...{ kind: 'next', id: `${delivery.id} next`, deliveryId: delivery.id, delivery, at, events: [] },
    ...(waitStart !== undefined && { waitStart }),
  }
}

/** The attempt of the same way that an event reports; undefined for what has a row besides. */
function attemptOf(
  event: HistoryEvent,
  candidates: readonly AttemptRow[],
  sentWays: ReadonlySet<string>,
): AttemptRow | undefined {
  // A failure and its event are written with one time. A limit of the provider uses up no attempt.
  const ended = candidates.find(({ attempt }) => attempt.ended === event.ts)
  switch (event.type) {
    case 'RENDERED':
      return candidates[0]
    case 'DELIVERING':
      return event.held_back ? undefined : ended
    case 'SENT':
      return candidates.findLast(({ attempt }) => attempt.outcome === 'sent')
    case 'UNDELIVERABLE': {
      if (event.reason === 'BOUNCED') return undefined
      // Given up for another candidate that was accepted.
      const isElsewhere = sentWays.size > 0 && !sentWays.has(wayOf(event))
      return ended ?? (isElsewhere ? candidates.at(-1) : undefined)
    }
    default:
      return undefined
  }
}

function eventRow(
  event: HistoryEvent,
  index: number,
  { since, candidates }: { since(ts: number): number; candidates: readonly AttemptRow[] },
): TimelineRow {
  // Providers write whole seconds: a receipt is not before the attempt that it confirms.
  const confirmed = isReceipt(event) ? candidates.findLast(({ attempt }) => attempt.outcome === 'sent') : undefined
  const at = Math.max(since(event.ts), confirmed ? (confirmed.end ?? confirmed.at) : 0)
  const until = waitUntil(event)
  return {
    ...{ kind: 'event', id: `event ${index}`, event, isReceipt: isReceipt(event), at, events: [event] },
    ...(until !== undefined && { waitEnd: Math.max(at, since(until)) }),
  }
}

/** A delay, a hold, or a limit or an open circuit breaker of an integration. */
function waitUntil(event: HistoryEvent): number | undefined {
  if (event.type === 'DELAYED' || event.type === 'HELD') return event.until
  return event.type === 'DELIVERING' ? event.next_attempt_at : undefined
}

const receipts: ReadonlySet<HistoryEvent['type']> = new Set([
  ...(['DEFERRED', 'DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED', 'UNSUBSCRIBED'] as const),
  ...(['COPY_SENT', 'COPY_UNDELIVERABLE'] as const),
])
const isReceipt = (event: HistoryEvent) =>
  receipts.has(event.type) || (event.type === 'UNDELIVERABLE' && event.reason === 'BOUNCED')

/** A message that failed ends with a row that says so, where the last failure of a call is shown with an attempt. */
function withEnd(
  rows: readonly TimelineRow[],
  { message: { status }, events }: Pick<TimelineInput, 'message' | 'events'>,
  since: (ts: number) => number,
): TimelineRow[] {
  if (status !== 'UNDELIVERABLE') return [...rows]
  const failures = rows.flatMap((row) =>
    row.events.flatMap((event) => (event.type === 'UNDELIVERABLE' ? { row, event } : [])),
  )
  const last = failures
    .filter(({ event }) => !isWithoutCall(event, events))
    .reduce<(typeof failures)[number] | undefined>(
      (latest, failure) => (latest && latest.event.ts > failure.event.ts ? latest : failure),
      undefined,
    )
  if (last?.row.kind !== 'attempt') return [...rows]
  const end: TimelineRow = {
    kind: 'failed',
    id: 'failed',
    at: Math.max(...failures.map(({ event }) => since(event.ts))),
    events: [last.event],
  }
  return [...rows, end].toSorted((a, b) => a.at - b.at)
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

const wayOfDelivery = ({ channel, integration, device }: DeliveryRecord) => wayName(channel, integration, device?.id)

function byWay(attempts: readonly AttemptRow[]): Map<string, AttemptRow[]> {
  const groups = new Map<string, AttemptRow[]>()
  for (const attempt of attempts) {
    const way = wayOfDelivery(attempt.delivery)
    groups.set(way, [...(groups.get(way) ?? []), attempt])
  }
  return groups
}

/** The row that a reference in the address names: its id, or a delivery by its last attempt, its event, or when it is due. */
export function rowNamed(rows: readonly TimelineRow[], name: string): TimelineRow | undefined {
  const about = rows.filter(({ deliveryId }) => deliveryId === name)
  return (
    rows.find(({ id }) => id === name) ??
    about.findLast(({ kind }) => kind === 'attempt') ??
    about.findLast(({ kind }) => kind === 'event') ??
    about.at(-1)
  )
}

/** The counts in the head of the timeline. */
export interface TimelineCounts {
  attempts: number
  integrations: number
  receipts: number
  /** Milliseconds from the begin of the first attempt that is kept to the end of the last one. */
  ms: number
}

export function timelineCounts(rows: readonly TimelineRow[], deliveries: readonly DeliveryRecord[]): TimelineCounts {
  const tried = deliveries.filter(({ attempts_total: total }) => total > 0)
  const attempts = rows.filter(({ kind }) => kind === 'attempt')
  const begin = Math.min(...attempts.map(({ at }) => at))
  const ends = attempts.map(({ at, end = at }) => end - begin)
  return {
    attempts: tried.reduce((total, { attempts_total: count }) => total + count, 0),
    integrations: new Set(tried.map(({ integration }) => integration)).size,
    receipts: rows.filter((row) => row.kind === 'event' && row.isReceipt).length,
    ms: Math.max(0, ...ends),
  }
}
