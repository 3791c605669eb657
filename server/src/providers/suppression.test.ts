/** Which results suppress an address, and for which reason. */
import { expect, test } from 'vitest'
import { suppressionBy } from './suppression.ts'

const to = { address: 'Ada@Example.com' }
const address = { kind: 'email', address: 'ada@example.com' }

test.each([
  [{ gone: 'hard_bounce' }, 'hard_bounce'],
  [{ kind: 'bounced', gone: 'invalid_address' }, 'invalid_address'],
  [{ kind: 'complained' }, 'complaint'],
  [{ kind: 'unsubscribed' }, 'unsubscribed'],
] as const)('%o suppresses: %s', (result, reason) => {
  expect(suppressionBy(result, 'email', to)).toEqual({ ...address, reason })
})

test('nothing else suppresses, and nothing without an address', () => {
  for (const result of [{}, { kind: 'bounced' }, { kind: 'delivered' }, { kind: 'opened' }] as const)
    expect(suppressionBy(result, 'email', to)).toBeUndefined()
  expect(suppressionBy({ kind: 'complained' }, 'email', undefined)).toBeUndefined()
  expect(suppressionBy({ gone: 'hard_bounce' }, 'inbox', to)).toBeUndefined()
})
