/** /audit-events: administrative changes with their actor. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { filterValuesMax, pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, nullable, text, timestampText } from '../../api/values.ts'
import { KeyRole } from './keys.ts'

export const auditEventsPage = 50

export const auditSources = ['dashboard', 'cli', 'api'] as const
export const AuditSource = Type.Enum([...auditSources], {
  title: 'AuditSource',
  description:
    '`dashboard`: a session of a browser. `cli`: the command `postrider`, as the `User-Agent` of the call says, or directly on the database. `api`: any other call.',
})
export type AuditSource = (typeof auditSources)[number]

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
    source: AuditSource,
    timestamp: Type.String({ description: 'Time of the change. ISO 8601, UTC.' }),
    type: Type.String({ description: 'Type of the change: `key:created`.' }),
    caller: Type.Optional(
      Type.Object(
        {
          key: Type.Object(
            {
              id: Type.String({ description: 'Id of the key.' }),
              name: Type.String({ description: 'Its display name at that time.' }),
            },
            { description: 'API key of the call, of its token, or of its session.' },
          ),
          session_id: nullable(Type.String({ description: 'Id of the session; null for a call without one.' })),
          role: KeyRole,
          address: nullable(
            Type.String({
              description:
                'Address of the client: the other end of the connection, or as a trusted proxy (`POSTRIDER_TRUSTED_PROXIES`) saw it.',
            }),
          ),
        },
        { description: 'Caller of the change; absent for earlier changes.' },
      ),
    ),
  },
  { title: 'AuditEvent', description: 'An administrative change.' },
)
export type AuditEvent = Static<typeof AuditEvent>

const filter = (description: string) => Type.Optional(text(description))

const auditFilters = {
  actor: filter('Actor of the change, as `actor.id` names it: `key/backend`.'),
  key_id: filter('Id of the API key of the call, of its token, or of its session.'),
  type: Type.Optional(
    Type.Array(text('One type.'), {
      maxItems: filterValuesMax,
      description: 'Types of the change, any of which matches: `key:created`.',
    }),
  ),
  target_kind: filter('Kind of the changed record: the part of `type` before the colon, `integration`.'),
  target: filter('Id of the changed record.'),
  source: Type.Optional(AuditSource),
  from: Type.Optional(timestampText('Start, inclusive.')),
  to: Type.Optional(timestampText('End, exclusive.')),
}

const params = Type.Object({ audit_event_id: id('Audit event id.') })
const example = { audit_event_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b6' }
const record = {
  auditEventId: example.audit_event_id,
  actor: { id: 'key/backend', email: '' },
  target: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7',
  source: 'api' as const,
  timestamp: '2024-03-13T12:57:23.000Z',
  type: 'key:created',
  caller: {
    key: { id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8', name: 'backend' },
    session_id: null,
    role: 'full',
    address: '203.0.113.7',
  },
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
      description: 'Newest first. All filters must match.',
      query: Type.Object({ ...pageQuery(auditEventsPage), ...auditFilters }),
      replies: {
        200: Type.Object({ paging: Paging, results: Type.Array(AuditEvent, { maxItems: pageMax }) }),
      },
      example: {
        query: { target_kind: 'key', from: '2024-03-13T00:00:00Z' },
        reply: { paging: { more: false }, results: [record] },
      },
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
