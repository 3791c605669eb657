/** The expansion of a replay: a page of messages that are sent again, spaced by its rate. */
import { childId } from '../base/ids.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import { lanes } from '../database/tables/messages/lanes.ts'
import { type LaterExclusion, originalsAfter, type Replayable } from '../database/tables/messages/replays.ts'
import type { LiveRequest, RequestMessage } from '../database/tables/messages/requests.ts'
import { inputAddresses, inputText, newMessage } from '../messages/message-row.ts'
import { completed, type Marks, type OwnInput, type SendInput, type SharedInput } from '../messages/send.ts'

/** The messages that a replay was confirmed for, instead of recipients: they are rows of their own. */
export interface ReplayTarget {
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
  /** Why confirmed messages of the page are left out, each of them. */
  excluded: LaterExclusion[]
  /** The last message that was read; undefined after the last page. */
  last: string | undefined
  /** Until the next step. */
  waitMs: number
}

/** The step after the message `after`. */
export async function replayStep(
  { engine, secret, now }: { engine: Engine; secret: Buffer; now: number },
  request: Pick<LiveRequest, 'id' | 'workspace_id' | 'mode'>,
  { after, ratePerMinute }: { after: string | undefined; ratePerMinute: number },
): Promise<ReplayStep> {
  const limit = Math.min(STEP_MAX, Math.max(1, Math.floor((ratePerMinute * STEP_MS) / MINUTE)))
  const { messages: originals, excluded, last } = await originalsAfter(engine, request, { after, limit })
  const messages = originals.map((original) => copyOf(original, request, { engine, secret, now }))
  // Messages that are left out use up no time.
  return { messages, excluded, last, waitMs: Math.ceil((messages.length * MINUTE) / ratePerMinute) }
}

/** The id follows from the original: a step that is repeated makes no second message. */
function copyOf(
  { id, input, shared, tags, trace_id, tenant_id }: Replayable,
  request: Pick<LiveRequest, 'id' | 'workspace_id' | 'mode'>,
  { engine, secret, now }: { engine: Engine; secret: Buffer; now: number },
): RequestMessage {
  const { id: requestId, workspace_id: workspaceId, mode } = request
  const ownInput = JSON.parse(input) as OwnInput
  const whole = shared === undefined ? (ownInput as SendInput) : completed(JSON.parse(shared) as SharedInput, ownInput)
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
    addresses: inputAddresses(engine.tokens, workspaceId, whole),
  }
  return { ...newMessage(row, now), replay_of: id }
}
