/** A thousand random automations, simulated, do what a naive model predicts. */

import type { JsonObject } from '@postrider/server/internal/base/json/json'
import { MINUTE } from '@postrider/server/internal/base/time/duration'
import { expect, test } from 'vitest'
import { chance } from '../crash/chance.ts'
import { isLong } from '../support/long.ts'
import {
  type Begin,
  becomes,
  type Condition,
  type Flat,
  type Plan,
  predict,
  type Step,
  type Strategy,
} from './model.ts'
import { simulateRuns } from './simulate-runs.ts'

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
        ask: async ({ url }) => ({
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
  const { between } = chance(seed)
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
