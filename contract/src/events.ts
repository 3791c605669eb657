/** /events: the names a caller sends, and the notification each stands for. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from './errors.ts'
import { id, Success } from './json.ts'
import { operation } from './operation.ts'

const type = Type.Literal('notification', { description: 'What the event maps to; always `notification`.' })

export const EventMapping = Type.Object(
  { event: Type.String({ description: 'The name.' }), id: Type.String({ description: 'The notification id.' }), type },
  { title: 'EventMapping', description: 'An event name and the notification it stands for.' },
)
export type EventMapping = Static<typeof EventMapping>

const params = Type.Object({ event_id: id('The event name.') })
const example = { event_id: 'order-shipped' }
const mapping = { event: 'order-shipped', id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', type: 'notification' }

export const eventOperations = [
  operation({
    id: 'events.list',
    method: 'GET',
    path: '/events',
    summary: 'List event mappings',
    replies: { 200: Type.Object({ results: Type.Array(EventMapping) }) },
    example: { reply: { results: [mapping] } },
  }),
  operation({
    id: 'events.get',
    method: 'GET',
    path: '/events/:event_id',
    summary: 'Get an event mapping',
    params,
    replies: { 200: EventMapping, 404: ErrorBody },
    example: { params: example, reply: mapping },
  }),
  operation({
    id: 'events.put',
    method: 'PUT',
    path: '/events/:event_id',
    summary: 'Map an event to a notification',
    audit: 'event:mapped',
    description: 'Creates or changes the mapping. The notification need not exist yet.',
    params,
    body: Type.Object({ id: id('The notification id.'), type }),
    replies: { 200: Success },
    recommendedPerMinute: 20,
    example: {
      params: example,
      body: { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', type: 'notification' },
      reply: { status: 'SUCCESS' },
    },
  }),
  operation({
    id: 'events.delete',
    origin: 'postrider',
    method: 'DELETE',
    path: '/events/:event_id',
    summary: 'Delete an event mapping',
    audit: 'event:deleted',
    params,
    replies: { 204: null, 404: ErrorBody },
    example: { params: example },
  }),
] as const
