/** Outlook: a token of the app or of a mailbox, one MIME message, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter.harness.ts'
import { checkSettings } from '../settings.ts'
import outlook from './outlook.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { ...outlook.example.settings, fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const granted = replied(200, { token_type: 'Bearer', expires_in: 3_599, access_token: 'eyJ0.abc' })
const accepted = replied(202, '', { 'request-id': '3f2a' })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(outlook, { ...scene, ...changes }, granted, reply)
const requestsOf = (settings: object) => run({ settings: { ...scene.settings, ...settings } }).requests as HttpRequest[]
const mimeOf = (changes: Partial<Scene>) =>
  Buffer.from((run(changes).requests[1] as HttpRequest).body!, 'base64').toString()

test('the app gets a token for itself, and sends from the mailbox of the sender', () => {
  const { requests, outcome } = run()
  const [token, send] = requests as [HttpRequest, HttpRequest]
  expect(token.url).toBe('https://login.microsoftonline.com/example.onmicrosoft.com/oauth2/v2.0/token')
  expect(Object.fromEntries(new URLSearchParams(token.body))).toEqual({
    grant_type: 'client_credentials',
    client_id: '8d6a5e43-1c0a-4a5e-9a53-0f6f1f1d2c3b',
    client_secret: 'app-secret',
    scope: 'https://graph.microsoft.com/.default',
  })
  expect(send).toMatchObject({
    method: 'POST',
    url: 'https://graph.microsoft.com/v1.0/users/news@example.org/sendMail',
    headers: { authorization: 'Bearer eyJ0.abc', 'content-type': 'text/plain' },
    final: true,
  })
  expect(outcome).toEqual({ kind: 'sent', reference: { request_id: '3f2a' }, delivered: false })
})

test('a refresh token sends from its own mailbox', () => {
  const [token, send] = requestsOf({ refreshToken: '0.refresh' })
  expect(Object.fromEntries(new URLSearchParams(token?.body))).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: '0.refresh',
    scope: 'https://graph.microsoft.com/Mail.Send',
  })
  expect(send?.url).toBe('https://graph.microsoft.com/v1.0/me/sendMail')
})

test('another mailbox, and the addresses of a national cloud', () => {
  const [token, send] = requestsOf({
    user: 'bea/x@example.org',
    tokenUrl: 'https://login.microsoftonline.us/t/oauth2/v2.0/token',
    baseUrl: 'https://graph.microsoft.us',
    scope: 'https://graph.microsoft.us/.default',
  })
  expect(token?.url).toBe('https://login.microsoftonline.us/t/oauth2/v2.0/token')
  expect(new URLSearchParams(token?.body).get('scope')).toBe('https://graph.microsoft.us/.default')
  expect(send?.url).toBe('https://graph.microsoft.us/v1.0/users/bea%2Fx@example.org/sendMail')
})

test('the mail is MIME with every header and its blind copies', () => {
  const mime = mimeOf({ email: { bcc: 'b@example.com', headers: { 'List-Unsubscribe': '<https://example.com/u>' } } })
  expect(mime).toMatch(/^Bcc: b@example\.com\r\n/)
  expect(mime).toContain('List-Unsubscribe: <https://example.com/u>\r\n')
  expect(mimeOf({ profile: { email: 'jürgen@bücher.example' } })).toContain('To: jürgen@xn--bcher-kva.example\r\n')
})

const refused = (status: number, code: string) => replied(status, { error: { code, message: 'No' } })

test.each<[string, Reply, object]>([
  ['a bad recipient', refused(400, 'ErrorInvalidRecipients'), { kind: 'rejected', scope: 'recipient' }],
  ['a bad mail', refused(400, 'ErrorMimeContentInvalid'), { kind: 'rejected', scope: 'content' }],
  [
    'another sender',
    refused(403, 'ErrorSendAsDenied'),
    { kind: 'rejected', scope: 'configuration', error: '403 Forbidden: ErrorSendAsDenied: No' },
  ],
  ['no such mailbox', refused(404, 'ErrorInvalidUser'), { kind: 'rejected', scope: 'configuration' }],
  ['too large', refused(413, 'ErrorMessageSizeExceeded'), { kind: 'rejected', scope: 'content' }],
  ['too much', refused(429, 'ApplicationThrottled'), { kind: 'retry', attempted: false }],
  ['200 from another', replied(200, '<html>'), { kind: 'in_doubt' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('a token that was revoked is replaced once', () => {
  const unauthorized = refused(401, 'InvalidAuthenticationToken')
  const { requests, outcome } = runAdapter(outlook, scene, granted, unauthorized, granted, accepted)
  expect(requests[2]).toMatchObject({ cache: { refused: 'eyJ0.abc' } })
  expect(outcome.kind).toBe('sent')
})

test.each([
  [{ clientSecret: undefined }, 'clientSecret is required, or refreshToken'],
  [{ tenantId: undefined }, 'tenantId is required without refreshToken'],
  [{ tenantId: 'a/b' }, 'tenantId must be the id or the domain of a tenant'],
])('settings %j', (changes, error) => {
  const whole = Object.entries({ ...scene.settings, ...changes }).filter(([, value]) => value !== undefined)
  expect(checkSettings(outlook, Object.fromEntries(whole))).toEqual([error])
})
