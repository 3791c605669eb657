/** The history of a message: one schema for each kind of event. */
import { type Static, type TProperties, Type } from 'typebox'
import { jsonObject, moment } from '../api/values.ts'
import { type HistoryType, Reason, ReasonCode } from './status.ts'

export const HistoryChannel = Type.Object(
  {
    id: Type.String({ description: 'The channel of the notification; empty when none was considered.' }),
    label: Type.Optional(Type.String({ description: 'Its name for people.' })),
  },
  { title: 'HistoryChannel', description: 'A channel, as history names it.' },
)

export const HistoryIntegration = Type.Object(
  {
    id: Type.String({ description: 'The integration id.' }),
    provider: Type.String({ description: 'The provider: `sendgrid`.' }),
  },
  { title: 'HistoryIntegration', description: 'An integration, as history names it.' },
)

const event = <const T extends HistoryType, P extends TProperties>(type: T, description: string, fields: P) =>
  Type.Object(
    { type: Type.Literal(type, { description }), ts: moment('When it happened.'), ...fields },
    { description },
  )

const via = { channel: HistoryChannel, integration: HistoryIntegration }
const reference = Type.Optional(jsonObject('What the provider calls the message.'))
const url = (part: string) => Type.Optional(Type.String({ description: `Root-relative address of the ${part}.` }))

const findings = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'Unknown names in the message (a tenant, a brand, a snippet) and content that is not shown as it was written. Absent without any.',
  }),
)

export const HistoryEvent = Type.Union(
  [
    event('ENQUEUED', 'The message was accepted.', {
      event: Type.String({ description: 'The event as sent.' }),
      recipient: Type.String({ description: 'The recipient id.' }),
      data: jsonObject('The data as sent.'),
      profile: jsonObject('The profile as sent, tokens masked.'),
      override: jsonObject('The override as sent, secrets masked.'),
    }),
    event('DELAYED', 'The message waits.', { until: moment('When it comes due.') }),
    event('MAPPED', 'The event led to a notification.', {
      event_id: Type.String({ description: 'The event as sent.' }),
      notification_id: Type.String({ description: 'The notification.' }),
    }),
    event('UNMAPPED', 'The event is not mapped to a notification.', {
      event_id: Type.String({ description: 'The event as sent.' }),
    }),
    event('PROFILE_LOADED', 'The profiles were merged. Tokens are masked.', {
      received_profile: jsonObject('From the send.'),
      stored_profile: jsonObject('As stored when it was read.'),
      merged_profile: jsonObject('What was used.'),
      findings,
    }),
    event('FILTERED', 'A condition stopped it.', {
      channel: HistoryChannel,
      reason: Reason,
      error_message: Type.Optional(Type.String({ description: 'Which one, and why when it could not be evaluated.' })),
    }),
    event('THROTTLED', 'A send limit stopped it.', {}),
    event('DIGESTED', 'It was kept for a digest.', {
      topic_id: Type.String({ description: 'The topic whose digest it is.' }),
      until: moment('When the digest is released at the latest.'),
    }),
    event('RENDERED', 'The words for one channel are ready.', {
      ...via,
      output: Type.Object(
        {
          html: url('HTML'),
          title: url('title'),
          body: url('short form'),
          subject: url('subject'),
          text: url('plain text'),
          blocks: url('blocks'),
        },
        { description: 'Where each part can be read; parts that do not exist are left out.' },
      ),
      findings,
    }),
    event('SIMULATED', 'A mock key stopped it before the provider.', via),
    event('DELIVERING', 'An attempt failed and will be repeated.', {
      ...via,
      attempt: Type.Integer({ minimum: 1, description: 'The how-manieth attempt failed.' }),
      error: Type.String({ description: 'What went wrong.' }),
      next_attempt_at: Type.Optional(moment('When the next attempt is due.')),
    }),
    event('SENT', 'The provider accepted it.', { ...via, reference }),
    event('DELIVERED', 'It arrived.', { ...via, reference }),
    event('OPENED', 'It was opened.', via),
    event('CLICKED', 'A link was followed.', via),
    event('UNDELIVERABLE', 'One candidate has ended without success, or the recipient does not want it.', {
      channel: HistoryChannel,
      integration: Type.Optional(HistoryIntegration),
      error_message: Type.Optional(Type.String({ description: 'What the provider said.' })),
      reason: Type.Optional(Reason),
      reasonCode: Type.Optional(ReasonCode),
    }),
    event('UNROUTABLE', 'No way to the recipient was found.', {
      channel: HistoryChannel,
      reason: Reason,
      error_message: Type.Optional(Type.String({ description: 'What is missing.' })),
    }),
    event('CANCELED', 'It was stopped through the cancel endpoint.', {}),
  ],
  { title: 'HistoryEvent', description: 'One thing that happened to a message. `type` says which fields it has.' },
)
export type HistoryEvent = Static<typeof HistoryEvent>
