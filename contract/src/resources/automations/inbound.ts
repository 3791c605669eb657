/** /inbound: events in your systems that start automations. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, nullable } from '../../api/values.ts'

const example = {
  event: 'order-placed',
  messageId: '4c62c457-b329-4bea-9bfc-17bba86c393f',
  type: 'track',
  userId: 'user-7',
  properties: { order: 'A-1042', total: 129.5 },
} as const

export default resource({
  name: 'inbound',
  position: 200,
  title: 'Inbound events',
  description: 'Events in your systems that start automations.',
  operations: [
    operation({
      id: 'inbound.trackEvent',
      method: 'POST',
      path: '/inbound/courier',
      access: 'key',
      summary: 'Track an inbound event',
      description:
        'Replies when the event is durably stored. A repeated `messageId` returns 409, so that retries are safe.',
      body: Type.Object({
        event: id('Event name.'),
        messageId: id('Your own unique id of the occurrence.'),
        type: Type.Literal('track', { description: 'Always `track`.' }),
        properties: jsonObject('Properties of the event, with any keys.'),
        userId: Type.Optional(nullable(id('User of the event.'))),
      }),
      replies: {
        202: Type.Object(
          { messageId: Type.String({ description: 'The `messageId` of the event.' }) },
          { title: 'InboundReply', description: 'The event is stored.' },
        ),
        409: ErrorBody,
      },
      example: { body: example, reply: { messageId: example.messageId } },
    }),
  ],
})
