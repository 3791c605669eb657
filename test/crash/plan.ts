/** Which deaths a campaign dies, in order, drawn from its seed. */
import type { FailpointName } from '@postrider/server/internal/base/failpoint'
import { chance } from './chance.ts'

export type EngineKind = 'embedded' | 'postgres'

export type Death =
  /** Killed from outside some time after it was ready. */
  | { kind: 'signal'; afterMs: number }
  /** Kills itself at the `nth` passage of a named place. */
  | { kind: 'failpoint'; name: FailpointName; nth: number }
  /** Told to stop some time after it was ready, and dies while stopping. */
  | { kind: 'shutdown'; afterMs: number }

/** The latest passage to die at; the next life takes up what this one left, and passes faster. */
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
/** The first start and the migration come once, and first; nothing is old enough to be dropped before the end. */
const beginnings = { embedded: ['first-start', 'mid-migration'], postgres: ['mid-migration'] } as const

export function planDeaths(kills: number, seed: number, engine: EngineKind): Death[] {
  const draw = chance(seed)
  const once = (name: FailpointName): Death => ({ kind: 'failpoint', name, nth: 1 })
  const first = beginnings[engine].map(once)
  const between = Math.max(0, kills - first.length - 1)
  const places: Death['kind'][] = Array.from({ length: between }, (_, index) => (index % 2 ? 'failpoint' : 'signal'))
  let bag: (Place | 'shutdown')[] = []
  const deaths = places.map((kind): Death => {
    if (kind === 'signal') return { kind, afterMs: draw.between(200, 2_000) }
    // Every name once before any comes again.
    if (bag.length === 0) bag = draw.shuffled([...everywhere, 'shutdown' as const])
    const name = bag.pop() ?? 'mid-request'
    if (name === 'shutdown') return { kind: 'shutdown', afterMs: draw.between(200, 2_000) }
    return { kind: 'failpoint', name, nth: draw.between(1, passages[name]) }
  })
  return [...first, ...deaths, once('mid-partition-drop')].slice(0, kills)
}

export const nameOf = (death: Death) =>
  death.kind === 'failpoint' ? `${death.name}:${death.nth}` : `${death.kind} after ${death.afterMs} ms`
