/** The clauses of the sentence about a send that is not made yet, in English. Another language has the same keys. */
import type { Channel } from './generated.ts'
import { capitalized, channels, nameOfId, preferencePlace, type SentenceFormat, saying } from './sentence-format.ts'
import type { ChannelsNotTried } from './sentence-parts.ts'
import { channelsText, english, whyNotTried } from './sentence-texts.ts'

type Texts = Record<string, string | ((params: never, format: SentenceFormat) => string)>

/** A channel and an integration, and to how many devices of the recipient; 0 without devices. */
interface Way {
  channel: Channel
  integration: string
  devices: number
}

interface Refusing {
  integration: string
  /** Empty where the reader does not see it. */
  error: string
}

/** The cause for another way: a failure, several ones of which it is not said here which, or a status that is not reached. */
type Cause = 'failure' | 'failures' | 'delivered' | 'viewed' | 'engaged'

const causes: Record<Cause, string> = {
  failure: 'If that fails',
  failures: 'In reserve',
  delivered: 'If that fails, or it is not delivered in time',
  viewed: 'If that fails, or it is not opened in time',
  engaged: 'If that fails, or no link in it is clicked in time',
}

const texts = {
  go: ({ to }: { to: string }) => (to === '' ? 'Would go' : `Would go to ${to}`),
  notYet: 'Would not be sent yet',
  breakerOpen: ({ integration, error }: Refusing) =>
    `${integration} is not called now, because its latest calls failed${saying(error)}`,
  limitReached: ({ integration }: Refusing) => `a limit of ${integration} is reached`,
  turnAt: ({ integration, at }: { integration: string; at: number }, { time }) =>
    `${integration} would have its turn at about ${time(at)}`,
  leftOut: ({ integration, at, isLimit, error }: Refusing & { at: number; isLimit: boolean }, { time }) =>
    `${integration} is not called before ${time(at)}, because ${isLimit ? 'a limit of it is reached' : `its latest calls failed${saying(error)}`}`,
  turnAfterProbe: ({ integration }: { integration: string }) =>
    `A call is testing whether ${integration} works again, which decides when its turn comes`,
  leftOutMeanwhile: ({ integration, error }: Refusing) =>
    `${integration} is not called while another call tests whether it works again${saying(error)}`,
  expires: 'Its time would be over before an integration can be called',
  probe: ({ integration, error }: Refusing) =>
    `The latest calls of ${integration} failed, and this call would test whether it works again${saying(error)}`,
  wait: ({ until, hours }: { until: number; hours: boolean }, { time }) =>
    `Would wait until ${time(until)}: ${hours ? 'its hours begin then' : 'the send says so'}`,
  joinDigest: ({ topic, until }: { topic: string; until: number }, format) =>
    `Would become part of the digest of the topic ${nameOfId('topic', topic, format)}, which goes out by ${format.time(until)}`,
  hold: ({ integrations }: { integrations: readonly string[] }) =>
    `Would be held until ${integrations.join(' or ') || 'an integration'} is repaired`,
  holdIfRejected: 'Refused again, it would be held for a repair',
  failAt: ({ until }: { until: number }, { time }) => `Without a repair it would fail at ${time(until)}`,
  simulate: ({ rendered }: { rendered: readonly Channel[] }, { list }) =>
    `Would be simulated: ${rendered.length > 0 ? `rendered for ${list(rendered.map((channel) => channels[channel]))}, and ` : ''}no provider would be called, because the key is a mock key`,
  preferencePlace,
  notSend: 'Would not be sent',
  notTry: (left: ChannelsNotTried, format) =>
    `${channelsText(left, format)} would not be tried: ${whyNotTried(left, format)}`,
  noneChosen: english.noneChosen,
  othersWithoutIntegration: english.othersWithoutIntegration,
  notDeliver: 'Would not be delivered',
  by: ({ channel, integration, devices }: Way) =>
    `by ${channels[channel]} through ${integration}${devices > 1 ? `, to ${devices} devices` : ''}`,
  and: 'and',
  follow: ({ ways, after }: { ways: readonly Way[]; after: Cause }) =>
    `${causes[after]}: ${ways.map(({ channel, integration }) => `${channels[channel]} through ${integration}`).join(', then ')}`,
  asThingsAre: 'As things are now',
  keep: 'The mailbox would keep it: nothing would leave this server',
  /** Beside integrations that would send it. */
  keepOf: ({ channels: names }: { channels: readonly Channel[] }, { list }) =>
    `${capitalized(list(names.map((channel) => channels[channel])))} would go to the mailbox only, and not leave this server`,
  notRendered: ({ integrations, error }: { integrations: readonly string[]; error: string }, { list }) =>
    `${list(integrations)} would have nothing to send, because the content cannot be rendered${saying(error)}`,
} satisfies Texts

export const englishForecast = texts
/** The clauses of another language. */
export type ForecastTexts = typeof texts
