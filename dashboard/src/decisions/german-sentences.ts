/** The clauses of sentences about messages and sends in German; those in English are the client's. */
import type { CandidateReason, Channel, Reason } from '@postrider/client'
import {
  type ChannelChoice,
  type ChannelsNotTried,
  capitalized,
  code,
  type ForecastTexts,
  nameOfId,
  type PreferencePlace,
  type SentenceFormat,
  type SentenceTexts,
  saying,
  sourceText,
  type whyNotTried,
} from '@postrider/client/sentence'
import { channelNames } from '../parts/meanings.ts'
import { germanSources } from '../parts/sources.ts'
import { suppressionTexts } from '../parts/suppression-reasons.ts'

const names = channelNames.de

function preferencePlace({ source, topic, tenant }: PreferencePlace, format: SentenceFormat): string {
  const forTopic = topic === undefined ? '' : ` für das Thema ${nameOfId('topic', topic, format)}`
  switch (source) {
    case 'send':
      return 'So wollen es die Einstellungen der Sendung'
    case 'subscription':
      return 'So will es das Abonnement der Liste'
    case 'list':
      return 'So wollen es die Einstellungen der Liste'
    case 'recipient':
      return `Das ist die Wahl${forTopic}${tenant === undefined ? '' : ` im Mandanten ${code(tenant)}`}`
    case 'tenant':
      return `Das ist die Vorgabe des Mandanten${tenant === undefined ? '' : ` ${code(tenant)}`}${forTopic}`
    case 'topic':
      return `Das ist die Vorgabe des Themas${topic === undefined ? '' : ` ${nameOfId('topic', topic, format)}`}`
  }
}

/** A clause in the middle of a sentence. */
function channelChoiceText({ channels, source }: ChannelChoice, { list }: SentenceFormat): string {
  const only = list(channels.map((channel) => (names as Record<string, string>)[channel] ?? channel))
  switch (source) {
    case 'send':
      return `die Einstellungen der Sendung erlauben nur ${only}`
    case 'subscription':
      return `das Abonnement der Liste erlaubt nur ${only}`
    case 'list':
      return `die Einstellungen der Liste erlauben nur ${only}`
    case 'recipient':
      return `der Empfänger hat gewählt, solche Nachrichten nur per ${only} zu erhalten`
    case 'tenant':
      return `die Vorgabe des Mandanten erlaubt nur ${only}`
    case 'topic':
      return `die Vorgabe des Themas erlaubt nur ${only}`
    case undefined:
      return `die Einstellungen erlauben nur ${only}`
  }
}

const noneChosen: SentenceTexts['noneChosen'] = ({ choice }, format) =>
  `${capitalized(channelChoiceText(choice, format))}, und keiner ihrer Kanäle gehört dazu`

/** The choice of some channels leaves out all others: of many it is enough to say so. */
const NAMED_BESIDE_CHOICE_MAX = 2

const channelsText = ({ channels, choice }: ChannelsNotTried, { list }: SentenceFormat) =>
  choice && channels.length > NAMED_BESIDE_CHOICE_MAX
    ? 'Ihre anderen Kanäle'
    : list(channels.map((channel) => names[channel]))

export const germanWhyNotTried: typeof whyNotTried = ({ channels, reason, choice, suppression }, format) => {
  if (choice) return channelChoiceText(choice, format)
  if (suppression)
    return `die Adresse steht seit ${format.time(suppression.created)} auf der Sperrliste (${suppressionTexts.de[suppression.reason]})`
  if (reason === 'INCOMPLETE_PROFILE_DATA') return format.list(channels.map((channel) => missing[channel]))
  return untried[reason] ?? code(reason)
}

const missing: Record<Channel, string> = {
  email: 'keine nutzbare E-Mail-Adresse im Profil',
  sms: 'keine nutzbare Telefonnummer im Profil',
  push: 'kein nutzbares Token eines Geräts',
  direct_message: 'keine nutzbare Adresse für den Chat im Profil',
  inbox: 'keine Nutzer-Id',
  webhook: 'kein nutzbarer Webhook im Profil',
}

export const germanSentence: SentenceTexts = {
  accepted: 'Angenommen und noch nicht entschieden',
  onItsWay: 'Unterwegs',
  notSentYet: 'Noch nicht gesendet',
  notSent: 'Nicht gesendet',
  notDelivered: 'Nicht zugestellt',
  inDoubt: 'Ob sie gesendet wurde, ist nicht bekannt',
  mayHaveArrived: 'Ein früherer Versuch kann angekommen sein',
  sent: 'Gesendet',
  delivered: 'Zugestellt',
  opened: 'Geöffnet',
  clicked: 'Ein Link darin wurde angeklickt',
  simulated: 'Simuliert',

  waits: ({ until }, { time }) => `Wartet bis ${time(until)}`,
  asSent: 'so will es die Sendung',
  hours: 'dann öffnet ihr Zeitfenster',
  paused: ({ at, source }, format) =>
    `Um ${format.time(at)}${source === undefined ? '' : ` durch ${sourceText(source, format, germanSources)}`} pausiert: sie geht weiter, wenn ihre Sendung fortgesetzt wird`,
  deliveriesPaused: ({ since }, { time }) =>
    `die Zustellung ist seit ${time(since)} pausiert, bis sie fortgesetzt wird, geht nichts hinaus`,
  inDigest: ({ topic, until }, format) =>
    `Teil der Sammelnachricht des Themas ${nameOfId('topic', topic, format)}, die bis ${format.time(until)} hinausgeht`,
  canceled: ({ ms, source }, format) => {
    const by = source === undefined || source === 'erasure' ? '' : ` durch ${sourceText(source, format, germanSources)}`
    return `Abgebrochen${by} ${format.duration(ms)} nach dem Aufruf${source === 'erasure' ? ', weil die Person gelöscht wurde' : ''}`
  },

  calling: ({ integration }) => `${integration} wird gerade aufgerufen`,
  calledNext: ({ integration }) => `${integration} wird als Nächstes aufgerufen`,
  calledAgain: ({ integration, at, attempt, mayRepeat }, { time }) => {
    const turn =
      attempt === 1
        ? `${integration} wird um ${time(at)} aufgerufen`
        : `${integration} wird um ${time(at)} wieder aufgerufen, Versuch ${attempt}`
    return mayRepeat ? `${turn}, der Empfänger kann sie also mehrfach erhalten` : turn
  },
  breakerOpen: ({ integration, error }) =>
    `${integration} wird gerade nicht aufgerufen, weil die letzten Aufrufe scheiterten${saying(error)}`,
  limitReached: ({ integration }) => `ein Limit von ${integration} ist erreicht`,
  held: ({ integrations, error }) =>
    `Angehalten, bis ${integrations.join(' oder ') || 'eine Integration'} repariert ist${saying(error)}`,
  heldByDeleted: ({ integrations }, { list }) =>
    `Angehalten für ${list(integrations)}, ${integrations.length > 1 ? 'die gelöscht sind' : 'inzwischen gelöscht'}`,
  replaceDeleted:
    'Keine Reparatur gibt sie frei: eine andere Integration ihres Kanals anlegen oder sie freigeben, damit neu entschieden wird',
  deleted: ({ integrations }, { list }) => `${list(integrations)} ${integrations.length > 1 ? 'sind' : 'ist'} gelöscht`,
  failsAt: ({ until }, { time }) => `Ohne Reparatur scheitert sie um ${time(until)}`,

  by: ({ channel, integration, accepted, devices }) =>
    `per ${names[channel]} über ${integration}${devices > 1 ? `, an ${accepted} von ${devices} Geräten` : ''}`,
  notBy: ({ channels }, { list }) => `aber nicht per ${list(channels.map((channel) => names[channel]))}`,
  afterCall: ({ ms }, { duration }) => `${duration(ms)} nach dem Aufruf`,
  afterSent: ({ ms }, { duration }) => `${duration(ms)} nach dem Versand`,
  tookAt: ({ integration, attempt }) => `${integration} nahm sie beim ${attempt}. Versuch an`,
  and: 'und',
  kept: 'Das Postfach bewahrt sie auf: Nichts hat diesen Server verlassen',
  keptOf: ({ channels }, { list }) =>
    `${list(channels.map((channel) => names[channel]))} ${channels.length > 1 ? 'gingen' : 'ging'} nur an das Postfach und verließ${channels.length > 1 ? 'en' : ''} diesen Server nicht`,
  unconfirmed: 'Keine Rückmeldung bestätigt, dass sie angekommen ist',
  putOff: ({ error }) => `Der Mailserver des Empfängers hat sie aufgeschoben und versucht es weiter${saying(error)}`,
  openedByProgram: 'Nicht als geöffnet gezählt: Ein Programm hat ihre Bilder geladen',
  complained: 'Der Empfänger hat sie als Spam gemeldet',
  unsubscribed: 'Der Empfänger hat sich beim Anbieter abgemeldet',

  refused: ({ integration, error }) => `${integration} hat sie abgelehnt${saying(error)}`,
  refusedAddress: ({ integration, error }) => `${integration} hat die Adresse abgelehnt${saying(error)}`,
  failed: ({ integration, error }) => `${integration} ist gescheitert${saying(error)}`,
  bounced: ({ integration, error }) => `${integration} meldet, dass sie zurückkam${saying(error)}`,
  interrupted: ({ integration }) => `${integration} wurde während des Aufrufs unterbrochen`,
  connectionBroke: ({ integration, error }) =>
    `${integration} bekam die Nachricht übergeben, dann brach die Verbindung ab${saying(error)}`,
  noClearAnswer: ({ integration, error }) =>
    `${integration} bekam die Nachricht übergeben und gab keine klare Antwort${saying(error)}`,
  notRendered: ({ integrations, error }, { list }) =>
    `${list(integrations)} ${integrations.length > 1 ? 'hatten' : 'hatte'} nichts zu senden, weil sich der Inhalt nicht darstellen lässt${saying(error)}`,
  outOfUse: ({ integrations, error, again }, { list }) =>
    `${list(integrations)} ${integrations.length > 1 ? 'wurden' : 'wurde'} nicht ${again ? 'wieder ' : ''}aufgerufen: ${error}`,
  notCalled: ({ integration }) => `${integration} wurde nicht aufgerufen`,
  timeUp: ({ integration, error }) => `${integration} hat sie nicht rechtzeitig angenommen${saying(error)}`,
  deferredByBreaker: ({ integration }) =>
    `${integration} wurde nicht aufgerufen, weil die letzten Aufrufe gescheitert waren`,
  deferredByLimit: ({ integration }) => `${integration} wurde nicht aufgerufen, weil ihr Limit erreicht war`,
  noTurn: ({ integration }) => `${integration} kam nicht an die Reihe`,
  more: ({ count }) => `${count} weitere`,
  wouldRefuse: ({ integrations }, { list }) =>
    `${list(integrations)} kam${integrations.length > 1 ? 'en' : ''} nicht an die Reihe, weil dort dieselbe Ablehnung zu erwarten ist`,
  atMostOnce: 'Sie darf höchstens einmal gesendet werden, also folgt kein Versuch',
  preferencePlace,
  noCall: 'Kein Anbieter wurde aufgerufen',
  byMock: ({ rendered }, { list }) =>
    `${rendered.length > 0 ? `für ${list(rendered.map((channel) => names[channel]))} dargestellt, und ` : ''}kein Anbieter wurde aufgerufen, denn der Schlüssel ist ein Mock-Schlüssel`,
  nothingLeft: 'Mehr ist nicht übrig',
  wasHeld: ({ error }) => `Sie war für eine Reparatur angehalten, die nicht rechtzeitig kam${saying(error)}`,
  timeOver: ({ at }, { time }) => `Ihre Zeit war um ${time(at)} vorbei`,
  othersWithoutIntegration: 'Ihre anderen Kanäle haben keine Integration',
  notTried: (left, format) =>
    `${channelsText(left, format)} ${left.channels.length > 1 ? 'wurden' : 'wurde'} nicht versucht: ${germanWhyNotTried(left, format)}`,
  noneChosen,
  reason: ({ reason }) => reasons[reason] ?? code(reason),
}

const untried: Partial<Record<CandidateReason, string>> = {
  CHANNEL_DISABLED: 'für diese Nachricht abgeschaltet',
  EXPIRED: 'die Zeit der Nachricht war um',
  FILTERED: 'eine Bedingung ist nicht erfüllt',
  MISSING_CONFIGURATION: 'keine Integration ist eingeschaltet und vollständig',
  NO_PROVIDERS: 'es gibt keine Integration',
  OPT_IN_REQUIRED: 'der Empfänger hat nicht zugestimmt',
  SANDBOX: 'nur das Postfach bedient das, und nicht neben einer echten Integration',
  SUPPRESSED: 'gesperrte Adresse',
  TOKEN_INACTIVE: 'das Token des Geräts wird nicht mehr benutzt',
  UNAVAILABLE: 'gilt hier als ausgefallen',
  UNSUBSCRIBED: 'die Einstellungen erlauben nur andere Kanäle',
}

const reasons: Partial<Record<Reason | 'THROTTLED' | 'UNMAPPED', string>> = {
  BOUNCED: 'Der Mailserver des Empfängers hat sie zurückgeschickt',
  EXPIRED: 'Ihre Zeit war um',
  FAILED: 'Sie konnte nicht dargestellt oder übergeben werden',
  FILTERED: 'Eine Bedingung hat sie gestoppt',
  INCOMPLETE_PROFILE_DATA: 'Das Profil hat keine Adresse, die eine Integration nutzen kann',
  IN_DOUBT: 'Ein Versuch wurde unterbrochen, und sie darf höchstens einmal gesendet werden',
  NO_CHANNELS: 'Ihre Zustellwege enthalten keinen Kanal',
  NO_PROVIDERS: 'Keine Integration ihrer Kanäle ist nutzbar',
  OPT_IN_REQUIRED: 'Der Empfänger hat nicht zugestimmt',
  PROVIDER_ERROR: 'Keine Integration konnte sie zustellen',
  SUPPRESSED: 'Jede Adresse, an die sie gehen könnte, steht auf der Sperrliste',
  THROTTLED: 'Ein Sendelimit hat sie gestoppt',
  UNMAPPED: 'Ihr Ereignis führt zu keiner Vorlage',
  UNPUBLISHED: 'Die Vorlage hat keine veröffentlichte Version',
  UNSUBSCRIBED: 'Der Empfänger hat sich abgemeldet',
}

const causes: Record<Parameters<ForecastTexts['follow']>[0]['after'], string> = {
  failure: 'Scheitert das',
  failures: 'In Reserve',
  delivered: 'Scheitert das, oder wird sie nicht rechtzeitig zugestellt',
  viewed: 'Scheitert das, oder wird sie nicht rechtzeitig geöffnet',
  engaged: 'Scheitert das, oder wird kein Link darin rechtzeitig angeklickt',
}

export const germanForecast: ForecastTexts = {
  go: ({ to }) => (to === '' ? 'Ginge hinaus' : `Ginge an ${to}`),
  notYet: 'Würde noch nicht gesendet',
  breakerOpen: ({ integration, error }) =>
    `${integration} wird gerade nicht aufgerufen, weil die letzten Aufrufe scheiterten${saying(error)}`,
  limitReached: ({ integration }) => `ein Limit von ${integration} ist erreicht`,
  turnAt: ({ integration, at }, { time }) => `${integration} käme gegen ${time(at)} an die Reihe`,
  leftOut: ({ integration, at, isLimit, error }, { time }) =>
    `${integration} wird nicht vor ${time(at)} aufgerufen, denn ${isLimit ? 'ein Limit ist erreicht' : `die letzten Aufrufe scheiterten${saying(error)}`}`,
  turnAfterProbe: ({ integration }) =>
    `Gerade prüft ein Aufruf, ob ${integration} wieder geht: danach richtet sich, wann die Integration an die Reihe kommt`,
  leftOutMeanwhile: ({ integration, error }) =>
    `${integration} wird nicht aufgerufen, solange ein anderer Aufruf prüft, ob die Integration wieder geht${saying(error)}`,
  expires: 'Ihre Zeit wäre um, bevor eine Integration aufgerufen werden kann',
  probe: ({ integration, error }) =>
    `Die letzten Aufrufe von ${integration} scheiterten, und dieser Aufruf würde prüfen, ob die Integration wieder geht${saying(error)}`,
  wait: ({ until, hours }, { time }) =>
    `Würde bis ${time(until)} warten: ${hours ? 'dann öffnet ihr Zeitfenster' : 'so will es die Sendung'}`,
  joinDigest: ({ topic, until }, format) =>
    `Würde Teil der Sammelnachricht des Themas ${nameOfId('topic', topic, format)}, die bis ${format.time(until)} hinausgeht`,
  hold: ({ integrations }) =>
    `Würde angehalten, bis ${integrations.join(' oder ') || 'eine Integration'} repariert ist`,
  holdIfRejected: 'Wieder abgelehnt, würde sie für eine Reparatur angehalten',
  failAt: ({ until }, { time }) => `Ohne Reparatur scheiterte sie um ${time(until)}`,
  simulate: ({ rendered }, { list }) =>
    `Würde simuliert: ${rendered.length > 0 ? `für ${list(rendered.map((channel) => names[channel]))} dargestellt, und ` : ''}kein Anbieter würde aufgerufen, denn der Schlüssel ist ein Mock-Schlüssel`,
  preferencePlace,
  notSend: 'Würde nicht gesendet',
  notTry: (left, format) =>
    `${channelsText(left, format)} ${left.channels.length > 1 ? 'würden' : 'würde'} nicht versucht: ${germanWhyNotTried(left, format)}`,
  noneChosen,
  othersWithoutIntegration: germanSentence.othersWithoutIntegration,
  notDeliver: 'Würde nicht zugestellt',
  by: ({ channel, integration, devices }) =>
    `per ${names[channel]} über ${integration}${devices > 1 ? `, an ${devices} Geräte` : ''}`,
  and: 'und',
  follow: ({ ways, after }) =>
    `${causes[after]}: ${ways.map(({ channel, integration }) => `${names[channel]} über ${integration}`).join(', dann ')}`,
  asThingsAre: 'Nach dem Stand von jetzt',
  keep: 'Das Postfach würde sie aufbewahren: Nichts verließe diesen Server',
  keepOf: ({ channels }, { list }) =>
    `${list(channels.map((channel) => names[channel]))} ${channels.length > 1 ? 'gingen' : 'ginge'} nur an das Postfach und ${channels.length > 1 ? 'verließen' : 'verließe'} diesen Server nicht`,
  notRendered: ({ integrations, error }, { list }) =>
    `${list(integrations)} ${integrations.length > 1 ? 'hätten' : 'hätte'} nichts zu senden, weil sich der Inhalt nicht darstellen lässt${saying(error)}`,
}
