/** Order, keys, failures and the limit of work that is done one at a time. */
import { expect, test } from 'vitest'
import { createKeyedLock } from './keyed-lock.ts'

const full = () => new Error('full')

test('under one key in order, under another at the same time', async () => {
  const oneAtATime = createKeyedLock(full)
  const log: string[] = []
  const work = (name: string) => async () => {
    log.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    log.push(`${name} ends`)
    return name
  }
  const all = [oneAtATime('a', work('a1')), oneAtATime('a', work('a2')), oneAtATime('b', work('b1'))]
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1'])
  expect(log.indexOf('a1 ends')).toBeLessThan(log.indexOf('a2 begins'))
  expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'))
})

test('a failure is its own caller’s, and the next one is done', async () => {
  const oneAtATime = createKeyedLock(full)
  const failed = oneAtATime('a', () => Promise.reject(new Error('no')))
  const next = oneAtATime('a', async () => 'yes')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('beyond the limit it is refused, and taken again when there is room', async () => {
  const oneAtATime = createKeyedLock(full, 2)
  const first = oneAtATime('a', async () => 1)
  const second = oneAtATime('a', async () => 2)
  await expect(oneAtATime('a', async () => 3)).rejects.toThrow('full')
  expect(await Promise.all([first, second])).toEqual([1, 2])
  expect(await oneAtATime('a', async () => 4)).toBe(4)
})
