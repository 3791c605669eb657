/** A request for many messages as one row, flushed to disk before the call is answered. */
import type { SendBody } from '@postrider/contract'
import type { JsonObject } from '../base/json/json.ts'
import type { Statement } from '../database/engine.ts'
import { type NewRequest, requestInsert } from '../database/tables/messages/requests.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import { inputText } from '../messages/message-row.ts'
import { lanes, type Marks, type Mode, type SharedInput } from '../messages/send.ts'
import type { Target } from './read-recipients.ts'

/** The recipients of a request, and the attributes by which its messages are found. */
export interface RequestTargets {
  targets: readonly Target[]
  marks?: Marks
  /** Nothing is sent before this time. */
  notBefore?: number
  /** For a bulk job: the message as written, its delay after the run, and data by locale. */
  definition?: Record<string, unknown>
  delay?: NonNullable<SendBody['delay']>
  locales?: Readonly<Record<string, Record<string, unknown>>>
}

export interface FanOutRequest {
  id: string
  workspaceId: number
  mode: Mode
  kind: NewRequest['kind']
  shared: SharedInput
  addressing: RequestTargets
  created: number
}

/** Due immediately; a bulk job waits until it is run. */
export function requestWrite(tokens: TokenCipher, request: FanOutRequest): Statement {
  const { id, workspaceId, mode, kind, shared, addressing, created } = request
  const isDue = kind !== 'bulk'
  const { targets, targetData } = withoutData(addressing.targets)
  return requestInsert({
    id,
    workspace_id: workspaceId,
    kind,
    mode,
    lane: laneOf(targets),
    // Members of lists, audiences and tenants are read when the messages may be sent.
    due_at: !isDue ? null : laneOf(targets) === lanes.transactional ? created : (addressing.notBefore ?? created),
    status: isDue ? 'PROCESSING' : 'CREATED',
    created,
    input: inputText(tokens, workspaceId, targetData ? { ...shared, targetData } : shared),
    targets: JSON.stringify(tokens.encrypt(workspaceId, { ...addressing, targets })),
  })
}

/** Recipients that are named one by one are few and urgent. */
const laneOf = (targets: readonly Target[]) =>
  targets.every(({ kind }) => kind === 'users') ? lanes.transactional : lanes.bulk

/** Moves the data of a target to the shared input, so that it is stored once. */
function withoutData(targets: readonly Target[]): { targets: Target[]; targetData?: Record<number, JsonObject> } {
  const targetData: Record<number, JsonObject> = {}
  const bare = targets.map((target, place): Target => {
    if (!('data' in target) || !target.data) return target
    const { data, ...rest } = target
    targetData[place] = data
    return rest
  })
  return Object.keys(targetData).length > 0 ? { targets: bare, targetData } : { targets: bare }
}
