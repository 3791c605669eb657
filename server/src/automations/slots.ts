/** Fair places for runs: lists and single roots hold at most half of them, suspects one, and all together so many bytes. */
import { CLAIMS_SUSPECT, type Claiming, type LiveRun } from '../database/tables/live-runs.ts'
import { lanes } from '../pipeline/message.ts'

export interface RunSlots {
  /** Runs that may be begun now. */
  readonly room: number
  /** Of them, runs of lists. */
  readonly listRoom: number
  readonly bytesRoom: number
  /** What a claim may take. */
  wanted(): Pick<Claiming, 'limits' | 'exceptRoots' | 'rootMax' | 'suspect'>
  take(run: LiveRun): RunSlot
}

export interface RunSlot {
  /** The run has shown that it kills nobody: true when this makes room for another suspect. */
  cleared(): boolean
  /** True when a claim is worth while at once. */
  free(): boolean
}

/** Runs that are worked on at once: their commits share a flush, and a flush of this size takes some 20 ms. */
const SLOTS = 256
/** Half: a list whose data source hangs leaves the rest to everybody else. */
const LIST_SLOTS = SLOTS / 2
/** A claim takes no more of one root, and nothing of one that holds as many: it never has half of the slots. */
const ROOT_MAX = SLOTS / 4
/** Freed slots that are worth a claim at once. */
const CLAIM_MIN = SLOTS / 4
const BYTES_MAX = 64 * 1_048_576
/** Further claims than this: it was alone three times. */
const CLAIMS_MAX = CLAIMS_SUSPECT + 3

export const isGuilty = ({ claims }: LiveRun) => claims > CLAIMS_MAX
/** Once claimed it counts its own claim. */
const isSuspect = ({ claims }: LiveRun) => claims > CLAIMS_SUSPECT

export function createRunSlots(): RunSlots {
  let used = 0
  let lists = 0
  let bytes = 0
  let suspect: LiveRun | undefined
  const roots = new Map<string, number>()
  const count = (run: LiveRun, by: 1 | -1) => {
    const { root, lane, automation, start, state } = run
    used += by
    if (lane === lanes.bulk) lists += by
    bytes += by * (automation.length + start.length + (state?.length ?? 0))
    const ofRoot = (roots.get(root) ?? 0) + by
    if (ofRoot === 0) roots.delete(root)
    else roots.set(root, ofRoot)
  }
  const room = () => (bytes >= BYTES_MAX ? 0 : Math.max(0, SLOTS - used))
  const listRoom = () => Math.max(0, Math.min(room(), LIST_SLOTS - lists))
  const limits = (): [number, number] => {
    const ofLists = Math.min(listRoom(), Math.floor(room() / 2))
    return [room() - ofLists, ofLists]
  }

  return {
    get room() {
      return room()
    },
    get listRoom() {
      return listRoom()
    },
    get bytesRoom() {
      return Math.max(0, BYTES_MAX - bytes)
    },
    wanted: () => ({
      limits: limits(),
      exceptRoots: [...roots].filter(([, held]) => held >= ROOT_MAX).map(([root]) => root),
      rootMax: ROOT_MAX,
      suspect: suspect === undefined,
    }),
    take(run) {
      count(run, 1)
      if (isSuspect(run)) suspect = run
      const cleared = () => {
        if (suspect !== run) return false
        suspect = undefined
        return true
      }
      return {
        cleared,
        free() {
          count(run, -1)
          const worth = room() === CLAIM_MIN || (run.lane === lanes.bulk && listRoom() === CLAIM_MIN)
          return cleared() || worth
        },
      }
    },
  }
}
