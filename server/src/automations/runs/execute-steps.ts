/** Executes the steps of a run until it waits, ends or is lost: each step is committed before the next one starts. */

import { bodyBytesMax } from '@postrider/contract'
import { during } from '../../base/activity.ts'
import { CallerError } from '../../base/errors.ts'
import { type Expression, ExpressionFailed, evaluate } from '../../base/expression/expression.ts'
import { childId, timedIdFloor } from '../../base/ids.ts'
import { type JsonObject, jsonBytes, valueAt } from '../../base/json/json.ts'
import { ContentInvalid } from '../../templates/failure.ts'
import { type Automation, type AutomationStep, checkResolved, readAutomation } from '../definition/automation.ts'
import { stepScope } from '../definition/step-scope.ts'
import { missingIn, resolve, ValuesTooLarge } from '../references/interpolation.ts'
import { ReferenceInvalid, type ReferenceScope } from '../references/references.ts'
import type { RunStart, RunState, StepRecord } from '../run.ts'
import type { RunStore, StepChange, StepOutcome, Verdict } from '../run-store.ts'
import {
  FieldInvalid,
  type Next,
  type RefusedReservation,
  type StepContext,
  StepFailed,
  type Transition,
} from '../step.ts'
import { behaviorOf } from '../steps/steps.generated.ts'
import { startRun } from './initial-state.ts'

/** Retries on conflict; each means that another commit wrote data that the step had read. */
const AGAIN_MAX = 20

/** Too many conflicts: the run is executed again after a pause. */
export class RetriedTooOften extends Error {
  override readonly name = 'RetriedTooOften'
}

/** The last outcome; undefined if the run was lost. `PROCESSING` only if `mayContinue` stopped it between two steps. */
export async function runUntilBlocked(
  run: RunStart,
  state: RunState,
  store: RunStore,
  mayContinue: () => boolean = () => true,
): Promise<StepOutcome | undefined> {
  const automation = read(run)
  let current = state
  let again = 0
  for (;;) {
    const change =
      'steps' in automation
        ? await during('run', run.id, 'beginning a step', () => executeStep(run, current, automation, store))
        : unreadable(current, automation.error, store)
    const verdict = await store.commit(run, change)
    if (verdict === 'lost') return undefined
    if (verdict === 'again') {
      again += 1
      if (again > AGAIN_MAX)
        throw new RetriedTooOften(`Data that the run ${run.id} had read was changed ${AGAIN_MAX} times meanwhile`)
      continue
    }
    again = 0
    const outcome = outcomeOf(change, verdict)
    if (outcome.status !== 'PROCESSING' || !mayContinue()) return outcome
    current = outcome.state
  }
}

/** An automation that an earlier release accepted can be invalid now: its run ends with the error. */
function read(run: RunStart): Automation | { error: string } {
  try {
    return readAutomation(run.automation, run.created)
  } catch (error) {
    if (error instanceof CallerError) return { error: error.message }
    throw error
  }
}

function unreadable(state: RunState, error: string, store: RunStore): StepChange {
  const { position, since } = state
  const step = { position, action: 'none', status: 'ERROR', started: since, ended: store.now(), reason: error } as const
  return { kind: 'plain', outcome: { step, state, status: 'ERROR', error } }
}

function outcomeOf(change: StepChange, verdict: Verdict): StepOutcome {
  switch (change.kind) {
    case 'reserve':
      return verdict === 'refused' ? change.refused : change.allowed
    case 'collect':
      return verdict === 'opened' ? change.opened : change.added
    default:
      return change.outcome
  }
}

/** Counts every step and every attempt; an automation has at most 100 steps. */
const TAKEN_MAX = 1_000
/** The maximum of data and results together, the size of a body. */
const STATE_BYTES_MAX = bodyBytesMax

/** Errors of the automation are outcomes; other errors, such as those of the database, are thrown. */
async function executeStep(
  run: RunStart,
  state: RunState,
  automation: Automation,
  store: RunStore,
): Promise<StepChange> {
  const step = automation.steps[state.position]
  if (!step) throw new Error(`The run ${run.id} has no step ${state.position}`)
  const now = store.now()
  const at: Position = { step, automation, now, state: { ...state, taken: state.taken + 1 } }
  const behavior = behaviorOf(step.action)
  let scope: ReferenceScope = {}
  try {
    if (at.state.taken > TAKEN_MAX) throw new StepFailed(`The run has started more than ${TAKEN_MAX} steps`)
    const resumed = state.waiting && behavior.resume?.({ state, now })
    if (resumed) return plain(advanced(at, resumed))
    scope = await stepScope(run, state, step.referenced, store)
    const skipped = state.waiting ? undefined : reasonToSkip(step.condition, scope)
    if (skipped) return plain(advanced(at, { kind: 'next' }, { status: 'SKIPPED', reason: skipped }))
    const fields = resolve(step.fields, scope, behavior.fieldKinds) as JsonObject
    checkNamed(step.fields, fields)
    checkResolved(step, fields, now)
    const place = step.ref ?? String(state.position)
    const id = (name: string) =>
      childId(store.secret, `${timedIdFloor(state.since)}${run.id}`, `${state.position} ${name}`)
    const ctx: StepContext = { run, state, store, now, scope, place, id, start: startRun }
    return changeOf(await behavior.run(fields as never, ctx), at)
  } catch (error) {
    return plain(failed(at, withMissingValues(errorText(error), step.fields, scope)))
  }
}

/** Fields of a step for which the run has a value of its own. */
const OVER_RUN = [
  ...[['recipient'], ['recipient_id'], ['template']],
  ...[['message'], ['message', 'to'], ['message', 'template']],
  ...[
    ['context', 'recipient'],
    ['context', 'template'],
  ],
]

/** A recipient, message or template of the step that has no value is not replaced by that of the run. */
function checkNamed(step: JsonObject, filled: JsonObject): void {
  for (const path of OVER_RUN)
    if (isGiven(valueAt(step, path)) && !isGiven(valueAt(filled, path)))
      throw new FieldInvalid(path.join('.'), 'is required')
}

/** An empty text is an unused field, as elsewhere. */
const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Explains an error about fields by their references without a value. */
function withMissingValues(error: string, fields: JsonObject, scope: ReferenceScope): string {
  const missing = missingIn(fields, scope).filter(({ field }) => error.includes(field))
  if (missing.length === 0) return error
  return missing.map(({ field, path }) => `${field} is \`${path}\`, which leads to no value`).join(' and ')
}

interface Position {
  step: AutomationStep
  automation: Automation
  now: number
  /** The state before the step, with this step counted. */
  state: RunState
}

const plain = (outcome: StepOutcome): StepChange => ({ kind: 'plain', outcome })

function reasonToSkip(condition: Expression | undefined, scope: ReferenceScope): string | undefined {
  if (!condition) return undefined
  try {
    return evaluate(condition, [scope]) ? undefined : `\`${condition.source}\` is not true`
  } catch (error) {
    if (error instanceof ExpressionFailed) return `\`${condition.source}\` failed: ${error.message}`
    throw error
  }
}

/** The message of an error of the automation or its data; other errors are thrown again. */
function errorText(error: unknown): string {
  const errorClass = [
    StepFailed,
    FieldInvalid,
    CallerError,
    ExpressionFailed,
    ContentInvalid,
    ReferenceInvalid,
    ValuesTooLarge,
  ]
  if (error instanceof Error && errorClass.some((kind) => error instanceof kind)) return error.message.trim()
  throw error
}

function changeOf(act: Transition<unknown>, at: Position): StepChange {
  switch (act.kind) {
    case 'next':
      return { kind: 'plain', outcome: advanced(at, act), ...(act.effects && { effects: act.effects }) }
    case 'wait': {
      const fetched = act.fetched ?? at.state.fetched
      const state = { ...at.state, waiting: act.waiting, fetched }
      return plain({ step: record(at, 'WAITING', { reason: act.reason }), state, status: 'WAITING', due: act.until })
    }
    case 'page': {
      // A page of a list does not count as a step.
      const state = { ...at.state, taken: at.state.taken - 1, waiting: act.waiting }
      const step = record(at, 'PROCESSING', { result: act.result })
      return { kind: 'plain', outcome: { step, state, status: 'PROCESSING' }, effects: act.effects }
    }
    case 'reserve': {
      const { allowed, refused, ...reserve } = act
      const { effects } = allowed
      return {
        ...reserve,
        allowed: advanced(at, allowed),
        refused: throttled(at, refused),
        ...(effects && { effects }),
      }
    }
    case 'collect': {
      const { kind, batch, item, until } = act
      const state = { ...at.state, waiting: { kind: 'batch', batchId: batch.id } } as const
      const step = record(at, 'WAITING', { reason: 'the batch is open' })
      const added = record(at, 'PROCESSED', { result: { added: true }, reason: 'added to an open batch' })
      return {
        kind,
        batch,
        item,
        opened: { step, state, status: 'WAITING', due: until },
        // The run can be resumed to wait instead of a canceled run.
        added: { step: added, state, status: 'PROCESSED' },
      }
    }
    case 'hold': {
      const step = record(at, 'WAITING', { reason: 'the batch is open' })
      // Checking a batch again does not count as a step.
      const state = { ...at.state, taken: at.state.taken - 1 }
      return { kind: 'hold', batchId: act.batchId, outcome: { step, state, status: 'WAITING', due: act.until } }
    }
    case 'close':
      return { kind: 'close', batchId: act.batchId, added: act.added, outcome: advanced(at, act.next) }
  }
}

/** The step is done: its result is in the state, and the next step is due now. */
function advanced(
  at: Position,
  next: Next<unknown>,
  details: Partial<StepRecord> = {},
  to = at.state.position + 1,
): StepOutcome {
  const { step, automation, now } = at
  const { waiting: _waiting, ...before } = at.state
  const state: RunState = {
    ...before,
    position: to,
    since: now,
    ...(next.data && { data: next.data }),
    ...(next.ref && step.ref !== undefined && { refs: { ...before.refs, [step.ref]: next.ref } }),
    ...(next.fetched !== undefined && { fetched: next.fetched }),
  }
  if ((next.data || next.ref) && jsonBytes(state) > STATE_BYTES_MAX)
    throw new StepFailed(`The data of the run would be larger than ${STATE_BYTES_MAX / 1_048_576} MB`)
  const kept = {
    ...(next.result && { result: next.result }),
    ...(next.messageIds && { messageIds: next.messageIds }),
    ...(next.reason !== undefined && { reason: next.reason }),
    ...(next.skipped !== undefined && { status: 'SKIPPED' as const, reason: next.skipped }),
    ...details,
  }
  const status = to < automation.steps.length ? 'PROCESSING' : 'PROCESSED'
  return { step: record(at, 'PROCESSED', kept), state, status }
}

function throttled(at: Position, refused: RefusedReservation): StepOutcome {
  if (refused.kind === 'goes_on') {
    const to = at.automation.steps.findIndex(({ ref }, index) => index > at.state.position && ref === refused.at)
    // A run keeps its own steps, so the ref that was validated at its start exists.
    if (to < 0) throw new StepFailed(`No later step has the ref \`${refused.at}\``)
    return advanced(at, { kind: 'next' }, { status: 'THROTTLED', reason: refused.reason }, to)
  }
  if (refused.status === 'ERROR') return failed(at, refused.reason)
  return { step: record(at, 'THROTTLED', { reason: refused.reason }), state: at.state, status: 'THROTTLED' }
}

function failed(at: Position, reason: string): StepOutcome {
  const { action } = at.step
  const error = `steps.${at.state.position} (${action}): ${reason}`
  return { step: record(at, 'ERROR', { reason }), state: at.state, status: 'ERROR', error }
}

function record(
  { step, state, now }: Position,
  status: StepRecord['status'],
  details: Partial<StepRecord>,
): StepRecord {
  const isOver = status !== 'WAITING' && status !== 'PROCESSING'
  const { position, since } = state
  return { position, action: step.action, status, started: since, ...(isOver && { ended: now }), ...details }
}
