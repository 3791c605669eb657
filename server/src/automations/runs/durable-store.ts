/** The durable run store: reads come from the database, requests are sent, and the change of a step is one commit. */
import type { MessageStatus } from '@postrider/contract'
import { failpoint } from '../../base/failpoint.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { SecretKey } from '../../base/secret.ts'
import type { Engine } from '../../database/engine.ts'
import { batchItems, findBatch } from '../../database/tables/automations/batches.ts'
import { statusesOf } from '../../database/tables/messages/messages.ts'
import { findProfiles } from '../../database/tables/users/profiles.ts'
import { findStoredReply, UNREADABLE } from '../../database/tables/workspace/idempotency-keys.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import type { Transport } from '../../transport/transport.ts'
import type { RunStore, StoredProfile } from '../run-store.ts'
import { type CommitOptions, createCommit } from './commit.ts'
import { createStoredReader } from './stored-reader.ts'

export interface DurableStoreOptions extends CommitOptions {
  engine: Engine
  secretKey: SecretKey
  transport: Transport
  /** Aborts requests of `fetch-data`. */
  signal: AbortSignal
}

type ProfileKey = { workspaceId: number; id: string }

/** A profile has at most 256 kB: one query reads 16 MB. */
const PROFILES_MAX = 64

export function createDurableStore(options: DurableStoreOptions): RunStore {
  const { engine, secretKey, transport, signal, now } = options
  const commit = createCommit(options)
  const stored = createStoredReader(engine)
  // Runs that come due together share a query: the next one collects ids while one is in progress.
  const profiles = groupCommit<ProfileKey, StoredProfile | undefined>({
    itemsMax: PROFILES_MAX,
    bytesMax: Number.POSITIVE_INFINITY,
    bytesOf: () => 0,
    flush: (asked) => findProfiles(engine, asked),
  })
  return {
    secret: secretKey.derive('automations'),
    now,
    async statuses(workspaceId, ids) {
      const rows = await statusesOf(engine, workspaceId, ids)
      return new Map(rows.map(({ id, status }) => [id, status as MessageStatus]))
    },
    ...stored,
    digestUnwanted: (wish) => stored.digestUnwanted(wish, now()),
    profile: (workspaceId, recipient, tenantId) =>
      tenantId === undefined
        ? profiles.add({ workspaceId, id: recipient })
        : stored.profile(workspaceId, recipient, tenantId),
    async resultOfKey(workspaceId, { route, key }) {
      const kept = await findStoredReply(engine, secretKey, { workspaceId, route, key }, now())
      // The key was used, but the reply cannot be decrypted any more.
      if (kept === UNREADABLE) return {}
      return kept && (JSON.parse(kept.content) as JsonObject)
    },
    async batch(batchId) {
      const row = await findBatch(engine, batchId)
      return row && { items: row.held, added: row.items, closesAt: row.closes, full: !row.is_open }
    },
    async batchItems(batchId, from, limit) {
      return (await batchItems(engine, batchId, from, limit)).map((item) => JSON.parse(item) as JsonObject)
    },
    async ask(request, timeoutMs) {
      const reply = await transport.perform(request, { signal, timeoutMs })
      if (reply.kind === 'http' || reply.kind === 'failure') return reply
      throw new Error(`An HTTP request was answered by ${reply.kind}`)
    },
    async commit(run, change) {
      failpoint('before-run-step-commit')
      const verdict = await commit(run, change)
      failpoint('after-run-step-commit')
      return verdict
    },
  }
}
