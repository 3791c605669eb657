/** Gmail: a token for the mailbox, one MIME message, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, replied, runAdapter, type Scene } from '../adapter.harness.ts'
import fcm from '../push/firebase-fcm.ts'
import { checkSettings } from '../settings.ts'
import gmail from './gmail.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { ...gmail.example.settings, fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Grüße', html: '<p>Hi</p>', text: 'Hi' },
}
const granted = replied(200, { access_token: 'ya29.abc', expires_in: 3_599 })
const accepted = replied(200, { id: '18c5', threadId: '18c5', labelIds: ['SENT'] })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(gmail, { ...scene, ...changes }, granted, reply)
const rawOf = (changes: Partial<Scene> = {}): string =>
  Buffer.from(JSON.parse((run(changes).requests[1] as HttpRequest).body!).raw, 'base64url').toString()

test('a refresh token gets an access token, and the mail goes to the mailbox', () => {
  const { requests, outcome } = run()
  const [token, send] = requests as [HttpRequest, HttpRequest]
  expect(token.url).toBe('https://oauth2.googleapis.com/token')
  expect(Object.fromEntries(new URLSearchParams(token.body))).toEqual({
    grant_type: 'refresh_token',
    refresh_token: '1//refresh-token',
    client_id: '1234567890-abc.apps.googleusercontent.com',
    client_secret: 'GOCSPX-secret',
  })
  expect(send).toMatchObject({
    url: 'https://gmail.googleapis.com/gmail/v1/users/me/messages/send',
    headers: { authorization: 'Bearer ya29.abc', 'content-type': 'application/json' },
    final: true,
  })
  expect(outcome).toEqual({ kind: 'sent', reference: { id: '18c5' }, delivered: false })
  expect(rawOf()).toContain('From: News <news@example.org>\r\nTo: ada@example.com\r\nSubject: =?UTF-8?B?R3LDvMOfZQ==?=')
})

test('blind copies stand in the mail, because its headers are its envelope', () => {
  const raw = rawOf({ email: { bcc: 'b@example.com', headers: { 'List-Unsubscribe': '<https://example.com/u>' } } })
  expect(raw).toMatch(/^Bcc: b@example\.com\r\n/)
  expect(raw).toContain('List-Unsubscribe: <https://example.com/u>\r\n')
})

test('attachments stand beside the body of an override, or in it', () => {
  const file = { filename: 'a.txt', contentType: 'text/plain', data: 'aGk=' }
  const raw = rawOf({ override: { attachments: [file], body: { attachments: [{ ...file, filename: 'b.txt' }] } } })
  expect(raw.match(/filename="?[ab]\.txt/g)).toHaveLength(2)
})

test('an address beyond ASCII stands in the mail in UTF-8', () => {
  expect(rawOf({ profile: { email: 'jürgen@bücher.example' } })).toContain('To: jürgen@xn--bcher-kva.example\r\n')
})

test('a service account sends for the mailbox of the sender, or another one', () => {
  const { serviceAccount } = fcm.example.settings as { serviceAccount: string }
  const subjectOf = (more: object) => {
    const settings = { serviceAccount, fromAddress: 'news@example.org', ...more }
    expect(checkSettings(gmail, settings)).toEqual([])
    const [token] = runAdapter(gmail, { ...scene, settings }, granted, accepted).requests as [HttpRequest]
    const claims = new URLSearchParams(token.body).get('assertion')?.split('.')[1] ?? ''
    return JSON.parse(Buffer.from(claims, 'base64url').toString())
  }
  expect(subjectOf({})).toEqual({
    iss: 'push@shop-1.iam.gserviceaccount.com',
    sub: 'news@example.org',
    scope: 'https://www.googleapis.com/auth/gmail.send',
    aud: 'https://oauth2.googleapis.com/token',
    iat: RUN_AT / 1_000,
    exp: RUN_AT / 1_000 + 3_600,
  })
  expect(subjectOf({ user: 'bea@example.org' })).toMatchObject({ sub: 'bea@example.org' })
})

const refused = (status: number, reason: string, message = 'No') =>
  replied(status, { error: { code: status, message, errors: [{ domain: 'global', reason, message }] } })

test.each<[string, Reply, object]>([
  ['a bad mail', refused(400, 'invalidArgument', 'Recipient address required'), { kind: 'rejected', scope: 'content' }],
  ['no Gmail', refused(400, 'failedPrecondition'), { kind: 'rejected', scope: 'configuration' }],
  ['a missing scope', refused(403, 'insufficientPermissions'), { kind: 'rejected', scope: 'configuration' }],
  ['the rule of a domain', refused(403, 'domainPolicy'), { kind: 'rejected', scope: 'configuration' }],
  [
    'the limit of a day',
    refused(403, 'dailyLimitExceeded'),
    { kind: 'retry', attempted: false, error: '403 Forbidden: dailyLimitExceeded: No' },
  ],
  ['too fast', refused(403, 'userRateLimitExceeded'), { kind: 'retry', attempted: false }],
  ['too fast, 429', refused(429, 'rateLimitExceeded'), { kind: 'retry', attempted: false }],
  ['a fault', refused(500, 'backendError'), { kind: 'retry', attempted: true }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('a token that was revoked is replaced once', () => {
  const unauthorized = refused(401, 'authError', 'ya29.abc is not valid')
  const { requests, outcome } = runAdapter(gmail, scene, granted, unauthorized, granted, accepted)
  expect(requests[2]).toMatchObject({ cache: { refused: 'ya29.abc' } })
  expect(outcome.kind).toBe('sent')
})

test.each([
  [{ serviceAccount: undefined, clientId: undefined }, 'clientId is required, or serviceAccount'],
  [{ refreshToken: undefined }, 'refreshToken is required, or serviceAccount'],
  [{ serviceAccount: fcm.example.settings.serviceAccount }, 'serviceAccount: it takes the place of a client'],
])('settings %#', (changes, error) => {
  const whole = Object.entries({ ...scene.settings, ...changes }).filter(([, value]) => value !== undefined)
  expect(checkSettings(gmail, Object.fromEntries(whole))).toEqual([error])
})
