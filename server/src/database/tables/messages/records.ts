/** Records of processed messages, many a commit: state, history, mailbox content, providers used. */
import { jsonList, storableJson } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import type { DeadLetter } from '../../leased-queue.ts'
import {
  columnList,
  firstRow,
  guardPlan,
  inLockOrder,
  named,
  query,
  type Row,
  recordset,
  rows,
  rowsOf,
  typesOf,
} from '../../query.ts'
import { columnTypes, type Schema } from '../../schema.generated.ts'
import { type OutboxEntry, outboxInsertRecorded } from '../webhooks/webhook-outbox.ts'
import { type CountedOutcome, finishedCounts, type NumberedOutcomes, numberedOutcomes } from './counts.ts'
import { messageQueue } from './live-messages.ts'
import { assignments, byLiveId, type Changes, endedRows } from './live-partition.ts'

/** Columns that a record replaces. */
const REPLACED = [
  ...(['status', 'notification_id', 'sent', 'delivered', 'canceled_at'] as const),
  ...(['error', 'reason', 'pinned', 'deliveries'] as const),
]
const WRITTEN = ['id', 'lease', 'flushes', 'due_at', ...REPLACED, 'events', 'addresses', 'findings'] as const
const KEPT = ['id', 'message_id', 'channel', 'recipient', 'received', 'content'] as const

/**
 * `flushes`: the counter of the row when it was read or last written here; a commit that was taken for failed is
 * recognized by it. `due_at`: when it may be claimed again; null when it is final.
 */
export interface MessageRecord
  extends Row<'messages', Exclude<(typeof WRITTEN)[number], 'lease' | 'events' | 'addresses' | 'findings'>> {
  /** The lease the result was found under; a row leased otherwise is left alone. */
  lease: string
  /** The lease afterwards: the same while attempts are in flight, null when the work has ended. */
  next_lease: string | null
  /** Counted when it is written; absent while it is not finished. */
  finished?: CountedOutcome
  /** Digests of those that its latest attempts turned to. */
  addresses?: readonly number[]
  /** Codes of mistakes that were found since the last write. */
  findings?: readonly string[]
  /** Raw JSON like `pinned` and `deliveries`, spliced into the statement's parameter as it is: an array of history events. */
  events: string
}

/** Its content is raw JSON. */
export type MailboxMessage = Row<'mailbox', (typeof KEPT)[number]>

/** Those of the row first: the new ones are of its latest attempts. */
const allAddresses = `case when m.addresses is null then r.addresses
    when r.addresses is null or m.addresses @> r.addresses then m.addresses
    else m.addresses || array(select a from unnest(r.addresses) a where (a = any(m.addresses)) is not true) end`

const allFindings = `case when r.findings is null or m.findings @> r.findings then m.findings
    when m.findings is null then r.findings
    else m.findings || array(select f from unnest(r.findings) f where (f = any(m.findings)) is not true) end`

/** While attempts go on, the lease keeps the time of its last renewal. */
const changes: Changes = {
  due_at: 'case when r.next_lease is null then r.due_at else m.due_at end',
  lease: 'r.next_lease',
  claims: '0',
  ...Object.fromEntries(REPLACED.map((column) => [column, `r.${column}`])),
  addresses: allAddresses,
  findings: allFindings,
  flushes: 'm.flushes + 1',
  events: "case when m.flushes = 0 then nullif(r.events, '[]') else m.events end",
}
const hasEnded = '(r.next_lease is null and r.due_at is null)'
const asRead = `${byLiveId('m.id', 'r.id')} and m.lease = r.lease and m.flushes = r.flushes`
const COUNTED = 'r.events as new_events, r.outcome'

const record = named<'records' | 'mailbox' | 'outcomes'>(
  'record-messages',
  `with r as materialized (
    select * from ${recordset(':records', 'r', {
      ...typesOf('messages', WRITTEN),
      next_lease: columnTypes.messages.lease,
      outcome: 'integer',
    })}
  ),
  ${endedRows('ended', { batch: 'r', where: `${hasEnded} and ${asRead}`, changes, also: COUNTED })},
  kept as (
    update messages_live m set ${assignments(changes)} from r where not ${hasEnded} and ${asRead}
    returning m.id, m.workspace_id, m.flushes, ${COUNTED}
  ),
  u as (
    select id, workspace_id, flushes, new_events as events, outcome from ended
    union all
    select id, workspace_id, flushes, new_events, outcome from kept
  ),
  h as (
    insert into history (message_id, flush, workspace_id, events)
    select id, flushes, workspace_id, events from u where events <> '[]' and flushes > 1
  ),
  k as (
    insert into mailbox (workspace_id, ${columnList(KEPT)})
    select u.workspace_id, ${columnList(KEPT, 'k')}
    from ${recordset(':mailbox', 'k', typesOf('mailbox', KEPT))}
    join u on u.id = k.message_id
  ),
  c as (${finishedCounts('u', ':outcomes')})
  select coalesce(json_agg(id), '[]') as ids from u`,
)

/** The writes of one commit of messages. */
export interface MessageWrites {
  records: readonly MessageRecord[]
  mailbox?: readonly MailboxMessage[]
  outboxEntries?: readonly OutboxEntry[]
  /** Executed after the records are written: they find which ones were. */
  following?: readonly Statement[]
  deadLetters?: readonly DeadLetter[]
}

/**
 * The ids that were written; the others had lost their lease, and nothing of them was changed or put into the outbox.
 */
export async function recordMessages(
  engine: Engine,
  { records, mailbox = [], outboxEntries = [], following = [], deadLetters = [] }: MessageWrites,
): Promise<ReadonlySet<string>> {
  const outcomes = numberedOutcomes()
  const ordered = inLockOrder(records).map((record) => recordOf(record, outcomes))
  const ahead = [guardPlan, ...deadLetters.map((letter) => messageQueue.deadLetterInsert(letter))]
  const results = await engine.batch([
    ...ahead,
    record({ records: storableList(ordered), mailbox: storableList(mailbox.map(keptOf)), outcomes: outcomes.text() }),
    ...(outboxEntries.length > 0 ? [outboxInsertRecorded(outboxEntries)] : []),
    ...following,
  ])
  const [written] = rowsOf<{ ids: string[] }>(results[ahead.length])
  return new Set(written?.ids)
}

/** Replies of providers are not validated: one invalid character must not keep an outcome from being recorded. */
const storableList = (texts: readonly string[]) => storableJson(jsonList(texts))

/** Field by field, as a rest of the record takes longer; without what is null, which a column left out is, too. */
function recordOf(record: MessageRecord, outcomes: NumberedOutcomes): string {
  const { pinned, deliveries, events, finished } = record
  const columns = JSON.stringify({
    id: record.id,
    lease: record.lease,
    flushes: record.flushes,
    next_lease: record.next_lease ?? undefined,
    due_at: record.due_at ?? undefined,
    status: record.status,
    notification_id: record.notification_id ?? undefined,
    sent: record.sent ?? undefined,
    delivered: record.delivered ?? undefined,
    canceled_at: record.canceled_at ?? undefined,
    error: record.error ?? undefined,
    reason: record.reason ?? undefined,
    addresses: record.addresses?.length ? record.addresses : undefined,
    findings: record.findings,
    outcome: finished && outcomes.numberOf(finished),
  } satisfies Record<
    Exclude<keyof MessageRecord, 'pinned' | 'deliveries' | 'events' | 'finished'> | 'outcome',
    unknown
  >)
  return `${columns.slice(0, -1)},"pinned":${pinned},"deliveries":${deliveries},"events":${events}}`
}

function keptOf({ content, ...columns }: MailboxMessage): string {
  return `${JSON.stringify(columns).slice(0, -1)},"content":${content}}`
}

const USE = ['workspace_id', 'provider'] as const

export type ProviderUse = Row<'providers_used', (typeof USE)[number]>

const usedRows = recordset('$1', 'r', typesOf('providers_used', USE))

/** Existing rows are not changed. */
export const providersUse = (uses: readonly ProviderUse[]): Statement => ({
  text: `insert into providers_used (${columnList(USE)})
    select ${columnList(USE)} from ${usedRows}
    order by 1, 2 on conflict do nothing`,
  values: [JSON.stringify(uses)],
})

/** Those of the providers that were used. */
export async function usedAmong(
  engine: Reader,
  workspaceId: number,
  providers: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await engine.run<{ provider: string }>({
    text: `select provider from providers_used
      where workspace_id = $1 and provider in (select json_array_elements_text($2::json))`,
    values: [workspaceId, JSON.stringify(providers)],
    name: 'providers-used-among',
  })
  return rows.map(({ provider }) => provider)
}

export type MailboxRow = Omit<Schema['mailbox'], 'workspace_id'>

export interface MailboxFilter {
  cursor?: string
  channel?: string
  recipient?: string
  messageId?: string
}

const mailboxOf = (workspaceId: number) =>
  query
    .selectFrom('mailbox')
    .select(['id', 'message_id', 'channel', 'recipient', 'received', 'content'])
    .where('workspace_id', '=', workspaceId)

export function findMailboxMessage(engine: Reader, workspaceId: number, id: string): Promise<MailboxRow | undefined> {
  return firstRow(engine, mailboxOf(workspaceId).where('id', '=', id))
}

export async function listMailbox(
  engine: Reader,
  workspaceId: number,
  { cursor, channel, recipient, messageId }: MailboxFilter,
  limit: number,
): Promise<Page<MailboxRow>> {
  let selection = mailboxOf(workspaceId)
  if (cursor !== undefined) selection = selection.where('id', '<', decodeCursor(cursor, ['string'])[0])
  if (channel !== undefined) selection = selection.where('channel', '=', channel)
  if (recipient !== undefined) selection = selection.where('recipient', '=', recipient)
  if (messageId !== undefined) selection = selection.where('message_id', '=', messageId)
  const newest = selection.orderBy('id', 'desc').limit(limit + 1)
  return pageOf(await rows(engine, newest), limit, ({ id }) => [id])
}
