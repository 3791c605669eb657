/** A wait ends with its value, with the limit of its test, or with the last value. */
import { describe, expect, test } from 'vitest'
import { msLeft, until } from './until.ts'

test('the first value that holds', async () => {
  let looks = 0
  const third = await until(
    async () => (looks += 1),
    (count) => count === 3,
  )
  expect(third).toBe(3)
})

test('the last value, when the time is over', async () => {
  const never = until(
    async () => ({ status: 'ROUTED' }),
    () => false,
    0,
  )
  await expect(never).rejects.toThrow('Not so within 0 ms; last seen: {"status":"ROUTED"}')
})

describe('the time that is left', () => {
  test('is nearly that of the test', { timeout: 600_000 }, () => {
    expect(msLeft()).toBeGreaterThan(300_000)
    expect(msLeft()).toBeLessThan(600_000)
  })

  test('whichever that is', { timeout: 900_000 }, () => expect(msLeft()).toBeGreaterThan(600_000))
})
