/** The history of a message: one schema for each history event type. */
import { type Static, type TProperties, Type } from 'typebox'
import { jsonObject, timestamp } from '../api/values.ts'
import { SmsSegments } from './content.ts'
import { MessageDevice } from './message-device.ts'
import { Reason, ReasonCode } from './status.ts'
import { SuppressionReason } from './suppression.ts'
import { automatedReasons } from './tracking.ts'

export const HistoryChannel = Type.Object(
  {
    id: Type.String({ description: 'Channel of the notification; empty when none was considered.' }),
    label: Type.Optional(Type.String({ description: 'Display name.' })),
  },
  { title: 'HistoryChannel', description: 'A channel in a history event.' },
)

export const HistoryIntegration = Type.Object(
  {
    id: Type.String({ description: 'The integration id.' }),
    provider: Type.String({ description: 'The provider: `sendgrid`.' }),
  },
  { title: 'HistoryIntegration', description: 'An integration in a history event.' },
)

const event = <const T extends string, P extends TProperties>(type: T, description: string, fields: P) =>
  Type.Object(
    { type: Type.Literal(type, { description }), ts: timestamp('Time of the event.'), ...fields },
    { description },
  )

const via = { channel: HistoryChannel, integration: HistoryIntegration, device: Type.Optional(MessageDevice) }
const reference = Type.Optional(jsonObject('Identifiers of the message at the provider.'))
const url = (part: string) => Type.Optional(Type.String({ description: `Root-relative URL of the ${part}.` }))

/** Why an integration is not called. */
export const DeferralCause = Type.Enum(['circuit_breaker', 'limit'], {
  description:
    'Why no call is made: the circuit breaker of the integration is open, or a limit of it is reached. Otherwise absent.',
})

const automated = Type.Optional(
  Type.Literal(true, {
    description:
      'A program did it: a proxy that fetches pictures ahead, a scanner that follows links. The status stays.',
  }),
)

const automatedReason = Type.Optional(
  Type.Enum([...automatedReasons], {
    description:
      'Why a program is assumed, where the server tracked it: `head` (a request of the headers only), `prefetch` (its headers or name say so), `privacy_proxy` (Apple Mail), `scanner`, `program`, `instant` (within two seconds of sending), `unopened` (a click within ten seconds, without an open), `burst` (several links within a second).',
  }),
)

const findings = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'Mistakes in the message, in words: fields of the send that are not read, names of nothing, variables without a value, content that is not rendered as written, an email larger than Gmail shows, copies that the mail server did not take. Absent when there are none.',
  }),
)

export const CancelSource = Type.String({
  description:
    'Origin of the cancellation: `key/backend`, `operator` (the command on a database without a server), or `erasure` for a message of a person who was erased. Absent where it was not recorded.',
})

export const HistoryEvent = Type.Union(
  [
    event('ENQUEUED', 'The message was accepted.', {
      event: Type.String({ description: 'Event of the send.' }),
      recipient: Type.String({ description: 'The recipient id.' }),
      data: jsonObject('Data of the send.'),
      profile: jsonObject('Profile of the send, with tokens masked.'),
      override: jsonObject('Override of the send, with secrets masked.'),
      findings,
    }),
    event('DELAYED', 'The message is delayed.', { until: timestamp('Due time.') }),
    event('MAPPED', 'The event is mapped to a notification.', {
      event_id: Type.String({ description: 'Event of the send.' }),
      notification_id: Type.String({ description: 'The notification id.' }),
      findings,
    }),
    event('UNMAPPED', 'The event is not mapped to a notification.', {
      event_id: Type.String({ description: 'Event of the send.' }),
      findings,
    }),
    event('PROFILE_LOADED', 'The profiles were merged. Tokens are masked.', {
      received_profile: jsonObject('Profile of the send.'),
      stored_profile: jsonObject('Stored profile at that time.'),
      merged_profile: jsonObject('Merged profile that was used.'),
      findings,
    }),
    event('FILTERED', 'A condition stopped the message.', {
      channel: HistoryChannel,
      reason: Reason,
      error_message: Type.Optional(
        Type.String({ description: 'The condition, and the error if it could not be evaluated.' }),
      ),
    }),
    event('THROTTLED', 'A send limit stopped the message.', {}),
    event('DIGESTED', 'The message was added to a digest.', {
      topic_id: Type.String({ description: 'Topic of the digest.' }),
      until: timestamp('Latest release time of the digest.'),
    }),
    event('RENDERED', 'The content was rendered for one channel.', {
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
        { description: 'URLs of the rendered parts; parts that do not exist are omitted.' },
      ),
      sms: Type.Optional(SmsSegments),
      findings,
    }),
    event('SIMULATED', 'A mock key stopped the message before the provider call.', via),
    event('DELIVERING', 'An attempt failed and will be retried, or the integration must not be called yet.', {
      ...via,
      attempt: Type.Integer({
        minimum: 1,
        description: 'Number of the failed attempt; with `held_back` of the last one.',
      }),
      held_back: Type.Optional(DeferralCause),
      error: Type.String({ description: 'Error of the attempt, or why no call was made.' }),
      next_attempt_at: Type.Optional(timestamp('Time of the next attempt.')),
    }),
    event('HELD', 'The message waits until an integration is repaired.', {
      until: timestamp('When it fails at the latest.'),
      reason: Type.Optional(Reason),
      error_message: Type.Optional(Type.String({ description: 'Error of the integration that has to be repaired.' })),
      findings,
    }),
    event('RELEASED', 'A message that waited for an integration, or was given up, goes on.', {
      cause: Type.Enum(['repair', 'call', 'settings', 'dead_letter'], {
        description:
          '`repair`: an integration was added or changed, a test of it went well, or its circuit breaker closed. `call`: `POST /messages/release`. `settings`: `hold_misconfigured` was switched off. `dead_letter`: `POST /dead-letters/:id/release`.',
      }),
      integration_id: Type.Optional(
        Type.String({ description: 'The integration that was added or changed, or works again.' }),
      ),
      source: Type.Optional(
        Type.String({ description: '`dead_letter`: author of the release, `key/backend` or `operator`.' }),
      ),
    }),
    event('SENT', 'The provider accepted the message.', { ...via, reference, findings }),
    event('DEFERRED', 'A mail server could not deliver the message yet, and keeps trying.', {
      ...via,
      error_message: Type.Optional(Type.String({ description: 'Reason of the mail server.' })),
    }),
    event('COPY_SENT', 'A copy of the mail, which the mail server had refused for now, was accepted.', {
      ...via,
      address: Type.Optional(Type.String({ description: 'Address of the copy.' })),
    }),
    event('COPY_UNDELIVERABLE', 'A copy of the mail, which the mail server had refused for now, was given up.', {
      ...via,
      address: Type.Optional(Type.String({ description: 'Address of the copy.' })),
      error_message: Type.Optional(Type.String({ description: 'Reason of the mail server, or why it was not sent.' })),
    }),
    event('DELIVERED', 'The message was delivered.', { ...via, reference }),
    event('OPENED', 'The message was opened.', { ...via, automated, automated_reason: automatedReason }),
    event('CLICKED', 'A link was clicked. Each link has one event; a program has one for all.', {
      ...via,
      automated,
      automated_reason: automatedReason,
      url: Type.Optional(Type.String({ description: 'Address of the link, where it is known.' })),
    }),
    event('COMPLAINED', 'The recipient reported the message as spam.', via),
    event('UNSUBSCRIBED', 'The recipient unsubscribed at the provider.', via),
    event('UNDELIVERABLE', 'A candidate failed, or the recipient opted out.', {
      channel: HistoryChannel,
      integration: Type.Optional(HistoryIntegration),
      device: Type.Optional(MessageDevice),
      error_message: Type.Optional(Type.String({ description: 'Error message of the provider.' })),
      reason: Type.Optional(Reason),
      reasonCode: Type.Optional(ReasonCode),
      suppressed: Type.Optional(SuppressionReason),
    }),
    event('UNROUTABLE', 'No channel or provider could be chosen.', {
      channel: HistoryChannel,
      reason: Reason,
      error_message: Type.Optional(Type.String({ description: 'Missing configuration or profile data.' })),
    }),
    event('CANCELED', 'The message was canceled.', {
      source: Type.Optional(CancelSource),
    }),
  ],
  { title: 'HistoryEvent', description: 'A history event of a message; its fields depend on `type`.' },
)
export type HistoryEvent = Static<typeof HistoryEvent>

export const HistoryType = Type.Enum(
  HistoryEvent.anyOf.map(({ properties }) => properties.type.const),
  { title: 'HistoryType', description: 'Type of a history event.' },
)
export type HistoryType = Static<typeof HistoryType>
