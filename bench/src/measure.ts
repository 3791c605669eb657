/** Input and result of a measurement. */
import type { Child } from './child.ts'
import type { Options } from './options.ts'
import type { Places } from './places.ts'
import type { Version } from './version.ts'
import type { Ports } from './world/world.ts'

/** The least that a server must do, this checkout, and the checkout of `--product`. */
export type Side = 'limit' | 'product' | 'other'
export type Figures = Record<string, number>

export interface Bench extends Omit<Options, 'engines' | 'rounds' | 'only' | 'json' | 'product' | 'svg'> {
  places: Places
  version: Version
  world: Child
  sinks: Ports
  port: number
}

/** A limit uses the schema of this checkout. */
export type Benches = Record<'limit' | 'product', Bench> & { other?: Bench }

export interface Measure {
  sides: readonly Side[]
  run(bench: Bench, side: Side): Promise<Figures>
}
