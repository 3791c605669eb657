/** The store and the effects of runs, as an interface: one implementation is durable, one is in memory for simulations. */
import type { MessageStatus } from '@postrider/contract'
import type { Failure, HttpReply, HttpRequest } from '../base/exchange.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Idempotency, Marks, Send, SharedInput } from '../messages/send.ts'
import type { Target } from '../recipients/read-recipients.ts'
import type { DigestRecipient } from './digest-preference.ts'
import type { RunStart, RunState, StepRecord } from './run.ts'

export interface RunStore {
  /** The ids of what steps make are digests under it. */
  readonly secret: Buffer
  now(): number
  /** Of the messages that are there. */
  statuses(workspaceId: number, messageIds: readonly string[]): Promise<ReadonlyMap<string, MessageStatus>>
  /** As it is stored; in a tenant: with what the tenants and the membership say, and then without a version. */
  profile(workspaceId: number, recipient: string, tenantId?: string): Promise<StoredProfile | undefined>
  /** An automation template by id or alias. */
  template(workspaceId: number, name: string): Promise<{ id: string; automation: JsonObject } | undefined>
  /** Who is subscribed to a list, in order, after one of them. */
  subscribers(workspaceId: number, listId: string, after: string, limit: number): Promise<readonly string[]>
  /** `{messageId}` or `{requestId}` of the step that used the key before. */
  resultOfKey(workspaceId: number, key: Pick<Idempotency, 'route' | 'key'>): Promise<JsonObject | undefined>
  /** Undefined when it is gone. */
  batch(batchId: string): Promise<Batch | undefined>
  /** The items at these positions, which count from 1 without a gap. */
  batchItems(batchId: string, from: number, limit: number): Promise<readonly JsonObject[]>
  /** Why these data cannot be kept for a digest of this topic; undefined when they can. */
  digestRefusal(workspaceId: number, topicId: string, data: JsonObject): Promise<string | undefined>
  /** Why the recipient wants nothing collected for it; undefined when it is wanted. */
  digestUnwanted(wish: DigestRecipient): Promise<string | undefined>
  /** Never throws: a failure is a value. */
  ask(request: HttpRequest, timeoutMs: number): Promise<HttpReply | Failure>
  /** The whole of a change in one commit, under the lease of the run. */
  commit(run: RunStart, change: Change): Promise<Verdict>
}

export interface StoredProfile {
  profile: JsonObject
  version?: number
}

export interface Batch {
  items: number
  /** With those of canceled runs, which were taken out again. */
  added: number
  closesAt: number
  /** It has as many items as it takes. */
  full: boolean
}

/** Where a run stands after a commit, and what is kept of the step. */
export interface Outcome {
  step: StepRecord
  state: RunState
  /** `PROCESSING`: the next step is begun at once. */
  status: 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'ERROR' | 'THROTTLED'
  /** Of a run that waits. */
  due?: number
  /** Of a run that ended with `ERROR`. */
  error?: string
}

export type Change =
  | { kind: 'plain'; outcome: Outcome; effects?: Effects }
  /** One use of a counter whose period begins with the first; above the maximum `refused`, without the effects. */
  | {
      kind: 'reserve'
      key: string
      max: number
      periodMs: number
      allowed: Outcome
      refused: Outcome
      effects?: Effects
    }
  /**
   * Into the open batch of this key; or into a new one, whose run waits until it closes (`due` is set by the store). When
   * that run is canceled, the next that adds waits in its place, or, when the batch closes, the first that had added.
   */
  | {
      kind: 'collect'
      batch: { id: string; key: string; waitMs: number; maxWaitMs: number; maxItems: number }
      item: JsonObject
      opened: Outcome
      added: Outcome
    }
  /** The batch is not to be closed yet: the run waits until it is. The store sets `due`: now when it is full meanwhile. */
  | { kind: 'hold'; batchId: string; outcome: Outcome }
  /** Removes the batch with its items, if still so many were added and it is to be closed; otherwise `again`. */
  | { kind: 'close'; batchId: string; added: number; outcome: Outcome }

export type Verdict =
  | 'done'
  | 'allowed'
  | 'refused'
  | 'opened'
  | 'added'
  /** What was read has changed meanwhile: nothing is stored, the step is to be looked at once more. */
  | 'again'
  /** The run was canceled or is in other hands: nothing is stored. */
  | 'lost'

/** What a step does beside its record, in the same commit. */
export interface Effects {
  /** A message that is there already is left alone; `again` when its key was used meanwhile. */
  sends?: readonly { id: string; lane: number; send: Send }[]
  /** A send to many, as a request to be expanded; `again` when its key was used meanwhile. */
  request?: RequestEffect
  /** Compared with the version that was read (undefined: there was none); `again` when another write came first. */
  profile?: { recipient: string; profile: JsonObject; version: number | undefined }
  /** Every other run in progress that holds this token. */
  cancel?: string
  /** One that is there already is left alone. */
  runs?: readonly RunStart[]
  digest?: { id: string; topicId: string; recipient: string; data: JsonObject }
}

export interface RequestEffect {
  id: string
  kind: 'send' | 'list'
  shared: SharedInput
  addressing: { targets: readonly Target[]; marks: Marks; notBefore?: number }
  idempotency?: Idempotency
}
