/** The gates of all integrations on a node that delivers, and what they share with other nodes. */
import { randomInt } from 'node:crypto'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { atMost } from '../base/scraped-figures.ts'
import { HOUR, SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import {
  deleteBreaker,
  deliveringNodes,
  NODE_LOCKS,
  openBreakers,
} from '../database/tables/workspace/integration-limits.ts'
import { type EnterOptions, type Entry, Gate, type GatedIntegration, type Nodes, nodesOf } from './gate.ts'

export interface IntegrationGates {
  /** At once where nothing is limited and the latest call was good. */
  enter(workspaceId: number, integration: GatedIntegration, options: EnterOptions): Promise<Entry>
  /** Closes the circuit breaker of an integration, so that its next calls are made; false when it is closed. */
  reset(workspaceId: number, id: string): Promise<boolean>
  /** Reads the state that nodes share; at least once a second while calls are made. */
  refresh(): Promise<void>
}

export interface GatesOptions {
  engine: Engine
  log: Log
  metrics: Metrics
  now(): number
  random(): number
  /** False on a node that only accepts: no call is made, and limits are not divided by it. */
  works: boolean
  /** How long a call may wait in memory for its turn within a limit. */
  waitMs: number
}

/** Notifies nodes that a breaker was opened or closed. */
const BREAKERS_CHANNEL = 'breakers'
const REFRESH_MS = SECOND
/** A gate without calls is forgotten: its integration may be deleted, and another one is made when calls come. */
const IDLE_MS = HOUR

/** Throws `DatabaseUnavailable` before anything runs. */
export async function openIntegrationGates(options: GatesOptions): Promise<IntegrationGates> {
  const { engine, log, metrics, now } = options
  const nodeNumber = randomInt(2 ** 31)
  const gates = new Map<string, Gate>()
  let nodes: Nodes = { count: 1, position: 0 }
  let refreshedAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined

  const gateOf = (workspaceId: number, id: string): Gate => {
    let gate = gates.get(id)
    if (!gate) {
      gate = new Gate({ ...options, workspaceId, id, nodes: () => nodes, refresh: refreshSoon, notify })
      gates.set(id, gate)
    }
    return gate
  }
  const prune = () => {
    const since = now() - IDLE_MS
    for (const [id, gate] of gates) if (gate.isIdleSince(since)) gates.delete(id)
  }
  const read = async () => {
    refreshedAt = now()
    const readAt = performance.now()
    const [rows, numbers] = await Promise.all([openBreakers(engine), deliveringNodes(engine)])
    nodes = nodesOf(numbers, nodeNumber)
    const open = new Map(rows.map((row) => [row.integration_id, row]))
    for (const row of rows) gateOf(row.workspace_id, row.integration_id)
    for (const [id, gate] of gates) gate.share(open.get(id), readAt)
    prune()
  }
  const refresh = () => {
    refreshing ??= read().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const refreshSoon = () => {
    refresh().catch((error: unknown) =>
      log[failureLevel(error)](
        { event: 'integration.breakers_unknown', err: error },
        'circuit breakers could not be read; the last known states hold',
      ),
    )
  }
  const notify = () => {
    engine
      .notify(BREAKERS_CHANNEL, '')
      .catch((error: unknown) => log.debug({ event: 'notification.lost', err: error }, 'wake-up notification lost'))
  }

  if (options.works) {
    await engine.holdLock(NODE_LOCKS, nodeNumber)
    await engine.listen(BREAKERS_CHANNEL, refreshSoon)
    await refresh()
  }
  exportBreakers(metrics, gates, async () => {
    if (now() - refreshedAt > REFRESH_MS) await refresh()
    prune()
  })

  return {
    refresh,
    async reset(workspaceId, id) {
      if (!(await deleteBreaker(engine, workspaceId, id))) return false
      notify()
      // A reading that started before the deletion still has the row.
      await refreshing
      await refresh()
      return true
    },
    enter(workspaceId, integration, enterOptions) {
      if (now() - refreshedAt > REFRESH_MS) refreshSoon()
      return gateOf(workspaceId, integration.id).enter(integration, enterOptions)
    },
  }
}

/** Read for each scrape: a node without calls would not learn of a repair, or of a breaker that another node opened. */
function exportBreakers({ breakers }: Metrics, gates: ReadonlyMap<string, Gate>, read: () => Promise<void>): void {
  breakers.from(async () => {
    // Without the database the last known states hold.
    await atMost(read()).catch(() => {})
    // Integrations of two workspaces may have one title: the one that is open is shown.
    return [...gates.values()].flatMap((gate) => gate.reading ?? []).sort((a, b) => a.value - b.value)
  })
}
