/** Records messages: many a commit, each written only while its lease holds. */
import { failpoint } from '../../base/failpoint.ts'
import { timedId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { DatabaseRefused, type Engine, failureLevel, type Statement } from '../../database/engine.ts'
import { type DigestedEvent, digestEventsInsert } from '../../database/tables/digests/digests.ts'
import { type AddressKey, addressDigests } from '../../database/tables/messages/addresses.ts'
import { deferredCopiesInsert } from '../../database/tables/messages/deferred-copies.ts'
import {
  type MailboxMessage,
  type MessageRecord,
  type ProviderUse,
  providersUse,
  recordMessages,
} from '../../database/tables/messages/records.ts'
import { ticketsInsert } from '../../database/tables/messages/tickets.ts'
import {
  type RecordedSuppression,
  recordedSuppressionsInsert,
} from '../../database/tables/suppressions/suppressions.ts'
import { deadTokensUpdate } from '../../database/tables/users/users.ts'
import type { OutboxEntry } from '../../database/tables/webhooks/webhook-outbox.ts'
import type { TokenCipher } from '../../database/token-cipher.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import { snapshotText } from '../decision-snapshot.ts'
import { deliveriesText, deliveryStatus, type StoredDelivery } from '../delivery.ts'
import type { LeasedMessage, MessageChanges, MessageState } from '../leased-message.ts'
import { inputAddresses } from '../message-row.ts'

export interface Recorder {
  /** Writes a message with its state. False when the lease was lost: nothing was written, and nothing more may be done. */
  record(leased: LeasedMessage, state: MessageState, changes: MessageChanges): Promise<boolean>
  drained(): Promise<void>
}

interface Entry {
  record: MessageRecord
  state: MessageState
  leased: LeasedMessage
  changes: MessageChanges
  /** Made once: a repeated commit makes no second webhook event. */
  outboxEntry?: OutboxEntry
}

export interface RecorderOptions {
  engine: Engine
  log: Log
  /** The workspaces with a webhook for messages: the others write no outbox rows. */
  webhookWorkspaces(): Promise<ReadonlySet<number>>
  /** Called after addresses of these workspaces were suppressed. */
  suppressed(workspaceIds: Iterable<number>): void
  metrics: Pick<Metrics, 'finished' | 'optedOut' | 'suppressed' | 'expired'>
  now(): number
}

const noContent: readonly MailboxMessage[] = []

// No caller waits for an outcome to be on disk: the slot is free already. Without it, few mails at a time would be
// committed one by one.
const COMMIT_INTERVAL_MS = 20
// While the database is away outcomes wait in memory, at most as long as their leases.
const RETRY_MS = 200

export function createRecorder({
  engine,
  log,
  webhookWorkspaces,
  suppressed,
  metrics,
  now,
}: RecorderOptions): Recorder {
  const uses = createProviderUses()
  const outage = createOutageLog(log)
  const commit = groupCommit<Entry, boolean>({
    itemsMax: 500,
    bytesMax: 4 * 1_048_576,
    intervalMs: () => COMMIT_INTERVAL_MS,
    bytesOf,
    async flush(entries) {
      const workspaces = await webhookWorkspaces()
      failpoint('after-response-before-commit')
      const newUses = uses.newAmong(entries)
      const suppressions = entries.flatMap(suppressionsOf)
      const written = await recordMessages(engine, {
        records: entries.map(({ record }) => record),
        mailbox: entries.flatMap(({ changes }) => changes.mailbox ?? noContent),
        outboxEntries: workspaces.size > 0 ? outboxEntriesOf(entries, workspaces, now()) : [],
        following: [
          ...digestStatements(entries, now()),
          ...(suppressions.length > 0 ? [recordedSuppressionsInsert(suppressions)] : []),
          ...deadTokenStatements(entries, now()),
          ...ticketStatements(entries),
          ...deferredCopiesStatements(entries, engine.tokens),
          ...(newUses.length > 0 ? [providersUse(newUses)] : []),
        ],
        deadLetters: entries.flatMap(({ state: { deadLetter } }) => deadLetter ?? []),
      })
      outage.end()
      if (suppressions.length > 0) suppressed(new Set(suppressions.map(({ workspace_id }) => workspace_id)))
      uses.markStored(newUses)
      failpoint('after-result-commit')
      return entries.map(({ record }) => written.has(record.id))
    },
  })

  const commitWhileLeased = async (entry: Entry): Promise<boolean> => {
    while (!entry.leased.lease.isLost) {
      try {
        return await commit.add(entry)
      } catch (error) {
        if (error instanceof DatabaseRefused && error.isDataError) {
          // The lease runs out, the message is claimed again, and after several claims it is dead-lettered.
          log.error(
            { event: 'message.not_recorded', err: error, message: entry.record.id },
            'an outcome could not be recorded',
          )
          return false
        }
        outage.report(error)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    return false
  }

  return {
    async record(leased, state, changes) {
      const { lease } = leased
      if (lease.isLost) return false
      const entry: Entry = {
        record: recordOf(leased, state, changes, { tokens: engine.tokens, now: now() }),
        state,
        leased,
        changes,
      }
      const written = await commitWhileLeased(entry)
      if (written) {
        lease.countWrite(state.status)
        countFinished(state, metrics)
      } else lease.lose()
      return written
    },
    drained: commit.drained,
  }
}

/** One line an outage: every outcome that waits is tried again five times a second. */
function createOutageLog(log: Log) {
  let isReported = false
  return {
    report(error: unknown): void {
      if (!isReported)
        log[failureLevel(error)](
          { event: 'messages.record_delayed', err: error },
          'outcomes cannot be written; they are tried again while their leases hold',
        )
      isReported = true
    },
    end(): void {
      isReported = false
    },
  }
}

/** Each message once, whatever ended it: its outcome, a decision, or a dead letter. */
function countFinished({ status, reason, dueAt, keepLease }: MessageState, metrics: RecorderOptions['metrics']): void {
  if (dueAt !== null || keepLease) return
  metrics.finished.inc({ status })
  if (reason === 'SUPPRESSED') metrics.suppressed.inc({})
  if (reason === 'EXPIRED') metrics.expired.inc({})
  if (reason === 'UNSUBSCRIBED' || reason === 'OPT_IN_REQUIRED') metrics.optedOut.inc({})
}

function recordOf(
  leased: LeasedMessage,
  state: MessageState,
  { snapshot, deliveries, events, addresses = [], findings }: MessageChanges,
  { tokens, now }: { tokens: TokenCipher; now: number },
): MessageRecord {
  const { message, lease } = leased
  const isFinished = !state.keepLease && state.dueAt === null
  return {
    id: message.id,
    lease: lease.lease,
    flushes: lease.flushes,
    next_lease: state.keepLease ? lease.lease : null,
    due_at: state.dueAt,
    status: state.status,
    notification_id: snapshot?.notification?.id ?? message.notification_id,
    sent: earliest(deliveries, 'sentAt') ?? message.sent,
    delivered: earliest(deliveries, 'deliveredAt') ?? message.delivered,
    canceled_at: state.canceledAt ?? null,
    error: state.error ?? null,
    reason: state.reason ?? null,
    pinned: snapshot ? snapshotText(snapshot, message.workspace_id, tokens) : null,
    deliveries: deliveries.length > 0 ? deliveriesText(deliveries) : null,
    events: JSON.stringify(events),
    addresses: digestsOf(leased, addresses, tokens),
    ...(findings && { findings }),
    // A release takes the count of a dead letter back, by its time.
    ...(isFinished && {
      finished: {
        ...{ at: state.deadLetter?.at ?? now, status: state.status, reason: state.reason },
        deliveries: endedDeliveries(deliveries),
      },
    }),
  }
}

/** A row that was accepted under a lease has no addresses until its first record. */
function digestsOf(
  { message, input, lease }: LeasedMessage,
  tried: readonly AddressKey[],
  tokens: TokenCipher,
): readonly number[] {
  const digests = addressDigests(tokens, message.workspace_id, tried)
  const named = lease.flushes === 0 ? inputAddresses(tokens, message.workspace_id, input) : undefined
  return named && digests.length > 0 ? [...new Set([...named, ...digests])] : (named ?? digests)
}

const endedDeliveries = (deliveries: readonly StoredDelivery[]) =>
  deliveries
    .filter(({ state }) => state === 'sent' || state === 'failed')
    .map((delivery) => ({ channel: delivery.channel, provider: delivery.provider, status: deliveryStatus(delivery) }))

function earliest(deliveries: readonly StoredDelivery[], stage: 'sentAt' | 'deliveredAt'): number | undefined {
  let first: number | undefined
  for (const { [stage]: time } of deliveries)
    if (time !== undefined && (first === undefined || time < first)) first = time
  return first
}

function bytesOf({ record, changes }: Entry): number {
  let bytes = record.events.length + (record.deliveries?.length ?? 0)
  for (const { content } of changes.mailbox ?? noContent) bytes += content.length
  for (const { mail } of changes.deferredCopies ?? []) bytes += mail.text.length
  return bytes
}

/** The providers that this process has recorded as used: each is stored with the first message that went through it. */
function createProviderUses() {
  const storedUses = new Set<string>()
  const keyOf = ({ workspace_id, provider }: ProviderUse) => `${workspace_id} ${provider}`
  return {
    newAmong(entries: readonly Entry[]): ProviderUse[] {
      const uses = new Map<string, ProviderUse>()
      for (const { leased, changes } of entries)
        for (const { provider } of changes.deliveries) {
          const use = { workspace_id: leased.message.workspace_id, provider }
          const key = keyOf(use)
          if (!storedUses.has(key)) uses.set(key, use)
        }
      return [...uses.values()]
    },
    markStored(uses: readonly ProviderUse[]): void {
      for (const use of uses) storedUses.add(keyOf(use))
    },
  }
}

/** One statement for all of them, and none where no message is added to a digest. */
function digestStatements(entries: readonly Entry[], now: number): Statement[] {
  const events = entries.flatMap(({ record, changes }): DigestedEvent[] =>
    changes.digestEvent ? [{ ...changes.digestEvent, messageId: record.id, flushes: record.flushes + 1 }] : [],
  )
  return events.length > 0 ? [digestEventsInsert(events, now)] : []
}

function suppressionsOf({ record, leased: { message }, changes }: Entry): RecordedSuppression[] {
  return (changes.suppressions ?? []).map(({ kind, address, reason, provider, at }) => ({
    ...{ workspace_id: message.workspace_id, id: timedId(at), kind, address, reason, source: `provider/${provider}` },
    ...{ message_id: record.id, flushes: record.flushes + 1, note: null, person: message.recipient },
    ...{ created: at, ends: null },
  }))
}

/** One statement for all of them, and none where every token is alive. A token stays dead when its outcome is lost. */
function deadTokenStatements(entries: readonly Entry[], now: number): Statement[] {
  const tokens = entries.flatMap(({ leased: { message }, changes: { deadTokens = [] } }) =>
    deadTokens.map((token) => ({ ...token, workspaceId: message.workspace_id, userId: message.recipient })),
  )
  return tokens.length > 0 ? [deadTokensUpdate(tokens, now)] : []
}

/** The results of accepted deliveries are read later, whatever becomes of this process. */
function ticketStatements(entries: readonly Entry[]): Statement[] {
  const tickets = entries.flatMap(({ leased: { message }, changes }) =>
    (changes.tickets ?? []).map(({ n, integration, ticket, at, dueAt }) => ({
      ...{ message_id: message.id, n, workspace_id: message.workspace_id, integration, ticket },
      ...{ created: at, due_at: dueAt },
    })),
  )
  return tickets.length > 0 ? [ticketsInsert(tickets)] : []
}

/** Copies that were refused for now are tried again, whatever becomes of this process. */
function deferredCopiesStatements(entries: readonly Entry[], tokens: TokenCipher): Statement[] {
  const rows = entries.flatMap(({ record, leased: { message }, changes }) =>
    (changes.deferredCopies ?? []).map(({ n, integration, config, mail, atMostOnce, dueAt, ends }) => {
      const { workspace_id, id, recipient } = message
      const override = config === undefined ? null : tokens.encryptOverride(workspace_id, { [integration]: { config } })
      return {
        ...{
          message_id: id,
          n,
          workspace_id,
          recipient,
          integration,
          override: override && JSON.stringify(override),
        },
        ...{ sender: mail.from, addresses: [...mail.to], mail: mail.text, needs_utf8: mail.needsUtf8 },
        ...{ at_most_once: atMostOnce, in_flight: false, attempts: 1, due_at: dueAt, ends },
        flushes: record.flushes + 1,
      }
    }),
  )
  return rows.length > 0 ? [deferredCopiesInsert(rows)] : []
}

/** Webhooks are called for every change of a status. */
function outboxEntriesOf(entries: readonly Entry[], workspaces: ReadonlySet<number>, at: number): OutboxEntry[] {
  return entries.flatMap((entry) => {
    const { record, leased } = entry
    if (record.status === leased.lease.status || !workspaces.has(leased.message.workspace_id)) return []
    entry.outboxEntry ??= { id: timedId(at), message_id: record.id, flushes: record.flushes, at }
    return [entry.outboxEntry]
  })
}
