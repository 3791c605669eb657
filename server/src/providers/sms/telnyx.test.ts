/** Telnyx: the request, its sender, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { replied, runAdapter, type Scene } from '../adapter-harness.ts'
import { checkSettings } from '../settings.ts'
import telnyx from './telnyx.ts'

const scene: Scene = {
  profile: { phone_number: '1 (555) 010-0000' },
  settings: { apiKey: 'KEYtelnyx-secret', from: '+15550109999' },
  content: { body: 'Hi 👋', text: 'Long form' },
}
const queued = replied(200, { data: { id: 't1', to: [{ status: 'queued' }] } })
const run = (changes: Partial<Scene> = {}, reply: Reply = queued) => runAdapter(telnyx, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const refused = (status: number, code: number) =>
  replied(status, { errors: [{ code: String(code), title: 'Refused', detail: 'Because' }] })

test('a message becomes one request, to an international number', () => {
  const { requests, outcome } = run()
  expect(requests).toEqual([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://api.telnyx.com/v2/messages',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer KEYtelnyx-secret',
        'content-type': 'application/json',
      },
      body: '{"from":"+15550109999","to":"+15550100000","text":"Hi 👋"}',
      final: true,
    },
  ])
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 't1' }, delivered: false })
})

test('a short code has no plus', () => {
  expect(bodyOf({ profile: { phone_number: '12345' } }).to).toBe('12345')
})

test('a messaging profile chooses the sender, or stands beside a sender id', () => {
  const settings = { apiKey: 'KEY', messagingProfileId: 'p1' }
  expect(bodyOf({ settings })).toMatchObject({ messaging_profile_id: 'p1' })
  expect(bodyOf({ settings: { ...settings, from: 'Postrider' } })).toMatchObject({
    from: 'Postrider',
    messaging_profile_id: 'p1',
  })
  expect(checkSettings(telnyx, { apiKey: 'KEY' })).toEqual(['from: a sender is needed, from or messagingProfileId'])
})

test.each<[string, Reply, object]>([
  [
    'an invalid number',
    refused(400, 40310),
    { kind: 'rejected', scope: 'recipient', error: '400 Bad Request: Refused: Because (40310)' },
  ],
  ['opted out', refused(403, 40300), { kind: 'rejected', scope: 'recipient', gone: 'unsubscribed' }],
  ['not in international form', refused(422, 10016), { kind: 'rejected', scope: 'recipient' }],
  ['a sender that is not ours', refused(400, 40305), { kind: 'rejected', scope: 'configuration' }],
  ['no funds', refused(403, 20100), { kind: 'rejected', scope: 'configuration' }],
  ['too long', refused(400, 40302), { kind: 'rejected', scope: 'content' }],
  ['a full queue', refused(400, 40318), { kind: 'retry', attempted: false }],
  ['401', refused(401, 10009), { kind: 'rejected', scope: 'configuration' }],
  ['429', refused(429, 10011), { kind: 'retry', attempted: false }],
  ['a code that is no verdict while overloaded', refused(503, 40310), { kind: 'retry', attempted: true }],
  ['200 without an id', replied(200, { data: {} }), { kind: 'in_doubt' }],
  ['garbage', replied(400, '{{'), { kind: 'rejected', scope: 'content', error: '400 Bad Request' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('an address of an override is not the one of the profile', () => {
  const { outcome } = run({ override: { body: { to: '+15550199999' } } }, refused(403, 40300))
  expect(outcome).toMatchObject({ scope: 'recipient' })
  expect(outcome).not.toHaveProperty('gone')
})

test.each([
  [{ to: '' }, 'content', 'to is missing'],
  [{ text: '' }, 'content', 'text is missing'],
  [{ from: null }, 'configuration', 'Neither from nor a messaging profile is set'],
])('the override %j is refused', (body, scope, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope, error })
  expect(requests).toEqual([])
})
