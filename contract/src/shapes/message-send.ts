/** The second generation of the send body: `{message: {to, template or content, …}}`. */
import { type Static, Type } from 'typebox'
import { tagCharactersMax, tagsMax } from '../api/limits.ts'
import { id, nullable, optionalObject } from '../api/values.ts'
import { ContentInput } from './content.ts'
import { Delay } from './delay.ts'
import { MessageRecipient } from './recipient.ts'
import { condition, MessageRouting, onlyProviders, ProviderName, RoutingMethod, routingChannelsMax } from './routing.ts'

/** A month: later, a message is of no use. */
export const timeoutMsMax = 30 * 86_400_000
/** One campaign parameter. */
export const utmCharactersMax = 256

const optional = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))
const milliseconds = (description: string) =>
  Type.Number({ minimum: 0, maximum: timeoutMsMax, description: `${description} In milliseconds, at most 30 days.` })
const Utm = Type.Object(
  Object.fromEntries(
    (['source', 'medium', 'campaign', 'term', 'content'] as const).map((name) => [
      name,
      optional(Type.String({ maxLength: utmCharactersMax, description: `\`utm_${name}\` of links.` })),
    ]),
  ),
  { title: 'Utm', description: 'Campaign parameters of links; stored with the message.' },
)

const channelTimeouts = Type.Union(
  [
    milliseconds('Timeout of the channel, if another channel can follow.'),
    Type.Object({
      channel: optional(milliseconds('Timeout of the channel, if another channel can follow.')),
      provider: optional(milliseconds('Timeout of one provider of the channel, if another provider can follow.')),
    }),
  ],
  { description: 'Timeouts before failover; a number is the timeout of the channel.' },
)

export const ChannelSettings = Type.Object(
  {
    brand_id: optional(id('Brand of this channel.')),
    providers: optional(Type.Array(ProviderName, { maxItems: routingChannelsMax, description: onlyProviders })),
    routing_method: optional(RoutingMethod),
    if: optional(condition),
    override: optionalObject('Merged over the content and options of the channel: `subject`, `from`, `cc`, …'),
    metadata: optional(Type.Object({ utm: optional(Utm) }, { description: 'Metadata of the channel.' })),
    timeouts: optional(channelTimeouts),
    timeout: optional(channelTimeouts),
  },
  { title: 'ChannelSettings', description: 'Settings of one channel for this message.' },
)

export const ProviderSettings = Type.Object(
  {
    override: optionalObject(
      '`body` is merged over the request to the provider, `config` over the settings of the integration.',
    ),
    if: optional(condition),
    metadata: optional(Type.Object({ utm: optional(Utm) }, { description: 'Metadata of the provider.' })),
    timeouts: optional(milliseconds('Timeout of this provider, if another provider can follow.')),
    timeout: optional(
      Type.Number({
        minimum: 0,
        maximum: timeoutMsMax,
        description: 'Older name of `timeouts`; a value below 1,000 is in seconds.',
      }),
    ),
  },
  { title: 'ProviderSettings', description: 'Settings of one provider for this message.' },
)

const byName = (description: string) =>
  Type.Union([milliseconds(''), Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: timeoutMsMax }))], {
    description: `${description} In milliseconds: one number, or a map of numbers by name.`,
  })

export const MessageTimeout = Type.Object(
  {
    message: optional(milliseconds('Timeout of the whole message, from its due time.')),
    channel: optional(byName('Timeout of a channel, if another channel can follow.')),
    provider: optional(byName('Timeout of a provider, if another provider can follow.')),
    escalation: optional(milliseconds('Wait for the criterion before the next channel is used.')),
    criteria: optional(
      Type.Enum(['no-escalation', 'delivered', 'viewed', 'engaged'], {
        description: 'Status that the message must reach, or the next channel is used.',
      }),
    ),
  },
  { title: 'MessageTimeout', description: 'Timeouts of a message.' },
)
export type MessageTimeout = Static<typeof MessageTimeout>

export const MessageSend = Type.Object(
  {
    to: Type.Union([MessageRecipient, Type.Array(MessageRecipient, { description: 'Up to 500 recipients.' })], {
      description: 'Recipients. An empty object or array is a recipient without an address.',
    }),
    template: optional(id('A notification id, its alias, or a mapped event.')),
    content: optional(ContentInput),
    data: optionalObject('Values of the template variables.'),
    brand_id: optional(id('Brand of the message.')),
    routing: optional(MessageRouting),
    channels: optional(Type.Record(Type.String(), nullable(ChannelSettings), { description: 'Settings by channel.' })),
    providers: optional(
      Type.Record(Type.String(), nullable(ProviderSettings), { description: 'Settings by provider.' }),
    ),
    metadata: optional(
      Type.Object(
        {
          event: optional(
            id(
              'Your name of the event. Stored with the message, whose `event` remains the template; preferences can refer to it.',
            ),
          ),
          tags: optional(
            Type.Array(Type.String({ minLength: 1, maxLength: tagCharactersMax }), {
              maxItems: tagsMax,
              description: 'Tags for filtering messages.',
            }),
          ),
          trace_id: optional(id('Your trace id, for filtering messages.')),
          utm: optional(Utm),
        },
        { description: 'Metadata stored with the message.' },
      ),
    ),
    preferences: optional(
      Type.Object(
        { subscription_topic_id: optional(id('Topic that recipients can opt out of.')) },
        { description: 'Topic of the message.' },
      ),
    ),
    timeout: optional(MessageTimeout),
    timeouts: optional(MessageTimeout),
    delay: optional(Delay),
    expiry: optional(
      Type.Object(
        {
          expires_at: optional(
            Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: 0 })], {
              description: 'Expiry time: ISO 8601, or milliseconds since the Unix epoch.',
            }),
          ),
          expires_in: optional(
            Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: 0 })], {
              description: 'Time from the due time to the expiry: milliseconds, or an ISO 8601 duration (`P1DT4H`).',
            }),
          ),
        },
        {
          description:
            'After this time the message is not added to an inbox; other channels are unaffected. If both fields are set, the earlier time applies.',
        },
      ),
    ),
    context: optional(
      Type.Object(
        { tenant_id: optional(id('Tenant in which the message is sent.')) },
        { description: 'Tenant context.' },
      ),
    ),
  },
  {
    title: 'MessageSend',
    description: 'Content, recipients and options of a message. Unknown keys are ignored.',
    additionalProperties: true,
  },
)
export type MessageSend = Static<typeof MessageSend>

export const MessageSendBody = Type.Object(
  { message: MessageSend },
  { title: 'MessageSendBody', description: 'One message to one recipient or to many.' },
)
export type MessageSendBody = Static<typeof MessageSendBody>

export const RequestReply = Type.Object(
  {
    requestId: Type.String({
      description:
        'Request id. For one recipient it is also the message id; for several, `GET /messages?traceId=` lists the messages.',
    }),
  },
  { title: 'RequestReply', description: 'The request is stored and will be processed.' },
)

export const messageSendExample: MessageSendBody = {
  message: {
    to: { user_id: 'user-7', email: 'ada@example.com' },
    content: { title: 'Hello {name}', body: 'Good to see you.' },
    data: { name: 'Ada' },
    routing: { method: 'single', channels: ['email'] },
  },
}

/** Examples by title. */
export const messageSendExamples: Record<string, MessageSendBody> = {
  'A stored template to a list, during opening hours': {
    message: { to: { list_id: 'news' }, template: 'welcome', delay: { until: 'Mo-Fr 08:00-18:00' } },
  },
  'Several channels, tried until a provider accepts': {
    message: {
      to: { user_id: 'user-7', email: 'ada@example.com', phone_number: '+12025550143' },
      content: { title: 'Your code', body: 'It is {code}.' },
      data: { code: '493 810' },
      routing: { method: 'single', channels: ['sms', 'email'] },
      timeout: { channel: { sms: 60_000 } },
    },
  },
  'Elements, tags, a trace id and an expiry': {
    message: {
      to: { user_id: 'user-7', email: 'ada@example.com' },
      content: {
        version: '2022-01-01',
        elements: [
          { type: 'meta', title: 'Order {orderId} is on its way' },
          { type: 'text', content: 'Hello **{name}**.' },
          { type: 'action', content: 'Track it', href: 'https://shop.example.com/track?order={orderId}' },
        ],
      },
      data: { name: 'Ada', orderId: 'A17' },
      metadata: { tags: ['orders'], trace_id: 'order-A17' },
      expiry: { expires_in: 'P7D' },
    },
  },
  'In a tenant, about a topic, with settings of channels': {
    message: {
      to: { user_id: 'user-7', email: 'ada@example.com', phone_number: '+12025550143' },
      template: 'welcome',
      data: { urgent: true },
      context: { tenant_id: 'acme' },
      preferences: { subscription_topic_id: 'onboarding' },
      routing: { method: 'all', channels: ['email', 'sms'] },
      channels: {
        email: { override: { subject: 'Welcome to ACME', replyTo: 'team@acme.example.com' }, timeouts: 60_000 },
        sms: { if: 'data.urgent', metadata: { utm: { campaign: 'welcome' } } },
      },
      timeout: { message: 3_600_000 },
    },
  },
  'Several recipients, with an override for a provider': {
    message: {
      to: [{ user_id: 'user-7' }, { email: 'grace@example.com' }],
      content: { title: 'Maintenance tonight', body: 'From 22:00 to 23:00 UTC.' },
      providers: { smtp: { override: { body: { replyTo: 'ops@example.com' } } } },
    },
  },
}
