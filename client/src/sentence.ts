/** One sentence about a message: what happened to it, why, and what is left. The dashboard and the command line show the same. */
import type {
  Candidate,
  Channel,
  DecisionParamsByCode,
  DeliveryRecord,
  HistoryEvent,
  MessageDetail,
  MessageExplanation,
  MessageRetry,
  MessageStatus,
} from './generated.ts'
import { isDeleted, withProviderNames } from './integration-names.ts'
import { capitalized, code, type SentenceFormat } from './sentence-format.ts'
import {
  type Clause,
  channelChoice,
  channelsLeftOut,
  channelsNotTried,
  grouped,
  nameOf,
  Sentence as Parts,
  placeOfPreference,
  preferredNotTried,
  type SentencePart,
  shown,
  unique,
  type Words,
} from './sentence-parts.ts'
import { english, type SentenceTexts } from './sentence-texts.ts'
import { englishSteps, type StepTexts } from './steps.ts'

export { type ForecastOptions, forecast } from './forecast.ts'
export type { ForecastTexts } from './forecast-texts.ts'
export { isDeleted, withProviderNames } from './integration-names.ts'
export {
  type ChannelChoice,
  capitalized,
  code,
  nameOfId,
  type PreferencePlace,
  type SentenceFormat,
  type SourceTexts,
  saying,
  sourceText,
} from './sentence-format.ts'
export {
  type ChannelsNotTried,
  channelChoice,
  channelsLeftOut,
  type SentencePart,
  sentenceText,
} from './sentence-parts.ts'
export { type SentenceTexts, whyNotTried } from './sentence-texts.ts'
export type { StepTexts } from './steps.ts'

/** The replies of `GET /messages/{message_id}`, `…/explain` and `…/history`. */
export interface MessageFacts {
  message: MessageDetail
  explanation: MessageExplanation
  history: readonly HistoryEvent[]
}

export interface SentenceOptions {
  format: SentenceFormat
  /** Default: English. */
  texts?: SentenceTexts
  /** The steps of decisions. Default: English. */
  steps?: StepTexts
}

/** Pure: the same facts give the same sentence. */
export function messageSentence(
  facts: MessageFacts,
  { format, texts = english, steps = englishSteps }: SentenceOptions,
): SentencePart[] {
  const sentence = new Parts(texts, format, steps)
  const named = { ...facts, explanation: withProviderNames(facts.explanation, format) }
  const { status, paused, deliveriesPaused } = facts.message
  const isWaiting = !facts.explanation.deliveries.some(isCalled)
  if (paused !== undefined && isWaiting) waitsForResume(paused, named, sentence)
  else if (deliveriesPaused !== undefined && isWaiting) waitsForDeliveries(deliveriesPaused, named, sentence)
  else if (status in write) write[status](named, sentence)
  else sentence.answer([status])
  return sentence.parts
}

type Sentence = Parts<SentenceTexts>
type Writer = (facts: MessageFacts, sentence: Sentence) => void

const write: Record<MessageStatus, Writer> = {
  ENQUEUED: accepted,
  DELAYED: waits,
  ROUTED: onItsWay,
  HELD: waitsForRepair,
  SENT: arrived,
  DELIVERED: arrived,
  OPENED: arrived,
  CLICKED: arrived,
  UNMAPPED: stopped,
  UNROUTABLE: stopped,
  FILTERED: stopped,
  THROTTLED: stopped,
  UNDELIVERABLE: undeliverable,
  CANCELED: canceled,
  DIGESTED: inDigest,
  SIMULATED: simulated,
}

function waits({ explanation: { decision, steps }, history }: MessageFacts, s: Sentence): void {
  const until =
    decision.delayed_until ??
    (decision.status === 'DELAYED' ? decision.due_at : undefined) ??
    history.findLast((event) => event.type === 'DELAYED')?.until
  const findings = steps.flatMap((step) => [step, ...(step.notes ?? [])])
  const why = findings.some(({ code }) => code === 'hours_closed') ? 'hours' : 'asSent'
  s.answer(until === undefined ? [s.clause('onItsWay')] : [s.clause('waits', { until }), ': ', s.clause(why)])
}

/** A call in progress ends first. */
function waitsForResume(at: number, facts: MessageFacts, s: Sentence): void {
  s.answer([s.clause('paused', { at, source: shown(facts.message.pausedBy) || undefined })])
  triedBefore(facts, s)
}

const capitalizedClause = (clause: Clause): Clause => ({ ...clause, text: capitalized(clause.text) })

/** Also after its time, or the repair that it waits for. */
function waitsForDeliveries(since: number, facts: MessageFacts, s: Sentence): void {
  const { status } = facts.message
  const cause = s.clause('deliveriesPaused', { since })
  if (status === 'DELAYED' || status === 'HELD') {
    write[status](facts, s)
    s.rest([capitalizedClause(cause)])
    return
  }
  s.answer([s.clause('notSentYet'), ': ', cause])
  triedBefore(facts, s)
}

/** Its status changes when the first attempt has ended. */
function accepted(facts: MessageFacts, s: Sentence): void {
  if (facts.explanation.deliveries.some(isCalled)) onItsWay(facts, s)
  else s.answer([s.clause('accepted')])
}

const isInProgress = ({ outcome, ended }: DeliveryRecord['attempts'][number]) =>
  outcome === undefined && ended === undefined
const isCalled = ({ attempts }: DeliveryRecord) => attempts.some(isInProgress)
/** An attempt has ended. */
const wasTried = (delivery: DeliveryRecord) =>
  delivery.attempts_total > (isCalled(delivery) ? 1 : 0) || delivery.reason === 'IN_DOUBT'
const attemptInDoubt = ({ attempts }: DeliveryRecord) => attempts.findLast(({ outcome }) => outcome === 'in_doubt')
/** An attempt that no answer ended, so that the message may have arrived by it. */
const isInDoubt = (delivery: DeliveryRecord) =>
  delivery.reason !== 'BOUNCED' && (delivery.reason === 'IN_DOUBT' || attemptInDoubt(delivery) !== undefined)
/** No answer ended its last attempt. */
export const endsInDoubt = ({ reason, attempts }: DeliveryRecord): boolean =>
  reason === 'IN_DOUBT' || (reason !== 'BOUNCED' && attempts.at(-1)?.outcome === 'in_doubt')

/** A message that is not known to be sent may have arrived by an attempt that no answer ended. */
export const mayHaveArrived = (deliveries: readonly DeliveryRecord[]): boolean => deliveries.some(isInDoubt)

function onItsWay(facts: MessageFacts, s: Sentence): void {
  const { message, explanation } = facts
  const calling = explanation.deliveries.find(isCalled)
  if (!calling && message.retry) {
    notSentYet(message.retry, facts, s)
    return
  }
  const next = nextOf(explanation)
  if (calling) s.answer([s.clause('onItsWay'), ': ', s.clause('calling', { integration: nameOf(calling) }, calling.id)])
  else if (next) s.answer([s.clause('onItsWay'), ': ', s.clause('calledNext', { integration: nameOf(next) })])
  else s.answer([s.clause('onItsWay')])
  if (calling && isInDoubt(calling)) s.rest([doubt(calling, s)])
  triedBefore(facts, s, calling)
}

/** An integration waits for its next call: after a failure, or because it must not be called yet. */
function notSentYet(retry: MessageRetry, facts: MessageFacts, s: Sentence): void {
  const delivery = facts.explanation.deliveries.find(isOf(retry))
  const integration = delivery ? nameOf(delivery) : s.provider(retry.provider)
  const waitsFor = causeOfDeferral(retry, facts.history)
  const clause = waitsFor === undefined ? 'failed' : waitsFor === 'limit' ? 'limitReached' : 'breakerOpen'
  const cause = s.clause(clause, { integration, error: s.shown(retry.error) }, delivery?.id)
  const doubted = delivery && isInDoubt(delivery) ? delivery : facts.explanation.deliveries.find(isInDoubt)
  if (doubted) s.answer([s.clause('inDoubt'), ': ', doubt(doubted, s)])
  else s.answer([s.clause('notSentYet'), ': ', cause])
  const isSaid = waitsFor === undefined && doubted === delivery && doubted !== undefined && endsInDoubt(doubted)
  if (doubted && !isSaid) s.rest([waitsFor === undefined ? cause : capitalizedClause(cause)])
  const again = { integration, at: retry.next_attempt_at, attempt: retry.attempts + 1 }
  s.rest([s.clause('calledAgain', { ...again, mayRepeat: doubted !== undefined })])
  triedBefore(facts, s, delivery, doubted)
}

/** Those whose last attempt failed, but for those that the sentence is about. */
function triedBefore(facts: MessageFacts, s: Sentence, ...subjects: (DeliveryRecord | undefined)[]): void {
  const hasFailed = (delivery: DeliveryRecord) =>
    delivery.status === 'UNDELIVERABLE' || (delivery.status === 'ROUTED' && wasTried(delivery))
  const ended = facts.explanation.deliveries.filter((delivery) => !subjects.includes(delivery) && hasFailed(delivery))
  if (ended.length > 0) s.rest(failures(ended, facts, s))
}

/** The selected candidate whose turn is next; where it has a delivery, that waits. */
function nextOf({ candidates, deliveries }: MessageExplanation): Candidate | undefined {
  return candidates.find((candidate) => {
    const delivery = deliveries.find(isOf(candidate))
    return candidate.selected && delivery?.status !== 'UNDELIVERABLE'
  })
}

const waitsForCall = ({ status, next_attempt_at: at }: DeliveryRecord) => status === 'ROUTED' && at !== undefined

interface IntegrationToRepair {
  id: string
  title: string
  isDeleted: boolean
}

/** The integrations whose repair lets a message go on: those that it waits for, else those that are not usable. */
export function integrationsToRepair({
  candidates,
  deliveries,
}: Pick<MessageExplanation, 'candidates' | 'deliveries'>): IntegrationToRepair[] {
  // In the order of the candidates, as before the send: deliveries have the order of their turns.
  const placeOf = (delivery: DeliveryRecord) => candidates.findIndex((candidate) => isOf(candidate)(delivery))
  const waiting = deliveries.filter(waitsForCall).sort((left, right) => placeOf(left) - placeOf(right))
  const off = candidates.filter(({ reason }) => reason === 'MISSING_CONFIGURATION')
  const byId = new Map<string, IntegrationToRepair>()
  for (const each of waiting.length > 0 ? waiting : off) {
    const { integration: id } = each
    if (id !== undefined) byId.set(id, { id, title: nameOf(each), isDeleted: isDeleted(each) })
  }
  return [...byId.values()]
}

function waitsForRepair({ message, explanation, history }: MessageFacts, s: Sentence): void {
  const until = history.findLast((event) => event.type === 'HELD')?.until
  const { decision, deliveries, steps } = explanation
  const stop = decision.status === 'HELD' ? steps.find(({ outcome }) => outcome === 'stopped') : undefined
  const waiting = deliveries.filter(waitsForCall)
  const errorOf = (id: string) => s.shown(waiting.findLast(({ integration }) => integration === id)?.error)
  const all = integrationsToRepair(explanation)
  const deleted = all.filter((each) => each.isDeleted).map(({ title }) => title)
  const left = all.filter((each) => !each.isDeleted)
  const repairs = left.map(({ id, title }) => ({ title, error: errorOf(id) }))
  const [common = '', ...others] = unique(repairs.map(({ error }) => error))
  // Each with its error, where they differ.
  const integrations = unique(
    repairs.map(({ title, error }) => (others.length > 0 && error !== '' ? `${title} (${code(error)})` : title)),
  )
  // The decision found no usable integration: its step says why.
  const error = stop || others.length > 0 ? '' : common || s.shown(message.error)
  if (deleted.length > 0 && left.length === 0) {
    s.answer([s.clause('heldByDeleted', { integrations: unique(deleted) })])
    s.rest([s.clause('replaceDeleted')])
  } else {
    s.answer([s.clause('held', { integrations, error })])
    if (deleted.length > 0) s.rest([s.clause('deleted', { integrations: unique(deleted) })])
  }
  if (stop) s.rest([s.step(stop)])
  for (const delivery of waiting.filter(isInDoubt)) s.rest([doubt(delivery, s)])
  triedBefore({ message, explanation, history }, s, ...waiting)
  if (until !== undefined) s.rest([s.clause('failsAt', { until })])
}

/** A provider has accepted it: by which ways, how soon, what did not work before, and what came back. */
function arrived(facts: MessageFacts, s: Sentence): void {
  const { message, explanation, history } = facts
  const { enqueued, sent, delivered, opened, clicked } = message
  const { ways, kept } = acceptedWays(explanation)
  const reached = (stage: AcceptedStatus) => ways.filter(({ deliveries }) => furthest(deliveries) === stage)
  const stages = acceptedStatuses.filter((stage) => reached(stage).length > 0)
  const status = message.status as AcceptedStatus
  const [stage = status, ...others] = stages.includes(status) ? unique([status, ...stages]) : stages
  const by = acceptedBy(reached(stage), s)
  const head = s.clause(acceptedHeads[stage])
  const seen = { OPENED: opened, CLICKED: clicked }[String(stage)]
  const notBy = failedBeside(facts, s)
  if (seen !== undefined && sent !== undefined)
    s.answer([head, ', ', s.clause('afterSent', { ms: Math.max(0, seen - sent) }), ...by, ...notBy])
  else {
    const at = (stage === 'DELIVERED' ? delivered : sent) ?? enqueued
    s.answer([head, ...by, ', ', s.clause('afterCall', { ms: Math.max(0, at - enqueued) }), ...notBy])
  }
  for (const other of others) s.rest([s.clause(acceptedHeads[other]), ...acceptedBy(reached(other), s)])
  triedOtherwise(facts, s)
  const taken = ways.flatMap(({ deliveries }) => deliveries.filter(isAccepted))
  for (const { id, attempts_total: attempt, ...delivery } of taken)
    if (attempt > 1) s.rest([s.clause('tookAt', { integration: nameOf(delivery), attempt }, id)])
  if (mayHaveArrived(taken)) s.rest([s.clause('mayHaveArrived')])
  const isAllKept = taken.length > 0 && taken.every(isMailbox)
  const wasCalled = explanation.deliveries.some((delivery) => !isMailbox(delivery) && delivery.attempts_total > 0)
  if (isAllKept && !wasCalled) s.rest([s.clause('kept')])
  else if (!isAllKept && stage === 'SENT') waitsForReceipt(history, s)
  const onlyKept = isAllKept && wasCalled ? ways : kept
  if (onlyKept.length > 0)
    s.rest([s.clause('keptOf', { channels: unique(onlyKept.map(({ first }) => first.channel)) })])
  calledLater(facts, s)
  if (has(history, 'COMPLAINED')) s.rest([s.clause('complained')])
  if (has(history, 'UNSUBSCRIBED')) s.rest([s.clause('unsubscribed')])
  if (opened === undefined && clicked === undefined && has(history, 'OPENED')) s.rest([s.clause('openedByProgram')])
}

/** Another way goes on, although one has the message. */
function calledLater({ explanation, history }: MessageFacts, s: Sentence): void {
  for (const delivery of explanation.deliveries) {
    const { id, status, attempts_total: attempts, next_attempt_at: at } = delivery
    if (status !== 'ROUTED' || at === undefined) continue
    const by = attempts === 0 ? causeOfDeferral(delivery, history) : undefined
    const cause = { integration: nameOf(delivery), error: s.shown(delivery.error) }
    if (by) {
      const clause = s.clause(by === 'limit' ? 'limitReached' : 'breakerOpen', cause, id)
      s.rest([{ ...clause, text: capitalized(clause.text) }])
    }
    const again = { integration: nameOf(delivery), at, attempt: attempts + 1, mayRepeat: isInDoubt(delivery) }
    s.rest([s.clause('calledAgain', again, id)])
  }
}

const isMailbox = ({ provider }: Pick<DeliveryRecord, 'provider'>) => provider === 'mailbox'

/** `kept`: by the mailbox only, which beside a real way counts as none. */
function acceptedWays({ deliveries }: MessageExplanation) {
  const accepted = byIntegration(deliveries).filter((way) => furthest(way.deliveries))
  const [kept, real] = [true, false].map((isKept) => accepted.filter(({ first }) => isMailbox(first) === isKept))
  return real?.length ? { ways: real, kept: kept ?? [] } : { ways: accepted, kept: [] }
}

/** The channels of an `all` routing that have failed while another one has the message, each with those that took over from it. */
export function channelsFailedBeside({
  steps,
  deliveries,
}: Pick<MessageExplanation, 'steps' | 'deliveries'>): ReadonlySet<Channel> {
  const notes = steps.flatMap((step) => [step, ...(step.notes ?? [])])
  const routed = notes.find(({ code: name }) => name === 'routed')?.params as DecisionParamsByCode['routed'] | undefined
  const branches: Set<Channel>[] = []
  for (const { channel, fallback } of routed?.method === 'all' ? routed.integrations : []) {
    const last = branches.at(-1)
    if (fallback && last) last.add(channel)
    else branches.push(new Set([channel]))
  }
  const accepted = new Set(deliveries.filter(isAccepted).map(({ channel }) => channel))
  const hasFailed = (branch: Set<Channel>) => {
    const tried = deliveries.filter(({ channel }) => branch.has(channel))
    return tried.some(wasTriedOrFailed) && tried.every(({ status }) => status === 'UNDELIVERABLE')
  }
  // Those of no delivery are said otherwise.
  const failed = accepted.size > 0 ? branches.filter(hasFailed).flatMap((branch) => [...branch]) : []
  return new Set(
    failed.filter((channel) => !accepted.has(channel) && deliveries.some((each) => each.channel === channel)),
  )
}

/** A part of the answer: who reads only that must not take half of it for the whole. */
function failedBeside(facts: MessageFacts, s: Sentence): Words[] {
  const channels = channelsFailedBeside(facts.explanation)
  if (channels.size === 0) return []
  const groups = byIntegration(facts.explanation.deliveries.filter(({ channel }) => channels.has(channel)))
  const tried = groups.filter(({ deliveries }) => deliveries.some(wasTriedOrFailed))
  return [', ', s.clause('notBy', { channels: [...channels] }), ': ', ...failures(firstOf(tried), facts, s)]
}

/** The other ways that failed, those that had no call, and the channels that were not tried. */
function triedOtherwise(facts: MessageFacts, s: Sentence): void {
  const { explanation, history } = facts
  const groups = byIntegration(explanation.deliveries)
  const said = channelsFailedBeside(explanation)
  const failed = groups.filter(
    ({ first, deliveries }) =>
      !furthest(deliveries) && !said.has(first.channel) && deliveries.some((each) => wasTried(each) || hasEnded(each)),
  )
  if (failed.length > 0) s.rest(failures(firstOf(failed), facts, s))
  notCalled(groups, history, s)
  const accepted = explanation.deliveries.filter(isAccepted)
  for (const channels of preferredNotTried(explanation, (candidate) => accepted.some(isOf(candidate))))
    s.rest([s.clause('notTried', channels)])
}

/** Those that had their turn, and were never called. */
function notCalled(groups: ReturnType<typeof byIntegration>, history: readonly HistoryEvent[], s: Sentence): void {
  for (const { first, deliveries } of groups) {
    // One that waits will be called.
    if (deliveries.some(({ status, attempts_total: total }) => status !== 'UNDELIVERABLE' || total > 0)) continue
    // Its cause is said: a deleted integration, or content that cannot be rendered.
    if (deliveries.some(hasEnded)) continue
    const by = causeOfDeferral(first, history)
    const clause = by === 'limit' ? 'deferredByLimit' : 'deferredByBreaker'
    if (by) s.rest([s.clause(clause, { integration: nameOf(first) }, first.id)])
  }
}

/** Undefined after an attempt. */
function causeOfDeferral(
  { integration, channel }: Pick<DeliveryRecord, 'integration' | 'channel'>,
  history: readonly HistoryEvent[],
) {
  const last = history.findLast(
    (event) => event.type === 'DELIVERING' && event.integration.id === integration && event.channel.id === channel,
  )
  return last?.type === 'DELIVERING' ? last.held_back : undefined
}

const acceptedHeads = { CLICKED: 'clicked', OPENED: 'opened', DELIVERED: 'delivered', SENT: 'sent' } as const
type AcceptedStatus = keyof typeof acceptedHeads
const acceptedStatuses = Object.keys(acceptedHeads) as AcceptedStatus[]

const furthest = (deliveries: readonly DeliveryRecord[]): AcceptedStatus | undefined =>
  acceptedStatuses.find((accepted) => deliveries.some(({ status }) => status === accepted))

/** Each after a space. */
function acceptedBy(groups: ReturnType<typeof byIntegration>, s: Sentence): Words[] {
  return groups.flatMap(({ first, deliveries }, at) => {
    const [accepted = first, ...others] = deliveries.filter(isAccepted)
    const count = { accepted: 1 + others.length, devices: deliveries.length }
    const params = { channel: first.channel, integration: nameOf(first), ...count }
    return [...(at === 0 ? [] : [' ', s.clause('and')]), ' ', s.clause('by', params, accepted.id)]
  })
}

function waitsForReceipt(history: readonly HistoryEvent[], s: Sentence): void {
  const deferred = history.findLast((event) => event.type === 'DEFERRED')
  s.rest([deferred ? s.clause('putOff', { error: s.shown(deferred.error_message) }) : s.clause('unconfirmed')])
}

/** No provider was called, or it was stopped between two calls. */
function stopped({ message: { status, reason, error }, explanation, history }: MessageFacts, s: Sentence): void {
  const { steps, decision, candidates, deliveries } = explanation
  s.answer([s.clause(mayHaveArrived(deliveries) ? 'inDoubt' : 'notSent')])
  const leftOut = channelsLeftOut(reason, { candidates, steps })
  for (const channels of leftOut) s.answer([s.clause('notTried', channels)])
  // The other channels, and their lack of an address, come after that.
  const say = (words: readonly Words[]) => (leftOut.length > 0 ? s.rest(words) : s.answer(words))
  const stop = steps.find(({ outcome }) => outcome === 'stopped')
  // An explanation of now can differ from what was decided then. A message that was held, and not repaired, ends so.
  const isAsDecided =
    (decision.status === status && decision.reason === reason) || (decision.status === 'HELD' && has(history, 'HELD'))
  const said = stop && isAsDecided ? s.step(stop) : ''
  const choice = stop?.code === 'channels_opted_out' ? channelChoice(steps) : undefined
  if (said !== '' && leftOut.length > 0 && stop?.code === 'no_providers') say([s.clause('othersWithoutIntegration')])
  else if (said !== '' && choice) say([s.clause('noneChosen', { choice })])
  else if (said !== '') say([said])
  else if (status === 'UNMAPPED' || status === 'THROTTLED') s.answer([s.clause('reason', { reason: status })])
  else if (reason) say([s.clause('reason', { reason })])
  const hold = history.findLast((event) => event.type === 'HELD')
  // Said already where the decision was why.
  const cause = said !== '' && hold?.error_message === decision.error ? undefined : hold?.error_message
  if (hold && reason === 'EXPIRED') s.rest([s.clause('wasHeld', { error: s.shown(cause) })])
  else if (said === '' && reason !== 'EXPIRED' && !wishes.has(reason) && s.shown(error) !== '') s.rest([s.shown(error)])
  const place = stop && isAsDecided && placeOfPreference(stop)
  if (place) s.rest([s.clause('preferencePlace', place)])
}

/** The recipient does not want it, or must not get it: no provider is to blame. */
const wishes: ReadonlySet<string | undefined> = new Set(['UNSUBSCRIBED', 'OPT_IN_REQUIRED', 'SUPPRESSED'])

/** It ended before it was called, and not because another one has the message. */
const hasEnded = ({ status, reason }: DeliveryRecord) => status === 'UNDELIVERABLE' && reason === 'FAILED'
const wasTriedOrFailed = ({ attempts_total: total, reason }: DeliveryRecord) => total > 0 || reason === 'FAILED'

function undeliverable(facts: MessageFacts, s: Sentence): void {
  const { message, explanation } = facts
  const tried = byIntegration(explanation.deliveries)
    .map(({ deliveries }) => deliveries.find(isInDoubt) ?? deliveries.find(wasTriedOrFailed))
    .filter((delivery) => delivery !== undefined)
  if (tried.length === 0 || (wishes.has(message.reason) && !facts.history.some(isSuppressing))) {
    stopped(facts, s)
    if (tried.length > 0) s.rest(failures(tried, facts, s))
    notCalled(byIntegration(explanation.deliveries), facts.history, s)
    return
  }
  s.answer([s.clause(mayHaveArrived(tried) ? 'inDoubt' : 'notDelivered'), ': ', ...failures(tried, facts, s)])
  notCalled(byIntegration(explanation.deliveries), facts.history, s)
  skippedAlike(explanation, s)
  for (const channels of channelsNotTried(explanation)) s.rest([s.clause('notTried', channels)])
  s.rest([endOf(facts, tried, s)])
}

/** Its providers are to blame: they were all tried. */
const ofProviders: ReadonlySet<string | undefined> = new Set(['BOUNCED', 'EXPIRED', 'FAILED', 'PROVIDER_ERROR'])

/** Why no attempt follows. */
function endOf({ message, explanation }: MessageFacts, tried: readonly DeliveryRecord[], s: Sentence): Words {
  const { reason, error } = message
  const { decision, steps } = explanation
  const at = reason === 'EXPIRED' ? deadlineOf(explanation) : undefined
  if (at !== undefined) return s.clause('timeOver', { at })
  if (reason === 'IN_DOUBT') return s.clause('atMostOnce')
  // The cause of the end stands beside the attempt in doubt, not in the place of its error.
  const hasOtherCause = reason === 'FAILED' && mayHaveArrived(tried) && s.shown(error) !== ''
  if (hasOtherCause) return s.shown(error)
  if (reason === undefined || ofProviders.has(reason) || wishes.has(reason)) return s.clause('nothingLeft')
  // The decision of then lacks the integration, and finds another cause.
  const deleted = calledAndDeleted(explanation)
  if (deleted.length > 0) return s.clause('deleted', { integrations: unique(deleted.map(nameOf)) })
  const stop = decision.reason === reason ? steps.find(({ outcome }) => outcome === 'stopped') : undefined
  return (stop && s.step(stop)) || s.clause('reason', { reason })
}

/** Called, and deleted before its next call: neither the profile nor the other integrations are to blame. */
export const calledAndDeleted = ({ deliveries }: Pick<MessageExplanation, 'deliveries'>): DeliveryRecord[] =>
  deliveries.filter(
    (delivery) => isDeleted(delivery) && delivery.status === 'UNDELIVERABLE' && delivery.attempts_total > 0,
  )

function deadlineOf({ steps }: MessageExplanation): number | undefined {
  const deadline = steps.find(({ step }) => step === 'window')?.facts.deadline
  return typeof deadline === 'number' ? deadline : undefined
}

/** Further integrations of a channel whose address one of them refused: they are skipped. */
function skippedAlike({ candidates, deliveries }: MessageExplanation, s: Sentence): void {
  const skipped = candidates.filter(
    (candidate) =>
      candidate.selected &&
      !deliveries.some(isOf(candidate)) &&
      deliveries.some(({ channel, reason }) => channel === candidate.channel && reason === 'PROVIDER_ERROR'),
  )
  if (skipped.length > 0) s.rest([s.clause('wouldRefuse', { integrations: unique(skipped.map(nameOf)) })])
}

function canceled(facts: MessageFacts, s: Sentence): void {
  const { message, explanation, history } = facts
  const { enqueued, canceledAt = enqueued } = message
  const source = shown(history.findLast((event) => event.type === 'CANCELED')?.source) || undefined
  const tried = explanation.deliveries.filter(wasTried)
  s.answer([s.clause('canceled', { ms: Math.max(0, canceledAt - enqueued), source })])
  if (mayHaveArrived(tried)) s.answer([s.clause('mayHaveArrived')])
  s.rest(tried.length > 0 ? failures(tried, facts, s) : [s.clause('noCall')])
}

function inDigest({ message, history }: MessageFacts, s: Sentence): void {
  const event = history.findLast((each) => each.type === 'DIGESTED')
  s.answer([event ? s.clause('inDigest', { topic: event.topic_id, until: event.until }) : message.status])
}

function simulated({ explanation: { rendered } }: MessageFacts, s: Sentence): void {
  const channels = unique(rendered.filter(({ error }) => error === undefined).map(({ channel }) => channel))
  s.answer([s.clause('simulated'), ': ', s.clause('byMock', { rendered: channels })])
}

const NAMED_MAX = 3

/** How each ended, without a full stop: a rejection, a bounce, an interruption. */
function failures(deliveries: readonly DeliveryRecord[], facts: MessageFacts, s: Sentence): Words[] {
  const isAlike = (delivery: DeliveryRecord) =>
    delivery.reason === 'FAILED' && !isInDoubt(delivery) && !(isOut(delivery) && wasTried(delivery))
  const groups = grouped(deliveries, (delivery) => (isAlike(delivery) ? (delivery.error ?? '') : delivery.id))
  const named = groups.slice(0, NAMED_MAX)
  const clauses = named.flatMap(([first, ...alike]) => {
    if (!isInDoubt(first) && isOut(first) && wasTried(first))
      return [lastFailure(first, s), failure(first, [], facts, s)]
    if (!isInDoubt(first)) return [failure(first, alike, facts, s)]
    return endsInDoubt(first) ? [doubt(first, s)] : [doubt(first, s), failure(first, alike, facts, s)]
  })
  const more = deliveries.length - named.flat().length
  if (more > 0) clauses.push(s.clause('more', { count: more }))
  return clauses.flatMap((clause, at) => (at === 0 ? [clause] : ['; ', clause]))
}

/** A connection that broke: the kind of failure, also at the start of an error. */
const BROKEN = /^reset(: |$)/

/** Its latest attempt in doubt; without an attempt, its process ended during the call. */
function doubt(delivery: DeliveryRecord, s: Sentence): Clause {
  const attempt = attemptInDoubt(delivery)
  const error = attempt?.error ?? delivery.error ?? ''
  const params = { integration: nameOf(delivery), error: s.shown(error) }
  const isBroken = BROKEN.test(attempt?.reply?.failure ?? error)
  return s.clause(!attempt ? 'interrupted' : isBroken ? 'connectionBroke' : 'noClearAnswer', params, delivery.id)
}

/** Texts of the server for a delivery that ends because its integration cannot be called any more. */
const outOfUse: ReadonlySet<string | undefined> = new Set([
  'Its condition is not met any more',
  'Its time in the inbox is over',
  'The channel has a real integration now',
  'The integration cannot reach this recipient any more',
  'The integration has been deleted',
  'The integration is switched off, or its secrets cannot be read',
  'The recipient does not want this channel any more',
  'The token of the device has been deleted',
  'The token of the device is not active any more',
])
const isOut = ({ status, error }: DeliveryRecord) => status === 'UNDELIVERABLE' && outOfUse.has(error)

function lastFailure({ id, attempts, ...delivery }: DeliveryRecord, s: Sentence): Clause {
  return s.clause('failed', { integration: nameOf(delivery), error: s.shown(attempts.at(-1)?.error) }, id)
}

/** `alike`: further ones that had no call, for the same cause. */
function failure(
  delivery: DeliveryRecord,
  alike: readonly DeliveryRecord[],
  { history, explanation }: MessageFacts,
  s: Sentence,
): Clause {
  const { id, reason, attempts, attempts_total: total } = delivery
  const { outcome: last, error: lastError, reply } = attempts.at(-1) ?? {}
  // Their error says why the message ended, not how the integration failed.
  const error = wishes.has(reason) ? (lastError ?? '') : delivery.error
  const params = { integration: nameOf(delivery), error: s.shown(error) }
  if (reason === 'BOUNCED') return s.clause('bounced', params, id)
  const isOutOfUse = isOut(delivery)
  if (reason === 'FAILED' || isOutOfUse) {
    const group = [delivery, ...alike]
    const inOrder = explanation.candidates.filter((candidate) => group.some(isOf(candidate)))
    const integrations = unique((inOrder.length > 0 ? inOrder : group).map(nameOf))
    if (isOutOfUse) return s.clause('outOfUse', { integrations, error: params.error, again: total > 0 }, id)
    // A reader who does not see the error: content that cannot be rendered is known by its preview.
    const isRendered = explanation.rendered.every((each) => each.error === undefined || !isOf(each)(delivery))
    if (delivery.error !== undefined && params.error === '' && isRendered) return s.clause('notCalled', params, id)
    return s.clause('notRendered', { integrations, error: params.error }, id)
  }
  if (total === 0) return s.clause('noTurn', params, id)
  if (reason === 'EXPIRED') return s.clause('timeUp', params, id)
  const refusedAddress = history.some((event) => isSuppressing(event) && event.integration?.id === delivery.integration)
  if (refusedAddress) return s.clause('refusedAddress', params, id)
  // Without an answer nothing refused it: no encryption, an address that must not be called.
  return s.clause(last === 'rejected' && reply?.failure === undefined ? 'refused' : 'failed', params, id)
}

/** The provider refused the address itself, which is on the list of suppressed addresses from then on. */
const isSuppressing = (event: HistoryEvent): event is Extract<HistoryEvent, { type: 'UNDELIVERABLE' }> =>
  event.type === 'UNDELIVERABLE' && event.integration !== undefined && event.suppressed !== undefined

const has = (history: readonly HistoryEvent[], type: HistoryEvent['type']) =>
  history.some((event) => event.type === type)

const isAccepted = ({ status }: DeliveryRecord) => status !== 'ROUTED' && status !== 'UNDELIVERABLE'

const isOf = (candidate: Pick<Candidate, 'channel' | 'integration' | 'device'>) => (delivery: DeliveryRecord) =>
  delivery.channel === candidate.channel &&
  delivery.integration === candidate.integration &&
  delivery.device?.id === candidate.device?.id

const firstOf = (groups: ReturnType<typeof byIntegration>) => groups.map(({ first }) => first)

/** The devices of an integration count as one way. */
const byIntegration = (deliveries: readonly DeliveryRecord[]) =>
  grouped(deliveries, ({ channel, integration }) => `${channel} ${integration}`).map((group) => ({
    first: group[0],
    deliveries: group,
  }))
