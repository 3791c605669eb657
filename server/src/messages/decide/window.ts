/** When a message may go: its opening hours, its deadline and its condition, and the time each candidate is given. */
import { nextOpening, zoneOf, zonesOf } from '../../base/time/opening-hours.ts'
import { namesOf, valueFor } from '../../providers/provider.ts'
import type { Windows } from '../facts.ts'
import type { Criterion } from '../send.ts'
import { candidateKey } from './candidates.ts'
import { unmet } from './condition.ts'
import type { DecisionInput, Permitted, RouteCandidate, Routed, StepFinding, StepResult } from './decision.ts'

export function window(value: Permitted): StepResult<StepFinding<'window'>, Permitted, Permitted> {
  const closed = closedUntil(value)
  if (closed !== undefined)
    return {
      stop: { status: 'DELAYED', until: closed, error: 'Its hours are closed' },
      explain: () => ({
        findings: [{ code: 'hours_closed', params: { until: closed } }],
        facts: { ...value.input.openingHours, until: closed },
      }),
    }
  const deadline = value.firstDue + windowsOf(value).messageMs
  if (value.now > deadline)
    return {
      stop: { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: 'The time to send this message ran out' },
      explain: () => ({ findings: [{ code: 'deadline_passed', params: { deadline } }], facts: { deadline } }),
    }
  const { condition } = value.notification
  if (condition === undefined) {
    const { firstDue, now } = value
    return {
      added: {},
      explain: () => ({
        findings: [
          firstDue > now ? { code: 'due_later', params: { until: firstDue } } : { code: 'due_now', params: {} },
        ],
        facts: { deadline },
      }),
    }
  }
  const failed = unmet(condition, 'notification.settings.if', value)
  if (failed) {
    const { error } = failed
    const outcome = error === undefined ? 'is not met' : `cannot be evaluated: ${error}`
    return {
      stop: { status: 'FILTERED', reason: 'FILTERED', error: `The condition of the notification ${outcome}` },
      explain: () => ({
        findings: [
          error === undefined
            ? { code: 'condition_unmet', params: { condition } }
            : { code: 'condition_failed', params: { condition, error } },
        ],
        facts: { deadline, condition },
      }),
    }
  }
  return {
    added: {},
    explain: () => ({ findings: [{ code: 'condition_met', params: { condition } }], facts: { deadline, condition } }),
  }
}

/** In the zone of the delay, else of the recipient in the send, else of the stored profile, else UTC. Undefined: open. */
function closedUntil({ input, profile, now }: Permitted): number | undefined {
  if (!input.openingHours) return undefined
  const { rule, timezone } = input.openingHours
  const opening = nextOpening(rule, zoneOf([timezone, ...zonesOf(profile.received), ...zonesOf(profile.merged)]), now)
  return opening === undefined || opening <= now ? undefined : opening
}

/** The nearest setting wins: of the provider or the channel, then by name or for all in the timeouts of the message. */
export function windowsOf(
  { input, facts: { windows } }: Pick<DecisionInput, 'input' | 'facts'>,
  candidate?: RouteCandidate,
): Windows {
  if (!isTimed({ input })) return windows
  const { timeouts, channels, providers } = input
  const channel = candidate && channels?.[candidate.channel]
  const provider = candidate?.integration.provider
  const providerMs =
    (provider && valueFor(provider, providers)?.providerMs) ??
    channel?.providerMs ??
    limitFor(timeouts?.providerMs, provider ? namesOf(provider) : [])
  const channelMs = channel?.channelMs ?? limitFor(timeouts?.channelMs, candidate ? [candidate.channel] : [])
  const messageMs = timeouts?.messageMs ?? windows.messageMs
  if (channelMs !== undefined) return { providerMs: providerMs ?? windows.providerMs, channelMs, messageMs }
  if (providerMs === undefined) return { ...windows, messageMs }
  // The time of the channel ends with the time of its last provider.
  return { providerMs, channelMs: Number.POSITIVE_INFINITY, messageMs, lastProviderMs: providerMs }
}

/** Whether the message may set a time limit itself. */
export const isTimed = ({ input }: Pick<DecisionInput, 'input'>): boolean =>
  input.timeouts !== undefined || input.channels !== undefined || input.providers !== undefined

function limitFor(limit: number | Readonly<Record<string, number>> | undefined, names: readonly string[]) {
  if (typeof limit === 'number' || limit === undefined) return limit
  const name = names.find((candidate) => Object.hasOwn(limit, candidate))
  return name === undefined ? undefined : limit[name]
}

/** The criterion after sending, and how long the next channel waits for it. */
export interface Escalation {
  criterion: Criterion
  waitMs(channel: string, integration: string): number
}

export function escalationOf(plan: Routed): Escalation | undefined {
  const { timeouts } = plan.input
  if (!timeouts?.criterion) return undefined
  // By integration: its devices have the same time.
  const byKey = new Map(
    plan.candidates.map((candidate) => [candidateKey(candidate.channel, candidate.integration.id), candidate]),
  )
  return {
    criterion: timeouts.criterion,
    waitMs(channel, integration) {
      const { channelMs, lastProviderMs } = windowsOf(plan, byKey.get(candidateKey(channel, integration)))
      return timeouts.escalationMs ?? lastProviderMs ?? channelMs
    },
  }
}
