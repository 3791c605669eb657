/** Which filters a message may come to match after it was accepted. */
import { expect, test } from 'vitest'
import { type Filters, matchesLate, queryOf } from './filters.ts'

test.each<[Filters, boolean]>([
  [{}, false],
  [{ recipient: 'ada', event: 'welcome', tag: ['a'], list: 'l', trace: 't' }, false],
  [{ status: ['DELIVERED'] }, true],
  [{ provider: ['smtp'] }, true],
  [{ notification: 'welcome' }, true],
])('%o: %s', (filters, late) => expect(matchesLate(queryOf(filters))).toBe(late))
