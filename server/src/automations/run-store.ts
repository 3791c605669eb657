/** The store of runs as an interface: one implementation is durable, one is in memory for simulations. */
import type { MessageStatus } from '@postrider/contract'
import type { Failure, HttpReply, HttpRequest } from '../base/exchange.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Idempotency, Marks, Send, SharedInput } from '../messages/send.ts'
import type { Target } from '../recipients/read-recipients.ts'
import type { RunStart, RunState, StepRecord } from './run.ts'

export interface KeyedStep {
  /** `{messageId}` or `{requestId}`; empty where it cannot be decrypted any more. */
  result: JsonObject
  /** That of its recipients; absent where none was stored. */
  digest?: string
}

export interface RunStore {
  /** Ids of what steps create are digests under it. */
  readonly secret: Buffer
  now(): number
  /** The statuses of messages that exist. */
  statuses(workspaceId: number, messageIds: readonly string[]): Promise<ReadonlyMap<string, MessageStatus>>
  /** The stored profile; with a tenant, merged with those of the tenants and the membership, without a version. */
  profile(workspaceId: number, recipient: string, tenantId?: string): Promise<StoredProfile | undefined>
  /** An automation template by id or alias. */
  template(workspaceId: number, name: string): Promise<{ id: string; automation: JsonObject } | undefined>
  /** A page of the subscribers of a list, in order. */
  subscribers(workspaceId: number, listId: string, after: string, limit: number): Promise<readonly string[]>
  /** The step that used the idempotency key before. */
  useOfKey(workspaceId: number, key: Pick<Idempotency, 'route' | 'key'>): Promise<KeyedStep | undefined>
  /** Undefined if the batch does not exist any more. */
  batch(batchId: string): Promise<Batch | undefined>
  /** The items from this position, which count from 1 without a gap. */
  batchItems(batchId: string, from: number, limit: number): Promise<readonly JsonObject[]>
  /** Why the data cannot be added to a digest of the topic; undefined if they can. */
  digestProblem(workspaceId: number, topicId: string, data: JsonObject): Promise<string | undefined>
  /** Why preferences of the recipient exclude the digest; undefined if they do not. */
  digestOptOut(digest: DigestRecipient): Promise<string | undefined>
  /** Never throws: a failure is a value. */
  sendRequest(request: HttpRequest, timeoutMs: number): Promise<HttpReply | Failure>
  /** Writes the whole change in one commit, under the lease of the run. */
  commit(run: RunStart, change: StepChange): Promise<Verdict>
}

export interface DigestRecipient {
  workspaceId: number
  topicId: string
  recipient: string
}

export interface StoredProfile {
  profile: JsonObject
  version?: number
}

export interface Batch {
  items: number
  /** Includes items of canceled runs, which were removed again. */
  added: number
  closesAt: number
  /** It has its maximum of items. */
  full: boolean
}

/** The state of a run after a commit, and the record of its step. */
export interface StepOutcome {
  step: StepRecord
  state: RunState
  /** `PROCESSING`: the next step starts at once. */
  status: 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'ERROR' | 'THROTTLED'
  /** When a waiting run continues. */
  due?: number
  /** Why a run ended with `ERROR`. */
  error?: string
}

export type StepChange =
  | { kind: 'plain'; outcome: StepOutcome; effects?: Effects }
  /** One use of a counter whose period begins with the first; above the maximum `refused`, without the effects. */
  | {
      kind: 'reserve'
      key: string
      max: number
      periodMs: number
      allowed: StepOutcome
      refused: StepOutcome
      effects?: Effects
    }
  /**
   * Adds an item to the open batch with this key, or opens one, whose run waits until it closes (the store sets `due`).
   * If that run is canceled, the next that adds an item waits instead, or, when the batch closes, the first that added one.
   */
  | {
      kind: 'collect'
      batch: { id: string; key: string; waitMs: number; maxWaitMs: number; maxItems: number }
      item: JsonObject
      opened: StepOutcome
      added: StepOutcome
    }
  /** The batch stays open and the run waits until it closes. The store sets `due`: now if the batch is full by then. */
  | { kind: 'hold'; batchId: string; outcome: StepOutcome }
  /** Removes the batch with its items if the number of added items is unchanged and it is due; otherwise `again`. */
  | { kind: 'close'; batchId: string; added: number; outcome: StepOutcome }

export type Verdict =
  | 'done'
  | 'allowed'
  | 'refused'
  | 'opened'
  | 'added'
  /** Data that the step read has changed: nothing is stored, the step is executed again. */
  | 'again'
  /** The run was canceled, or another worker has its lease: nothing is stored. */
  | 'lost'

/** The writes of a step besides its record, in the same commit. */
export interface Effects<Own = unknown> {
  /** Messages that exist already are left alone; `again` if the idempotency key was used meanwhile. */
  sends?: readonly { id: string; lane: number; send: Send }[]
  /** A send to many recipients; `again` if the idempotency key was used meanwhile. */
  request?: RequestEffect
  /** Runs that exist already are left alone. */
  runs?: readonly RunStart[]
  /** Written by the `effect` of the step's file. */
  ofStep?: Own
}

export interface RequestEffect {
  id: string
  kind: 'send' | 'list'
  shared: SharedInput
  addressing: { targets: readonly Target[]; marks: Marks; notBefore?: number }
  idempotency?: Idempotency
}
