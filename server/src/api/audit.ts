/** Audit events: the change, and the key, session, role and address that made it. */
import type { AuditSource } from '@postrider/contract'
import { timedId } from '../base/ids.ts'
import type { Statement } from '../database/engine.ts'
import { auditInsert } from '../database/tables/workspace/audit-events.ts'
import type { Caller } from './authentication.ts'
import { type CallContext, callerAddress } from './call.ts'

/** The version follows. */
const CLI_USER_AGENT = 'postrider-cli/'
/** On the database of the machine, without a key. */
const isOperator = ({ keyId }: Caller) => keyId === ''

/** A session is proof; the word of the command is a claim, as any client could make it. */
function sourceOf(ctx: CallContext, author: Caller): AuditSource {
  if (author.session) return 'dashboard'
  return isOperator(author) || ctx.header('user-agent')?.startsWith(CLI_USER_AGENT) ? 'cli' : 'api'
}

/** For the batch that makes the change. `author` is the caller, except where a call without a key signs in. */
export function auditEvent(type: string, target: string, ctx: CallContext, author: Caller = ctx.caller): Statement {
  const { workspaceId, name, keyId, role, session } = author
  return auditInsert(workspaceId, {
    ...{ id: timedId(ctx.now), type, target, source: sourceOf(ctx, author), at: ctx.now },
    ...{ actor: name, key_id: keyId, session_id: session?.id ?? '', role, address: callerAddress(ctx) },
  })
}
