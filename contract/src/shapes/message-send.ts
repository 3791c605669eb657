/** The second generation of the send body: `{message: {to, template or content, …}}`. */
import { type Static, Type } from 'typebox'
import { tagCharactersMax, tagsMax } from '../api/limits.ts'
import { id, nullable, optionalObject } from '../api/values.ts'
import { ContentInput } from './content.ts'
import { Delay } from './delay.ts'
import { MessageRecipient } from './recipient.ts'
import { condition, MessageRouting, onlyProviders, ProviderName, RoutingMethod, routingChannelsMax } from './routing.ts'

/** As long as anybody waits for a message: a month. */
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
    milliseconds('For the channel, while another one can follow.'),
    Type.Object({
      channel: optional(milliseconds('For the channel, while another one can follow.')),
      provider: optional(milliseconds('For one provider of it, while another one can follow.')),
    }),
  ],
  { description: 'How long it is given; a number is for the channel.' },
)

export const ChannelSettings = Type.Object(
  {
    brand_id: optional(id('Brand to render this channel with.')),
    providers: optional(Type.Array(ProviderName, { maxItems: routingChannelsMax, description: onlyProviders })),
    routing_method: optional(RoutingMethod),
    if: optional(condition),
    override: optionalObject('Merged over the words and options of the channel: `subject`, `from`, `cc`, …'),
    metadata: optional(Type.Object({ utm: optional(Utm) }, { description: 'Metadata of the channel.' })),
    timeouts: optional(channelTimeouts),
    timeout: optional(channelTimeouts),
  },
  { title: 'ChannelSettings', description: 'Settings of one channel for this message.' },
)

export const ProviderSettings = Type.Object(
  {
    override: optionalObject('`body` is merged over the request, `config` over the settings of the integration.'),
    if: optional(condition),
    metadata: optional(Type.Object({ utm: optional(Utm) }, { description: 'Metadata of the provider.' })),
    timeouts: optional(milliseconds('For this provider, while another one can follow.')),
    timeout: optional(
      Type.Number({
        minimum: 0,
        maximum: timeoutMsMax,
        description: '`timeouts` under its older name; below 1,000 it is read as seconds.',
      }),
    ),
  },
  { title: 'ProviderSettings', description: 'Settings of one provider for this message.' },
)

const byName = (description: string) =>
  Type.Union([milliseconds(''), Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: timeoutMsMax }))], {
    description: `${description} In milliseconds: one number, or a number by name.`,
  })

export const MessageTimeout = Type.Object(
  {
    message: optional(milliseconds('For the whole message, from the moment it was due.')),
    channel: optional(byName('For a channel, while another one can follow.')),
    provider: optional(byName('For a provider, while another one can follow.')),
    escalation: optional(milliseconds('How long the criterion is waited for before the next channel follows.')),
    criteria: optional(
      Type.Enum(['no-escalation', 'delivered', 'viewed', 'engaged'], {
        description: 'What has to happen after sending, or the next channel follows.',
      }),
    ),
  },
  { title: 'MessageTimeout', description: 'Deadlines of a message.' },
)
export type MessageTimeout = Static<typeof MessageTimeout>

export const MessageSend = Type.Object(
  {
    to: Type.Union([MessageRecipient, Type.Array(MessageRecipient, { description: 'Several; at most 500.' })], {
      description: 'Who is to get it. An empty object or list is a recipient without an address.',
    }),
    template: optional(id('A notification id, its alias, or a mapped event.')),
    content: optional(ContentInput),
    data: optionalObject('Values of the template variables.'),
    brand_id: optional(id('Brand to render with.')),
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
              'Your name of what happened. Kept with the message, whose `event` stays the template; preferences may be about it.',
            ),
          ),
          tags: optional(
            Type.Array(Type.String({ minLength: 1, maxLength: tagCharactersMax }), {
              maxItems: tagsMax,
              description: 'Tags to find the message by.',
            }),
          ),
          trace_id: optional(id('Your own id of the request, to find the message by.')),
          utm: optional(Utm),
        },
        { description: 'What the message is remembered by.' },
      ),
    ),
    preferences: optional(
      Type.Object(
        { subscription_topic_id: optional(id('The topic recipients can opt out of.')) },
        { description: 'Binds the message to a topic.' },
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
              description: 'When: ISO 8601, or milliseconds since the Unix epoch.',
            }),
          ),
          expires_in: optional(
            Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: 0 })], {
              description: 'How long after it was due: milliseconds, or an ISO 8601 duration (`P1DT4H`).',
            }),
          ),
        },
        {
          description:
            'After it nothing is put into an inbox; other channels are not concerned. Of two the earlier one.',
        },
      ),
    ),
    context: optional(
      Type.Object({ tenant_id: optional(id('The tenant it is sent in.')) }, { description: 'In which tenant.' }),
    ),
  },
  {
    title: 'MessageSend',
    description: 'What to send, to whom and how. Unknown keys are ignored.',
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
        'With one recipient also the id of the message; with many, `GET /messages?traceId=` finds their messages.',
    }),
  },
  { title: 'RequestReply', description: 'The request is on disk and will be processed.' },
)

export const messageSendExample: MessageSendBody = {
  message: {
    to: { user_id: 'user-7', email: 'ada@example.com' },
    content: { title: 'Hello {name}', body: 'Good to see you.' },
    data: { name: 'Ada' },
    routing: { method: 'single', channels: ['email'] },
  },
}

/** Each by what it shows. */
export const messageSendExamples: Record<string, MessageSendBody> = {
  'A stored template to a list, in opening hours': {
    message: { to: { list_id: 'news' }, template: 'welcome', delay: { until: 'Mo-Fr 08:00-18:00' } },
  },
  'Several channels, tried until one is accepted': {
    message: {
      to: { user_id: 'user-7', email: 'ada@example.com', phone_number: '+12025550143' },
      content: { title: 'Your code', body: 'It is {code}.' },
      data: { code: '493 810' },
      routing: { method: 'single', channels: ['sms', 'email'] },
      timeout: { channel: { sms: 60_000 } },
    },
  },
  'Blocks, a tenant, a topic, and what it is found by': {
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
  'Several recipients, with an override for a provider': {
    message: {
      to: [{ user_id: 'user-7' }, { email: 'grace@example.com' }],
      content: { title: 'Maintenance tonight', body: 'From 22:00 to 23:00 UTC.' },
      providers: { smtp: { override: { body: { replyTo: 'ops@example.com' } } } },
    },
  },
}
