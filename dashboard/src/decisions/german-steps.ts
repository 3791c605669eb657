/** The steps of a decision in German, by their codes; those in English are the client's. */
import type { DecisionParamsByCode } from '@postrider/client'
import {
  code,
  codes,
  nameOfId,
  namesOf,
  numberOf,
  type StepTexts,
  type SuppressionCauses,
  sourceText,
  suppressionCause,
} from '@postrider/client/steps'
import { channelNames } from '../parts/meanings.ts'
import { germanSources } from '../parts/sources.ts'
import { suppressionTexts } from '../parts/suppression-reasons.ts'

type Need = DecisionParamsByCode['no_address']['needs'][number]
type Unusable = DecisionParamsByCode['providers_unusable']['unusable'][number]
type SandboxChannels = Pick<DecisionParamsByCode['no_address'], 'sandbox_channels' | 'real_channels'>

const { name, list, named, ways } = namesOf(channelNames.de)

const germanCauses: SuppressionCauses = {
  reasons: suppressionTexts.de,
  authors: germanSources,
  added: 'eingetragen',
  by: (author) => `durch ${author}`,
  withKey: (key) => `mit dem Schlüssel ${key}`,
}

export const germanSteps: StepTexts = {
  content_inline: () => 'Der Inhalt kam mit der Sendung.',
  event_mapped: ({ event, notification_id, version }, format) =>
    `Das Ereignis ${code(event)} führt zur Vorlage ${nameOfId('template', notification_id, format)}, Version ${numberOf(version)}.`,
  template_mapped: ({ template, notification_id, version }, format) =>
    template === notification_id
      ? `Die Sendung nennt die Vorlage ${nameOfId('template', template, format)}, Version ${numberOf(version)}.`
      : `Der Name ${code(template)} führt zur Vorlage ${nameOfId('template', notification_id, format)}, Version ${numberOf(version)}.`,
  event_unknown: ({ event }) => `Das Ereignis ${code(event)} führt zu keiner Vorlage.`,
  template_unknown: ({ template }) => `Eine Vorlage ${code(template)} gibt es nicht.`,
  notification_unpublished: ({ notification_id }, format) =>
    `Die Vorlage ${nameOfId('template', notification_id, format)} hat keine veröffentlichte Version.`,
  profile_merged: () => 'Das gespeicherte Profil wurde mit dem der Sendung zusammengeführt.',
  profile_stored: () => 'Es gilt das gespeicherte Profil; die Sendung hat keines.',
  profile_of_send: () => 'Es ist kein Profil gespeichert; es gilt das der Sendung.',
  tenant_merged: ({ tenant_id }) => `Der Mandant ${code(tenant_id)} trägt dazu bei.`,
  tenant_unknown: ({ tenant_id }) => `Einen Mandanten ${code(tenant_id)} gibt es nicht.`,
  no_preference: () => 'Keine Einstellung gilt für sie.',
  preferences_allow: () => 'Die Einstellungen erlauben sie.',
  channels_limited: ({ channels }) => `Die Einstellungen erlauben nur ${list(channels)}.`,
  required: () => 'Das Thema ist Pflicht: Sie wird gesendet, was auch immer der Empfänger gewählt hat.',
  opted_out: () => 'Der Empfänger hat sich abgemeldet.',
  opted_out_by_actor: ({ actor, at }, format) =>
    `Der Empfänger wurde durch ${sourceText(actor, format, germanSources)} abgemeldet (${format.time(at)}).`,
  opted_out_by_one_click: ({ at, message_id }, { time }) =>
    `Der Empfänger hat sich mit einem Klick im Kopf ${message_id === undefined ? 'einer Mail' : `der Nachricht ${code(message_id)}`} abgemeldet (${time(at)}).`,
  opted_out_on_page: ({ at, message_id }, { time }) =>
    `Der Empfänger hat sich auf der Seite der Einstellungen abgemeldet, über einen Link${message_id === undefined ? '' : ` der Nachricht ${code(message_id)}`} (${time(at)}).`,
  not_opted_in: () => 'Sie ist nur für Empfänger, die zugestimmt haben, und dieser hat es nicht.',
  snoozed: ({ until }, { time }) => `Der Empfänger hat sie bis ${time(until)} stumm geschaltet.`,
  digested: ({ topic_id, until }, format) =>
    `Sie wartet auf die Sammelnachricht des Themas ${nameOfId('topic', topic_id, format)}, längstens bis ${format.time(until)}.`,
  topic_unknown: ({ topic_id }) => `Ein Thema ${code(topic_id)} gibt es nicht.`,
  endless_snooze: () => 'Eine Stummschaltung ohne Ende hat keine Wirkung.',
  due_now: () => 'Sie darf jetzt gesendet werden; sie hat keine Bedingung.',
  due_later: ({ until }, { time }) => `Sie wartet bis ${time(until)}; sie hat keine Bedingung.`,
  hours_closed: ({ until }, { time }) => `Sie wartet auf ihre Öffnungszeiten, bis ${time(until)}.`,
  deadline_passed: ({ deadline }, { time }) => `Ihre Frist ist abgelaufen: ${time(deadline)}.`,
  condition_met: ({ condition }) => `Die Bedingung ${code(condition)} ist erfüllt.`,
  condition_unmet: ({ condition }) => `Die Bedingung ${code(condition)} ist nicht erfüllt.`,
  condition_failed: ({ condition, error }) => `Die Bedingung ${code(condition)} lässt sich nicht auswerten: ${error}.`,
  routed: ({ integrations }) =>
    `Sie geht über ${ways(integrations, { devices: 'Geräte', and: 'und', otherwise: 'schlägt das fehl,' })}.`,
  strategy_applied: ({ strategy }) => `Das bestimmt die Routing-Strategie ${code(strategy)}.`,
  strategy_unknown: ({ strategy_id }) =>
    `Eine Routing-Strategie ${code(strategy_id)} gibt es nicht; es gelten die üblichen Kanäle.`,
  first_by_weight: (params) =>
    `Mit Gewicht ${params.weight} von ${params.weight_total} ist ${params.title} die erste für ${name(params.channel)}. Die Id der Nachricht entscheidet, jedes Mal gleich.`,
  first_by_weight_anew: (params) =>
    `Mit Gewicht ${params.weight} von ${params.weight_total} ist ${params.title} die erste für ${name(params.channel)}. Jede Nachricht entscheidet durch ihre Id neu.`,
  default_channels: () => 'Die Zustellwege der Sendung nennen keine Kanäle: Es gelten die üblichen.',
  address_suppressed: ({ suppressions }, format) =>
    suppressions
      .map(
        ({ channel, reason, source, created }) =>
          `Die Adresse für ${name(channel)} steht seit ${format.time(created)} auf der Sperrliste: ${suppressionCause(reason, source, format, germanCauses)}.`,
      )
      .join(' '),
  route_name_unknown: ({ name, suggestion }) =>
    `${code(name)} ist weder ein Kanal noch ein Anbieter mit einer Integration.${suggestion === undefined ? '' : ` Ist ${code(suggestion)} gemeint?`}`,
  no_channels: () => 'Die Zustellwege enthalten keinen Kanal.',
  channels_opted_out: () => 'Ihre Zustellwege enthalten keinen der Kanäle, die die Einstellungen erlauben.',
  integrations_unavailable: () =>
    'Keine Integration, die sie zustellen könnte, ist verfügbar: Es wird weiter versucht, bis ihre Zeit um ist.',
  inbox_expired: () => 'Ihre Zeit ist um: Keine Inbox zeigt sie mehr an.',
  channel_conditions_unmet: () => 'Die Bedingungen ihrer Kanäle sind nicht erfüllt.',
  channel_conditions_failed: ({ error }) => `Die Bedingungen ihrer Kanäle lassen sich nicht auswerten: ${error}.`,
  no_address: ({ needs, more, ...sandbox }) =>
    `Keine nutzbare Adresse: ${[
      needs.map(needText).join(', ') + (more > 0 ? ` und ${more} weitere` : ''),
      ...besideReal(sandbox),
    ].join('; ')}.`,
  no_providers: () => 'Ihre Kanäle haben keine Integration.',
  providers_unusable: ({ unusable, more, replaced_channels, ...sandbox }) =>
    `Keine Integration ist nutzbar: ${[
      ...(unusable.length > 0
        ? [unusable.map(unusableText).join(', ') + (more > 0 ? ` und ${more} weitere` : '')]
        : []),
      ...(replaced_channels.length > 0
        ? [`das Postfach bedient ${list(replaced_channels)} nicht anstelle einer echten Integration`]
        : []),
      ...besideReal(sandbox),
    ].join('; ')}.`,
  rendered: () => 'Für jeden Weg dargestellt.',
  render_failed: ({ failed, total }) =>
    `${failed} von ${total} ${total === 1 ? 'Weg lässt' : 'Wegen lassen'} sich nicht darstellen.`,
  copies_suppressed: ({ copies }) =>
    `Kopien entfallen, weil ihre Adressen gesperrt sind: ${list(copies.map(({ address, reason }) => `${address} (${suppressionTexts.de[reason]})`))}.`,
  brand_unknown: ({ brand_id }) => `Eine Marke ${code(brand_id)} gibt es nicht; es gilt die Standardmarke.`,
  snippet_missing: ({ snippet }) => `Die Marke hat keinen Textbaustein ${code(snippet)}; er wird weggelassen.`,
}

const unusableText = (integration: Unusable) =>
  `${named(integration)} ${integration.cause === 'disabled' ? 'ist abgeschaltet' : 'hat Geheimnisse, die nicht lesbar sind'}`

const besideReal = ({ sandbox_channels, real_channels }: SandboxChannels) =>
  sandbox_channels.length === 0
    ? []
    : [
        `für ${list(sandbox_channels)} gibt es keine echte Integration, und eine Zustellung über nur einen der Kanäle weicht von einer solchen (${list(real_channels)}) nicht auf das Postfach aus`,
      ]

function needText(missing: Need): string {
  const { need, keys, keys_total, or_token, device = '', error, misspelled, suggestion = '' } = missing
  const name = named(missing)
  const hint = misspelled === undefined ? '' : ` (es hat ${code(misspelled)}: ist ${code(suggestion)} gemeint?)`
  switch (need) {
    case 'device_token':
      return `${name} hat kein aktives Token (${device}: ${error ?? 'nicht aktiv'})`
    case 'user_id':
      return `${name} braucht eine Nutzer-Id`
    case 'usable_value':
      return `${codes(keys)} ist nicht gültig für ${name}`
    case 'one_of_many_keys':
      return `${name} braucht einen von ${keys_total} Schlüsseln, zum Beispiel ${codes(keys)}`
    case 'profile_key':
      return `${name} braucht ${codes(keys)} im Profil${or_token ? ' oder ein Token des Nutzers' : ''}${hint}`
    case 'one_of_keys':
      return `${name} braucht eines von ${codes(keys)} im Profil${hint}`
  }
}
