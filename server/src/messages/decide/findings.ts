/** The findings of a step in words, one sentence for each code of the contract. */
import type { DecisionCode, DecisionFinding, DecisionNote, DecisionParamsOf, DecisionStep } from '@postrider/contract'
import { quoted } from '../../base/quote.ts'
import { iso } from '../../base/time/clock.ts'
import type { Findings } from './decision.ts'
import { describeSuppressions, suppressionCause } from './suppressions.ts'
import { describeUnresolved } from './unresolved-references.ts'

const linked = ({ at, message_id }: DecisionParamsOf<'opted_out_on_page'>) =>
  `${message_id === undefined ? '' : ` of the message ${quoted(message_id)}`}, ${iso(at)}`

const weighted = ({ weight, weight_total, title, channel }: DecisionParamsOf<'first_by_weight'>) =>
  `By weight ${weight} of ${weight_total}, ${title} is the first for ${channel}.`

const sentences: { [Code in DecisionCode]: (params: DecisionParamsOf<Code>) => string } = {
  content_inline: () => 'The content came with the send.',
  event_mapped: ({ event, notification_id, version }) =>
    `The event ${quoted(event)} leads to the notification ${quoted(notification_id)}, version ${version}.`,
  template_mapped: ({ template, notification_id, version }) =>
    `The template ${quoted(template)} leads to the notification ${quoted(notification_id)}, version ${version}.`,
  event_unknown: ({ event }) => `Unknown event ${quoted(event)}.`,
  template_unknown: ({ template }) => `Unknown template ${quoted(template)}.`,
  notification_unpublished: ({ notification_id }) =>
    `The notification ${quoted(notification_id)} has no published version.`,
  profile_merged: () => 'The stored profile was merged with the one of the send.',
  profile_stored: () => 'The stored profile is used; the send has none.',
  profile_of_send: () => 'No profile is stored; the one of the send is used.',
  tenant_merged: ({ tenant_id }) => `It is sent in the tenant ${quoted(tenant_id)}.`,
  tenant_unknown: (params) => describeUnresolved({ code: 'tenant_unknown', params }),
  no_preference: () => 'No preference applies.',
  preferences_allow: () => 'Preferences allow it.',
  channels_limited: ({ channels }) => `Preferences allow only ${channels.join(', ')}.`,
  required: () => 'It is sent whatever the recipient chose.',
  opted_out: () => 'The recipient opted out.',
  opted_out_by_actor: ({ actor, at }) => `The recipient opted out, by ${actor}, ${iso(at)}.`,
  opted_out_by_one_click: (params) => `The recipient unsubscribed by one click in the header${linked(params)}.`,
  opted_out_on_page: (params) => `The recipient opted out on the page of preferences, by a link${linked(params)}.`,
  not_opted_in: () => 'It is only for those who opted in, and the recipient did not.',
  snoozed: ({ until }) => `The recipient snoozed it until ${iso(until)}.`,
  digested: ({ topic_id, until }) =>
    `It is kept for the digest of the topic ${quoted(topic_id)}, until ${iso(until)} at the latest.`,
  topic_unknown: (params) => describeUnresolved({ code: 'topic_unknown', params }),
  endless_snooze: () => 'A snooze without an end has no effect.',
  due_now: () => 'It may be sent now; no condition is set.',
  due_later: ({ until }) => `It waits until ${iso(until)}; no condition is set.`,
  hours_closed: ({ until }) => `It waits for its hours until ${iso(until)}.`,
  deadline_passed: ({ deadline }) => `Its deadline was ${iso(deadline)}.`,
  condition_met: ({ condition }) => `The condition \`${condition}\` is met.`,
  condition_unmet: ({ condition }) => `The condition \`${condition}\` is not met.`,
  condition_failed: ({ condition, error }) => `The condition \`${condition}\` cannot be evaluated: ${error}.`,
  routed({ integrations }) {
    const ways = integrations.map(({ channel, provider, title = provider, devices, fallback }, at) => {
      const join = at === 0 ? '' : fallback ? '; if that fails, ' : integrations[at - 1]?.fallback ? '; and ' : ' and '
      const count = devices > 1 ? `, ${devices} devices` : ''
      return `${join}${channel} (${title}${count})`
    })
    return `It goes by ${ways.join('')}.`
  },
  strategy_applied: ({ strategy }) => `The routing is that of the strategy ${quoted(strategy)}.`,
  strategy_unknown: (params) => describeUnresolved({ code: 'strategy_unknown', params }),
  first_by_weight: (params) => `${weighted(params)} The id of the message chooses, each time the same.`,
  first_by_weight_anew: (params) => `${weighted(params)} Each message chooses anew by its id.`,
  default_channels: () => 'The routing of the send names no channels: the default ones are used.',
  address_suppressed: ({ suppressions }) => `${describeSuppressions(suppressions)}.`,
  route_name_unknown: (params) => describeUnresolved({ code: 'route_name_unknown', params }),
  no_channels: () => 'No channels added.',
  channels_opted_out: () => 'Its routing has none of the channels that the preferences allow.',
  integrations_unavailable: () =>
    'No integration that could deliver it is available: it is tried again until its time is over.',
  inbox_expired: () => 'No inbox shows it any more.',
  channel_conditions_unmet: () => 'The conditions of its channels are not met.',
  channel_conditions_failed: ({ error }) => `The conditions of its channels cannot be evaluated: ${error}.`,
  no_address: ({ needs, more, ...channels }) =>
    `${[`No usable address: ${listed(needs.map(describeNeed), more)}`, ...describeBesideReal(channels)].join('; ')}.`,
  no_providers: () => 'No providers added.',
  providers_unusable({ unusable, more, replaced_channels, ...channels }) {
    const causes = [
      ...(unusable.length > 0 ? [listed(unusable.map(describeUnusable), more)] : []),
      ...(replaced_channels.length > 0
        ? [`the mailbox does not serve ${replaced_channels.join(', ')} in the place of a real integration`]
        : []),
      ...describeBesideReal(channels),
    ]
    return `No provider can be used: ${causes.join('; ')}.`
  },
  rendered: () => 'Rendered for every candidate.',
  render_failed: ({ failed, total }) =>
    `${failed} of ${total} ${total === 1 ? 'candidate' : 'candidates'} cannot be rendered.`,
  copies_suppressed: ({ copies }) =>
    `Copies are left out: ${copies.map(({ address, ...suppression }) => `${address} (${suppressionCause(suppression)})`).join(', ')}.`,
  brand_unknown: (params) => describeUnresolved({ code: 'brand_unknown', params }),
  snippet_missing: (params) => describeUnresolved({ code: 'snippet_missing', params }),
}

export const describeFinding = <Code extends DecisionCode>({ code, params }: DecisionFinding<Code>): string =>
  sentences[code](params)

/** The first finding with its notes, and all of them in one text. */
export function describeFindings([first, ...others]: Findings): Omit<DecisionStep, 'step' | 'outcome' | 'facts'> {
  const notes: DecisionNote[] = others.map((finding) => ({ ...finding, text: describeFinding(finding) }))
  const summary = [describeFinding(first), ...notes.map(({ text }) => text)].join(' ')
  return { ...first, ...(notes.length > 0 && { notes }), summary }
}

type Need = DecisionParamsOf<'no_address'>['needs'][number]
type Unusable = DecisionParamsOf<'providers_unusable'>['unusable'][number]

export function describeNeed(missing: Need): string {
  const { channel, title, need, keys, keys_total, or_token, device, error } = missing
  const name = `${channel} (${title})`
  const [first = ''] = keys
  switch (need) {
    case 'device_token':
      return `${name} has no active token (${device}: ${error ?? 'not active'})`
    case 'user_id':
      return `${name} needs a user id`
    case 'usable_value':
      return `${name} cannot use the \`${first}\` of the profile`
    case 'one_of_many_keys':
      return `${name} needs one of ${keys_total} keys such as \`${first}\``
    case 'profile_key':
      return `${name} needs \`${first}\` in the profile${or_token ? ', or a token of the user' : ''}${misspelled(missing)}`
    case 'one_of_keys':
      return `${name} needs one of ${keys.map((key) => `\`${key}\``).join(', ')} in the profile${misspelled(missing)}`
  }
}

const misspelled = ({ misspelled: key, suggestion }: Need) =>
  key === undefined ? '' : ` (which has \`${key}\`: did you mean \`${suggestion}\`?)`

export const describeUnusable = ({ channel, title, cause }: Unusable): string =>
  `${channel} (${title}) ${cause === 'disabled' ? 'is switched off' : 'has secrets that cannot be read'}`

const describeBesideReal = ({
  sandbox_channels,
  real_channels,
}: Pick<DecisionParamsOf<'no_address'>, 'sandbox_channels' | 'real_channels'>): string[] =>
  sandbox_channels.length === 0
    ? []
    : [
        `the mailbox does not take ${sandbox_channels.join(', ')}, because only one of the channels is used, and there is or was a real integration for ${real_channels.join(', ')}`,
      ]

const listed = (items: readonly string[], more: number): string =>
  items.join(', ') + (more > 0 ? ` and ${more} more` : '')
