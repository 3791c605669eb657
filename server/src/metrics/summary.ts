/** The window of a summary of messages, and its sums by status, channel and provider. */
import {
  confirmedStatuses,
  type InputOf,
  type MessageStatus,
  type MetricsBucket,
  type MetricsSummary,
  type Reason,
  statusOutcome,
  type summaryBuckets,
  summaryBucketsMax,
  summaryDaysMax,
} from '@postrider/contract'
import { invalidField } from '../base/errors.ts'
import { durationEnd } from '../base/time/calendar-duration.ts'
import { toTimestamp } from '../base/time/clock.ts'
import { DAY, HOUR, MINUTE, parseDuration } from '../base/time/duration.ts'
import { type BucketCountRow, type CountRow, hoursBefore } from '../database/tables/messages/counts.ts'

type Window = Pick<MetricsSummary, 'from' | 'to'>

/** Length of a bucket in milliseconds. */
type BucketMs = (typeof summaryBuckets)[keyof typeof summaryBuckets]

/** The window of a query, widened to the units of its counts. Throws a 400 that names the parameter. */
export function windowOf({ from, to, window }: InputOf<'metrics.summary'>['query'], now: number): Window {
  const length = window === undefined ? undefined : (parseDuration(window) ?? durationEnd(window, 0))
  if (window !== undefined && !(length !== undefined && length >= MINUTE))
    throw invalidField('window', 'must be a duration of a minute or more, such as `15m`, `24h` or `PT24H`')
  if (length !== undefined && from !== undefined && to !== undefined)
    throw invalidField('window', 'must not be given beside both `from` and `to`')
  const start = timeOf('from', from)
  const end = timeOf('to', to)
  const last = end ?? (start !== undefined && length !== undefined ? start + length : now)
  const first = start ?? last - (length ?? DAY)
  if (first >= last) throw invalidField('from', 'must be before `to`, which is now unless given')
  if (last - first > summaryDaysMax * DAY)
    throw length === undefined
      ? invalidField('from', `must be at most ${summaryDaysMax} days before \`to\``)
      : invalidField('window', `must be at most ${summaryDaysMax} days`)
  return { from: Math.max(0, widened(first, now, Math.floor)), to: widened(last, now, Math.ceil) }
}

/** The window in full buckets. Throws a 400 for too many of them, and for those that are shorter than its counts. */
export function inBuckets({ from, to }: Window, bucketMs: BucketMs, now: number): Window {
  if (bucketMs < HOUR && from < hoursBefore(now))
    throw invalidField('bucket', 'must be `1h` or `1d` for a window that starts more than a day ago')
  const first = Math.floor(from / bucketMs) * bucketMs
  const end = Math.ceil(to / bucketMs) * bucketMs
  const count = (end - first) / bucketMs
  if (count > summaryBucketsMax)
    throw invalidField(
      'bucket',
      `must make at most ${summaryBucketsMax} buckets: the window has ${count.toLocaleString('en-US')}. Take longer buckets or a shorter window`,
    )
  return { from: first, to: end }
}

/** Every bucket of a window of full ones. */
export function bucketsOf(
  counts: readonly BucketCountRow[],
  { from, to }: Window,
  bucketMs: BucketMs,
): MetricsBucket[] {
  const buckets = Array.from(
    { length: (to - from) / bucketMs },
    (_, index): MetricsBucket => ({ start: from + index * bucketMs, accepted: 0, finished: 0, statuses: [] }),
  )
  for (const { start, status, count } of counts) {
    const bucket = buckets[(start - from) / bucketMs]
    if (!bucket) continue
    if (status === null) bucket.accepted += count
    else {
      bucket.finished += count
      bucket.statuses.push({ status: status as MessageStatus, count })
    }
  }
  for (const { statuses } of buckets) statuses.sort(byCount)
  return buckets
}

function timeOf(name: string, text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : toTimestamp(text)
  if (time !== undefined && time < 0) throw invalidField(name, 'must not be before 1970')
  return time
}

/** To the unit that counts of that time have. */
function widened(time: number, now: number, round: (units: number) => number): number {
  const unit = time < hoursBefore(now) ? HOUR : MINUTE
  return round(time / unit) * unit
}

type Deliveries = Pick<MetricsSummary['channels'][number], 'sent' | 'delivered' | 'failed'>

/** Sums by status, by reason, by channel and by provider; those with the most first. */
export function figuresOf(
  counts: readonly CountRow[],
): Pick<MetricsSummary, 'accepted' | 'finished' | 'statuses' | 'reasons' | 'channels' | 'providers'> {
  const figures = { accepted: 0, finished: 0 }
  const statuses = new Map<MessageStatus, number>()
  const reasons: MetricsSummary['reasons'] = []
  const channels = new Map<string, MetricsSummary['channels'][number]>()
  const providers = new Map<string, MetricsSummary['providers'][number]>()
  for (const { status: name, reason, channel, provider, count } of counts) {
    const status = name as MessageStatus | null
    if (status === null) figures.accepted += count
    else if (channel === null || provider === null) {
      figures.finished += count
      statuses.set(status, (statuses.get(status) ?? 0) + count)
      // Released dead letters are taken back with their reason, also those that an older release counted without it.
      if (reason !== null && count > 0) reasons.push({ status, reason: reason as Reason, count })
    } else {
      const none = {
        channel: channel as MetricsSummary['channels'][number]['channel'],
        sent: 0,
        delivered: 0,
        failed: 0,
      }
      const figures = providers.get(`${provider} ${channel}`) ?? { provider, ...none }
      const all = channels.get(channel) ?? none
      for (const deliveries of [figures, all]) add(deliveries, status, count)
      providers.set(`${provider} ${channel}`, figures)
      channels.set(channel, all)
    }
  }
  const bySent = (left: Deliveries, right: Deliveries) => right.sent - left.sent || right.failed - left.failed
  return {
    ...figures,
    statuses: [...statuses]
      .map(([status, count]) => ({ status, count }))
      .filter(({ count }) => count !== 0)
      .sort(byCount),
    reasons: reasons.sort(byCount),
    channels: [...channels.values()].sort(bySent),
    providers: [...providers.values()].sort(bySent),
  }
}

const byCount = (left: { count: number }, right: { count: number }) => right.count - left.count

function add(deliveries: Deliveries, status: MessageStatus, count: number): void {
  if (statusOutcome[status] === 'failed') deliveries.failed += count
  else deliveries.sent += count
  if (confirmedStatuses.has(status)) deliveries.delivered += count
}
