/** An outage before it happens: recent messages, decided again as if integrations were down. */
import type { OutageMessage, OutageResult, OutageRoute, ProviderOutage } from '@postrider/contract'
import { startTimeBudget, type TimeBudget } from '../../base/budget.ts'
import { SECOND } from '../../base/time/duration.ts'
import { decidedWith, type RoutedMessage, routedMessages } from '../../database/tables/messages/messages.ts'
import { limitStates } from '../../database/tables/workspace/integration-limits.ts'
import { deferralByLimit } from '../../limits/deferral.ts'
import { decide, describeStep } from '../decide/decide.ts'
import type { DecisionInput } from '../decide/decision.ts'
import { windowsOf } from '../decide/window.ts'
import { parseSnapshot } from '../decision-snapshot.ts'
import { alternativesTo } from '../deliver/progress.ts'
import { parseDeliveries, type StoredDelivery } from '../delivery.ts'
import type { OwnInput, SendInput } from '../send.ts'
import type { ComparisonOptions } from './changes.ts'
import { type Preview, preview, withOutage } from './explain.ts'

export interface OutageDrill {
  integrationId: string
  /** Ids of integrations that are down, this one among them. */
  unavailable: ReadonlySet<string>
  /** Messages that are decided again. */
  limit: number
}

export type OutageOptions = Omit<ComparisonOptions, 'configCache'>

/** A reader waits for it. */
const TIME_MS = 5 * SECOND
/** Each input has up to 6 MB. */
const MESSAGES_A_READ = 10
/** A snapshot has some 2 kB. */
const MESSAGES_A_SEARCH = 1_000
/** An integration that is rarely a candidate ends the search before its time is over. */
const SEARCHED_MAX = 50_000

export async function outageDrill(
  workspaceId: number,
  drill: OutageDrill,
  options: OutageOptions,
): Promise<Omit<ProviderOutage, 'integration'>> {
  const { integrationId, limit } = drill
  const results: OutageMessage[] = []
  const budget = startTimeBudget(TIME_MS)
  let before: string | undefined
  let isComplete = false
  for (let searched = 0; searched < SEARCHED_MAX && !isComplete && !budget.isOver(); ) {
    const bounds = { integrationId, before, limit: MESSAGES_A_SEARCH }
    const page = await decidedWith(options.engine, workspaceId, bounds)
    const ids = page.flatMap(({ id, matches }) => (matches ? [id] : []))
    await decideAgain(workspaceId, ids, { ...drill, results, budget }, options)
    searched += page.length
    before = page.at(-1)?.id
    isComplete = results.length === limit || (page.length < MESSAGES_A_SEARCH && !budget.isOver())
  }
  const counts = countsOf(results)
  return { compared: results.length, counts, oldest: results.at(-1)?.enqueued ?? null, complete: isComplete, results }
}

interface DrillInProgress extends OutageDrill {
  results: OutageMessage[]
  budget: TimeBudget
}

/** Adds the messages of these ids to the results, as many as it takes. */
async function decideAgain(
  workspaceId: number,
  ids: readonly string[],
  { integrationId, unavailable, limit, results, budget }: DrillInProgress,
  options: OutageOptions,
): Promise<void> {
  for (let at = 0; at < ids.length && results.length < limit && !budget.isOver(); at += MESSAGES_A_READ) {
    const read = await routedMessages(options.engine, workspaceId, ids.slice(at, at + MESSAGES_A_READ))
    const messages = read.filter((message) => isCandidate(integrationId, message))
    const decisionInputs = await loadAnew(messages, options)
    const down = new Set([...unavailable, ...(await alreadyDown(workspaceId, decisionInputs[0], options))])
    for (const [n, message] of messages.entries()) {
      if (results.length === limit || budget.isOver()) return
      results.push(messageDuring(message, decisionInputs[n] as DecisionInput, { integrationId, down }))
      await budget.yieldToEventLoop()
    }
  }
}

const candidatesIn = (integrationId: string, { pinned }: RoutedMessage) =>
  (pinned ? (parseSnapshot(pinned).considered ?? []) : []).filter(
    ({ integration, selected }) => selected && integration === integrationId,
  )

const isCandidate = (integrationId: string, message: RoutedMessage) => candidatesIn(integrationId, message).length > 0

/** As if they were sent now, with the facts of now; weights choose by their ids, as they did. */
async function loadAnew(
  messages: readonly RoutedMessage[],
  { engine, loader, sharedInputs, now }: OutageOptions,
): Promise<DecisionInput[]> {
  const inputs = await sharedInputs.complete(
    messages.map(({ request_id: requestId, workspace_id, input }) => ({
      requestId,
      ownInput: JSON.parse(engine.tokens.decryptText(workspace_id, input)) as OwnInput,
    })),
  )
  const time = now()
  return await loader.load(
    messages.map((message, n) => ({
      message: { ...message, first_due: time },
      input: inputs[n] as SendInput,
      snapshot: undefined,
    })),
  )
}

/** Integrations whose breaker is open, or is being probed, and those whose calls of the day are used up. */
async function alreadyDown(
  workspaceId: number,
  decisionInput: DecisionInput | undefined,
  { engine }: OutageOptions,
): Promise<string[]> {
  if (!decisionInput) return []
  const { facts, now } = decisionInput
  const states = await limitStates(
    engine,
    workspaceId,
    facts.integrations.map(({ id }) => id),
  )
  return facts.integrations.flatMap(({ id, limits }) => {
    const state = states.get(id)
    // A breaker whose probe is due is called by one message: in an outage, that fails.
    return state && (state.breaker ?? deferralByLimit(state, limits, now)) ? [id] : []
  })
}

interface Down {
  integrationId: string
  down: ReadonlySet<string>
}

function messageDuring(message: RoutedMessage, decisionInput: DecisionInput, outage: Down): OutageMessage {
  const before = routesBefore(message, decisionInput, outage)
  const shown = preview(withOutage(decisionInput, outage.down), new Map())
  const isErasing = decisionInput.facts.erasing === true
  const during = isErasing ? [] : routesOf(calledIn(shown), decisionInput)
  const result = outageResult({ before, during, waits: !isErasing && isWaiting(shown), ...outage })
  const failoverMs = result === 'other_channel' ? failoverTime(decisionInput, outage) : undefined
  const { reason } = shown.result
  const last = shown.decision.trace.at(-1)
  const { code, summary = '' } = last ? describeStep(last) : {}
  const failure = shown.run?.settlement.state.error ?? summary
  return {
    message_id: message.id,
    recipient: message.recipient,
    enqueued: message.enqueued,
    ...{ result, before, during },
    ...(failoverMs !== undefined && { failover_ms: failoverMs }),
    ...(reason && result === 'not_delivered' && { reason }),
    ...(code && { code }),
    summary: isErasing ? 'The recipient is being erased.' : during.length > 0 ? summary : failure,
  }
}

interface Compared extends Down {
  before: readonly OutageRoute[]
  during: readonly OutageRoute[]
  /** It is called later, should nothing be called now. */
  waits: boolean
}

export function outageResult({ before, during, waits, integrationId }: Compared): OutageResult {
  if (during.length === 0) return waits ? 'waits' : 'not_delivered'
  const lost = before.filter(({ integration }) => integration === integrationId)
  const keys = new Set(before.map(keyOf))
  const isBefore = during.every((route) => keys.has(keyOf(route)))
  if (lost.length === 0 && isBefore) return 'same'
  const channels = new Set((lost.length > 0 ? lost : before).map(({ channel }) => channel))
  if (during.some(({ channel }) => channels.has(channel))) return 'other_integration'
  return isBefore ? 'fewer_channels' : 'other_channel'
}

const keyOf = ({ channel, integration }: OutageRoute) => `${channel} ${integration}`

/** Only what is down could deliver it, so that it is tried again; or it is held for a repair, or waits for its digest. */
function isWaiting({ decision, result: { status } }: Preview): boolean {
  if (decision.kind === 'routed') return false
  const isMissing = decision.considered.some(({ reason }) => reason === 'UNAVAILABLE')
  return isMissing || status === 'HELD' || status === 'DIGESTED'
}

const calledIn = ({ run }: Preview): readonly StoredDelivery[] =>
  run?.settlement.deliveries.filter(({ state }) => state === 'sent') ?? []

/** The integrations that accepted it, else those that were tried, else the candidate. */
function routesBefore(message: RoutedMessage, decisionInput: DecisionInput, { integrationId }: Down): OutageRoute[] {
  const deliveries = parseDeliveries(message.deliveries)
  const sent = deliveries.filter(({ state }) => state === 'sent')
  if (sent.length > 0) return routesOf(sent, decisionInput)
  if (deliveries.length > 0) return routesOf(deliveries, decisionInput)
  const [candidate] = candidatesIn(integrationId, message)
  if (!candidate) return []
  const { channel, provider = '' } = candidate
  return routesOf([{ channel, provider, integration: integrationId }], decisionInput)
}

/** The devices of an integration are one of them. */
function routesOf(
  deliveries: readonly Pick<StoredDelivery, 'channel' | 'provider' | 'integration'>[],
  { facts }: DecisionInput,
): OutageRoute[] {
  const routes = deliveries.map(({ channel, provider, integration }): OutageRoute => {
    const { title } = facts.integrations.find(({ id }) => id === integration) ?? {}
    return { channel, provider, integration, ...(title !== undefined && { title }) }
  })
  return [...new Map(routes.map((route) => [keyOf(route), route])).values()]
}

/** The time of its channel, which the next one waits for. Undefined: both are used at once. */
function failoverTime(decisionInput: DecisionInput, { integrationId, down }: Down): number | undefined {
  const others = new Set([...down].filter((id) => id !== integrationId))
  const decision = decide(withOutage(decisionInput, others))
  const plan = decision.kind === 'routed' ? decision.plan : undefined
  const candidate = plan?.candidates.find(({ integration }) => integration.id === integrationId)
  if (!plan || !candidate || !alternativesTo(candidate.key, plan.route, []).otherChannel) return undefined
  const { channelMs, lastProviderMs = channelMs, messageMs } = windowsOf(plan, candidate)
  return Math.min(channelMs, lastProviderMs, messageMs)
}

function countsOf(results: readonly OutageMessage[]): ProviderOutage['counts'] {
  const counts = { same: 0, other_integration: 0, other_channel: 0, fewer_channels: 0, waits: 0, not_delivered: 0 }
  for (const { result } of results) counts[result] += 1
  return counts
}
