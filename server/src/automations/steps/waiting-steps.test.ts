/** The steps that wait and that end the waiting of others, under a virtual clock. */

import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../base/time/duration.ts'
import { START, simulateRuns } from '../simulation/simulate-runs.harness.ts'

const hello = { action: 'send', template: 'hello', recipient: 'ada' }

describe('delay', () => {
  const wait = (fields: object) => [{ action: 'delay', ...fields }, hello]
  const dayAfter = async (fields: object, context = {}, profiles = {}) =>
    (await simulateRuns(wait(fields), [{ context }], { profiles })).sent()[0]?.after
  test.each([
    ['2 minutes', 2 * MINUTE],
    ['1 hour', HOUR],
    ['3 days', 3 * DAY],
    ['1 week', 7 * DAY],
    ['PT90S', 90 * SECOND],
    ['P1DT1H', DAY + HOUR],
  ])('a delay of %s', async (duration, ms) => {
    expect(await dayAfter({ duration })).toBe(ms)
    expect(await dayAfter({ delayFor: duration })).toBe(ms)
  })
  test('counts months and years as in the calendar, in UTC', async () => {
    expect(await dayAfter({ duration: '1 month' })).toBe(31 * DAY)
    expect(await dayAfter({ duration: 'P1Y' })).toBe(365 * DAY)
  })
  test('until a time of any spelling; a past time is not waited for', async () => {
    expect(await dayAfter({ until: '2026-03-02T10:00:00Z' })).toBe(HOUR)
    expect(await dayAfter({ until: '20260302T100000.000' })).toBe(HOUR)
    expect(await dayAfter({ until: '2020-01-01T00:00:00Z' })).toBe(0)
    expect(await dayAfter({ until: { $ref: 'data.when' } }, { data: { when: '2026-03-02T12:00:00+01:00' } })).toBe(
      2 * HOUR,
    )
  })
  test('until a time of day in the zone beside it, or in the one of the profile', async () => {
    expect(await dayAfter({ until: '2026-03-02T12:00:00', timezone: 'Europe/Vienna' })).toBe(2 * HOUR)
    const context = { recipient: 'ada' }
    const profiles = { ada: { timezone: 'America/New_York' } }
    expect(await dayAfter({ until: '2026-03-02T12:00:00' }, context, profiles)).toBe(8 * HOUR)
    const both = { ada: { zoneinfo: 'Europe/Vienna', timezone: 'America/New_York' } }
    expect(await dayAfter({ until: '2026-03-02T12:00:00' }, context, both)).toBe(2 * HOUR)
  })
  test('until hours are open, across the change to and from daylight saving time', async () => {
    // In Vienna the clocks go from 02:00 to 03:00 on the 29th of March, and from 03:00 to 02:00 on the 25th of October.
    const at = async (from: number, until: string) => {
      const steps = [
        { action: 'delay', until: new Date(from).toISOString() },
        ...wait({ until, timezone: 'Europe/Vienna' }),
      ]
      return START + ((await simulateRuns(steps)).sent()[0]?.after ?? 0)
    }
    expect(await at(Date.UTC(2026, 2, 28, 12), 'Mo-Su 09:00-10:00')).toBe(Date.UTC(2026, 2, 29, 7))
    expect(await at(Date.UTC(2026, 2, 27, 12), 'Mo-Su 09:00-10:00')).toBe(Date.UTC(2026, 2, 28, 8))
    expect(await at(Date.UTC(2026, 9, 24, 12), 'Mo-Su 09:00-10:00')).toBe(Date.UTC(2026, 9, 25, 8))
    // A time that the change skips is the one after it.
    expect(await at(Date.UTC(2026, 2, 28, 12), '2026-03-29T02:30:00')).toBe(Date.UTC(2026, 2, 29, 1, 30))
    expect(await at(Date.UTC(2026, 2, 28, 12), '2026-10-25T02:30:00')).toBe(Date.UTC(2026, 9, 25, 0, 30))
  })
  test('a started delay ends at its original time, even if the referenced value changes', async () => {
    const zone = { profile: { timezone: 'gone' }, action: 'update-profile', recipient_id: 'ada' }
    const steps = wait({ until: '2026-03-02T12:00:00', timezone: { $ref: 'profile.timezone' } })
    const profiles = { ada: { timezone: 'Europe/Vienna' } }
    const started = [{ context: { recipient: 'ada' } }, { after: MINUTE, automation: { steps: [zone] } }]
    const simulated = await simulateRuns(steps, started, { profiles })
    expect(simulated.sent().map(({ after }) => after)).toEqual([2 * HOUR])
    expect(simulated.run(0).steps.get(0)?.result).toEqual({ until: '2026-03-02T11:00:00.000Z', waited_ms: 2 * HOUR })
  })
  test('until a day that no calendar has ends the run with an error', async () => {
    const steps = wait({ until: { $ref: 'data.when' }, timezone: 'Europe/Vienna' })
    const simulated = await simulateRuns(steps, [{ context: { data: { when: '2026-02-30T08:00' } } }])
    expect(simulated.run(0).error).toContain('until must be an ISO 8601 timestamp')
  })
  test('without an end waits for nothing; an end that leads nowhere is not left out', async () => {
    const steps = wait({})
    const simulated = await simulateRuns(steps)
    expect([simulated.sent()[0]?.after, simulated.run(0).status]).toEqual([0, 'PROCESSED'])
    const lost = await simulateRuns(wait({ until: { $ref: 'data.no' } }))
    expect(lost.run(0).error).toBe('steps.0 (delay): until is `data.no`, which leads to no value')
  })
  test('a reference to an unusable value ends the run with an error', async () => {
    const simulated = await simulateRuns(wait({ duration: { $ref: 'data.no' } }))
    expect(simulated.run(0).error).toBe('steps.0 (delay): duration is `data.no`, which leads to no value')
    const bad = await simulateRuns(wait({ duration: '${data.x} moons' }), [{ context: { data: { x: 2 } } }])
    expect(bad.run(0).error).toContain('duration must be a whole number with a unit')
  })
})

describe('cancel', () => {
  const sleeper = {
    steps: [{ action: 'delay', duration: '1 day' }, hello],
    cancelation_token: '${data.order}-reminder',
  }
  const canceler = { steps: [{ action: 'cancel', cancelationToken: 't1-reminder' }] }
  test('ends every other run in progress that holds the token, and no other', async () => {
    const simulated = await simulateRuns(
      [],
      [
        { automation: sleeper, context: { data: { order: 't1' } } },
        { automation: sleeper, context: { data: { order: 't1' } } },
        { automation: sleeper, context: { data: { order: 't2' } } },
        { automation: canceler, after: HOUR },
      ],
    )
    expect([0, 1, 2, 3].map((number) => simulated.run(number).status)).toEqual([
      'CANCELED',
      'CANCELED',
      'PROCESSED',
      'PROCESSED',
    ])
    expect(simulated.sent()).toHaveLength(1)
    expect(simulated.run(3).steps.get(0)?.result).toEqual({ cancelation_token: 't1-reminder', canceled: 2 })
  })
  test('leaves the run itself alone, so that a reminder can begin anew', async () => {
    const steps = [{ action: 'cancel', cancelation_token: 't' }, { action: 'delay', duration: '1 day' }, hello]
    const automation = { steps, cancelation_token: 't' }
    const simulated = await simulateRuns([], [{ automation }, { automation, after: HOUR }])
    expect(simulated.sent().map(({ after }) => after)).toEqual([DAY + HOUR])
  })
  test('precedes a wait that ends at the same time, in any order of the starts', async () => {
    const wait = { steps: [{ action: 'delay', duration: '1 hour' }, hello], cancelation_token: 't1-reminder' }
    const late = { steps: [{ action: 'delay', duration: '1 hour' }, ...canceler.steps] }
    for (const [automation, after] of [
      [canceler, HOUR],
      [late, 0],
    ] as const) {
      const simulated = await simulateRuns([], [{ automation: wait }, { automation, after }])
      expect([simulated.run(0).status, simulated.sent()]).toEqual(['CANCELED', []])
    }
  })
})
