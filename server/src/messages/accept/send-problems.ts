/** The problems of a send before it is accepted, found by the decision that would deliver it. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { textsOf } from '../../base/finding.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { mailAddressError } from '../../base/mail-address.ts'
import { phoneNumberError } from '../../base/phone-number.ts'
import { quoted } from '../../base/quote.ts'
import { addressOf } from '../../providers/address.ts'
import { DraftInvalid, namesOf, type Provider } from '../../providers/provider.ts'
import { RenderFailed } from '../../templates/failure.ts'
import { type Decision, type DecisionOf, decide, describeStep } from '../decide/decide.ts'
import type { DecisionInput, Routed } from '../decide/decision.ts'
import { recipientFindings } from '../decide/message-findings.ts'
import { mergedProfileOf } from '../decide/profile.ts'
import { render } from '../decide/render.ts'
import { sharedProblems } from '../decide/shared-problems.ts'
import type { Loader } from '../load/load.ts'
import type { Mode, SendInput } from '../send.ts'

export interface PlannedSend {
  input: SendInput
  notBefore?: number
}

/** Sentences. */
export interface SendProblems {
  /** Problems that do not depend on the recipient. */
  shared: string[]
  /** Problems of this recipient: no address, a variable without a value. */
  ofMessage: string[]
}

export interface SendProblemsOptions {
  loader: Loader
  providers: ReadonlyMap<string, Provider>
  now(): number
}

/** In the order of the sends. */
export async function sendProblems(
  workspaceId: number,
  mode: Mode,
  sends: readonly PlannedSend[],
  options: SendProblemsOptions,
): Promise<SendProblems[]> {
  const now = options.now()
  const requests = sends.map(({ input, notBefore = now }) => ({
    message: { id: '', workspace_id: workspaceId, mode, first_due: notBefore, recipient: input.recipient },
    input,
    snapshot: undefined,
  }))
  const problems: SendProblems[] = []
  for (const decisionInput of await options.loader.load(requests)) {
    // Each renders its content for every candidate: other work has its turn in between.
    if (problems.length > 0) await nextTurn()
    problems.push(problemsOf(decisionInput, [...options.providers.values()].flatMap(namesOf)))
  }
  return problems
}

function problemsOf(decisionInput: DecisionInput, providers: readonly string[]): SendProblems {
  const decision = decideWhenOpen(failingOnMissing(decisionInput))
  // Before the findings are read: rendering adds to them.
  const ofMessage =
    decision.kind === 'routed'
      ? [...new Set(renderProblems(decision.plan)), ...textsOf(recipientFindings(decision.plan))]
      : []
  const addresses = addressProblems(decision, decisionInput)
  const shared = sharedProblems(decision, providers)
  const stop = decision.kind === 'stopped' ? stopProblem(decision) : undefined
  if (stop) {
    const others = shared.filter((problem) => !stop.includes(problem))
    return isOwn(decision)
      ? { shared: others, ofMessage: [stop, ...addresses] }
      : { shared: [stop, ...others], ofMessage }
  }
  return { shared, ofMessage: [...ofMessage, ...addresses] }
}

/** The explanation of the step that stopped it; undefined where that is no mistake, as an opt-out. */
function stopProblem({ trace, stop }: DecisionOf<'stopped'>): string | undefined {
  const isMistake = stop.status === 'UNMAPPED' || stop.status === 'UNROUTABLE'
  const last = trace.at(-1)
  return isMistake && last ? describeStep(last).summary : undefined
}

const addressErrors = { email: mailAddressError, phone_number: phoneNumberError }

/** Why an address cannot be used. The one of a stored profile is not repeated to a caller who may be allowed to send only. */
function addressProblems(decision: Decision, { input, facts }: DecisionInput): string[] {
  // The mailbox takes a stored one as it is: only a message that cannot go is explained by it.
  const profile: JsonObject = decision.kind === 'stopped' ? mergedProfileOf(input, facts) : (input.profile ?? {})
  return addressKeys(decision).flatMap((key) => {
    const value = profile[key]
    const error = typeof value === 'string' ? addressErrors[key](value) : undefined
    if (error === undefined) return []
    const isSent = input.profile?.[key] === value
    return [`The ${quoted(key)} of the ${isSent ? `profile, ${quoted(value)},` : 'stored profile'} ${error}.`]
  })
}

/** The keys with a value that keeps the message from being sent, and those that only the mailbox takes as they are. */
function addressKeys(decision: Decision): (keyof typeof addressErrors)[] {
  if (decision.kind === 'routed')
    return decision.plan.candidates.some(({ channel, to }) => addressOf(channel, to)?.kind === 'phone_number')
      ? ['phone_number']
      : []
  const last = decision.kind === 'stopped' ? decision.trace.at(-1) : undefined
  const { code, params } = last ? describeStep(last) : {}
  const needs = code === 'no_address' && params && 'needs' in params ? params.needs : []
  const unusable = needs.flatMap(({ need, keys }) => (need === 'usable_value' ? keys : []))
  return unusable.filter((key) => key === 'email' || key === 'phone_number')
}

const isOwn = (decision: Decision) => decision.kind === 'stopped' && decision.stop.reason === 'INCOMPLETE_PROFILE_DATA'

const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`)

/** Closed opening hours hide the steps after them: it is decided as of the time they open. */
function decideWhenOpen(decisionInput: DecisionInput): Decision {
  const decision = decide(decisionInput)
  if (decision.kind !== 'postponed') return decision
  const { until } = decision.stop
  return decide({ ...decisionInput, firstDue: until, now: until })
}

/** As if its notification refused to be sent without the value of a variable. */
function failingOnMissing(decisionInput: DecisionInput): DecisionInput {
  const { mapping } = decisionInput.facts
  if (!mapping?.notification) return decisionInput
  const notification = { ...mapping.notification, onMissing: 'fail' as const }
  return { ...decisionInput, facts: { ...decisionInput.facts, mapping: { ...mapping, notification } } }
}

/** Also values of the data that its content leaves out. */
function renderProblems(plan: Routed): string[] {
  return plan.candidates.flatMap((candidate) => {
    try {
      const { findings = [] } = render(plan, candidate, 0).content
      return textsOf(findings.filter(({ code }) => code === 'content_altered'))
    } catch (error) {
      if (error instanceof RenderFailed || error instanceof DraftInvalid) return [sentence(error.message)]
      throw error
    }
  })
}
