/** Every code of a step of a decision: its step, what it means and its params. `docs/decisions.md` is made from it. */
import { type Static, Type } from 'typebox'
import { timestamp } from '../api/values.ts'
import { ChannelName } from './channel.ts'
import { CandidateSuppression } from './suppression.ts'

export const decisionSteps = ['map', 'profile', 'preferences', 'window', 'route', 'render'] as const
type DecisionStepName = (typeof decisionSteps)[number]

const title = Type.String({
  description: 'The title of the integration. Without a title, the name of its provider.',
  'x-public': true,
})

/** Each param has one meaning in all codes. */
export const decisionParams = {
  event: Type.String({ description: 'The event of the send.' }),
  template: Type.String({ description: 'The template of the send.' }),
  notification_id: Type.String({ description: 'The id of the notification.' }),
  version: Type.String({ description: 'The version of the notification, such as `v3`.' }),
  tenant_id: Type.String({ description: 'The id of the tenant in the send.' }),
  topic_id: Type.String({ description: 'The id of the topic of the message.' }),
  message_id: Type.String({ description: 'The id of the message whose link the recipient used.' }),
  strategy_id: Type.String({ description: 'The id of the routing strategy.' }),
  brand_id: Type.String({ description: 'The id of the brand.' }),
  strategy: Type.String({ description: 'The name of the routing strategy.' }),
  snippet: Type.String({ description: 'The name of the snippet.' }),
  actor: Type.String({ description: 'The caller that changed the preference, such as `key/backend`.' }),
  at: timestamp('The time when the recipient was opted out.'),
  until: timestamp('The time when the wait ends.'),
  deadline: timestamp('The time until which the message could be sent.'),
  condition: Type.String({ description: 'The condition of the notification.' }),
  error: Type.String({ description: 'The reason why the condition cannot be evaluated, in English.' }),
  channels: Type.Array(Type.Union([ChannelName, Type.String()]), {
    description: 'The channels that the preferences allow, in order.',
  }),
  method: Type.Enum(['single', 'all'], {
    description:
      '`single` tries one integration after the other until one accepts the message. `all` sends by each of them.',
  }),
  integrations: Type.Array(
    Type.Object({
      channel: ChannelName,
      provider: Type.String({ description: 'Key of the provider.' }),
      title: Type.Optional(
        Type.String({
          description: 'Title of the integration; absent when the integration has been deleted.',
          'x-public': true,
        }),
      ),
      devices: Type.Integer({ minimum: 0, description: 'Devices that the message goes to; 0 without devices.' }),
      fallback: Type.Boolean({ description: 'Whether it is tried only when others have failed.' }),
    }),
    { description: 'The integrations that are tried, in order.' },
  ),
  criterion: Type.Enum(['delivered', 'viewed', 'engaged'], {
    description: 'The status that the message must reach in time. Otherwise the next channel is tried.',
  }),
  channel: ChannelName,
  title,
  weight: Type.Integer({ minimum: 0, description: 'The weight of the integration.' }),
  weight_total: Type.Integer({ minimum: 0, description: 'The sum of the weights in the channel.' }),
  name: Type.String({ description: 'The name in the routing or in `channels`.' }),
  suggestion: Type.String({ description: 'The most similar known name.', 'x-public': true }),
  suppressions: Type.Array(
    Type.Object({
      channel: ChannelName,
      reason: CandidateSuppression.properties.reason,
      source: CandidateSuppression.properties.source,
      created: CandidateSuppression.properties.created,
    }),
    { description: 'The reason of each suppressed address.' },
  ),
  copies: Type.Array(
    Type.Object({
      address: Type.String({ description: 'The address of the copy.' }),
      reason: CandidateSuppression.properties.reason,
      source: CandidateSuppression.properties.source,
      created: CandidateSuppression.properties.created,
    }),
    { description: 'The copies that are left out.' },
  ),
  needs: Type.Array(
    Type.Object({
      channel: ChannelName,
      title,
      need: Type.Enum(['device_token', 'user_id', 'usable_value', 'profile_key', 'one_of_keys', 'one_of_many_keys'], {
        description: 'The kind of address that is missing.',
      }),
      keys: Type.Array(Type.String({ 'x-public': true }), {
        description: 'Keys of the profile: those that would do, or the unusable one.',
      }),
      keys_total: Type.Integer({ minimum: 0, description: 'Number of keys that would do, where not all are listed.' }),
      or_token: Type.Boolean({ description: 'Whether a token of the user would do as well.' }),
      device: Type.Optional(Type.String({ description: 'The device whose token is not used.' })),
      error: Type.Optional(Type.String({ description: 'Why the token is not used, in English.' })),
      misspelled: Type.Optional(Type.String({ description: 'A key of the profile that is probably misspelled.' })),
      suggestion: Type.Optional(
        Type.String({ description: 'The key that was probably meant by it.', 'x-public': true }),
      ),
    }),
    { description: 'The addresses that are missing, for at most five integrations.' },
  ),
  unusable: Type.Array(
    Type.Object({
      channel: ChannelName,
      title,
      cause: Type.Enum(['disabled', 'unreadable'], {
        description: '`disabled`: switched off; `unreadable`: its secrets cannot be read.',
      }),
    }),
    { description: 'The integrations that cannot be used, at most five.' },
  ),
  more: Type.Integer({ minimum: 0, description: 'The number of further integrations that are not listed.' }),
  replaced_channels: Type.Array(ChannelName, {
    description: 'The channels that the mailbox does not serve, because they have or had a real integration.',
  }),
  sandbox_channels: Type.Array(ChannelName, {
    description:
      'The channels that the mailbox does not serve, because a `single` routing also has channels with a real integration.',
  }),
  real_channels: Type.Array(ChannelName, {
    description: 'The channels with a real integration that keep the mailbox from serving `sandbox_channels`.',
  }),
  failed: Type.Integer({ minimum: 0, description: 'The number of candidates that cannot be rendered.' }),
  total: Type.Integer({
    minimum: 0,
    description: 'The number of all candidates. The devices of an integration count as one.',
  }),
} as const

type ParamName = keyof typeof decisionParams

interface DecisionCodeEntry {
  step: DecisionStepName
  /** One sentence. */
  meaning: string
  params: readonly ParamName[]
  /** Those that can be absent. */
  optional?: readonly ParamName[]
}

/** In the order of the steps. A code is never renamed or given another step or other params: programs depend on them. */
export const decisionCodes = {
  content_inline: { step: 'map', meaning: 'The send contains the content.', params: [] },
  event_mapped: {
    step: 'map',
    meaning: 'The event is mapped to a notification.',
    params: ['event', 'notification_id', 'version'],
  },
  template_mapped: {
    step: 'map',
    meaning: 'The template names a notification.',
    params: ['template', 'notification_id', 'version'],
  },
  event_unknown: { step: 'map', meaning: 'No notification is mapped to the event.', params: ['event'] },
  template_unknown: { step: 'map', meaning: 'The template does not exist.', params: ['template'] },
  notification_unpublished: {
    step: 'map',
    meaning: 'The notification has no published version.',
    params: ['notification_id'],
  },
  profile_merged: {
    step: 'profile',
    meaning: 'The stored profile and the profile of the send are merged.',
    params: [],
  },
  profile_stored: { step: 'profile', meaning: 'The stored profile is used. The send has no profile.', params: [] },
  profile_of_send: {
    step: 'profile',
    meaning: 'The recipient has no stored profile. Only the profile of the send is used.',
    params: [],
  },
  tenant_merged: {
    step: 'profile',
    meaning: 'The message is sent in a tenant. The profiles of the tenant are merged, too.',
    params: ['tenant_id'],
  },
  tenant_unknown: { step: 'profile', meaning: 'The tenant of the send does not exist.', params: ['tenant_id'] },
  no_preference: { step: 'preferences', meaning: 'No preference applies.', params: [] },
  preferences_allow: { step: 'preferences', meaning: 'The preferences allow the notification.', params: [] },
  channels_limited: {
    step: 'preferences',
    meaning: 'The preferences allow only some channels.',
    params: ['channels'],
  },
  required: {
    step: 'preferences',
    meaning: 'The preference is `REQUIRED`. The message is sent even if the recipient opted out.',
    params: [],
  },
  opted_out: {
    step: 'preferences',
    meaning: 'The recipient is opted out, for example by the preferences of a list or of the send.',
    params: [],
  },
  opted_out_by_actor: {
    step: 'preferences',
    meaning: 'A call of the API opted the recipient out.',
    params: ['actor', 'at'],
  },
  opted_out_by_one_click: {
    step: 'preferences',
    meaning: 'The recipient unsubscribed with the button of the mail program (one-click unsubscribe).',
    params: ['at'],
    optional: ['message_id'],
  },
  opted_out_on_page: {
    step: 'preferences',
    meaning: 'The recipient opted out on the preference page.',
    params: ['at'],
    optional: ['message_id'],
  },
  not_opted_in: {
    step: 'preferences',
    meaning: 'The notification requires an opt-in, and the recipient has not opted in.',
    params: [],
  },
  snoozed: { step: 'preferences', meaning: 'The recipient snoozed the notification.', params: ['until'] },
  digested: {
    step: 'preferences',
    meaning: 'The message is collected for the digest of its topic.',
    params: ['topic_id', 'until'],
  },
  topic_unknown: { step: 'preferences', meaning: 'The topic of the message does not exist.', params: ['topic_id'] },
  endless_snooze: { step: 'preferences', meaning: 'The snooze has no end, so it is ignored.', params: [] },
  due_now: { step: 'window', meaning: 'The message can be sent now. The notification has no condition.', params: [] },
  due_later: {
    step: 'window',
    meaning: 'The message waits until it is due. The notification has no condition.',
    params: ['until'],
  },
  hours_closed: { step: 'window', meaning: 'The message waits for its opening hours.', params: ['until'] },
  deadline_passed: { step: 'window', meaning: 'The deadline of the message has passed.', params: ['deadline'] },
  condition_met: { step: 'window', meaning: 'The condition of the notification is met.', params: ['condition'] },
  condition_unmet: { step: 'window', meaning: 'The condition of the notification is not met.', params: ['condition'] },
  condition_failed: {
    step: 'window',
    meaning: 'The condition of the notification cannot be evaluated.',
    params: ['condition', 'error'],
  },
  routed: {
    step: 'route',
    meaning: 'At least one integration can deliver the message.',
    params: ['method', 'integrations'],
    optional: ['criterion'],
  },
  strategy_applied: {
    step: 'route',
    meaning: 'The routing comes from a routing strategy.',
    params: ['strategy'],
  },
  strategy_unknown: {
    step: 'route',
    meaning: 'The routing strategy does not exist. The default channels are used.',
    params: ['strategy_id'],
  },
  first_by_weight: {
    step: 'route',
    meaning:
      'The integration that is tried first in a channel was chosen by weight. The choice depends on the id of the message, so it stays the same for this message.',
    params: ['channel', 'title', 'weight', 'weight_total'],
  },
  first_by_weight_anew: {
    step: 'route',
    meaning:
      'The integration that is tried first in a channel was chosen by weight. This is a preview without a message: the choice for a real message can differ.',
    params: ['channel', 'title', 'weight', 'weight_total'],
  },
  default_channels: {
    step: 'route',
    meaning: 'The routing of the send names no channels. The default channels are used.',
    params: [],
  },
  address_suppressed: {
    step: 'route',
    meaning: 'One or more addresses of the recipient are suppressed.',
    params: ['suppressions'],
  },
  route_name_unknown: {
    step: 'route',
    meaning:
      'A name in the routing or in `channels` is neither a channel nor a provider with an integration. It is ignored.',
    params: ['name'],
    optional: ['suggestion'],
  },
  no_channels: { step: 'route', meaning: 'The routing has no usable channel.', params: [] },
  channels_opted_out: {
    step: 'route',
    meaning: 'The preferences allow none of the channels in the routing.',
    params: [],
  },
  integrations_unavailable: {
    step: 'route',
    meaning: 'No integration is available now. The message is tried again until it expires.',
    params: [],
  },
  inbox_expired: { step: 'route', meaning: 'The message has expired in the inbox.', params: [] },
  channel_conditions_unmet: {
    step: 'route',
    meaning: 'The conditions of the channels or providers are not met.',
    params: [],
  },
  channel_conditions_failed: {
    step: 'route',
    meaning: 'A condition of a channel or provider cannot be evaluated.',
    params: ['error'],
  },
  no_address: {
    step: 'route',
    meaning: 'The recipient has no address that an integration can use.',
    params: ['needs', 'more', 'sandbox_channels', 'real_channels'],
  },
  no_providers: { step: 'route', meaning: 'The channels in the routing have no integration.', params: [] },
  providers_unusable: {
    step: 'route',
    meaning: 'The channels have integrations, but none can be used.',
    params: ['unusable', 'more', 'replaced_channels', 'sandbox_channels', 'real_channels'],
  },
  rendered: { step: 'render', meaning: 'The content is rendered for every candidate.', params: [] },
  render_failed: {
    step: 'render',
    meaning: 'The content cannot be rendered for some or all candidates.',
    params: ['failed', 'total'],
  },
  copies_suppressed: {
    step: 'render',
    meaning: 'Copies of the mail (`cc`, `bcc`) are left out, because their addresses are suppressed.',
    params: ['copies'],
  },
  brand_unknown: {
    step: 'render',
    meaning: 'The brand does not exist. The default brand is used.',
    params: ['brand_id'],
  },
  snippet_missing: {
    step: 'render',
    meaning: 'The content names a snippet that the brand does not have. The snippet is left out.',
    params: ['snippet'],
  },
} as const satisfies Record<string, DecisionCodeEntry>

export type DecisionCode = keyof typeof decisionCodes

/** The codes of one step. */
export type DecisionCodeOf<Step extends DecisionStepName> = {
  [Code in DecisionCode]: (typeof decisionCodes)[Code]['step'] extends Step ? Code : never
}[DecisionCode]

type Values = { [Name in ParamName]: Static<(typeof decisionParams)[Name]> }
type OptionalOf<Code extends DecisionCode> = (typeof decisionCodes)[Code] extends {
  optional: readonly (infer Name extends ParamName)[]
}
  ? Name
  : never

/** The params of each code. */
type ParamsByCode = {
  [Code in DecisionCode]: Pick<Values, (typeof decisionCodes)[Code]['params'][number]> &
    Partial<Pick<Values, OptionalOf<Code>>>
}
export type DecisionParamsOf<Code extends DecisionCode> = ParamsByCode[Code]

/** A code with its params, for these codes. */
export type DecisionFinding<Code extends DecisionCode = DecisionCode> = {
  [Each in Code]: { code: Each; params: ParamsByCode[Each] }
}[Code]

export const decisionCodeNames = Object.keys(decisionCodes) as DecisionCode[]

export const DecisionCode = Type.Enum(decisionCodeNames, {
  title: 'DecisionCode',
  description:
    'Code of the result: `docs/decisions.md` lists all codes with their params. Existing codes never change. New versions can add codes: show the sentence of the server for a code that you do not know.',
})

const codeFields = {
  code: DecisionCode,
  params: Type.Partial(Type.Object(decisionParams), {
    title: 'DecisionParams',
    description: 'Values of the code; which ones depends on the code.',
  }),
}

/** A further sentence of a step, with its code. */
export const DecisionNote = Type.Object(
  { ...codeFields, text: Type.String({ description: 'The note in one sentence.' }) },
  { title: 'DecisionNote', description: 'A further result of a step.' },
)
export type DecisionNote = Static<typeof DecisionNote>

export const DecisionStep = Type.Object(
  {
    step: Type.Enum([...decisionSteps], { description: 'Decision step; steps run in this order until one stops.' }),
    outcome: Type.Enum(['passed', 'stopped'], { description: 'Whether the message passed the step.' }),
    ...codeFields,
    notes: Type.Optional(
      Type.Array(DecisionNote, { description: 'Further results of the step. Absent when there are none.' }),
    ),
    summary: Type.String({ description: 'Result in sentences, with the notes.' }),
    facts: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'Values used by the step, with tokens masked.',
      'x-facts': true,
    }),
  },
  { title: 'DecisionStep', description: 'One step of the decision.' },
)
export type DecisionStep = Static<typeof DecisionStep>

/** For the client: the params of each code. */
export const DecisionParamsByCode = Type.Object(
  Object.fromEntries(
    decisionCodeNames.map((code) => {
      const { params, optional = [] }: DecisionCodeEntry = decisionCodes[code]
      const required = params.map((name) => [name, decisionParams[name]])
      const others = optional.map((name) => [name, Type.Optional(decisionParams[name])])
      return [code, Type.Object(Object.fromEntries([...required, ...others]))]
    }),
  ),
  { title: 'DecisionParamsByCode', description: 'The params of each code of a decision.' },
)
