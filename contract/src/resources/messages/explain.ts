/** Explanations of decisions with their facts, before and after sending. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { RenderedContent } from '../../shapes/content.ts'
import { DecisionStep } from '../../shapes/decision-codes.ts'
import { DeferralCause } from '../../shapes/history.ts'
import { CircuitBreaker } from '../../shapes/integration.ts'
import { MessageDevice } from '../../shapes/message-device.ts'
import { MessageSendBody, messageSendExample } from '../../shapes/message-send.ts'
import { CandidateReason, DeliveryStatus, MessageStatus, Reason } from '../../shapes/status.ts'
import { CandidateSuppression } from '../../shapes/suppression.ts'
import { SendBody, sendExample } from './send.ts'

/** As many integrations as a workspace has. */
export const unavailableMax = 20

const provider = Type.String({ description: 'The provider: `sendgrid`.' })
const integration = Type.String({ description: 'The integration id.' })
const title = Type.Optional(
  Type.String({
    description: 'Title of the integration; absent when the integration has been deleted.',
    'x-public': true,
  }),
)

export const Candidate = Type.Object(
  {
    channel: ChannelName,
    provider: Type.Optional(provider),
    integration: Type.Optional(integration),
    title,
    device: Type.Optional(MessageDevice),
    selected: Type.Boolean({
      description: 'Whether the candidate is tried, immediately or after earlier candidates fail.',
    }),
    reason: Type.Optional(CandidateReason),
    error: Type.Optional(
      Type.String({
        description: 'Error in the evaluation of its condition, or why the token of the device is not used.',
      }),
    ),
    suppression: Type.Optional(CandidateSuppression),
    order: Type.Integer({
      minimum: 0,
      description:
        'Place in the order of turns. `fallback` of the rendered candidates says which ones are called only when others have failed.',
    }),
  },
  { title: 'Candidate', description: 'A channel and integration that can deliver the message.' },
)
export type Candidate = Static<typeof Candidate>

export const RenderedCandidate = Type.Object(
  {
    channel: ChannelName,
    provider,
    integration,
    title,
    content: RenderedContent,
    draft: Type.Optional(jsonObject('Request to the provider with overrides merged in, without secrets.')),
    error: Type.Optional(Type.String({ description: 'Error that prevents the request to the provider.' })),
    fallback: Type.Optional(
      Type.Boolean({
        description:
          'Whether it is called only when others have failed. Absent where the content cannot be rendered, unless `held_back` comes before that.',
      }),
    ),
    held_back: Type.Optional(DeferralCause),
    next_attempt_at: Type.Optional(timestamp('With `held_back`: about when it may be called, if it has its turn.')),
    circuit_breaker: Type.Optional(CircuitBreaker),
  },
  {
    title: 'RenderedCandidate',
    description:
      'Rendered content of one candidate. Before a send that is due it says whether its integration can be called now: `circuit_breaker` is present while it is not closed.',
  },
)
export type RenderedCandidate = Static<typeof RenderedCandidate>

const explained = {
  decision: Type.Object(
    {
      status: MessageStatus,
      reason: Type.Optional(Reason),
      error: Type.Optional(Type.String({ description: 'Human-readable explanation.' })),
      due_at: Type.Optional(
        timestamp(
          'Due time of a delayed message, release time of the digest of the message, or when a held message fails.',
        ),
      ),
      held_if_rejected: Type.Optional(
        Type.Boolean({
          description:
            'True for a send whose first calls test integrations that have refused it for their settings: another rejection holds the message for a repair.',
        }),
      ),
      delayed_until: Type.Optional(
        timestamp('When the send is due and decided: until then it is `DELAYED`. Absent for a send without a delay.'),
      ),
    },
    {
      description:
        'Result of the decision: `ROUTED` (the message goes to providers), `HELD` (it waits for a repair) or the status that stops it.',
    },
  ),
  notification: Type.Optional(
    Type.Object(
      {
        id: Type.String({ description: 'The notification id.' }),
        version: Type.String({ description: '`draft` or a published version: `v3`.' }),
      },
      { description: 'The notification; absent when the event is unmapped.' },
    ),
  ),
  steps: Type.Array(DecisionStep, { description: 'Decision steps, in order.' }),
  candidates: Type.Array(Candidate, { description: 'All candidates, in order.' }),
  rendered: Type.Array(RenderedCandidate, { description: 'Rendered content of the selected candidates.' }),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Mistakes in the message that do not stop it, in words: ignored parts of the request and variables without a value, each with its path, names of nothing, an email larger than Gmail shows. Absent when there are none.',
    }),
  ),
  profile: jsonObject('Merged profile, with tokens masked.'),
}

export const Explanation = Type.Object(explained, {
  title: 'Explanation',
  description: 'A decision with its facts.',
})
export type Explanation = Static<typeof Explanation>

const headers = (description: string) => Type.Optional(Type.Record(Type.String(), Type.String(), { description }))

export const AttemptRequest = Type.Object(
  {
    protocol: Type.Enum(['http', 'smtp'], { description: 'Protocol of the request.' }),
    method: Type.Optional(Type.String({ description: 'HTTP method.' })),
    url: Type.String({ description: 'Address of the request; for SMTP the server: `smtp://mail.example.com:587`.' }),
    envelope: Type.Optional(
      Type.Object(
        {
          from: Type.String({ description: 'Envelope sender.' }),
          to: Type.Array(Type.String(), { description: 'Envelope recipients, at most 20.' }),
        },
        { description: 'SMTP only.' },
      ),
    ),
    headers: headers('Headers of the request. Headers that may carry credentials are masked.'),
    body: Type.Optional(
      Type.String({ description: 'Start of the body; absent for mails, binary bodies and requests for tokens.' }),
    ),
    body_size: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Characters of the whole body; bytes of a binary one.' }),
    ),
    messages: Type.Optional(
      Type.Integer({
        minimum: 2,
        description: 'Messages that shared the call; `body` is the part of this one. Absent for a call of its own.',
      }),
    ),
  },
  { title: 'AttemptRequest', description: 'The latest request of an attempt, with secrets masked.' },
)
export type AttemptRequest = Static<typeof AttemptRequest>

export const AttemptReply = Type.Object(
  {
    status: Type.Optional(Type.Integer({ description: 'HTTP status or SMTP code; absent when no reply came.' })),
    headers: headers('Headers with the type of the body, request ids, limits and pauses.'),
    body: Type.Optional(Type.String({ description: 'Start of the body; for SMTP the text of the reply.' })),
    body_size: Type.Optional(Type.Integer({ minimum: 0, description: 'Characters of the whole body.' })),
    failure: Type.Optional(
      Type.String({ description: 'Why no reply came: `dns`, `connect`, `tls`, `timeout`, `reset`, `too_large`, …' }),
    ),
    error: Type.Optional(Type.String({ description: 'The failure in words.' })),
  },
  { title: 'AttemptReply', description: 'The reply to the latest request of an attempt, with secrets masked.' },
)
export type AttemptReply = Static<typeof AttemptReply>

export const AttemptRecord = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Number of the attempt, from 1.' }),
    started: timestamp('Start of the attempt.'),
    ended: Type.Optional(timestamp('End of the attempt; absent while it is in progress.')),
    outcome: Type.Optional(
      Type.Enum(['sent', 'retry', 'rejected', 'in_doubt'], { description: 'Outcome of the attempt.' }),
    ),
    error: Type.Optional(Type.String({ description: 'Error of the attempt.' })),
    request: Type.Optional(AttemptRequest),
    reply: Type.Optional(AttemptReply),
  },
  {
    title: 'AttemptRecord',
    description:
      'One attempt to deliver through a provider. Request and reply are stored for failed attempts and for a success after another attempt of the message: of each delivery the first five attempts, then every tenth, and the one that ended it.',
  },
)
export type AttemptRecord = Static<typeof AttemptRecord>

export const DeliveryRecord = Type.Object(
  {
    id: Type.String({ description: 'Delivery id, the same for all attempts.' }),
    channel: ChannelName,
    provider,
    integration,
    title,
    device: Type.Optional(MessageDevice),
    status: DeliveryStatus,
    attempts: Type.Array(AttemptRecord, {
      description:
        'Attempts, oldest first; limited to the latest ones. The node that makes an attempt shows it while it is in progress.',
    }),
    attempts_total: Type.Integer({ minimum: 0, description: 'Total number of attempts.' }),
    next_attempt_at: Type.Optional(timestamp('Time of the next attempt.')),
    error: Type.Optional(Type.String({ description: 'Error of the latest attempt.' })),
    reason: Type.Optional(Reason),
    reference: Type.Optional(jsonObject('Identifiers of the message at the provider.')),
  },
  { title: 'DeliveryRecord', description: 'Delivery of one candidate.' },
)
export type DeliveryRecord = Static<typeof DeliveryRecord>

export const MessageExplanation = Type.Object(
  {
    message: Type.Object(
      { id: Type.String({ description: 'The message id.' }), status: MessageStatus },
      { description: 'The message and its current status.' },
    ),
    ...explained,
    deliveries: Type.Array(DeliveryRecord, { description: 'Deliveries so far.' }),
  },
  { title: 'MessageExplanation', description: 'A decision with its facts and deliveries.' },
)
export type MessageExplanation = Static<typeof MessageExplanation>

const rendered = (title: string): Explanation['rendered'] => [
  {
    channel: 'email',
    provider: 'mailbox',
    integration: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8',
    title: 'Mailbox',
    content: {
      subject: title,
      title,
      html: '<p>Good to see you.</p>',
      text: 'Good to see you.',
      body: 'Good to see you.',
      blocks: [{ type: 'text', text: 'Good to see you.' }],
    },
    draft: { to: { recipient: 'user-7', address: 'ada@example.com' }, subject: title },
    fallback: false,
  },
]
const mailbox = { provider: 'mailbox', integration: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8', title: 'Mailbox' }
const version = { notification_id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', version: 'v1' }
const reply: Explanation = {
  decision: { status: 'ROUTED' },
  notification: { id: version.notification_id, version: version.version },
  steps: [
    {
      step: 'map',
      outcome: 'passed',
      code: 'event_mapped',
      params: { event: 'welcome', ...version },
      summary: `The event \`welcome\` leads to the notification ${version.notification_id}, version v1.`,
      facts: { event: 'welcome', ...version },
    },
  ],
  candidates: [
    { channel: 'email', ...mailbox, selected: true, order: 0 },
    { channel: 'sms', ...mailbox, selected: false, reason: 'INCOMPLETE_PROFILE_DATA', order: 1 },
  ],
  rendered: rendered('Welcome, Ada'),
  profile: { email: 'ada@example.com' },
}
export const explanationExample = reply
export const explanationOfTemplate: Explanation = {
  ...reply,
  steps: [
    {
      step: 'map',
      outcome: 'passed',
      code: 'template_mapped',
      params: { template: 'welcome', ...version },
      summary: `The template \`welcome\` leads to the notification ${version.notification_id}, version v1.`,
      facts: { event: 'welcome', ...version },
    },
  ],
}
/** The content is part of the send. */
const replyToContent: Explanation = {
  decision: { status: 'ROUTED' },
  steps: [
    {
      step: 'map',
      outcome: 'passed',
      code: 'content_inline',
      params: {},
      summary: 'The content came with the send.',
      facts: { event: '' },
    },
  ],
  candidates: reply.candidates.slice(0, 1),
  rendered: rendered('Hello Ada'),
  profile: { email: 'ada@example.com' },
}

export default resource({
  name: 'explain',
  position: 20,
  title: 'Explain',
  description: 'Previews the decision on a send, without sending.',
  operations: [
    operation({
      id: 'explain.explain',
      origin: 'postrider',
      readsPublicBody: true,
      computesReply: true,
      method: 'POST',
      path: '/explain',
      access: 'key',
      role: 'editor',
      summary: 'Explain a send without sending',
      description:
        'Accepts the body of a send of either generation, for one recipient, and returns the decision, every candidate, the rendered content and the ignored parts of the body. Nothing is stored and no provider is called.',
      query: Type.Object({
        unavailable: Type.Optional(
          Type.Array(id('An integration.'), {
            maxItems: unavailableMax,
            description:
              'Explains an outage: ids or aliases of integrations, or keys of providers, that are taken for down. Candidates that would have their turn without them are selected; the others have the reason `UNAVAILABLE`.',
          }),
        ),
      }),
      body: SendBody,
      variant: {
        key: 'message',
        body: MessageSendBody,
        status: 200,
        example: { body: messageSendExample, reply: replyToContent },
      },
      replies: { 200: Explanation },
      example: { body: sendExample, reply },
    }),
  ],
})
