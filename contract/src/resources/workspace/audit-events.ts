/** /audit-events: administrative changes with their actor. */
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
    auditEventId: Type.String({ description: 'Audit event id.' }),
    actor: Type.Object(
      {
        id: Type.String({ description: 'API key of the call: `key/backend`.' }),
        email: Type.String({ description: 'Empty for an API key.' }),
      },
      { description: 'Actor of the change.' },
    ),
    target: Type.String({ description: 'Id of the changed record; can be empty.' }),
    source: Type.String({ description: 'Source of the change: `api`.' }),
    timestamp: Type.String({ description: 'Time of the change. ISO 8601, UTC.' }),
    type: Type.String({ description: 'Type of the change: `key:created`.' }),
  },
  { title: 'AuditEvent', description: 'An administrative change.' },
)
export type AuditEvent = Static<typeof AuditEvent>

const params = Type.Object({ audit_event_id: id('Audit event id.') })
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
  description: 'Administrative changes with their actor.',
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
