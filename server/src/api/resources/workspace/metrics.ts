/** Counts of messages in a window, by status, channel and provider, and the messages that wait now. */
import { backlogStatuses, summaryBuckets } from '@postrider/contract'
import { summarize } from '../../../database/tables/messages/counts.ts'
import { countHeld, countWaiting } from '../../../database/tables/messages/held-messages.ts'
import { countWaitingRequests } from '../../../database/tables/messages/stopped-requests.ts'
import { bucketsOf, figuresOf, inBuckets, windowOf } from '../../../metrics/summary.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

export const metrics = {
  'metrics.summary': async ({ query }, { app: { database }, caller, now }) => {
    const bucketMs = query.bucket && summaryBuckets[query.bucket]
    const minutes = windowOf(query, now)
    const window = bucketMs === undefined ? minutes : inBuckets(minutes, bucketMs, now)
    const [{ waiting, counts, bucketCounts }, heldCount, delayed, requests] = await Promise.all([
      summarize(database, caller.workspaceId, { ...window, bucketMs, now, statuses: backlogStatuses }),
      countHeld(database, caller.workspaceId),
      countWaiting(database, caller.workspaceId, 'DELAYED'),
      countWaitingRequests(database, caller.workspaceId, now),
    ])
    const oldest = waiting.since === null ? null : Math.max(0, now - waiting.since)
    return success('metrics.summary', {
      ...window,
      waiting: waiting.waiting,
      held: heldCount,
      delayed,
      scheduled_requests: requests.scheduled,
      paused_requests: requests.paused,
      oldest,
      ...figuresOf(counts),
      ...(bucketMs !== undefined && { buckets: bucketsOf(bucketCounts, window, bucketMs) }),
    })
  },
} satisfies ResourceHandlers<'metrics'>
