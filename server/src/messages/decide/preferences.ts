/** Whether the recipient wants this notification, and on which channels. */

import { quoted } from '../../base/quote.ts'
import { iso } from '../../base/time/timestamp.ts'
import { aboutOf, documentLayers } from '../../preferences/precedence.ts'
import { type ResolvedPreferences, resolvePreferences } from '../../preferences/resolve.ts'
import type { DigestFacts, Facts } from '../facts.ts'
import type { Ending, Permitted, Profiled, StepResult } from './decision.ts'
import { describeUnresolved, unresolvedTopic } from './unresolved-references.ts'

export const optedOut: Ending = {
  status: 'UNDELIVERABLE',
  reason: 'UNSUBSCRIBED',
  error: 'Notification opted out by user',
}

const notOptedIn: Ending = {
  status: 'UNDELIVERABLE',
  reason: 'OPT_IN_REQUIRED',
  error: 'Notification not opted in to by user',
}

export function preferences(value: Profiled): StepResult<Profiled, Permitted> {
  const { input, notification, facts, now } = value
  const said = documentLayers('send', input.preferences, aboutOf(input, notification))
  const layers = [...said, ...facts.preferences]
  const standing = resolvePreferences(layers, now)
  const endless = layers.find(({ endlessSnooze }) => endlessSnooze)?.source
  const { verdict, channelsBy, channelsYield } = standing
  const explain = () => ({
    summary: inWords(standing, facts) + (endless ? ' A snooze without an end has no effect.' : ''),
    facts: { ...shown(standing, value), ...(endless && { endless_snooze: endless }) },
  })
  if (verdict !== 'wanted') return { stop: verdict === 'not_opted_in' ? notOptedIn : optedOut, explain }
  const { digest } = facts
  if (digest)
    return {
      stop: { status: 'DIGESTED', digest },
      explain: () => ({ ...explain(), summary: collectedInWords(digest) }),
    }
  return {
    added: { wantedChannels: channelsBy?.channels, ...(channelsYield && { channelsYield }) },
    explain,
  }
}

const collectedInWords = ({ topicId, until }: DigestFacts) =>
  `It is kept for the digest of the topic ${quoted(topicId)}, until ${iso(until)} at the latest.`

const inWords = (standing: ResolvedPreferences, facts: Facts): string =>
  [verdictInWords(standing), ...unresolvedTopic(facts).map(describeUnresolved)].join(' ')

function verdictInWords({ verdict, by, until, channelsBy }: ResolvedPreferences): string {
  if (verdict === 'opted_out') return 'The recipient opted out.'
  if (verdict === 'not_opted_in') return 'It is only for those who opted in, and the recipient did not.'
  if (verdict === 'snoozed' && until !== undefined) return `The recipient wants none before ${iso(until)}.`
  if (channelsBy) return `The recipient wants it only by ${channelsBy.channels.join(', ')}.`
  if (by?.status === 'REQUIRED') return 'It is sent whatever the recipient chose.'
  return by ? 'The recipient wants it.' : 'No preference applies.'
}

/** `source` is where the status comes from, else the channels. */
function shown(
  { by, until, channelsBy }: ResolvedPreferences,
  { input, notification, facts: { missingTopic } }: Profiled,
) {
  const heard = by ?? channelsBy
  const missing = missingTopic === undefined ? {} : { missing_topic: missingTopic }
  if (!heard) return missing
  const topic = input.topic ?? notification.topic
  return {
    source: heard.source,
    ...(by?.status !== undefined && { status: by.status }),
    ...(until !== undefined && { snoozed_until: until }),
    ...(channelsBy && { channels: channelsBy.channels, channels_source: channelsBy.source }),
    ...(heard.tenant !== undefined && { tenant_id: heard.tenant }),
    ...(topic !== undefined && { topic_id: topic }),
    ...missing,
  }
}
