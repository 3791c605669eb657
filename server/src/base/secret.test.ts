/** Secrets promise: what is encrypted is bound to its place and key, and what is masked does not show. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decrypt, encrypt, hashKey, MASK, maskTokens, secretKey } from './secret.ts'

const key = secretKey(randomBytes(32))

test('an encrypted text is decrypted again, and two encryptions of one text differ', () => {
  const sealed = encrypt(key, 'hush', 'integration:1:A')
  expect(sealed).not.toContain('hush')
  expect(decrypt(key, sealed, 'integration:1:A')).toBe('hush')
  expect(encrypt(key, 'hush', 'integration:1:A')).not.toBe(sealed)
})

test('another place, another key and a changed text are refused', () => {
  const sealed = encrypt(key, 'hush', 'integration:1:A')
  expect(() => decrypt(key, sealed, 'integration:1:B')).toThrow()
  expect(() => decrypt(secretKey(randomBytes(32)), sealed, 'integration:1:A')).toThrow(/this server has/)
  const parts = sealed.split('.')
  const bytes = Buffer.from(parts[4]!, 'base64url')
  bytes[0] = bytes[0]! ^ 1
  expect(() => decrypt(key, [...parts.slice(0, 4), bytes.toString('base64url')].join('.'), 'integration:1:A')).toThrow()
  expect(() => decrypt(key, 'plain text', 'integration:1:A')).toThrow(/Not an encrypted value/)
})

test('keys of different purposes have nothing in common, the same purpose gives the same key', () => {
  expect(key.derive('encryption').equals(key.derive('cursors'))).toBe(false)
  expect(key.derive('links').equals(key.derive('links'))).toBe(true)
})

test('a key of another length is no key', () => {
  expect(() => secretKey(randomBytes(16))).toThrow(RangeError)
})

test('an API key is stored as its hash', () => {
  expect(hashKey('pk_prod_x')).toMatch(/^[0-9a-f]{64}$/)
})

test('token-like keys are masked at any depth, in any spelling, and nothing else', () => {
  const profile = {
    email: 'a@example.com',
    slack: { access_token: 'xoxb', channel: 'C1', incoming_webhook: { url: 'https://hooks.example' } },
    devices: [{ Token: 't', platform: 'ios' }],
    webhook: { url: 'https://x.example/secret', authentication: { mode: 'bearer', token: 'b' } },
    custom: { url: 'https://example.com/me' },
    firebaseToken: 'f',
    apiKey: 'k',
  }
  expect(maskTokens(profile)).toEqual({
    email: 'a@example.com',
    slack: { access_token: MASK, channel: 'C1', incoming_webhook: MASK },
    devices: [{ Token: MASK, platform: 'ios' }],
    webhook: { url: MASK, authentication: { mode: 'bearer', token: MASK } },
    custom: { url: 'https://example.com/me' },
    firebaseToken: MASK,
    apiKey: MASK,
  })
  expect(profile.apiKey).toBe('k')
})

test.each(['Pass_Word', 'passwd', 'db-pwd', 'keyPassphrase', 'accessKey', 'access-key', 'X-API-Key'])(
  'a value named %s is masked',
  (name) => {
    expect(maskTokens({ [name]: 'x' })).toEqual({ [name]: MASK })
  },
)
