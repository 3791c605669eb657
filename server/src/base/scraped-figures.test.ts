/** Scrapes share one read at a time, and a read that is slow or fails leaves the last figures. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sharedRead } from './scraped-figures.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Longer than scrapes share a read, and than one waits for it. */
const LATER_MS = 6_000
const SLOW_MS = 3 * LATER_MS

/** Reads take their turns from `steps`: a number is a result, an error is thrown. */
function scraping(steps: { afterMs: number; result: number | Error }[]) {
  let reads = 0
  const errors: unknown[] = []
  const read = async () => {
    const step = steps[reads]
    reads += 1
    await new Promise((resolve) => setTimeout(resolve, step?.afterMs))
    if (step?.result instanceof Error) throw step.result
    return step?.result
  }
  const figures = sharedRead(read, (error) => errors.push(error))
  const scrape = async () => {
    const figure = figures()
    await vi.advanceTimersByTimeAsync(LATER_MS)
    return figure
  }
  return { scrape, figures, errors, reads: () => reads }
}

test('concurrent scrapes share a read', async () => {
  const { figures, reads } = scraping([{ afterMs: 10, result: 1 }])
  const both = Promise.all([figures(), figures()])
  await vi.advanceTimersByTimeAsync(10)
  expect(await both).toEqual([1, 1])
  expect(await figures()).toBe(1)
  expect(reads()).toBe(1)
})

test('a read that fails leaves the last figures, and is reported', async () => {
  const { scrape, errors } = scraping([
    { afterMs: 0, result: 1 },
    { afterMs: 0, result: new Error('lost') },
    { afterMs: 0, result: 2 },
  ])
  expect([await scrape(), await scrape(), await scrape()]).toEqual([1, 1, 2])
  expect(errors).toEqual([new Error('lost')])
})

test('no second read starts while a slow one runs, whose figures the next scrape gets', async () => {
  const { scrape, figures, reads } = scraping([
    { afterMs: 0, result: 1 },
    { afterMs: SLOW_MS, result: 2 },
    { afterMs: SLOW_MS, result: 3 },
  ])
  expect([await scrape(), await scrape(), await scrape()]).toEqual([1, 1, 1])
  expect(reads()).toBe(2)
  // A scrape waits for a slow read once only.
  expect(await figures()).toBe(1)
  await vi.advanceTimersByTimeAsync(LATER_MS)
  expect(await scrape()).toBe(2)
  expect(reads()).toBe(3)
})

test('there are no figures before a read has succeeded', async () => {
  const { scrape } = scraping([{ afterMs: 0, result: new Error('lost') }])
  expect(await scrape()).toBeUndefined()
})
