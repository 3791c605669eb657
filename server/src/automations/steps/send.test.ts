/** Conditions, and what the step `send` sends. */
import { idempotencyLifetimeMs, idempotencyLifetimeMsMax, idempotencyLifetimeMsMin } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR, SECOND } from '../../base/time/duration.ts'
import { START, simulateRuns } from '../simulation/simulate-runs.harness.ts'

const hello = { action: 'send', template: 'hello', recipient: 'ada' }

describe('a condition', () => {
  const steps = [{ ...hello, if: "data.foo === 'send-it'" }]
  test('a true condition executes the step', async () => {
    expect((await simulateRuns(steps, [{ context: { data: { foo: 'send-it' } } }])).sent()).toHaveLength(1)
  })
  test('a false condition skips the step, with the reason, and the run is finished', async () => {
    const simulated = await simulateRuns(steps, [{ context: { data: { foo: 'other' } } }])
    expect(simulated.sent()).toEqual([])
    expect(simulated.run(0).status).toBe('PROCESSED')
    expect(simulated.run(0).steps.get(0)).toMatchObject({
      status: 'SKIPPED',
      reason: "`data.foo === 'send-it'` is not true",
    })
  })
  test('a condition that fails skips the step, with the reason', async () => {
    const long = 'x'.repeat(60_000)
    const endless = `${'data.t + '.repeat(40)}data.t`
    const simulated = await simulateRuns([{ ...hello, if: endless }, hello], [{ context: { data: { t: long } } }])
    expect(simulated.statuses(0)).toEqual(['SKIPPED', 'PROCESSED'])
    expect(simulated.run(0).steps.get(0)?.reason).toContain('failed')
  })
  test('sees the result of an earlier message', async () => {
    const steps = [
      { ...hello, ref: 'outreach' },
      { action: 'delay', duration: '1 day' },
      { ...hello, template: 'again', if: 'refs.outreach.status < MessageStatus.Opened' },
    ]
    const opened = await simulateRuns(steps, [{}], { statusOf: (ref) => (ref === 'outreach' ? 'OPENED' : 'SENT') })
    const unopened = await simulateRuns(steps, [{}], { statusOf: () => 'DELIVERED' })
    expect(opened.sent().map(({ event }) => event)).toEqual(['hello'])
    expect(unopened.sent().map(({ event }) => event)).toEqual(['hello', 'again'])
  })
  test('sees the stored profile of the recipient below the one of the run', async () => {
    const steps = [{ ...hello, if: "profile.plan === 'pro' && profile.city === 'Graz'" }]
    const context = { recipient: 'ada', profile: { city: 'Graz' } }
    const simulated = await simulateRuns(steps, [{ context }], { profiles: { ada: { plan: 'pro', city: 'Linz' } } })
    expect(simulated.sent()).toHaveLength(1)
  })
})

describe('send', () => {
  test('takes missing fields from the run, and merges data and profile over those of the run', async () => {
    const context = {
      recipient: 'ada',
      template: 'hello',
      brand: 'acme',
      data: { a: { x: 1, y: 1 }, b: 1 },
      profile: { email: 'ada@example.com', name: 'Ada' },
    }
    const { sends } = await simulateRuns(
      [{ action: 'send', data: { a: { y: 2 } }, profile: { name: 'A.' } }],
      [{ context }],
    )
    expect(sends[0]?.send.input).toEqual({
      event: 'hello',
      template: 'hello',
      recipient: 'ada',
      brand: 'acme',
      data: { a: { x: 1, y: 2 }, b: 1 },
      profile: { email: 'ada@example.com', name: 'A.' },
    })
    expect(sends[0]?.send.marks).toEqual({ runId: sends[0]?.runId })
  })
  test('without a recipient anywhere ends the run with an error, and later steps do not start', async () => {
    const simulated = await simulateRuns([{ action: 'send', template: 'hello' }, hello])
    expect(simulated.run(0)).toMatchObject({ status: 'ERROR', error: expect.stringContaining('steps.0 (send)') })
    expect(simulated.statuses(0)).toEqual(['ERROR'])
  })
  test('fills in references, templates and refs; what came in is data and not looked at again', async () => {
    const data = { who: 'ada', name: 'A', evil: '${data.who}', nested: { list: [{ id: 7 }] } }
    const steps = [
      {
        action: 'send',
        template: 'hello',
        recipient: { $ref: 'data.who' },
        data: {
          greeting: 'Dear ${data.name} of ${data.nested.list[0].id}',
          whole: { $ref: 'data.nested' },
          ref: 'refs.data.name',
          evil: { $ref: 'data.evil' },
          kept: '\\${data.name}',
          absent: { $ref: 'data.nothing' },
          inherited: { $ref: 'data.toString' },
        },
      },
    ]
    const simulated = await simulateRuns(steps, [{ context: { data } }])
    expect(simulated.sent()[0]).toMatchObject({
      to: 'ada',
      data: {
        greeting: 'Dear A of 7',
        whole: { list: [{ id: 7 }] },
        ref: 'A',
        evil: '${data.who}',
        kept: '${data.name}',
      },
    })
    for (const key of ['absent', 'inherited']) expect(Object.keys(simulated.sent()[0]?.data ?? {})).not.toContain(key)
  })
  test('with a message of the second generation goes to the recipient it names, or to the recipient of the run', async () => {
    const content = { title: 'Hi', body: 'There' }
    const steps = [
      { action: 'send', message: { to: { user_id: 'bob', email: 'bob@example.com' }, content, data: { b: 2 } } },
      { action: 'send', message: { content } },
      { action: 'send', message: { to: [{ user_id: 'x' }, { user_id: 'y' }], content } },
    ]
    const context = { recipient: 'ada', data: { a: 1 }, profile: { email: 'ada@example.com' } }
    const { sends, requests } = await simulateRuns(steps, [{ context }])
    expect(sends.map(({ send: { input } }) => input)).toMatchObject([
      { recipient: 'bob', profile: { email: 'bob@example.com' }, data: { a: 1, b: 2 }, content },
      { recipient: 'ada', profile: { email: 'ada@example.com' }, data: { a: 1 } },
    ])
    expect(requests[0]?.addressing.targets).toMatchObject([
      { kind: 'users', users: [{ recipient: 'x' }, { recipient: 'y' }] },
    ])
  })
  test('to another recipient leaves the profile of the run with its own recipient', async () => {
    const message = (to: string) => ({ to: { user_id: to }, content: { title: 'Hi', body: 'There' } })
    const steps = ['bob', 'ada'].map((to) => ({ action: 'send', message: message(to) }))
    const context = { recipient: 'ada', profile: { phone_number: '+43 1 234' } }
    const { sends } = await simulateRuns(steps, [{ context }])
    expect(sends.map(({ send: { input } }) => input.profile ?? {})).toEqual([{}, context.profile])
  })
  test('a message with a delay is not due before the delay is over', async () => {
    const message = { to: { user_id: 'bob' }, content: { title: 'Hi', body: 'There' }, delay: { duration: HOUR } }
    const { sends } = await simulateRuns([{ action: 'send', message }])
    expect(sends[0]?.send.notBefore).toBe(START + HOUR)
  })
  test.each([
    ['for 25 hours', undefined, idempotencyLifetimeMs],
    ['until a time', new Date(START + 2 * DAY).toISOString(), 2 * DAY],
    ['until a time in seconds', (START + 2 * DAY) / SECOND, 2 * DAY],
    ['until a time in milliseconds, as a string', String(START + 2 * DAY), 2 * DAY],
    ['for a day at least, for a time in the past', '2020-01-01T00:00:00Z', idempotencyLifetimeMsMin],
    ['for a year at most, for a time far away', '2040-01-01T00:00:00Z', idempotencyLifetimeMsMax],
  ])('keeps a key %s', async (_, idempotency_expiry, lifetimeMs) => {
    const keyed = { ...hello, idempotency_key: 'k', ...(idempotency_expiry !== undefined && { idempotency_expiry }) }
    const started = [0, lifetimeMs - 1, lifetimeMs].map((after) => ({ after }))
    expect((await simulateRuns([keyed], started)).sent().map(({ after }) => after)).toEqual([0, lifetimeMs])
  })
  test('with a key that was used is not sent again', async () => {
    const keyed = { ...hello, idempotency_key: 'welcome-${data.id}' }
    const contexts = [1, 1, 2].map((id) => ({ context: { data: { id } } }))
    expect((await simulateRuns([keyed], contexts)).sent()).toHaveLength(2)
  })
  test('gives the same message the same id however often the step starts', async () => {
    const [first, second] = [await simulateRuns([hello, hello]), await simulateRuns([hello, hello])]
    expect(first.sends.map(({ id }) => id)).toEqual(second.sends.map(({ id }) => id))
    expect(new Set(first.sends.map(({ id }) => id)).size).toBe(2)
  })
})
