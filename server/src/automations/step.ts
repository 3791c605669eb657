/** What a step is for the core: which faults its fields can have, and what it wants, as plain data. */
import type { AutomationAction, StepFields } from '@postrider/contract'
import type { JsonObject } from '../base/json/json.ts'
import type { FieldKinds } from './references/field-kinds.ts'
import type { Scope } from './references/references.ts'
import type { RunStart, RunState, Waiting } from './run.ts'
import type { Change, Effects, RunStore } from './run-store.ts'

/** A field that cannot be used; `field` is its path in the step. */
export class FieldInvalid extends Error {
  override readonly name = 'FieldInvalid'

  constructor(field: string, fault: string) {
    super(`${field} ${fault}`)
  }
}

/** The step cannot do what it is for: the run ends here, with this sentence. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
}

/** The process is about to stop: as if the step had not been begun. */
export class StepInterrupted extends Error {
  override readonly name = 'StepInterrupted'
}

export interface StepContext {
  run: RunStart
  state: RunState
  store: RunStore
  now: number
  scope: Scope
  /** Names the place in the automation among all runs of it. */
  place: string
  /** Of what the step makes: the same whenever it is begun again. */
  id(name: string): string
  /** A run that this one starts. Throws a 400 when its automation cannot be read. */
  start(run: UnparsedRun): RunStart
}

/** A run whose automation is still to be read, for its token and what stands in it of a context. Without a `root` it is one itself. */
export type UnparsedRun = Omit<RunStart, 'cancelationToken' | 'root'> & { root?: string }

export type Transition =
  | Next
  /** The same step comes again then. */
  | { kind: 'wait'; until: number; waiting: Waiting; reason: string; fetched?: number }
  /** The same step comes again at once: one page is done. */
  | { kind: 'page'; waiting: Waiting; effects: Effects; result: JsonObject }
  | { kind: 'reserve'; key: string; max: number; periodMs: number; allowed: Next; refused: Refused }
  | (Omit<Extract<Change, { kind: 'collect' }>, 'opened' | 'added'> & { until: number })
  | { kind: 'hold'; batchId: string; until: number }
  | { kind: 'close'; batchId: string; added: number; next: Next }

export interface Next {
  kind: 'next'
  data?: JsonObject
  /** What is kept under the step's `ref`. */
  ref?: JsonObject
  /** What is kept with the step. */
  result?: JsonObject
  effects?: Effects
  messageIds?: readonly string[]
  /** Why it did not do what it is for. */
  reason?: string
  /** Why it had nothing to do, where nobody wants it. */
  skipped?: string
  fetched?: number
}

export type Refused =
  | { kind: 'ends'; status: 'THROTTLED' | 'ERROR'; reason: string }
  /** At a later step with this `ref`. */
  | { kind: 'goes_on'; at: string; reason: string }

export interface StepBehavior<Action extends AutomationAction> {
  /** Looks at what the schema cannot say; fields that hold references are absent before they are filled in. Throws `FieldInvalid`. */
  check?(fields: Partial<StepFields<Action>>, now: number): void
  /** Which fields are there at all, whatever they refer to. Throws `FieldInvalid`. */
  shape?(given: JsonObject): void
  /** Compares the step as it is written with its values: a reference without a value is not a field left out. Throws `FieldInvalid`. */
  resolved?(written: JsonObject, values: JsonObject): void
  /** Before a run is started: looks at what stands there literally, whatever else refers to something. Throws `FieldInvalid`. */
  written?(given: JsonObject): void
  /** Fields that are more than texts when they are filled in. */
  fieldKinds?: FieldKinds
  act(fields: StepFields<Action>, ctx: StepContext): Transition | Promise<Transition>
}
