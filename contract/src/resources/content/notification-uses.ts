/** Events and automations that lead to a notification. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, nullable, timestamp } from '../../api/values.ts'

/** More is no list that anyone reads. */
export const usesMax = 100

export const NotificationUses = Type.Object(
  {
    events: Type.Array(Type.String({ description: 'The event.' }), {
      maxItems: usesMax,
      description: 'Events that are mapped to the notification, by name.',
    }),
    automations: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The automation template id.' }),
        alias: Type.Optional(Type.String({ description: 'Alternative id.' })),
        name: Type.String({ description: 'Display name.' }),
        steps: Type.Array(Type.String({ description: 'Path of a step: `steps.0`.' }), {
          maxItems: usesMax,
          description: 'Steps that name the notification, its alias or one of its events.',
        }),
      }),
      { maxItems: usesMax, description: 'Automation templates whose version in force sends it, by id.' },
    ),
    last_message: nullable(timestamp('Time its latest message was accepted; null for none that is stored.')),
    complete: Type.Boolean({ description: `False when there are more than ${usesMax} of a kind.` }),
  },
  { title: 'NotificationUses', description: 'Events and automations that lead to a notification.' },
)
export type NotificationUses = Static<typeof NotificationUses>

export default operationsOf('notifications', [
  operation({
    id: 'notifications.uses',
    origin: 'postrider',
    method: 'GET',
    path: '/notifications/:id/uses',
    summary: 'List what uses a notification',
    description:
      'The events that are mapped to the notification and the automations that send it. Names that an automation fills in when it runs are not found.',
    params: Type.Object({ id: id('The notification id or its alias.') }),
    replies: { 200: NotificationUses, 404: ErrorBody },
    example: {
      params: { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA' },
      reply: { events: [], automations: [], last_message: null, complete: true },
    },
  }),
])
