/** What a step of an erasure is given, and what it answers. */
import type { Log } from '../base/log.ts'
import type { SecretKey } from '../base/secret.ts'
import type { Engine, Statement } from '../database/engine.ts'
import type { ErasureWork, LiveErasure } from '../database/tables/erasure/erasures.ts'

export interface EraseOptions {
  engine: Engine
  secretKey: SecretKey
  log: Log
  /** Longer than any step; nothing renews it. */
  leaseMs: number
  now(): number
}

/** What a step found to do. */
export interface Move {
  work?: ErasureWork
  /** Before the work, in the same commit. */
  first?: Statement
  /** Of the step: nothing; more, from `place` on; what somebody works on at this moment. */
  left: { kind: 'nothing' } | { kind: 'more'; place: string | null } | { kind: 'held' }
}

export type Step = (erasure: LiveErasure, options: EraseOptions) => Promise<Move>
