/** Many callers share a commit, each gets the result of its own item, and a bad item fails alone. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DatabaseRefused, DatabaseUnavailable } from '../database/engine.ts'
import { type GroupCommitOptions, groupCommit } from './group-commit.ts'

interface Options extends Partial<GroupCommitOptions<string, string>> {
  onFlush?: (items: readonly string[]) => Promise<void> | void
}

function commits({ onFlush, ...options }: Options = {}) {
  const flushes: string[][] = []
  const commit = groupCommit<string, string>({
    itemsMax: 500,
    bytesMax: 1_000,
    bytesOf: (item) => item.length,
    async flush(items) {
      flushes.push([...items])
      await onFlush?.(items)
      return items.map((item) => `${item}!`)
    },
    ...options,
  })
  return { flushes, commit }
}
const refusesBad = (items: readonly string[]) => {
  if (items.includes('bad')) throw new DatabaseRefused('no', '22021')
}

test('items of the same turn share one commit and get their own result', async () => {
  const { flushes, commit } = commits()
  expect(await Promise.all(['a', 'b', 'c'].map(commit.add))).toEqual(['a!', 'b!', 'c!'])
  expect(flushes).toEqual([['a', 'b', 'c']])
})

test('while one commit is in progress the next collects', async () => {
  let finish = () => {}
  const first = new Promise<void>((resolve) => {
    finish = resolve
  })
  let markStarted = () => {}
  const started = new Promise<void>((resolve) => {
    markStarted = resolve
  })
  const { flushes, commit } = commits({
    onFlush: (items) => {
      markStarted()
      return items.includes('a') ? first : undefined
    },
  })
  const added = [commit.add('a')]
  await started
  added.push(commit.add('b'), commit.add('c'))
  expect(flushes).toEqual([['a']])
  expect(commit.pending).toBe(3)
  finish()
  await Promise.all(added)
  expect(flushes).toEqual([['a'], ['b', 'c']])
})

test('a commit holds no more items and bytes than it may; what is larger goes alone; the order stays', async () => {
  const items = fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(items, fc.integer({ min: 1, max: 8 }), async (all, itemsMax) => {
      const { flushes, commit } = commits({ itemsMax, bytesMax: 10 })
      await Promise.all(all.map(commit.add))
      expect(flushes.flat()).toEqual(all)
      for (const flush of flushes) {
        expect(flush.length).toBeLessThanOrEqual(itemsMax)
        if (flush.length > 1) expect(flush.join('').length).toBeLessThanOrEqual(10)
      }
    }),
  )
})

test('when data are invalid only the invalid item fails', async () => {
  const { flushes, commit } = commits({ onFlush: refusesBad })
  const results = await Promise.allSettled(['a', 'bad', 'b'].map(commit.add))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(flushes).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']])
})

test('any other error fails all items, and the next commit is tried', async () => {
  let down = true
  const { flushes, commit } = commits({
    onFlush: () => {
      if (down) throw new DatabaseUnavailable('down')
    },
  })
  const results = await Promise.allSettled(['a', 'b'].map(commit.add))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(flushes).toHaveLength(1)
  down = false
  expect(await commit.add('c')).toBe('c!')
})

test('drained means that nothing is pending', async () => {
  const { commit } = commits({ itemsMax: 1 })
  const results: string[] = []
  for (const item of ['a', 'b', 'c']) void commit.add(item).then((result) => results.push(result))
  await commit.drained()
  expect(results).toEqual(['a!', 'b!', 'c!'])
  expect(commit.pending).toBe(0)
  await commit.drained()
})

test('at a pace, what comes soon after a flush shares the next one', async () => {
  const flushed: number[][] = []
  const commit = groupCommit<number, number>({
    intervalMs: () => 50,
    itemsMax: 10,
    bytesMax: 100,
    bytesOf: () => 1,
    async flush(items) {
      flushed.push([...items])
      return items
    },
  })
  await commit.add(1)
  const second = commit.add(2)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  await Promise.all([second, commit.add(3)])
  expect(flushed).toEqual([[1], [2, 3]])
})
