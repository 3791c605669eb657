/** Plivo: the request, its one sender, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter-harness.ts'
import { checkSettings } from '../settings.ts'
import plivo from './plivo.ts'

const scene: Scene = {
  profile: { phone_number: '+1 (555) 010-0000' },
  settings: { authId: 'MA1', authToken: 'plivo-secret', from: '+15550109999' },
  content: { body: 'Hi 👋', text: 'Long form' },
}
const queued = replied(202, { message: 'message(s) queued', message_uuid: ['u1'], api_id: 'a1' })
const run = (changes: Partial<Scene> = {}, reply: Reply = queued) => runAdapter(plivo, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const refused = (status: number, error: unknown) => replied(status, { api_id: 'a1', error })

test('a message becomes one request', () => {
  const { requests, outcome } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://api.plivo.com/v1/Account/MA1/Message/',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from('MA1:plivo-secret').toString('base64')}`,
        'content-type': 'application/json',
      },
      body: '{"src":"+15550109999","dst":"+15550100000","text":"Hi 👋"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 'u1' }, delivered: false })
})

test('a message has one sender: a powerpack or a number, and that of an override wins', () => {
  const powerpack = { ...scene.settings, powerpackUuid: 'p1' }
  expect(bodyOf({ settings: powerpack })).toEqual({ powerpack_uuid: 'p1', dst: '+15550100000', text: 'Hi 👋' })
  expect(bodyOf({ settings: powerpack, override: { body: { src: '+1555' } } })).not.toHaveProperty('powerpack_uuid')
  expect(bodyOf({ override: { body: { powerpack_uuid: 'p2' } } })).not.toHaveProperty('src')
  expect(checkSettings(plivo, { authId: 'MA1', authToken: 't' })).toEqual([
    'from: a sender is needed, from or powerpackUuid',
  ])
})

test.each<[string, Reply, object]>([
  [
    'an invalid number',
    refused(400, '19332631167 is not a valid phone number'),
    {
      kind: 'rejected',
      scope: 'recipient',
      error: '400 Bad Request: 19332631167 is not a valid phone number',
      gone: 'invalid_address',
    },
  ],
  ['a missing number', refused(400, { error: 'dst parameter not present' }), { kind: 'rejected', scope: 'recipient' }],
  [
    'an invalid number in a 202',
    replied(202, { message: 'message(s) queued', message_uuid: [], invalid_number: ['15550100000'] }),
    { kind: 'rejected', scope: 'recipient' },
  ],
  ['a wrong sender', refused(400, 'src parameter is invalid'), { kind: 'rejected', scope: 'configuration' }],
  ['a wrong text', refused(400, 'text exceeds the maximum'), { kind: 'rejected', scope: 'content' }],
  ['401', replied(401, 'plivo-secret'), { kind: 'rejected', scope: 'configuration', error: '401 Unauthorized' }],
  ['402', replied(402), { kind: 'rejected', scope: 'configuration' }],
  ['403, the country is barred', refused(403, 'destination barred'), { kind: 'rejected', scope: 'configuration' }],
  ['404', replied(404), { kind: 'rejected', scope: 'configuration' }],
  ['429', replied(429, '', { 'retry-after': '1' }), { kind: 'retry', attempted: false, retryAfterMs: 1_000 }],
  ['202 without an id', replied(202, {}), { kind: 'in_doubt' }],
  ['500', replied(500), { kind: 'retry', attempted: true }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test.each([
  [{ dst: '' }, 'content', 'dst is missing'],
  [{ text: '' }, 'content', 'text is missing'],
  [{ src: null }, 'configuration', 'Neither src nor a powerpack is set'],
])('the override %j is refused', (body, scope, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope, error })
  expect(requests).toEqual([])
})
