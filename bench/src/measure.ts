/** Input and result of a measurement. */
import type { Child } from './child.ts'
import type { Databases } from './databases.ts'
import type { Options } from './options.ts'
import type { Ports } from './peers/peers.ts'
import type { Version } from './version.ts'

/** The least that a server must do, this checkout, and the checkout of `--product`. */
export type Side = 'limit' | 'product' | 'other'
export type Figures = Record<string, number>

export interface Bench extends Omit<Options, 'engines' | 'rounds' | 'only' | 'json' | 'product' | 'svg'> {
  databases: Databases
  version: Version
  peers: Child
  sinks: Ports
  port: number
}

/** A limit uses the schema of this checkout. */
export type Benches = Record<'limit' | 'product', Bench> & { other?: Bench }

export interface Measure {
  sides: readonly Side[]
  run(bench: Bench, side: Side): Promise<Figures>
}
