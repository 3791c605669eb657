/** The axis keeps one scale, and folds gaps that are longer than everything else. */
import { expect, test } from 'vitest'
import { axisOf, fitting } from './axis.ts'

const rounded = (values: readonly number[]) => values.map((value) => Math.round(value * 10) / 10)

test('without a long gap the axis is one scale from the acceptance to the last event', () => {
  const axis = axisOf([
    { from: 0, to: 8 },
    { from: 10, to: 200 },
  ])
  expect(axis.folds).toEqual([])
  expect(rounded([0, 50, 100, 200].map(axis.place))).toEqual([0, 22.5, 45, 90])
  expect(axis.ticks.map(({ ms }) => ms)).toEqual([0, 50, 100, 150, 200])
})

test('a gap that is longer than all work together is folded, and the scale goes on behind it', () => {
  const axis = axisOf([
    { from: 0, to: 9 },
    { from: 14, to: 202 },
    { from: 204, to: 371 },
    { from: 5_410, to: 5_613 },
  ])
  expect(axis.folds.map(({ ms }) => ms)).toEqual([5_039])
  const [fold] = axis.folds
  expect(fold!.to - fold!.from).toBe(8)
  // The same length on both sides of the fold.
  expect(axis.place(5_513) - axis.place(5_413)).toBeCloseTo(axis.place(200) - axis.place(100))
  expect(axis.place(5_613)).toBeCloseTo(90)
  const around = [axis.place(371), axis.place(5_410)]
  expect(around).toEqual([fold!.from, fold!.to].map((at) => expect.closeTo(at)))
  for (const { at, from } of axis.ticks) {
    expect(at <= fold!.from || at >= fold!.to).toBe(true)
    expect(from).toBe(at >= fold!.to ? 5_410 : 0)
  }
})

test('each gap that is longer than the work is folded; many folds share their place', () => {
  const starts = [0, 5_000, 15_000, 35_000, 75_000, 155_000, 315_000, 635_000]
  const axis = axisOf(starts.map((from) => ({ from, to: from + 100 })))
  expect(axis.folds).toHaveLength(7)
  expect(axis.folds.reduce((width, { from, to }) => width + to - from, 0)).toBeLessThanOrEqual(48.01)
  expect(axis.place(635_100)).toBeCloseTo(90)
})

test('gaps of milliseconds are kept, and one event alone has a place', () => {
  expect(
    axisOf([
      { from: 0, to: 1 },
      { from: 31, to: 31 },
    ]).folds,
  ).toEqual([])
  const alone = axisOf([{ from: 0, to: 0 }])
  expect([alone.place(0), alone.place(10), alone.ticks.map(({ ms }) => ms)]).toEqual([0, 0, [0]])
})

test.each([
  ['one attempt a minute', (at: number) => at * 60_000],
  ['attempts that are twice as far apart each time', (at: number) => 2 ** at * 5_000],
])('some labels of twelve attempts are shown, and none overlaps another: %s', (_, startOf) => {
  const starts = Array.from({ length: 12 }, (_, at) => startOf(at))
  const { ticks, folds } = axisOf(starts.map((from) => ({ from, to: from + 80 })))
  const labels = [
    ...ticks.map(({ at }) => ({ at, width: 9 })),
    ...folds.map(({ from, to }) => ({ at: (from + to) / 2, width: 8 })),
  ]
  const shown = fitting(labels).toSorted((a, b) => a.at - b.at)
  expect(shown.length).toBeGreaterThan(4)
  expect(shown[0]?.at).toBe(0)
  for (const [at, label] of shown.entries()) {
    const before = shown[at - 1]
    if (before) expect(label.at - label.width / 2).toBeGreaterThanOrEqual(before.at + before.width / (at === 1 ? 1 : 2))
  }
})

test('the first of two labels that overlap is shown', () => {
  const [wide, narrow, beside] = [
    { at: 30, width: 20 },
    { at: 38, width: 10 },
    { at: 45, width: 10 },
  ] as const
  expect(fitting([wide, narrow, beside])).toEqual([wide, beside])
  expect(fitting([narrow, wide, beside])).toEqual([narrow])
})

test.each([3, 40, 371, 2_000, 90_000, 5 * 3_600_000, 40 * 86_400_000])('%d ms have at most ten ticks', (to) => {
  const { ticks } = axisOf([{ from: 0, to }])
  expect(ticks.length).toBeGreaterThan(1)
  expect(ticks.length).toBeLessThanOrEqual(10)
  for (const [at, tick] of ticks.entries()) if (at > 0) expect(tick.at - ticks[at - 1]!.at).toBeGreaterThanOrEqual(9)
})
