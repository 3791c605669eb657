/** A call that means many messages, as the one row that is on disk before anybody hears of it. */

import type { Statement } from '../database/engine.ts'
import { type NewRequest, requestInsert } from '../database/tables/requests.ts'
import { lanes, type Marks, type Mode, type SharedInput } from '../pipeline/message.ts'
import type { Target } from '../pipeline/read-recipients.ts'

/** Whom a request is for, and what its messages are found by. */
export interface Addressing {
  targets: readonly Target[]
  marks?: Marks
  /** Nothing is sent before this moment. */
  notBefore?: number
  /** Of a bulk job: the message as it was given, and data by locale. */
  definition?: Record<string, unknown>
  locales?: Readonly<Record<string, Record<string, unknown>>>
}

export interface FanOutRequest {
  id: string
  workspaceId: number
  mode: Mode
  kind: NewRequest['kind']
  shared: SharedInput
  addressing: Addressing
  created: number
}

/** Due at once, except for a bulk job, which waits until it is run. */
export function requestWrite(request: FanOutRequest): Statement {
  const { id, workspaceId, mode, kind, shared, addressing, created } = request
  const isDue = kind !== 'bulk'
  return requestInsert({
    id,
    workspace_id: workspaceId,
    kind,
    mode,
    lane: laneOf(addressing.targets),
    due_at: isDue ? created : null,
    status: isDue ? 'PROCESSING' : 'CREATED',
    created,
    input: JSON.stringify(shared),
    targets: JSON.stringify(addressing),
  })
}

/** Recipients that were named one by one are few, and somebody waits for them. */
const laneOf = (targets: readonly Target[]) =>
  targets.every(({ kind }) => kind === 'users') ? lanes.transactional : lanes.bulk
