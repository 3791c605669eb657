/** The watchdog's findings from its samples. */
import { expect, test } from 'vitest'
import type { Activity } from '../base/activity.ts'
import { createObserver, SAMPLE_MS } from './watchdog.ts'

const poison: Activity = { kind: 'message', id: 'm', what: 'deciding' }

/** Samples every half second; `sample` says how the main thread is at that time, in seconds from the beginning. */
function watch(seconds: number, sample: (second: number) => { turns: number; sections: number; activity?: Activity }) {
  const observe = createObserver(0)
  const said: string[] = []
  for (let now = 0; now <= seconds * 1_000; now += SAMPLE_MS)
    for (const { kind } of observe({ activity: undefined, ...sample(now / 1_000) }, now))
      said.push(`${kind} ${now / 1_000}`)
  return said
}

test('a thread that turns is no concern, however long its activities seem', () => {
  expect(watch(100, (second) => ({ turns: second, sections: second, activity: poison }))).toEqual([])
  expect(watch(100, (second) => ({ turns: second, sections: 0 }))).toEqual([])
})

test('an activity that holds the thread is suspected after a second, stalls after five, is unresponsive after sixty', () => {
  expect(watch(100, () => ({ turns: 1, sections: 1, activity: poison }))).toEqual([
    'suspected 1',
    'stalled 5',
    'unresponsive 60',
  ])
})

test('one that ends before is cleared, one that ends afterwards is not', () => {
  const until = (end: number) => (second: number) =>
    second < end ? { turns: 1, sections: 1, activity: poison } : { turns: second, sections: 2 }
  expect(watch(10, until(3))).toEqual(['suspected 1', 'cleared 3'])
  expect(watch(10, until(7))).toEqual(['suspected 1', 'stalled 5', 'resumed 7'])
})

test('a thread that stands still over many short activities is stalled, and none of them is suspected', () => {
  expect(watch(8, (second) => ({ turns: 1, sections: second, activity: poison }))).toEqual(['stalled 5'])
})

test('each activity and each standstill is a finding of its own', () => {
  const twice = (second: number) =>
    second < 6 || (second >= 8 && second < 14)
      ? { turns: second < 6 ? 1 : 2, sections: second < 6 ? 1 : 3, activity: poison }
      : { turns: 100 + second, sections: second < 8 ? 2 : 4 }
  expect(watch(16, twice)).toEqual(['suspected 1', 'stalled 5', 'resumed 6', 'suspected 9', 'stalled 13', 'resumed 14'])
})

test('time in which the whole process was stopped does not count', () => {
  const observe = createObserver(0)
  const still = { turns: 1, sections: 1, activity: poison }
  expect([0, 500, 60_000, 60_500].flatMap((now) => observe(still, now))).toEqual([])
  expect([61_000, 61_500].flatMap((now) => observe(still, now))).toMatchObject([{ kind: 'suspected' }])
})
