/** Mistakes in the users of a job are named, the first of many, in bounded time. */
import { expect, test } from 'vitest'
import { withinWork } from '../base/processor-time.harness.ts'
import { userMistakes } from './user-mistakes.ts'

test.each([
  ['a field misspelled', [{ recpient: 'ada' }], ['Unknown field `recpient` at users.0. Did you mean `recipient`?']],
  [
    'a field misspelled in many',
    [{ recipient: 'ada' }, { recipient: 'bob', dta: {} }, { recipient: 'cy', dta: {} }],
    ['Unknown field `dta` at users.1 and 1 more. Did you mean `data`?'],
  ],
  [
    'a field that is like no other',
    [{ recipient: 'ada', plan: 'pro' }],
    [
      'Unknown field `plan` at users.0. A user has `recipient`, `user_id`, `email`, `profile`, `data`, `preferences`, `to`.',
    ],
  ],
  [
    'a key of `to` misspelled',
    [{ to: { user_id: 'ada', emial: 'ada@example.com' } }],
    ['Unknown field `emial` at users.0.to. Did you mean `email`?'],
  ],
  [
    'preferences misspelled',
    [{ recipient: 'ada', preferences: { notificatons: {} } }],
    ['Unknown field `notificatons` at users.0.preferences. Did you mean `notifications`?'],
  ],
  [
    'a time zone that is none',
    [{ recipient: 'ada' }, { recipient: 'bob', profile: { zoneinfo: 'Europe/Berln' } }],
    ['`Europe/Berln`, the time zone of users.1, does not exist, and is not used. Did you mean `Europe/Berlin`?'],
  ],
  [
    'names of prototypes',
    [JSON.parse('{"recipient": "ada", "data": {"__proto__": 1}, "profile": {"constructor": 1}}')],
    [],
  ],
  ['an absent field', [{ recipient: 'ada', recpient: null }], []],
])('%s', (_name, users: Record<string, unknown>[], warnings) => expect(userMistakes(users)).toEqual(warnings))

test('the first of many mistakes are named', () => {
  const users = Array.from({ length: 1_000 }, (_, n) => ({
    [`dta${n}x`]: 1,
    profile: { zoneinfo: `Europe/Berln${n}` },
  }))
  expect(userMistakes(users)).toHaveLength(30)
})

test('the time is bounded', async () => {
  const keys = (prefix: string) => Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${prefix}${n}x`, 1]))
  const users = Array.from({ length: 1_000 }, (_, n) => ({
    ...keys(`emails${n}`),
    to: { user_id: 'ada', ...keys(`timezon${n}`) },
    profile: { zoneinfo: `Europe/Berln${n}` },
  }))
  await withinWork(500, () => userMistakes(users))
})
