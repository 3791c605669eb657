/** The run store in memory, with a clock of its own: runs execute the same steps, nothing is sent, waiting takes no time. */
import { type AutomationAction, automationSteps, type MessageStatus, type StepDefinition } from '@postrider/contract'
import { startTimeBudget, type TimeBudget } from '../../base/budget.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { Lists } from '../../recipients/sources.ts'
import type { RunStart, RunState, RunStatus, StepRecord } from '../run.ts'
import type { Effects, RunStore, StepChange, StepOutcome, Verdict } from '../run-store.ts'
import { runUntilBlocked } from '../runs/execute-steps.ts'
import { firstState } from '../runs/initial-state.ts'
import { behaviorOf } from '../steps/steps.generated.ts'
import {
  type Counters,
  createCounters,
  createInMemoryData,
  type InMemoryData,
  simulatedWrite,
} from './in-memory-data.ts'

/** Data that runs read and do not write. */
export interface SimulationData {
  /** `written` by a run replaces the stored profile. */
  profile(recipient: string, tenantId?: string, written?: JsonObject): Promise<JsonObject | undefined>
  template(name: string): Promise<{ id: string; automation: JsonObject } | undefined>
  lists: Lists
  sendRequest: RunStore['sendRequest']
  digestProblem(topicId: string, data: JsonObject): Promise<string | undefined>
  digestOptOut(topicId: string, recipient: string, now: number): Promise<string | undefined>
  /** The status of a message at this time; `ref` is undefined if its step has none. */
  statusOf(
    ref: string | undefined,
    message: InMemoryData['sends'][number],
    now: number,
  ): MessageStatus | Promise<MessageStatus>
}

export interface SimulatedRun {
  start: RunStart
  state: RunState
  status: RunStatus
  /** When a run in progress continues. */
  due: number
  error?: string
  /** By position. */
  steps: Map<number, StepRecord>
}

export interface InMemoryRuns {
  now(): number
  readonly runs: ReadonlyMap<string, SimulatedRun>
  readonly data: Pick<InMemoryData, 'sends' | 'requests' | 'digestEvents' | 'writtenBy'>
  /** The run starts at `created`. */
  start(start: RunStart): void
  /** Executes runs until all have ended, or until a time; false if a limit stopped it. */
  play(until?: number): Promise<boolean>
}

/** A simulation with more runs or turns is stopped: its reply would be too long to read. */
const RUNS_MAX = 1_000
const TURNS_MAX = 10_000
/** Real time, in contrast to the clock of the simulation. */
const PLAY_MS_MAX = 5_000

interface Memory {
  now: number
  runs: Map<string, SimulatedRun>
  data: InMemoryData
  counters: Counters
  budget: TimeBudget
}

export function createInMemoryRuns(source: SimulationData, secret: Buffer, start: number): InMemoryRuns {
  const memory: Memory = {
    now: start,
    runs: new Map(),
    data: createInMemoryData(),
    budget: startTimeBudget(PLAY_MS_MAX),
    counters: createCounters((runId) => {
      const owner = memory.runs.get(runId)
      if (owner) owner.due = memory.now
    }),
  }
  const store = storeOf(memory, source, secret)
  const { runs, data } = memory
  return {
    now: () => memory.now,
    runs,
    data,
    start: (run) => startRun(memory, run),
    async play(until = Number.POSITIVE_INFINITY) {
      memory.budget = startTimeBudget(PLAY_MS_MAX)
      for (let turns = 0; turns < TURNS_MAX && runs.size <= RUNS_MAX; turns += 1) {
        if (memory.budget.isOver()) break
        const run = firstDue(runs)
        const left = memory.counters.nextLeft()
        if (left !== undefined && left <= Math.min(run?.due ?? left, until)) {
          memory.now = Math.max(memory.now, left)
          handOn(memory)
          continue
        }
        if (!run || run.due > until) {
          if (until !== Number.POSITIVE_INFINITY) memory.now = Math.max(memory.now, until)
          return true
        }
        memory.now = Math.max(memory.now, run.due)
        await runUntilBlocked(run.start, run.state, store)
      }
      return false
    },
  }
}

function storeOf(memory: Memory, source: SimulationData, secret: Buffer): RunStore {
  const { runs, counters, data } = memory
  return {
    secret,
    now: () => memory.now,
    async statuses(_workspaceId, ids) {
      const statuses = new Map<string, MessageStatus>()
      for (const message of data.sends.filter(({ id }) => ids.includes(id)))
        statuses.set(message.id, await source.statusOf(refOf(memory, message.id), message, memory.now))
      return statuses
    },
    async profile(_workspaceId, recipient, tenantId) {
      const written = data.profile(recipient)
      if (written && tenantId === undefined) return written
      const profile = await source.profile(recipient, tenantId, written?.profile)
      return profile && { profile, version: 0 }
    },
    template: (_workspaceId, name) => source.template(name),
    async subscribers(_workspaceId, listId, after, limit) {
      // The simulation of a list of millions has been stopped by now.
      if (runs.size > RUNS_MAX) return []
      const rows = await data.writtenByNow().lists(source.lists).recipients([listId], after, limit)
      return rows.map(({ recipient }) => recipient)
    },
    useOfKey: async (_workspaceId, key) => data.useOfKey(key, memory.now),
    batch: async (id) => counters.batch(id),
    batchItems: async (id, from, limit) => counters.items(id, from, limit),
    digestProblem: (_workspaceId, topicId, data) => source.digestProblem(topicId, data),
    digestOptOut: ({ topicId, recipient }) => source.digestOptOut(topicId, recipient, memory.now),
    sendRequest: (request, timeoutMs) => source.sendRequest(request, timeoutMs),
    async commit({ id }, change) {
      await memory.budget.yieldToEventLoop()
      // Checked for each commit: a turn can have many steps.
      if (memory.budget.isOver()) return 'lost'
      const run = runs.get(id)
      return !run || isOver(run.status) ? 'lost' : commit(memory, run, change)
    },
  }
}

function refOf({ runs }: Memory, messageId: string): string | undefined {
  for (const { state } of runs.values())
    for (const [name, ref] of Object.entries(state.refs)) if (ref.messageId === messageId) return name
  return undefined
}

function startRun({ runs }: Memory, start: RunStart): void {
  if (runs.has(start.id)) return
  const state = firstState(start)
  runs.set(start.id, { start, state, status: 'PROCESSING', due: start.created, steps: new Map() })
}

function commit(memory: Memory, run: SimulatedRun, change: StepChange): Verdict {
  const { counters, now } = memory
  const { id, mode } = run.start
  switch (change.kind) {
    case 'plain':
      take(memory, run, change.outcome, change.effects)
      return 'done'
    case 'reserve': {
      const allowed = counters.reserve(`${mode} ${change.key}`, change, now)
      if (allowed) take(memory, run, change.allowed, change.effects)
      else take(memory, run, change.refused)
      return allowed ? 'allowed' : 'refused'
    }
    case 'collect': {
      const batch = { ...change.batch, key: `${mode} ${change.batch.key}` }
      const { opened, due } = counters.collect(batch, change.item, id, now)
      take(memory, run, opened ? { ...change.opened, due } : change.added)
      return opened ? 'opened' : 'added'
    }
    case 'hold':
      take(memory, run, { ...change.outcome, due: counters.due(change.batchId, now) })
      return 'done'
    case 'close':
      if (!counters.close(change.batchId, change.added, now)) return 'again'
      take(memory, run, change.outcome)
      return 'done'
  }
}

function take(memory: Memory, run: SimulatedRun, outcome: StepOutcome, effects: Effects = {}): void {
  const { now, data, counters } = memory
  const { step, state, status, due = now, error } = outcome
  if (status === 'ERROR') counters.drop(run.start.id)
  Object.assign(run, { state, status, due, ...(error !== undefined && { error }) })
  data.send(effects, { at: now, runId: run.start.id, position: step.position })
  for (const child of effects.runs ?? []) startRun(memory, child)
  const result = effects.ofStep === undefined ? undefined : writeOwn(memory, run, step, effects.ofStep)
  run.steps.set(step.position, result ? { ...step, result: { ...step.result, ...result } } : step)
}

function writeOwn(memory: Memory, run: SimulatedRun, { action }: StepRecord, effect: unknown): JsonObject | undefined {
  const cancelRuns = (token: string) => simulatedWrite({ canceled: cancel(memory, token, run) })
  const writes = { ...memory.data.writes(memory.now), cancelRuns }
  return behaviorOf(action as AutomationAction).effect?.inMemory(effect, writes).result
}

/** The first run that added to the batch of a canceled run continues in its place. */
function handOn({ runs, counters, now }: Memory): void {
  const successor = counters.handOn(now, (runId) => {
    const waiting = runs.get(runId)?.state.waiting
    return waiting?.kind === 'batch' ? waiting.batchId : undefined
  })
  const run = successor === undefined ? undefined : runs.get(successor)
  if (run) Object.assign(run, { status: 'WAITING', due: now })
}

/** Returns the number of canceled runs. */
function cancel({ runs, counters, now }: Memory, token: string, by: SimulatedRun): number {
  const runsOfToken = [...runs.values()].filter(({ start }) => start.cancelationToken === token && start.created <= now)
  const canceled = runsOfToken.filter((run) => run !== by && !isOver(run.status))
  for (const run of canceled) {
    run.status = 'CANCELED'
    counters.leave(run.start.id)
  }
  return canceled.length
}

const isOver = (status: RunStatus) => status !== 'PROCESSING' && status !== 'WAITING'

/** The run to execute next. At the same time, a run that cancels others comes first, else the one that began first. */
function firstDue(runs: ReadonlyMap<string, SimulatedRun>): SimulatedRun | undefined {
  let first: SimulatedRun | undefined
  for (const run of runs.values()) {
    if (isOver(run.status) || (first && run.due > first.due)) continue
    if (!first || run.due < first.due || (isCanceling(run) && !isCanceling(first))) first = run
  }
  return first
}

/** Whether a step that cancels comes before the next one that waits. The current wait is over when the run is due. */
function isCanceling({ start: { automation }, state: { position } }: SimulatedRun): boolean {
  const steps = Array.isArray(automation.steps) ? automation.steps.slice(position) : []
  for (const [index, step] of steps.entries()) {
    const action = isObject(step) ? String(step.action).replaceAll('_', '-') : ''
    const { cancels, waits }: Partial<StepDefinition> = Object.hasOwn(automationSteps, action)
      ? automationSteps[action as AutomationAction]
      : {}
    if (cancels) return true
    if (index > 0 && waits) return false
  }
  return false
}
