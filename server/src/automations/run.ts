/** An automation under way: what it was started with, how far it has come, where it stands. */
import type { JsonObject } from '../base/json/json.ts'
import type { Marks, Mode } from '../messages/send.ts'

export type RunStatus = 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED'
export type StepStatus = RunStatus | 'SKIPPED'

/** What lies below the fields of every step. Absent parts are absent, never null. */
export interface RunContext {
  brand?: string
  template?: string
  recipient?: string
  data?: JsonObject
  profile?: JsonObject
}

/** What never changes about a run. */
export interface RunStart {
  id: string
  workspaceId: number
  mode: Mode
  /** As it was given: `steps` and what lies beside them; read again by `readAutomation` when the run is worked on. */
  automation: JsonObject
  context: RunContext
  cancelationToken?: string
  templateId?: string
  /** `api`, `event/order.paid`, `schedule`, `invoke/<run id>`, `send-list/<run id>`. */
  source: readonly string[]
  /** 0, or one more than the run that started it. */
  depth: number
  /** The run at the beginning of a chain of invokes; this one when it was started from outside. */
  root: string
  created: number
  /** Of every message it sends, beside the run's id. */
  marks?: Marks
}

/** What every commit writes anew, as JSON. */
export interface RunState {
  /** The step that comes next. */
  position: number
  /** When that step became due: the time in the ids of what it makes, the same however often the step is begun. */
  since: number
  data: JsonObject
  /** By the `ref` of a step. Of a send `{messageId}`: its status is looked up when a step referenced it. */
  refs: Record<string, JsonObject>
  /** What the step at `position` was begun for and waits for. */
  waiting?: Waiting
  /** Steps begun, repetitions among them. */
  taken: number
  /** Bytes that were fetched. */
  fetched: number
}

export type Waiting =
  | { kind: 'delay'; until: number }
  | { kind: 'batch'; batchId: string }
  /** After a try that failed. */
  | { kind: 'fetch'; tries: number }
  /** Between two pages of a list. */
  | { kind: 'list'; after: string; started: number }

/** What is kept of one step; written again under the same position when the step goes on. */
export interface StepRecord {
  position: number
  action: string
  status: StepStatus
  started: number
  ended?: number
  result?: JsonObject
  /** Why it was skipped, what went wrong, or what it waits for. */
  reason?: string
  messageIds?: readonly string[]
}
