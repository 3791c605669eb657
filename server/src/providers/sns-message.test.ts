/** Messages of Amazon SNS: signatures of both versions, the certificate and its host, the topic, confirmation. */
import { sign } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../base/exchange.ts'
import { localhost } from '../transport/localhost-certificate.harness.ts'
import { garbageBodies, RUN_AT, replied, runCallback } from './adapter.harness.ts'
import { acceptedText } from './callback.ts'
import sns from './sms/aws-sns.ts'
import { readSnsMessage } from './sns-message.ts'

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:mail'
const HOST = 'https://sns.eu-central-1.amazonaws.com'
const certificate = replied(200, localhost.cert)
const FIELDS = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']

type Message = Record<string, string>

/** Signed as the documentation describes it; `changes` come after. */
function signed(fields: Message = {}, changes: Message = {}): Message {
  const message: Message = {
    ...{ Type: 'Notification', MessageId: 'n-1', TopicArn: topicArn, Message: '{"eventType":"Send"}' },
    ...{ Timestamp: new Date(RUN_AT - 60_000).toISOString(), SignatureVersion: '1' },
    ...{ SigningCertURL: `${HOST}/SimpleNotificationService-1.pem`, ...fields },
  }
  const text = FIELDS.flatMap((field) => (message[field] === undefined ? [] : [`${field}\n${message[field]}\n`])).join(
    '',
  )
  const digest = message.SignatureVersion === '2' ? 'sha256' : 'sha1'
  const Signature = sign(digest, Buffer.from(text), localhost.key).toString('base64')
  return { ...message, Signature, UnsubscribeURL: `${HOST}/?Action=Unsubscribe`, ...changes }
}

function read(message: Message | string, { replies = [certificate] as Reply[], arn = topicArn } = {}) {
  const body = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))
  const request = { method: 'POST' as const, url: 'https://postrider.test/callbacks/t', headers: {}, body, now: RUN_AT }
  const events: unknown[] = []
  const requests: HttpRequest[] = []
  const steps = readSnsMessage(request, arn, (event) => {
    events.push(event)
    return { kind: 'accepted', receipts: [] }
  })
  let step = steps.next()
  while (!step.done) {
    requests.push(step.value)
    step = steps.next(replies[requests.length - 1]!)
  }
  return { outcome: step.value, events, requests }
}

const refused = (error: string) => ({ kind: 'refused', error })

test.each(['1', '2'])('a notification with a signature of version %s is read', (SignatureVersion) => {
  for (const subject of [{}, { Subject: 'Amazon SES' }] as Message[]) {
    const { outcome, events, requests } = read(signed({ SignatureVersion, ...subject }))
    expect(outcome).toEqual({ kind: 'accepted', receipts: [] })
    expect(events).toEqual([{ eventType: 'Send' }])
    expect(requests).toEqual([
      {
        ...{ kind: 'http', method: 'GET', url: `${HOST}/SimpleNotificationService-1.pem`, headers: {}, final: false },
        cache: { key: 'aws-sns:certificate', lifetimeMs: 86_400_000, containing: 'BEGIN CERTIFICATE' },
      },
    ])
  }
})

test.each<[string, Message, string]>([
  ['a changed event', signed({}, { Message: '{}' }), 'The signature is wrong'],
  ['an added subject', signed({}, { Subject: 'x' }), 'The signature is wrong'],
  ['another version', signed({}, { SignatureVersion: '2' }), 'The signature is wrong'],
  ['an unknown version', signed({ SignatureVersion: '3' }), 'The callback is not signed'],
  ['another type', signed({}, { Type: 'UnsubscribeConfirmation' }), 'The signature is wrong'],
])('%s is refused', (_title, message, error) => {
  expect(read(message)).toMatchObject({ outcome: refused(error), events: [] })
})

test('a message without a signature is refused', () => {
  const { Signature: _signature, ...unsigned } = signed()
  expect(read(unsigned).outcome).toEqual(refused('The callback is not signed'))
})

test.each<[string, Message, string]>([
  ['of another topic', signed({ TopicArn: `${topicArn}2` }), 'The message is of another topic'],
  ['too old', signed({ Timestamp: new Date(RUN_AT - 3_901_000).toISOString() }), 'The signature has expired'],
  ['from the future', signed({ Timestamp: new Date(RUN_AT + 301_000).toISOString() }), 'The signature has expired'],
  ['without a time', signed({ Timestamp: 'soon' }), 'The signature has expired'],
])('a message %s is refused before any request', (_title, message, error) => {
  expect(read(message)).toEqual({ outcome: refused(error), events: [], requests: [] })
})

test.each([
  'http://sns.eu-central-1.amazonaws.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com.evil.example/a.pem',
  'https://evil.example/sns.eu-central-1.amazonaws.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com@evil.example/a.pem',
  'https://user:pw@sns.eu-central-1.amazonaws.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com:8443/a.pem',
  'https://xsns.eu-central-1.amazonaws.com/a.pem',
  'https://s3.eu-central-1.amazonaws.com/a.pem',
  'https://sns.amazonaws.com/a.pem',
  '',
])('the certificate at %j is not fetched, and a subscription there is not confirmed', (address) => {
  const { outcome, requests } = read(signed({ SigningCertURL: address }))
  expect([outcome, requests]).toEqual([refused('The certificate is not at an address of SNS'), []])
  const confirmation = read(signed({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: address }))
  expect(confirmation.outcome).toEqual(refused('The subscription is not at an address of SNS'))
  expect(confirmation.requests).toHaveLength(1)
})

test.each<[Reply, string]>([
  [replied(404, localhost.cert), 'The certificate could not be read'],
  [replied(200, '<html>'), 'The certificate could not be read'],
  [
    { kind: 'failure', failure: 'timeout', message: 'slow', reached: true },
    'The certificate could not be fetched: timeout',
  ],
])('a certificate that did not come (%j) refuses the message', (reply, error) => {
  expect(read(signed(), { replies: [reply] }).outcome).toEqual(refused(error))
})

test('a subscription is confirmed once its message is verified', () => {
  const SubscribeURL = `${HOST}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=t`
  const message = signed({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL, Message: 'You have chosen' })
  const { outcome, requests } = read(message, {
    replies: [certificate, replied(200, '<ConfirmSubscriptionResponse/>')],
  })
  expect(outcome).toEqual({ kind: 'accepted', receipts: [] })
  expect(requests[1]).toEqual({ kind: 'http', method: 'GET', url: SubscribeURL, headers: {}, final: false })
  expect(read(message, { replies: [certificate, replied(403)] }).outcome).toEqual(
    refused('The subscription could not be confirmed'),
  )
  expect(read({ ...message, Token: 'u' }).requests).toHaveLength(1)
})

test('an unsubscription and an event that is no JSON have no receipts', () => {
  const ended = signed({ Type: 'UnsubscribeConfirmation', Token: 't', SubscribeURL: `${HOST}/` })
  for (const message of [ended, signed({ Message: 'x' }), signed({ Message: '[]' })])
    expect(read(message)).toMatchObject({ outcome: { kind: 'accepted', receipts: [] }, events: [] })
})

test('without a topic every message is refused, and so is what is no message', () => {
  expect(read(signed(), { arn: '' }).outcome).toEqual(
    refused('The integration has no topicArn to verify callbacks with'),
  )
  for (const body of [...garbageBodies, JSON.stringify({ eventType: 'Delivery' })])
    expect(read(body), body).toMatchObject({ outcome: { kind: 'refused' }, requests: [] })
})

test('a text message of two-way messaging comes in by its topic', () => {
  const text = { originationNumber: '+15550100000', destinationNumber: '+15550109999', inboundMessageId: 'i-1' }
  const message = signed({ Message: JSON.stringify({ ...text, messageKeyword: 'KEYWORD_1', messageBody: 'Stop' }) })
  const body = Buffer.from(JSON.stringify(message))
  const read = { id: 'i-1', from: '+15550100000', to: '+15550109999', text: 'Stop', at: RUN_AT }
  expect(runCallback(sns, { topicArn }, { body }, certificate)).toEqual(acceptedText(read))
  expect(runCallback(sns, { topicArn: `${topicArn}2` }, { body }).kind).toBe('refused')
  const other = Buffer.from(JSON.stringify(signed()))
  expect(runCallback(sns, { topicArn }, { body: other }, certificate)).toEqual({ kind: 'accepted', receipts: [] })
})
