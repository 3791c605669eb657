/** Named parameters become numbered ones, once, whatever else has a colon. */
import { expect, test } from 'vitest'
import { named } from './query.ts'

const counted = named<'at' | 'id'>('counted', `select :id::bigint, 'user:matched', :at::text where at < :at`)

test('each name is one parameter, and neither casts nor texts are names', () => {
  expect(counted({ at: 7, id: 'a' })).toEqual({
    name: 'counted',
    text: `select $1::bigint, 'user:matched', $2::text where at < $2`,
    values: ['a', 7],
  })
})

test('a parameter without a value is an error that names it', () => {
  expect(() => counted({ id: 'a' } as never)).toThrow('The statement counted has no value for at')
})
