/** /requests: progress of sends to many recipients. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, timestamp } from '../../api/values.ts'
import { MessageStatus } from '../../shapes/status.ts'

export const requestsPage = 25
/** Messages of a request are counted by status up to here: some 100 ms. */
export const requestCountMax = 100_000

export const requestKinds = ['send', 'list', 'bulk', 'replay'] as const
export const requestStatuses = ['CREATED', 'PROCESSING', 'PAUSED', 'COMPLETED', 'CANCELED', 'ERROR'] as const

const fields = {
  requestId: Type.String({ description: 'The request id.' }),
  kind: Type.Enum([...requestKinds], {
    description: 'Kind of request: send, send to a list, bulk job, or replay.',
  }),
  status: Type.Enum([...requestStatuses], {
    description:
      '`CREATED`: a bulk job that was not run. `PROCESSING`: recipients are being resolved, or will be at its time. `PAUSED`: it was paused, and nothing is sent until it is resumed. `COMPLETED`: every recipient has a message. `CANCELED`: it was stopped.',
  }),
  event: Type.Optional(
    Type.String({
      description: 'Event or template of the send; absent for content of its own, and where an older version made it.',
    }),
  ),
  created: timestamp('Time the request was accepted.'),
  source: Type.Optional(
    Type.String({
      description:
        'Author of the request: `key/<name>`, `operator`; absent for an automation, and where an older version made it.',
    }),
  ),
  notBefore: Type.Optional(timestamp('Nothing is sent before this time: the delay of the send.')),
  enqueued: Type.Integer({ minimum: 0, description: 'Messages created so far.' }),
  failures: Type.Integer({ minimum: 0, description: 'Recipients whose message could not be created.' }),
  archived: Type.Boolean({ description: 'Whether its messages are omitted from lists.' }),
  stoppedBy: Type.Optional(
    Type.String({ description: 'Author of the pause or the cancellation: `key/<name>`, `operator`.' }),
  ),
  stopped: Type.Optional(timestamp('Time the request was paused or canceled.')),
  error: Type.Optional(Type.String({ description: 'Error that stopped the request.' })),
}

export const SendRequestSummary = Type.Object(fields, {
  title: 'SendRequestSummary',
  description: 'A send to many recipients in a list, without the statuses of its messages.',
})
export type SendRequestSummary = Static<typeof SendRequestSummary>

export const SendRequest = Type.Object(
  {
    ...fields,
    statuses: Type.Array(
      Type.Object({
        status: MessageStatus,
        count: Type.Integer({ minimum: 1, description: 'Messages with this status.' }),
      }),
      {
        description: `The messages created so far by status, most frequent first; the first ${requestCountMax.toLocaleString('en-US')} of them are counted.`,
      },
    ),
    inDelivery: Type.Integer({
      minimum: 0,
      description: 'Those of them that a node is deciding or delivering now; counted up to 1,000.',
    }),
  },
  { title: 'SendRequest', description: 'A send to one or many recipients, and its progress.' },
)
export type SendRequest = Static<typeof SendRequest>

const params = Type.Object({ request_id: id('Request id; for a send to one recipient also the message id.') })

const example = {
  requestId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
  kind: 'list' as const,
  event: 'welcome',
  created: 1_710_334_643_000,
  source: 'key/backend',
  enqueued: 3_000,
  failures: 0,
  archived: false,
}
/** It waits for its time. */
const planned = { ...example, notBefore: 1_710_338_243_000, enqueued: 0 }
const stopped = { stoppedBy: 'key/backend', stopped: 1_710_334_653_000 }
const none = { statuses: [], inDelivery: 0 }

export default resource({
  name: 'requests',
  position: 50,
  title: 'Requests',
  description: 'Sends to many recipients: their progress, and how to stop them.',
  operations: [
    operation({
      id: 'requests.list',
      origin: 'postrider',
      method: 'GET',
      path: '/requests',
      summary: 'List requests',
      description:
        'Sends to lists, audiences, tenants and several recipients, bulk jobs and replays, newest first. A send to one recipient is a message: `GET /messages`.',
      query: Type.Object({
        status: Type.Optional(
          Type.Array(Type.Enum([...requestStatuses]), {
            maxItems: requestStatuses.length,
            description: 'Status of the request; repeatable.',
          }),
        ),
        kind: Type.Optional(
          Type.Array(Type.Enum([...requestKinds]), {
            maxItems: requestKinds.length,
            description: 'Kind of request; repeatable.',
          }),
        ),
        ...pageQuery(requestsPage),
      }),
      replies: {
        200: Type.Object(
          { items: Type.Array(SendRequestSummary, { maxItems: pageMax }), paging: Paging },
          { title: 'RequestsPage', description: 'A page of requests.' },
        ),
      },
      example: { reply: { items: [{ ...example, status: 'PROCESSING' }], paging: { more: false } } },
    }),
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
        params: { request_id: example.requestId },
        reply: { ...example, status: 'PROCESSING', statuses: [{ status: 'SENT', count: 3_000 }], inDelivery: 0 },
      },
    }),
    operation({
      id: 'requests.cancel',
      origin: 'postrider',
      method: 'POST',
      path: '/requests/:request_id/cancel',
      access: 'sender',
      summary: 'Cancel a request',
      description:
        'Stops a send to many recipients for good, before and while it runs: no further messages are created, and after the reply no node begins to call a provider for one. Calls in progress (`inDelivery`) end by themselves, and what they have sent counts. The other messages end as `CANCELED`, with the key of this call in their history: some thousands before the reply, the rest in the background, also when a node dies. Canceling is idempotent; a request whose messages have all ended is 409. A message id cancels that message.',
      params,
      replies: { 200: SendRequest, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: { request_id: example.requestId },
        reply: { ...planned, status: 'CANCELED', ...stopped, ...none },
      },
    }),
    operation({
      id: 'requests.pause',
      origin: 'postrider',
      method: 'POST',
      path: '/requests/:request_id/pause',
      access: 'sender',
      summary: 'Pause a request',
      description:
        'No further messages are created, and after the reply no node begins to call a provider for one, until the request is resumed; calls in progress end by themselves. A message whose time comes meanwhile is `ENQUEUED`. The time limits of those that were decided go on. Pausing is idempotent and has no end of its own; a request whose messages have all ended, or that was canceled, is 409.',
      params,
      replies: { 200: SendRequest, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: { request_id: example.requestId },
        reply: { ...planned, status: 'PAUSED', ...stopped, ...none },
      },
    }),
    operation({
      id: 'requests.resume',
      origin: 'postrider',
      method: 'POST',
      path: '/requests/:request_id/resume',
      access: 'sender',
      summary: 'Resume a request',
      description:
        'Ends the pause of a request: its messages go on at once, or at their time. Resuming is idempotent; a canceled request is 409.',
      params,
      replies: { 200: SendRequest, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: { request_id: example.requestId },
        reply: { ...planned, status: 'PROCESSING', ...none },
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
