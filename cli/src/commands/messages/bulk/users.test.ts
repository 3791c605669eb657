/** A row is a user of a bulk job: whom to reach, with which values, always under the same id. */
import { expect, test } from 'vitest'
import type { Row } from '../../../rows/read.ts'
import { refuseUnplacedColumns, repeatCheck, userReader } from './users.ts'

const row = (values: Record<string, unknown>): Row => ({ line: 2, values: Object.entries(values), original: [] })
const userOf = (values: Record<string, unknown>, jobId = 'J', idColumn?: string) =>
  userReader(idColumn, {}, jobId)(row(values))

test('columns are members of the profile, the data and the preferences', () => {
  const values = {
    recipient: 'ada',
    email: 'a@b.c',
    'profile.address.city': 'X',
    'data.n:number': '2',
    'to.tenant_id': 't',
  }
  expect(userOf(values)).toEqual({
    user: {
      recipient: 'ada',
      profile: { email: 'a@b.c', address: { city: 'X' } },
      data: { n: 2 },
      to: { tenant_id: 't' },
    },
  })
})

test('an address without an id has the same id whenever it is added to the job', () => {
  const once = userOf({ email: 'a@b.c', 'data.n': '1' })
  expect(once).toEqual({ user: expect.objectContaining({ recipient: expect.stringMatching(/^anon_[0-9a-f]{32}$/) }) })
  expect(userOf({ email: 'a@b.c', 'data.n': '1' })).toEqual(once)
  expect(userOf({ email: 'a@b.c', 'data.n': '2' })).not.toEqual(once)
  expect(userOf({ email: 'a@b.c', 'data.n': '1' }, 'K')).not.toEqual(once)
})

test('a row without a recipient, and a column without a place, are problems', () => {
  expect(userOf({ 'data.n': '1' })).toEqual({ problem: 'The row has neither an id nor an address' })
  expect(userOf({ id: 'a', name: 'Ada' })).toEqual({
    problem: 'No field matches `name`: name it data.name or profile.name',
  })
  expect(() => refuseUnplacedColumns(['id', 'name'], 'id', {})).toThrow('No field matches the columns name')
  expect(refuseUnplacedColumns(['id', 'name'], 'id', { map: { name: 'data.name' } })).toBeUndefined()
})

test.each([
  ['data', { data: { name: 'Ada', tags: ['x'] } }],
  ['profile', { profile: { email: 'a@b.c', name: 'Ada', tags: ['x'] } }],
  ['ignore', {}],
] as const)('other columns belong to %s with --other-columns', (otherColumns, members) => {
  const rules = { otherColumns }
  expect(refuseUnplacedColumns(['id', 'name'], 'id', rules)).toBeUndefined()
  const read = userReader('id', rules, 'J')
  expect(read(row({ id: 'a', email: 'a@b.c', name: 'Ada', 'tags:json': '["x"]' }))).toEqual({
    user: { recipient: 'a', profile: { email: 'a@b.c' }, ...members },
  })
})

test('a second row of a recipient with other data is a problem, the same row again is a repetition', () => {
  const repeats = repeatCheck()
  expect(repeats({ recipient: 'a', data: { invoice: 1 } }, 2)).toBeUndefined()
  expect(repeats({ recipient: 'b', data: { invoice: 1 } }, 3)).toBeUndefined()
  expect(repeats({ recipient: 'a', data: { invoice: 1 } }, 4)).toBe('repeated')
  expect(repeats({ data: { invoice: 1 }, recipient: 'a' }, 4)).toBe('repeated')
  expect(repeats({ recipient: 'a', data: { invoice: 2 } }, 5)).toEqual({
    problem: 'The recipient is on line 2 with other data: a job has one message for each recipient',
  })
})
