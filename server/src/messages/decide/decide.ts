/** The decision: a pure function of a message, its facts and the time. Delivering and explaining call the same one. */
import type { Candidate, DecisionStep } from '@postrider/contract'
import { during } from '../../base/activity.ts'
import { budgetOf } from '../../base/budget.ts'
import { standStill } from '../../base/failpoint.ts'
import { copyWith } from '../../base/perf/copy-with.ts'
import { quoted } from '../../base/quote.ts'
import { iso } from '../../base/time/clock.ts'
import { aboutOf, documentEntries, type ResolvedPreferences, resolvePreferences } from '../../preferences/precedence.ts'
import type { DigestFacts, Facts, PreferenceOrigin } from '../facts.ts'
import { CONDITIONS_SHARE } from './condition.ts'
import {
  type BudgetedInput,
  type DecisionInput,
  type DigestStop,
  type Ending,
  type Mapped,
  optedOut,
  type PartialPlan,
  type Permitted,
  type Postponement,
  type Profiled,
  type Routed,
  type StepExplanation,
  type StepResult,
} from './decision.ts'
import { mergedProfileOf, storedProfileOf } from './merged-profile.ts'
import { route } from './route.ts'
import { describeUnresolved, unresolvedTenant, unresolvedTopic } from './unresolved-references.ts'
import { window } from './window.ts'

/** One step as it ran. */
interface StepTrace extends Pick<DecisionStep, 'step' | 'outcome'> {
  explain(): StepExplanation
}

export const describeStep = ({ step, outcome, explain }: StepTrace): DecisionStep => ({ step, outcome, ...explain() })

/** `plan` is the value as far as the steps came. */
export type Decision = Reasons & ({ kind: 'routed'; plan: Routed } | Ended)

interface Reasons {
  trace: readonly StepTrace[]
  considered: readonly Candidate[]
}

type Ended =
  | { kind: 'stopped'; stop: Ending; plan: PartialPlan }
  | { kind: 'paused'; stop: Postponement; plan: PartialPlan }
  | { kind: 'digested'; stop: DigestStop; plan: PartialPlan }

export function decide(decisionInput: DecisionInput): Decision {
  const trace: StepTrace[] = []
  const start: BudgetedInput = copyWith(decisionInput, { conditionBudget: budgetOf(CONDITIONS_SHARE) })
  const mapped = pass('map', map, start, trace)
  if ('kind' in mapped) return mapped
  const profiled = pass('profile', profile, mapped, trace)
  if ('kind' in profiled) return profiled
  const permitted = pass('preferences', preferences, profiled, trace)
  if ('kind' in permitted) return permitted
  const due = pass('window', window, permitted, trace)
  if ('kind' in due) return due
  const plan = pass('route', route, due, trace)
  if ('kind' in plan) return plan
  return { kind: 'routed', plan, trace, considered: plan.considered }
}

/** The value with what the step adds to it, or the decision that the step ends with. */
function pass<Before extends BudgetedInput, After extends Before>(
  name: DecisionStep['step'],
  step: (value: Before) => StepResult<Before, After>,
  value: Before,
  trace: StepTrace[],
): After | (Reasons & Ended) {
  const result = step(value)
  const isStopped = 'stop' in result
  trace.push({ step: name, outcome: isStopped ? 'stopped' : 'passed', explain: result.explain })
  // One object grows through the steps: a copy for each of them would cost several µs a message.
  if (!isStopped) return Object.assign(value, result.added) as unknown as After
  const { stop, considered = [] } = result
  if (stop.status === 'DELAYED') return { kind: 'paused', stop, plan: value, trace, considered }
  if (stop.status === 'DIGESTED') return { kind: 'digested', stop, plan: value, trace, considered }
  return { kind: 'stopped', stop, plan: value, trace, considered }
}

/** The same for a message in processing, which the watchdog names meanwhile. */
export function decideMessage(decisionInput: DecisionInput): Decision {
  return during('message', decisionInput.messageId, 'deciding', () => {
    standStill(decisionInput.input.recipient)
    return decide(decisionInput)
  })
}

/** MAPPED: the event leads to a notification and to one version of it. */
function map(decisionInput: BudgetedInput): StepResult<BudgetedInput, Mapped> {
  const { input } = decisionInput
  const event = input.template ?? input.event
  const { mapping } = decisionInput.facts
  if (!mapping) return unmapped(event, input.template !== undefined)
  const kind = input.template === undefined ? 'event' : 'template'
  const { notificationId, notification } = mapping
  if (input.content && notification)
    return {
      added: { notification },
      explain: () => ({ summary: 'The content came with the send.', facts: { event } }),
    }
  if (!notification)
    return {
      stop: { status: 'UNROUTABLE', reason: 'UNPUBLISHED', error: 'Notification is not published' },
      explain: () => ({
        summary: `The notification ${quoted(notificationId)} has no published version.`,
        facts: { event, notification_id: notificationId },
      }),
    }
  const version = `v${notification.version}`
  return {
    added: { notification },
    explain: () => ({
      summary: `The ${kind} ${quoted(event)} leads to the notification ${quoted(notificationId)}, version ${version}.`,
      facts: { event, notification_id: notificationId, version },
    }),
  }
}

function unmapped(event: string, isTemplate: boolean): StepResult<BudgetedInput, Mapped> {
  const error = isTemplate
    ? `Unknown template ${quoted(event)}`
    : `Event not mapped to a notification: ${quoted(event)}`
  const summary = isTemplate ? `${error}.` : `Unknown event ${quoted(event)}.`
  return { stop: { status: 'UNMAPPED', error }, explain: () => ({ summary, facts: { event } }) }
}

/** PROFILE_LOADED: the profiles of the tenants, of the recipient, of the membership and of the send, merged in this order. */
export function profile(value: Mapped): StepResult<Mapped, Profiled> {
  const received = value.input.profile ?? {}
  const known = storedProfileOf(value.facts)
  const stored = known ?? {}
  const merged = mergedProfileOf(value.input, value.facts)
  return {
    added: { profile: { received, stored, merged } },
    explain: () => ({
      summary: known
        ? `The stored profile was merged with the one of the send.${describeTenant(value)}`
        : `No profile is stored; the one of the send is used.${describeTenant(value)}`,
      facts: {
        stored: known !== undefined,
        keys: Object.keys(merged),
        ...(value.facts.tenant && { tenant: value.facts.tenant.id }),
      },
    }),
  }
}

function describeTenant({ input, facts }: Mapped): string {
  if (facts.tenant) return ` The tenant ${quoted(facts.tenant.id)} contributes to it.`
  return unresolvedTenant(input, facts.tenant)
    .map((unresolved) => ` ${describeUnresolved(unresolved)}`)
    .join('')
}

const notOptedIn: Ending = {
  status: 'UNDELIVERABLE',
  reason: 'OPT_IN_REQUIRED',
  error: 'Notification not opted in to by user',
}

/** Whether preferences allow this notification, and on which channels. */
function preferences(value: Profiled): StepResult<Profiled, Permitted> {
  const { input, notification, facts, now } = value
  const ofSend = documentEntries('send', input.preferences, aboutOf(input, notification))
  const entries = [...ofSend, ...facts.preferences]
  const resolved = resolvePreferences(entries, now)
  const endless = entries.find(({ endlessSnooze }) => endlessSnooze)?.source
  const { verdict, channelsBy, channelsYield } = resolved
  const explain = () => ({
    summary: describePreferences(resolved, facts) + (endless ? ' A snooze without an end has no effect.' : ''),
    facts: { ...factsOf(resolved, value), ...(endless && { endless_snooze: endless }) },
  })
  if (verdict !== 'allowed') return { stop: verdict === 'not_opted_in' ? notOptedIn : optedOut, explain }
  const { digest } = facts
  if (digest)
    return {
      stop: { status: 'DIGESTED', digest },
      explain: () => ({ ...explain(), summary: describeDigest(digest) }),
    }
  return {
    added: { chosenChannels: channelsBy?.channels, ...(channelsYield && { channelsYield }) },
    explain,
  }
}

const describeDigest = ({ topicId, until }: DigestFacts) =>
  `It is kept for the digest of the topic ${quoted(topicId)}, until ${iso(until)} at the latest.`

const describePreferences = (resolved: ResolvedPreferences, facts: Facts): string =>
  [describeVerdict(resolved), ...unresolvedTopic(facts).map(describeUnresolved)].join(' ')

function describeVerdict({ verdict, by, until, channelsBy }: ResolvedPreferences): string {
  if (verdict === 'opted_out') return describeOptOut(by?.change)
  if (verdict === 'not_opted_in') return 'It is only for those who opted in, and the recipient did not.'
  if (verdict === 'snoozed' && until !== undefined) return `The recipient snoozed it until ${iso(until)}.`
  if (channelsBy) return `Preferences allow only ${channelsBy.channels.join(', ')}.`
  if (by?.status === 'REQUIRED') return 'It is sent whatever the recipient chose.'
  return by ? 'Preferences allow it.' : 'No preference applies.'
}

function describeOptOut(change: PreferenceOrigin | undefined): string {
  if (!change) return 'The recipient opted out.'
  const { source, actor, message_id } = change
  const at = `, ${iso(change.at)}`
  const where = message_id === null ? '' : ` of the message ${quoted(message_id)}`
  if (source === 'one_click') return `The recipient unsubscribed by one click in the header${where}${at}.`
  if (source === 'page') return `The recipient opted out on the page of preferences, by a link${where}${at}.`
  return `The recipient opted out, by ${actor}${at}.`
}

/** `source` is where the status comes from, else the channels. */
function factsOf(
  { by, until, channelsBy }: ResolvedPreferences,
  { input, notification, facts: { missingTopic } }: Profiled,
) {
  const deciding = by ?? channelsBy
  const missing = missingTopic === undefined ? {} : { missing_topic: missingTopic }
  if (!deciding) return missing
  const topic = input.topic ?? notification.topic
  return {
    source: deciding.source,
    ...(by?.status !== undefined && { status: by.status }),
    ...(by?.change && { change: { ...by.change, at: iso(by.change.at) } }),
    ...(until !== undefined && { snoozed_until: until }),
    ...(channelsBy && { channels: channelsBy.channels, channels_source: channelsBy.source }),
    ...(deciding.tenant !== undefined && { tenant_id: deciding.tenant }),
    ...(topic !== undefined && { topic_id: topic }),
    ...missing,
  }
}
