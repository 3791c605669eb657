/** The outcome of a bulk job: waits for its messages, counts them by status, names those that failed. */
import { setTimeout as pause } from 'node:timers/promises'
import type { BulkJob, Message, MessageStatus, Postrider } from '@postrider/client'
import { countText } from '../../../count-text.ts'
import { plain } from '../../../plain.ts'
import { stopped } from '../../../rows/batches.ts'
import { failedStatuses, pendingStatuses, statusStyle } from '../../../status.ts'
import { table } from '../../../table.ts'
import type { Terminal } from '../../../terminal.ts'
import { jobOf } from './job.ts'

export interface JobOutcome {
  job: BulkJob
  /** Absent when the job was not done in time. */
  statuses?: Partial<Record<MessageStatus, number>>
  failed: Pick<Message, 'id' | 'recipient' | 'status' | 'reason' | 'error'>[]
}

const POLL_MS = 500
const POLL_MS_MAX = 5_000
/** As many as one screen shows. */
const FAILED_SHOWN_MAX = 20
const PAGE = 100

/** Until every message is with a provider or has failed, or the time is over. Throws a `Failure` when it is stopped. */
export async function awaitOutcome(
  client: Postrider,
  jobId: string,
  { progress }: Terminal,
  timeoutSeconds: number,
  stop: AbortSignal,
): Promise<JobOutcome> {
  const deadline = Date.now() + timeoutSeconds * 1_000
  const isLate = () => Date.now() >= deadline
  const pauseOrStop = async (waitMs: number) => {
    await pause(waitMs, undefined, { signal: stop }).catch(() => undefined)
    if (stop.aborted)
      throw stopped(`The job is still running in the background. To check it: postrider bulk show ${plain(jobId)}`)
  }
  let job = await jobOf(client, jobId)
  const isMade = () => job.status !== 'CREATED' && job.status !== 'PROCESSING'
  while (!isMade()) {
    progress.update(`${job.enqueued} of ${countText(job.received, 'message')} created`)
    if (isLate()) return { job, failed: [] }
    await pauseOrStop(POLL_MS)
    job = await jobOf(client, jobId)
  }
  // Each look reads pages of messages: the larger the job, the rarer.
  for (
    let waitMs = POLL_MS;
    !isLate() && (await hasPending(client, jobId));
    waitMs = Math.min(waitMs * 1.5, POLL_MS_MAX)
  ) {
    progress.update(`${job.enqueued} messages created, waiting for their providers …`)
    await pauseOrStop(waitMs)
  }
  return { job, ...(await countByStatus(client, jobId, job, progress)) }
}

async function hasPending({ messages }: Postrider, jobId: string): Promise<boolean> {
  const query = { messageId: jobId, archived: true, status: [...pendingStatuses], limit: 1 }
  return (await messages.list(query)).results.length > 0
}

async function countByStatus(
  { messages }: Postrider,
  jobId: string,
  { enqueued }: BulkJob,
  progress: Terminal['progress'],
): Promise<Required<Pick<JobOutcome, 'statuses' | 'failed'>>> {
  const statuses: Partial<Record<MessageStatus, number>> = {}
  const failed: JobOutcome['failed'] = []
  let counted = 0
  for await (const { id, recipient, status, reason, error } of messages.list({
    messageId: jobId,
    archived: true,
    limit: PAGE,
  })) {
    statuses[status] = (statuses[status] ?? 0) + 1
    if (failedStatuses.has(status) && failed.length < FAILED_SHOWN_MAX)
      failed.push({ id, recipient, status, ...(reason && { reason }), ...(error && { error }) })
    counted += 1
    if (counted % (10 * PAGE) === 0) progress.update(`${counted} of ${countText(enqueued, 'message')} counted`)
  }
  return { statuses, failed }
}

export const countOf = ({ statuses = {} }: JobOutcome, among: ReadonlySet<MessageStatus>): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (among.has(status as MessageStatus) ? count : 0), 0)

export function outcomeText(terminal: Terminal, outcome: JobOutcome): string {
  const { job, statuses, failed } = outcome
  if (!statuses) return `${job.enqueued} of ${countText(job.received, 'message')} created so far.`
  const rows = Object.entries(statuses).sort(([, left], [, other]) => other - left)
  const counted =
    rows.length === 0
      ? 'No messages.'
      : table([{ title: 'STATUS', style: (text) => statusStyle(terminal, text) }, { title: 'MESSAGES' }], rows)
  if (failed.length === 0) return counted
  const named = table(
    [
      { title: 'FAILED' },
      { title: 'RECIPIENT', charactersMax: 40 },
      { title: 'MESSAGE' },
      { title: 'ERROR', charactersMax: 80 },
    ],
    failed.map(({ status, recipient, id, reason, error }) => [status, recipient, id, error ?? reason]),
  )
  const more = countOf(outcome, failedStatuses) - failed.length
  return `${counted}\n\n${named}${more > 0 ? `\n… and ${more} more` : ''}`
}
