/** One sentence about a send that is not made yet: where it would go, why, and what would follow a failure. */
import { englishForecast, type ForecastTexts } from './forecast-texts.ts'
import type {
  Candidate,
  Channel,
  DecisionParamsByCode,
  DecisionStep,
  Explanation,
  RenderedCandidate,
} from './generated.ts'
import type { SentenceFormat } from './sentence-format.ts'
import {
  channelChoice,
  channelsLeftOut,
  grouped,
  nameOf,
  placeOfPreference,
  preferredNotTried,
  Sentence,
  type SentencePart,
  shown,
  unique,
  type Words,
} from './sentence-parts.ts'
import { englishSteps, type StepTexts } from './steps.ts'

export interface ForecastOptions {
  format: SentenceFormat
  /** The recipient as the reader knows them. */
  to?: string
  /** Default: English. */
  texts?: ForecastTexts
  /** The steps of decisions. Default: English. */
  steps?: StepTexts
}

/** From the reply of `POST /explain`. Pure: the same explanation gives the same sentence. */
export function forecast(
  explanation: Explanation,
  { format, to = '', texts = englishForecast, steps = englishSteps }: ForecastOptions,
): SentencePart[] {
  const s = new Sentence(texts, format, steps)
  const { status, due_at: until = 0, delayed_until: delayedUntil } = explanation.decision
  if (delayedUntil !== undefined) {
    s.answer([s.clause('wait', { until: delayedUntil, hours: has(explanation, 'hours_closed') })])
    s.continueWith(s.clause('asThingsAre'))
  }
  switch (status) {
    case 'ROUTED':
      goes(explanation, to, s)
      notTried(explanation, s)
      following(explanation, s)
      notAsUsual(explanation, s)
      if (explanation.decision.held_if_rejected) s.rest([s.clause('holdIfRejected')])
      unrendered(explanation, s)
      break
    case 'DELAYED':
      s.answer([s.clause('go', { to }), ...atOnce(explanation, s)])
      notTried(explanation, s)
      following(explanation, s)
      break
    case 'DIGESTED':
      s.answer([s.clause('joinDigest', { topic: paramsOf(explanation, 'digested')?.topic_id ?? '', until })])
      break
    case 'HELD':
      s.answer([s.clause('hold', { integrations: misconfigured(explanation) })])
      s.rest([s.clause('failAt', { until })])
      unrendered(explanation, s)
      break
    case 'SIMULATED':
      s.answer([s.clause('simulate', { rendered: renderedChannels(explanation) })])
      unrendered(explanation, s)
      break
    default:
      stops(explanation, s)
  }
  return s.parts
}

type Forecast = Sentence<ForecastTexts>

function stops({ decision, steps, rendered, candidates }: Explanation, s: Forecast): void {
  const failed = rendered.filter(hasFailed)
  if (failed.length > 0 && decision.reason !== 'EXPIRED') {
    s.answer([s.clause('notDeliver'), ': ', ...failures(failed, s)])
    return
  }
  const stop = stopOf(steps)
  s.answer([s.clause('notSend')])
  const leftOut = channelsLeftOut(decision.reason, { candidates, steps })
  for (const channels of leftOut) s.answer([s.clause('notTry', channels)])
  if (!stop && decision.reason === 'EXPIRED') {
    s.answer([s.clause('expires')])
    return
  }
  const isOfOthers = leftOut.length > 0 && stop?.code === 'no_providers'
  const choice = stop?.code === 'channels_opted_out' ? channelChoice(steps) : undefined
  const clause = isOfOthers ? s.clause('othersWithoutIntegration') : choice && s.clause('noneChosen', { choice })
  const why = clause?.text ?? (stop ? s.step(stop) : s.shown(decision.error))
  if (why !== '' && leftOut.length > 0) s.rest([why])
  else if (why !== '') s.answer([why])
  const place = stop && placeOfPreference(stop)
  if (place) s.rest([s.clause('preferencePlace', place)])
}

/** That it waits for its hours is said before. */
function stopOf(steps: readonly DecisionStep[]): DecisionStep | undefined {
  const stop = steps.find(({ outcome }) => outcome === 'stopped')
  return stop?.notes ? { ...stop, notes: stop.notes.filter(({ code }) => code !== 'hours_closed') } : stop
}

interface PossibleRoute {
  channel: Channel
  integration: string
  devices: number
  provider: string
  isFallback: boolean
  /** Why, and until about when, it is not called. `isProbed`: another call tests whether it works again. */
  deferral: { by: DeferralCause; until: number; isProbed: boolean } | undefined
  /** The error of its circuit breaker, where that is not closed. */
  error: string | undefined
}

type DeferralCause = NonNullable<RenderedCandidate['held_back']>

const isMailbox = ({ provider }: PossibleRoute) => provider === 'mailbox'

/** Those that would be called, in their order. */
const routesOf = ({ candidates, rendered }: Explanation): PossibleRoute[] =>
  rendered.filter(hasTurn).map((each) => {
    const { channel, provider, fallback = false } = each
    const devices = candidates.filter(
      ({ selected, device, ...other }) =>
        selected && device && other.channel === channel && other.integration === each.integration,
    )
    const { held_back: by, next_attempt_at: until = 0, circuit_breaker: breaker } = each
    return {
      ...{ channel, provider, integration: nameOf(each), devices: devices.length, isFallback: fallback },
      deferral: by && { by, until, isProbed: by === 'circuit_breaker' && breaker?.state === 'half_open' },
      error: breaker && shown(breaker.error),
    }
  })

const isCalled = ({ isFallback, deferral }: PossibleRoute) => !isFallback && !deferral

/** The ways that are taken at once; where none can be, the integration that has the first turn. */
function goes(explanation: Explanation, to: string, s: Forecast): void {
  const all = routesOf(explanation)
  const next = firstTurn(all)
  if (next) {
    s.answer([s.clause('notYet'), ': ', cause(next, s)])
    const { integration, deferral } = next
    if (deferral?.isProbed) s.rest([s.clause('turnAfterProbe', { integration })])
    else s.rest([s.clause('turnAt', { integration, at: untilOf(next) })])
  } else s.answer([s.clause('go', { to }), ...atOnce(explanation, s)])
}

function notTried(explanation: Explanation, s: Forecast): void {
  const first = explanation.rendered.filter((each) => hasTurn(each) && !each.fallback)
  const isFirst = ({ channel, integration }: Candidate) =>
    first.some((each) => each.channel === channel && each.integration === integration)
  if (first.length === 0) return
  for (const channels of preferredNotTried(explanation, isFirst)) s.rest([s.clause('notTry', channels)])
}

/** Undefined where some are called at once. */
const firstTurn = (all: readonly PossibleRoute[]): PossibleRoute | undefined =>
  all.some(isCalled)
    ? undefined
    : all.filter(({ isFallback }) => !isFallback).sort((left, right) => untilOf(left) - untilOf(right))[0]

const untilOf = ({ deferral }: PossibleRoute) => deferral?.until ?? 0

const cause = ({ deferral, integration, error = '' }: PossibleRoute, s: Forecast) =>
  s.clause(deferral?.by === 'limit' ? 'limitReached' : 'breakerOpen', { integration, error })

/** Those whose turn has come and that are not called, and those that are called to see whether they work again. */
function notAsUsual(explanation: Explanation, s: Forecast): void {
  const all = routesOf(explanation)
  const next = firstTurn(all)
  for (const way of all) {
    const { integration, deferral, error = '' } = way
    const isPassed = way !== next
    if (deferral?.isProbed && isPassed) s.rest([s.clause('leftOutMeanwhile', { integration, error })])
    else if (deferral && isPassed)
      s.rest([s.clause('leftOut', { integration, at: deferral.until, isLimit: deferral.by === 'limit', error })])
    else if (isCalled(way) && error !== '') s.rest([s.clause('probe', { integration, error })])
  }
}

/** Each after a space. */
function atOnce(explanation: Explanation, s: Forecast): Words[] {
  const called = routesOf(explanation).filter(isCalled)
  const real = called.filter((way) => !isMailbox(way))
  return (real.length > 0 ? real : called).flatMap((way, at) => [
    ...(at === 0 ? [] : [' ', s.clause('and')]),
    ...[' ', s.clause('by', way)],
  ])
}

/** The consequences of a failure; the mailbox keeps its messages on the server. */
function following(explanation: Explanation, s: Forecast): void {
  const all = routesOf(explanation)
  const later = all.filter(({ isFallback }) => isFallback)
  const isOne = all.length - later.length === 1
  const { criterion } = paramsOf(explanation, 'routed') ?? {}
  if (later.length > 0)
    s.rest([s.clause('follow', { ways: later, after: criterion ?? (isOne ? 'failure' : 'failures') })])
  const kept = all.filter(isMailbox)
  if (kept.length === 0) return
  if (kept.length === all.length) s.rest([s.clause('keep')])
  else s.rest([s.clause('keepOf', { channels: unique(kept.map(({ channel }) => channel)) })])
}

const hasFailed = ({ error }: RenderedCandidate) => error !== undefined
/** One that waits has its turn, and fails only then. */
const hasTurn = (candidate: RenderedCandidate) =>
  !hasFailed(candidate) || (candidate.held_back !== undefined && candidate.fallback === false)

function unrendered({ rendered }: Explanation, s: Forecast): void {
  const failed = rendered.filter(hasFailed)
  if (failed.length > 0) s.rest(failures(failed, s))
}

const failures = (failed: readonly RenderedCandidate[], s: Forecast): Words[] =>
  grouped(failed, ({ error = '' }) => error).flatMap((group, at) => [
    ...(at === 0 ? [] : ['; ']),
    s.clause('notRendered', { integrations: unique(group.map(nameOf)), error: shown(group[0].error) }),
  ])

const renderedChannels = ({ rendered }: Explanation) =>
  unique(rendered.filter((each) => !hasFailed(each)).map(({ channel }) => channel))

/** Those that a repair would make usable: switched on, set up, accepted by their providers again. */
const misconfigured = ({ candidates, rendered }: Explanation) => {
  const refusing = rendered.filter(({ held_back: by, fallback }) => by !== undefined && fallback === false)
  const off = candidates.filter(({ reason }) => reason === 'MISSING_CONFIGURATION')
  return unique((refusing.length > 0 ? refusing : off).map(nameOf))
}

const notesOf = ({ steps }: Explanation) => steps.flatMap((step) => [step, ...(step.notes ?? [])])
const has = (explanation: Explanation, code: DecisionStep['code']) =>
  notesOf(explanation).some((note) => note.code === code)

function paramsOf<Code extends keyof DecisionParamsByCode>(
  explanation: Explanation,
  code: Code,
): DecisionParamsByCode[Code] | undefined {
  const note = notesOf(explanation).find((each) => each.code === code)
  return note?.params as DecisionParamsByCode[Code] | undefined
}
