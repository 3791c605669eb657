/** /requests: what became of a call that means many messages. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, moment } from '../../api/values.ts'

export const SendRequest = Type.Object(
  {
    requestId: Type.String({ description: 'The request id.' }),
    kind: Type.Enum(['send', 'list', 'bulk'], { description: 'A send, a send to a list, or a bulk job.' }),
    status: Type.Enum(['CREATED', 'PROCESSING', 'COMPLETED', 'ERROR'], {
      description: '`PROCESSING`: recipients are still being found. `COMPLETED`: every one of them has a message.',
    }),
    created: moment('When it was accepted.'),
    enqueued: Type.Integer({ minimum: 0, description: 'Messages made so far.' }),
    failures: Type.Integer({ minimum: 0, description: 'Recipients whose message could not be made.' }),
    archived: Type.Boolean({ description: 'Whether its messages are left out of lists.' }),
    error: Type.Optional(Type.String({ description: 'What stopped it.' })),
  },
  { title: 'SendRequest', description: 'A call that means one message or many, and how far it is.' },
)
export type SendRequest = Static<typeof SendRequest>

const params = Type.Object({ request_id: id('The request id; of a send to one recipient also the message id.') })

export default resource({
  name: 'requests',
  position: 50,
  title: 'Requests',
  description: 'Calls that mean many messages, and how far they are.',
  operations: [
    operation({
      id: 'requests.get',
      origin: 'postrider',
      method: 'GET',
      path: '/requests/:request_id',
      summary: 'Get a request',
      description:
        'How far a send to many has come. Their messages are found by `GET /messages?traceId=`. A send to one recipient is complete at once.',
      params,
      replies: { 200: SendRequest, 404: ErrorBody },
      example: {
        params: { request_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' },
        reply: {
          requestId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
          kind: 'list',
          status: 'PROCESSING',
          created: 1_710_334_643_000,
          enqueued: 3_000,
          failures: 0,
          archived: false,
        },
      },
    }),
    operation({
      id: 'requests.archive',
      method: 'PUT',
      path: '/requests/:request_id/archive',
      summary: 'Archive a request',
      description:
        'Its messages are left out of `GET /messages` unless `archived=true`, those it has yet to make included; they stay as they are otherwise, and what waits is still sent. A message id archives that message.',
      params,
      replies: { 202: null, 404: ErrorBody },
      example: { params: { request_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' } },
    }),
  ],
})
