/** Signed links promise: one cannot be made up or used for something else, and a rotation of the secret key leaves them valid. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { retainedKeys, secretKey } from './secret.ts'
import { readLink, signLink } from './signed-link.ts'

const key = secretKey(randomBytes(32))
const parts = ['1', 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8', 'ü / ?']
const link = signLink(key, 'callback', parts)

test('the parts come back, from a text that any address may hold', () => {
  expect(link).toMatch(/^[\w-]+\.[\w-]+$/)
  expect(readLink(key, 'callback', link)).toEqual(parts)
})

test('a changed, a cut and a made up text are nothing, nor is one of another key', () => {
  const [payload = '', signature = ''] = link.split('.')
  const other = Buffer.from(JSON.stringify(['2', 'x'])).toString('base64url')
  // The same bytes, written in another way.
  const last = String.fromCharCode(signature.charCodeAt(21) + 1)
  expect(Buffer.from(`${signature.slice(0, -1)}${last}`, 'base64url')).toEqual(Buffer.from(signature, 'base64url'))
  for (const text of [
    `${payload}.${signature.slice(0, -1)}${last}`,
    `${other}.${signature}`,
    `${payload}.${signature.slice(0, -1)}`,
    `${payload}.${'A'.repeat(22)}`,
    payload,
    '',
    '.',
    `${'A'.repeat(9_000)}.${signature}`,
    signLink(secretKey(randomBytes(32)), 'callback', parts),
  ])
    expect(readLink(key, 'callback', text)).toBeUndefined()
})

test('a rotation leaves it valid', () => {
  expect(readLink(secretKey(randomBytes(32), retainedKeys(key)), 'callback', link)).toEqual(parts)
})
