/** MessageBird: the request, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter-harness.ts'
import messagebird from './messagebird.ts'

const scene: Scene = {
  profile: { phone_number: '+1 (555) 010-0000' },
  settings: { accessKey: 'bird-secret', originator: 'Postrider' },
  content: { body: 'Hi 👋', text: 'Long form' },
}
const created = replied(201, { id: 'm1', recipients: { items: [{ recipient: 15550100000, status: 'sent' }] } })
const run = (changes: Partial<Scene> = {}, reply: Reply = created) =>
  runAdapter(messagebird, { ...scene, ...changes }, reply)
const refused = (status: number, code: number, parameter: string | null = null) =>
  replied(status, { errors: [{ code, description: 'No', parameter }] })

test('a message becomes one request; its reference comes back with receipts', () => {
  const { requests, outcome } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://rest.messagebird.com/messages',
      headers: {
        accept: 'application/json',
        authorization: 'AccessKey bird-secret',
        'content-type': 'application/json',
      },
      body: '{"originator":"Postrider","recipients":"15550100000","body":"Hi 👋","datacoding":"auto","reference":"delivery-1"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 'm1' }, delivered: false })
})

test.each<[string, Reply, object]>([
  [
    'an invalid number',
    refused(422, 10, 'recipients'),
    {
      kind: 'rejected',
      scope: 'recipient',
      error: '422 Unprocessable Entity: No (10, recipients)',
      gone: 'invalid_address',
    },
  ],
  ['no recipient left', refused(422, 9, 'recipient'), { kind: 'rejected', scope: 'recipient' }],
  ['a sender that is not allowed', refused(422, 10, 'originator'), { kind: 'rejected', scope: 'configuration' }],
  ['a text that is too long', refused(422, 10, 'body'), { kind: 'rejected', scope: 'content' }],
  [
    'no balance',
    refused(422, 25),
    { kind: 'rejected', scope: 'configuration', error: expect.stringContaining('(25)') },
  ],
  ['a wrong key', refused(401, 2, 'access_key'), { kind: 'rejected', scope: 'configuration' }],
  ['a code that is no verdict while overloaded', refused(503, 10, 'recipients'), { kind: 'retry', attempted: true }],
  ['429', replied(429), { kind: 'retry', attempted: false }],
  ['200 without an id', replied(200, { recipients: {} }), { kind: 'in_doubt' }],
  ['garbage', replied(400, '{{'), { kind: 'rejected', scope: 'content', error: '400 Bad Request' }],
  [
    'a secret in an error',
    replied(403, { errors: [{ code: 2, description: 'bird-secret' }] }),
    { scope: 'configuration', error: '403 Forbidden: ******** (2)' },
  ],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test.each([
  [{ recipients: [] }, 'recipients is missing'],
  [{ recipients: ['1555\r\n'] }, 'recipients must not contain line breaks'],
  [{ originator: '' }, 'originator is missing'],
  [{ body: '' }, 'body is missing'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})
