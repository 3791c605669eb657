/** Accepts a send: one row, committed and flushed before the reply, together with all that come at the same time. */
import { unavailable } from '../../base/errors.ts'
import { failpoint, reached } from '../../base/failpoint.ts'
import { timedId } from '../../base/ids.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { SecretKey } from '../../base/secret.ts'
import { DatabaseUnavailable, type Engine } from '../../database/engine.ts'
import { lanes } from '../../database/tables/messages/lanes.ts'
import { insertMessages, type NewMessage } from '../../database/tables/messages/live-messages.ts'
import { findStoredReply, sealReply, UNREADABLE } from '../../database/tables/workspace/idempotency-keys.ts'
import type { TokenCipher } from '../../database/token-cipher.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import { leaseNames } from '../../queue/lease.ts'
import { type Intake, leaseDirectly, leasedRow } from '../direct-lease.ts'
import { inputAddresses, inputText, newMessage } from '../message-row.ts'
import type { Accepted, Idempotency, Send } from '../send.ts'

export interface AcceptOptions {
  engine: Engine
  secretKey: SecretKey
  metrics: Metrics
  leaseMs: number
  intake: Omit<Intake, 'bulkRoom'>
  /** Messages wait for a claim. */
  wake(): void
  now(): number
  workspaceName(id: number): string
}

export interface Acceptor {
  accept(send: Send): Promise<Accepted>
  drained(): Promise<void>
}

interface Item {
  send: Send
  row: NewMessage
}

/** Sends that may wait for their flush: some seconds of work. Beyond them, callers get a 503 and retry. */
const PENDING_MAX = 10_000
const PENDING_BYTES_MAX = 128 * 1_048_576
/** A flush holds at most 500 rows and 4 MB; a larger body goes alone. */
const ROWS_MAX = 500
const BYTES_MAX = 4 * 1_048_576
/** With more messages in flight, a flush waits for others: one commit and one load of facts serve more of them. */
const BUSY = 256
const BUSY_INTERVAL_MS = 5

export function createAcceptor(options: AcceptOptions): Acceptor {
  const { engine, secretKey, metrics, intake, now } = options
  const keysInFlight = new Set<string>()
  const newLease = leaseNames(engine)

  const commit = groupCommit<Item, boolean>({
    itemsMax: ROWS_MAX,
    bytesMax: BYTES_MAX,
    intervalMs: () => (intake.size > BUSY ? BUSY_INTERVAL_MS : 0),
    bytesOf: ({ row }) => row.input.length,
    async flush(items) {
      const time = now()
      const until = time + options.leaseMs
      const rows = items.map(({ row }) => row)
      leaseDirectly(rows, intake.room, { lease: newLease(), now: time, until })
      for (const item of items) addAddresses(item, engine.tokens)
      failpoint('before-commit')
      if (reached('fail-flush')) throw new DatabaseUnavailable('The flush failed')
      const inserted = await insertMessages(engine, rows, time)
      const isInserted = ({ row }: Item) => inserted === 'all' || inserted.has(row.id)
      failpoint('after-commit-before-reply')
      const leased = items.filter((item) => item.row.lease !== null && isInserted(item))
      if (leased.length > 0) intake.start(leased.map(started), until)
      if (items.some(({ row }) => row.lease === null && row.due_at <= time)) options.wake()
      return items.map(isInserted)
    },
  })

  const accepted = ({ workspaceId }: Send, { id }: NewMessage): Accepted => {
    metrics.accepted.inc({ workspace: options.workspaceName(workspaceId) })
    return { kind: 'accepted', messageId: id }
  }
  const replayed = async ({ workspaceId, idempotency }: Send, { enqueued }: NewMessage): Promise<Accepted> => {
    const storedReply =
      idempotency && (await findStoredReply(engine, secretKey, { workspaceId, ...idempotency }, enqueued))
    // The key expired between the two statements: the next try of the caller is accepted.
    if (!storedReply) return { kind: 'in_flight' }
    if (storedReply === UNREADABLE) return { kind: 'unreadable' }
    const { status, content: reply, digest } = storedReply
    return { kind: 'replayed', status, reply, ...(digest !== undefined && { digest }) }
  }
  const add = async (send: Send): Promise<Accepted> => {
    const row = rowOf(send, options)
    if (commit.pending >= PENDING_MAX || commit.pendingBytes + row.input.length > PENDING_BYTES_MAX)
      throw unavailable('Too many sends wait to be written')
    return (await commit.add({ send, row })) ? accepted(send, row) : replayed(send, row)
  }

  const acceptOnce = async (send: Send, { route, key }: Idempotency): Promise<Accepted> => {
    const name = `${send.workspaceId} ${route} ${key}`
    if (keysInFlight.has(name)) return { kind: 'in_flight' }
    keysInFlight.add(name)
    try {
      return await add(send)
    } finally {
      keysInFlight.delete(name)
    }
  }

  return {
    drained: commit.drained,
    accept: (send) => (send.idempotency ? acceptOnce(send, send.idempotency) : add(send)),
  }
}

function rowOf(send: Send, { secretKey, engine, now }: AcceptOptions): NewMessage {
  const time = now()
  return messageRow(send, { id: timedId(time), lane: lanes.transactional, time }, { secretKey, tokens: engine.tokens })
}

/** The row of a send, due when it may be sent, without its addresses. */
export function messageRow(
  send: Send,
  { id, lane, time }: { id: string; lane: number; time: number },
  { secretKey, tokens }: { secretKey: SecretKey; tokens: TokenCipher },
): NewMessage {
  const { workspaceId, mode, input, marks, notBefore, idempotency } = send
  const { event, recipient } = input
  const text = inputText(tokens, workspaceId, input)
  const draft = { id, workspaceId, lane, mode, event, recipient, input: text, marks, notBefore }
  const row = newMessage(draft, time)
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

/** A row under a lease gets them with its first record, which follows at once: an index entry less. */
function addAddresses({ row, send: { workspaceId, input } }: Item, tokens: TokenCipher): void {
  row.addresses = row.lease === null ? inputAddresses(tokens, workspaceId, input) : undefined
}

const started = ({ row, send }: Item) => ({ message: leasedRow(row), input: send.input })
