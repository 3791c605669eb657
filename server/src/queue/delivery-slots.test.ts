/** Slots are never more than there are, no owner takes more than half, and every request is served. */
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSlots, type DeliverySlot } from './delivery-slots.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const WAIT_MS = 1_000
const giveBack = (slot: DeliverySlot) => slot.kind === 'free' && slot.release()

test('an owner takes half at most, also when no other owner is there', async () => {
  const slots = createSlots(4)
  await slots.acquire('a', WAIT_MS)
  await slots.acquire('a', WAIT_MS)
  const third = slots.acquire('a', WAIT_MS)
  expect(slots.used).toBe(2)
  expect(await slots.acquire('b', WAIT_MS)).toMatchObject({ kind: 'free' })
  await vi.advanceTimersByTimeAsync(WAIT_MS)
  expect(await third).toMatchObject({ kind: 'limited' })
})

test('a released slot goes to the longest waiting owner that may have it', async () => {
  const slots = createSlots(2)
  const [first, second] = [await slots.acquire('a', WAIT_MS), await slots.acquire('b', WAIT_MS)]
  const order: string[] = []
  for (const owner of ['b', 'a', 'c'])
    void slots.acquire(owner, WAIT_MS).then((granted) => granted.kind === 'free' && order.push(owner))
  giveBack(first)
  await vi.advanceTimersByTimeAsync(0)
  expect(order).toEqual(['a'])
  giveBack(second)
  await vi.advanceTimersByTimeAsync(0)
  expect(order).toEqual(['a', 'b'])
})

test('giving back twice is giving back once', async () => {
  const slots = createSlots(4)
  const slot = await slots.acquire('a', WAIT_MS)
  await slots.acquire('b', WAIT_MS)
  giveBack(slot)
  giveBack(slot)
  expect(slots.used).toBe(1)
})

test('a waiter that gave up takes no slot later', async () => {
  const slots = createSlots(2)
  const slot = await slots.acquire('a', WAIT_MS)
  const late = slots.acquire('a', WAIT_MS)
  await vi.advanceTimersByTimeAsync(WAIT_MS)
  expect((await late).kind).toBe('limited')
  giveBack(slot)
  expect(slots.used).toBe(0)
})

test('too many requests are refused at once, to return one after the other within half a minute', async () => {
  const slots = createSlots(8)
  for (let n = 0; n < 4; n += 1) await slots.acquire('a', WAIT_MS)
  void slots.acquire('a', WAIT_MS)
  const waits: number[] = []
  for (let n = 0; n < 10_000; n += 1) {
    const slot = await slots.acquire('a', WAIT_MS)
    if (slot.kind === 'limited') waits.push(slot.waitMs)
  }
  expect(waits).toHaveLength(10_000)
  expect(waits).toEqual([...waits].sort((left, right) => left - right))
  expect(waits[0]).toBeGreaterThan(0)
  expect(waits.at(-1)).toBe(30_000)
  expect(await slots.acquire('b', WAIT_MS)).toMatchObject({ kind: 'free' })
})

test('in every order of requests and releases the bounds hold and every waiting request is served', async () => {
  const moves = fc.array(fc.record({ owner: fc.constantFrom('a', 'b', 'c', 'd'), releases: fc.nat(3) }), {
    maxLength: 80,
  })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 9 }), moves, async (slotsMax, all) => {
      const slots = createSlots(slotsMax)
      const heldSlots: { owner: string; release: () => void }[] = []
      let waiting = 0
      const check = () => {
        expect(slots.used).toBe(heldSlots.length)
        expect(heldSlots.length).toBeLessThanOrEqual(slotsMax)
        for (const owner of 'abcd')
          expect(heldSlots.filter((slot) => slot.owner === owner).length).toBeLessThanOrEqual(
            Math.max(1, slotsMax >> 1),
          )
      }
      for (const { owner, releases } of all) {
        waiting += 1
        void slots.acquire(owner, WAIT_MS).then((slot) => {
          waiting -= 1
          if (slot.kind === 'free') heldSlots.push({ owner, release: slot.release })
        })
        await vi.advanceTimersByTimeAsync(0)
        for (let n = 0; n < releases; n += 1) heldSlots.shift()?.release()
        await vi.advanceTimersByTimeAsync(0)
        check()
      }
      // No time passes: they are served because slots come free, not because they give up.
      for (let n = 0; n < all.length && (waiting > 0 || heldSlots.length > 0); n += 1) {
        for (const { release } of heldSlots.splice(0)) release()
        await vi.advanceTimersByTimeAsync(0)
        check()
      }
      expect([waiting, slots.used]).toEqual([0, 0])
    }),
    { numRuns: 100 },
  )
})
