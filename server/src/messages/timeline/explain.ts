/** Explains why a message goes, or would go, its way: the same decision, described. */
import {
  type Candidate,
  type Channel,
  type DecisionStep,
  decisionCodes,
  type Explanation,
  type MessageExplanation,
  type RenderedCandidate,
} from '@postrider/contract'
import { type Finding, textsOf } from '../../base/finding.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Content } from '../../base/rendered-content.ts'
import { maskTokens } from '../../base/secret.ts'
import { smsSegments } from '../../base/sms-segments.ts'
import { iso } from '../../base/time/clock.ts'
import type { LimitState } from '../../database/tables/workspace/integration-limits.ts'
import { isMisconfigured } from '../../limits/circuit-breaker.ts'
import { type Deferral, deferralByBreaker, deferralByLimit } from '../../limits/deferral.ts'
import { breakerOf, breakerRecord } from '../../limits/shared-breaker.ts'
import { DraftInvalid, isSandbox } from '../../providers/provider.ts'
import { RenderFailed } from '../../templates/failure.ts'
import { candidateKey } from '../decide/candidates.ts'
import { type Decision, type DecisionOf, decide, describeStep, type StepTrace } from '../decide/decide.ts'
import type { DecisionInput, Profiled, RouteCandidate, Routed, StepFinding } from '../decide/decision.ts'
import { describeFindings } from '../decide/findings.ts'
import { holdOf } from '../decide/hold.ts'
import { contentFindings, planFindings } from '../decide/message-findings.ts'
import { onMissingOf, render, usesBrand, withLinksOfMessage } from '../decide/render.ts'
import { suppressedCopies } from '../decide/suppressions.ts'
import { tracked } from '../decide/tracked-content.ts'
import { unresolvedBrands, unresolvedSnippets } from '../decide/unresolved-references.ts'
import type { DecisionSnapshot, RouteStop } from '../decision-snapshot.ts'
import { type DryRun, type DryRunOptions, dryRun } from '../deliver/dry-run.ts'
import { isAddressOfIntegration } from '../deliver/provider-call.ts'
import type { StoredDelivery } from '../delivery.ts'
import type { BrandVersion, DigestFacts } from '../facts.ts'
import { deliveryRecords } from './message-reply.ts'

/** As of when, and for which recipient, a message is explained. */
export interface ExplainOptions {
  notBefore?: number | undefined
  /** As of this time, with the stored data of now. */
  at?: number
  /** The recipient is a subscriber of this list. */
  listId?: string | undefined
  /** Counts as the stored profile of the recipient. */
  storedProfile?: JsonObject | undefined
  /** Ids of integrations that are taken for down. */
  unavailable?: ReadonlySet<string>
  /** Says which integrations must not be called now, where the message is due. */
  foreseesCalls?: boolean
}

export interface Explained {
  explanation: Explanation
  /** The digest that it would be added to. */
  digest?: DigestFacts
}

/** As if these integrations were down. */
export function withOutage(decisionInput: DecisionInput, unavailable: ReadonlySet<string>): DecisionInput {
  const { facts } = decisionInput
  const integrations = facts.integrations.map((integration) =>
    unavailable.has(integration.id) ? { ...integration, unavailable: true as const } : integration,
  )
  return { ...decisionInput, facts: { ...facts, integrations } }
}

/**
 * With the integrations as they were switched when the message was decided: those that it could use, and none that was
 * off or came later. One that has been deleted since stays away. A channel that the mailbox served then had none of them.
 */
export function withIntegrationsOf(
  snapshot: DecisionSnapshot | undefined,
  deliveries: readonly Pick<StoredDelivery, 'integration'>[],
  decisionInput: DecisionInput,
): DecisionInput {
  const { considered } = snapshot ?? {}
  if (!considered) return decisionInput
  const { facts } = decisionInput
  const usable = new Set<string | undefined>([
    ...considered.filter(({ reason }) => reason !== 'MISSING_CONFIGURATION').map(({ integration }) => integration),
    ...deliveries.map(({ integration }) => integration),
  ])
  const integrations = facts.integrations.map((integration) =>
    integration.enabled === usable.has(integration.id)
      ? integration
      : { ...integration, enabled: usable.has(integration.id) },
  )
  const mailboxes = new Set(facts.integrations.filter(({ provider }) => isSandbox(provider)).map(({ id }) => id))
  const served = new Set<string>(
    considered
      .filter(({ integration = '', reason }) => mailboxes.has(integration) && reason !== 'SANDBOX')
      .map(({ channel }) => channel),
  )
  const integratedChannels = new Set([...facts.integratedChannels].filter((channel) => !served.has(channel)))
  return { ...decisionInput, facts: { ...facts, integrations, integratedChannels } }
}

/** A decision before its message is sent, with the content of its candidates. */
export interface Preview {
  decision: Decision
  result: Explanation['decision']
  shownAll: readonly Shown[]
  /** Absent where no provider would be called. */
  plan: Routed | undefined
  run: DryRun | undefined
}

/** `limitStates`: those of its integrations, where the calls of now are foreseen. */
export function preview(decisionInput: DecisionInput, limitStates: ReadonlyMap<string, LimitState>): Preview {
  const first = decide(decisionInput)
  const isClosed = first.kind === 'postponed'
  const decision = isClosed ? asIfOpen(first, decisionInput) : first
  const delayedUntil = isClosed ? first.stop.until : delayOf(decisionInput)
  const plan = decision.kind === 'routed' ? decision.plan : undefined
  const { shownAll, run, isHeldIfRejected }: ShownAll = plan
    ? showAll(plan, isClosed ? new Map() : limitStates)
    : { shownAll: [] }
  const rendered = shownAll.map(({ candidate }) => candidate)
  const ending = verdict(decision, rendered, { decisionInput, run, delayedUntil })
  const result = {
    ...ending,
    ...(isHeldIfRejected && ending.status === 'ROUTED' && { held_if_rejected: true }),
    ...(delayedUntil !== undefined && { delayed_until: delayedUntil }),
  }
  return { decision, result, shownAll, plan, run }
}

export function explain(
  decisionInput: DecisionInput,
  limitStates: ReadonlyMap<string, LimitState> = new Map(),
): Explanation {
  const { decision, result, shownAll, plan } = preview(decisionInput, limitStates)
  const rendered = shownAll.map(({ candidate }) => candidate)
  const { notification, profile } = decision.plan
  const findings = [
    ...planFindings(decision.plan),
    ...(notification?.template.findings ?? []),
    ...shownAll.flatMap(({ findings }) => findings),
  ]
  // The others are notes of a step.
  const warnings = textsOf(findings.filter(({ code }) => !Object.hasOwn(decisionCodes, code)))
  return {
    decision: result,
    ...(notification?.id && { notification: { id: notification.id, version: `v${notification.version}` } }),
    steps: [...decision.trace.map(describeStep), ...(plan && rendered.length > 0 ? [renderStep(plan, rendered)] : [])],
    candidates: decision.considered.map((candidate) => titled(candidate, decisionInput)),
    rendered,
    ...(warnings.length > 0 && { warnings }),
    profile: maskTokens(profile?.merged ?? decisionInput.input.profile ?? {}),
  }
}

/** Before its hours a message is explained as things are now, like one that is due later. */
function asIfOpen({ trace }: DecisionOf<'postponed'>, decisionInput: DecisionInput): Decision {
  const { openingHours: _, ...input } = decisionInput.input
  const open = decide({ ...decisionInput, input })
  const hours = trace.at(-1)
  return { ...open, trace: open.trace.map((step) => (hours && step.step === 'window' ? waiting(hours, step) : step)) }
}

/** The step of an open window that waits for it; a cause that stops it comes first. */
const waiting = (hours: StepTrace, open: StepTrace): StepTrace => ({
  ...open,
  explain() {
    const wait = hours.explain()
    const { findings, facts } = open.explain()
    const [first, ...others] = findings.filter(({ code }) => code !== 'due_now')
    const notes = first ? [first, ...others] : []
    return {
      findings:
        first && open.outcome === 'stopped' ? [first, ...others, ...wait.findings] : [...wait.findings, ...notes],
      facts: { ...facts, ...wait.facts },
    }
  },
})

interface ShownAll {
  shownAll: Shown[]
  run?: DryRun
  isHeldIfRejected?: boolean
}

/** Each with its content, and whether it has its turn at once: the first that has content and may be called. */
function showAll(plan: Routed, limitStates: ReadonlyMap<string, LimitState>): ShownAll {
  const all = renderedCandidates(plan).map((route) => ({ route, shown: show(plan, route) }))
  const errors = new Map(all.map(({ route, shown }) => [keyOf(route), shown.candidate.error]))
  const limited = new Map(plan.candidates.map((route) => [route.key, limitedBy(plan, route, limitStates)]))
  const options: DryRunOptions = {
    renderError: (route) => errors.get(keyOf(route)),
    deferral: ({ key }) => limited.get(key)?.deferral,
  }
  const run = dryRun(plan, options)
  const turnOf = (route: RouteCandidate): Partial<RenderedCandidate> => {
    const { deferral, breaker } = limited.get(route.key) ?? {}
    // A candidate that cannot be rendered fails when it has its turn, and not before.
    if (errors.get(keyOf(route)) !== undefined && !deferral) return {}
    return {
      fallback: !run.first.has(route),
      ...(deferral && { held_back: deferral.cause, next_attempt_at: deferral.until }),
      ...(breaker && { circuit_breaker: breakerRecord(breaker, plan.now) }),
    }
  }
  const shownAll = all.map(({ route, shown: { candidate, ...more } }) => ({
    candidate: { ...candidate, ...turnOf(route) },
    ...more,
  }))
  return { shownAll, run, isHeldIfRejected: isHeldIfRejected(plan, run, limited, options) }
}

/** Whether its first calls are tests of refused settings that hold the message where they fail again. */
function isHeldIfRejected(
  plan: Routed,
  { settlement }: DryRun,
  limited: ReadonlyMap<string, LimitState>,
  options: DryRunOptions,
): boolean {
  if (!plan.facts.holdsMisconfigured || settlement.state.status === 'HELD') return false
  const isRejected = ({ key }: RouteCandidate) => {
    const { breaker } = limited.get(key) ?? {}
    return breaker !== undefined && isMisconfigured(breakerOf(breaker).reason)
  }
  return dryRun(plan, { ...options, isRejected }).settlement.state.status === 'HELD'
}

/** An address of the message or of its recipient says nothing about the integration: its breaker does not count. */
function limitedBy(
  plan: Routed,
  route: RouteCandidate,
  limitStates: ReadonlyMap<string, LimitState>,
): LimitState & { deferral?: Deferral | undefined } {
  const { breaker, ...usage } = limitStates.get(route.integration.id) ?? {}
  const state: LimitState = breaker && isAddressOfIntegration(plan, route) ? { breaker, ...usage } : usage
  const { limits } = route.integration
  return { ...state, deferral: deferralByBreaker(state, plan.now) ?? deferralByLimit(state, limits, plan.now) }
}

const keyOf = ({ channel, integration }: RouteCandidate) => candidateKey(channel, integration.id)

/** The devices of an integration get the same: one of them is shown. */
const renderedCandidates = ({ candidates }: Routed): RouteCandidate[] =>
  candidates.filter(
    ({ device, integration }, at) =>
      !device ||
      candidates.findIndex((candidate) => candidate.device && candidate.integration.id === integration.id) === at,
  )

/** Two integrations of one provider differ by their titles, which are not stored with each message. */
function titled<Named extends { integration?: string }>(
  named: Named,
  { facts }: DecisionInput,
): Named & { title?: string } {
  const integration = facts.integrations.find(({ id }) => id === named.integration)
  return integration ? { ...named, title: integration.title } : named
}

interface Foreseen {
  decisionInput: DecisionInput
  run: DryRun | undefined
  delayedUntil: number | undefined
}

function verdict(
  decision: Decision,
  rendered: readonly RenderedCandidate[],
  { decisionInput, run, delayedUntil }: Foreseen,
): Explanation['decision'] {
  if (decision.kind === 'postponed') return { status: 'DELAYED', due_at: decision.stop.until }
  if (decision.kind === 'digested') return { status: 'DIGESTED', due_at: decision.stop.digest.until }
  if (decision.kind === 'stopped') {
    const until = holdOf(decision, decisionInput.firstDue)
    if (until !== undefined)
      return { status: 'HELD', reason: 'PROVIDER_ERROR', error: decision.stop.error, due_at: until }
    const { status, reason, error } = decision.stop
    return { status, ...(reason && { reason }), error }
  }
  // The deliveries end one after the other: the last error is the error of the message.
  const { error } = rendered.at(-1) ?? {}
  const { status, error: cause, dueAt } = run?.settlement.state ?? {}
  if (error !== undefined && status === 'UNDELIVERABLE') return { status: 'UNDELIVERABLE', reason: 'FAILED', error }
  if (decisionInput.mode === 'mock') return { status: 'SIMULATED' }
  if (delayedUntil !== undefined) return { status: 'DELAYED', due_at: delayedUntil }
  if (status === 'HELD') return { status, reason: 'PROVIDER_ERROR', error: cause ?? '', due_at: dueAt ?? 0 }
  if (run?.isTooLate) return { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: TOO_LATE }
  return { status: 'ROUTED' }
}

const TOO_LATE = 'The time to send this message would run out before an integration can be called'

/** Opening hours are decided by the step `window`. */
const delayOf = ({ input, firstDue, now }: DecisionInput) =>
  firstDue > now && !input.openingHours ? firstDue : undefined

const hasFailed = ({ error }: RenderedCandidate) => error !== undefined

function renderStep(plan: Routed, rendered: readonly RenderedCandidate[]): DecisionStep {
  const failed = rendered.filter(hasFailed)
  const branding = explainBrands(plan, rendered)
  const copies = rendered.some(({ channel }) => channel === 'email') ? suppressedCopies(plan.input, plan.facts) : []
  return {
    step: 'render',
    outcome: failed.length === rendered.length ? 'stopped' : 'passed',
    ...describeFindings([
      failed.length === 0
        ? { code: 'rendered', params: {} }
        : { code: 'render_failed', params: { failed: failed.length, total: rendered.length } },
      ...(copies.length > 0 ? [{ code: 'copies_suppressed' as const, params: { copies } }] : []),
      ...branding.findings,
    ]),
    facts: { rendered: rendered.length - failed.length, failed: failed.length, ...branding.facts },
  }
}

/** A candidate as it is shown, with the findings of its content, and the variables in it without a value. */
interface Shown {
  candidate: RenderedCandidate
  findings: readonly Finding[]
  missing: readonly string[]
}

function show(plan: Routed, candidate: RouteCandidate): Shown {
  const { id: integration, title, provider } = candidate.integration
  const named = { channel: candidate.channel, provider: provider.key, integration, title }
  try {
    const { content, draft } = render(plan, candidate, 0)
    const shown = {
      ...named,
      content: words(content, candidate.channel, sentText(content, plan, candidate, 0)),
      draft: maskTokens(draft, provider.key),
    }
    const findings = contentFindings(plan, candidate.channel, content)
    return { candidate: shown, findings, missing: content.missing ?? [] }
  } catch (error) {
    if (!(error instanceof RenderFailed || error instanceof DraftInvalid)) throw error
    const missing = onMissingOf(plan) === 'fail' ? missingIn(plan, candidate) : []
    return { candidate: { ...named, content: emptyContent, error: error.message }, findings: [], missing }
  }
}

/** All of them: a notification that is not sent without one fails at the first. */
function missingIn(plan: Routed, candidate: RouteCandidate): readonly string[] {
  try {
    const lenient = { ...plan, notification: { ...plan.notification, onMissing: 'keep' as const } }
    return render(lenient, candidate, 0).content.missing ?? []
  } catch (error) {
    if (error instanceof RenderFailed || error instanceof DraftInvalid) return []
    throw error
  }
}

export const emptyContent = { html: '', title: '', body: '', subject: '', text: '', blocks: [] }

/** The text as it is sent: tracked links are longer, and so are links for the recipient. Only the segments of an SMS depend on it. */
export const sentText = (
  content: Content,
  plan: Profiled,
  target: Pick<RouteCandidate, 'channel' | 'integration'>,
  n: number,
): Content => {
  if (target.channel !== 'sms') return content
  const { text, body, ...rest } = tracked(content, plan, target, n, plan.now)
  return { ...rest, text: withLinksOfMessage(text, plan), body: withLinksOfMessage(body, plan) }
}

/** An SMS has its segments: those of the content, which an override of the provider may replace. */
export function words(
  { html, title, body, subject, text, blocks }: Content,
  channel: Channel,
  sent: Pick<Content, 'body' | 'text'>,
): RenderedCandidate['content'] {
  const sms = channel === 'sms' ? { sms: smsSegments(sent.body || sent.text) } : {}
  return { html, title, body, subject, text, blocks, ...sms }
}

/** Explains a message after its decision: with the candidates of its snapshot and its deliveries. */
export function explainMessage(
  decisionInput: DecisionInput,
  message: { id: string; status: string },
  snapshot: DecisionSnapshot | undefined,
  deliveries: readonly StoredDelivery[],
): MessageExplanation {
  const explanation = explain(decisionInput)
  const status = message.status as MessageExplanation['message']['status']
  const considered = snapshot?.considered && withDelivering(snapshot.considered, deliveries)
  return {
    message: { id: message.id, status },
    ...explanation,
    ...(considered && routedByDeleted(explanation, considered, decisionInput)),
    ...(snapshot?.routeStop && stoppedAtRoute(explanation, snapshot.routeStop)),
    ...(considered && { candidates: considered.map((candidate) => titled(candidate, decisionInput)) }),
    deliveries: deliveryRecords(message.id, deliveries).map((record) => titled(record, decisionInput)),
  }
}

/** An integration that took part after its decision is a candidate, too: the last of those that were tried in its channel. */
function withDelivering(considered: readonly Candidate[], deliveries: readonly StoredDelivery[]): Candidate[] {
  const keyOf = ({ channel, integration, device }: Candidate | StoredDelivery) =>
    candidateKey(channel, integration ?? '', device?.id)
  const tried = new Set(deliveries.map(keyOf))
  const candidates = considered.filter((candidate) => candidate.selected || !tried.has(keyOf(candidate)))
  const keys = new Set(candidates.map(keyOf))
  for (const delivery of deliveries.filter((each) => !keys.has(keyOf(each)))) {
    const { channel, provider, integration, device } = delivery
    const before = candidates.findLastIndex((each) => each.channel === channel && tried.has(keyOf(each)))
    const place = before < 0 ? candidates.length : before + 1
    candidates.splice(place, 0, { channel, provider, integration, ...(device && { device }), selected: true, order: 0 })
  }
  return candidates.map((candidate, order) => ({ ...candidate, order }))
}

/**
 * As it was decided, where an integration that it went by has been deleted since: its words are gone with it, and the
 * groups of the routing are given as one list.
 */
function routedByDeleted(
  { steps }: Explanation,
  considered: readonly Candidate[],
  { facts }: DecisionInput,
): Pick<Explanation, 'decision' | 'steps'> | undefined {
  const selected = considered.filter((candidate) => candidate.selected)
  const isDeleted = ({ integration }: Candidate) => facts.integrations.every(({ id }) => id !== integration)
  const route = steps.find(({ step }) => step === 'route')
  if (!route || !selected.some(isDeleted)) return undefined
  const method = route.facts.method === 'all' ? 'all' : 'single'
  const ways = selected.filter(
    ({ channel, integration }, at) =>
      selected.findIndex((other) => other.channel === channel && other.integration === integration) === at,
  )
  const integrations = ways.map(({ channel, provider = '', integration }, at) => ({
    ...{ channel, provider, fallback: method === 'single' && at > 0 },
    devices: selected.filter(({ device, ...other }) => device && other.integration === integration).length,
  }))
  const routed = describeFindings([{ code: 'routed', params: { method, integrations } }])
  return {
    decision: { status: 'ROUTED' },
    steps: steps.flatMap((step) => {
      if (step === route) return [{ step: 'route' as const, outcome: 'passed' as const, ...routed, facts: step.facts }]
      return step.step === 'render' && step.outcome === 'stopped' ? [] : [step]
    }),
  }
}

/** As it was decided: the integrations of now could lead elsewhere, and may have other titles. */
function stoppedAtRoute(
  { steps }: Explanation,
  { findings, facts, ending }: RouteStop,
): Pick<Explanation, 'decision' | 'steps' | 'candidates' | 'rendered'> {
  const before = steps.filter(({ step }) => step !== 'route' && step !== 'render')
  return {
    decision: ending,
    steps: [...before, { step: 'route', outcome: 'stopped', ...describeFindings(findings), facts }],
    candidates: [],
    rendered: [],
  }
}

function explainBrands(
  plan: Routed,
  rendered: readonly { channel: string }[],
): { findings: StepFinding<'render'>[]; facts: Record<string, unknown> } {
  const { notification, facts } = plan
  const { message, channelBrands, missing } = facts.brands
  const channels = rendered.map(({ channel }) => channel)
  const unresolved = {
    findings: [...unresolvedBrands(missing), ...unresolvedSnippets(plan, channels)],
    facts: missing.length > 0 ? { missing_brands: missing } : {},
  }
  if (!usesBrand(notification, channels)) return unresolved
  return {
    findings: unresolved.findings,
    facts: {
      ...(message && { brand: shown(message) }),
      ...(channelBrands.size > 0 && {
        channel_brands: Object.fromEntries([...channelBrands].map(([channel, version]) => [channel, shown(version)])),
      }),
      ...unresolved.facts,
    },
  }
}

/** The version as `GET /brands/:brand_id` shows it. */
const shown = ({ id, created }: BrandVersion) => ({ id, version: iso(created) })
