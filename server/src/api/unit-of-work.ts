/** Runs a handler and commits its writes, the stored reply of its Idempotency-Key and its audit event: all or nothing. */
import { setTimeout as pause } from 'node:timers/promises'
import type { InputOf, Operation, OperationId } from '@postrider/contract'
import { busy, CallerError } from '../base/errors.ts'
import { failpoint } from '../base/failpoint.ts'
import { isObject } from '../base/json/json.ts'
import { SECOND } from '../base/time/duration.ts'
import {
  CONFIG_CHANNEL,
  ConflictError,
  DatabaseRefused,
  type Engine,
  type Result,
  type Statement,
} from '../database/engine.ts'
import { drain } from '../database/query.ts'
import { type KeyUse, replyWrite } from '../database/tables/workspace/idempotency-keys.ts'
import type { Accepted } from '../messages/send.ts'
import { auditEvent } from './audit.ts'
import type { AppContext, CallContext, HandlerReply } from './call.ts'
import { createIdempotency, IdempotencyConflict, inProgress, repeatedReply, replyUnreadable } from './idempotency.ts'
import type { AnyHandler, HandlerOutcome, HandlerWork, Retry, Sending, SharedWork } from './outcome.ts'
import { refuseWarnings } from './warnings.ts'

type Input = InputOf<OperationId>
export type Perform = (input: Input, ctx: CallContext) => Promise<HandlerReply>

type App = Pick<AppContext, 'engine' | 'secretKey' | 'log' | 'pipeline'>

/** Gives each operation its way from the input to the reply; every write of the API goes through it. */
export function createUnitOfWork(app: App): (operation: Operation, handler: AnyHandler) => Perform {
  const withIdempotency = createIdempotency()

  return (operation, handler) => {
    const perform = (input: Input, ctx: CallContext, run: () => HandlerOutcome | Promise<HandlerOutcome>) =>
      withIdempotency(ctx, (use) => {
        const attempt = async () => complete(app, { operation, input, ctx, use, outcome: await run() })
        return 'serialized' in handler
          ? handler.serialized(input, () => retryOnConflict(attempt))
          : retryOnConflict(attempt)
      })

    if (typeof handler === 'function') return (input, ctx) => perform(input, ctx, () => handler(input, ctx))
    if ('serialized' in handler) return (input, ctx) => perform(input, ctx, () => handler.handle(input, ctx))

    return (input, ctx) => {
      const plan = handler.plan(input, ctx)
      switch (plan.kind) {
        case 'ready':
          return accept(app, ctx, plan.sending)
        case 'prepared':
          return plan.prepare().then((sending) => accept(app, ctx, sending))
        case 'many':
          return perform(input, ctx, plan.work)
      }
    }
  }
}

/** A call that its handler has answered; nothing is stored yet. */
interface HandledCall {
  operation: Operation
  input: Input
  ctx: CallContext
  /** The caller's key, where the reply is stored under it. */
  use: KeyUse | undefined
  outcome: HandlerOutcome
}

/** A reply that refuses is not stored: the key stays free, and nothing has changed. */
async function complete(app: App, call: HandledCall): Promise<HandlerReply | Retry> {
  const { outcome } = call
  refuseWarnings(call.ctx)
  if ('storeShared' in outcome) {
    const isAlone = call.use === undefined && call.operation.audit === undefined
    if (!isAlone) return complete(app, { ...call, outcome: withoutShared(outcome) })
    await outcome.storeShared()
    return outcome.reply
  }
  if (!('writes' in outcome)) {
    if (outcome.status < 400) await commit(app, call, outcome, [])
    return outcome
  }
  for (const slice of outcome.slices ?? []) await drain(app.engine, slice)
  let results: Result[]
  try {
    results = await commit(app, call, 'reply' in outcome ? outcome.reply : undefined, outcome.writes)
  } catch (error) {
    if (!(error instanceof ConflictError || error instanceof DatabaseRefused)) throw error
    const verdict = await outcome.onConflict?.(error)
    if (verdict === undefined || verdict instanceof CallerError) throw verdict ?? error
    return verdict
  }
  if (outcome.changesConfig) await configChanged(app, call.ctx)
  await outcome.afterCommit?.()
  return 'reply' in outcome ? outcome.reply : outcome.replyFrom(results)
}

const withoutShared = ({ reply, alone }: SharedWork): HandlerWork => ({ reply, ...alone() })

/** Gives the results of the writes. A commit of nothing is none. */
async function commit(
  { engine, secretKey }: App,
  { operation, input, ctx, use, outcome }: HandledCall,
  reply: HandlerReply | undefined,
  writes: readonly Statement[],
): Promise<Result[]> {
  const { body, status = 200 } = reply ?? {}
  const content = body === undefined ? '' : JSON.stringify(body)
  // First, so that of two calls with one key the second waits before it locks anything else.
  const first = use ? [replyWrite(secretKey, use, { status, content }, ctx.now)] : []
  const isAudited = !('writes' in outcome && outcome.unchanged)
  const last = operation.audit && isAudited ? [auditOf(operation.audit, input, ctx, outcome, body)] : []
  const statements = [...first, ...writes, ...last]
  if (!use) return (await storeAll(engine, statements)).slice(0, writes.length)
  failpoint('before-reply-stored')
  const results = await storeAll(engine, statements).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error
    throw error.statementIndex === 0
      ? new IdempotencyConflict('The key has its reply already', { cause: error })
      : error
  })
  failpoint('after-reply-stored')
  return results.slice(1, writes.length + 1)
}

/** One statement needs no transaction. */
async function storeAll(engine: Engine, statements: readonly Statement[]): Promise<Result[]> {
  const [only, second] = statements
  if (!only) return []
  if (second || !only.values) return engine.batch(statements)
  const result = await engine.run(only)
  if (only.expectRows && result.affected === 0) throw new ConflictError(0)
  return [result]
}

/** One row for each administrative change, with its actor. */
function auditOf(type: string, { params }: Input, ctx: CallContext, outcome: HandlerOutcome, body: unknown): Statement {
  const { author, target } = 'writes' in outcome ? outcome : ({} as Partial<HandlerWork>)
  const made = isObject(body) && typeof body.id === 'string' ? body.id : ''
  return auditEvent(type, target ?? (Object.values(params).join('/') || made), ctx, author)
}

/** The change is stored already, and nodes read again by themselves. */
async function configChanged({ engine, log }: App, { caller }: CallContext): Promise<void> {
  await engine
    .notify(CONFIG_CHANNEL, String(caller.workspaceId))
    .catch((error: unknown) =>
      log.debug({ event: 'notification.lost', err: error }, 'the notification of a changed configuration is lost'),
    )
}

function accept({ pipeline }: App, ctx: CallContext, { send, reply }: Sending): Promise<HandlerReply> {
  const { workspaceId, mode } = ctx.caller
  const { idempotency } = ctx
  const place = idempotency ? { workspaceId, mode, idempotency } : { workspaceId, mode }
  return pipeline.accept(Object.assign(place, send)).then((accepted) => answer(ctx, accepted, reply))
}

/** The reply to what was accepted now, or by an earlier call with the same key. */
function answer(ctx: CallContext, accepted: Accepted, reply: (id: string) => HandlerReply): HandlerReply {
  if (accepted.kind === 'accepted') return reply(accepted.messageId)
  if (accepted.kind === 'replayed') return repeatedReply(ctx, { ...accepted, content: accepted.reply })
  throw accepted.kind === 'unreadable' ? replyUnreadable() : inProgress()
}

/** A hundred writers of one record get their turns within it; a caller still waits that long for an answer. */
const TRIES_MAX_MS = 5 * SECOND
/** About one read and write. */
const PAUSE_FIRST_MS = 10
/** With so many at once that they pause as long as this, one comes every few milliseconds all the same. */
const PAUSE_MAX_MS = 200

/** `write` reads and writes again for each `Retry`; throws a 409 with its message when the time is over. */
async function retryOnConflict<Done extends object>(write: () => Promise<Done | Retry>): Promise<Done> {
  const end = performance.now() + TRIES_MAX_MS
  for (let most = PAUSE_FIRST_MS; ; most = Math.min(most * 2, PAUSE_MAX_MS)) {
    const outcome = await write()
    if (!('retry' in outcome)) return outcome
    // Random: those who met once would meet again.
    const wait = Math.random() * most
    if (performance.now() + wait > end) throw busy(outcome.retry)
    await pause(wait)
  }
}
