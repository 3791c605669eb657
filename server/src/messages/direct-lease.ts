/** New rows that this process starts at once: inserted under its lease, without a claim or a second write. */
import type { LiveMessage, NewMessage } from '../database/tables/messages/live-messages.ts'
import type { SendInput } from './send.ts'

/** Where new messages go on: in this process while it has room, else with the next claim. */
export interface Intake {
  /** How many messages this process may start now. */
  readonly room: number
  /** How many messages of the bulk lane it may start now. */
  readonly bulkRoom: number
  /** Messages in flight. */
  readonly size: number
  /** Takes over messages that are leased to this process until then. */
  start(leased: readonly { message: LiveMessage; input?: SendInput }[], until: number): void
}

/** Leases up to `room` of the rows that are due. Returns those. */
export function leaseDirectly(
  rows: readonly NewMessage[],
  room: number,
  { lease, now, until }: { lease: string; now: number; until: number },
): NewMessage[] {
  // A commit that failed is repeated with fewer rows: the leases of the first try are undone.
  for (const row of rows) {
    row.lease = null
    row.due_at = Math.max(row.first_due, row.enqueued)
    row.claims = 0
  }
  const due = rows.filter((row) => row.due_at <= now).slice(0, room)
  for (const row of due) {
    row.lease = lease
    row.due_at = until
    row.claims = 1
  }
  return due
}

/** The row as a claim returns it. */
export function leasedRow(row: NewMessage): LiveMessage {
  // Field by field: a copy of the row with more fields takes 20 µs on Node 20, a tenth of all that a message costs.
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    lane: row.lane,
    lease: row.lease ?? '',
    claims: row.claims,
    status: row.status,
    event: row.event,
    recipient: row.recipient,
    mode: row.mode,
    enqueued: row.enqueued,
    first_due: row.first_due,
    input: row.input,
    request_id: row.request_id ?? null,
    cancel_requested: false,
    cancel_source: null,
    list_id: row.list_id ?? null,
    notification_id: null,
    sent: null,
    delivered: null,
    flushes: 0,
    stalls: null,
    stalled_in: null,
    pinned: null,
    deliveries: null,
  }
}
