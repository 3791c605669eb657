/** The server about itself: alive, ready, its figures, its documents. */
import { Readable } from 'node:stream'
import { type InputOf, type MetricsSummary, messageStatuses, openapi, summaryDaysMax } from '@postrider/contract'
import { CallerError, forbidden, invalidField, invalidRequest, notFound } from '../../base/errors.ts'
import { toTimestamp } from '../../base/time/clock.ts'
import { DAY, durationEnd, HOUR, MINUTE, parseDuration } from '../../base/time/duration.ts'
import { pauseDelete } from '../../database/tables/installation/installation.ts'
import { type CountRow, hoursBefore, summarize } from '../../database/tables/messages/counts.ts'
import { environmentOf } from '../authentication.ts'
import { type CallContext, done, success } from '../call.ts'
import { diagnose } from '../diagnostics.ts'
import { document, referencePage } from '../docs.ts'
import type { ResourceHandlers } from '../outcome.ts'

export const probes = {
  'service.livez': async () => success('service.livez', { status: 'ok' }),
  'service.readyz': async (_input, { app }) => {
    const reason = await app.notReady()
    // Probes repeat every few seconds while it lasts; the reason has its own line in the log.
    if (reason !== undefined)
      throw new CallerError('service_unavailable', `Not ready: ${reason}`, { retryAfterSeconds: 1, logged: false })
    return success('service.readyz', { status: 'ok', ...(app.pause.since !== undefined && { paused: true }) })
  },
  'service.metrics': async (
    _input,
    {
      app: {
        metrics: { registry },
      },
    },
  ) => ({
    status: 200,
    raw: { content: await registry.metrics(), mediaType: registry.contentType },
  }),
  'service.summary': async ({ query }, { app: { database }, caller, now }) => {
    const { from, to } = windowOf(query, now)
    const found = await summarize(database, caller.workspaceId, { from, to, now, statuses: undelayed })
    const { waiting, since } = found.waiting
    const age = since === null ? null : Math.max(0, now - since)
    return success('service.summary', { from, to, waiting, oldest: age, ...figuresOf(found.counts) })
  },
  'service.openapi': async (_input, { app: { version, publicUrl } }) =>
    success('service.openapi', openapi({ version, url: publicUrl, samples: true })),
  'service.docs': async (_input, { app: { publicUrl } }) => referencePage(publicUrl),
  'service.document': async ({ params: { name } }, { app: { publicUrl } }) => {
    const found = document(name, publicUrl)
    if (!found) throw notFound()
    return found
  },
  'service.diagnostics': async (_input, ctx) => success('service.diagnostics', { checks: await diagnose(ctx) }),
  'service.resume': async (_input, ctx) => {
    if (!isOperator(ctx))
      throw forbidden('production_key_required', 'Only a published key of production can resume deliveries')
    return {
      reply: success('service.resume', done),
      writes: [pauseDelete],
      afterCommit: () => ctx.app.pause.notifyEnd(),
    }
  },
  'service.backup': async (_input, ctx) => {
    const { backup } = ctx.app
    if (!isOperator(ctx))
      throw forbidden('production_key_required', 'Only a published key of production can copy the database')
    if (!backup) throw invalidRequest('The database is a PostgreSQL server of its own; copy it with pg_dump')
    return { status: 200, raw: { content: Readable.from(backup()), mediaType: 'application/gzip' } }
  },
} satisfies ResourceHandlers<'service'>

const undelayed = messageStatuses.filter((status) => status !== 'DELAYED')

type Window = Pick<MetricsSummary, 'from' | 'to'>

/** Throws a 400 that names the parameter. */
function windowOf({ from, to, window }: InputOf<'service.summary'>['query'], now: number): Window {
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

function figuresOf(counts: readonly CountRow[]): Omit<MetricsSummary, 'from' | 'to' | 'waiting' | 'oldest'> {
  const figures = { accepted: 0, finished: 0 }
  const statuses: MetricsSummary['statuses'] = []
  const channels = new Map<string, MetricsSummary['channels'][number]>()
  const providers = new Map<string, MetricsSummary['providers'][number]>()
  for (const { status, channel, provider, count } of counts) {
    if (status === null) figures.accepted += count
    else if (channel === null || provider === null) {
      figures.finished += count
      statuses.push({ status: status as MetricsSummary['statuses'][number]['status'], count })
    } else {
      const none = {
        channel: channel as MetricsSummary['channels'][number]['channel'],
        sent: 0,
        delivered: 0,
        failed: 0,
      }
      const own = providers.get(`${provider} ${channel}`) ?? { provider, ...none }
      const all = channels.get(channel) ?? none
      for (const deliveries of [own, all]) add(deliveries, status, count)
      providers.set(`${provider} ${channel}`, own)
      channels.set(channel, all)
    }
  }
  const bySent = (one: Deliveries, other: Deliveries) => other.sent - one.sent || other.failed - one.failed
  return {
    ...figures,
    statuses: statuses.sort((one, other) => other.count - one.count),
    channels: [...channels.values()].sort(bySent),
    providers: [...providers.values()].sort(bySent),
  }
}

function add(deliveries: Deliveries, status: string, count: number): void {
  if (status === 'UNDELIVERABLE') deliveries.failed += count
  else deliveries.sent += count
  if (status === 'DELIVERED' || status === 'OPENED' || status === 'CLICKED') deliveries.delivered += count
}

/** Required by calls that concern every environment. */
const isOperator = ({ caller }: CallContext) =>
  caller.mode === 'live' && environmentOf(caller.workspaceId) === 'production'
