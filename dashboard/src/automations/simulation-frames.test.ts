/** Frames of a simulation: steps, waits and messages at the time at which they are. */
import type { Simulation } from '@postrider/client'
import { expect, test } from 'vitest'
import { framesOf, messagesAt, stepsAt } from './simulation-frames.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 2, 2, hour)).toISOString()
const message = (id: string, due?: number) => ({
  ...{ message_id: id, recipient: 'ada', event: id, channels: ['email'] },
  ...(due !== undefined && { due_at: at(due) }),
})
const step = (position: number, start: number, fields: object = {}) => ({
  ...{ at: at(start), run_id: 'run', position, action: 'send', status: 'PROCESSED' as const, ended_at: at(start) },
  ...fields,
})
const simulation: Simulation = {
  start: at(9),
  end: at(12),
  complete: true,
  runs: [{ run_id: 'run', source: ['simulation'], status: 'PROCESSED' }],
  timeline: [
    step(0, 9, { messages: [message('first')] }),
    step(1, 9, { action: 'delay', waited_ms: 10_800_000, ended_at: at(12) }),
    step(2, 12, { messages: [message('late', 20)] }),
    step(3, 12, { status: 'SKIPPED', reason: 'no' }),
  ],
  digests: [
    {
      ...{ topic_id: 't', schedule_id: 's', recipient: 'ada', collected: 2, opened_at: at(9) },
      released_at: at(15),
      message: message('digest'),
    },
  ],
}
const frames = framesOf(simulation)

test('each step is a frame, and what goes later has one of its own, in order of time', () => {
  expect(frames.map(({ kind, at: time }) => [kind, new Date(time).getUTCHours()])).toEqual([
    ['step', 9],
    ['step', 9],
    ['step', 12],
    ['step', 12],
    ['digest', 15],
    ['message', 20],
    ['end', 20],
  ])
})

test('a step waits until the frame at the end of its wait, and later steps have not started', () => {
  const statuses = (index: number) => [...stepsAt(frames, index, 'run')].map(([key, { status }]) => [key, status])
  expect(statuses(1)).toEqual([
    [0, 'PROCESSED'],
    [1, 'WAITING'],
  ])
  expect(statuses(2)).toEqual([
    [0, 'PROCESSED'],
    [1, 'PROCESSED'],
    [2, 'PROCESSED'],
  ])
  expect(statuses(frames.length - 1).at(-1)).toEqual([3, 'SKIPPED'])
  expect(stepsAt(frames, 3, 'another').size).toBe(0)
})

test('a message counts from the time at which it would go', () => {
  const sent = (index: number) => messagesAt(frames, index).map(({ message: { message_id } }) => message_id)
  expect([sent(0), sent(3), sent(4), sent(6)]).toEqual([
    ['first'],
    ['first'],
    ['digest', 'first'],
    ['late', 'digest', 'first'],
  ])
})

test('a step that never ends waits in the last frame, too', () => {
  const { ended_at: _, ...waiting } = step(0, 9, { action: 'add-to-batch', status: 'WAITING', waited_ms: 5 })
  const open = framesOf({ ...simulation, timeline: [waiting as Simulation['timeline'][number]], digests: [] })
  expect(stepsAt(open, open.length - 1, 'run').get(0)?.status).toBe('WAITING')
})
