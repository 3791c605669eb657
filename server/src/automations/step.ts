/** The interface of a step: what its file defines, and what its execution returns, as plain data. */
import type { AutomationAction, StepFields } from '@postrider/contract'
import type { JsonObject } from '../base/json/json.ts'
import type { Report } from '../base/schema/unknown-fields.ts'
import type { Engine, Statement } from '../database/engine.ts'
import type { FieldKinds } from './references/interpolation.ts'
import type { ReferenceScope } from './references/references.ts'
import type { RunStart, RunState, StepWait } from './run.ts'
import type { Effects, RunStore, StepChange, Verdict } from './run-store.ts'

/** A field that cannot be used; `field` is its path in the step. */
export class FieldInvalid extends Error {
  override readonly name = 'FieldInvalid'
  readonly field: string

  constructor(field: string, reason: string) {
    super(`${field} ${reason}`)
    this.field = field
  }
}

/** The step cannot be executed: the run ends here with this message. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
}

/** The process is about to stop: the step counts as not started. */
export class StepInterrupted extends Error {
  override readonly name = 'StepInterrupted'
}

/**
 * The default export of a step's file; the file name is the action. The contract has its fields, example and summary. A
 * step with an effect of its own names its type, and then it has to write it; without, it has none.
 */
export type StepBehavior<Action extends AutomationAction, Effect = never> = StepFunctions<Action, Effect> &
  ([Effect] extends [never] ? { effect?: never } : { effect: EffectWriter<Effect> })

/** Any of the steps with this action, whatever its effect. */
export type AnyStepBehavior<Action extends AutomationAction> = StepFunctions<Action, unknown> & {
  effect?: EffectWriter<unknown>
}

interface StepFunctions<Action extends AutomationAction, Effect> {
  /** How values are interpolated into fields. Default: as text. */
  fieldKinds?: FieldKinds
  /** Checks which fields are present, with references or without. Throws `FieldInvalid`. */
  checkPresence?(fields: JsonObject): void
  /** Checks values beyond the schema; before interpolation, fields with references are absent. Throws `FieldInvalid`. */
  check?(fields: Partial<StepFields<Action>>, now: number): void
  /** Compares the fields as written with the interpolated ones: a reference without a value is not an omitted field. Throws `FieldInvalid`. */
  checkInterpolated?(written: JsonObject, fields: JsonObject): void
  /** Before a run starts: checks literal parts of fields, and reports fields without effect. Throws a 400 that names the place. */
  checkWritten?(fields: JsonObject, written: WrittenStep): void
  /** The step needs the stored profile even if no field refers to it. */
  readsProfile?(fields: JsonObject): boolean
  /** The step sends the template of the run. */
  needsTemplate?(fields: JsonObject): boolean
  /** The `ref` of a later step at which the run may continue, and the field that names it. */
  laterRef?(fields: JsonObject): { field: string; ref: string } | undefined
  /** Ends a wait without interpolating the fields again: their values may have changed. Undefined: the step is executed again. */
  resume?(ctx: Pick<StepContext, 'state' | 'now'>): Next | undefined
  /** The same input gives the same transition: a step is executed again after a crash. */
  run(fields: StepFields<Action>, ctx: StepContext): Transition<Effect> | Promise<Transition<Effect>>
}

export interface WrittenStep {
  /** The place of the step in the request body. */
  at: string
  now: number
  report: Report
}

/** Writes the effect of a step (`ofStep` of its effects), once to the database and once to the data of a simulation. */
interface EffectWriter<Effect> {
  durable(effect: Effect, commit: StepCommit): CommitPart[] | Promise<CommitPart[]>
  inMemory(effect: Effect, data: SimulatedWrites): SimulatedWrite
}

declare const isWritten: unique symbol

/** Shows that the data of a simulation were written: only `SimulatedWrites` give one, so that no effect is left out there. */
export interface SimulatedWrite {
  readonly [isWritten]: true
  /** Values for the result of the step. */
  readonly result?: JsonObject
}

export interface StepCommit {
  engine: Engine
  run: RunStart
  position: number
  now: number
}

/** A statement in the commit of a step, and the verdict if it affects no row. */
export interface CommitPart {
  statement: Statement
  otherwise: Verdict
  /** Runs before the statement that records the step: locks are taken in one order. */
  isFirst?: true
}

/** The data of a simulation, as far as effects write it. */
export interface SimulatedWrites {
  saveProfile(recipient: string, profile: JsonObject): SimulatedWrite
  /** Adds the recipient to the list or removes it. */
  setSubscription(listId: string, recipient: string, isSubscribed: boolean): SimulatedWrite
  addDigestEvent(topicId: string, recipient: string, data: JsonObject): SimulatedWrite
  /** Cancels the other runs with this token; the result has their number. */
  cancelRuns(token: string): SimulatedWrite
}

export interface StepContext {
  run: RunStart
  state: RunState
  store: RunStore
  now: number
  scope: ReferenceScope
  /** Identifies the step in its automation: the same in all runs. */
  place: string
  /** The id of something the step creates: the same when the step is executed again. */
  id(name: string): string
  /** Completes a run that this one starts. Throws a 400 if its automation is invalid. */
  start(run: UnparsedRun): RunStart
}

/** A run whose automation is not parsed yet; its cancelation token and nested context are missing. Without `root` it is one itself. */
export type UnparsedRun = Omit<RunStart, 'cancelationToken' | 'root'> & { root?: string }

export type Transition<Effect = never> =
  | Next<Effect>
  /** The same step is executed again at `until`. */
  | { kind: 'wait'; until: number; waiting: StepWait; reason: string; fetched?: number }
  /** The same step is executed again at once: one page is done. */
  | { kind: 'page'; waiting: StepWait; effects: Effects<never>; result: JsonObject }
  | { kind: 'reserve'; key: string; max: number; periodMs: number; allowed: Next<Effect>; refused: RefusedReservation }
  | (Omit<Extract<StepChange, { kind: 'collect' }>, 'opened' | 'added'> & { until: number })
  | { kind: 'hold'; batchId: string; until: number }
  | { kind: 'close'; batchId: string; added: number; next: Next<Effect> }

export interface Next<Effect = never> {
  kind: 'next'
  data?: JsonObject
  /** Stored under the `ref` of the step. */
  ref?: JsonObject
  /** Stored with the step. */
  result?: JsonObject
  effects?: Effects<Effect>
  messageIds?: readonly string[]
  /** Why the step had no effect. */
  reason?: string
  /** Why the step was skipped. */
  skipped?: string
  fetched?: number
}

export type RefusedReservation =
  | { kind: 'ends'; status: 'THROTTLED' | 'ERROR'; reason: string }
  /** The run continues at the later step with this `ref`. */
  | { kind: 'goes_on'; at: string; reason: string }
