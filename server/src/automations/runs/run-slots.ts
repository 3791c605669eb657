/** Slots for runs in progress: bounded by workspace, for lists, for each root, for suspected poison runs, and by bytes. */
import { type ByLane, type LiveRun, type RunBounds, runQueue } from '../../database/tables/automations/live-runs.ts'
import { lanes } from '../../database/tables/messages/lanes.ts'
import { createIsolationSlot } from '../../queue/poison.ts'

export interface RunSlots {
  /** Free slots. */
  readonly room: number
  /** Free slots for runs of lists. */
  readonly listRoom: number
  /** Free slots of the workspace that uses most. */
  readonly leastRoom: number
  readonly bytesRoom: number
  /** The bounds of the next claim. */
  bounds(): Omit<RunBounds, 'bytesMax'> & { suspected: boolean }
  /** The rows that can start without a claim. */
  fitting<Row extends { workspace_id: number }>(rows: readonly Row[]): Row[]
  take(run: LiveRun): RunSlot
}

interface RunSlot {
  /** The run did not crash the worker. True if another suspected run can be claimed. */
  cleared(): boolean
  /** True if enough slots are free for a claim. */
  free(): boolean
}

/** Runs in progress of one workspace: their commits share a flush, which takes about 20 ms at this size. */
const WORKSPACE_SLOTS = 256
/** Runs in progress of all workspaces: the runs of one workspace cannot block the others. */
const SLOTS = WORKSPACE_SLOTS + WORKSPACE_SLOTS / 4
/** Half: a list whose data source hangs leaves the rest to other runs. */
const LIST_SLOTS = WORKSPACE_SLOTS / 2
/** Runs of one root in a claim, and the number in progress from which no more are claimed. */
const ROOT_MAX = WORKSPACE_SLOTS / 4
/** Freed slots that trigger a claim. */
const CLAIM_MIN = WORKSPACE_SLOTS / 4
const BYTES_MAX = 64 * 1_048_576
export function createRunSlots(): RunSlots {
  let used = 0
  let lists = 0
  let bytes = 0
  const isolation = createIsolationSlot<LiveRun>(runQueue)
  const roots = new Map<string, number>()
  const workspaces = new Map<number, number>()
  const count = (run: LiveRun, by: 1 | -1) => {
    const { root, workspace_id, lane, automation, start, state } = run
    used += by
    if (lane === lanes.bulk) lists += by
    bytes += by * (automation.length + start.length + (state?.length ?? 0))
    countIn(roots, root, by)
    countIn(workspaces, workspace_id, by)
  }
  const room = () => (bytes >= BYTES_MAX ? 0 : Math.max(0, SLOTS - used))
  const listRoom = () => Math.max(0, Math.min(room(), LIST_SLOTS - lists))
  const roomOf = (workspace: number) => Math.max(0, WORKSPACE_SLOTS - (workspaces.get(workspace) ?? 0))
  const leastRoom = () => Math.min(room(), ...[...workspaces.keys()].map(roomOf))
  const byLane = (of: number): ByLane => {
    const ofLists = Math.min(listRoom(), Math.floor(of / 2))
    return [of - ofLists, ofLists]
  }

  return {
    get room() {
      return room()
    },
    get listRoom() {
      return listRoom()
    },
    get leastRoom() {
      return leastRoom()
    },
    get bytesRoom() {
      return Math.max(0, BYTES_MAX - bytes)
    },
    bounds: () => ({
      limits: byLane(room()),
      shares: [...workspaces.keys()].map((workspaceId) => ({ workspaceId, limits: byLane(roomOf(workspaceId)) })),
      share: byLane(WORKSPACE_SLOTS),
      exceptRoots: [...roots].filter(([, slots]) => slots >= ROOT_MAX).map(([root]) => root),
      rootMax: ROOT_MAX,
      suspected: isolation.isFree,
    }),
    fitting(rows) {
      const taken = new Map<number, number>()
      const isFitting = ({ workspace_id: id }: { workspace_id: number }) => {
        const slots = taken.get(id) ?? 0
        if (slots >= roomOf(id)) return false
        taken.set(id, slots + 1)
        return true
      }
      return rows.filter(isFitting).slice(0, room())
    },
    take(run) {
      count(run, 1)
      isolation.take(run)
      const cleared = () => isolation.clear(run)
      return {
        cleared,
        free() {
          count(run, -1)
          const slots = Math.min(room(), roomOf(run.workspace_id))
          const worth = slots === CLAIM_MIN || (run.lane === lanes.bulk && listRoom() === CLAIM_MIN)
          return cleared() || worth
        },
      }
    },
  }
}

function countIn<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
