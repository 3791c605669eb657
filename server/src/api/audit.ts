/** Writes down who changed what: one row for each administrative change, in the commit of the change. */
import type { InputOf, Operation, OperationId } from '@postrider/contract'
import { timedId } from '../base/ids.ts'
import { isObject } from '../base/json/json.ts'
import type { Commit, Statement } from '../database/engine.ts'
import { auditInsert } from '../database/tables/workspace/audit-events.ts'
import type { Call, Reply } from './call.ts'

type Input = Pick<InputOf<OperationId>, 'params'>
type Work<Given> = (input: Given, call: Call) => Promise<Reply>

/** What the work does not commit through `keeping` is written down when it has ended: dying in between loses the row. */
export function audited<Given extends Input>({ audit: type }: Operation, work: Work<Given>): Work<Given> {
  if (type === undefined) return work
  return async (input, call) => {
    let written = false
    const keeping = (reply: Reply): Commit => {
      const commit = call.keeping(reply)
      return async (writes) => {
        const results = await commit([...writes, rowOf(type, input, call, reply)])
        written = true
        return results.slice(0, writes.length)
      }
    }
    const reply = await work(input, { ...call, keeping })
    if (!written && reply.status < 400) await call.keeping(reply)([rowOf(type, input, call, reply)])
    return reply
  }
}

function rowOf(type: string, { params }: Input, { caller, now }: Call, { body }: Reply): Statement {
  const made = isObject(body) && typeof body.id === 'string' ? body.id : ''
  const target = Object.values(params).join('/') || made
  return auditInsert(caller.workspaceId, { id: timedId(now), type, actor: caller.name, target, source: 'api', at: now })
}
