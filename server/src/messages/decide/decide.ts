/** The decision: a pure function of a message, its facts and the time. Delivering and explaining call the same one. */
import type { Candidate, DecisionFinding, DecisionStep } from '@postrider/contract'
import { during } from '../../base/activity.ts'
import { budgetOf } from '../../base/budget.ts'
import { standStill } from '../../base/failpoint.ts'
import { copyWith } from '../../base/perf/copy-with.ts'
import { quoted } from '../../base/quote.ts'
import { iso } from '../../base/time/clock.ts'
import { aboutOf, documentEntries, type ResolvedPreferences, resolvePreferences } from '../../preferences/precedence.ts'
import type { PreferenceOrigin } from '../facts.ts'
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
  type StepFinding,
  type StepResult,
} from './decision.ts'
import { describeFindings } from './findings.ts'
import { profile } from './profile.ts'
import { route } from './route.ts'
import { unresolvedTopic } from './unresolved-references.ts'
import { window } from './window.ts'

/** One step as it ran. */
export interface StepTrace extends Pick<DecisionStep, 'step' | 'outcome'> {
  explain(): StepExplanation
}

export function describeStep({ step, outcome, explain }: StepTrace): DecisionStep {
  const { findings, facts } = explain()
  return { step, outcome, ...describeFindings(findings), facts }
}

/** `plan` is the value as far as the steps came. */
export type Decision = Reasons & ({ kind: 'routed'; plan: Routed } | Ended)

export type DecisionOf<Kind extends Decision['kind']> = Extract<Decision, { kind: Kind }>

interface Reasons {
  trace: readonly StepTrace[]
  considered: readonly Candidate[]
}

type Ended =
  | { kind: 'stopped'; stop: Ending; plan: PartialPlan }
  | { kind: 'postponed'; stop: Postponement; plan: PartialPlan }
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
  step: (value: Before) => StepResult<DecisionFinding, Before, After>,
  value: Before,
  trace: StepTrace[],
): After | (Reasons & Ended) {
  const result = step(value)
  const isStopped = 'stop' in result
  trace.push({ step: name, outcome: isStopped ? 'stopped' : 'passed', explain: result.explain })
  // One object grows through the steps: a copy for each of them would cost several µs a message.
  if (!isStopped) return Object.assign(value, result.added) as unknown as After
  const { stop, considered = [] } = result
  if (stop.status === 'DELAYED') return { kind: 'postponed', stop, plan: value, trace, considered }
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
function map(decisionInput: BudgetedInput): StepResult<StepFinding<'map'>, BudgetedInput, Mapped> {
  const { input } = decisionInput
  const event = input.template ?? input.event
  const { mapping } = decisionInput.facts
  if (!mapping) return unmapped(event, input.template !== undefined)
  const { notificationId, notification } = mapping
  if (input.content && notification)
    return {
      added: { notification },
      explain: () => ({ findings: [{ code: 'content_inline', params: {} }], facts: { event } }),
    }
  if (!notification)
    return {
      stop: { status: 'UNROUTABLE', reason: 'UNPUBLISHED', error: 'Notification is not published' },
      explain: () => ({
        findings: [{ code: 'notification_unpublished', params: { notification_id: notificationId } }],
        facts: { event, notification_id: notificationId },
      }),
    }
  const version = `v${notification.version}`
  return {
    added: { notification },
    explain: () => ({
      findings: [
        input.template === undefined
          ? { code: 'event_mapped', params: { event, notification_id: notificationId, version } }
          : { code: 'template_mapped', params: { template: event, notification_id: notificationId, version } },
      ],
      facts: { event, notification_id: notificationId, version },
    }),
  }
}

function unmapped(event: string, isTemplate: boolean): StepResult<StepFinding<'map'>, BudgetedInput, Mapped> {
  const error = isTemplate
    ? `Unknown template ${quoted(event)}`
    : `Event not mapped to a notification: ${quoted(event)}`
  return {
    stop: { status: 'UNMAPPED', error },
    explain: () => ({
      findings: [
        isTemplate
          ? { code: 'template_unknown', params: { template: event } }
          : { code: 'event_unknown', params: { event } },
      ],
      facts: { event },
    }),
  }
}

const notOptedIn: Ending = {
  status: 'UNDELIVERABLE',
  reason: 'OPT_IN_REQUIRED',
  error: 'Notification not opted in to by user',
}

/** Whether preferences allow this notification, and on which channels. */
function preferences(value: Profiled): StepResult<StepFinding<'preferences'>, Profiled, Permitted> {
  const { input, notification, facts, now } = value
  const ofSend = documentEntries('send', input.preferences, aboutOf(input, notification))
  const entries = [...ofSend, ...facts.preferences]
  const resolved = resolvePreferences(entries, now)
  const endless = entries.find(({ endlessSnooze }) => endlessSnooze)?.source
  const { verdict, channelsBy, channelsYield } = resolved
  const explain = (): StepExplanation<StepFinding<'preferences'>> => ({
    findings: [
      verdictFinding(resolved),
      ...unresolvedTopic(facts),
      ...(endless ? [{ code: 'endless_snooze' as const, params: {} }] : []),
    ],
    facts: { ...factsOf(resolved, value), ...(endless && { endless_snooze: endless }) },
  })
  if (verdict !== 'allowed') return { stop: verdict === 'not_opted_in' ? notOptedIn : optedOut, explain }
  const { digest } = facts
  if (digest)
    return {
      stop: { status: 'DIGESTED', digest },
      explain: () => ({
        findings: [{ code: 'digested', params: { topic_id: digest.topicId, until: digest.until } }],
        facts: explain().facts,
      }),
    }
  return {
    added: { chosenChannels: channelsBy?.channels, ...(channelsYield && { channelsYield }) },
    explain,
  }
}

function verdictFinding({ verdict, by, until, channelsBy }: ResolvedPreferences): StepFinding<'preferences'> {
  if (verdict === 'opted_out') return optOutFinding(by?.change)
  if (verdict === 'not_opted_in') return { code: 'not_opted_in', params: {} }
  if (verdict === 'snoozed' && until !== undefined) return { code: 'snoozed', params: { until } }
  if (channelsBy) return { code: 'channels_limited', params: { channels: [...channelsBy.channels] } }
  if (by?.status === 'REQUIRED') return { code: 'required', params: {} }
  return { code: by ? 'preferences_allow' : 'no_preference', params: {} }
}

function optOutFinding(change: PreferenceOrigin | undefined): StepFinding<'preferences'> {
  if (!change) return { code: 'opted_out', params: {} }
  const { source, actor, message_id, at } = change
  const ofLink = { at, ...(message_id !== null && { message_id }) }
  if (source === 'one_click') return { code: 'opted_out_by_one_click', params: ofLink }
  if (source === 'page') return { code: 'opted_out_on_page', params: ofLink }
  return { code: 'opted_out_by_actor', params: { actor, at } }
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
