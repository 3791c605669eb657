/** A call for many messages as one row, on disk before the caller is answered. */
import type { SendBody } from '@postrider/contract'
import type { JsonObject } from '../base/json/json.ts'
import type { Statement } from '../database/engine.ts'
import { type NewRequest, requestInsert } from '../database/tables/messages/requests.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import { inputText } from '../messages/message-row.ts'
import { lanes, type Marks, type Mode, type SharedInput } from '../messages/send.ts'
import type { Target } from './read-recipients.ts'

/** Whom a request is for, and what its messages are found by. */
export interface RequestTargets {
  targets: readonly Target[]
  marks?: Marks
  /** Nothing is sent before this moment. */
  notBefore?: number
  /** Of a bulk job: the message as it was given, how long it waits once it is run, and data by locale. */
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

/** Due at once, except for a bulk job, which waits until it is run. */
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
    // Who is on a list, in an audience or in a tenant is looked up when the messages may go.
    due_at: !isDue ? null : laneOf(targets) === lanes.transactional ? created : (addressing.notBefore ?? created),
    status: isDue ? 'PROCESSING' : 'CREATED',
    created,
    input: inputText(tokens, workspaceId, targetData ? { ...shared, targetData } : shared),
    targets: JSON.stringify(tokens.encrypt(workspaceId, { ...addressing, targets })),
  })
}

/** Recipients that were named one by one are few, and somebody waits for them. */
const laneOf = (targets: readonly Target[]) =>
  targets.every(({ kind }) => kind === 'users') ? lanes.transactional : lanes.bulk

/** Data for all recipients of a target are kept once, with what the request shares. */
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
