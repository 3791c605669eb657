/** /audit-events: who changed what. */
import { type AuditEvent, auditEventsPage } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { iso } from '../../../base/time/clock.ts'
import { type AuditEventRow, findAuditEvent, listAuditEvents } from '../../../database/tables/workspace/audit-events.ts'
import { paging, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

const record = ({ id, type, actor, target, source, at }: AuditEventRow): AuditEvent => ({
  auditEventId: id,
  actor: { id: actor, email: '' },
  target,
  source,
  timestamp: iso(at),
  type,
})

export const auditEvents = {
  'auditEvents.list': async ({ query: { cursor, limit = auditEventsPage } }, { app, caller }) => {
    const page = await listAuditEvents(app.database, caller.workspaceId, cursor, limit)
    return success('auditEvents.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'auditEvents.get': async ({ params }, { app, caller }) => {
    const found = await findAuditEvent(app.database, caller.workspaceId, params.audit_event_id)
    if (!found) throw notFound()
    return success('auditEvents.get', record(found))
  },
} satisfies ResourceHandlers<'auditEvents'>
