/** /audit-events: administrative changes, their callers, and the filters of their list. */
import { type AuditEvent, auditEventsPage, auditSources, type InputOf, keyRoles } from '@postrider/contract'
import { invalidField, notFound } from '../../../base/errors.ts'
import { iso, toTimestamp } from '../../../base/time/clock.ts'
import {
  type AuditEventFilter,
  type AuditEventRow,
  findAuditEvent,
  listAuditEvents,
} from '../../../database/tables/workspace/audit-events.ts'
import { paging, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

const record = ({ id, type, actor, target, source, at, ...caller }: AuditEventRow): AuditEvent => ({
  auditEventId: id,
  actor: { id: actor, email: '' },
  target,
  source: auditSources.find((each) => each === source) ?? 'api',
  timestamp: iso(at),
  type,
  ...(caller.key_id && {
    caller: {
      key: { id: caller.key_id, name: actor.replace(/^key\//, '') },
      session_id: caller.session_id || null,
      role: keyRoles.find((role) => role === caller.role) ?? 'full',
      address: caller.address || null,
    },
  }),
})

type Filters = Omit<InputOf<'auditEvents.list'>['query'], 'cursor' | 'limit'>

const filterOf = ({ actor, key_id, type, target_kind, target, source, ...times }: Filters): AuditEventFilter => ({
  ...{ actor, keyId: key_id, types: type, targetKind: target_kind, target, source },
  ...{ from: timeAt('from', times), to: timeAt('to', times) },
})

/** Nothing has changed before 1970. */
function timeAt(field: 'from' | 'to', { [field]: text }: Filters): number | undefined {
  const time = text === undefined ? undefined : Math.max(0, toTimestamp(text))
  if (Number.isNaN(time))
    throw invalidField(field, 'must be a timestamp: ISO 8601, or milliseconds since the Unix epoch')
  return time
}

export const auditEvents = {
  'auditEvents.list': async ({ query: { cursor, limit = auditEventsPage, ...filters } }, { app, caller }) => {
    const page = await listAuditEvents(app.database, caller.workspaceId, { ...filterOf(filters), cursor, limit })
    return success('auditEvents.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'auditEvents.get': async ({ params }, { app, caller }) => {
    const row = await findAuditEvent(app.database, caller.workspaceId, params.audit_event_id)
    if (!row) throw notFound()
    return success('auditEvents.get', record(row))
  },
} satisfies ResourceHandlers<'auditEvents'>
