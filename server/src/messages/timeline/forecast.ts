/** The forecast of a send, in brief, to be counted: its status, the integrations that are called first, the variables without a value. */
import type { Channel, DecisionCode, Explanation } from '@postrider/contract'
import type { LimitState } from '../../database/tables/workspace/integration-limits.ts'
import { type Decision, describeStep } from '../decide/decide.ts'
import type { DecisionInput } from '../decide/decision.ts'
import { sharedProblems } from '../decide/shared-problems.ts'
import { unusableKeys } from '../decide/unroutable.ts'
import type { DryRun } from '../deliver/dry-run.ts'
import { preview } from './explain.ts'

type Result = Explanation['decision']

export interface Forecast extends Pick<Result, 'status' | 'reason' | 'error' | 'due_at'> {
  /** The code of the step that stops it. */
  code?: DecisionCode
  /** Called first: the others only when these have failed. Empty where the message is not sent. */
  calls: ForecastCall[]
  /** Variables without a value in any of its contents, as they are written. */
  missing: string[]
  /** Keys of the profile with a value that no integration can use. */
  unusable: string[]
  /** Sentences that do not depend on the recipient. */
  problems: string[]
}

export interface ForecastCall {
  channel: Channel
  provider: string
  integration: string
  title: string
}

/** `providers`: the names of all of them. */
export function forecast(
  decisionInput: DecisionInput,
  limitStates: ReadonlyMap<string, LimitState>,
  providers: readonly string[],
): Forecast {
  const before = preview(decisionInput, limitStates)
  const { decision } = before
  const problems = sharedProblems(decision, providers)
  const missing = [...new Set(before.shownAll.flatMap((shown) => shown.missing))]
  if (decisionInput.facts.erasing)
    return {
      status: 'CANCELED',
      error: 'The recipient is being erased.',
      ...{ calls: [], missing, problems },
      unusable: [],
    }
  const { status, reason, error, due_at } = before.result
  const isSent = SENDING.has(status)
  const stop = decision.kind === 'routed' || isSent ? undefined : stopOf(decision)
  const text = stop?.error ?? error
  return {
    status,
    ...(reason !== undefined && { reason }),
    ...(stop && { code: stop.code }),
    ...(text !== undefined && !isSent && { error: text }),
    ...(due_at !== undefined && { due_at }),
    calls: isSent && before.run ? callsOf(before.run) : [],
    missing,
    unusable: decision.kind === 'routed' ? unusableKeys(decision.considered, decision.plan) : (stop?.unusable ?? []),
    problems,
  }
}

/** A provider is called, now or later; with a mock key it would be. */
const SENDING: ReadonlySet<Result['status']> = new Set(['ROUTED', 'DELAYED', 'SIMULATED'])

/** The step that ends the decision, in words. */
function stopOf({ trace }: Decision): { code: DecisionCode; error: string; unusable: string[] } | undefined {
  const last = trace.at(-1)
  if (!last) return undefined
  const { code, params, summary } = describeStep(last)
  const needs = code === 'no_address' && 'needs' in params ? params.needs : []
  const unusable = needs.flatMap(({ need, keys }) => (need === 'usable_value' ? keys : []))
  return { code, error: summary, unusable: [...new Set(unusable)] }
}

/** The devices of an integration are one of them. */
function callsOf({ first }: DryRun): ForecastCall[] {
  const calls = new Map<string, ForecastCall>()
  for (const { channel, integration } of first) {
    const { id, title, provider } = integration
    calls.set(`${channel} ${id}`, { channel, provider: provider.key, integration: id, title })
  }
  return [...calls.values()]
}
