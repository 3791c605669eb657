/** The clauses of the sentence about a message, in English. Another language has the same keys. */
import type { CandidateReason, Channel, Reason } from './generated.ts'
import {
  type ChannelChoice,
  capitalized,
  channelChoiceText,
  channels,
  code,
  decapitalized,
  nameOfId,
  preferencePlace,
  type SentenceFormat,
  saying,
  sourceText,
} from './sentence-format.ts'
import type { ChannelsNotTried } from './sentence-parts.ts'
import { suppressionReasons } from './steps.ts'

type Texts = Record<string, string | ((params: never, format: SentenceFormat) => string)>

interface Failure {
  integration: string
  /** Empty where the reader does not see it. */
  error: string
}

interface Turn {
  integration: string
  at: number
  attempt: number
  /** An earlier attempt may have arrived. */
  mayRepeat: boolean
}

const texts = {
  accepted: 'Accepted, and not yet decided',
  onItsWay: 'On its way',
  notSentYet: 'Not sent yet',
  notSent: 'Not sent',
  notDelivered: 'Not delivered',
  inDoubt: 'It is not known whether it was sent',
  mayHaveArrived: 'An earlier attempt may have arrived',
  sent: 'Sent',
  delivered: 'Delivered',
  opened: 'Opened',
  clicked: 'A link in it was clicked',
  simulated: 'Simulated',

  waits: ({ until }: { until: number }, { time }) => `Waits until ${time(until)}`,
  asSent: 'the send says so',
  /** `source`: `key/<name>`, or `operator`. */
  paused: ({ at, source }: { at: number; source: string | undefined }, format) =>
    `Paused at ${format.time(at)}${source === undefined ? '' : ` by ${sourceText(source, format)}`}: it goes on when its request is resumed`,
  deliveriesPaused: ({ since }: { since: number }, { time }) =>
    `deliveries have been paused since ${time(since)}, and nothing is sent until they are resumed`,
  hours: 'its hours begin then',
  inDigest: ({ topic, until }: { topic: string; until: number }, format) =>
    `Part of the digest of the topic ${nameOfId('topic', topic, format)}, which goes out by ${format.time(until)}`,
  /** `source`: `key/<name>`, or `erasure`. */
  canceled: ({ ms, source }: { ms: number; source: string | undefined }, format) => {
    const by = source === undefined || source === 'erasure' ? '' : ` by ${sourceText(source, format)}`
    return `Canceled${by} ${format.duration(ms)} after the call${source === 'erasure' ? ', as the person was erased' : ''}`
  },

  calling: ({ integration }: { integration: string }) => `${integration} is being called`,
  calledNext: ({ integration }: { integration: string }) => `${integration} is called next`,
  calledAgain: ({ integration, at, attempt, mayRepeat }: Turn, { time }) => {
    const turn =
      attempt === 1
        ? `${integration} is called at ${time(at)}`
        : `${integration} is called again at ${time(at)}, attempt ${attempt}`
    return mayRepeat ? `${turn}, so the recipient may get it more than once` : turn
  },
  breakerOpen: ({ integration, error }: Failure) =>
    `${integration} is not called now, because its latest calls failed${saying(error)}`,
  limitReached: ({ integration }: Failure) => `a limit of ${integration} is reached`,
  held: ({ integrations, error }: { integrations: readonly string[]; error: string }) =>
    `Held until ${integrations.join(' or ') || 'an integration'} is repaired${saying(error)}`,
  heldByDeleted: ({ integrations }: { integrations: readonly string[] }, { list }) =>
    `Held for ${list(integrations)}, which ${integrations.length > 1 ? 'have' : 'has'} been deleted`,
  replaceDeleted:
    'No repair releases it: add another integration of its channel, or release it, so that it is decided again',
  deleted: ({ integrations }: { integrations: readonly string[] }, { list }) =>
    `${list(integrations)} ${integrations.length > 1 ? 'have' : 'has'} been deleted`,
  failsAt: ({ until }: { until: number }, { time }) => `Without a repair it fails at ${time(until)}`,

  by: ({ channel, integration, accepted, devices }: { channel: Channel; integration: string } & Counted) =>
    `by ${channels[channel]} through ${integration}${devices > 1 ? `, to ${accepted} of ${devices} devices` : ''}`,
  /** Beside the channels that have it. */
  notBy: ({ channels: names }: { channels: readonly Channel[] }, { list }) =>
    `but not by ${list(names.map((channel) => channels[channel]))}`,
  afterCall: ({ ms }: { ms: number }, { duration }) => `${duration(ms)} after the call`,
  afterSent: ({ ms }: { ms: number }, { duration }) => `${duration(ms)} after it was sent`,
  tookAt: ({ integration, attempt }: { integration: string; attempt: number }) =>
    `${integration} took it at attempt ${attempt}`,
  and: 'and',
  kept: 'The mailbox keeps it: nothing left this server',
  /** Beside integrations that sent it. */
  keptOf: ({ channels: names }: { channels: readonly Channel[] }, { list }) =>
    `${capitalized(list(names.map((channel) => channels[channel])))} ${names.length > 1 ? 'were' : 'was'} delivered to the mailbox only, and did not leave this server`,
  unconfirmed: 'No receipt confirms that it arrived',
  putOff: ({ error }: { error: string }) =>
    `The mail server of the recipient has put it off and keeps trying${saying(error)}`,
  openedByProgram: 'Not counted as opened: a program fetched its pictures',
  complained: 'The recipient reported it as spam',
  unsubscribed: 'The recipient unsubscribed at the provider',

  refused: ({ integration, error }: Failure) => `${integration} refused it${saying(error)}`,
  refusedAddress: ({ integration, error }: Failure) => `${integration} refused the address${saying(error)}`,
  failed: ({ integration, error }: Failure) => `${integration} failed${saying(error)}`,
  bounced: ({ integration, error }: Failure) => `${integration} reported a bounce${saying(error)}`,
  interrupted: ({ integration }: Failure) => `${integration} was interrupted while it was called`,
  connectionBroke: ({ integration, error }: Failure) =>
    `${integration} was handed the message, and then the connection broke${saying(error)}`,
  noClearAnswer: ({ integration, error }: Failure) =>
    `${integration} was handed the message, and gave no clear answer${saying(error)}`,
  notRendered: ({ integrations, error }: { integrations: readonly string[]; error: string }, { list }) =>
    `${list(integrations)} had nothing to send, because the content cannot be rendered${saying(error)}`,
  /** The words of the server. `again`: it had been called. */
  outOfUse: (
    { integrations, error, again }: { integrations: readonly string[]; error: string; again: boolean },
    { list },
  ) =>
    `${list(integrations)} ${integrations.length > 1 ? 'were' : 'was'} not called${again ? ' again' : ''}: ${decapitalized(error)}`,
  notCalled: ({ integration }: Failure) => `${integration} was not called`,
  timeUp: ({ integration, error }: Failure) => `${integration} did not take it in time${saying(error)}`,
  deferredByBreaker: ({ integration }: { integration: string }) =>
    `${integration} was not called, because its latest calls had failed`,
  deferredByLimit: ({ integration }: { integration: string }) =>
    `${integration} was not called, because a limit of it was reached`,
  noTurn: ({ integration }: Failure) => `${integration} had no turn`,
  more: ({ count }: { count: number }) => `${count} more`,
  wouldRefuse: ({ integrations }: { integrations: readonly string[] }, { list }) =>
    `${list(integrations)} had no turn, because the same rejection is expected there`,
  atMostOnce: 'It may be sent at most once, so no attempt follows',
  preferencePlace,
  noCall: 'No provider was called',
  byMock: ({ rendered }: { rendered: readonly Channel[] }, { list }) =>
    `${rendered.length > 0 ? `rendered for ${list(rendered.map((channel) => channels[channel]))}, and ` : ''}no provider was called, because the key is a mock key`,
  nothingLeft: 'Nothing else is left',
  wasHeld: ({ error }: { error: string }) => `It was held for a repair that did not come in time${saying(error)}`,
  timeOver: ({ at }: { at: number }, { time }) => `Its time was over at ${time(at)}`,
  othersWithoutIntegration: 'Its other channels have no integration',
  notTried: (left: ChannelsNotTried, format) =>
    `${channelsText(left, format)} ${left.channels.length > 1 ? 'were' : 'was'} not tried: ${whyNotTried(left, format)}`,
  noneChosen: ({ choice }: { choice: ChannelChoice }, format) =>
    `${capitalized(channelChoiceText(choice, format))}, which its routing does not have`,
  reason: ({ reason }: { reason: Reason | 'THROTTLED' | 'UNMAPPED' }) => reasons[reason] ?? code(reason),
} satisfies Texts

interface Counted {
  accepted: number
  devices: number
}

/** The choice of some channels leaves out all others: of many it is enough to say so. */
const NAMED_BESIDE_CHOICE_MAX = 2

export const channelsText = ({ channels: names, choice }: ChannelsNotTried, { list }: SentenceFormat): string =>
  choice && names.length > NAMED_BESIDE_CHOICE_MAX
    ? 'Its other channels'
    : capitalized(list(names.map((channel) => channels[channel])))

export function whyNotTried(
  { channels: names, reason, choice, suppression }: ChannelsNotTried,
  format: SentenceFormat,
): string {
  if (choice) return channelChoiceText(choice, format)
  if (suppression)
    return `the address has been suppressed since ${format.time(suppression.created)} (${suppressionReasons[suppression.reason]})`
  if (reason === 'INCOMPLETE_PROFILE_DATA') return format.list(names.map((channel) => missing[channel]))
  return untried[reason] ?? code(reason)
}

/** Also of a value that cannot be used. */
const missing: Record<Channel, string> = {
  email: 'no usable email address in the profile',
  sms: 'no usable phone number in the profile',
  push: 'no usable token of a device',
  direct_message: 'no usable address for chat in the profile',
  inbox: 'no user id',
  webhook: 'no usable webhook in the profile',
}

/** Why no candidate of a channel was chosen. */
const untried: Partial<Record<CandidateReason, string>> = {
  CHANNEL_DISABLED: 'switched off for this message',
  EXPIRED: 'the time of the message was over',
  FILTERED: 'a condition is not met',
  MISSING_CONFIGURATION: 'no integration is switched on and complete',
  NO_PROVIDERS: 'there is no integration',
  OPT_IN_REQUIRED: 'the recipient has not opted in',
  SANDBOX: 'only the mailbox serves it, and not beside a real integration',
  SUPPRESSED: 'suppressed address',
  TOKEN_INACTIVE: 'the token of the device is no longer in use',
  UNAVAILABLE: 'it counts as down here',
  UNSUBSCRIBED: 'the preferences allow only other channels',
}

/** For a message that no provider was called for, and whose decision is not known any more. */
const reasons: Partial<Record<Reason | 'THROTTLED' | 'UNMAPPED', string>> = {
  BOUNCED: 'The mail server of the recipient sent it back',
  EXPIRED: 'Its time was over',
  FAILED: 'It could not be rendered or handed over',
  FILTERED: 'A condition stopped it',
  INCOMPLETE_PROFILE_DATA: 'The profile has no address that an integration can use',
  IN_DOUBT: 'An attempt was interrupted, and it may be sent at most once',
  NO_CHANNELS: 'Its routing has no channel',
  NO_PROVIDERS: 'No integration of its channels can be used',
  OPT_IN_REQUIRED: 'The recipient has not opted in',
  PROVIDER_ERROR: 'No integration could deliver it',
  SUPPRESSED: 'Each address that it could go to is suppressed',
  THROTTLED: 'A send limit stopped it',
  UNMAPPED: 'Its event leads to no template',
  UNPUBLISHED: 'The template has no published version',
  UNSUBSCRIBED: 'The recipient opted out',
}

export const english = texts
/** The clauses of another language. */
export type SentenceTexts = typeof texts
