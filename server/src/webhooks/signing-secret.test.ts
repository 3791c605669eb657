/** Secrets are readable in their own row only, and a signature is what the public API's receivers compute. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { secretKey } from '../base/secret.ts'
import { newSecret, openSecret, sealSecret, signature, standardHeaders } from './signing-secret.ts'

const key = secretKey(Buffer.alloc(32, 1))
const owner = { workspaceId: 1, id: 'W' }

test('a secret comes back for its own row and key only', () => {
  const sealed = sealSecret(key, owner, 'a-secret-of-mine')
  expect(sealed).not.toContain('a-secret-of-mine')
  expect(openSecret(key, owner, sealed)).toBe('a-secret-of-mine')
  expect(openSecret(key, { ...owner, id: 'V' }, sealed)).toBeUndefined()
  expect(openSecret(key, { ...owner, workspaceId: 2 }, sealed)).toBeUndefined()
  expect(openSecret(secretKey(Buffer.alloc(32, 2)), owner, sealed)).toBeUndefined()
})

test('a signature is the time and the HMAC of time, dot and body', () => {
  const body = '{"data":{"id":"1"},"type":"message:updated"}'
  const digest = createHmac('sha256', 's').update(`1710334643000.${body}`).digest('hex')
  expect(signature('s', 1_710_334_643_000, body)).toBe(`t=1710334643000,signature=${digest}`)
  expect(signature('s', 1_710_334_643_001, body)).not.toContain(digest)
})

test('the headers of Standard Webhooks have the id, the seconds and the HMAC of both with the body', () => {
  const call = { id: 'msg_1', now: 1_710_334_643_999, body: '{}' }
  const expected = (key: Buffer) => {
    const digest = createHmac('sha256', key).update('msg_1.1710334643.{}').digest('base64')
    return { 'webhook-timestamp': '1710334643', 'webhook-signature': `v1,${digest}` }
  }
  const key = Buffer.from('a key of 24 bytes or so..')
  expect(standardHeaders(`whsec_${key.toString('base64')}`, call)).toEqual(expected(key))
  for (const raw of ['a-secret-of-mine', 'whsec_not base64!'])
    expect(standardHeaders(raw, call)).toEqual(expected(Buffer.from(raw)))
})

test('secrets that are made are long and never the same', () => {
  expect(newSecret()).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(newSecret()).not.toBe(newSecret())
})
