/** /erasures: records of erased users. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, timestamp } from '../../api/values.ts'

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

const Removed = Type.Object(
  {
    profiles: count('Profiles.'),
    preferences: count('Preferences of the first generation.'),
    topicPreferences: count('Choices for topics.'),
    listSubscriptions: count('Subscriptions to lists.'),
    memberships: count('Memberships in tenants.'),
    deviceTokens: count('Device tokens.'),
    audienceMembers: count('Memberships in audiences.'),
    automationRuns: count('Automation runs that referred to the user; they are ended and their data is deleted.'),
    requestRecipients: count('Entries among the recipients of sends to several.'),
    bulkUsers: count('Users of bulk jobs.'),
    messages: count('Messages; status, times and providers remain, under the pseudonym.'),
    digests: count('Digests that were not yet released.'),
    canceledMessages: count('Messages, included above, that were not yet sent.'),
    mailbox: count('Mailbox items.'),
    deferredCopies: count('Mails for copies that a mail server had refused for now.'),
    unrecognizedBounces: count('Mails about messages of the user that were not understood.'),
    suppressions: count('Suppressed addresses: bounces are removed, the others remain without a readable address.'),
    keptReplies: count('Replies stored for an `Idempotency-Key`.'),
    inboundEvents: count('Inbound events.'),
    views: count('Saved views that name the user.'),
    webhookDeliveries: count('Webhook deliveries.'),
    preferenceChanges: count('Recorded changes of preferences; they remain, under the pseudonym.'),
    auditEvents: count('Audit events; they remain, under the pseudonym.'),
  },
  { title: 'Removed', description: 'Number of erased records by kind; kinds without records are omitted.' },
)

export const Erasure = Type.Object(
  {
    erasureId: Type.String({ description: 'Erasure id.' }),
    status: Type.Enum(['PROCESSING', 'COMPLETED', 'ERROR'], {
      description:
        '`PROCESSING`: nothing is sent to the user, and new sends are erased too. `COMPLETED`: all data is erased; the id can be used again. `ERROR`: repeated failures; another erase call continues the erasure.',
    }),
    pseudonym: Type.String({
      description: 'Pseudonym that replaces the user id in messages; the same for the same id.',
    }),
    begun: timestamp('Time of the request.'),
    completed: Type.Optional(timestamp('Time of completion.')),
    removed: Removed,
  },
  { title: 'Erasure', description: 'Record of an erasure; it does not contain the user id.' },
)
export type Erasure = Static<typeof Erasure>

export default resource({
  name: 'erasures',
  position: 80,
  title: 'Erasures',
  description: 'Records of erased users.',
  operations: [
    operation({
      id: 'erasures.get',
      origin: 'postrider',
      method: 'GET',
      path: '/erasures/:erasure_id',
      summary: 'Get an erasure',
      description: 'Record of `DELETE /profiles/:user_id?erase=true`, with the number of records erased so far.',
      params: Type.Object({ erasure_id: id('Erasure id.') }),
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
