/** /audit-events: who changed what. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id } from '../../api/values.ts'

export const auditEventsPage = 50

export const AuditEvent = Type.Object(
  {
    auditEventId: Type.String({ description: 'The id of the audit event.' }),
    actor: Type.Object(
      {
        id: Type.String({ description: 'The key, as records name their author: `key/backend`.' }),
        email: Type.String({ description: 'Empty for a key.' }),
      },
      { description: 'Who did it.' },
    ),
    target: Type.String({ description: 'The id of what was changed; empty where it has none.' }),
    source: Type.String({ description: 'Through what: `api`.' }),
    timestamp: Type.String({ description: 'When, in ISO 8601, UTC.' }),
    type: Type.String({ description: 'What was done: `key:created`.' }),
  },
  { title: 'AuditEvent', description: 'One administrative change.' },
)
export type AuditEvent = Static<typeof AuditEvent>

const params = Type.Object({ audit_event_id: id('The id of the audit event.') })
const example = { audit_event_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b6' }
const record = {
  auditEventId: example.audit_event_id,
  actor: { id: 'key/backend', email: '' },
  target: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7',
  source: 'api',
  timestamp: '2024-03-13T12:57:23.000Z',
  type: 'key:created',
}

export default resource({
  name: 'auditEvents',
  position: 290,
  title: 'Audit events',
  description: 'Who changed what.',
  operations: [
    operation({
      id: 'auditEvents.list',
      method: 'GET',
      path: '/audit-events',
      summary: 'List audit events',
      description: 'Newest first.',
      query: Type.Object(pageQuery(auditEventsPage)),
      replies: {
        200: Type.Object({ paging: Paging, results: Type.Array(AuditEvent, { maxItems: pageMax }) }),
      },
      example: { reply: { paging: { more: false }, results: [record] } },
    }),
    operation({
      id: 'auditEvents.get',
      method: 'GET',
      path: '/audit-events/:audit_event_id',
      summary: 'Get an audit event',
      params,
      replies: { 200: AuditEvent, 404: ErrorBody },
      example: { params: example, reply: record },
    }),
  ],
})
