/** Applies receipts to their messages, many a commit; one that came before its delivery waits for an hour. */
import type { MessageStatus } from '@postrider/contract'
import { failpoint } from '../base/failpoint.ts'
import { timedId, timedIdFloor } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { DAY, HOUR } from '../base/time/duration.ts'
import { CONFIG_CHANNEL, type Engine } from '../database/engine.ts'
import { guardPlan } from '../database/query.ts'
import {
  type AppliedReceipts,
  deadLetterReceipt,
  pendingReceipts,
  type ReceiptRow,
  type ReceivingMessage,
  receiptQueue,
  receiptsDelete,
  receiptsPostpone,
  receivingMessages,
  writeReceipts,
} from '../database/tables/messages/receipts.ts'
import type { RecordedSuppression } from '../database/tables/suppressions/suppressions.ts'
import { isPseudonym } from '../erasure/redact.ts'
import { deliveriesText, parseDeliveries, type StoredDelivery } from '../messages/delivery.ts'
import { addressDigest } from '../providers/address.ts'
import { suppressionBy } from '../providers/suppression.ts'
import { createQueuePoll } from '../queue/poll.ts'
import { clickReason } from '../tracking/automated-requests.ts'
import { applyReceipts, isExpected, type NumberedReceipt, type Received } from './apply.ts'

export interface ReceiptOptions {
  engine: Engine
  log: Log
  metrics: Pick<Metrics, 'receipts'>
  /** Longer than any step; nothing renews it. */
  leaseMs: number
  /** Messages are kept for so long: a link in a mail lives longer. */
  retentionDays: number
  now(): number
  /** Called after a commit: there are messages to claim. */
  wake(): void
}

/** Some 2 MB of messages. */
const RECEIPTS_A_STEP = 500
/** A call whose answer was lost is repeated for minutes; its receipt is not taken for another sender's meanwhile. */
const EARLY_MS = HOUR

/** Applies a slice of due receipts; resolves with the time until the next poll. */
export function createReceiver(options: ReceiptOptions): () => Promise<number> {
  const { engine, log, leaseMs, now } = options
  return createQueuePoll({
    ...{ engine, log, leaseMs, now, queue: receiptQueue },
    claim: (take) => take({ limit: RECEIPTS_A_STEP }),
    start: (rows) => receive(rows, options),
    deadLetter: (_row, letter) => deadLetterReceipt(engine, letter),
  })
}

interface Sorted {
  applied: AppliedReceipts[]
  /** By message: done when it is written. */
  ready: Map<string, { rows: readonly ReceiptRow[]; deliveries: readonly StoredDelivery[] }>
  /** Known already, or too late. */
  ended: ReceiptRow[]
  early: ReceiptRow[]
  /** Addresses that are not to be tried again, with the write of their message. */
  suppressions: RecordedSuppression[]
  wakes: boolean
}

async function receive(rows: readonly ReceiptRow[], options: ReceiptOptions): Promise<void> {
  const { engine, now, wake } = options
  const messages = new Map((await receivingMessages(engine, rows)).map((message) => [message.id, message]))
  const pending = await pendingOf(rows, engine)
  const time = now()
  const sorted = sort(rows, messages, pending, options)
  const { applied, suppressions } = sorted
  const written = applied.length > 0 ? await writeReceipts(engine, applied, suppressions, time) : new Set<string>()
  failpoint('after-receipts-applied')
  const done = [...sorted.ended]
  const again = [...sorted.early]
  // Another write came first: it is read again.
  for (const [id, { rows: ofMessage, deliveries }] of sorted.ready) {
    const isWritten = written.has(id)
    if (isWritten) countApplied(ofMessage, deliveries, options)
    ;(isWritten ? done : again).push(...ofMessage)
  }
  await engine.batch([
    guardPlan,
    ...(done.length > 0 ? [receiptsDelete(done)] : []),
    ...(again.length > 0 ? [receiptsPostpone(again, time)] : []),
  ])
  if (suppressions.length > 0) await suppressed(suppressions, options)
  if (sorted.wakes) wake()
}

/** By message; read only where there are clicks that are judged together with those around them. */
async function pendingOf(rows: readonly ReceiptRow[], engine: Engine): Promise<ReadonlyMap<string, NumberedReceipt[]>> {
  const heldReceipts = rows.filter(({ receipt }) => receipt.includes('"isHeld":true'))
  if (heldReceipts.length === 0) return new Map()
  const grouped = new Map<string, NumberedReceipt[]>()
  for (const { message_id, n, receipt } of await pendingReceipts(engine, heldReceipts)) {
    const ofMessage = grouped.get(message_id) ?? []
    ofMessage.push({ ...(JSON.parse(receipt) as NumberedReceipt), n })
    grouped.set(message_id, ofMessage)
  }
  return grouped
}

function sort(
  rows: readonly ReceiptRow[],
  messages: ReadonlyMap<string, ReceivingMessage>,
  pending: ReadonlyMap<string, readonly NumberedReceipt[]>,
  options: ReceiptOptions,
): Sorted {
  const now = options.now()
  const kept = timedIdFloor(now - options.retentionDays * DAY)
  const sorted: Sorted = { applied: [], ready: new Map(), ended: [], early: [], suppressions: [], wakes: false }
  for (const [id, all] of byMessage(rows)) {
    const message = messages.get(id)
    const deliveries = parseDeliveries(message?.deliveries ?? null)
    const ofMessage = all.filter(
      (row) =>
        !(message?.is_erased && isUse(row)) && !isForeign(row, deliveries, options) && !isOfCopy(row, deliveries),
    )
    sorted.ended.push(...all.filter((row) => !ofMessage.includes(row)))
    const isReady = (row: ReceiptRow) =>
      message !== undefined && !isLocked(message) && isExpected(receiptOf(row, message), { deliveries })
    const ready = ofMessage.filter(isReady)
    for (const row of ofMessage) {
      if (ready.includes(row)) continue
      const isComing = message !== undefined || row.message_id >= kept
      if (isComing && now - row.created < EARLY_MS) sorted.early.push(row)
      else sorted.ended.push(dropped(row, message, options))
    }
    if (!message || ready.length === 0) continue
    const before = { ...message, status: message.status as MessageStatus, deliveries }
    const received = applyReceipts(
      before,
      judged(
        ready.map((row) => receiptOf(row, message)),
        pending.get(id) ?? [],
        deliveries,
      ),
    )
    // A receipt that changes nothing may still be the first that names the address.
    const suppressing = ready.flatMap((row) =>
      received || deliveries[row.n]?.suppressedAt === undefined
        ? (suppressionOf(row, message, deliveries, now) ?? [])
        : [],
    )
    if (!received && suppressing.length === 0) {
      sorted.ended.push(...ready)
      continue
    }
    const changed = withSuppressed(received ?? { ...before, events: [], wakes: false }, suppressing, now)
    sorted.ready.set(id, { rows: ready, deliveries })
    sorted.applied.push(rowOf(message, changed, now))
    sorted.suppressions.push(...suppressing.map(({ suppression }) => suppression))
    sorted.wakes ||= changed.wakes
  }
  return sorted
}

/** A worker has it, or an erasure is about to rewrite it. */
const isLocked = ({ is_leased, is_erased, recipient }: ReceivingMessage) =>
  is_leased || (is_erased && !isPseudonym(recipient))

/** It came by the callback of an integration that did not make this delivery, whose signature proves nothing about it. */
function isForeign(row: ReceiptRow, deliveries: readonly StoredDelivery[], { log }: ReceiptOptions): boolean {
  const { integration } = JSON.parse(row.receipt) as NumberedReceipt
  const delivery = deliveries[row.n]
  if (integration === undefined || !delivery || delivery.integration === integration) return false
  const fields = { event: 'receipt.foreign', message: row.message_id, delivery: row.n, integration } as const
  log.warn(fields, 'a receipt was dropped: the integration whose callback it came by did not make the delivery')
  return true
}

/** It names another address than that of the delivery, or none, and there are copies: it says nothing about the delivery. */
function isOfCopy({ n, receipt }: ReceiptRow, deliveries: readonly StoredDelivery[]): boolean {
  const { integration, address, isOfAnyRecipient } = JSON.parse(receipt) as NumberedReceipt
  const { hasCopies, addressee, channel } = deliveries[n] ?? {}
  // A report to the bounce address of a mail has a token of its recipient.
  if (!hasCopies || !channel || integration === undefined) return false
  return isOfAnyRecipient || address === undefined || addressDigest(channel, address) !== addressee
}

/** Reports an act of a person, and not the result of the delivery. */
const isUse = ({ receipt }: ReceiptRow) => {
  const { kind } = JSON.parse(receipt) as NumberedReceipt
  return kind === 'opened' || kind === 'clicked'
}

/** Clicks with what the other events of their delivery show: a scanner follows every link, and opens nothing. */
function judged(
  receipts: readonly NumberedReceipt[],
  pending: readonly NumberedReceipt[],
  deliveries: readonly StoredDelivery[],
): NumberedReceipt[] {
  return receipts.map((receipt) => {
    const { isHeld, n, url = '', at, isEarly = false } = receipt
    if (!isHeld) return receipt
    const delivery = deliveries[n]
    const around = pending.filter((other) => other.n === n && !other.isAutomated)
    const reason = clickReason(
      { link: url, at, isEarly },
      {
        clicks: around
          .filter(({ kind }) => kind === 'clicked')
          .map((click) => ({ link: click.url ?? '', at: click.at })),
        isOpened: delivery?.openedAt !== undefined || around.some(({ kind }) => kind === 'opened'),
        autoClickedAt: delivery?.autoClickedAt,
      },
    )
    return reason ? { ...receipt, isAutomated: true, automatedReason: reason } : receipt
  })
}

function byMessage(rows: readonly ReceiptRow[]): ReadonlyMap<string, ReceiptRow[]> {
  const grouped = new Map<string, ReceiptRow[]>()
  for (const row of rows) {
    const ofMessage = grouped.get(row.message_id)
    if (ofMessage) ofMessage.push(row)
    else grouped.set(row.message_id, [row])
  }
  return grouped
}

interface Suppressing {
  /** Number of the delivery. */
  n: number
  suppression: RecordedSuppression
}

function withSuppressed(received: Received, suppressing: readonly Suppressing[], now: number): Received {
  let { deliveries } = received
  for (const { n } of suppressing) {
    const delivery = deliveries[n]
    if (delivery) deliveries = deliveries.with(n, { ...delivery, suppressedAt: now })
  }
  return { ...received, deliveries }
}

/** Undefined where the provider names no address or another one than that of the delivery, and for an erased person. */
function suppressionOf(
  { n, receipt }: ReceiptRow,
  { id, workspace_id, recipient, flushes }: ReceivingMessage,
  deliveries: readonly StoredDelivery[],
  now: number,
): Suppressing | undefined {
  const delivery = deliveries[n]
  const parsed = JSON.parse(receipt) as NumberedReceipt
  const reportedSuppression = delivery && suppressionBy(parsed, delivery.channel, parsed.address)
  if (!reportedSuppression || isPseudonym(recipient)) return undefined
  const { addressee, channel } = delivery
  if (addressee !== undefined && addressee !== addressDigest(channel, parsed.address)) return undefined
  const suppression = {
    ...{ workspace_id, id: timedId(now), ...reportedSuppression, source: `provider/${delivery.provider}` },
    ...{ message_id: id, flushes: flushes + 1, note: null, person: recipient, created: now, ends: null },
  }
  return { n, suppression }
}

/** Other processes read the list of a workspace only where they know that it has one. */
async function suppressed(added: readonly RecordedSuppression[], { engine, log }: ReceiptOptions): Promise<void> {
  for (const workspace of new Set(added.map(({ workspace_id }) => workspace_id)))
    await engine
      .notify(CONFIG_CHANNEL, String(workspace))
      .catch((error: unknown) =>
        log.debug({ event: 'notification.lost', err: error }, 'the notification of a suppressed address is lost'),
      )
}

/** Words of a provider may repeat the address of a person who was erased meanwhile. */
function receiptOf({ n, receipt }: ReceiptRow, { recipient }: ReceivingMessage): NumberedReceipt {
  const parsed = JSON.parse(receipt) as Omit<NumberedReceipt, 'n'>
  if (!isPseudonym(recipient)) return { ...parsed, n }
  const { error: _error, url: _url, address: _address, ...kept } = parsed
  return { ...kept, n }
}

function rowOf({ id, flushes, status }: ReceivingMessage, received: Received, now: number): AppliedReceipts {
  const { deliveries, events, wakes } = received
  return {
    ...{ id, flushes, status: received.status, error: received.error },
    ...{ reason: received.reason, reason_code: received.reason_code },
    delivered: earliest(deliveries, 'deliveredAt'),
    opened: earliest(deliveries, 'openedAt'),
    clicked: earliest(deliveries, 'clickedAt'),
    due_at: wakes ? now : null,
    outbox_id: received.status === status ? null : timedId(now),
    deliveries: deliveriesText(deliveries),
    events: JSON.stringify(events),
  }
}

type Stage = 'deliveredAt' | 'openedAt' | 'clickedAt'

function earliest(deliveries: readonly StoredDelivery[], stage: Stage): number | null {
  const times = deliveries.flatMap(({ [stage]: time }) => (time === undefined ? [] : [time]))
  return times.length > 0 ? Math.min(...times) : null
}

function countApplied(
  rows: readonly ReceiptRow[],
  deliveries: readonly StoredDelivery[],
  { metrics }: ReceiptOptions,
): void {
  for (const { n, receipt } of rows) {
    const { kind } = JSON.parse(receipt) as Pick<NumberedReceipt, 'kind'>
    metrics.receipts.inc({ provider: deliveries[n]?.provider ?? '', kind })
  }
}

/** Without its message it is no sign of trouble: anyone can follow a link of a mail that is no longer stored. */
function dropped(row: ReceiptRow, message: ReceivingMessage | undefined, { log }: ReceiptOptions): ReceiptRow {
  const fields = { event: 'receipt.dropped', message: row.message_id, delivery: row.n } as const
  if (message) log.warn(fields, 'a receipt was dropped: no delivery of that number was made within an hour')
  else log.debug(fields, 'a receipt was dropped: its message is not stored')
  return row
}
