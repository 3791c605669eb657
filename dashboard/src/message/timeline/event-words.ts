/** An event of the history in words: its title, and its facts as short sentences. */
import type { DecisionStep, HistoryEvent, MessageExplanation, Reason } from '@postrider/client'
import { type SuppressionReason, sourceText } from '@postrider/client/steps'
import { texts } from '../../language/language.tsx'
import { germanSources } from '../../parts/sources.ts'
import { isWish, type Tone } from '../../parts/status.tsx'

/** `Email` within a sentence; abbreviations stay. */
const inSentence = (name: string) => (name === name.toUpperCase() ? name : name.toLowerCase())

export const eventTexts = texts({
  en: {
    ENQUEUED: 'Accepted',
    DELAYED: 'Delayed',
    MAPPED: 'Template found',
    UNMAPPED: 'No template',
    PROFILE_LOADED: 'Profile merged',
    FILTERED: 'Stopped by a condition',
    THROTTLED: 'Stopped by a limit',
    DIGESTED: 'Added to a digest',
    RENDERED: 'Rendered',
    SIMULATED: 'Simulated',
    DELIVERING: 'Attempt failed',
    circuit_breaker: 'Not called: its latest calls failed',
    limit: 'Not called: a limit is reached',
    HELD: 'Held',
    RELEASED: 'Released',
    SENT: 'Accepted by the provider',
    COPY_SENT: 'Copy sent',
    COPY_UNDELIVERABLE: 'Copy given up',
    DEFERRED: 'Deferred by the mail server',
    DELIVERED: 'Delivered',
    OPENED: 'Opened',
    CLICKED: 'Clicked',
    COMPLAINED: 'Reported as spam',
    UNSUBSCRIBED: 'Unsubscribed',
    UNDELIVERABLE: 'Not delivered',
    notCalled: 'Not called',
    notHere: 'Not delivered here',
    elsewhere: 'Another provider accepted the message',
    UNROUTABLE: 'No way to the recipient',
    CANCELED: 'Canceled',
    incomplete: 'The recipient has no usable address',
    repaired: (integration: string) => `${integration} was added or changed, or works again`,
    anIntegration: 'An integration',
    releasedByCall: 'By POST /messages/release',
    releasedDeadLetter: 'By the release of its dead letter (POST /dead-letters/:id/release)',
    releasedBySettings: 'Such messages are no longer held',
    by: (source: string) => `By ${sourceText(source)}`,
    erased: 'The person was erased',
    via: (channel: string, provider: string) => `By ${inSentence(channel)} through ${provider}`,
    event: (event: string) => `Event ${event}`,
    inline: 'Inline content',
    due: (time: string) => `Due ${time}`,
    latest: (time: string) => `At the latest ${time}`,
    template: (id: string) => `Template ${id}`,
    keys: (keys: string) => `Profile with ${keys}`,
    masked: (count: string) => `${count} masked`,
    noKeys: 'Empty profile',
    device: (device: string) => `Device ${device}`,
    attempt: (number: string) => `Attempt ${number}`,
    link: (url: string) => `Link ${url}`,
    automated: 'By a program, not by a person',
    segments: (count: string, encoding: string) => `${count} × SMS, ${encoding}`,
    reference: (reference: string) => `Reference ${reference}`,
    HARD: 'A permanent bounce',
    SOFT: 'A bounce that may pass',
    suppressed: (reason: string) => `The address is suppressed: ${reason}`,
  },
  de: {
    ENQUEUED: 'Angenommen',
    DELAYED: 'Verschoben',
    MAPPED: 'Vorlage gefunden',
    UNMAPPED: 'Keine Vorlage',
    PROFILE_LOADED: 'Profil zusammengeführt',
    FILTERED: 'Von einer Bedingung gestoppt',
    THROTTLED: 'Von einem Limit gestoppt',
    DIGESTED: 'In eine Sammelnachricht aufgenommen',
    RENDERED: 'Dargestellt',
    SIMULATED: 'Simuliert',
    DELIVERING: 'Versuch fehlgeschlagen',
    circuit_breaker: 'Nicht aufgerufen: Die letzten Aufrufe scheiterten',
    limit: 'Nicht aufgerufen: Ein Limit ist erreicht',
    HELD: 'Angehalten',
    RELEASED: 'Freigegeben',
    SENT: 'Vom Anbieter angenommen',
    COPY_SENT: 'Kopie versendet',
    COPY_UNDELIVERABLE: 'Kopie aufgegeben',
    DEFERRED: 'Vom Mailserver aufgeschoben',
    DELIVERED: 'Zugestellt',
    OPENED: 'Geöffnet',
    CLICKED: 'Angeklickt',
    COMPLAINED: 'Als Spam gemeldet',
    UNSUBSCRIBED: 'Abgemeldet',
    UNDELIVERABLE: 'Nicht zugestellt',
    notCalled: 'Nicht aufgerufen',
    notHere: 'Hier nicht zugestellt',
    elsewhere: 'Ein anderer Anbieter hat die Nachricht angenommen',
    UNROUTABLE: 'Kein Weg zum Empfänger',
    CANCELED: 'Abgebrochen',
    incomplete: 'Der Empfänger hat keine nutzbare Adresse',
    repaired: (integration: string) => `${integration} wurde hinzugefügt oder geändert, oder geht wieder`,
    anIntegration: 'Eine Integration',
    releasedByCall: 'Durch POST /messages/release',
    releasedDeadLetter: 'Durch ihre Freigabe aus dem Aufgegebenen (POST /dead-letters/:id/release)',
    releasedBySettings: 'Solche Nachrichten werden nicht mehr angehalten',
    by: (source: string) => `Durch ${sourceText(source, {}, germanSources)}`,
    erased: 'Die Person wurde gelöscht',
    via: (channel: string, provider: string) => `Per ${channel} über ${provider}`,
    event: (event: string) => `Ereignis ${event}`,
    inline: 'Inhalt im Aufruf',
    due: (time: string) => `Fällig ${time}`,
    latest: (time: string) => `Spätestens ${time}`,
    template: (id: string) => `Vorlage ${id}`,
    keys: (keys: string) => `Profil mit ${keys}`,
    masked: (count: string) => `${count} verdeckt`,
    noKeys: 'Leeres Profil',
    device: (device: string) => `Gerät ${device}`,
    attempt: (number: string) => `Versuch ${number}`,
    link: (url: string) => `Link ${url}`,
    automated: 'Von einem Programm, nicht von einem Menschen',
    segments: (count: string, encoding: string) => `${count} × SMS, ${encoding}`,
    reference: (reference: string) => `Referenz ${reference}`,
    HARD: 'Kam endgültig zurück',
    SOFT: 'Kam zurück, vielleicht vorübergehend',
    suppressed: (reason: string) => `Die Adresse ist gesperrt: ${reason}`,
  },
})
type EventTexts = { [Name in keyof typeof eventTexts.en]: (typeof eventTexts.en)[Name] }

const tones: Partial<Record<HistoryEvent['type'], Tone>> = {
  DELAYED: 'wait',
  SENT: 'wait',
  DELIVERED: 'good',
  OPENED: 'good',
  CLICKED: 'good',
  DELIVERING: 'warn',
  DEFERRED: 'warn',
  COPY_UNDELIVERABLE: 'warn',
  HELD: 'hold',
  UNMAPPED: 'warn',
  COMPLAINED: 'bad',
  UNDELIVERABLE: 'bad',
  UNROUTABLE: 'bad',
}

/** Channel, integration and device of an event, or an empty text. */
export const wayOf = (event: HistoryEvent): string =>
  'channel' in event && event.channel.id !== '' && 'integration' in event
    ? wayName(event.channel.id, event.integration?.id, 'device' in event ? event.device?.id : undefined)
    : ''
export const wayName = (channel: string, integration: string | undefined, device: string | undefined): string =>
  JSON.stringify([channel, integration, device])

/** The end of one delivery is not that of a message that another one has delivered. */
const isElsewhere = (event: HistoryEvent, events: readonly HistoryEvent[]): boolean =>
  event.type === 'UNDELIVERABLE' &&
  wayOf(event) !== '' &&
  events.some((other) => other.type === 'SENT' && wayOf(other) !== wayOf(event))

/** A suppressed address ended the delivery before its integration was called. */
export const isWithoutCall = (event: HistoryEvent, events: readonly HistoryEvent[]): boolean =>
  event.type === 'UNDELIVERABLE' &&
  wayOf(event) !== '' &&
  event.reason === 'SUPPRESSED' &&
  !events.some((other) => other.type === 'DELIVERING' && !other.held_back && wayOf(other) === wayOf(event))

/** Why it ended, of an event that has a reason. */
export const reasonOf = (event: HistoryEvent): Reason | undefined => ('reason' in event ? event.reason : undefined)

export interface EventLook {
  title: HistoryEvent['type'] | 'notHere' | 'notCalled' | 'circuit_breaker' | 'limit'
  tone: Tone
  /** A fact that follows from other events. */
  also?: 'elsewhere'
}

function titleOf(event: HistoryEvent, events: readonly HistoryEvent[]): EventLook['title'] {
  if (event.type === 'DELIVERING' && event.held_back) return event.held_back
  return isWithoutCall(event, events) ? 'notCalled' : event.type
}

export const eventLook = (event: HistoryEvent, events: readonly HistoryEvent[]): EventLook =>
  isElsewhere(event, events)
    ? { title: 'notHere', tone: 'warn', also: 'elsewhere' }
    : {
        title: titleOf(event, events),
        tone: isWish(reasonOf(event)) ? 'quiet' : (tones[event.type] ?? 'quiet'),
      }

/** The title says it; the words of the provider follow. */
const BREAKER_OPEN = /^Circuit breaker open: /

/** Names of a profile in one sentence; the rest is in the profiles below. */
const KEYS_MAX = 8

export interface EventFormat {
  time(at: number): string
  channel(channel: string): string
  /** The title of an integration, or the key of its provider. */
  integration(integration: { id: string; provider: string }): string
  /** The name of a template, or its id. */
  template(id: string): string
  reason(reason: Reason): string
  /** Why an address is suppressed. */
  suppression(reason: SuppressionReason): string
  /** An error, in the reader's language where the server wrote it. */
  error(error: string): string
  /** The step of the decision that an event reports; undefined where the decision does not say it. */
  stop(event: HistoryEvent): string | undefined
}

export function eventFacts(event: HistoryEvent, t: EventTexts, format: EventFormat): string[] {
  const ways: string[] = []
  if ('channel' in event && event.channel.id !== '' && 'integration' in event && event.integration)
    ways.push(t.via(format.channel(event.channel.id), format.integration(event.integration)))
  if ('device' in event && event.device) ways.push(t.device(event.device.name ?? event.device.id))
  return [...ways, ...factsWithoutWay(event, t, format)]
}

/** For a row whose title names the integration. */
export function factsWithoutWay(event: HistoryEvent, t: EventTexts, format: EventFormat): string[] {
  const facts: string[] = []
  const add = (fact: string | undefined | false) => fact && facts.push(fact)
  const causeOf = (error: string | undefined) => format.stop(event) ?? (error && format.error(error))
  if (event.type === 'RELEASED') facts.push(...releaseFacts(event, t, format))
  if ('address' in event) add(event.address)
  if ('url' in event) add(event.url && t.link(event.url))
  switch (event.type) {
    case 'ENQUEUED':
      add(event.event ? t.event(event.event) : t.inline)
      break
    case 'DELAYED':
      add(t.due(format.time(event.until)))
      break
    case 'DIGESTED':
    case 'HELD':
      if (event.type === 'HELD') add(causeOf(event.error_message))
      add(t.latest(format.time(event.until)))
      break
    case 'MAPPED':
      add(t.template(format.template(event.notification_id)))
      break
    case 'UNMAPPED':
      add(t.event(event.event_id))
      break
    case 'PROFILE_LOADED':
      add(profileFact(Object.keys(event.merged_profile), t))
      break
    case 'RENDERED':
      add(event.sms && t.segments(String(event.sms.segments), event.sms.encoding))
      break
    case 'DELIVERING':
      add(
        event.held_back
          ? format.error(event.error.replace(BREAKER_OPEN, ''))
          : `${t.attempt(String(event.attempt))}: ${format.error(event.error)}`,
      )
      break
    case 'SENT':
    case 'DELIVERED':
      add(referenceFact(event, t))
      break
    case 'UNDELIVERABLE':
      facts.push(...failureFacts(event, t, format))
      break
    case 'COPY_UNDELIVERABLE':
    case 'DEFERRED':
    case 'FILTERED':
    case 'UNROUTABLE':
      // The decision names every key of the profile that would do.
      add('reason' in event && event.reason === 'INCOMPLETE_PROFILE_DATA' ? t.incomplete : causeOf(event.error_message))
      break
    case 'CANCELED':
      add(event.source && (event.source === 'erasure' ? t.erased : t.by(event.source)))
      break
    default:
      break
  }
  if ('automated' in event && event.automated) add(t.automated)
  if ('findings' in event) facts.push(...(event.findings ?? []).map(format.error))
  return facts
}

function referenceFact({ reference = {} }: Extract<HistoryEvent, { type: 'SENT' | 'DELIVERED' }>, t: EventTexts) {
  const texts = Object.values(reference).filter((value) => typeof value === 'string')
  return texts.length > 0 && t.reference(texts.join(', '))
}

function releaseFacts(
  { cause, integration_id: id = '', source }: Extract<HistoryEvent, { type: 'RELEASED' }>,
  t: EventTexts,
  format: EventFormat,
): string[] {
  if (cause === 'settings') return [t.releasedBySettings]
  if (cause === 'dead_letter') return [t.releasedDeadLetter, ...(source === undefined ? [] : [t.by(source)])]
  return [cause === 'repair' ? t.repaired(format.integration({ id, provider: t.anIntegration })) : t.releasedByCall]
}

/** The step that stopped the decision, where an event reports that. */
export function stopOf(
  event: HistoryEvent,
  { decision, steps }: Pick<MessageExplanation, 'decision' | 'steps'>,
): DecisionStep | undefined {
  const error = 'error_message' in event ? event.error_message : undefined
  const isOfDelivery = 'integration' in event && event.integration !== undefined
  const isSameEnd = event.type === decision.status && reasonOf(event) === decision.reason && event.type !== 'HELD'
  // An explanation of now can differ from what was decided then.
  const isSame = !isOfDelivery && (isSameEnd || (error !== undefined && error === decision.error))
  return isSame ? steps.find(({ outcome }) => outcome === 'stopped') : undefined
}

function failureFacts(
  event: Extract<HistoryEvent, { type: 'UNDELIVERABLE' }>,
  t: EventTexts,
  format: EventFormat,
): string[] {
  const { error_message: error, reasonCode, suppressed } = event
  return [
    format.stop(event) ?? meaningOf(event, format) ?? (error && format.error(error)),
    reasonCode && t[reasonCode],
    suppressed && t.suppressed(format.suppression(suppressed)),
  ].filter((fact): fact is string => !!fact)
}

/** No provider said a word: the will of the recipient, or all addresses on the list. The decision has the details. */
const meaningOf = (event: Extract<HistoryEvent, { type: 'UNDELIVERABLE' }>, format: EventFormat) =>
  event.reason && (isWish(event.reason) || (event.reason === 'SUPPRESSED' && event.integration === undefined))
    ? format.reason(event.reason)
    : undefined

/** Keys that a viewer may not read come masked. */
function profileFact(all: readonly string[], t: EventTexts): string {
  if (all.length === 0) return t.noKeys
  const keys = all.filter((key) => !key.includes('•'))
  const masked = all.length - keys.length
  const shown = keys.slice(0, KEYS_MAX).join(', ') + (keys.length > KEYS_MAX ? ' …' : '')
  return t.keys([shown, masked > 0 && t.masked(String(masked))].filter(Boolean).join(', '))
}
