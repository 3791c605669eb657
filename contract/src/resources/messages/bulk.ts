/** /bulk: one message to many users, who are added in parts before the job is run. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { idCharactersMax, pageMax, textCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { StrictQuery } from '../../api/strict.ts'
import { id, jsonObject, nullable, optionalObject, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { DecisionCode } from '../../shapes/decision-codes.ts'
import { MessageSend } from '../../shapes/message-send.ts'
import { Preferences } from '../../shapes/preferences.ts'
import { MessageRecipient } from '../../shapes/recipient.ts'
import { MessageStatus, Reason } from '../../shapes/status.ts'

/** The recommendation of the public API; 1,000 users are one insert. */
export const usersPerIngestMax = 1_000
/** Each user is decided and rendered: some 0.2 ms, but 100 ms with content that uses up its budget. */
export const usersPerExplanationMax = 100
export const bulkUsersPage = 100
export const bulkJobsPage = 25

const messageFields = MessageSend.properties

export const BulkMessage = Type.Object(
  {
    event: Type.Optional(nullable(id('A notification id, or a name mapped to a notification.'))),
    template: messageFields.template,
    content: messageFields.content,
    message: Type.Optional(
      Type.Union([Type.Omit(MessageSend, ['to']), Type.Null()], {
        description: 'A message of the second generation, without its recipients.',
      }),
    ),
    brand: Type.Optional(nullable(id('Brand of the messages.'))),
    data: messageFields.data,
    locale: Type.Optional(
      Type.Union([Type.Unsafe<Record<string, unknown>>({ type: 'object' }), Type.String(), Type.Null()], {
        description: 'Data by locale, merged over the data for users of that locale. A string is ignored.',
      }),
    ),
    override: optionalObject('Overrides by provider, as in a send.'),
    routing: messageFields.routing,
    channels: messageFields.channels,
    providers: messageFields.providers,
    metadata: messageFields.metadata,
    timeout: messageFields.timeout,
    delay: messageFields.delay,
    preferences: messageFields.preferences,
    context: messageFields.context,
  },
  { title: 'BulkMessage', description: 'The message of every user of the job.', additionalProperties: true },
)
export type BulkMessage = Static<typeof BulkMessage>

export const BulkUser = Type.Object(
  {
    recipient: Type.Optional(
      nullable(Type.String({ maxLength: idCharactersMax, description: 'Recipient id. Default: a generated id.' })),
    ),
    user_id: Type.Optional(nullable(Type.String({ maxLength: idCharactersMax, description: 'Alias of `recipient`.' }))),
    email: Type.Optional(nullable(Type.String({ maxLength: textCharactersMax, description: 'Email address.' }))),
    profile: optionalObject('Contact values for this message only; merged over the stored profile.'),
    data: optionalObject('Merged over the data of the message, key by key.'),
    preferences: Type.Optional(nullable(Preferences)),
    to: Type.Optional(nullable(MessageRecipient)),
  },
  { title: 'BulkUser', description: 'One user of a job.', additionalProperties: true },
)
export type BulkUser = Static<typeof BulkUser>

export const bulkJobStatuses = ['CREATED', 'PROCESSING', 'COMPLETED', 'CANCELED', 'ERROR'] as const
export type BulkJobStatus = (typeof bulkJobStatuses)[number]

const progress = {
  received: Type.Integer({ minimum: 0, description: 'Number of users added.' }),
  enqueued: Type.Integer({ minimum: 0, description: 'Messages created so far.' }),
  failures: Type.Integer({ minimum: 0, description: 'Users whose message could not be created.' }),
  status: Type.Enum([...bulkJobStatuses], {
    description:
      '`CREATED`: users can be added, and nothing is sent. `COMPLETED`: every user has a message; `GET /messages?messageId=` lists them. `CANCELED`: it was stopped, and the users without a message get none.',
  }),
}

export const BulkJob = Type.Object(
  { definition: jsonObject('The message of the job, as sent.'), ...progress },
  { title: 'BulkJob', description: 'A bulk job and its progress.' },
)
export type BulkJob = Static<typeof BulkJob>

export const BulkJobSummary = Type.Object(
  {
    jobId: Type.String({ description: 'The job id.' }),
    event: Type.Optional(Type.String({ description: 'Event or template of the job; absent for content of its own.' })),
    created: timestamp('Time the job was created.'),
    ...progress,
    error: Type.Optional(Type.String({ description: 'Error that stopped the job.' })),
  },
  { title: 'BulkJobSummary', description: 'A bulk job of a list, without its message.' },
)
export type BulkJobSummary = Static<typeof BulkJobSummary>

export const BulkUserRecord = Type.Object(
  {
    recipient: Type.String({ description: 'The recipient id.' }),
    status: Type.Enum(['PENDING', 'ENQUEUED', 'CANCELED', 'ERROR'], {
      description: '`ENQUEUED`: the message exists. `CANCELED`: the job was canceled before it did.',
    }),
    messageId: Type.Optional(Type.String({ description: 'Id of the message, once it exists.' })),
    profile: Type.Optional(jsonObject('Profile as sent, with tokens masked.')),
    data: Type.Optional(jsonObject('Data as sent.')),
  },
  { title: 'BulkUserRecord', description: 'A user of a bulk job.', additionalProperties: true },
)
export type BulkUserRecord = Static<typeof BulkUserRecord>

export const BulkUserForecast = Type.Object(
  {
    user: Type.Integer({ minimum: 0, description: 'Place of the user in the call.' }),
    recipient: Type.String({ description: 'The recipient id.' }),
    status: MessageStatus,
    reason: Type.Optional(Reason),
    code: Type.Optional(DecisionCode),
    error: Type.Optional(Type.String({ description: 'Why it is not sent, in English.' })),
    due_at: Type.Optional(
      timestamp('Due time of a delayed message, release time of a digest, or when a held message fails.'),
    ),
    deliveries: Type.Array(
      Type.Object({
        channel: ChannelName,
        provider: Type.String({ description: 'The provider: `sendgrid`.' }),
        integration: Type.String({ description: 'The integration id.' }),
        title: Type.String({ description: 'Title of the integration.', 'x-public': true }),
      }),
      { description: 'Integrations that are called first. Empty where the message is not sent.' },
    ),
    missing: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Variables without a value in any of its contents, fallbacks included, as the template has them; at most 20 of each content. Absent when there are none.',
      }),
    ),
    unusable: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Keys of the profile with a value that keeps an integration of its route from being used, such as an invalid address. Absent when there are none.',
      }),
    ),
  },
  {
    title: 'BulkUserForecast',
    description:
      'The forecast of the message of a user: `ROUTED`, `DELAYED` or `SIMULATED` where it would be sent, else the status that it would end or wait with.',
  },
)
export type BulkUserForecast = Static<typeof BulkUserForecast>

const BulkJobReply = Type.Object({ job: BulkJob }, { title: 'BulkJobReply', description: 'The bulk job.' })

const params = Type.Object({ job_id: id('The job id.') })
const example = { job_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' }
const user = { recipient: 'user-7', profile: { email: 'ada@example.com' }, data: { name: 'Ada' } }

export default resource({
  name: 'bulk',
  position: 60,
  title: 'Bulk',
  description: 'Bulk jobs: one message to many users, added in parts.',
  operations: [
    operation({
      id: 'bulk.list',
      origin: 'postrider',
      method: 'GET',
      path: '/bulk',
      summary: 'List bulk jobs',
      description: 'Newest first.',
      query: Type.Object({
        status: Type.Optional(
          Type.Array(Type.Enum([...bulkJobStatuses]), {
            maxItems: bulkJobStatuses.length,
            description: 'Status of the job; repeatable.',
          }),
        ),
        ...pageQuery(bulkJobsPage),
      }),
      replies: {
        200: Type.Object(
          { items: Type.Array(BulkJobSummary, { maxItems: pageMax }), paging: Paging },
          { title: 'BulkJobsPage', description: 'A page of bulk jobs.' },
        ),
      },
      example: {
        reply: {
          items: [
            {
              jobId: example.job_id,
              event: 'welcome',
              created: 1_710_334_643_000,
              ...{ received: 2, enqueued: 2, failures: 0, status: 'COMPLETED' },
            },
          ],
          paging: { more: false },
        },
      },
    }),
    operation({
      id: 'bulk.create',
      method: 'POST',
      path: '/bulk',
      access: 'key',
      summary: 'Create a bulk job',
      description:
        'Nothing is sent until the job has users and is run. A strict call (`?strict=true`, as for `POST /send`) returns 400 for problems that would affect the message of every user; users are not checked.',
      query: StrictQuery,
      body: Type.Object({ message: BulkMessage }),
      replies: {
        201: Type.Object(
          { jobId: Type.String({ description: 'The job id.' }) },
          { title: 'BulkCreated', description: 'The job was created.' },
        ),
        409: ErrorBody,
      },
      example: {
        body: { message: { event: 'welcome', data: { product: 'Postrider' } } },
        reply: { jobId: example.job_id },
      },
    }),
    operation({
      id: 'bulk.explain',
      origin: 'postrider',
      method: 'POST',
      path: '/explain/bulk',
      access: 'key',
      role: 'editor',
      computesReply: true,
      summary: 'Explain a bulk job without sending',
      description: `The message of a job and some of its users, as in \`POST /bulk\` and \`POST /bulk/:job_id\`: the forecast for each user, as of now. At most ${usersPerExplanationMax} users a call; without users the message alone is checked. Nothing is stored, no provider is called, and an \`Idempotency-Key\` has no effect.`,
      body: Type.Object(
        {
          message: BulkMessage,
          users: Type.Array(
            Type.Union([BulkUser, jsonObject('A user that does not match the schema; it is listed in `errors`.')]),
            { maxItems: usersPerExplanationMax, description: 'Users of the job, in order.' },
          ),
        },
        { additionalProperties: false },
      ),
      replies: {
        200: Type.Object(
          {
            stopped: Type.Optional(
              Type.Object(
                {
                  status: MessageStatus,
                  code: DecisionCode,
                  error: Type.String({ description: 'Human-readable explanation.' }),
                },
                {
                  description:
                    'Why no user gets a message: an unknown event or template, or one without a published version.',
                },
              ),
            ),
            problems: Type.Array(Type.String(), {
              description: 'Problems that do not depend on the user; a strict job is refused for them.',
            }),
            warnings: Type.Array(Type.String(), {
              description: 'Ignored fields of the message and the users, each with its path.',
            }),
            users: Type.Array(BulkUserForecast, { description: 'Users that the job would take, in order.' }),
            errors: Type.Array(
              Type.Object({
                user: Type.Integer({ minimum: 0, description: 'Place of the user in the call.' }),
                error: Type.String({ description: 'Reason, as when the user is added to a job.' }),
              }),
              { description: 'Users that the job would not take.' },
            ),
          },
          { title: 'BulkExplanation', description: 'Forecast of a bulk job.' },
        ),
      },
      example: {
        body: { message: { event: 'welcome', data: { product: 'Postrider' } }, users: [user] },
        reply: {
          problems: [],
          warnings: [],
          users: [
            {
              ...{ user: 0, recipient: user.recipient, status: 'ROUTED' },
              deliveries: [
                {
                  ...{ channel: 'email', provider: 'mailbox', integration: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8' },
                  title: 'Mailbox',
                },
              ],
            },
          ],
          errors: [],
        },
      },
    }),
    operation({
      id: 'bulk.ingest',
      method: 'POST',
      path: '/bulk/:job_id',
      access: 'sender',
      summary: 'Add users to a bulk job',
      description: `At most ${usersPerIngestMax.toLocaleString('en')} users a call, in any number of calls, until the job is run. A user who is already in the job, does not match the schema or has no recipient is refused with a reason; the others are added. A job has one message for each recipient: two with other data, such as two invoices, are two jobs.`,
      params,
      body: Type.Object({
        // Each user is validated alone: an invalid one is listed in `errors`, and the others are added.
        users: Type.Array(
          Type.Union([BulkUser, jsonObject('A user that does not match the schema; it is listed in `errors`.')]),
          {
            minItems: 1,
            maxItems: usersPerIngestMax,
            description: 'Users to add.',
          },
        ),
      }),
      replies: {
        200: Type.Object(
          {
            total: Type.Integer({ minimum: 0, description: 'Number of users added by this call.' }),
            errors: Type.Array(
              Type.Object({
                error: Type.String({
                  description:
                    'Reason: `Duplicate user` for one that the job has already, and a longer sentence for any other, also where the job has that recipient with other data.',
                }),
                user: jsonObject('The user as sent.'),
              }),
              { description: 'Users that were not added.' },
            ),
          },
          { title: 'BulkIngested', description: 'Result of the call for its users.' },
        ),
        404: ErrorBody,
      },
      example: { params: example, body: { users: [user] }, reply: { total: 1, errors: [] } },
    }),
    operation({
      id: 'bulk.run',
      method: 'POST',
      path: '/bulk/:job_id/run',
      access: 'sender',
      summary: 'Run a bulk job',
      description:
        'Starts sending to its users; no more users can be added. A job runs once, and a canceled one never.',
      params,
      replies: {
        202: Type.Object(
          { status: Type.Literal('ACCEPTED', { description: 'Always `ACCEPTED`.' }) },
          { title: 'BulkAccepted', description: 'The job is running.' },
        ),
        404: ErrorBody,
      },
      example: { params: example, reply: { status: 'ACCEPTED' } },
    }),
    operation({
      id: 'bulk.cancel',
      origin: 'postrider',
      method: 'POST',
      path: '/bulk/:job_id/cancel',
      access: 'sender',
      summary: 'Cancel a bulk job',
      description:
        'No further messages are created; those created already are sent, and canceled where the job was paused. A job that was not run cannot be run any more. Canceling is idempotent; a job that has ended otherwise is 409. Messages that were created during the call may be missing in the counts of the reply.',
      params,
      replies: { 200: BulkJobReply, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: example,
        reply: {
          job: { definition: { event: 'welcome' }, received: 2, enqueued: 0, failures: 0, status: 'CANCELED' },
        },
      },
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
      summary: 'Get a bulk job by its run',
      description: 'Alias of `GET /bulk/:job_id` for an older client.',
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
          {
            items: Type.Array(BulkUserRecord, { description: 'Users in the order in which they were added.' }),
            paging: Paging,
          },
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
