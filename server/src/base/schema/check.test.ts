/** An error names the first problem of a value, in lists and maps of any length, without reading all of it. */
import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { withinWork } from '../processor-time.harness.ts'
import { compileCheck, compileLiberalCheck } from './check.ts'

const { Array: List, Object: Fields, Optional, Record: Entries, String: Text, Union } = Type

const User = Fields({ id: Text({ minLength: 1 }), tags: Optional(List(Text(), { maxItems: 500 })) })
const schema = Fields({
  users: Optional(List(User, { maxItems: 100_000 })),
  by: Optional(Entries(Text(), Fields({ status: Text({ pattern: '^[A-Z]+$' }) }))),
  either: Optional(Union([List(Text()), List(Type.Number())])),
})
const users = (count: number, wrong: Record<number, unknown> = {}) =>
  Array.from({ length: count }, (_, index) => wrong[index] ?? { id: `user-${index}` })
const statuses = (count: number, wrong: object) => ({
  ...Object.fromEntries(users(count).map((_, index) => [`topic-${index}`, { status: 'IN' }])),
  ...wrong,
})

const messageOf = (check: (value: unknown) => unknown, value: unknown) => {
  try {
    check(value)
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

describe.each([
  ['a strict check', compileCheck(schema, 'body')],
  ['a liberal check', compileLiberalCheck(schema, 'body')],
])('%s', (_name, check) => {
  test.each<[string, unknown, string]>([
    ['an item of a short list', { users: users(3, { 2: { id: 7 } }) }, 'users.2.id must be a string'],
    ['an item of a long list', { users: users(90_000, { 71234: { id: 7 } }) }, 'users.71234.id must be a string'],
    ['the first of many', { users: users(90_000, { 5: {}, 6: { id: 7 } }) }, 'users.5.id is required'],
    [
      'a long list in a long list',
      { users: users(9_000, { 800: { id: 'a', tags: [...Array(400).fill('t'), 7] } }) },
      'users.800.tags.400 must be a string',
    ],
    ['too many items', { users: users(100_001) }, 'users must have at most 100000 items'],
    [
      'too many items in one',
      { users: users(300, { 250: { id: 'a', tags: Array(501).fill('t') } }) },
      'users.250.tags must have at most 500 items',
    ],
    [
      'an entry of a long map',
      { by: statuses(40_000, { other: { status: 'in' } }) },
      'by.other.status must match the pattern `^[A-Z]+$`',
    ],
    ['items of two alternatives', { either: [...Array(300).fill('a'), 1] }, 'either.300 must be a string'],
  ])('names %s', (_what, value, message) => {
    expect(messageOf(check, value)).toBe(message)
  })
})

test('a root that is too long', () => {
  expect(messageOf(compileCheck(List(Text(), { maxItems: 3 }) as TSchema, 'body'), Array(4).fill('a'))).toBe(
    'body must have at most 3 items',
  )
})

/** Four times what is allowed: the test may run on a slow machine. Looking for every fault took longer than that. */
const SLOW_MS = 1_000

test.each<[string, unknown]>([
  ['a fault at the end of a list', { users: users(100_000, { 99999: {} }) }],
  ['a fault in each item', { users: users(100_000).map(() => ({ id: '' })) }],
  ['too many items', { users: users(120_000) }],
  ['a fault in each entry', { by: Object.fromEntries(users(50_000).map((_, n) => [`t${n}`, { status: 'no' }])) }],
])('%s is named without looking for more', async (_what, value) => {
  const check = compileLiberalCheck(schema, 'body')
  messageOf(check, { users: users(1, { 0: {} }) })
  await withinWork(SLOW_MS, () => expect(messageOf(check, value)).toBeDefined())
})

test('100,000 items with something to read liberally in each are read at once', async () => {
  const check = compileLiberalCheck(Fields({ users: List(Fields({ id: Text(), data: Optional(Fields({})) })) }), 'body')
  const value = { users: users(100_000).map((user) => ({ ...(user as object), data: [] })) }
  let read: unknown
  await withinWork(SLOW_MS, () => {
    read = check(value)
  })
  expect((read as typeof value).users[99_999]).toEqual({ id: 'user-99999', data: {} })
})

test.each([
  [{ recpient: 'ada', event: 'e' }, 'recipient is required. Unknown field `recpient`. Did you mean `recipient`?'],
  [{ evnt: 'e' }, 'event, recipient are required. Unknown field `evnt`. Did you mean `event`?'],
  [
    { event: 'e', recipients: 'ada', data: {} },
    'recipient is required. Unknown field `recipients`. Did you mean `recipient`?',
  ],
  [{ event: 'e', other: 1 }, 'recipient is required'],
  [
    { event: 'e', recipient: 'ada', steps: [{ nmae: 'x' }] },
    'steps.0.name is required. Unknown field `nmae`. Did you mean `name`?',
  ],
])('a misspelled field beside a missing one is named: %j', (body, message) => {
  const Step = Type.Object({ name: Type.String() })
  const steps = Type.Optional(Type.Array(Step))
  const check = compileLiberalCheck(Type.Object({ event: Type.String(), recipient: Type.String(), steps }), 'body')
  expect(() => check(body)).toThrow(expect.objectContaining({ message }))
})
