/** Records outcomes: many messages a commit, each written only while its lease holds. */
import { failpoint } from '../../base/failpoint.ts'
import { timedId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { SECOND } from '../../base/time/duration.ts'
import { DatabaseRefused, type Engine, type Statement } from '../../database/engine.ts'
import { type DigestedEvent, digestEventsInsert } from '../../database/tables/digests/digest-events.ts'
import { type ProviderUse, providersUse } from '../../database/tables/messages/providers-used.ts'
import { type KeptMessage, type MessageRecord, recordMessages } from '../../database/tables/messages/records.ts'
import { type OutboxEntry, workspacesWithMessageWebhooks } from '../../database/tables/webhooks/webhook-outbox.ts'
import type { TokenCipher } from '../../database/token-cipher.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import { type LeasedMessage, type State, snapshot } from '../leased-message.ts'

type Lease = Readonly<Pick<LeasedMessage, 'lost'>>

export interface Recorder {
  readonly tokens: TokenCipher
  /** False when the lease was lost: nothing was written and nothing more may be done for the message. */
  record(entry: Entry, leased: Lease): Promise<boolean>
  drained(): Promise<void>
}

export interface Entry {
  record: MessageRecord
  kept: KeptMessage[]
  workspaceId: number
  /** The status before. */
  before: string
  digested?: DigestedEvent
  /** What its deliveries go through. */
  providers: readonly string[]
  /** Made once: a commit that is repeated announces nothing twice. */
  announcement?: OutboxEntry
}

export interface RecorderOptions {
  engine: Engine
  log: Log
  webhookSubscriptions: WebhookSubscriptionCache
  now(): number
}

// Nobody waits for an outcome to be on disk: the slot is free already. A sender of few mails at a time would otherwise
// commit each one alone.
const PACE_MS = 20
// While the database is away outcomes wait in memory, at most as long as their leases.
const AGAIN_MS = 200

export function createRecorder({ engine, log, webhookSubscriptions, now }: RecorderOptions): Recorder {
  const uses = createUses()
  const commit = groupCommit<Entry, boolean>({
    itemsMax: 500,
    bytesMax: 4 * 1_048_576,
    paceMs: () => PACE_MS,
    bytesOf: ({ record, kept }) =>
      record.events.length + (record.deliveries?.length ?? 0) + kept.reduce((sum, one) => sum + one.content.length, 0),
    async flush(entries) {
      const workspaces = await webhookSubscriptions.workspaces()
      failpoint('after-response-before-commit')
      const fresh = uses.fresh(entries)
      const written = await recordMessages(
        engine,
        entries.map(({ record }) => record),
        entries.flatMap(({ kept }) => kept),
        workspaces.size > 0 ? announcementsOf(entries, workspaces, now()) : [],
        [...collectionOf(entries, now()), ...(fresh.length > 0 ? [providersUse(fresh)] : [])],
      )
      uses.stored(fresh)
      failpoint('after-result-commit')
      return entries.map(({ record }) => written.has(record.id))
    },
  })

  const again = async (entry: Entry, leased: Lease, error: unknown): Promise<boolean> => {
    if (error instanceof DatabaseRefused && error.isDataError) {
      // The lease runs out, another claim tries, and after a few of them the message is quarantined.
      log.error({ err: error, message: entry.record.id }, 'an outcome could not be recorded')
      return false
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    return record(entry, leased)
  }
  const record = (entry: Entry, leased: Lease): Promise<boolean> =>
    leased.lost ? Promise.resolve(false) : commit.add(entry).catch((error: unknown) => again(entry, leased, error))

  return { tokens: engine.tokens, record, drained: commit.drained }
}

/** Which providers this process has seen used: each is stored with the first message that tells of it. */
function createUses() {
  const known = new Set<string>()
  const nameOf = ({ workspace_id, provider }: ProviderUse) => `${workspace_id} ${provider}`
  return {
    fresh(entries: readonly Entry[]): ProviderUse[] {
      const found = new Map<string, ProviderUse>()
      for (const { workspaceId, providers } of entries)
        for (const provider of providers) {
          const use = { workspace_id: workspaceId, provider }
          if (!known.has(nameOf(use))) found.set(nameOf(use), use)
        }
      return [...found.values()]
    },
    stored(uses: readonly ProviderUse[]): void {
      for (const use of uses) known.add(nameOf(use))
    },
  }
}

/** One statement for all of them, and none where no message is kept for a digest. */
function collectionOf(entries: readonly Entry[], now: number): Statement[] {
  const events = entries.flatMap(({ digested }) => digested ?? [])
  return events.length > 0 ? [digestEventsInsert(events, now)] : []
}

/** Webhooks hear of every status that is another one than before. */
function announcementsOf(entries: readonly Entry[], workspaces: ReadonlySet<number>, at: number): OutboxEntry[] {
  return entries.flatMap((entry) => {
    const { record, workspaceId, before } = entry
    if (record.status === before || !workspaces.has(workspaceId)) return []
    entry.announcement ??= { id: timedId(at), message_id: record.id, flushes: record.flushes, at }
    return [entry.announcement]
  })
}

/**
 * Writes where the message stands. Of one message one write at a time, each with what is true when its turn comes, so
 * that an older state never overwrites a newer one. False when the lease was lost.
 */
export function save(leased: LeasedMessage, recorder: Recorder, stateOf: () => State): Promise<boolean> {
  const saved = leased.saving
    ? leased.saving.then(() => write(leased, recorder, stateOf))
    : write(leased, recorder, stateOf)
  leased.saving = saved
  return saved
}

function write(leased: LeasedMessage, recorder: Recorder, stateOf: () => State): Promise<boolean> {
  if (leased.lost) return Promise.resolve(false)
  const { message, digested } = leased
  const { record, kept } = snapshot(leased, stateOf(), recorder.tokens)
  const { id: messageId, flushes } = record
  const entry: Entry = {
    record,
    kept,
    workspaceId: message.workspace_id,
    before: message.status,
    providers: leased.deliveries.map(({ provider }) => provider),
  }
  if (digested) entry.digested = { ...digested, messageId, flushes: flushes + 1 }
  return recorder.record(entry, leased).then((written) => {
    if (written) {
      message.flushes += 1
      message.status = record.status
    } else leased.lost = true
    return written
  })
}

export interface WebhookSubscriptionCache {
  workspaces(): Promise<ReadonlySet<number>>
  forget(): void
}

const LIFETIME_MS = SECOND

export function createWebhookSubscriptionCache({
  engine,
  now,
}: {
  engine: Engine
  now(): number
}): WebhookSubscriptionCache {
  let known: { found: Promise<ReadonlySet<number>>; until: number } | undefined
  const forget = () => {
    known = undefined
  }
  return {
    forget,
    workspaces() {
      if (known && known.until > now()) return known.found
      const found = workspacesWithMessageWebhooks(engine)
      known = { found, until: now() + LIFETIME_MS }
      // A failure is not remembered.
      found.catch(forget)
      return found
    },
  }
}
