/** Tokens at rest promise: what is secret in a document cannot be read in it, and comes back as it was written. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { secretKey } from '../base/secret.ts'
import { encryptedTables, reencryptedText } from './encrypted-tables.ts'
import { lockedTokens, TOKEN_MARK, tokenCipher } from './token-cipher.ts'

const key = secretKey(randomBytes(32))
const tokens = tokenCipher(key)

const profile = {
  email: 'ada@example.com',
  slackToken: 'canary-1',
  slack: { access_token: 'canary-2', channel: 'C1', incoming_webhook: { url: 'https://hooks/canary-3' } },
  webhook: { url: 'https://ada.example', headers: { 'x-own': 'canary-4' }, authentication: { password: 'canary-5' } },
  devices: [{ token: 'canary-6', name: 'phone' }, { pin_secret: 4711 }],
  empty: { token: '', password: null, has_token: true },
}

test('each token is encrypted in its place, everything else stays, and it comes back', () => {
  const encryptedProfile = tokens.encrypt(1, profile)
  const text = JSON.stringify(encryptedProfile)
  expect(text).not.toMatch(/canary|4711/)
  expect(encryptedProfile).toMatchObject({
    email: 'ada@example.com',
    slack: { channel: 'C1', access_token: expect.stringContaining(TOKEN_MARK) },
    webhook: { url: 'https://ada.example', headers: expect.stringContaining(TOKEN_MARK) },
    devices: [{ name: 'phone' }, {}],
    empty: profile.empty,
  })
  expect(tokens.decrypt(1, encryptedProfile)).toEqual(profile)
  expect(JSON.parse(tokens.decryptText(1, text))).toEqual(profile)
  expect(JSON.stringify(tokens.encrypt(1, profile))).not.toBe(text)
})

test('a document without tokens is not copied, neither there nor back', () => {
  const plain = { email: 'ada@example.com', deep: [{ a: 1 }], text: 'enc:v1.hello' }
  expect(tokens.encrypt(1, plain)).toBe(plain)
  expect(tokens.decrypt(1, plain)).toBe(plain)
  expect(profile.slackToken).toBe('canary-1')
})

test('whatever a caller writes, an encrypted looking text among it, is what the caller reads', () => {
  const stolen = tokens.encrypt(1, { token: 'hush' }).token
  for (const token of [stolen, 'enc:v1.x', [stolen], { token: stolen }]) {
    const encryptedProfile = tokens.encrypt(1, { token })
    expect(tokens.decrypt(1, encryptedProfile)).toEqual({ token })
  }
})

test('a config of an override is secret as a whole, below its provider only', () => {
  const override = {
    smtp: { config: { user: 'canary' }, body: { config: 'shown' } },
    channel: { email: { subject: 'x' } },
  }
  const encryptedOverride = tokens.encryptOverride(1, override)
  expect(JSON.stringify(encryptedOverride)).not.toContain('canary')
  expect(encryptedOverride).toMatchObject({ smtp: { body: { config: 'shown' } }, channel: override.channel })
  expect(tokens.decrypt(1, encryptedOverride)).toEqual(override)
})

test('an automation keeps what its runs are found by', () => {
  const automation = {
    cancelation_token: 'order-1',
    steps: [
      {
        webhook: { url: 'https://x/ada', headers: { Authorization: 'canary', 'x-user': 'ada', 'X-Api-Key': 'canary' } },
      },
    ],
  }
  const encryptedAutomation = tokens.encryptAutomation(1, automation)
  expect(JSON.stringify(encryptedAutomation)).not.toContain('canary')
  expect(encryptedAutomation).toMatchObject({
    cancelation_token: 'order-1',
    steps: [{ webhook: { url: 'https://x/ada', headers: { 'x-user': 'ada' } } }],
  })
  expect(tokens.decrypt(1, encryptedAutomation)).toEqual(automation)
})

test('another workspace or another secret key reads none of it: the token is left out', () => {
  const encryptedProfile = tokens.encrypt(1, { token: 'hush', name: 'Ada' })
  expect(tokens.decrypt(2, encryptedProfile)).toEqual({ name: 'Ada' })
  expect(tokenCipher(secretKey(randomBytes(32))).decrypt(1, encryptedProfile)).toEqual({ name: 'Ada' })
})

test('without a secret key no token is ever stored as plain text', () => {
  expect(() => lockedTokens.encrypt(1, profile)).toThrow(/without the secret key/)
  expect(lockedTokens.encrypt(1, { name: 'Ada' })).toEqual({ name: 'Ada' })
})

test('every listed column is encrypted anew under another key', () => {
  const next = secretKey(randomBytes(32))
  const [table] = encryptedTables.filter((candidate) => candidate.table === 'profiles')
  const row = { workspace_id: 1, id: 'ada' }
  const before = JSON.stringify(tokens.encrypt(1, profile))
  const after = reencryptedText(table!, row, before, key, next)
  expect(JSON.parse(tokenCipher(next).decryptText(1, after!))).toEqual(profile)
  // Once more, after a kill: what is done stays as it is.
  expect(reencryptedText(table!, row, after!, key, next)).toBeUndefined()
})
