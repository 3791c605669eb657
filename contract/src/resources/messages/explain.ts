/** What was decided, or would be, and on which facts: before sending and after. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { jsonObject, moment } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { RenderedContent } from '../../shapes/content.ts'
import { MessageSendBody, messageSendExample } from '../../shapes/message-send.ts'
import { CandidateReason, DeliveryStatus, MessageStatus, Reason } from '../../shapes/status.ts'
import { SendBody, sendExample } from './send.ts'

const provider = Type.String({ description: 'The provider: `sendgrid`.' })
const integration = Type.String({ description: 'The integration id.' })
const title = Type.Optional(
  Type.String({ description: 'The title of the integration; absent when it has been deleted since.' }),
)

export const decisionSteps = ['map', 'profile', 'preferences', 'window', 'route', 'render'] as const

export const DecisionStep = Type.Object(
  {
    step: Type.Enum([...decisionSteps], { description: 'The steps run in this order; a stop ends them.' }),
    outcome: Type.Enum(['passed', 'stopped'], { description: 'Whether the message went on.' }),
    summary: Type.String({ description: 'The finding in one sentence.' }),
    facts: jsonObject('The values the step looked at; tokens are masked.'),
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
    selected: Type.Boolean({ description: 'True when it is tried, now or after those before it have failed.' }),
    reason: Type.Optional(CandidateReason),
    error: Type.Optional(Type.String({ description: 'Why its condition could not be evaluated.' })),
    order: Type.Integer({
      minimum: 0,
      description: 'Candidates are tried by rising order; equal ones at the same time.',
    }),
  },
  { title: 'Candidate', description: 'One way the message could go.' },
)
export type Candidate = Static<typeof Candidate>

export const RenderedCandidate = Type.Object(
  {
    channel: ChannelName,
    provider,
    integration,
    title,
    content: RenderedContent,
    draft: Type.Optional(jsonObject('What the provider would be given, overrides merged in, without secrets.')),
    error: Type.Optional(Type.String({ description: 'Why it cannot be given to the provider.' })),
  },
  { title: 'RenderedCandidate', description: 'The words for one candidate.' },
)
export type RenderedCandidate = Static<typeof RenderedCandidate>

const explained = {
  decision: Type.Object(
    {
      status: MessageStatus,
      reason: Type.Optional(Reason),
      error: Type.Optional(Type.String({ description: 'The reason for people.' })),
      due_at: Type.Optional(moment('When a delayed message comes due, or the digest that a message is kept for.')),
    },
    { description: 'Where deciding ends: `ROUTED` (it goes to the providers) or the status that stops it.' },
  ),
  notification: Type.Optional(
    Type.Object(
      {
        id: Type.String({ description: 'The notification id.' }),
        version: Type.String({ description: '`draft` or a published version: `v3`.' }),
      },
      { description: 'The template used; absent when the event is unmapped.' },
    ),
  ),
  steps: Type.Array(DecisionStep, { description: 'The steps as they ran.' }),
  candidates: Type.Array(Candidate, { description: 'Every way considered, in order.' }),
  rendered: Type.Array(RenderedCandidate, { description: 'The words for the selected candidates.' }),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Parts of the request that are ignored, each with its place; absent without any.',
    }),
  ),
  profile: jsonObject('The merged profile; tokens are masked.'),
}

export const Explanation = Type.Object(explained, {
  title: 'Explanation',
  description: 'A decision with its facts.',
})
export type Explanation = Static<typeof Explanation>

export const AttemptRecord = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Counts from 1.' }),
    started: moment('When it began.'),
    ended: Type.Optional(moment('When it ended; absent while it is under way.')),
    outcome: Type.Optional(Type.Enum(['sent', 'retry', 'rejected', 'in_doubt'], { description: 'How it ended.' })),
    error: Type.Optional(Type.String({ description: 'What went wrong.' })),
  },
  { title: 'AttemptRecord', description: 'One call of a provider.' },
)
export type AttemptRecord = Static<typeof AttemptRecord>

export const DeliveryRecord = Type.Object(
  {
    id: Type.String({ description: 'The delivery id, stable over its attempts.' }),
    channel: ChannelName,
    provider,
    integration,
    title,
    status: DeliveryStatus,
    attempts: Type.Array(AttemptRecord, { description: 'The attempts, oldest first; of many, the latest.' }),
    attempts_total: Type.Integer({ minimum: 0, description: 'How many attempts there were.' }),
    next_attempt_at: Type.Optional(moment('When the next attempt is due.')),
    error: Type.Optional(Type.String({ description: 'The latest error.' })),
    reason: Type.Optional(Reason),
    reference: Type.Optional(jsonObject('What the provider calls the message.')),
  },
  { title: 'DeliveryRecord', description: 'What was done about one candidate.' },
)
export type DeliveryRecord = Static<typeof DeliveryRecord>

export const MessageExplanation = Type.Object(
  {
    message: Type.Object(
      { id: Type.String({ description: 'The message id.' }), status: MessageStatus },
      { description: 'Where the message stands now.' },
    ),
    ...explained,
    deliveries: Type.Array(DeliveryRecord, { description: 'What has been done so far.' }),
  },
  { title: 'MessageExplanation', description: 'A decision with its facts and what was done about it.' },
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
/** Of content that came with the send. */
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
  description: 'What would happen, and why, without sending anything.',
  operations: [
    operation({
      id: 'explain.explain',
      origin: 'postrider',
      readsPublicBody: true,
      method: 'POST',
      path: '/explain',
      summary: 'Explain a send without sending',
      description:
        'Takes the body of a send of either generation, to one recipient, and answers what would happen now: the decision, every candidate, the words, and what of the body is ignored. Nothing is stored and no provider is called.',
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
