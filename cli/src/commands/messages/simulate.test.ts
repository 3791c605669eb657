/** The file of a simulation in its three forms, and what is shown of the answer. */
import type { Simulation } from '@postrider/client'
import { describe, expect, test } from 'vitest'
import { terminal } from '../../terminal.ts'
import type { Step } from './simulate/texts.ts'
import { simulationText } from './simulate/timeline.ts'
import { bodyOf } from './simulate.ts'

const steps = [{ action: 'send', template: 'hello' }]

describe('the file', () => {
  test('may be an automation', () => {
    expect(
      bodyOf({ steps }, { recipient: 'ada', data: { a: 1 }, profile: { email: 'e' }, start: '2026-01-01' }),
    ).toEqual({
      automation: { steps },
      context: { recipient: 'ada', data: { a: 1 } },
      profiles: { ada: { email: 'e' } },
      start: '2026-01-01',
    })
  })

  test('may be the body of an invoke, whose recipient the profile is for', () => {
    const file = { automation: { steps }, recipient: 'ada', data: { a: 1, b: 1 } }
    expect(bodyOf(file, { data: { b: 2 }, profile: { email: 'e' } })).toEqual({
      automation: { steps },
      context: { recipient: 'ada', data: { a: 1, b: 2 } },
      profiles: { ada: { email: 'e' } },
    })
  })

  test('may be a template as it is shown', () => {
    const named = { id: 'a', name: 'A', alias: 'b', version: 2, createdAt: at, updatedAt: at, triggers: [] }
    expect(bodyOf({ ...named, automation: { steps } }, {})).toEqual({ automation: { steps }, context: {} })
  })

  test('may be the body of a simulation', () => {
    const file = { automation: { steps }, context: { recipient: 'ada' }, fetched: {}, profiles: { ada: { a: 1 } } }
    expect(bodyOf(file, {})).toEqual(file)
    expect(bodyOf(file, { profile: { b: 2 } }).profiles).toEqual({ ada: { a: 1, b: 2 } })
  })

  test('must name a recipient for a profile', () => {
    expect(() => bodyOf({ steps }, { profile: { a: 1 } })).toThrow('--profile needs a recipient')
  })
})

const at = '2026-03-02T09:00:00.000Z'
const shown = (part: Partial<Simulation>) =>
  simulationText(terminal({ json: false, color: false }), {
    start: at,
    end: '2026-03-04T12:00:00.000Z',
    complete: true,
    runs: [{ run_id: 'r', source: ['simulation'], status: 'PROCESSED' }],
    timeline: [],
    digests: [],
    ...part,
  }).split('\n')

test('the timeline says when what goes to whom by which channel, and why a step was skipped', () => {
  const text = shown({
    runs: [{ run_id: 'r', source: ['simulation'], status: 'ERROR', error: 'steps.2 (send): no\u001b[31m recipient' }],
    timeline: [
      {
        ...{ at, run_id: 'r', position: 0, action: 'send', status: 'PROCESSED' },
        messages: [{ message_id: 'm', recipient: 'ada', event: 'hello', channels: ['email', 'sms'] }],
      },
      {
        ...{ at, run_id: 'r', position: 1, action: 'delay', status: 'PROCESSED', waited_ms: 183_600_000 },
        result: { until: '2026-03-04T12:00:00.000Z', waited_ms: 183_600_000 },
      },
      { at, run_id: 'r', position: 2, action: 'send', status: 'SKIPPED', reason: '`data.a` is not true' },
    ],
  })
  expect(text).toEqual([
    'WHEN                      STEP  STATUS     WHAT',
    '2026-03-02 09:00:00.000Z  0     PROCESSED  send hello to ada by email, sms',
    '2026-03-02 09:00:00.000Z  1     PROCESSED  wait 2 days 3 hours until 2026-03-04 12:00:00Z',
    '2026-03-02 09:00:00.000Z  2     SKIPPED    send skipped: `data.a` is not true',
    '',
    '1 run: 1 ERROR, over after 2 days 3 hours.',
    '',
    'ERROR: steps.2 (send): no recipient',
  ])
})

test('a message that goes later says when', () => {
  const nothing = { steps: [], candidates: [], rendered: [], profile: {} }
  const unroutable = { decision: { status: 'UNROUTABLE' as const }, ...nothing }
  const later = { message_id: 'm', recipient: 'ada', event: 'hello', due_at: '2026-03-02T11:00:00.000Z' }
  const [, row] = shown({
    timeline: [
      {
        ...{ at, run_id: 'r', position: 0, action: 'send', status: 'PROCESSED' },
        messages: [
          { ...later, channels: ['email'] },
          { ...later, channels: [], explanation: unroutable },
        ],
      },
    ],
  })
  expect(row?.slice(48)).toBe(
    'hello to ada by email at 2026-03-02 11:00:00Z; hello to ada at 2026-03-02 11:00:00Z, which would be UNROUTABLE',
  )
})

test('a digest stands where it is released', () => {
  const step = { run_id: 'r', action: 'add-to-digest', status: 'PROCESSED', result: { subscription_topic_id: 'news' } }
  const [, ...rows] = shown({
    timeline: [
      { ...step, at, position: 0 } as Step,
      { ...step, at: '2026-03-04T09:00:00.000Z', position: 1, action: 'get-profile', status: 'SKIPPED' } as Step,
    ],
    digests: [
      {
        ...{ topic_id: 'news', schedule_id: 's', recipient: 'ada', collected: 2, opened_at: at },
        released_at: '2026-03-03T09:00:00.000Z',
        message: { message_id: 'm', recipient: 'ada', event: 'summary', channels: ['email'] },
      },
    ],
  })
  expect(rows.slice(0, 3)).toEqual([
    '2026-03-02 09:00:00.000Z  0     PROCESSED  keep the data for the digest of news',
    '2026-03-03 09:00:00.000Z        RELEASED   the digest of news with 2 events: send summary to ada by email',
    '2026-03-04 09:00:00.000Z  1     SKIPPED    get-profile skipped',
  ])
})

test.each<[string, Partial<Step>, string]>([
  ['delay', { result: { until: at, waited_ms: 0 } }, 'no wait: the time is in the past'],
  ['cancel', { result: { cancelation_token: 'cart/7', canceled: 1 } }, 'cancel 1 run that holds cart/7'],
  ['cancel', { result: { cancelation_token: 'cart/7', canceled: 0 } }, 'cancel 0 runs that hold cart/7'],
  ['fetch-data', { result: { status: 200, bytes: 34, tries: 1 } }, 'fetch 34 bytes'],
  [
    'fetch-data',
    { result: { status: 200, bytes: 34, tries: 3 }, waited_ms: 15_000 },
    'fetch 34 bytes in 3 tries, after 15 seconds',
  ],
  ['update-profile', { result: { recipient_id: 'ada', merge: 'overwrite' } }, 'write the profile of ada (overwrite)'],
  ['get-profile', { result: { user_id: 'ada', found: true } }, 'read the profile of ada'],
  ['get-profile', { result: { user_id: 'bob', found: false } }, 'read the profile of bob, which is not there'],
  ['invoke', { result: { runId: 'r' } }, 'start run 1'],
  ['throttle', { result: { max_allowed: 3, period: 'PT1H' } }, 'pass the throttle of 3 in PT1H'],
  [
    'throttle',
    { status: 'THROTTLED', reason: 'The 3 runs allowed in PT1H have passed already' },
    'throttle reached: The 3 runs allowed in PT1H have passed already',
  ],
  ['add-to-batch', { result: { added: true }, reason: 'added to an open batch' }, 'add to the open batch, and end'],
  [
    'add-to-batch',
    { result: { count: 30, items: 10 }, waited_ms: 60_000 },
    'wait 1 minute for the batch, and go on with 30 items, of which 10 are kept',
  ],
  ['add-to-digest', { result: { subscription_topic_id: 'news' } }, 'keep the data for the digest of news'],
  ['send-list', { request: { to: ['list team'], recipients: 0 } }, 'send to list team, 0 recipients'],
  [
    'send',
    { request: { to: ['a', 'b', 'c', 'd', 'e'].map((name) => `user ${name}`), recipients: 5 } },
    'send to user a, user b, user c and 2 more, 5 recipients',
  ],
  [
    'send-list',
    {
      request: { to: ['list team'], recipients: 1_000, more: true },
      messages: [
        { message_id: 'm', recipient: 'ada', event: 'hello', channels: ['email'] },
        { message_id: 'n', recipient: 'bob', event: 'hello', channels: ['sms'] },
      ],
    },
    'send to list team, 1000 recipients or more: hello to ada by email; hello to bob by sms',
  ],
  ['send-list', { result: { runs: 1 } }, 'start 1 run, one for each subscriber'],
  [
    'send',
    { result: { key_used: true }, reason: 'the idempotency key was used already' },
    'send nothing: the idempotency key was used already',
  ],
  ['send', { status: 'ERROR', reason: 'template is required' }, 'send failed: template is required'],
  ['delay', { status: 'CANCELED', reason: 'waits until 2026' }, 'delay canceled by another run while it waited'],
  ['delay', { status: 'WAITING', reason: 'waits until 2026' }, 'delay waiting: waits until 2026'],
])('a %s with %j is shown in words', (action, step, words) => {
  const timeline = [{ at, run_id: 'r', position: 0, action, status: 'PROCESSED', ...step } as Step]
  expect(shown({ timeline })[1]?.split(/ {2,}/).at(-1)).toBe(words)
})

test('hundreds of runs: each error is shown in full, with the number of runs for each result', () => {
  const long = `steps.0 (fetch-data): ${'x'.repeat(300)}`
  const runs = Array.from({ length: 300 }, (_, n) => ({
    ...{ run_id: `r${n}`, source: ['simulation'] },
    ...(n === 250 ? { status: 'ERROR' as const, error: 'steps.1 (send): rare' } : { status: 'PROCESSED' as const }),
    ...(n % 25 === 1 && { status: 'ERROR' as const, error: long }),
  }))
  expect(shown({ runs }).slice(1)).toEqual([
    '',
    '300 runs: 287 PROCESSED, 13 ERROR, over after 2 days 3 hours.',
    '',
    `ERROR of runs 2, 27, 52, 77, 102, 127, 152, 177, 202, 227 and 2 more: ${long}`,
    'ERROR of run 251: steps.1 (send): rare',
  ])
})
