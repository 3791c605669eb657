/** Amazon SNS: the request for a number and for an endpoint, and the meaning of each answer. */
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, replied, runAdapter, type Scene } from '../adapter.harness.ts'
import sns from './aws-sns.ts'

const ARN = 'arn:aws:sns:eu-central-1:123456789012:endpoint/GCM/app/e1'
const scene: Scene = {
  profile: { phone_number: '(1) 202 555 0143', target_arn: ARN },
  settings: { region: 'cn-north-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-1' },
  content: { title: 'Hello', body: 'Hi' },
}
const accepted = replied(200, '<PublishResponse><MessageId>m-1</MessageId></PublishResponse>')
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) => runAdapter(sns, { ...scene, ...changes }, reply)
const formOf = (changes: Partial<Scene>) =>
  Object.fromEntries(new URLSearchParams((run(changes).requests[0] as HttpRequest).body))
const failure = (status: number, code: string, message = 'Explained &amp; more') =>
  replied(status, `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`)

test('a text message is one signed form', () => {
  const { requests, outcome } = run()
  expect(requests).toMatchObject([{ method: 'POST', url: 'https://sns.cn-north-1.amazonaws.com.cn/', final: true }])
  expect(formOf({})).toEqual({ Action: 'Publish', Version: '2010-03-31', PhoneNumber: '+12025550143', Message: 'Hi' })
  expect(outcome).toEqual({ kind: 'sent', reference: { MessageId: 'm-1' }, delivered: false })
})

test.each([
  [{ target_arn: ARN }, ARN],
  [{ target_arn: 'arn:other', aws_sns: { target_arn: ARN } }, ARN],
  [{ target_arn: 'https://evil.example' }, undefined],
  [{ aws_sns: {} }, undefined],
])('the endpoint of a push in %j', (profile, arn) => {
  const to = sns.contact(profile, scene.settings as never, { recipient: 'ada', channel: 'push' })
  expect(to).toEqual(arn && { token: arn })
})

test.each([
  ['push', ARN, { token: ARN }],
  ['sms', '+1 202 555 0143', { address: '+12025550143' }],
] as const)('the address of a test for %s', (channel, address, to) => {
  expect(sns.contact(sns.profileOf?.(address) ?? {}, scene.settings as never, { recipient: 'ada', channel })).toEqual(
    to,
  )
})

test('an override changes the message of one platform', () => {
  const override = { body: { Message: { GCM: { data: { order: '7' } } } } }
  const message = JSON.parse(formOf({ channel: 'push', override }).Message ?? '')
  expect(JSON.parse(message.GCM)).toEqual({ notification: { title: 'Hello', body: 'Hi' }, data: { order: '7' } })
  expect(message.default).toBe('Hi')
})

test.each([
  [{ Message: '' }, 'Message is missing'],
  [{ PhoneNumber: null }, 'PhoneNumber is missing'],
  [{ PhoneNumber: '+1\n2' }, 'PhoneNumber must not contain line breaks'],
  [{ MessageAttributes: [] }, 'MessageAttributes must be an object'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each<[string, Reply, object]>([
  ['no id', replied(200, '<PublishResponse/>'), { kind: 'in_doubt' }],
  ['OptedOut', failure(400, 'OptedOut'), { kind: 'rejected', scope: 'recipient', gone: 'unsubscribed' }],
  ['EndpointDisabled', failure(400, 'EndpointDisabled'), { kind: 'rejected', scope: 'recipient' }],
  ['NotFound', failure(404, 'NotFound'), { kind: 'rejected', scope: 'recipient' }],
  [
    'a number that is none',
    failure(400, 'InvalidParameter', 'Invalid parameter: PhoneNumber Reason: +1 is not valid'),
    { kind: 'rejected', scope: 'recipient' },
  ],
  ['InvalidParameter', failure(400, 'InvalidParameter'), { kind: 'rejected', scope: 'content' }],
  ['KMSDisabled', failure(400, 'KMSDisabled'), { kind: 'rejected', scope: 'configuration' }],
  ['AuthorizationError', failure(403, 'AuthorizationError'), { kind: 'rejected', scope: 'configuration' }],
  ['Throttled', failure(429, 'Throttled'), { kind: 'retry', attempted: false }],
  ['Throttling', failure(400, 'Throttling'), { kind: 'retry', attempted: false }],
  ['the message', failure(400, 'X'), { error: '400 Bad Request: Explained & more' }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('an address of an override is not gone', () => {
  const override = { body: { PhoneNumber: '+12025550199' } }
  expect(run({ override }, failure(400, 'OptedOut')).outcome).not.toHaveProperty('gone')
})

test('the check accepts credentials that may only send', () => {
  const check = sns.signIn?.(scene.settings, RUN_AT)
  expect(check?.request).toMatchObject({ method: 'POST', body: 'Action=GetSMSAttributes&Version=2010-03-31' })
  expect(check?.failureIn(replied(200, '<GetSMSAttributesResponse/>'))).toBeUndefined()
  expect(check?.failureIn(failure(403, 'AuthorizationError'))).toBeUndefined()
  expect(check?.failureIn(failure(403, 'InvalidClientTokenId', 'Unknown key'))).toBe('403 Forbidden: Unknown key')
})
