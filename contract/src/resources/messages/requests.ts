/** /requests: progress of sends to many recipients. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, timestamp } from '../../api/values.ts'

export const SendRequest = Type.Object(
  {
    requestId: Type.String({ description: 'The request id.' }),
    kind: Type.Enum(['send', 'list', 'bulk', 'replay'], {
      description: 'Kind of request: send, send to a list, bulk job, or replay.',
    }),
    status: Type.Enum(['CREATED', 'PROCESSING', 'COMPLETED', 'CANCELED', 'ERROR'], {
      description:
        '`PROCESSING`: recipients are being resolved. `COMPLETED`: every recipient has a message. `CANCELED`: a replay or a bulk job that was stopped.',
    }),
    created: timestamp('Time the request was accepted.'),
    enqueued: Type.Integer({ minimum: 0, description: 'Messages created so far.' }),
    failures: Type.Integer({ minimum: 0, description: 'Recipients whose message could not be created.' }),
    archived: Type.Boolean({ description: 'Whether its messages are omitted from lists.' }),
    error: Type.Optional(Type.String({ description: 'Error that stopped the request.' })),
  },
  { title: 'SendRequest', description: 'A send to one or many recipients, and its progress.' },
)
export type SendRequest = Static<typeof SendRequest>

const params = Type.Object({ request_id: id('Request id; for a send to one recipient also the message id.') })

export default resource({
  name: 'requests',
  position: 50,
  title: 'Requests',
  description: 'Sends to many recipients, and their progress.',
  operations: [
    operation({
      id: 'requests.get',
      origin: 'postrider',
      method: 'GET',
      path: '/requests/:request_id',
      summary: 'Get a request',
      description:
        'Progress of a send to many recipients; `GET /messages?traceId=` lists its messages. A send to one recipient is complete immediately.',
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
        'Omits its messages, including those not yet created, from `GET /messages` unless `archived=true`. Messages are otherwise unchanged, and pending ones are still sent. A message id archives that message.',
      params,
      replies: { 202: null, 404: ErrorBody },
      example: { params: { request_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' } },
    }),
  ],
})
