/** The file of a simulation in its three forms, and what is shown of the answer. */
import type { Simulation } from '@postrider/client'
import { describe, expect, test } from 'vitest'
import { terminal } from '../terminal.ts'
import { bodyOf, simulationText } from './simulate.ts'

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

  test('may be the body of a simulation', () => {
    const file = { automation: { steps }, context: { recipient: 'ada' }, fetched: {}, profiles: { ada: { a: 1 } } }
    expect(bodyOf(file, {})).toEqual(file)
    expect(bodyOf(file, { profile: { b: 2 } }).profiles).toEqual({ ada: { a: 1, b: 2 } })
  })

  test('must name a recipient for a profile', () => {
    expect(() => bodyOf({ steps }, { profile: { a: 1 } })).toThrow('--profile needs a recipient')
  })
})

test('the timeline says when what goes to whom by which channel, and why a step was skipped', () => {
  const step = { run_id: 'r', at: '2026-03-02T09:00:00.000Z' }
  const simulation: Simulation = {
    start: '2026-03-02T09:00:00.000Z',
    end: '2026-03-04T12:00:00.000Z',
    complete: true,
    runs: [{ run_id: 'r', source: ['simulation'], status: 'ERROR', error: 'steps.2 (send): no\u001b[31m recipient' }],
    timeline: [
      {
        ...step,
        position: 0,
        action: 'send',
        status: 'PROCESSED',
        messages: [{ message_id: 'm', recipient: 'ada', event: 'hello', channels: ['email', 'sms'] }],
      },
      { ...step, position: 1, action: 'delay', status: 'PROCESSED', waited_ms: 183_600_000 },
      { ...step, position: 2, action: 'send', status: 'SKIPPED', reason: '`data.a` is not true' },
    ],
  }
  const text = simulationText(terminal({ json: false, colour: false }), simulation)
  expect(text.split('\n')).toEqual([
    'WHEN                      STEP  ACTION  STATUS     WHAT',
    '2026-03-02 09:00:00.000Z  0     send    PROCESSED  hello to ada by email, sms',
    '2026-03-02 09:00:00.000Z  1     delay   PROCESSED  waited 2 days 3 hours',
    '2026-03-02 09:00:00.000Z  2     send    SKIPPED    `data.a` is not true',
    '',
    'ERROR: steps.2 (send): no recipient',
    'Over after 2 days 3 hours.',
  ])
})
