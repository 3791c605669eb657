/**
 * Random automations, simulated, end as a naive model predicts. The model has no commits, references or expressions:
 * only flat values and minutes.
 */

import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { isLong } from '../../base/long.harness.ts'
import { seededRandom } from '../../base/seeded-random.harness.ts'
import { MINUTE } from '../../base/time/duration.ts'
import { simulateRuns } from './simulate-runs.harness.ts'

const strategies: readonly Strategy[] = ['replace', 'overwrite', 'soft-merge', 'none']
const scopes = ['user', 'global', 'dynamic'] as const
const people = ['ada', 'bob', 'cy']
const tokens = ['t1', 't2']

/** By how far a message came. */
const statuses = ['UNDELIVERABLE', 'ENQUEUED', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED'] as const
const names = ['', 'Enqueued', 'Sent', 'Delivered', 'Opened', 'Clicked']

const CASES = isLong ? 1_000 : 300

test(`${CASES} random automations end as the model predicts`, async () => {
  const seen: Record<string, number> = {}
  for (let seed = 1; seed <= CASES; seed += 1) {
    const begins = draw(seed)
    const simulated = await simulateRuns(
      [],
      begins.map(({ plan, at, who, data }) => ({
        after: at * MINUTE,
        context: { recipient: who, data: { ...data } },
        automation: automationOf(plan),
      })),
      {
        sendRequest: async ({ url }) => ({
          kind: 'http',
          status: 200,
          headers: {},
          body: new URL(url).searchParams.get('a') ?? '',
        }),
        statusOf: (_ref, { send }) => statuses[becomes[send.input.event] ?? 0] ?? 'SENT',
      },
    )
    const { sent, ends } = predict(begins)
    const label = `seed ${seed}: ${JSON.stringify(begins)}`
    expect(
      begins.map((_, number) => simulated.run(number).status),
      label,
    ).toEqual(ends)
    expect(simulated.sent(), label).toEqual(sent.map(({ at, ...rest }) => ({ ...rest, after: at * MINUTE })))
    for (const end of [...ends, ...sent.map(() => 'sent')]) seen[end] = (seen[end] ?? 0) + 1
  }
  // The drawn automations reach every outcome, and often.
  for (const end of ['PROCESSED', 'CANCELED', 'THROTTLED', 'sent'])
    expect([end, seen[end]]).toEqual([end, expect.any(Number)])
  const { ERROR: errors = 0, ...others } = seen
  expect(Math.min(...Object.values(others))).toBeGreaterThan(CASES / 20)
  expect(errors).toBeGreaterThan(CASES / 100)
})

function draw(seed: number): Begin[] {
  const { between } = seededRandom(seed)
  const below = (bound: number) => between(0, bound - 1)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const flat = (): Flat => Object.fromEntries(['k', 'm', 'n'].slice(below(3)).map((key) => [key, below(3)]))
  const condition = (place: number): Condition =>
    place > 0 && below(3) === 0
      ? { of: 'message', step: below(place), least: below(2) === 0, status: 1 + below(5) }
      : { of: pick(['data', 'profile']), key: pick(['k', 'm', 'n']), is: below(2) === 0, value: below(3) }
  const step = (_: unknown, place: number): Step => ({ ...(below(3) === 0 && { if: condition(place) }), ...act() })
  const act = (): Step => {
    switch (below(9)) {
      case 0:
        return { do: 'wait', minutes: below(40) }
      case 1:
        return { do: 'cancel', token: pick(tokens) }
      case 2:
        return { do: 'fetch', answer: flat(), strategy: pick(strategies) }
      case 3:
        return { do: 'write', who: pick(people), profile: flat(), strategy: pick(strategies) }
      case 4:
        return { do: 'read', who: pick(people) }
      case 5:
        return { do: 'throttle', max: 1 + below(3), minutes: 1 + below(60), scope: pick(scopes) }
      case 6: {
        const quiet = 1 + below(30)
        return { do: 'collect', quiet, longest: quiet + below(30), max: 1 + below(4), scope: pick(scopes) }
      }
      default:
        return { do: 'send', event: `e${below(5)}`, data: flat() }
    }
  }
  const plans = Array.from(
    { length: 1 + below(3) },
    (): Plan => ({
      steps: Array.from({ length: 1 + below(8) }, step),
      ...(below(2) === 0 && { token: pick(tokens) }),
    }),
  )
  return Array.from({ length: 1 + below(7) }, () => ({
    plan: pick(plans),
    at: below(60),
    who: pick(people),
    data: { k: below(3), ...flat() },
  }))
}

/** The same in the words of the API, in one of the spellings that mean it. */
function automationOf({ steps, token }: Plan): JsonObject {
  return {
    steps: steps.map((step, place) => ({ ...spelled(step), ...guarded(step), ref: `s${place}` })),
    ...(token && { cancelation_token: token }),
  }
}

function guarded({ if: only }: Step): JsonObject {
  if (!only) return {}
  if (only.of !== 'message') return { if: `${only.of}.${only.key} ${only.is ? '===' : '!=='} ${only.value}` }
  return { if: `refs.s${only.step}.status ${only.least ? '>=' : '<'} MessageStatus.${names[only.status]}` }
}

function spelled(step: Step): JsonObject {
  switch (step.do) {
    case 'send':
      return { action: 'send', template: step.event, data: step.data }
    case 'wait':
      return { action: 'delay', duration: step.minutes % 2 ? `${step.minutes} minutes` : `PT${step.minutes}M` }
    case 'cancel':
      return { action: 'cancel', cancelation_token: step.token }
    case 'fetch':
      return {
        action: 'fetch-data',
        webhook: { url: 'https://x.example/', params: { a: step.answer } },
        merge_strategy: step.strategy,
      }
    case 'write':
      return { action: 'update-profile', recipient_id: step.who, profile: step.profile, merge: step.strategy }
    case 'read':
      return { action: 'get-profile', user_id: step.who, merge_strategy: 'overwrite' }
    case 'throttle':
      return {
        action: 'throttle',
        max_allowed: step.max,
        period: `PT${step.minutes}M`,
        scope: step.scope,
        ...(step.scope === 'dynamic' && { throttle_key: 'k${data.k}' }),
      }
    case 'collect':
      return {
        action: 'add-to-batch',
        wait_period: `PT${step.quiet}M`,
        max_wait_period: `PT${step.longest}M`,
        max_items: step.max,
        scope: step.scope,
        ...(step.scope === 'dynamic' && { batch_key: 'k${data.k}' }),
      }
  }
}

type Flat = Record<string, number>

/** `key is (not) value`; or the result of the message of an earlier step: at least, or less than, this. */
type Condition =
  | { of: 'data' | 'profile'; key: string; is: boolean; value: number }
  | { of: 'message'; step: number; least: boolean; status: number }

/** Enqueued is 1, sent 2, delivered 3, opened 4, clicked 5; who never got that far is at 0. */
const becomes: Readonly<Record<string, number>> = { e0: 0, e1: 2, e2: 3, e3: 4, e4: 5 }

type Step = { if?: Condition } & (
  | { do: 'send'; event: string; data: Flat }
  | { do: 'wait'; minutes: number }
  | { do: 'cancel'; token: string }
  | { do: 'fetch'; answer: Flat; strategy: Strategy }
  | { do: 'write'; who: string; profile: Flat; strategy: Strategy }
  | { do: 'read'; who: string }
  | { do: 'throttle'; max: number; minutes: number; scope: Scope }
  | { do: 'collect'; quiet: number; longest: number; max: number; scope: Scope }
)
type Strategy = 'replace' | 'overwrite' | 'soft-merge' | 'none'
type Scope = 'user' | 'global' | 'dynamic'

interface Plan {
  steps: Step[]
  token?: string
}

interface Begin {
  plan: Plan
  at: number
  who: string
  data: Flat
}

interface Expected {
  sent: { at: number; to: string; event: string; data: object }[]
  ends: string[]
}

interface Batch {
  key: string
  /** Undefined: it was canceled. */
  owner?: Run | undefined
  items: { of: Run; data: object }[]
  max: number
  closes: number
  latest: number
  /** When it became full. */
  full?: number
}

interface Run extends Omit<Begin, 'data'> {
  /** Flat, but for what a batch puts there. */
  data: Record<string, unknown>
  /** The events of its messages, by step. */
  sent: Record<number, string>
  next: number
  due: number
  waits?: Batch
  waited?: boolean
  end?: string
}

const mixed = (there: Flat, comes: Flat, strategy: Strategy): Flat => {
  if (strategy === 'replace') return comes
  if (strategy === 'none') return Object.keys(there).length > 0 ? there : comes
  const all = { ...there }
  for (const key of Object.keys(comes)) if (strategy === 'overwrite' || !(key in there)) all[key] = comes[key] as number
  return all
}

function predict(begins: readonly Begin[]): Expected {
  const expected: Expected = { sent: [], ends: [] }
  const runs: Run[] = begins.map((begin) => ({ ...begin, data: { ...begin.data }, sent: {}, next: 0, due: begin.at }))
  const counters: Record<string, number[]> = {}
  let batches: Batch[] = []
  const profiles: Record<string, Flat> = {}
  let now = 0

  const dueOf = ({ due, waits }: Run) => (waits ? (waits.full ?? waits.closes) : due)
  const keyOf = (run: Run, { scope }: { scope: Scope }) =>
    `${JSON.stringify(run.plan.steps)} ${run.next} ${scope === 'user' ? run.who : scope === 'dynamic' ? run.data.k : ''}`

  /** A cancellation that is due at a time comes before everything else due at that time. */
  const cancels = ({ plan: { steps }, next }: Run) => {
    const ahead = steps.slice(next)
    const wait = ahead.findIndex((step, index) => index > 0 && (step.do === 'wait' || step.do === 'collect'))
    return ahead.slice(0, wait < 0 ? ahead.length : wait).some((step) => step.do === 'cancel')
  }

  for (;;) {
    const run = runs
      .filter(({ end }) => !end)
      .sort((a, b) => dueOf(a) - dueOf(b) || Number(cancels(b)) - Number(cancels(a)))[0]
    const left = batches.filter(({ owner }) => !owner).sort((a, b) => (a.full ?? a.closes) - (b.full ?? b.closes))[0]
    const end = left && (left.full ?? left.closes)
    if (left && end !== undefined && end <= (run ? dueOf(run) : end)) {
      now = Math.max(now, end)
      const heir = left.items[0]?.of
      if (heir) {
        left.full ??= now
        left.owner = heir
        heir.waits = left
        delete heir.end
      } else batches = batches.filter((batch) => batch !== left)
      continue
    }
    if (!run) break
    now = Math.max(now, dueOf(run))
    while (!run.end) {
      const step = run.plan.steps[run.next]
      if (!step) run.end = 'PROCESSED'
      else if (!take(run, step)) break
    }
  }
  expected.ends = runs.map(({ end }) => end ?? '')
  return expected

  function holds(run: Run, only: Condition): boolean {
    if (only.of === 'message') {
      const event = run.sent[only.step]
      return event !== undefined && (becomes[event] as number) >= only.status === only.least
    }
    const there = only.of === 'data' ? run.data : profiles[run.who]
    return (there?.[only.key] === only.value) === only.is
  }

  /** False when it waits. */
  function take(run: Run, step: Step): boolean {
    const { if: only } = step
    if (only && !run.waited && !run.waits && !holds(run, only)) {
      run.next += 1
      return true
    }
    const isCounted = step.do === 'throttle' || step.do === 'collect'
    if (isCounted && step.scope === 'dynamic' && run.data.k === undefined) {
      run.end = 'ERROR'
      return true
    }
    if (step.do === 'throttle') {
      const key = keyOf(run, step)
      const first = counters[key]?.[0]
      if (first === undefined || now >= first + step.minutes) counters[key] = []
      const uses = counters[key] as number[]
      if (uses.length < step.max) uses.push(now)
      else run.end = 'THROTTLED'
    } else if (step.do === 'wait' && !run.waited) {
      if (step.minutes > 0) {
        run.due = now + step.minutes
        run.waited = true
        return false
      }
    } else if (step.do === 'collect') {
      if (!collect(run, step)) return run.end !== undefined
    } else act(run, step)
    run.waited = false
    run.next += 1
    return true
  }

  function act(run: Run, step: Step): void {
    if (step.do === 'send') {
      expected.sent.push({ at: now, to: run.who, event: step.event, data: { ...run.data, ...step.data } })
      run.sent[run.next] = step.event
    }
    if (step.do === 'fetch') run.data = mixed(run.data as Flat, step.answer, step.strategy)
    if (step.do === 'write') profiles[step.who] = mixed(profiles[step.who] ?? {}, step.profile, step.strategy)
    if (step.do === 'read') run.data = { ...run.data, ...profiles[step.who] }
    if (step.do === 'cancel')
      for (const other of runs)
        if (other !== run && !other.end && other.at <= now && other.plan.token === step.token) {
          other.end = 'CANCELED'
          const { waits } = other
          if (waits) {
            waits.owner = undefined
            waits.items = waits.items.filter(({ of }) => of !== other)
          }
        }
  }

  /** True when the batch is handed on. */
  function collect(run: Run, step: Step & { do: 'collect' }): boolean {
    const key = keyOf(run, step)
    if (run.waits) {
      const { items } = run.waits
      batches = batches.filter((batch) => batch !== run.waits)
      run.data = { ...run.data, batch: { count: items.length, items: items.map(({ data }) => data) } }
      delete run.waits
      return true
    }
    const there = batches.find((batch) => batch.key === key && batch.full === undefined && batch.closes > now)
    if (there) {
      there.items.push({ of: run, data: { ...run.data } })
      there.closes = Math.min(now + step.quiet, there.latest)
      if (there.items.length === there.max) there.full = now
      if (there.owner) run.end = 'PROCESSED'
      else {
        there.owner = run
        run.waits = there
      }
      return false
    }
    const latest = now + step.longest
    const items = [{ of: run, data: { ...run.data } }]
    const batch: Batch = { key, owner: run, items, max: step.max, closes: Math.min(now + step.quiet, latest), latest }
    if (step.max === 1) batch.full = now
    batches.push(batch)
    run.waits = batch
    return false
  }
}
