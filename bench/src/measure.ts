/** What a measurement is given, and what it answers. */
import type { Child } from './child.ts'
import type { Options } from './options.ts'
import type { Places } from './places.ts'
import type { Ports } from './world/world.ts'

export type Side = 'limit' | 'product'
export type Figures = Record<string, number>

export interface Bench
  extends Pick<Options, 'seconds' | 'warm' | 'profileDir' | 'users' | 'waiting' | 'messages' | 'stored'> {
  places: Places
  world: Child
  sinks: Ports
  port: number
}

export interface Measure {
  sides: readonly Side[]
  run(bench: Bench, side: Side): Promise<Figures>
}
