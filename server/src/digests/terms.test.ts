/** The retained events are shown, and all are counted. */
import type { DigestCategory } from '@postrider/contract'
import { expect, test } from 'vitest'
import { allEvents, categoriesOf, digestData, type Kept, rankOf } from './terms.ts'

const category = (category_key: string, more: Partial<DigestCategory> = {}): DigestCategory => ({
  ...allEvents,
  category_key,
  ...more,
})
const terms = (...categories: DigestCategory[]) => ({ template: 't', categories })
const kept = (position: number, rank: number | null, key = 'likes'): Kept => ({
  category: key,
  position,
  rank,
  data: JSON.stringify({ n: position }),
})
const shown = (category: DigestCategory, events: Kept[]) =>
  digestData(terms(category), { likes: 9 }, events).likes?.items.map(({ n }) => n)

test('an event belongs to every category whose key it has, and to the first when it has none', () => {
  const both = terms(category('likes'), category('comments'))
  const names = (data: object) => categoriesOf(both, { ...data }).map(({ category_key }) => category_key)
  expect(names({ comments: {} })).toEqual(['comments'])
  expect(names({ likes: 1, comments: {} })).toEqual(['likes', 'comments'])
  expect(names({ toString: 1 })).toEqual(['likes'])
  expect(names({ constructor: 1 })).toEqual(['likes'])
})

test('numbers and times are compared; with LOWEST the lowest ranks first', () => {
  const highest = category('likes', { retain: 'HIGHEST', sort_key: 'post.likes' })
  expect(rankOf(highest, { post: { likes: 7 } })).toBe(7)
  expect(rankOf(highest, { post: { likes: '7.5' } })).toBe(7.5)
  expect(rankOf(highest, { post: { likes: '2026-01-05' } })).toBe(Date.UTC(2026, 0, 5))
  expect(rankOf({ ...highest, retain: 'LOWEST' }, { post: { likes: 7 } })).toBe(-7)
  for (const likes of [undefined, null, 'many', {}, [1], Number.NaN])
    expect(rankOf(highest, { post: { likes } })).toBeNull()
  expect(rankOf(highest, {})).toBeNull()
  expect(rankOf(category('likes'), { post: { likes: 7 } })).toBeNull()
})

test('first and last items are in order of arrival, ranked items by rank, items without a value at the end', () => {
  const two = { limit: 2 }
  expect(shown(category('likes', two), [kept(2, -2), kept(1, -1), kept(3, -3)])).toEqual([1, 2])
  expect(shown(category('likes', { ...two, retain: 'LAST' }), [kept(2, 2), kept(1, 1), kept(3, 3)])).toEqual([2, 3])
  const highest = category('likes', { ...two, retain: 'HIGHEST', sort_key: 'l' })
  expect(shown(highest, [kept(1, null), kept(2, 5), kept(3, 8), kept(4, 5)])).toEqual([3, 2])
  expect(shown({ ...highest, limit: 10 }, [kept(1, null), kept(2, 5), kept(3, 8), kept(4, 5)])).toEqual([3, 2, 4, 1])
})

test('all are counted, and a category without events is there with none', () => {
  const both = terms(category('likes', { limit: 1 }), category('comments'))
  expect(digestData(both, { likes: 12 }, [kept(1, -1), kept(2, -2)])).toEqual({
    likes: { count: 12, items: [{ n: 1 }] },
    comments: { count: 0, items: [] },
  })
})

test('the events of a category that was removed since are still shown', () => {
  expect(digestData(terms(category('comments')), { likes: 1 }, [kept(1, -1)])).toEqual({
    comments: { count: 0, items: [] },
    likes: { count: 1, items: [{ n: 1 }] },
  })
})
