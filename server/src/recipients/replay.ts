/** The expansion of a replay: a page of messages that are sent again, spaced by its rate. */
import { childId } from '../base/ids.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import { type Replayable, type ReplayChoice, replayableAfter } from '../database/tables/messages/replays.ts'
import type { LiveRequest, RequestMessage } from '../database/tables/messages/requests.ts'
import { inputText, newMessage } from '../messages/message-row.ts'
import { completed, lanes, type Marks, type OwnInput, type SendInput, type SharedInput } from '../messages/send.ts'

/** The messages of a replay, instead of recipients. */
export interface ReplayTarget extends ReplayChoice {
  kind: 'replay'
}

/** The lane of a replay's request: nodes of releases that have no replays claim lanes below it only. */
export const REPLAY_LANE = 3

/** One insert of some 5 ms. */
const STEP_MAX = 250
/** Steps at a low rate: each costs a claim. */
const STEP_MS = SECOND

export interface ReplayStep {
  messages: RequestMessage[]
  /** The last message that was read; undefined after the last page. */
  last: string | undefined
  /** Until the next step. */
  waitMs: number
}

/** The step after the message `after`. */
export async function replayStep(
  { engine, secret, now }: { engine: Engine; secret: Buffer; now: number },
  request: Pick<LiveRequest, 'id' | 'workspace_id' | 'mode' | 'received' | 'enqueued'>,
  target: ReplayTarget,
  { after, ratePerMinute }: { after: string | undefined; ratePerMinute: number },
): Promise<ReplayStep> {
  const limit = Math.min(STEP_MAX, Math.max(1, Math.floor((ratePerMinute * STEP_MS) / MINUTE)))
  const page = await replayableAfter(engine, request.workspace_id, target, { after, limit })
  // Messages that end after the count may match, too: a replay sends no more than it was confirmed for.
  const left = Math.max(0, request.received - request.enqueued)
  const messages = page.messages.slice(0, left).map((original) => copyOf(original, request, { engine, secret, now }))
  const last = messages.length < left ? page.last : undefined
  // Messages that are left out use up no time.
  return { messages, last, waitMs: Math.ceil((messages.length * MINUTE) / ratePerMinute) }
}

/** The id follows from the original: a step that is repeated makes no second message. */
function copyOf(
  { id, input, shared, tags, trace_id, tenant_id }: Replayable,
  request: Pick<LiveRequest, 'id' | 'workspace_id' | 'mode'>,
  { engine, secret, now }: { engine: Engine; secret: Buffer; now: number },
): RequestMessage {
  const { id: requestId, workspace_id: workspaceId, mode } = request
  const own = JSON.parse(input) as OwnInput
  const whole = shared === undefined ? (own as SendInput) : completed(JSON.parse(shared) as SharedInput, own)
  const marks: Marks = {
    requestId,
    ...(tags && { tags }),
    ...(trace_id !== null && { traceId: trace_id }),
    ...(tenant_id !== null && { tenantId: tenant_id }),
  }
  const { event, recipient } = whole
  const row = {
    ...{ id: childId(secret, requestId, id), workspaceId, lane: lanes.bulk, mode, event, recipient, marks },
    input: inputText(engine.tokens, workspaceId, whole),
  }
  return { ...newMessage(row, now), replay_of: id }
}
