/** Opens, clicks and push events of our own addresses: each becomes a receipt, once, whatever number of requests comes. */
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { createCache } from '../base/perf/cache.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine, Statement } from '../database/engine.ts'
import { guardPlan } from '../database/query.ts'
import { type NewReceipt, usesInsert } from '../database/tables/messages/receipts.ts'
import type { ReceiptKind } from '../providers/callback.ts'
import { groupCommit } from '../queue/group-commit.ts'
import { automatedReason, type TrackedRequest, UNOPENED_MS } from '../tracking/automated-requests.ts'
import type { Token } from '../tracking/tracker.ts'
import { type NumberedReceipt, shortDigest } from './apply.ts'

export interface TrackedUse {
  kind: Extract<ReceiptKind, 'delivered' | 'opened' | 'clicked'>
  token: Token
  /** Absent for an event that an app reports: it knows. */
  request?: Omit<TrackedRequest, 'afterMs'>
}

export interface UseRecorder {
  /** Resolves when the use is on disk, or when waiting any longer would keep a person from the target. Never rejects. */
  record(use: TrackedUse): Promise<void>
  /** The same for a commit of its own. */
  writes(use: TrackedUse): readonly Statement[]
}

export interface UseRecorderOptions {
  engine: Pick<Engine, 'batch'>
  log: Log
  metrics: Pick<Metrics, 'tracked'>
  now(): number
  /** There are receipts to apply. */
  wake(): void
}

/** A repeated request is not written again for so long; later it is, and changes nothing. */
const REMEMBERED_MS = 10 * MINUTE
const REMEMBERED_MAX = 20_000
/** Beyond it, uses are dropped: the database has been away for a while. */
const PENDING_MAX = 5_000
const FLUSH_MAX = 500
const WAIT_MS = SECOND
/** Clicks are applied when those that a scanner makes with them are there, too. */
const HELD_MS = 2 * SECOND

export function createUseRecorder({ engine, log, metrics, now, wake }: UseRecorderOptions): UseRecorder {
  const recent = createCache<string, true>({ entriesMax: REMEMBERED_MAX })
  const commits = groupCommit<NewReceipt, void>({
    flush: async (receipts) => {
      await engine.batch([guardPlan, usesInsert(receipts, now())])
      wake()
      return []
    },
    bytesOf: () => 1,
    itemsMax: FLUSH_MAX,
    bytesMax: FLUSH_MAX,
  })
  const lost = (kind: TrackedUse['kind'], err?: unknown) => {
    metrics.tracked.inc({ kind, outcome: 'lost' })
    log.warn({ event: 'tracking.lost', kind, ...(err !== undefined && { err }) }, 'an open or click was not recorded')
  }
  return {
    writes: (use) => [usesInsert([receiptOf(use, now()).row], now())],
    async record(use) {
      const { kind } = use
      const time = now()
      const receipt = receiptOf(use, time)
      if (recent.get(receipt.id, time)) return metrics.tracked.inc({ kind, outcome: 'repeated' })
      if (commits.pending >= PENDING_MAX) return lost(kind)
      recent.set(receipt.id, true, time + REMEMBERED_MS)
      metrics.tracked.inc({ kind, outcome: receipt.isAutomated ? 'automated' : 'counted' })
      const written = commits.add(receipt.row).catch((error: unknown) => {
        recent.delete(receipt.id)
        lost(kind, error)
      })
      await Promise.race([written, new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS).unref())])
    },
  }
}

function receiptOf({ kind, token, request }: TrackedUse, at: number) {
  const { workspaceId, messageId, n, target, hasPixel } = token
  const afterMs = at - token.at
  const reason = request && automatedReason({ ...request, afterMs })
  const isHeld = kind === 'clicked' && target !== '' && reason === undefined
  const receipt: Omit<NumberedReceipt, 'n'> = {
    ...{ kind, at },
    ...(target !== '' && { url: target }),
    ...(reason && { isAutomated: true, automatedReason: reason }),
    ...(isHeld && { isHeld: true }),
    ...(isHeld && hasPixel && afterMs < UNOPENED_MS && { isEarly: true }),
  }
  // The same use has the same id on every node, so that it waits in the queue once.
  const id = `${messageId}-${n}-${kind}-${reason ? 'p' : 'h'}${target === '' ? '' : shortDigest(target)}`
  const row = {
    ...{ id, workspace_id: workspaceId, message_id: messageId, n, receipt: JSON.stringify(receipt) },
    due_at: isHeld ? at + HELD_MS : at,
  }
  return { id, row, isAutomated: reason !== undefined }
}
