/** Credentials come back with their key, in their place, and nowhere else. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { secretKey } from '../../../base/secret.ts'
import { openCredentials, sealCredentials } from './integrations.ts'

const key = secretKey(randomBytes(32))
const owner = { workspaceId: 1, id: 'A' }

test('encrypted settings are decrypted for their row only, with their key only', () => {
  const sealed = sealCredentials(key, owner, { password: 'hush' })
  expect(sealed).not.toContain('hush')
  expect(openCredentials(key, owner, sealed)).toEqual({ password: 'hush' })
  expect(openCredentials(key, { ...owner, workspaceId: 2 }, sealed)).toBeUndefined()
  expect(openCredentials(key, { ...owner, id: 'B' }, sealed)).toBeUndefined()
  expect(openCredentials(secretKey(randomBytes(32)), owner, sealed)).toBeUndefined()
})

test('no secrets are stored as nothing', () => {
  expect(sealCredentials(key, owner, {})).toBeNull()
  expect(openCredentials(key, owner, null)).toEqual({})
})
