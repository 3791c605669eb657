/** /bulk: one message for many users, who are added in parts and then sent to. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { idCharactersMax, textCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { StrictQuery } from '../../api/strict.ts'
import { id, jsonObject, nullable, optionalObject } from '../../api/values.ts'
import { MessageSend } from '../../shapes/message-send.ts'
import { Preferences } from '../../shapes/preferences.ts'
import { MessageRecipient } from '../../shapes/recipient.ts'

/** Users of one ingest call, as the public API recommends; 1,000 are one insert. */
export const usersPerIngestMax = 1_000
export const bulkUsersPage = 100

const given = MessageSend.properties

export const BulkMessage = Type.Object(
  {
    event: Type.Optional(nullable(id('A notification id, or a name mapped to a notification.'))),
    template: given.template,
    content: given.content,
    message: Type.Optional(
      Type.Union([Type.Omit(MessageSend, ['to']), Type.Null()], {
        description: 'A message of the second generation, without its recipients.',
      }),
    ),
    brand: Type.Optional(nullable(id('Brand to render with.'))),
    data: given.data,
    locale: Type.Optional(
      Type.Union([Type.Unsafe<Record<string, unknown>>({ type: 'object' }), Type.String(), Type.Null()], {
        description: 'Data by locale, merged over the data for users of that locale. A string is ignored.',
      }),
    ),
    override: optionalObject('As in a send: by provider.'),
    routing: given.routing,
    channels: given.channels,
    providers: given.providers,
    metadata: given.metadata,
    timeout: given.timeout,
    delay: given.delay,
    preferences: given.preferences,
    context: given.context,
  },
  { title: 'BulkMessage', description: 'What every user of the job gets.', additionalProperties: true },
)
export type BulkMessage = Static<typeof BulkMessage>

export const BulkUser = Type.Object(
  {
    recipient: Type.Optional(
      nullable(
        Type.String({ maxLength: idCharactersMax, description: 'The recipient id; one is made when no id is given.' }),
      ),
    ),
    user_id: Type.Optional(nullable(Type.String({ maxLength: idCharactersMax, description: '`recipient` again.' }))),
    email: Type.Optional(nullable(Type.String({ maxLength: textCharactersMax, description: 'Email address.' }))),
    profile: optionalObject('Contact values for this message only; merged over the stored profile.'),
    data: optionalObject('Merged over the data of the message, key by key.'),
    preferences: Type.Optional(nullable(Preferences)),
    to: Type.Optional(nullable(MessageRecipient)),
  },
  { title: 'BulkUser', description: 'One user of a job.', additionalProperties: true },
)
export type BulkUser = Static<typeof BulkUser>

export const BulkJob = Type.Object(
  {
    definition: jsonObject('The message, as it was given.'),
    received: Type.Integer({ minimum: 0, description: 'Users added.' }),
    enqueued: Type.Integer({ minimum: 0, description: 'Messages made so far.' }),
    failures: Type.Integer({ minimum: 0, description: 'Users whose message could not be made.' }),
    status: Type.Enum(['CREATED', 'PROCESSING', 'COMPLETED', 'ERROR'], {
      description: '`COMPLETED`: every user has a message; what becomes of it is in `/messages?messageId=`.',
    }),
  },
  { title: 'BulkJob', description: 'A job and how far it is.' },
)
export type BulkJob = Static<typeof BulkJob>

export const BulkUserRecord = Type.Object(
  {
    recipient: Type.String({ description: 'The recipient id.' }),
    status: Type.Enum(['PENDING', 'ENQUEUED', 'ERROR'], { description: '`ENQUEUED`: the message is made.' }),
    messageId: Type.Optional(Type.String({ description: 'The message, once it is made.' })),
    profile: Type.Optional(jsonObject('As given, tokens masked.')),
    data: Type.Optional(jsonObject('As given.')),
  },
  { title: 'BulkUserRecord', description: 'A user of a job, as added.', additionalProperties: true },
)
export type BulkUserRecord = Static<typeof BulkUserRecord>

const BulkJobReply = Type.Object({ job: BulkJob }, { title: 'BulkJobReply', description: 'The job.' })

const params = Type.Object({ job_id: id('The job id.') })
const example = { job_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' }
const user = { recipient: 'user-7', profile: { email: 'ada@example.com' }, data: { name: 'Ada' } }

export default resource({
  name: 'bulk',
  position: 60,
  title: 'Bulk',
  description: 'One message for many users, added in parts.',
  operations: [
    operation({
      id: 'bulk.create',
      method: 'POST',
      path: '/bulk',
      summary: 'Create a bulk job',
      description:
        'Nothing is sent until it has users and is run. A strict call (`?strict=true`, as of `POST /send`) is refused with a 400 for what would be wrong with the message for every user; the users are not checked.',
      query: StrictQuery,
      body: Type.Object({ message: BulkMessage }),
      replies: {
        201: Type.Object(
          { jobId: Type.String({ description: 'The job id.' }) },
          { title: 'BulkCreated', description: 'The job is there.' },
        ),
        409: ErrorBody,
      },
      example: {
        body: { message: { event: 'welcome', data: { product: 'Postrider' } } },
        reply: { jobId: example.job_id },
      },
    }),
    operation({
      id: 'bulk.ingest',
      method: 'POST',
      path: '/bulk/:job_id',
      summary: 'Add users to a bulk job',
      description: `At most ${usersPerIngestMax.toLocaleString('en')} a call; any number of calls, until the job is run. A user who is in the job already, does not fit the shape or names nobody is refused with a reason; the others are added.`,
      params,
      body: Type.Object({
        // Each is checked by itself: one that does not fit is listed in `errors`, and the others are added.
        users: Type.Array(Type.Union([BulkUser, jsonObject('A user that does not fit is listed in `errors`.')]), {
          minItems: 1,
          maxItems: usersPerIngestMax,
          description: 'The users.',
        }),
      }),
      replies: {
        200: Type.Object(
          {
            total: Type.Integer({ minimum: 0, description: 'Users added by this call.' }),
            errors: Type.Array(
              Type.Object({
                error: Type.String({ description: 'Why not: `Duplicate user`.' }),
                user: jsonObject('The user as sent.'),
              }),
              { description: 'Users that were not added.' },
            ),
          },
          { title: 'BulkIngested', description: 'What became of the users.' },
        ),
        404: ErrorBody,
      },
      example: { params: example, body: { users: [user] }, reply: { total: 1, errors: [] } },
    }),
    operation({
      id: 'bulk.run',
      method: 'POST',
      path: '/bulk/:job_id/run',
      summary: 'Run a bulk job',
      description: 'From now on its users are sent to, and none can be added. A job runs once.',
      params,
      replies: {
        202: Type.Object(
          { status: Type.Literal('ACCEPTED', { description: 'It is on disk and will be done.' }) },
          { title: 'BulkAccepted', description: 'The job runs.' },
        ),
        404: ErrorBody,
      },
      example: { params: example, reply: { status: 'ACCEPTED' } },
    }),
    operation({
      id: 'bulk.get',
      method: 'GET',
      path: '/bulk/:job_id',
      summary: 'Get a bulk job',
      params,
      replies: {
        200: BulkJobReply,
        404: ErrorBody,
      },
      example: {
        params: example,
        reply: {
          job: { definition: { event: 'welcome' }, received: 2, enqueued: 2, failures: 0, status: 'COMPLETED' },
        },
      },
    }),
    operation({
      id: 'bulk.getRun',
      method: 'GET',
      path: '/bulk/:job_id/run',
      summary: 'Get a bulk job where it is run',
      description: 'The same as `GET /bulk/:job_id`, under the address that one old client calls.',
      params,
      replies: {
        200: BulkJobReply,
        404: ErrorBody,
      },
      example: {
        params: example,
        reply: {
          job: { definition: { event: 'welcome' }, received: 2, enqueued: 2, failures: 0, status: 'COMPLETED' },
        },
      },
    }),
    operation({
      id: 'bulk.users',
      method: 'GET',
      path: '/bulk/:job_id/users',
      summary: 'List the users of a bulk job',
      params,
      query: Type.Object(pageQuery(bulkUsersPage)),
      replies: {
        200: Type.Object(
          { items: Type.Array(BulkUserRecord, { description: 'In the order they were added.' }), paging: Paging },
          { title: 'BulkUsersPage', description: 'A page of users.' },
        ),
        404: ErrorBody,
      },
      example: {
        params: example,
        reply: { items: [{ ...user, status: 'ENQUEUED', messageId: example.job_id }], paging: { more: false } },
      },
    }),
  ],
})
