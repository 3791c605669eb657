/** The other thread reads exactly what is written. */
import { expect, test } from 'vitest'
import { activityMemory, countTurn, during, readActivity } from './activity.ts'

const now = () => readActivity(activityMemory)

test('an activity is named while it lasts, the one around it afterwards', () => {
  const before = now()
  const seen = during('message', 'm-1', 'deciding', () => {
    const inner = during('message', 'm-2', 'rendering it for email', () => now().activity)
    return [inner, now().activity]
  })
  expect(seen).toEqual([
    { kind: 'message', id: 'm-2', what: 'rendering it for email' },
    { kind: 'message', id: 'm-1', what: 'deciding' },
  ])
  expect(now().activity).toBeUndefined()
  expect(now().sections - before.sections).toBe(4)
})

test('one that throws has ended', () => {
  const fail = () => {
    throw new Error('no')
  }
  expect(() => during('task', 'watch', 'beginning its work', fail)).toThrow('no')
  expect(now().activity).toBeUndefined()
})

test('a long value is cut off', () => {
  const id = 'x'.repeat(1_000)
  expect(during('request', id, 'send', () => now().activity)).toEqual({
    kind: 'request',
    id: 'x'.repeat(256),
    what: 'send',
  })
})

test('turns are counted', () => {
  const { turns } = now()
  countTurn()
  expect(now().turns).toBe(turns + 1)
})
