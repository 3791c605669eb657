/** Accepting a send: one row, tryCommit and flushed before anybody is told, shared by all who ask at the same time. */
import { unavailable } from '../../base/errors.ts'
import { failpoint, reached } from '../../base/failpoint.ts'
import { timedId } from '../../base/ids.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { SecretKey } from '../../base/secret.ts'
import { DatabaseUnavailable, type Engine } from '../../database/engine.ts'
import { findStoredReply, sealReply, UNREADABLE } from '../../database/idempotent-replies.ts'
import { insertMessages, type LiveMessage, type NewMessage } from '../../database/tables/messages/live-messages.ts'
import type { TokenCipher } from '../../database/token-cipher.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import { inputText } from '../encrypted-input.ts'
import type { Begun } from '../leased-message.ts'
import { newMessage } from '../message-row.ts'
import { type Accepted, type Idempotency, lanes, type Send, type SendInput } from '../send.ts'

export interface AcceptOptions {
  engine: Engine
  secretKey: SecretKey
  metrics: Metrics
  leaseMs: number
  now(): number
  workspaceName(id: number): string
  /** How many messages the pipeline of this process can take at once; the rest waits in the table. */
  room(): number
  /** How many it works on. */
  underWay(): number
  begin(begun: readonly Begun[], until: number): void
  /** Called after a commit that left messages for a claim. */
  wake(): void
  newLease(): string
}

export interface Acceptor {
  accept(send: Send): Promise<Accepted>
  drained(): Promise<void>
}

interface Item {
  send: Send
  row: NewMessage
}

/** What may wait for its flush: some seconds of work. Beyond it callers hear 503 and come back. */
const PENDING_MAX = 10_000
const PENDING_BYTES_MAX = 128 * 1_048_576
/** A flush holds at most 500 rows and 4 MB; a larger body goes alone. */
const ROWS_MAX = 500
const BYTES_MAX = 4 * 1_048_576
/** With more messages under way than this, a flush waits for company: one commit and one look-up of facts for more of them. */
const BUSY = 256
const BUSY_PACE_MS = 5

export function createAcceptor(options: AcceptOptions): Acceptor {
  const { engine, secretKey, metrics, now } = options
  const inFlight = new Set<string>()

  const commit = groupCommit<Item, boolean>({
    itemsMax: ROWS_MAX,
    bytesMax: BYTES_MAX,
    paceMs: () => (options.underWay() > BUSY ? BUSY_PACE_MS : 0),
    bytesOf: ({ row }) => row.input.length,
    async flush(items) {
      const time = now()
      const until = time + options.leaseMs
      const handedOff = leaseStraight(items, options, time, until)
      failpoint('before-commit')
      if (reached('fail-flush')) throw new DatabaseUnavailable('The flush failed')
      const inserted = await insertMessages(
        engine,
        items.map(({ row }) => row),
        time,
      )
      const isIn = (id: string) => inserted === 'all' || inserted.has(id)
      failpoint('after-commit-before-reply')
      if (handedOff.length > 0) options.begin(handedOff.filter(({ row }) => isIn(row.id)).map(begunOf), until)
      if (items.some(({ row }) => row.lease === null && (row.due_at ?? 0) <= time)) options.wake()
      return items.map(({ row }) => isIn(row.id))
    },
  })

  const accepted = ({ workspaceId }: Send, { id }: NewMessage): Accepted => {
    metrics.accepted.inc({ workspace: options.workspaceName(workspaceId) })
    return { kind: 'accepted', messageId: id }
  }
  const replayed = async ({ workspaceId, idempotency }: Send, { enqueued }: NewMessage): Promise<Accepted> => {
    const kept = idempotency && (await findStoredReply(engine, secretKey, { workspaceId, ...idempotency }, enqueued))
    // Its owner's key expired between the two statements: the caller's next try finds the way free.
    if (!kept) return { kind: 'in_flight' }
    if (kept === UNREADABLE) return { kind: 'unreadable' }
    const { status, content: reply, digest } = kept
    return { kind: 'replayed', status, reply, ...(digest !== undefined && { digest }) }
  }
  const add = (send: Send): Promise<Accepted> => {
    const row = rowOf(send, options)
    if (commit.pending >= PENDING_MAX || commit.pendingBytes + row.input.length > PENDING_BYTES_MAX)
      return Promise.reject(unavailable('Too many sends wait to be written'))
    return commit.add({ send, row }).then((isIn) => (isIn ? accepted(send, row) : replayed(send, row)))
  }

  const alone = async (send: Send, { route, key }: Idempotency): Promise<Accepted> => {
    const name = `${send.workspaceId} ${route} ${key}`
    if (inFlight.has(name)) return { kind: 'in_flight' }
    inFlight.add(name)
    try {
      return await add(send)
    } finally {
      inFlight.delete(name)
    }
  }

  return {
    drained: commit.drained,
    accept: (send) => (send.idempotency ? alone(send, send.idempotency) : add(send)),
  }
}

function rowOf(send: Send, { secretKey, engine, now }: AcceptOptions): NewMessage {
  const time = now()
  return messageRow(send, { id: timedId(time), lane: lanes.transactional, time }, { secretKey, tokens: engine.tokens })
}

/** A send as the row it becomes, due when it may go. */
export function messageRow(
  send: Send,
  { id, lane, time }: { id: string; lane: number; time: number },
  { secretKey, tokens }: { secretKey: SecretKey; tokens: TokenCipher },
): NewMessage {
  const { workspaceId, mode, input, marks, notBefore, idempotency } = send
  const { event, recipient } = input
  const text = inputText(tokens, workspaceId, input)
  const begun = { id, workspaceId, lane, mode, event, recipient, input: text, notBefore, ...(marks && { marks }) }
  const row = newMessage(begun, time)
  if (idempotency) row.key = keyOf(id, send, idempotency, secretKey)
  return row
}

function keyOf(id: string, send: Send, idempotency: Idempotency, secretKey: SecretKey) {
  const { workspaceId, answers = 'messageId' } = send
  const { route, key, expires, digest } = idempotency
  const status = answers === 'messageId' ? 200 : 202
  const content = JSON.stringify({ [answers]: id })
  return { route, key, expires, status, reply: sealReply(secretKey, { workspaceId, route, key }, content, digest) }
}

/** What this process can start at once is inserted leased to itself: no claim, no second write. */
function leaseStraight(items: readonly Item[], { room, newLease }: AcceptOptions, time: number, until: number): Item[] {
  const lease = newLease()
  // A flush that failed is tried again row by row: what the first try had leased is undone.
  for (const { row } of items) {
    row.lease = null
    row.due_at = Math.max(row.first_due, row.enqueued)
    row.claims = 0
  }
  const due = items.filter(({ row }) => row.due_at <= time).slice(0, room())
  for (const { row } of due) {
    row.lease = lease
    row.due_at = until
    row.claims = 1
  }
  return due
}

function begunOf({ row, send }: Item): { message: LiveMessage; input: SendInput } {
  // Field by field: a copy of the row with more fields takes 20 µs on Node 20, a tenth of all that a message costs.
  const message: LiveMessage = {
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
  return { message, input: send.input }
}
