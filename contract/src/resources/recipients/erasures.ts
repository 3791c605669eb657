/** /erasures: receipts of people who were removed everywhere. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, moment } from '../../api/values.ts'

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

const Removed = Type.Object(
  {
    profiles: count('The profile.'),
    preferences: count('Preferences of the first generation.'),
    topicPreferences: count('Choices for topics.'),
    listSubscriptions: count('Subscriptions to lists.'),
    memberships: count('Places in tenants.'),
    deviceTokens: count('Devices.'),
    audienceMembers: count('Places in audiences.'),
    automationRuns: count(
      'Runs of automations that named the user: they end, and nothing of what they were about stays.',
    ),
    requestRecipients: count('Places among the recipients of sends to several.'),
    bulkUsers: count('Users of bulk jobs.'),
    messages: count('Messages: status, times and providers stay, under the pseudonym.'),
    digests: count('Digests that were still to be released.'),
    canceledMessages: count('Of these, messages that were still to be sent.'),
    mailbox: count('What the mailbox kept.'),
    keptReplies: count('Replies kept for an `Idempotency-Key`.'),
    inboundEvents: count('Inbound events.'),
    webhookDeliveries: count('Calls of webhooks.'),
    auditEvents: count('Audit events: they stay, under the pseudonym.'),
  },
  { title: 'Removed', description: 'How many of each kind; what there was none of is left out.' },
)

export const Erasure = Type.Object(
  {
    erasureId: Type.String({ description: 'The id of the erasure.' }),
    status: Type.Enum(['PROCESSING', 'COMPLETED', 'ERROR'], {
      description:
        '`PROCESSING`: nothing is sent to the user, and what is sent meanwhile is erased with the rest. `COMPLETED`: nothing is left, and a new send is a new beginning. `ERROR`: something failed again and again; asking once more goes on with it.',
    }),
    pseudonym: Type.String({ description: 'What stands for the user in messages now. The same for the same id.' }),
    begun: moment('When it was asked for.'),
    completed: Type.Optional(moment('When nothing was left.')),
    removed: Removed,
  },
  { title: 'Erasure', description: 'The receipt of an erasure. It does not name the user.' },
)
export type Erasure = Static<typeof Erasure>

export default resource({
  name: 'erasures',
  position: 80,
  title: 'Erasures',
  description: 'Receipts of people who were removed everywhere.',
  operations: [
    operation({
      id: 'erasures.get',
      origin: 'postrider',
      method: 'GET',
      path: '/erasures/:erasure_id',
      summary: 'Get an erasure',
      description: 'The receipt of `DELETE /profiles/:user_id?erase=true`, with what was removed so far.',
      params: Type.Object({ erasure_id: id('The id of the erasure.') }),
      replies: { 200: Erasure, 404: ErrorBody },
      example: {
        params: { erasure_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b7' },
        reply: {
          erasureId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b7',
          status: 'COMPLETED',
          pseudonym: 'erased-7c1f0e5b9a3d4826b0c4d5e6f7a8b9c0',
          begun: 1_710_334_643_000,
          completed: 1_710_334_643_250,
          removed: { profiles: 1, listSubscriptions: 2, messages: 41, canceledMessages: 1 },
        },
      },
    }),
  ],
})
