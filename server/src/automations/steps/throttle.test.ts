/** Throttles: who is counted together, and when it is over. */

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { HOUR, MINUTE } from '../../base/time/duration.ts'
import { type RunInput, simulateRuns } from '../simulation/simulate-runs.harness.ts'

const send = { action: 'send', template: 'digest', recipient: 'owner' }

describe('a throttle', () => {
  const throttled = (fields: JsonObject = {}) => [
    { action: 'throttle', max_allowed: 2, period: 'PT1H', ...fields },
    send,
  ]
  const runs = (...after: number[]): RunInput[] => after.map((ms) => ({ after: ms }))

  test('lets so many runs pass in a period, which begins with the first; the others end throttled', async () => {
    const simulated = await simulateRuns(
      throttled(),
      runs(0, 10 * MINUTE, 50 * MINUTE, 59 * MINUTE, HOUR, HOUR + MINUTE),
    )
    expect(simulated.sent().map(({ after }) => after / MINUTE)).toEqual([0, 10, 60, 61])
    expect(simulated.run(2).status).toBe('THROTTLED')
    expect(simulated.run(2).steps.get(0)).toMatchObject({
      status: 'THROTTLED',
      reason: 'The 2 runs allowed in PT1H have passed already',
    })
  })

  test('counts for all recipients, for one recipient, or for a key', async () => {
    const started = ['u', 'u', 'v', 'u'].map((recipient, n) => ({ context: { recipient, data: { n } } }))
    const passed = async (fields: JsonObject) =>
      (await simulateRuns(throttled(fields), started)).sent().map(({ data }) => data.n)
    expect(await passed({})).toEqual([0, 1])
    expect(await passed({ scope: 'user' })).toEqual([0, 1, 2])
    expect(await passed({ scope: 'dynamic', throttle_key: '${recipient}', max_allowed: 1 })).toEqual([0, 2])
  })

  test('may lead to a later step instead of the end', async () => {
    const steps = [
      { action: 'throttle', max_allowed: 1, period: 'PT1H', on_throttle: { $node_id: 'tell' }, should_alert: true },
      { ...send, template: 'usual' },
      { ...send, template: 'too-often', ref: 'tell' },
    ]
    const simulated = await simulateRuns(steps, runs(0, 1))
    expect(simulated.sent().map(({ event }) => event)).toEqual(['usual', 'too-often', 'too-often'])
    expect(simulated.run(1).status).toBe('PROCESSED')
  })

  test('a throttle of one automation does not count the runs of another', async () => {
    const other = { steps: [...throttled(), { action: 'delay', duration: '1 day' }] }
    expect((await simulateRuns(throttled(), [{}, {}, { automation: other }])).sent()).toHaveLength(3)
    const template = await simulateRuns(throttled({ max_allowed: 1 }), [
      { templateId: 'T1' },
      { templateId: 'T2' },
      { templateId: 'T1' },
    ])
    expect(template.sent()).toHaveLength(2)
  })
})
