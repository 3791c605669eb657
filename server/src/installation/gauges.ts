/** Figures of the installation and its database for `/metrics`, each read when metrics are collected. */
import { backlogStatuses } from '@postrider/contract'
import type { Metrics } from '../base/metrics.ts'
import type { Clock } from '../base/time/clock.ts'
import { SECOND } from '../base/time/duration.ts'
import type { Availability } from '../database/availability.ts'
import { freeBytes } from '../database/disk.ts'
import type { Engine } from '../database/engine.ts'
import { openDeadLetters } from '../database/installation-figures.ts'
import { firstDue, readBacklog } from '../database/queues.ts'
import { waitingSince } from '../database/tables/messages/counts.ts'
import { countHeld } from '../database/tables/messages/held-messages.ts'
import { lanes } from '../database/tables/messages/lanes.ts'

export interface GaugesContext {
  metrics: Metrics
  engine: Engine
  clock: Clock
  availability: Availability
  config: { databaseUrl?: string | undefined; dataDir: string }
  /** The name of each workspace by its id. */
  workspaces: ReadonlyMap<number, string>
}

export function readGauges(context: GaugesContext): void {
  readDatabaseGauges(context)
  const { metrics, engine, clock, workspaces } = context
  const now = () => clock.now()
  const byWorkspace = (read: (workspaceId: number) => Promise<number>) => () =>
    Promise.all([...workspaces].map(async ([id, workspace]) => ({ labels: { workspace }, value: await read(id) })))
  metrics.backlog.from(() => backlogByLane(engine, now()))
  metrics.queues.from(async () => {
    const at = now()
    const overdue = (due: number | null) => (due === null ? 0 : secondsSince(due, at))
    return (await firstDue(engine)).map(({ queue, due }) => ({ labels: { queue }, value: overdue(due) }))
  })
  metrics.deadLetters.from(async () =>
    (await openDeadLetters(engine)).map(({ workspace_id, kind, open }) => ({
      labels: { workspace: workspaces.get(workspace_id) ?? '', kind },
      value: open,
    })),
  )
  metrics.heldMessages.from(byWorkspace((id) => countHeld(engine, id)))
  metrics.oldestWaiting.from(
    byWorkspace(async (id) => {
      const at = now()
      const since = await waitingSince(engine, id, { now: at, statuses: backlogStatuses })
      return since === null ? 0 : secondsSince(since, at)
    }),
  )
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

/** Due times of 0 stand for work without a time, which is found at once. */
const secondsSince = (time: number, now: number) => (time === 0 ? 0 : Math.max(0, now - time) / SECOND)

const laneNames = Object.keys(lanes) as (keyof typeof lanes)[]

async function backlogByLane(engine: Engine, now: number) {
  const backlogs = await readBacklog(engine, now)
  return backlogs.map(({ lane, waiting, overdue, oldest }) => ({
    lane: laneNames.find((name) => lanes[name] === lane) ?? '',
    ...{ waiting, overdue, oldestSeconds: oldest === null ? 0 : (now - oldest) / SECOND },
  }))
}
