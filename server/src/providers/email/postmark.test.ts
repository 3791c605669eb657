/** Postmark: the request for a message, and the meaning of each error code. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter-harness.ts'
import postmark from './postmark.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: { serverToken: 'token-1', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(200, { ErrorCode: 0, Message: 'OK', MessageID: 'm-1' })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(postmark, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failure = (code: number, message = 'Explained', status = 422) =>
  replied(status, { ErrorCode: code, Message: message })

test('a message becomes one request', () => {
  const { requests, outcome } = run()
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: 'https://api.postmarkapp.com/email',
      headers: { 'x-postmark-server-token': 'token-1', 'content-type': 'application/json' },
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { MessageID: 'm-1' }, delivered: false })
})

test('an override spells addresses as it likes, and sends fields of the API along', () => {
  const body = { To: ['Ada <ada@example.com>', 'b@example.com'], ReplyTo: { email: 'c@example.com' }, Tag: 'x' }
  expect(bodyOf({ override: { body } })).toMatchObject({
    To: 'Ada <ada@example.com>, b@example.com',
    ReplyTo: 'c@example.com',
    Tag: 'x',
  })
})

test.each([
  [{ Subject: 'a\nb' }, 'Subject must not contain line breaks'],
  [{ From: null }, 'From is missing'],
  [{ To: '' }, 'To is missing'],
  [{ Headers: [{ Name: 'From', Value: 'x' }] }, 'Headers.From cannot be set'],
  [{ Attachments: {} }, 'Attachments must be an array'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each<[string, Reply, object]>([
  ['no id', replied(200, {}), { kind: 'in_doubt' }],
  ['an inactive recipient', failure(406), { kind: 'rejected', scope: 'recipient' }],
  ['an inactive recipient in a 200', failure(406, 'Inactive', 200), { kind: 'rejected', scope: 'recipient' }],
  ['a recipient that is no address', failure(300, "Invalid 'To' address: 'x'."), { scope: 'recipient' }],
  ['another field', failure(300, "Invalid 'ReplyTo' address: 'x'."), { kind: 'rejected', scope: 'content' }],
  ['no token', failure(10, 'Bad token', 401), { kind: 'rejected', scope: 'configuration' }],
  ['no sender signature', failure(400), { kind: 'rejected', scope: 'configuration' }],
  ['no credits', failure(405), { kind: 'rejected', scope: 'configuration' }],
  ['an account that waits for approval', failure(412), { kind: 'rejected', scope: 'configuration' }],
  ['an attachment that is forbidden', failure(411), { kind: 'rejected', scope: 'content' }],
  ['maintenance', failure(100), { kind: 'retry', attempted: true }],
  ['the code in its error', failure(406), { error: '422 Unprocessable Entity: Explained (406)' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the check reads the server of the token', () => {
  const check = postmark.signIn?.(scene.settings, 0)
  expect(check?.request).toMatchObject({ method: 'GET', url: 'https://api.postmarkapp.com/server' })
  expect(check?.failureIn(replied(200, { ID: 1 }))).toBeUndefined()
  expect(check?.failureIn(failure(10, 'Bad token', 401))).toBe('401 Unauthorized: Bad token (10)')
})
