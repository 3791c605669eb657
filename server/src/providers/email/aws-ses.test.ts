/** Amazon SES: the signed request for a mail, headers that need a raw mail, and the meaning of each answer. */
import { sign } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { localhost } from '../../transport/localhost-certificate.harness.ts'
import { RUN_AT, receiptEffects, replied, runAdapter, runCallback, type Scene } from '../adapter.harness.ts'
import { checkSettings } from '../settings.ts'
import ses from './aws-ses.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: {
    region: 'eu-central-1',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'secret-1',
    sessionToken: 'token-1',
    fromAddress: 'news@example.org',
    fromName: 'Grüße, GmbH',
  },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const accepted = replied(200, { MessageId: '0107-1' })
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) => runAdapter(ses, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const failure = (status: number, type: string, message = 'Explained') =>
  replied(status, { message }, { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` })

test('a message becomes one signed request, with names in encoded words', () => {
  const { requests, outcome } = run()
  const [{ headers, ...request }] = requests as [HttpRequest]
  expect(request).toMatchObject({
    method: 'POST',
    url: 'https://email.eu-central-1.amazonaws.com/v2/email/outbound-emails',
    final: true,
  })
  expect(headers).toMatchObject({ 'x-amz-date': '20261120T120000Z', 'x-amz-security-token': 'token-1' })
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261120\/eu-central-1\/ses\/aws4_request, SignedHeaders=/,
  )
  expect(JSON.stringify(request)).not.toContain('secret-1')
  expect(JSON.parse(request.body ?? '').FromEmailAddress).toBe('=?UTF-8?B?R3LDvMOfZSwgR21iSA==?= <news@example.org>')
  expect(outcome).toEqual({ kind: 'sent', reference: { MessageId: '0107-1' }, delivered: false })
})

test('the draft shows names as they are read', () => {
  expect(run().draft).toMatchObject({ body: { FromEmailAddress: '"Grüße, GmbH" <news@example.org>' } })
})

test('attachments of the override replace those of the channel', () => {
  const email = { attachments: [{ filename: 'a.txt', contentType: 'text/plain', data: 'aGk=' }] }
  const override = { attachments: [{ filename: 'b.txt', contentType: 'text/plain', data: 'eW8=' }] }
  expect(bodyOf({ email, override }).Content.Simple.Attachments).toHaveLength(1)
  expect(bodyOf({ email, override }).Content.Simple.Attachments).toMatchObject([
    { FileName: 'b.txt', RawContent: 'eW8=' },
  ])
})

test.each([
  ['fifteen headers in ASCII', Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`X-${at}`, 'a'])), 'Simple'],
  ['sixteen headers', Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`X-${at}`, 'a'])), 'Raw'],
  ['a header with an umlaut', { 'X-A': 'ü' }, 'Raw'],
])('%s', (_title, headers, kind) => {
  expect(Object.keys(bodyOf({ email: { headers } }).Content)).toEqual([kind])
})

test('a template of the override replaces the content', () => {
  const Content = { Simple: null, Template: { TemplateName: 'welcome', TemplateData: '{}' } }
  expect(bodyOf({ override: { body: { Content } } }).Content).toMatchObject({ Template: { TemplateName: 'welcome' } })
})

test.each([
  [{ FromEmailAddress: 'no-address' }, 'FromEmailAddress has an invalid mail address'],
  [{ Destination: { ToAddresses: [] } }, 'ToAddresses is missing'],
  [{ Content: 'x' }, 'Content must be an object'],
  [{ Content: { Simple: { Headers: [{ Name: 'X-A', Value: 'a\nb' }] } } }, 'Headers.X-A must not contain line breaks'],
  [{ Content: { Simple: { Attachments: {} } } }, 'Attachments must be an array of objects'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run({ override: { body } })
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test.each(['us-east', 'US-EAST-1', 'evil.example/', 'eu-central-1.evil.example'])('%s is no region', (region) => {
  expect(checkSettings(ses, { ...scene.settings, region })).toEqual(['region must be a region, such as `us-east-1`'])
})

test.each<[string, Reply, object]>([
  ['no id', replied(200, {}), { kind: 'in_doubt' }],
  ['BadRequest', failure(400, 'BadRequestException'), { kind: 'rejected', scope: 'content' }],
  ['MessageRejected', failure(400, 'MessageRejected'), { kind: 'rejected', scope: 'content' }],
  [
    'an identity that is not verified',
    failure(400, 'MessageRejected', 'Email address is not verified.'),
    { kind: 'rejected', scope: 'configuration' },
  ],
  ['SendingPaused', failure(400, 'SendingPausedException'), { kind: 'rejected', scope: 'configuration' }],
  ['MailFrom', failure(400, 'MailFromDomainNotVerifiedException'), { kind: 'rejected', scope: 'configuration' }],
  ['NotFound', failure(404, 'NotFoundException'), { kind: 'rejected', scope: 'configuration' }],
  ['LimitExceeded', failure(400, 'LimitExceededException'), { kind: 'retry', attempted: false }],
  ['TooManyRequests', failure(429, 'TooManyRequestsException'), { kind: 'retry', attempted: false }],
  ['Throttling', failure(400, 'ThrottlingException'), { kind: 'retry', attempted: false }],
  ['ExpiredToken', failure(403, 'ExpiredTokenException'), { kind: 'rejected', scope: 'configuration' }],
  [
    'a code in the body',
    replied(400, { __type: 'com.amazonaws.sesv2#SendingPausedException' }),
    { scope: 'configuration' },
  ],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test('the check accepts credentials that may only send, and finds an account that is paused', () => {
  const check = ses.signIn?.(scene.settings, RUN_AT)
  expect(check?.request).toMatchObject({
    method: 'GET',
    url: 'https://email.eu-central-1.amazonaws.com/v2/email/account',
  })
  expect(check?.failureIn(replied(200, { SendingEnabled: true }))).toBeUndefined()
  expect(check?.failureIn(failure(403, 'AccessDeniedException'))).toBeUndefined()
  expect(check?.failureIn(failure(403, 'SignatureDoesNotMatch'))).toBe('403 Forbidden: Explained')
  expect(check?.failureIn(replied(200, { SendingEnabled: false }))).toContain('paused')
})

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:mail'
const deliveryId = '1-691f0000-0000000000000000000000ab-0'
const at = new Date(RUN_AT - 60_000).toISOString()

/** An event as SNS publishes it. */
function callback(event: object, settings: { topicArn?: string } = { topicArn }) {
  const Message = JSON.stringify(event)
  const fields = { Message, MessageId: 'n-1', Timestamp: at, TopicArn: topicArn, Type: 'Notification' }
  const text = Object.entries(fields).map(([name, value]) => `${name}\n${value}\n`)
  const Signature = sign('sha256', Buffer.from(text.join('')), localhost.key).toString('base64')
  const SigningCertURL = 'https://sns.eu-central-1.amazonaws.com/1.pem'
  const body = Buffer.from(JSON.stringify({ ...fields, SignatureVersion: '2', Signature, SigningCertURL }))
  return runCallback(ses, settings, { body }, replied(200, localhost.cert))
}

const event = (eventType: string, parts: object = {}, tags: object = { delivery_id: [deliveryId] }) => ({
  eventType,
  mail: { timestamp: at, destination: ['ada@example.com'], tags },
  ...parts,
})
const bounced = (bounceType: string, ...addresses: string[]) => ({
  bounce: {
    ...{ bounceType, bounceSubType: 'General', timestamp: at },
    bouncedRecipients: addresses.map((emailAddress) => ({ emailAddress, diagnosticCode: 'smtp; 550 no' })),
  },
})

test.each<[string, object, object]>([
  ['Delivery', { delivery: { timestamp: at, recipients: ['ada@example.com'] } }, { kind: 'delivered' }],
  ['Bounce', bounced('Permanent', 'ada@example.com'), { kind: 'bounced', gone: 'hard_bounce', error: 'smtp; 550 no' }],
  ['Bounce', bounced('Transient', 'ada@example.com'), { kind: 'bounced', error: 'smtp; 550 no' }],
  [
    'Bounce',
    {
      bounce: {
        ...{ bounceType: 'Permanent', bounceSubType: 'OnAccountSuppressionList', timestamp: at },
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    { kind: 'bounced', gone: 'hard_bounce', error: 'OnAccountSuppressionList' },
  ],
  [
    'Complaint',
    { complaint: { complainedRecipients: [{ emailAddress: 'ada@example.com' }], complaintFeedbackType: 'abuse' } },
    { kind: 'complained', error: 'abuse' },
  ],
  ['Reject', { reject: { reason: 'Bad content' } }, { kind: 'bounced', error: 'Bad content' }],
  ['Rendering Failure', { failure: { errorMessage: 'No such' } }, { kind: 'bounced', error: 'No such' }],
  ['Open', { open: { timestamp: at, userAgent: 'Mozilla/5.0' } }, { kind: 'opened' }],
  ['Click', { click: { timestamp: at, link: 'https://a.co/' } }, { kind: 'clicked', url: 'https://a.co/' }],
  [
    'Subscription',
    { subscription: { timestamp: at, newTopicPreferences: { unsubscribeAll: true } } },
    { kind: 'unsubscribed' },
  ],
])('the event %s with %j', (type, parts, receipt) => {
  expect(callback(event(type, parts))).toEqual({
    kind: 'accepted',
    receipts: [{ deliveryId, at: RUN_AT - 60_000, address: 'ada@example.com', ...receipt }],
  })
})

test('each address that bounced has a receipt', () => {
  const outcome = callback(event('Bounce', bounced('Permanent', 'ada@example.com', 'bob@example.com')))
  expect(outcome).toMatchObject({ receipts: [{ address: 'ada@example.com' }, { address: 'bob@example.com' }] })
})

/** Type and subtype of an event, and what follows from it. */
test.each<[string, object, string[]]>([
  ['Send', {}, []],
  ['Delivery', { delivery: {} }, ['delivered']],
  [
    'DeliveryDelay',
    { deliveryDelay: { delayType: 'MailboxFull', delayedRecipients: [{ emailAddress: 'ada@example.com' }] } },
    ['delayed'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'NoEmail',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'Suppressed',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'OnAccountSuppressionList',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          { emailAddress: 'ada@example.com', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
        ],
      },
    },
    ['bounced HARD: hard_bounce of ada@example.com'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          { emailAddress: 'ada@example.com', diagnosticCode: 'smtp; 550 5.1.1 <bob@other.example> user unknown' },
        ],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          {
            emailAddress: 'ada@example.com',
            status: '5.7.1',
            diagnosticCode: 'smtp; 550 5.7.1 blocked using bl.example.net',
          },
        ],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          { emailAddress: 'ada@example.com', status: '5.0.0', diagnosticCode: 'smtp; 550 5.7.26 unauthenticated' },
        ],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          { emailAddress: 'ada@example.com', status: '5.2.2', diagnosticCode: 'smtp; 552 5.2.2 mailbox full' },
        ],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Transient',
        bounceSubType: 'General',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Transient',
        bounceSubType: 'MailboxFull',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Transient',
        bounceSubType: 'MessageTooLarge',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Transient',
        bounceSubType: 'ContentRejected',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Transient',
        bounceSubType: 'AttachmentRejected',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Transient',
        bounceSubType: 'CustomTimeoutExceeded',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Bounce',
    {
      bounce: {
        bounceType: 'Undetermined',
        bounceSubType: 'Undetermined',
        bouncedRecipients: [{ emailAddress: 'ada@example.com' }],
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Complaint',
    { complaint: { complainedRecipients: [{ emailAddress: 'ada@example.com' }] } },
    ['complained: complaint of ada@example.com'],
  ],
  [
    'Complaint',
    {
      complaint: {
        complainedRecipients: [{ emailAddress: 'ada@example.com' }],
        complaintFeedbackType: 'abuse',
        complaintSubType: null,
      },
    },
    ['complained: complaint of ada@example.com'],
  ],
  [
    'Complaint',
    {
      complaint: {
        complainedRecipients: [{ emailAddress: 'ada@example.com' }],
        complaintFeedbackType: 'fraud',
        complaintSubType: null,
      },
    },
    ['complained: complaint of ada@example.com'],
  ],
  [
    'Complaint',
    {
      complaint: {
        complainedRecipients: [{ emailAddress: 'ada@example.com' }],
        complaintFeedbackType: 'other',
        complaintSubType: null,
      },
    },
    ['complained: complaint of ada@example.com'],
  ],
  [
    'Complaint',
    {
      complaint: {
        complainedRecipients: [{ emailAddress: 'ada@example.com' }],
        complaintFeedbackType: 'virus',
        complaintSubType: null,
      },
    },
    ['complained: complaint of ada@example.com'],
  ],
  [
    'Complaint',
    { complaint: { complainedRecipients: [{ emailAddress: 'ada@example.com' }], complaintFeedbackType: 'not-spam' } },
    [],
  ],
  [
    'Complaint',
    {
      complaint: { complainedRecipients: [{ emailAddress: 'ada@example.com' }], complaintFeedbackType: 'auth-failure' },
    },
    [],
  ],
  [
    'Complaint',
    {
      complaint: {
        complainedRecipients: [{ emailAddress: 'ada@example.com' }],
        complaintSubType: 'OnAccountSuppressionList',
      },
    },
    ['bounced SOFT'],
  ],
  [
    'Complaint',
    {
      complaint: {
        complainedRecipients: [{ emailAddress: 'ada@example.com' }],
        complaintSubType: 'OnAccountSuppressionList',
        complaintFeedbackType: 'abuse',
      },
    },
    ['bounced SOFT'],
  ],
  ['Reject', { reject: { reason: 'Bad content' } }, ['bounced SOFT']],
  ['Rendering Failure', { failure: { errorMessage: 'No such' } }, ['bounced SOFT']],
  [
    'Subscription',
    { subscription: { newTopicPreferences: { unsubscribeAll: true } } },
    ['unsubscribed: unsubscribed of ada@example.com'],
  ],
  ['Subscription', { subscription: { newTopicPreferences: { unsubscribeAll: false } } }, []],
  ['Open', { open: {} }, ['opened']],
  ['Click', { click: { link: 'https://a.co/' } }, ['clicked']],
])('%s of %j does %j', (name, changes, effects) => {
  expect(receiptEffects(callback(event(name, changes)), 'email')).toEqual(effects)
})

test('events that are no receipts, or of mails of others, are left out', () => {
  const others = [
    ...[
      event('Send'),
      event('DeliveryDelay', { deliveryDelay: 7 }),
      event('Subscription', { subscription: {} }),
      {},
      { eventType: 7 },
    ],
    ...[event('Bounce'), event('Bounce', { bounce: { bouncedRecipients: 'x' } }), event('Open', {}, {})],
    ...[event('Delivery', {}, { delivery_id: ['mine'] }), event('Delivery', {}, { delivery_id: deliveryId })],
  ]
  for (const other of others) expect(callback(other), JSON.stringify(other)).toEqual({ kind: 'accepted', receipts: [] })
})

test('callbacks need the topic of the integration', () => {
  expect(callback(event('Delivery'), {})).toMatchObject({ kind: 'refused' })
  expect(callback(event('Delivery'), { topicArn: `${topicArn}-2` })).toMatchObject({ kind: 'refused' })
  expect(checkSettings(ses, { ...scene.settings, topicArn })).toEqual([])
  expect(checkSettings(ses, { ...scene.settings, topicArn: 'mail' })).toEqual([
    'topicArn must be the ARN of a topic, such as `arn:aws:sns:us-east-1:123456789012:mail`',
  ])
})
