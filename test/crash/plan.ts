/** The crashes of a campaign, in order, drawn from its seed. */
import type { FailpointName } from '@postrider/server/internal/base/failpoint'
import { type SeededRandom, seededRandom } from '@postrider/server/internal/base/seeded-random.harness'
import { type Target, targets } from './database-processes.ts'

export type EngineKind = 'local' | 'postgres'

export type Crash =
  /** Killed from outside some time after it was ready. */
  | { kind: 'signal'; afterMs: number }
  /** Kills itself at the `nth` passage of a named place. */
  | { kind: 'failpoint'; name: FailpointName; nth: number }
  /** Stopped some time after it was ready, and killed while stopping. */
  | { kind: 'shutdown'; afterMs: number }
  /** Processes of its local database are killed some time after it was ready; it is killed itself once it is ready again. */
  | { kind: 'database'; target: Target; afterMs: number }

/** The latest passage to crash at; the next process takes over the rest of this one, and passes faster. */
const passages = {
  'before-commit': 30,
  'after-commit-before-reply': 30,
  'after-claim': 3,
  'after-render': 90,
  'mid-request': 90,
  'after-response-before-commit': 30,
  'after-result-commit': 30,
  'during-lease-renew': 2,
} satisfies Partial<Record<FailpointName, number>>
type Place = keyof typeof passages
const everywhere = Object.keys(passages) as Place[]
/** The first start and the migration come once, and first. */
const beginnings = {
  local: ['first-start', 'after-database-start', 'mid-migration'],
  postgres: ['mid-migration'],
} as const
/** A backup needs data to copy; nothing is old enough to be dropped before the end. */
const ends = { local: ['mid-backup', 'mid-partition-drop'], postgres: ['mid-partition-drop'] } as const
const turns = { local: ['signal', 'database', 'failpoint'], postgres: ['signal', 'failpoint'] } as const

export function planCrashes(kills: number, seed: number, engine: EngineKind): Crash[] {
  const draw = seededRandom(seed)
  const once = (name: FailpointName): Crash => ({ kind: 'failpoint', name, nth: 1 })
  const first = beginnings[engine].map(once)
  const last = ends[engine].map(once)
  const between = Math.max(0, kills - first.length - last.length)
  const kinds = Array.from({ length: between }, (_, index) => turns[engine][index % turns[engine].length])
  // Every name once before any comes again.
  const placeBag = bagOf([...everywhere, 'shutdown' as const], draw)
  const targetBag = bagOf(targets, draw)
  const crashes = kinds.map((kind): Crash => {
    const afterMs = draw.between(200, 2_000)
    if (kind === 'database') return { kind, target: targetBag(), afterMs }
    if (kind !== 'failpoint') return { kind: 'signal', afterMs }
    const name = placeBag()
    if (name === 'shutdown') return { kind: 'shutdown', afterMs }
    return { kind: 'failpoint', name, nth: draw.between(1, passages[name]) }
  })
  return [...first, ...crashes, ...last].slice(0, kills)
}

/** Gives each of the items once, in random order, then each once more. */
function bagOf<Item>(items: readonly Item[], draw: SeededRandom): () => Item {
  let bag: Item[] = []
  return () => {
    if (bag.length === 0) bag = draw.shuffled([...items])
    const item = bag.pop()
    if (item === undefined) throw new Error('The bag holds nothing')
    return item
  }
}

export const nameOf = (crash: Crash) =>
  crash.kind === 'failpoint'
    ? `${crash.name}:${crash.nth}`
    : `${crash.kind}${crash.kind === 'database' ? ` (${crash.target})` : ''} after ${crash.afterMs} ms`
