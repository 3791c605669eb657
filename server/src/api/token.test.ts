/** A token grants what its scope names. */
import { tokenScopes } from '@postrider/contract'
import { expect, test } from 'vitest'
import { allows, grantOf } from './token.ts'

test('a scope reaches as far as it names', () => {
  const grant = grantOf('user_id:a user_id:b|c read:preferences read:brands:x')
  const reads = { scope: 'read:preferences', user: 'user_id' } as const
  const brand = { scope: 'read:brands', narrowedBy: 'brand_id' } as const
  expect(allows(grant, reads, { user_id: 'a' })).toBe(true)
  expect(allows(grant, reads, { user_id: 'b|c' })).toBe(true)
  expect(allows(grant, reads, { user_id: 'b' })).toBe(false)
  expect(allows(grant, { ...reads, scope: 'write:preferences' }, { user_id: 'a' })).toBe(false)
  expect(allows(grant, brand, { brand_id: 'x' })).toBe(true)
  expect(allows(grant, brand, { brand_id: 'y' })).toBe(false)
  expect(allows(grant, { scope: 'read:brands' }, {})).toBe(false)
  expect(allows(grantOf('read:brands'), brand, { brand_id: 'y' })).toBe(true)
  expect(allows(grantOf(tokenScopes.join(' ')), undefined, {})).toBe(false)
})
