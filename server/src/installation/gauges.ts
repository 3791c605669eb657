/** Figures of the installation and its database for `/metrics`, read when metrics are collected. */
import { backlogStatuses } from '@postrider/contract'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { type Sample, sharedRead } from '../base/scraped-figures.ts'
import type { Clock } from '../base/time/clock.ts'
import { SECOND } from '../base/time/duration.ts'
import type { Availability } from '../database/availability.ts'
import { freeBytes } from '../database/disk.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { type InstallationFigures, readInstallationFigures } from '../database/installation-figures.ts'
import { lanes } from '../database/tables/messages/lanes.ts'

export interface GaugesContext {
  metrics: Metrics
  engine: Engine
  clock: Clock
  log: Log
  availability: Availability
  config: { databaseUrl?: string | undefined; dataDir: string }
  /** The name of each workspace by its id. */
  workspaces: ReadonlyMap<number, string>
}

export function readGauges(context: GaugesContext): void {
  readDatabaseGauges(context)
  readInstallationGauges(context)
}

function readInstallationGauges({ metrics, engine, clock, log, workspaces }: GaugesContext): void {
  const started = clock.now()
  const workspaceIds = [...workspaces.keys()]
  const figures = sharedRead(
    () => readInstallationFigures(engine, { now: clock.now(), workspaceIds, statuses: backlogStatuses }),
    (error) =>
      log[failureLevel(error)](
        { event: 'figures.not_read', err: error },
        'the figures of the installation could not be read; metrics show the last ones',
      ),
  )
  const samples =
    <Item>(itemsOf: (figures: InstallationFigures, seconds: (since: number | null) => number) => readonly Item[]) =>
    async () => {
      const last = await figures()
      return last ? itemsOf(last, (since) => overdueSeconds(since, last.at, clock.now())) : []
    }
  const workspace = (id: number) => workspaces.get(id) ?? ''
  metrics.backlog.from(
    samples(({ backlogs }, seconds) =>
      backlogs.map(({ lane, waiting, overdue, oldest }) => ({
        lane: laneNames.find((name) => lanes[name] === lane) ?? '',
        ...{ waiting, overdue, oldestSeconds: seconds(oldest) },
      })),
    ),
  )
  metrics.queues.from(
    samples(({ queues }, seconds) => queues.map(({ queue, due }) => ({ labels: { queue }, value: seconds(due) }))),
  )
  metrics.deadLetters.from(
    samples(({ deadLetters }) =>
      deadLetters.map(({ workspace_id, kind, open }) => ({
        labels: { workspace: workspace(workspace_id), kind },
        value: open,
      })),
    ),
  )
  metrics.heldMessages.from(
    samples((last) =>
      last.workspaces.map(({ id, heldMessages }) => ({ labels: { workspace: workspace(id) }, value: heldMessages })),
    ),
  )
  metrics.oldestWaiting.from(
    samples((last, seconds) =>
      last.workspaces.map(({ id, waitingSince }) => ({
        labels: { workspace: workspace(id) },
        value: seconds(waitingSince),
      })),
    ),
  )
  metrics.figuresAge.from(async (): Promise<Sample<never>[]> => {
    const at = (await figures())?.at ?? started
    return [{ labels: {}, value: Math.max(0, clock.now() - at) / SECOND }]
  })
}

const OUTAGES = ['unreachable', 'disk_full', 'read_only'] as const

function readDatabaseGauges({ metrics, engine, availability, config }: GaugesContext): void {
  const unlabeled = (value: number | undefined) => (value === undefined ? [] : [{ labels: {}, value }])
  metrics.outage.from(() =>
    OUTAGES.map((outage) => ({ labels: { outage }, value: availability.outage === outage ? 1 : 0 })),
  )
  metrics.connections.from(() => {
    const { open, idle } = engine.connections()
    return [
      { labels: { state: 'busy' }, value: open - idle },
      { labels: { state: 'idle' }, value: idle },
    ]
  })
  metrics.statementsWaiting.from(() => engine.connections().waiting)
  const { backup } = engine
  if (!config.databaseUrl) metrics.diskFree.from(() => unlabeled(freeBytes(config.dataDir)))
  if (backup) metrics.lastBackup.from(async () => unlabeled(((await backup.last()) ?? 0) / SECOND))
}

/**
 * How long work that was due when the figures were read has been due by now: the last figures of a database that cannot be
 * read go on growing. A due time of 0 is work without a time, which is found at once.
 */
const overdueSeconds = (since: number | null, readAt: number, now: number) =>
  since === null || since === 0 || since > readAt ? 0 : Math.max(0, now - since) / SECOND

const laneNames = Object.keys(lanes) as (keyof typeof lanes)[]
