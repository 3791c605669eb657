/** The run store in memory, with a clock of its own: runs take the same steps, nothing is sent, waiting takes no time. */
import type { MessageStatus } from '@postrider/contract'
import type { JsonObject } from '../../base/json/json.ts'
import { type Pace, startPace } from '../../base/time/time-budget.ts'
import type { RunStart, RunState, RunStatus, StepRecord } from '../run.ts'
import type { Change, Effects, Outcome, RunStore, Verdict } from '../run-store.ts'
import { firstState } from '../runs/initial-state.ts'
import { runUntilBlocked } from '../runs/run-until-blocked.ts'
import { type Counters, createCounters } from './in-memory-counters.ts'
import {
  type DigestEvent,
  type RehearsedEffects,
  rehearsedEffects,
  type SimulatedRequest,
  type SimulatedSend,
} from './in-memory-effects.ts'
import type { WrittenProfile } from './in-memory-profiles.ts'
import { firstDue, isOver } from './in-memory-runs.ts'

/** What the store knows beside what happens in it. */
export interface SimulationData {
  /** `written`, by a run, counts as the stored one. */
  profile(recipient: string, tenantId?: string, written?: JsonObject): Promise<JsonObject | undefined>
  template(name: string): Promise<{ id: string; automation: JsonObject } | undefined>
  subscribers(listId: string, after: string, limit: number): Promise<readonly string[]>
  ask: RunStore['ask']
  digestRefusal(topicId: string, data: JsonObject): Promise<string | undefined>
  digestUnwanted(topicId: string, recipient: string, now: number): Promise<string | undefined>
  /** What has become of a message by now; of one whose step has no `ref` that is undefined. */
  statusOf(ref: string | undefined, message: SimulatedSend, now: number): MessageStatus | Promise<MessageStatus>
}

export interface SimulatedRun {
  start: RunStart
  state: RunState
  status: RunStatus
  /** Of a live one: when it goes on. */
  due: number
  error?: string
  /** By position. */
  steps: Map<number, StepRecord>
}

export interface InMemoryRuns {
  now(): number
  readonly runs: ReadonlyMap<string, SimulatedRun>
  readonly sends: readonly SimulatedSend[]
  readonly requests: readonly SimulatedRequest[]
  readonly collected: readonly DigestEvent[]
  /** What runs had written by then. */
  profilesBy(moment: number): WrittenProfile
  /** It goes on at `created`. */
  begin(start: RunStart): void
  /** Until nothing is left to do, or until a moment; false when it did more than anybody can read. */
  play(until?: number): Promise<boolean>
}

/** A simulation is for people: beyond this many runs or turns it stops and says so. */
const RUNS_MAX = 1_000
const TURNS_MAX = 10_000
/** Real time. */
const PLAY_MS_MAX = 5_000

/** All there is in this store. */
interface Memory {
  now: number
  runs: Map<string, SimulatedRun>
  effects: RehearsedEffects
  counters: Counters
  pace: Pace
}

export function createInMemoryRuns(given: SimulationData, secret: Buffer, start: number): InMemoryRuns {
  const memory: Memory = {
    now: start,
    runs: new Map(),
    effects: rehearsedEffects(),
    pace: startPace(PLAY_MS_MAX),
    counters: createCounters((runId) => {
      const owner = memory.runs.get(runId)
      if (owner) owner.due = memory.now
    }),
  }
  const store = worldOf(memory, given, secret)
  const { runs, effects } = memory
  const { sends, requests, collected, profiles } = effects
  return {
    now: () => memory.now,
    runs,
    sends,
    requests,
    collected,
    profilesBy: profiles.by,
    begin: (run) => begin(memory, run),
    async play(until = Number.POSITIVE_INFINITY) {
      memory.pace = startPace(PLAY_MS_MAX)
      for (let turns = 0; turns < TURNS_MAX && runs.size <= RUNS_MAX; turns += 1) {
        if (memory.pace.isOver()) break
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

function worldOf(memory: Memory, given: SimulationData, secret: Buffer): RunStore {
  const { runs, counters } = memory
  const { sends, profiles, keys } = memory.effects
  return {
    secret,
    now: () => memory.now,
    async statuses(_workspaceId, ids) {
      const statuses = new Map<string, MessageStatus>()
      for (const message of sends.filter(({ id }) => ids.includes(id)))
        statuses.set(message.id, await given.statusOf(refOf(memory, message.id), message, memory.now))
      return statuses
    },
    async profile(_workspaceId, recipient, tenantId) {
      const written = profiles.last(recipient)
      if (written && tenantId === undefined) return written
      const profile = await given.profile(recipient, tenantId, written?.profile)
      return profile && { profile, version: 0 }
    },
    template: (_workspaceId, name) => given.template(name),
    // Of a list of millions the first thousand are enough to see that it is too long.
    subscribers: async (_workspaceId, listId, after, limit) =>
      runs.size > RUNS_MAX ? [] : given.subscribers(listId, after, limit),
    resultOfKey: async (_workspaceId, key) => keys.resultOfKey(key, memory.now),
    batch: async (id) => counters.batch(id),
    batchItems: async (id, from, limit) => counters.items(id, from, limit),
    digestRefusal: (_workspaceId, topicId, data) => given.digestRefusal(topicId, data),
    digestUnwanted: ({ topicId, recipient }) => given.digestUnwanted(topicId, recipient, memory.now),
    ask: (request, timeoutMs) => given.ask(request, timeoutMs),
    async commit({ id }, change) {
      await memory.pace.breathe()
      // However many steps a turn has.
      if (memory.pace.isOver()) return 'lost'
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

function begin({ runs }: Memory, start: RunStart): void {
  if (runs.has(start.id)) return
  const state = firstState(start)
  runs.set(start.id, { start, state, status: 'PROCESSING', due: start.created, steps: new Map() })
}

function commit(memory: Memory, run: SimulatedRun, change: Change): Verdict {
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

function take(memory: Memory, run: SimulatedRun, outcome: Outcome, effects: Effects = {}): void {
  const { now } = memory
  const { step, state, status, due = now, error } = outcome
  if (status === 'ERROR') memory.counters.drop(run.start.id)
  Object.assign(run, { state, status, due, ...(error !== undefined && { error }) })
  run.steps.set(step.position, step)
  memory.effects.take(effects, { at: now, runId: run.start.id, position: step.position })
  for (const child of effects.runs ?? []) begin(memory, child)
  if (effects.cancel !== undefined) {
    const result = { ...step.result, canceled: cancel(memory, effects.cancel, run) }
    run.steps.set(step.position, { ...step, result })
  }
}

/** The first of those that had added to the batch of a canceled run goes on in its place. */
function handOn({ runs, counters, now }: Memory): void {
  const heir = counters.handOn(now, (runId) => {
    const waiting = runs.get(runId)?.state.waiting
    return waiting?.kind === 'batch' ? waiting.batchId : undefined
  })
  const run = heir === undefined ? undefined : runs.get(heir)
  if (run) Object.assign(run, { status: 'WAITING', due: now })
}

/** How many. */
function cancel({ runs, counters, now }: Memory, token: string, by: SimulatedRun): number {
  const held = [...runs.values()].filter(({ start }) => start.cancelationToken === token && start.created <= now)
  const canceled = held.filter((run) => run !== by && !isOver(run.status))
  for (const run of canceled) {
    run.status = 'CANCELED'
    counters.leave(run.start.id)
  }
  return canceled.length
}
