/** The results of handlers: a reply to a read, or a reply and the writes that the router commits with it. */
import type { InputOf, OperationId, OperationOf } from '@postrider/contract'
import { type CallerError, conflict, notFound } from '../base/errors.ts'
import {
  ConflictError,
  type DatabaseRefused,
  isDuplicate,
  type Result,
  type Slice,
  type Statement,
} from '../database/engine.ts'
import type { Send } from '../messages/send.ts'
import type { Caller } from './authentication.ts'
import type { CallContext, HandlerReply } from './call.ts'

/** Reads again and runs again: another write came first. Refused with the message when that goes on for too long. */
export interface Retry {
  retry: string
}

export const retry = (message: string): Retry => ({ retry: message })

/** For a write that must affect a row: there is none. */
export const orNotFound = (error: ConflictError | DatabaseRefused) =>
  error instanceof ConflictError ? notFound() : undefined

/** For a write that must affect a row. */
export const otherwise = (verdict: () => Verdict | Promise<Verdict>) => (error: ConflictError | DatabaseRefused) =>
  error instanceof ConflictError ? verdict() : undefined

/** For an insert of a row whose id the caller can choose. */
export const orTaken = (error: ConflictError | DatabaseRefused) =>
  isDuplicate(error) ? conflict('already_exists', 'Already Exists', 'id') : undefined

/** Nodes cache the configuration that the writes change. */
export const changesConfig = true as const

interface Writes {
  /** Stored together with the reply of an `Idempotency-Key` and the audit event: all or nothing. */
  writes: readonly Statement[]
  /** Repeated until they are not full, before the commit; harmless when the commit does not follow. */
  slices?: readonly Slice[]
  /**
   * A write that must affect a row affected none, or a key or reference was violated: nothing is stored. Gives what the
   * caller gets instead; undefined passes the error on.
   */
  onConflict?(error: ConflictError | DatabaseRefused): Verdict | Promise<Verdict>
  /** The author of the change where the operation is open to calls without a key. */
  author?: Caller
  /** The record that the audit event names, where neither the path nor the reply has its id. */
  target?: string
  /** The record is as the call would leave it: no audit event. */
  unchanged?: true
  /** Nodes cache the configuration that these writes change: they are notified after the commit. */
  changesConfig?: true
  /** Wake-ups of other nodes, after the commit. A lost one is made up for by polling. */
  afterCommit?(): void | Promise<void>
}

type Verdict = CallerError | Retry | HandlerReply | undefined

export interface HandlerWork extends Writes {
  reply: HandlerReply
}

/** Stored in a commit that many calls share, unless a stored reply or an audit event belongs to it. */
export interface SharedWork {
  reply: HandlerReply
  storeShared(): Promise<void>
  /** The same for a commit of its own. */
  alone(): Pick<Writes, 'writes' | 'afterCommit'>
}

/** For a reply that shows what the writes have made of a row. It cannot be stored with them: not for a POST. */
export interface WorkWithResults extends Writes {
  replyFrom(results: readonly Result[]): HandlerReply | Promise<HandlerReply>
}

/** Hands its writes and its key to `messages/accept`, whose commit many calls share. */
export interface Sending {
  send: Omit<Send, 'workspaceId' | 'mode' | 'idempotency'>
  /** By the id of the message or request. */
  reply(id: string): HandlerReply
}

export type HandlerOutcome = HandlerReply | HandlerWork | SharedWork | WorkWithResults

/** A GET writes nothing, except where a provider reports by it, and where a link of a message counts its use. */
type OutcomeOf<Id extends OperationId> =
  OperationOf<Id> extends { calledBy: 'providers' }
    ? HandlerReply | HandlerWork
    : OperationOf<Id> extends { calledBy: 'recipients'; method: 'GET' }
      ? HandlerReply | SharedWork
      : OperationOf<Id>['method'] extends 'GET'
        ? HandlerReply
        : OperationOf<Id>['method'] extends 'POST'
          ? HandlerReply | HandlerWork | SharedWork
          : HandlerOutcome

/** Runs again after a conflict, so it must change nothing by itself. */
type Handler<Input, Given> = (input: Input, ctx: CallContext) => Given | Promise<Given>

/** Calls of one place take their turns in this process, from the first read to the commit. */
interface SerializedHandler<Input, Given> {
  serialized<T>(input: Input, run: () => Promise<T>): Promise<T>
  handle: Handler<Input, Given>
}

/** A call that sends decides at once what it does; only what has to be read first comes later. */
export type SendPlan<Given> =
  /** Nothing has to be read first: most sends. */
  | { kind: 'ready'; sending: Sending }
  /** A strict send is checked against what is stored; a resend reads its original. */
  | { kind: 'prepared'; prepare(): Promise<Sending> }
  /** More than a single message: stored like the work of other calls. */
  | { kind: 'many'; work(): Promise<Given> }

interface SendingHandler<Input, Given> {
  plan(input: Input, ctx: CallContext): SendPlan<Given>
}

type HandlerOf<Id extends OperationId> =
  | Handler<InputOf<Id>, OutcomeOf<Id>>
  | SerializedHandler<InputOf<Id>, OutcomeOf<Id>>
  | (OperationOf<Id>['method'] extends 'POST' ? SendingHandler<InputOf<Id>, OutcomeOf<Id>> : never)

export type Handlers = { readonly [Id in OperationId]: HandlerOf<Id> }

/** The handlers of one resource: `ResourceHandlers<'events'>`. */
export type ResourceHandlers<Resource extends string> = Pick<Handlers, Extract<OperationId, `${Resource}.${string}`>>

export type AnyHandler =
  | Handler<InputOf<OperationId>, HandlerOutcome>
  | SerializedHandler<InputOf<OperationId>, HandlerOutcome>
  | SendingHandler<InputOf<OperationId>, HandlerOutcome>
