/** /audit-events: who changed what. */
import { type AuditEvent, auditEventsPage } from '@postrider/contract'
import { notFound } from '../../base/errors.ts'
import { iso } from '../../base/time/timestamp.ts'
import { type AuditEventRow, findAuditEvent, listAuditEvents } from '../../database/tables/workspace/audit-events.ts'
import { type ResourceHandlers, success } from '../call.ts'
import { paging } from '../paging.ts'

const record = ({ id, type, actor, target, source, at }: AuditEventRow): AuditEvent => ({
  auditEventId: id,
  actor: { id: actor, email: '' },
  target,
  source,
  timestamp: iso(at),
  type,
})

export const auditEvents = {
  'auditEvents.list': async ({ query: { cursor, limit = auditEventsPage } }, { house, caller }) => {
    const page = await listAuditEvents(house.engine, caller.workspaceId, cursor, limit)
    return success('auditEvents.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'auditEvents.get': async ({ params }, { house, caller }) => {
    const found = await findAuditEvent(house.engine, caller.workspaceId, params.audit_event_id)
    if (!found) throw notFound()
    return success('auditEvents.get', record(found))
  },
} satisfies ResourceHandlers<'auditEvents'>
