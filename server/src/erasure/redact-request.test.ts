/** A request without one of its recipients goes on where it was, and keeps what it keeps for the others only. */
import { expect, test } from 'vitest'
import { standsAt, withoutPerson } from './redact-request.ts'

const ada = { recipient: 'ada', profile: { email: 'ada@example.com' } }
const bob = { recipient: 'bob' }
const request = (targets: unknown[], progress: string | null = null) => ({
  id: 'r',
  due_at: null,
  input: JSON.stringify({ event: 'e', data: { secret: 1 } }),
  targets: JSON.stringify({ targets, marks: { traceId: 't' }, notBefore: 5 }),
  progress,
})

test('the places of the others stay, and so does what is shared with them', () => {
  const before = request([
    { kind: 'users', users: [ada, bob, ada] },
    { kind: 'list', listId: 'l' },
  ])
  const { removed, targets, input } = withoutPerson(before, 'ada')
  expect([removed, input]).toEqual([2, before.input])
  expect(JSON.parse(targets)).toEqual({
    targets: [
      { kind: 'users', users: [null, bob, null] },
      { kind: 'list', listId: 'l' },
    ],
    marks: { traceId: 't' },
    notBefore: 5,
  })
})

test('with its last recipient goes what was shared', () => {
  const { targets, input } = withoutPerson(request([{ kind: 'users', users: [null, ada] }]), 'ada')
  expect(JSON.parse(input)).toEqual({ event: 'e' })
  expect(JSON.parse(targets)).toEqual({ targets: [{ kind: 'users', users: [null, null] }], notBefore: 5 })
})

test.each([
  [null, false],
  ['', false],
  ['{"target":0,"after":3}', false],
  ['{"target":0,"after":"ada"}', true],
  ['{"target":0,"after":"adam"}', false],
  [JSON.stringify({ target: 0, after: JSON.stringify({ group: 'l', after: 'ada' }) }), true],
  [JSON.stringify({ target: 0, after: JSON.stringify({ group: 'ada', after: 'adam' }) }), false],
])('progress %s stands at ada: %s', (progress, stands) => {
  expect(standsAt({ progress }, 'ada')).toBe(stands)
})

test('a place that names the person is forgotten, any other stays', () => {
  const progressOf = (after: unknown) =>
    withoutPerson(request([{ kind: 'list', listId: 'l' }], JSON.stringify({ target: 0, after })), 'ada').progress
  expect([progressOf('ada'), progressOf('bob')]).toEqual(['{"target":0,"after":null}', '{"target":0,"after":"bob"}'])
})
