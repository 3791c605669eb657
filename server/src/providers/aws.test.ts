/** Signatures of AWS, compared with published ones. */
import { expect, test } from 'vitest'
import { signedHeaders } from './aws.ts'

// The credentials and the time of AWS's own test suite for Signature Version 4.
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const scope = { region: 'us-east-1', service: 'service', now: Date.UTC(2015, 7, 30, 12, 36) }

function signatureOf(request: Partial<Parameters<typeof signedHeaders>[0]>) {
  const unsigned = { method: 'GET' as const, url: 'https://example.amazonaws.com/', headers: {}, ...request }
  return signedHeaders(unsigned, credentials, scope).authorization?.split('Signature=')[1]
}

test.each([
  ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', { method: 'POST' as const }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-key-case',
    { url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1' },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'post-x-www-form-urlencoded',
    {
      method: 'POST' as const,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'Param1=value1',
    },
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('%s', (_name, request, signature) => {
  expect(signatureOf(request)).toBe(signature)
})

test('the token of temporary credentials is sent and signed', () => {
  const temporary = { ...credentials, sessionToken: 'token' }
  const headers = signedHeaders({ method: 'GET', url: 'https://example.amazonaws.com/', headers: {} }, temporary, scope)
  expect(headers).toMatchObject({ 'x-amz-date': '20150830T123600Z', 'x-amz-security-token': 'token' })
  expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,')
})
