/** The steps of a decision in sentences, by their codes, in English. Another language has the same keys. */
import type { DecisionNote, DecisionParamsByCode, DecisionStep } from './generated.ts'
import {
  channels,
  code,
  nameOfId,
  type SentenceFormat,
  sourceText,
  suppressionCause,
  suppressionReasons,
} from './sentence-format.ts'

type Params = DecisionParamsByCode
export type StepFormat = Pick<SentenceFormat, 'time' | 'nameOf'>
/** The types of the API keep every language complete. */
export type StepTexts = { [Code in keyof Params]: (params: Params[Code], format: StepFormat) => string }

type Need = Params['no_address']['needs'][number]
type Unusable = Params['providers_unusable']['unusable'][number]
type SandboxChannels = Pick<Params['no_address'], 'sandbox_channels' | 'real_channels'>
export type SuppressionReason = Params['address_suppressed']['suppressions'][number]['reason']

/** Channels and integrations in the words of a language; a channel that it does not know stays as it is in the API. */
export function namesOf(channelNames: Readonly<Record<string, string>>) {
  const name = (channel: string) => channelNames[channel] ?? channel
  return {
    name,
    list: (names: readonly string[]) => names.map(name).join(', '),
    named: ({ channel, title }: { channel: string; title: string }) => `${name(channel)} (${title})`,
    /** The integrations that are tried: `a and b` at once, `; if that fails, c` after those before it. */
    ways: (integrations: Params['routed']['integrations'], text: Record<'devices' | 'and' | 'otherwise', string>) =>
      integrations
        .map(({ channel, provider, title = provider, devices, fallback }, at) => {
          const afterFallback = integrations[at - 1]?.fallback ? ';' : ''
          const join = at === 0 ? '' : fallback ? `; ${text.otherwise} ` : `${afterFallback} ${text.and} `
          return `${join}${name(channel)} (${title}${devices > 1 ? `, ${devices} ${text.devices}` : ''})`
        })
        .join(''),
  }
}

export type { SuppressionCauses } from './sentence-format.ts'
export { code, nameOfId, sourceText, suppressionCause, suppressionReasons }
export const codes = (values: readonly string[]) => values.map(code).join(', ')

const { name, list, named, ways } = namesOf(channels)

export const englishSteps: StepTexts = {
  content_inline: () => 'The content came with the send.',
  event_mapped: ({ event, notification_id, version }, format) =>
    `The event ${code(event)} leads to the template ${nameOfId('template', notification_id, format)}, version ${numberOf(version)}.`,
  template_mapped: ({ template, notification_id, version }, format) =>
    template === notification_id
      ? `The send names the template ${nameOfId('template', template, format)}, version ${numberOf(version)}.`
      : `The name ${code(template)} leads to the template ${nameOfId('template', notification_id, format)}, version ${numberOf(version)}.`,
  event_unknown: ({ event }) => `The event ${code(event)} leads to no template.`,
  template_unknown: ({ template }) => `There is no template ${code(template)}.`,
  notification_unpublished: ({ notification_id }, format) =>
    `The template ${nameOfId('template', notification_id, format)} has no published version.`,
  profile_merged: () => 'The stored profile was merged with the one of the send.',
  profile_stored: () => 'The stored profile is used; the send has none.',
  profile_of_send: () => 'No profile is stored; the one of the send is used.',
  tenant_merged: ({ tenant_id }) => `It is sent in the tenant ${code(tenant_id)}.`,
  tenant_unknown: ({ tenant_id }) => `There is no tenant ${code(tenant_id)}.`,
  no_preference: () => 'No preference applies.',
  preferences_allow: () => 'The preferences allow it.',
  channels_limited: ({ channels }) => `The preferences allow only ${list(channels)}.`,
  required: () => 'The topic is required: it is sent whatever the recipient chose.',
  opted_out: () => 'The recipient opted out.',
  opted_out_by_actor: ({ actor, at }, format) =>
    `The recipient was opted out by ${sourceText(actor, format)} (${format.time(at)}).`,
  opted_out_by_one_click: ({ at, message_id }, { time }) =>
    `The recipient unsubscribed by one click in the header of ${message_id === undefined ? 'a mail' : `the message ${code(message_id)}`} (${time(at)}).`,
  opted_out_on_page: ({ at, message_id }, { time }) =>
    `The recipient opted out on the page of preferences, by a link${message_id === undefined ? '' : ` of the message ${code(message_id)}`} (${time(at)}).`,
  not_opted_in: () => 'It is only for those who opted in, and the recipient did not.',
  snoozed: ({ until }, { time }) => `The recipient snoozed it until ${time(until)}.`,
  digested: ({ topic_id, until }, format) =>
    `It is kept for the digest of the topic ${nameOfId('topic', topic_id, format)}, until ${format.time(until)} at the latest.`,
  topic_unknown: ({ topic_id }) => `There is no topic ${code(topic_id)}.`,
  endless_snooze: () => 'A snooze without an end has no effect.',
  due_now: () => 'It may be sent now; no condition is set.',
  due_later: ({ until }, { time }) => `It waits until ${time(until)}; no condition is set.`,
  hours_closed: ({ until }, { time }) => `It waits for its opening hours until ${time(until)}.`,
  deadline_passed: ({ deadline }, { time }) => `Its deadline was ${time(deadline)}.`,
  condition_met: ({ condition }) => `The condition ${code(condition)} is met.`,
  condition_unmet: ({ condition }) => `The condition ${code(condition)} is not met.`,
  condition_failed: ({ condition, error }) => `The condition ${code(condition)} cannot be evaluated: ${error}.`,
  routed: ({ integrations }) =>
    `It goes by ${ways(integrations, { devices: 'devices', and: 'and', otherwise: 'if that fails,' })}.`,
  strategy_applied: ({ strategy }) => `The routing is that of the strategy ${code(strategy)}.`,
  strategy_unknown: ({ strategy_id }) =>
    `There is no routing strategy ${code(strategy_id)}; the default channels are used.`,
  first_by_weight: (params) =>
    `By weight ${params.weight} of ${params.weight_total}, ${params.title} is the first for ${name(params.channel)}. The id of the message chooses, each time the same.`,
  first_by_weight_anew: (params) =>
    `By weight ${params.weight} of ${params.weight_total}, ${params.title} is the first for ${name(params.channel)}. Each message chooses anew by its id.`,
  default_channels: () => 'The routing of the send names no channels: the default ones are used.',
  address_suppressed: ({ suppressions }, format) =>
    suppressions
      .map(
        ({ channel, reason, source, created }) =>
          `The address for ${name(channel)} has been suppressed since ${format.time(created)}: ${suppressionCause(reason, source, format)}.`,
      )
      .join(' '),
  route_name_unknown: ({ name, suggestion }) =>
    `${code(name)} is neither a channel nor a provider with an integration.${suggestion === undefined ? '' : ` Did you mean ${code(suggestion)}?`}`,
  no_channels: () => 'The routing has no channels.',
  channels_opted_out: () => 'Its routing has none of the channels that the preferences allow.',
  integrations_unavailable: () =>
    'No integration that could deliver it is available: it is tried again until its time is over.',
  inbox_expired: () => 'Its time is over: no inbox shows it any more.',
  channel_conditions_unmet: () => 'The conditions of its channels are not met.',
  channel_conditions_failed: ({ error }) => `The conditions of its channels cannot be evaluated: ${error}.`,
  no_address: ({ needs, more, ...sandbox }) =>
    `No usable address: ${[
      needs.map(needText).join(', ') + (more > 0 ? ` and ${more} more` : ''),
      ...besideReal(sandbox),
    ].join('; ')}.`,
  no_providers: () => 'Its channels have no integration.',
  providers_unusable: ({ unusable, more, replaced_channels, ...sandbox }) =>
    `No integration can be used: ${[
      ...(unusable.length > 0 ? [unusable.map(unusableText).join(', ') + (more > 0 ? ` and ${more} more` : '')] : []),
      ...(replaced_channels.length > 0
        ? [`the mailbox does not serve ${list(replaced_channels)} in the place of a real integration`]
        : []),
      ...besideReal(sandbox),
    ].join('; ')}.`,
  rendered: () => 'Rendered for every candidate.',
  render_failed: ({ failed, total }) =>
    `${failed} of ${total} ${total === 1 ? 'candidate' : 'candidates'} cannot be rendered.`,
  copies_suppressed: ({ copies }) =>
    `Copies are left out, because their addresses are suppressed: ${list(copies.map(({ address, reason }) => `${address} (${suppressionReasons[reason]})`))}.`,
  brand_unknown: ({ brand_id }) => `There is no brand ${code(brand_id)}; the default is used.`,
  snippet_missing: ({ snippet }) => `The brand has no snippet ${code(snippet)}; it is left out.`,
}

const unusableText = (integration: Unusable) =>
  `${named(integration)} ${integration.cause === 'disabled' ? 'is switched off' : 'has secrets that cannot be read'}`

/** `1` of `v1`. */
export const numberOf = (version: string): string => version.replace(/^v(?=\d+$)/, '')

const besideReal = ({ sandbox_channels, real_channels }: SandboxChannels) =>
  sandbox_channels.length === 0
    ? []
    : [
        `the mailbox does not take ${list(sandbox_channels)}, because only one of the channels is used, and there is or was a real integration for ${list(real_channels)}`,
      ]

function needText(missing: Need): string {
  const { need, keys, keys_total, or_token, device = '', error, misspelled, suggestion = '' } = missing
  const name = named(missing)
  const hint = misspelled === undefined ? '' : ` (which has ${code(misspelled)}: did you mean ${code(suggestion)}?)`
  switch (need) {
    case 'device_token':
      return `${name} has no active token (${device}: ${error ?? 'not active'})`
    case 'user_id':
      return `${name} needs a user id`
    case 'usable_value':
      return `${codes(keys)} is not valid for ${name}`
    case 'one_of_many_keys':
      return `${name} needs one of ${keys_total} keys such as ${codes(keys)}`
    case 'profile_key':
      return `${name} needs ${codes(keys)} in the profile${or_token ? ', or a token of the user' : ''}${hint}`
    case 'one_of_keys':
      return `${name} needs one of ${codes(keys)} in the profile${hint}`
  }
}

type Sentences = Record<string, ((params: never, format: StepFormat) => string) | undefined>

/** Undefined for a code that this version does not know. */
const sentenceOf = (
  sentences: Sentences,
  { code: name, params }: Pick<DecisionNote, 'code' | 'params'>,
  format: StepFormat,
) => (Object.hasOwn(sentences, name) ? sentences[name]?.(params as never, format) : undefined)

/** A step in sentences; those of the server where a code is not known. */
export function stepText(texts: StepTexts, step: DecisionStep, format: StepFormat): string {
  const first = sentenceOf(texts, step, format)
  if (first === undefined) return step.summary
  const notes = (step.notes ?? []).map((note) => sentenceOf(texts, note, format) ?? note.text)
  return [first, ...notes].join(' ')
}
