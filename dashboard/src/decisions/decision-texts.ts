/** The steps of a decision in the reader's language, by their codes; the types of the API keep every language complete. */
import type { DecisionNote, DecisionParamsByCode, DecisionStep, Explanation } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { channelNames } from '../parts/meanings.ts'
import { useFormat } from '../parts/time.tsx'

/** How values stand in a sentence. */
export interface SentenceFormat {
  time(at: number): string
  channel(name: string): string
}

type Params = DecisionParamsByCode
type DecisionTexts = { [Code in keyof Params]: (params: Params[Code], format: SentenceFormat) => string }
type Need = Params['no_address']['needs'][number]
type Unusable = Params['providers_unusable']['unusable'][number]
type Suppression = Params['address_suppressed']['suppressions'][number]

/** `CodeText` sets what stands in backticks. */
const code = (value: string) => `\`${value.replaceAll('`', "'")}\``
const codes = (values: readonly string[]) => values.map(code).join(', ')
const named = ({ channel, title }: { channel: string; title: string }, format: SentenceFormat) =>
  `${format.channel(channel)} (${title})`
const channelList = (channels: readonly string[], format: SentenceFormat) => channels.map(format.channel).join(', ')

/** The integrations that are tried: `a and b` at once, `, else c` when those before it have failed. */
function ways(
  integrations: Params['routed']['integrations'],
  format: SentenceFormat,
  text: Record<'devices' | 'and' | 'otherwise', string>,
): string {
  const shown = integrations.map(({ channel, provider, devices, fallback }, at) => {
    const afterFallback = integrations[at - 1]?.fallback ? ',' : ''
    const join = at === 0 ? '' : fallback ? `, ${text.otherwise} ` : `${afterFallback} ${text.and} `
    return `${join}${format.channel(channel)} (${provider}${devices > 1 ? `, ${devices} ${text.devices}` : ''})`
  })
  return shown.join('')
}

type SandboxChannels = Pick<Params['no_address'], 'sandbox_channels' | 'real_channels'>

const en: DecisionTexts = {
  content_inline: () => 'The content came with the send.',
  event_mapped: ({ event, notification_id, version }) =>
    `The event ${code(event)} leads to the template ${code(notification_id)}, version ${version}.`,
  template_mapped: ({ template, notification_id, version }) =>
    template === notification_id
      ? `The send names the template ${code(template)}, version ${version}.`
      : `The name ${code(template)} leads to the template ${code(notification_id)}, version ${version}.`,
  event_unknown: ({ event }) => `The event ${code(event)} leads to no template.`,
  template_unknown: ({ template }) => `There is no template ${code(template)}.`,
  notification_unpublished: ({ notification_id }) => `The template ${code(notification_id)} has no published version.`,
  profile_merged: () => 'The stored profile was merged with the one of the send.',
  profile_of_send: () => 'No profile is stored; the one of the send is used.',
  tenant_merged: ({ tenant_id }) => `The tenant ${code(tenant_id)} contributes to it.`,
  tenant_unknown: ({ tenant_id }) => `There is no tenant ${code(tenant_id)}.`,
  no_preference: () => 'No preference applies.',
  preferences_allow: () => 'The preferences allow it.',
  channels_limited: ({ channels }, format) => `The preferences allow only ${channelList(channels, format)}.`,
  required: () => 'The topic is required: it is sent whatever the recipient chose.',
  opted_out: () => 'The recipient opted out.',
  opted_out_by_actor: ({ actor, at }, { time }) => `The recipient was opted out by ${code(actor)} (${time(at)}).`,
  opted_out_by_one_click: ({ at, message_id }, { time }) =>
    `The recipient unsubscribed by one click in the header of ${message_id === undefined ? 'a mail' : `the message ${code(message_id)}`} (${time(at)}).`,
  opted_out_on_page: ({ at, message_id }, { time }) =>
    `The recipient opted out on the page of preferences, by a link${message_id === undefined ? '' : ` of the message ${code(message_id)}`} (${time(at)}).`,
  not_opted_in: () => 'It is only for those who opted in, and the recipient did not.',
  snoozed: ({ until }, { time }) => `The recipient snoozed it until ${time(until)}.`,
  digested: ({ topic_id, until }, { time }) =>
    `It is kept for the digest of the topic ${code(topic_id)}, until ${time(until)} at the latest.`,
  topic_unknown: ({ topic_id }) => `There is no topic ${code(topic_id)}.`,
  endless_snooze: () => 'A snooze without an end has no effect.',
  due_now: () => 'It may be sent now; no condition is set.',
  due_later: ({ until }, { time }) => `It waits until ${time(until)}; no condition is set.`,
  hours_closed: ({ until }, { time }) => `It waits for its opening hours until ${time(until)}.`,
  deadline_passed: ({ deadline }, { time }) => `Its deadline was ${time(deadline)}.`,
  condition_met: ({ condition }) => `The condition ${code(condition)} is met.`,
  condition_unmet: ({ condition }) => `The condition ${code(condition)} is not met.`,
  condition_failed: ({ condition, error }) => `The condition ${code(condition)} cannot be evaluated: ${error}.`,
  routed: ({ integrations }, format) =>
    `It goes by ${ways(integrations, format, { devices: 'devices', and: 'and', otherwise: 'else' })}.`,
  strategy_applied: ({ strategy }) => `The routing strategy ${code(strategy)} says so.`,
  strategy_unknown: ({ strategy_id }) =>
    `There is no routing strategy ${code(strategy_id)}; the default channels are used.`,
  first_by_weight: (params, format) =>
    `By weight ${params.weight} of ${params.weight_total}, ${params.title} is the first for ${format.channel(params.channel)}. The id of the message chooses, each time the same.`,
  first_by_weight_anew: (params, format) =>
    `By weight ${params.weight} of ${params.weight_total}, ${params.title} is the first for ${format.channel(params.channel)}. Each message chooses anew by its id.`,
  default_channels: () => 'The routing of the send names no channels: the default ones are used.',
  address_suppressed: ({ suppressions }, format) =>
    suppressions
      .map(
        ({ channel, reason, source, created }) =>
          `The address for ${format.channel(channel)} has been suppressed since ${format.time(created)}: ${suppressionReasons.en[reason]}, by ${code(source)}.`,
      )
      .join(' '),
  route_name_unknown: ({ name, suggestion }) =>
    `${code(name)} is neither a channel nor a provider with an integration.${suggestion === undefined ? '' : ` Did you mean ${code(suggestion)}?`}`,
  no_channels: () => 'The routing has no channels.',
  channels_opted_out: () => 'The recipient has opted out of all its channels.',
  integrations_unavailable: () =>
    'No integration that could deliver it is available: it is tried again until its time is over.',
  inbox_expired: () => 'Its time is over: no inbox shows it any more.',
  channel_conditions_unmet: () => 'The conditions of its channels are not met.',
  channel_conditions_failed: ({ error }) => `The conditions of its channels cannot be evaluated: ${error}.`,
  no_address: ({ needs, more, ...sandbox }, format) =>
    `No usable address: ${[
      needs.map((need) => needTexts.en(need, format)).join(', ') + (more > 0 ? ` and ${more} more` : ''),
      ...sandboxTexts.en(sandbox, format),
    ].join('; ')}.`,
  no_providers: () => 'Its channels have no integration.',
  providers_unusable: ({ unusable, more, replaced_channels, ...sandbox }, format) =>
    `No integration can be used: ${[
      ...(unusable.length > 0
        ? [
            unusable.map((integration) => unusableTexts.en(integration, format)).join(', ') +
              (more > 0 ? ` and ${more} more` : ''),
          ]
        : []),
      ...(replaced_channels.length > 0
        ? [`the mailbox does not serve ${channelList(replaced_channels, format)} in the place of a real integration`]
        : []),
      ...sandboxTexts.en(sandbox, format),
    ].join('; ')}.`,
  rendered: () => 'Rendered for every candidate.',
  render_failed: ({ failed, total }) => `${failed} of ${total} candidates cannot be rendered.`,
  brand_unknown: ({ brand_id }) => `There is no brand ${code(brand_id)}; the default is used.`,
  snippet_missing: ({ snippet }) => `The brand has no snippet ${code(snippet)}; nothing stands in its place.`,
}

const de: DecisionTexts = {
  content_inline: () => 'Der Inhalt kam mit der Sendung.',
  event_mapped: ({ event, notification_id, version }) =>
    `Das Ereignis ${code(event)} führt zur Vorlage ${code(notification_id)}, Version ${version}.`,
  template_mapped: ({ template, notification_id, version }) =>
    template === notification_id
      ? `Die Sendung nennt die Vorlage ${code(template)}, Version ${version}.`
      : `Der Name ${code(template)} führt zur Vorlage ${code(notification_id)}, Version ${version}.`,
  event_unknown: ({ event }) => `Das Ereignis ${code(event)} führt zu keiner Vorlage.`,
  template_unknown: ({ template }) => `Eine Vorlage ${code(template)} gibt es nicht.`,
  notification_unpublished: ({ notification_id }) =>
    `Die Vorlage ${code(notification_id)} hat keine veröffentlichte Version.`,
  profile_merged: () => 'Das gespeicherte Profil wurde mit dem der Sendung zusammengeführt.',
  profile_of_send: () => 'Es ist kein Profil gespeichert; es gilt das der Sendung.',
  tenant_merged: ({ tenant_id }) => `Der Mandant ${code(tenant_id)} trägt dazu bei.`,
  tenant_unknown: ({ tenant_id }) => `Einen Mandanten ${code(tenant_id)} gibt es nicht.`,
  no_preference: () => 'Keine Einstellung gilt für sie.',
  preferences_allow: () => 'Die Einstellungen erlauben sie.',
  channels_limited: ({ channels }, format) => `Die Einstellungen erlauben nur ${channelList(channels, format)}.`,
  required: () => 'Das Thema ist Pflicht: Sie wird gesendet, was auch immer der Empfänger gewählt hat.',
  opted_out: () => 'Der Empfänger hat sich abgemeldet.',
  opted_out_by_actor: ({ actor, at }, { time }) => `Der Empfänger wurde durch ${code(actor)} abgemeldet (${time(at)}).`,
  opted_out_by_one_click: ({ at, message_id }, { time }) =>
    `Der Empfänger hat sich mit einem Klick im Kopf ${message_id === undefined ? 'einer Mail' : `der Nachricht ${code(message_id)}`} abgemeldet (${time(at)}).`,
  opted_out_on_page: ({ at, message_id }, { time }) =>
    `Der Empfänger hat sich auf der Seite der Einstellungen abgemeldet, über einen Link${message_id === undefined ? '' : ` der Nachricht ${code(message_id)}`} (${time(at)}).`,
  not_opted_in: () => 'Sie ist nur für Empfänger, die zugestimmt haben, und dieser hat es nicht.',
  snoozed: ({ until }, { time }) => `Der Empfänger hat sie bis ${time(until)} stumm geschaltet.`,
  digested: ({ topic_id, until }, { time }) =>
    `Sie wartet auf die Sammelnachricht des Themas ${code(topic_id)}, längstens bis ${time(until)}.`,
  topic_unknown: ({ topic_id }) => `Ein Thema ${code(topic_id)} gibt es nicht.`,
  endless_snooze: () => 'Eine Stummschaltung ohne Ende hat keine Wirkung.',
  due_now: () => 'Sie darf jetzt gesendet werden; sie hat keine Bedingung.',
  due_later: ({ until }, { time }) => `Sie wartet bis ${time(until)}; sie hat keine Bedingung.`,
  hours_closed: ({ until }, { time }) => `Sie wartet auf ihre Öffnungszeiten, bis ${time(until)}.`,
  deadline_passed: ({ deadline }, { time }) => `Ihre Frist ist abgelaufen: ${time(deadline)}.`,
  condition_met: ({ condition }) => `Die Bedingung ${code(condition)} ist erfüllt.`,
  condition_unmet: ({ condition }) => `Die Bedingung ${code(condition)} ist nicht erfüllt.`,
  condition_failed: ({ condition, error }) => `Die Bedingung ${code(condition)} lässt sich nicht auswerten: ${error}.`,
  routed: ({ integrations }, format) =>
    `Sie geht über ${ways(integrations, format, { devices: 'Geräte', and: 'und', otherwise: 'sonst' })}.`,
  strategy_applied: ({ strategy }) => `Das bestimmt die Routing-Strategie ${code(strategy)}.`,
  strategy_unknown: ({ strategy_id }) =>
    `Eine Routing-Strategie ${code(strategy_id)} gibt es nicht; es gelten die üblichen Kanäle.`,
  first_by_weight: (params, format) =>
    `Mit Gewicht ${params.weight} von ${params.weight_total} ist ${params.title} die erste für ${format.channel(params.channel)}. Die Id der Nachricht entscheidet, jedes Mal gleich.`,
  first_by_weight_anew: (params, format) =>
    `Mit Gewicht ${params.weight} von ${params.weight_total} ist ${params.title} die erste für ${format.channel(params.channel)}. Jede Nachricht entscheidet durch ihre Id neu.`,
  default_channels: () => 'Die Zustellwege der Sendung nennen keine Kanäle: Es gelten die üblichen.',
  address_suppressed: ({ suppressions }, format) =>
    suppressions
      .map(
        ({ channel, reason, source, created }) =>
          `Die Adresse für ${format.channel(channel)} steht seit ${format.time(created)} auf der Sperrliste: ${suppressionReasons.de[reason]}, durch ${code(source)}.`,
      )
      .join(' '),
  route_name_unknown: ({ name, suggestion }) =>
    `${code(name)} ist weder ein Kanal noch ein Anbieter mit einer Integration.${suggestion === undefined ? '' : ` Ist ${code(suggestion)} gemeint?`}`,
  no_channels: () => 'Die Zustellwege enthalten keinen Kanal.',
  channels_opted_out: () => 'Der Empfänger hat alle ihre Kanäle abbestellt.',
  integrations_unavailable: () =>
    'Keine Integration, die sie zustellen könnte, ist verfügbar: Es wird weiter versucht, bis ihre Zeit um ist.',
  inbox_expired: () => 'Ihre Zeit ist um: Keine Inbox zeigt sie mehr an.',
  channel_conditions_unmet: () => 'Die Bedingungen ihrer Kanäle sind nicht erfüllt.',
  channel_conditions_failed: ({ error }) => `Die Bedingungen ihrer Kanäle lassen sich nicht auswerten: ${error}.`,
  no_address: ({ needs, more, ...sandbox }, format) =>
    `Keine nutzbare Adresse: ${[
      needs.map((need) => needTexts.de(need, format)).join(', ') + (more > 0 ? ` und ${more} weitere` : ''),
      ...sandboxTexts.de(sandbox, format),
    ].join('; ')}.`,
  no_providers: () => 'Ihre Kanäle haben keine Integration.',
  providers_unusable: ({ unusable, more, replaced_channels, ...sandbox }, format) =>
    `Keine Integration ist nutzbar: ${[
      ...(unusable.length > 0
        ? [
            unusable.map((integration) => unusableTexts.de(integration, format)).join(', ') +
              (more > 0 ? ` und ${more} weitere` : ''),
          ]
        : []),
      ...(replaced_channels.length > 0
        ? [`das Postfach bedient ${channelList(replaced_channels, format)} nicht anstelle einer echten Integration`]
        : []),
      ...sandboxTexts.de(sandbox, format),
    ].join('; ')}.`,
  rendered: () => 'Für jeden Weg dargestellt.',
  render_failed: ({ failed, total }) => `${failed} von ${total} Wegen lassen sich nicht darstellen.`,
  brand_unknown: ({ brand_id }) => `Eine Marke ${code(brand_id)} gibt es nicht; es gilt die Standardmarke.`,
  snippet_missing: ({ snippet }) =>
    `Die Marke hat keinen Textbaustein ${code(snippet)}; an seiner Stelle steht nichts.`,
}

export const decisionTexts = texts({ en, de })

const suppressionReasons = texts<Record<Suppression['reason'], string>>({
  en: {
    hard_bounce: 'the mailbox does not exist',
    complaint: 'the recipient complained',
    invalid_address: 'the address is invalid',
    unsubscribed: 'the recipient unsubscribed',
    manual: 'added by hand',
  },
  de: {
    hard_bounce: 'das Postfach gibt es nicht',
    complaint: 'der Empfänger hat sich beschwert',
    invalid_address: 'die Adresse ist ungültig',
    unsubscribed: 'der Empfänger hat sich abgemeldet',
    manual: 'von Hand eingetragen',
  },
})

const unusableTexts = {
  en: (integration: Unusable, format: SentenceFormat) =>
    `${named(integration, format)} ${integration.cause === 'disabled' ? 'is switched off' : 'has secrets that cannot be read'}`,
  de: (integration: Unusable, format: SentenceFormat) =>
    `${named(integration, format)} ${integration.cause === 'disabled' ? 'ist abgeschaltet' : 'hat Geheimnisse, die nicht lesbar sind'}`,
}

const sandboxTexts = {
  en: ({ sandbox_channels, real_channels }: SandboxChannels, format: SentenceFormat) =>
    sandbox_channels.length === 0
      ? []
      : [
          `the mailbox does not serve ${channelList(sandbox_channels, format)} in a ${code('single')} routing with ${channelList(real_channels, format)}, which has or had a real integration`,
        ],
  de: ({ sandbox_channels, real_channels }: SandboxChannels, format: SentenceFormat) =>
    sandbox_channels.length === 0
      ? []
      : [
          `das Postfach bedient ${channelList(sandbox_channels, format)} nicht neben ${channelList(real_channels, format)} bei der Methode ${code('single')}, denn dort gibt oder gab es eine echte Integration`,
        ],
}

const needTexts = {
  en(missing: Need, format: SentenceFormat): string {
    const { need, keys, keys_total, or_token, device = '', error, misspelled, suggestion = '' } = missing
    const name = named(missing, format)
    const hint = misspelled === undefined ? '' : ` (which has ${code(misspelled)}: did you mean ${code(suggestion)}?)`
    switch (need) {
      case 'device_token':
        return `${name} has no active token (${device}: ${error ?? 'not active'})`
      case 'user_id':
        return `${name} needs a user id`
      case 'usable_value':
        return `${name} cannot use the ${codes(keys)} of the profile`
      case 'one_of_many_keys':
        return `${name} needs one of ${keys_total} keys such as ${codes(keys)}`
      case 'profile_key':
        return `${name} needs ${codes(keys)} in the profile${or_token ? ', or a token of the user' : ''}${hint}`
      case 'one_of_keys':
        return `${name} needs one of ${codes(keys)} in the profile${hint}`
    }
  },
  de(missing: Need, format: SentenceFormat): string {
    const { need, keys, keys_total, or_token, device = '', error, misspelled, suggestion = '' } = missing
    const name = named(missing, format)
    const hint = misspelled === undefined ? '' : ` (es hat ${code(misspelled)}: ist ${code(suggestion)} gemeint?)`
    switch (need) {
      case 'device_token':
        return `${name} hat kein aktives Token (${device}: ${error ?? 'nicht aktiv'})`
      case 'user_id':
        return `${name} braucht eine Nutzer-Id`
      case 'usable_value':
        return `${name} kann mit ${codes(keys)} des Profils nichts anfangen`
      case 'one_of_many_keys':
        return `${name} braucht einen von ${keys_total} Schlüsseln, zum Beispiel ${codes(keys)}`
      case 'profile_key':
        return `${name} braucht ${codes(keys)} im Profil${or_token ? ' oder ein Token des Nutzers' : ''}${hint}`
      case 'one_of_keys':
        return `${name} braucht eines von ${codes(keys)} im Profil${hint}`
    }
  },
}

type Sentences = Record<string, ((params: never, format: SentenceFormat) => string) | undefined>

/** Undefined for a code that this version does not know. */
const sentenceOf = (
  sentences: Sentences,
  { code, params }: Pick<DecisionNote, 'code' | 'params'>,
  format: SentenceFormat,
) => (Object.hasOwn(sentences, code) ? sentences[code]?.(params as never, format) : undefined)

/** A step in sentences; those of the server where a code is not known. */
export function stepText(sentences: Sentences, step: DecisionStep, format: SentenceFormat): string {
  const first = sentenceOf(sentences, step, format)
  if (first === undefined) return step.summary
  const notes = (step.notes ?? []).map((note) => sentenceOf(sentences, note, format) ?? note.text)
  return [first, ...notes].join(' ')
}

export function useStepText(): (step: DecisionStep) => string {
  const sentences: Sentences = useTexts(decisionTexts)
  const names: Record<string, string> = useTexts(channelNames)
  const { timeOfDay } = useFormat()
  return (step) => stepText(sentences, step, { time: timeOfDay, channel: (name) => names[name] ?? name })
}

/** Gives why nothing is rendered; an error of rendering is in the words of the API. */
export function useReasonText(): (explanation: Pick<Explanation, 'decision' | 'candidates' | 'steps'>) => string {
  const stepText = useStepText()
  return ({ decision, candidates, steps }) => {
    const candidate = candidates.find(({ reason }) => reason !== undefined)
    const stop = steps.find(({ step, outcome }) => outcome === 'stopped' && step !== 'render')
    return (stop && stepText(stop)) ?? decision.error ?? candidate?.reason ?? decision.reason ?? decision.status
  }
}
