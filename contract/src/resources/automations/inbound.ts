/** /inbound: what callers tell us has happened on their side. */
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
  description: 'Events on your side that start automations.',
  operations: [
    operation({
      id: 'inbound.trackEvent',
      method: 'POST',
      path: '/inbound/courier',
      summary: 'Tell what happened',
      description:
        'The event is on disk when this answers. The same `messageId` again is a 409, so that a repetition is harmless.',
      body: Type.Object({
        event: id('What happened.'),
        messageId: id('An id of yours for this occurrence.'),
        type: Type.Literal('track', { description: 'Always `track`.' }),
        properties: jsonObject('What is to be known about it; any keys.'),
        userId: Type.Optional(nullable(id('The user it happened to.'))),
      }),
      replies: {
        202: Type.Object(
          { messageId: Type.String({ description: 'The id it was received under.' }) },
          { title: 'InboundReply', description: 'The event is on disk.' },
        ),
        409: ErrorBody,
      },
      example: { body: example, reply: { messageId: example.messageId } },
    }),
  ],
})
