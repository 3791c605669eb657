/** Explanations of decisions with their facts, before and after sending. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { jsonObject, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { RenderedContent } from '../../shapes/content.ts'
import { MessageDevice } from '../../shapes/message-device.ts'
import { MessageSendBody, messageSendExample } from '../../shapes/message-send.ts'
import { CandidateReason, DeliveryStatus, MessageStatus, Reason } from '../../shapes/status.ts'
import { CandidateSuppression } from '../../shapes/suppression.ts'
import { SendBody, sendExample } from './send.ts'

const provider = Type.String({ description: 'The provider: `sendgrid`.' })
const integration = Type.String({ description: 'The integration id.' })
const title = Type.Optional(
  Type.String({ description: 'Title of the integration; absent when the integration has been deleted.' }),
)

export const decisionSteps = ['map', 'profile', 'preferences', 'window', 'route', 'render'] as const

export const DecisionStep = Type.Object(
  {
    step: Type.Enum([...decisionSteps], { description: 'Decision step; steps run in this order until one stops.' }),
    outcome: Type.Enum(['passed', 'stopped'], { description: 'Whether the message passed the step.' }),
    summary: Type.String({ description: 'Result in one sentence.' }),
    facts: jsonObject('Values used by the step, with tokens masked.'),
  },
  { title: 'DecisionStep', description: 'One step of the decision.' },
)
export type DecisionStep = Static<typeof DecisionStep>

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
      description: 'Candidates are tried in ascending order; those with an equal value are tried at the same time.',
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
  },
  { title: 'RenderedCandidate', description: 'Rendered content of one candidate.' },
)
export type RenderedCandidate = Static<typeof RenderedCandidate>

const explained = {
  decision: Type.Object(
    {
      status: MessageStatus,
      reason: Type.Optional(Reason),
      error: Type.Optional(Type.String({ description: 'Human-readable explanation.' })),
      due_at: Type.Optional(timestamp('Due time of a delayed message, or release time of the digest of the message.')),
    },
    { description: 'Result of the decision: `ROUTED` (the message goes to providers) or the status that stops it.' },
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
        'Ignored parts of the request, each with its path, and an email larger than Gmail shows. Absent when there are none.',
    }),
  ),
  profile: jsonObject('Merged profile, with tokens masked.'),
}

export const Explanation = Type.Object(explained, {
  title: 'Explanation',
  description: 'A decision with its facts.',
})
export type Explanation = Static<typeof Explanation>

export const AttemptRecord = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Number of the attempt, from 1.' }),
    started: timestamp('Start of the attempt.'),
    ended: Type.Optional(timestamp('End of the attempt; absent while it is in progress.')),
    outcome: Type.Optional(
      Type.Enum(['sent', 'retry', 'rejected', 'in_doubt'], { description: 'Outcome of the attempt.' }),
    ),
    error: Type.Optional(Type.String({ description: 'Error of the attempt.' })),
  },
  { title: 'AttemptRecord', description: 'One attempt to deliver through a provider.' },
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
    attempts: Type.Array(AttemptRecord, { description: 'Attempts, oldest first; limited to the latest ones.' }),
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
  },
]
const mailbox = { provider: 'mailbox', integration: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8', title: 'Mailbox' }
const reply: Explanation = {
  decision: { status: 'ROUTED' },
  notification: { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', version: 'v1' },
  steps: [
    {
      step: 'map',
      outcome: 'passed',
      summary: 'The event `welcome` leads to the notification ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA, version v1.',
      facts: { event: 'welcome', notification_id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', version: 'v1' },
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
/** The content is part of the send. */
const replyToContent: Explanation = {
  decision: { status: 'ROUTED' },
  steps: [{ step: 'map', outcome: 'passed', summary: 'The content came with the send.', facts: { event: '' } }],
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
      method: 'POST',
      path: '/explain',
      summary: 'Explain a send without sending',
      description:
        'Accepts the body of a send of either generation, for one recipient, and returns the decision, every candidate, the rendered content and the ignored parts of the body. Nothing is stored and no provider is called.',
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
