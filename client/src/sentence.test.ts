/** The sentence of each status and each reason, and of failovers, retries, several channels and several devices. */
import { expect, test } from 'vitest'
import type {
  Candidate,
  DecisionParamsByCode,
  DecisionStep,
  DeliveryRecord,
  HistoryEvent,
  MessageDetail,
  MessageExplanation,
} from './generated.ts'
import { type MessageFacts, messageSentence, type SentenceFormat, sentenceText } from './sentence.ts'

const ACCEPTED = 1_700_000_000_000
const SECOND = 1_000
const MINUTE = 60 * SECOND
const format: SentenceFormat = {
  time: (at) => new Date(at).toISOString().slice(11, 19),
  duration: (ms) => (ms < SECOND ? `${ms} ms` : `${ms / SECOND} s`),
  list: (items) => new Intl.ListFormat('en').format(items),
  nameOf: (kind, id) => (kind === 'provider' && id === 'smtp' ? 'SMTP' : undefined),
}

interface Situation {
  message: Partial<MessageDetail> & Pick<MessageDetail, 'status'>
  decision?: MessageExplanation['decision']
  steps?: Partial<DecisionStep>[]
  candidates?: Candidate[]
  deliveries?: DeliveryRecord[]
  history?: HistoryEvent[]
  rendered?: ('email' | 'sms')[]
}

function facts({
  message,
  decision,
  steps = [],
  candidates = [],
  deliveries = [],
  history = [],
  rendered = [],
}: Situation) {
  const { status, reason } = message
  return {
    message: {
      ...{ id: 'M', recipient: 'ada', event: 'welcome', notification: 'N', enqueued: ACCEPTED, providers: [] },
      ...message,
    },
    explanation: {
      message: { id: 'M', status },
      decision: decision ?? { status, ...(reason && { reason }) },
      steps: steps.map((step) => ({ ...passed, ...step })),
      candidates,
      rendered: rendered.map((channel) => ({ channel, content: noContent, draft: {} })) as never,
      profile: {},
      deliveries,
    },
    history,
  } satisfies MessageFacts
}

const noContent = { html: '', title: '', body: '', subject: '', text: '', blocks: [] }
const passed: DecisionStep = { step: 'map', outcome: 'passed', code: 'due_now', params: {}, summary: '', facts: {} }
const stop = <Code extends keyof DecisionParamsByCode>(code: Code, params: DecisionParamsByCode[Code]) => [
  {},
  { outcome: 'stopped', code, params } as Partial<DecisionStep>,
]
const preference = <Code extends keyof DecisionParamsByCode>(
  code: Code,
  params: DecisionParamsByCode[Code],
  stepFacts: Record<string, unknown>,
) => stop(code, params).map((step) => ({ ...step, facts: stepFacts }))
/** A code that this version does not know. */
const stopOfLaterVersion = (summary: string) => [
  { outcome: 'stopped', code: 'of_a_later_version', summary } as unknown as DecisionStep,
]
const need = (name: Name, ...keys: string[]) => ({
  ...{ channel: integrations[name].channel, title: integrations[name].title, need: 'profile_key' as const },
  ...{ keys, keys_total: keys.length, or_token: false },
})
const withoutAddress = (...needs: DecisionParamsByCode['no_address']['needs']) =>
  stop('no_address', { needs, more: 0, sandbox_channels: [], real_channels: [] })
/** Preferences of this source allow only SMS. */
const chosen = (source: string): Partial<DecisionStep>[] => [
  {
    ...{ step: 'preferences', code: 'channels_limited', params: { channels: ['sms'] } },
    facts: { source, channels: ['sms'], channels_source: source },
  },
]
const routed = (method: 'all' | 'single', notes: DecisionStep['notes'] = []): Partial<DecisionStep>[] => [
  { step: 'route', code: 'routed', params: { method, integrations: [] }, notes },
]

/** Each list is a branch: the channels after its first one take over from it. */
const routedBy = (method: 'all' | 'single', ...branches: Candidate['channel'][][]): Partial<DecisionStep>[] => {
  const ways = branches.flatMap((channels) =>
    channels.map((channel, at) => ({ channel, provider: '', title: '', devices: 0, fallback: at > 0 })),
  )
  return [{ step: 'route', code: 'routed', params: { method, integrations: ways } }]
}

const integrations = {
  company: { channel: 'email', provider: 'smtp', integration: 'I1', title: 'Company mail' },
  second: { channel: 'email', provider: 'sendgrid', integration: 'I2', title: 'Second mail' },
  twilio: { channel: 'sms', provider: 'twilio', integration: 'I3', title: 'Twilio' },
  push: { channel: 'push', provider: 'firebase-fcm', integration: 'I4', title: 'Phones' },
  mailbox: { channel: 'email', provider: 'mailbox', integration: 'I5', title: 'Mailbox' },
  mailboxSms: { channel: 'sms', provider: 'mailbox', integration: 'I5', title: 'Mailbox' },
} as const
type Name = keyof typeof integrations
const switchedOff = stop('providers_unusable', {
  unusable: [{ channel: 'email', title: integrations.company.title, cause: 'disabled' }],
  ...{ more: 0, replaced_channels: [], sandbox_channels: [], real_channels: [] },
})

type Outcome = 'sent' | 'retry' | 'rejected' | 'in_doubt' | undefined
/** One attempt for each outcome; the last one undefined: it is in progress. */
function delivery(name: Name, outcomes: Outcome[], more: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const last = outcomes.at(-1)
  return {
    id: `M-${name}`,
    ...integrations[name],
    status: last === 'sent' ? 'SENT' : last === 'rejected' || last === 'in_doubt' ? 'UNDELIVERABLE' : 'ROUTED',
    attempts: outcomes.map((outcome, at) => ({
      ...{ number: at + 1, started: ACCEPTED + at * SECOND },
      ...(outcome && { ended: ACCEPTED + at * SECOND + 40, outcome }),
    })),
    attempts_total: outcomes.length,
    ...more,
  }
}
const failed = (name: Name, error: string, more: Partial<DeliveryRecord> = {}) =>
  delivery(name, ['rejected'], { error, reason: 'PROVIDER_ERROR', ...more })
/** An attempt failed, and the message ended before the next one. */
const stoppedAfter = (name: Name, error: string, more: Partial<DeliveryRecord>) => {
  const waiting = delivery(name, ['retry'], { status: 'UNDELIVERABLE', ...more })
  return { ...waiting, attempts: waiting.attempts.map((attempt) => ({ ...attempt, error })) }
}
/** Its connection broke when the message was handed over. It waits where nothing has ended it. */
const doubted = (name: Name, outcomes: Outcome[], more: Partial<DeliveryRecord> = {}) => {
  const { attempts, ...rest } = delivery(name, outcomes, {
    ...(outcomes.at(-1) === 'in_doubt' && { status: 'ROUTED' }),
    ...more,
  })
  const ofAttempt = ({ outcome }: DeliveryRecord['attempts'][number]) =>
    outcome === 'in_doubt' && { error: 'reset: cut' }
  return { ...rest, attempts: attempts.map((attempt) => ({ ...attempt, ...ofAttempt(attempt) })) }
}
const ready = (name: Name): Candidate => ({ ...integrations[name], selected: true, order: 0 })
const unused = (name: Name, reason: NonNullable<Candidate['reason']>): Candidate => ({
  ...{ ...integrations[name], selected: false, reason, order: 0 },
})
const onList = (name: Name, entry: Omit<NonNullable<Candidate['suppression']>, 'id'>): Candidate => ({
  ...unused(name, 'SUPPRESSED'),
  suppression: { id: 'S', ...entry },
})
const event = (fields: Pick<HistoryEvent, 'type'> & Record<string, unknown>) =>
  ({ ts: ACCEPTED, channel: { id: 'email' }, ...fields }) as unknown as HistoryEvent

const waiting = (name: Name, error: string | undefined, attempts: number): Situation['message'] => {
  const { channel, provider, integration } = integrations[name]
  const retry = {
    channel,
    provider,
    integration,
    attempts,
    next_attempt_at: ACCEPTED + MINUTE,
    ...(error && { error }),
  }
  return { status: 'ROUTED', retry }
}
const sentAfter = (ms: number): Situation['message'] => ({ status: 'SENT', sent: ACCEPTED + ms })
const deliveredAfter = (ms: number): Situation['message'] => ({
  ...{ status: 'DELIVERED', sent: ACCEPTED + 40, delivered: ACCEPTED + ms },
})
const undeliverable = (reason: MessageDetail['reason'], more: Partial<MessageDetail> = {}): Situation['message'] => ({
  ...{ status: 'UNDELIVERABLE', reason, ...more },
})
const unroutable = (reason: MessageDetail['reason']): Situation['message'] => ({ status: 'UNROUTABLE', reason })
const until = ACCEPTED + MINUTE
const suppression = { channel: 'email', reason: 'hard_bounce', source: 'provider/smtp', created: ACCEPTED } as const

/** The part in asterisks is the answer. */
const situations: Record<string, [Situation, string]> = {
  accepted: [{ message: { status: 'ENQUEUED' } }, '*Accepted, and not yet decided.*'],

  'the first call, before anything of it is stored': [
    {
      message: { status: 'ENQUEUED' },
      decision: { status: 'ROUTED' },
      candidates: [ready('company')],
      deliveries: [delivery('company', [undefined])],
    },
    '*On its way: Company mail is being called.*',
  ],

  'due later': [
    { message: { status: 'DELAYED' }, decision: { status: 'DELAYED', due_at: until } },
    '*Waits until 22:14:20: the send says so.*',
  ],
  'its request is paused': [
    {
      message: { status: 'ENQUEUED', paused: until, pausedBy: 'key/backend' },
      decision: { status: 'ROUTED' },
      candidates: [ready('company')],
    },
    '*Paused at 22:14:20 by the key backend: it goes on when its request is resumed.*',
  ],
  'its request is paused, and its provider is being called': [
    {
      message: { status: 'ROUTED', paused: until, pausedBy: 'key/backend' },
      decision: { status: 'ROUTED' },
      candidates: [ready('company')],
      deliveries: [delivery('company', [undefined])],
    },
    '*On its way: Company mail is being called.*',
  ],
  'deliveries are paused': [
    { message: { status: 'ENQUEUED', deliveriesPaused: until } },
    '*Not sent yet: deliveries have been paused since 22:14:20, and nothing is sent until they are resumed.*',
  ],
  'deliveries are paused, and it is due later': [
    {
      message: { status: 'DELAYED', deliveriesPaused: ACCEPTED },
      decision: { status: 'DELAYED', due_at: until },
    },
    '*Waits until 22:14:20: the send says so.* Deliveries have been paused since 22:13:20, and nothing is sent until they are resumed.',
  ],
  'deliveries are paused while its provider is being called': [
    {
      message: { status: 'ROUTED', deliveriesPaused: until },
      decision: { status: 'ROUTED' },
      candidates: [ready('company')],
      deliveries: [delivery('company', [undefined])],
    },
    '*On its way: Company mail is being called.*',
  ],
  'before its hours': [
    {
      message: { status: 'DELAYED' },
      decision: { status: 'DELAYED', due_at: until },
      steps: [{ code: 'hours_closed', params: { until } }],
    },
    '*Waits until 22:14:20: its hours begin then.*',
  ],
  'delayed, and decided otherwise by now': [
    { message: { status: 'DELAYED' }, decision: { status: 'ROUTED' }, history: [event({ type: 'DELAYED', until })] },
    '*Waits until 22:14:20: the send says so.*',
  ],

  'before the first call': [
    { message: { status: 'ROUTED' }, candidates: [unused('mailbox', 'SANDBOX'), ready('company')] },
    '*On its way: Company mail is called next.*',
  ],
  'no candidate yet': [{ message: { status: 'ROUTED' } }, '*On its way.*'],
  'during a call': [
    { message: { status: 'ROUTED' }, deliveries: [delivery('company', [undefined])] },
    '*On its way: Company mail is being called.*',
  ],
  'during the second call': [
    { message: waiting('company', '451 Later', 1), deliveries: [delivery('company', ['retry', undefined])] },
    '*On its way: Company mail is being called.*',
  ],
  'during a call after a failover': [
    {
      message: { status: 'ROUTED' },
      deliveries: [failed('company', '550 No'), delivery('second', [undefined])],
    },
    '*On its way: Second mail is being called.* Company mail refused it: `550 No`.',
  ],
  'between two integrations': [
    {
      message: { status: 'ROUTED' },
      candidates: [ready('company'), ready('second')],
      deliveries: [failed('company', '550 No')],
    },
    '*On its way: Second mail is called next.* Company mail refused it: `550 No`.',
  ],
  'a retry': [
    { message: waiting('company', '451 Later', 1), deliveries: [delivery('company', ['retry'])] },
    '*Not sent yet: Company mail failed: `451 Later`.* Company mail is called again at 22:14:20, attempt 2.',
  ],
  'a retry after the other integration refused': [
    {
      message: waiting('company', '451 Later', 2),
      deliveries: [delivery('company', ['retry', 'retry']), failed('second', '403 Sender')],
    },
    '*Not sent yet: Company mail failed: `451 Later`.* Company mail is called again at 22:14:20, attempt 3. Second mail refused it: `403 Sender`.',
  ],
  'a retry, while the limit of another integration is reached': [
    {
      message: waiting('company', '451 Later', 1),
      deliveries: [delivery('company', ['retry'])],
      history: [event({ type: 'DELIVERING', integration: { id: 'I2' }, held_back: 'limit' })],
    },
    '*Not sent yet: Company mail failed: `451 Later`.* Company mail is called again at 22:14:20, attempt 2.',
  ],
  'a retry after the retry of another one': [
    {
      message: waiting('second', '451 Busy', 1),
      deliveries: [
        delivery('company', ['retry'], { error: '451 Later', next_attempt_at: until + MINUTE }),
        delivery('second', ['retry']),
      ],
    },
    '*Not sent yet: Second mail failed: `451 Busy`.* Second mail is called again at 22:14:20, attempt 2. Company mail failed: `451 Later`.',
  ],
  'a retry after an attempt in doubt': [
    { message: waiting('company', 'reset: cut', 1), deliveries: [doubted('company', ['in_doubt'])] },
    '*It is not known whether it was sent: Company mail was handed the message, and then the connection broke: `reset: cut`.* Company mail is called again at 22:14:20, attempt 2, so the recipient may get it more than once.',
  ],
  'a retry after an attempt in doubt and a failure': [
    { message: waiting('company', '451 Later', 2), deliveries: [doubted('company', ['in_doubt', 'retry'])] },
    '*It is not known whether it was sent: Company mail was handed the message, and then the connection broke: `reset: cut`.* Company mail failed: `451 Later`. Company mail is called again at 22:14:20, attempt 3, so the recipient may get it more than once.',
  ],
  'a retry after an attempt in doubt, with an open circuit breaker': [
    {
      message: waiting('company', 'Circuit breaker open: 401 No', 1),
      deliveries: [doubted('company', ['in_doubt'])],
      history: [event({ type: 'DELIVERING', integration: { id: 'I1' }, held_back: 'circuit_breaker' })],
    },
    '*It is not known whether it was sent: Company mail was handed the message, and then the connection broke: `reset: cut`.* Company mail is not called now, because its latest calls failed: `401 No`. Company mail is called again at 22:14:20, attempt 2, so the recipient may get it more than once.',
  ],
  'a retry of one, after an attempt in doubt of another': [
    {
      message: waiting('second', '451 Busy', 1),
      deliveries: [doubted('company', ['in_doubt']), delivery('second', ['retry'])],
    },
    '*It is not known whether it was sent: Company mail was handed the message, and then the connection broke: `reset: cut`.* Second mail failed: `451 Busy`. Second mail is called again at 22:14:20, attempt 2, so the recipient may get it more than once.',
  ],
  'during a call after an attempt in doubt': [
    { message: { status: 'ROUTED' }, deliveries: [doubted('company', ['in_doubt', undefined])] },
    '*On its way: Company mail is being called.* Company mail was handed the message, and then the connection broke: `reset: cut`.',
  ],
  'a retry of a deleted integration': [
    { message: waiting('company', undefined, 1) },
    '*Not sent yet: SMTP failed.* SMTP is called again at 22:14:20, attempt 2.',
  ],
  'an open circuit breaker': [
    {
      message: waiting('company', 'Circuit breaker open: 401 Unauthorized', 0),
      deliveries: [delivery('company', [])],
      history: [event({ type: 'DELIVERING', integration: { id: 'I1' }, held_back: 'circuit_breaker' })],
    },
    '*Not sent yet: Company mail is not called now, because its latest calls failed: `401 Unauthorized`.* Company mail is called at 22:14:20.',
  ],
  'a limit': [
    {
      message: waiting('company', 'not called', 0),
      deliveries: [delivery('company', [])],
      history: [event({ type: 'DELIVERING', integration: { id: 'I1' }, held_back: 'limit' })],
    },
    '*Not sent yet: a limit of Company mail is reached.* Company mail is called at 22:14:20.',
  ],

  'held for a repair': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: '535 Authentication failed' },
      deliveries: [delivery('company', ['retry'], { error: '535 Authentication failed', next_attempt_at: until })],
      history: [event({ type: 'HELD', until })],
    },
    '*Held until Company mail is repaired: `535 Authentication failed`.* Without a repair it fails at 22:14:20.',
  ],
  'held for the repair of two, each with its error': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: '554 Relay access denied' },
      deliveries: [
        delivery('company', ['retry'], { error: '535 Authentication failed', next_attempt_at: until }),
        delivery('second', ['retry'], { error: '554 Relay access denied', next_attempt_at: until }),
      ],
    },
    '*Held until Company mail (`535 Authentication failed`) or Second mail (`554 Relay access denied`) is repaired.*',
  ],
  'held for the repair of two, with one error': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: '401 No' },
      deliveries: (['company', 'second'] as const).map((name) =>
        delivery(name, ['retry'], { error: '401 No', next_attempt_at: until }),
      ),
    },
    '*Held until Company mail or Second mail is repaired: `401 No`.*',
  ],
  'held for the repair of one channel, when the integrations of another refused it': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: '401 Authenticate' },
      deliveries: [
        failed('company', '550 5.7.1 Spam'),
        failed('second', '403 Sender'),
        delivery('twilio', ['retry'], { error: '401 Authenticate', next_attempt_at: until }),
      ],
      history: [event({ type: 'HELD', until })],
    },
    '*Held until Twilio is repaired: `401 Authenticate`.* Company mail refused it: `550 5.7.1 Spam`; Second mail refused it: `403 Sender`. Without a repair it fails at 22:14:20.',
  ],
  'held for a repair after an attempt in doubt': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: '535 No' },
      deliveries: [doubted('company', ['in_doubt', 'retry'], { error: '535 No', next_attempt_at: until })],
    },
    '*Held until Company mail is repaired: `535 No`.* Company mail was handed the message, and then the connection broke: `reset: cut`.',
  ],
  'held by an open circuit breaker': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: 'Circuit breaker open: 535 Authentication failed' },
      deliveries: [delivery('company', [], { error: 'Circuit breaker open: 535 No', next_attempt_at: until })],
    },
    '*Held until Company mail is repaired: `535 No`.*',
  ],
  'held, because all are switched off': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: 'No provider can be used: …' },
      candidates: [unused('company', 'MISSING_CONFIGURATION'), unused('second', 'MISSING_CONFIGURATION')],
      steps: switchedOff,
      history: [event({ type: 'HELD', until, error_message: 'No provider can be used: …' })],
    },
    '*Held until Company mail or Second mail is repaired.* No integration can be used: email (Company mail) is switched off. Without a repair it fails at 22:14:20.',
  ],
  'held for lack of an integration until its time was over': [
    {
      message: undeliverable('EXPIRED', { error: 'No provider can be used: …' }),
      decision: { status: 'HELD', reason: 'PROVIDER_ERROR', error: 'No provider can be used: …' },
      steps: switchedOff,
      history: [event({ type: 'HELD', until, error_message: 'No provider can be used: …' })],
    },
    '*Not sent. No integration can be used: email (Company mail) is switched off.* It was held for a repair that did not come in time.',
  ],
  'held for an integration that has been deleted since': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: '535 No' },
      deliveries: [delivery('company', ['retry'], { title: undefined, next_attempt_at: until, error: '535 No' })],
      history: [event({ type: 'HELD', until })],
    },
    '*Held for SMTP, which has been deleted.* No repair releases it: add another integration of its channel, or release it, so that it is decided again. Without a repair it fails at 22:14:20.',
  ],
  'held for two, of which one has been deleted since': [
    {
      message: { status: 'HELD', reason: 'PROVIDER_ERROR', error: '535 No' },
      deliveries: [
        delivery('company', ['retry'], { title: undefined, next_attempt_at: until, error: '535 No' }),
        delivery('second', ['retry'], { next_attempt_at: until, error: '401 No' }),
      ],
    },
    '*Held until Second mail is repaired: `401 No`.* SMTP has been deleted.',
  ],
  'held, by a deleted integration': [
    { message: { status: 'HELD', reason: 'PROVIDER_ERROR' } },
    '*Held until an integration is repaired.*',
  ],

  sent: [
    { message: sentAfter(41), deliveries: [delivery('company', ['sent'])] },
    '*Sent by email through Company mail, 41 ms after the call.* No receipt confirms that it arrived.',
  ],
  'sent at the third attempt': [
    { message: sentAfter(2_040), deliveries: [delivery('company', ['retry', 'retry', 'sent'])] },
    '*Sent by email through Company mail, 2.04 s after the call.* Company mail took it at attempt 3. No receipt confirms that it arrived.',
  ],
  'sent after an attempt in doubt': [
    { message: sentAfter(2_040), deliveries: [doubted('company', ['in_doubt', 'sent'])] },
    '*Sent by email through Company mail, 2.04 s after the call.* Company mail took it at attempt 2. An earlier attempt may have arrived. No receipt confirms that it arrived.',
  ],
  'sent after a failover': [
    {
      message: deliveredAfter(1_900),
      deliveries: [
        delivery('company', ['retry'], { status: 'UNDELIVERABLE', error: '451 Later' }),
        delivery('second', ['sent'], { status: 'DELIVERED' }),
      ],
    },
    '*Delivered by email through Second mail, 1.9 s after the call.* Company mail failed: `451 Later`.',
  ],
  'sent by the second, as the first must not be called': [
    {
      message: deliveredAfter(90),
      deliveries: [
        delivery('company', [], { status: 'UNDELIVERABLE', error: 'Circuit breaker open: 401 Unauthorized' }),
        delivery('second', ['sent'], { status: 'DELIVERED' }),
      ],
      history: [event({ type: 'DELIVERING', integration: { id: 'I1' }, held_back: 'circuit_breaker' })],
    },
    '*Delivered by email through Second mail, 90 ms after the call.* Company mail was not called, because its latest calls had failed.',
  ],
  'by another channel than the preferred one': [
    {
      message: sentAfter(41),
      steps: routed('single'),
      candidates: [
        ...[unused('company', 'INCOMPLETE_PROFILE_DATA'), unused('mailbox', 'SANDBOX')],
        ...[ready('twilio'), unused('push', 'NO_PROVIDERS')],
      ],
      deliveries: [delivery('twilio', ['sent'])],
    },
    '*Sent by SMS through Twilio, 41 ms after the call.* Email was not tried: no usable email address in the profile. No receipt confirms that it arrived.',
  ],
  'by default channels, of which the first have no integration or no consent': [
    {
      message: sentAfter(41),
      steps: routed('single', [{ code: 'default_channels', params: {}, text: '' }]),
      candidates: [unused('company', 'NO_PROVIDERS'), unused('twilio', 'UNSUBSCRIBED'), ready('push')],
      deliveries: [delivery('push', ['sent'])],
    },
    '*Sent by push through Phones, 41 ms after the call.* SMS was not tried: the preferences allow only other channels. No receipt confirms that it arrived.',
  ],
  'by all channels but one': [
    {
      message: sentAfter(41),
      steps: routed('all'),
      candidates: [ready('company'), unused('twilio', 'SUPPRESSED')],
      deliveries: [delivery('company', ['sent'])],
    },
    '*Sent by email through Company mail, 41 ms after the call.* SMS was not tried: suppressed address. No receipt confirms that it arrived.',
  ],
  'by one of two channels, and the other failed': [
    {
      message: deliveredAfter(900),
      steps: routedBy('all', ['email'], ['sms']),
      candidates: [ready('company'), ready('twilio')],
      deliveries: [delivery('company', ['sent'], { status: 'DELIVERED' }), failed('twilio', '21211 Invalid number')],
    },
    '*Delivered by email through Company mail, 900 ms after the call, but not by SMS: Twilio refused it: `21211 Invalid number`.*',
  ],
  'by one of two channels, which was opened, and the other could not be rendered': [
    {
      message: { status: 'OPENED', sent: ACCEPTED + 40, opened: ACCEPTED + MINUTE },
      steps: routedBy('all', ['email'], ['sms', 'push'], ['inbox']),
      candidates: [ready('company'), ready('twilio')],
      deliveries: [
        delivery('company', ['sent'], { status: 'OPENED' }),
        delivery('twilio', [], { status: 'UNDELIVERABLE', reason: 'FAILED', error: 'Too long' }),
        failed('push', '404 Gone'),
      ],
    },
    '*Opened, 59.96 s after it was sent by email through Company mail, but not by SMS and push: Twilio had nothing to send, because the content cannot be rendered: `Too long`; Phones refused it: `404 Gone`.*',
  ],
  'by all channels, one of them by its fallback, and another is tried again': [
    {
      message: sentAfter(41),
      steps: routedBy('all', ['email', 'sms'], ['push']),
      candidates: [ready('company'), ready('twilio'), ready('push')],
      deliveries: [
        failed('company', '550 No'),
        delivery('twilio', ['sent']),
        delivery('push', ['retry'], { next_attempt_at: until }),
      ],
    },
    '*Sent by SMS through Twilio, 41 ms after the call.* Company mail refused it: `550 No`; Phones failed. No receipt confirms that it arrived. Phones is called again at 22:14:20, attempt 2.',
  ],
  'by another integration, after one whose content could not be rendered': [
    {
      message: sentAfter(41),
      steps: routedBy('single', ['email', 'sms']),
      deliveries: [
        delivery('company', [], { status: 'UNDELIVERABLE', reason: 'FAILED', error: 'No code' }),
        delivery('twilio', ['sent']),
      ],
    },
    '*Sent by SMS through Twilio, 41 ms after the call.* Company mail had nothing to send, because the content cannot be rendered: `No code`. No receipt confirms that it arrived.',
  ],
  'by one channel, while the address of another in its order is suppressed': [
    {
      message: sentAfter(41),
      steps: routed('single'),
      candidates: [ready('company'), onList('twilio', suppression), unused('push', 'NO_PROVIDERS')],
      deliveries: [delivery('company', ['sent'])],
    },
    '*Sent by email through Company mail, 41 ms after the call.* SMS was not tried: the address has been suppressed since 22:13:20 (the address does not exist). No receipt confirms that it arrived.',
  ],
  'by one channel, while the addresses of two others are suppressed for two causes': [
    {
      message: sentAfter(41),
      steps: routed('all'),
      candidates: [
        onList('company', suppression),
        onList('twilio', { ...suppression, reason: 'complaint', created: until }),
        ready('push'),
      ],
      deliveries: [delivery('push', ['sent'])],
    },
    '*Sent by push through Phones, 41 ms after the call.* Email was not tried: the address has been suppressed since 22:13:20 (the address does not exist). SMS was not tried: the address has been suppressed since 22:14:20 (the recipient complained). No receipt confirms that it arrived.',
  ],
  'by the channel that the recipient chose': [
    {
      message: sentAfter(41),
      steps: [...chosen('recipient'), ...routed('single')],
      candidates: [ready('twilio'), unused('company', 'UNSUBSCRIBED')],
      deliveries: [delivery('twilio', ['sent'])],
    },
    '*Sent by SMS through Twilio, 41 ms after the call.* Email was not tried: the recipient chose to get such messages by SMS only. No receipt confirms that it arrived.',
  ],
  'by the channel that the topic has by default, of many': [
    {
      message: sentAfter(41),
      steps: [...chosen('topic'), ...routed('all')],
      candidates: [
        ready('twilio'),
        ...(['email', 'push', 'inbox'] as const).map(
          (channel, at): Candidate => ({ channel, selected: false, reason: 'UNSUBSCRIBED', order: at + 1 }),
        ),
      ],
      deliveries: [delivery('twilio', ['sent'])],
    },
    '*Sent by SMS through Twilio, 41 ms after the call.* Its other channels were not tried: the default of the topic allows only SMS. No receipt confirms that it arrived.',
  ],
  'the channel that was chosen refused, and the others were not chosen': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      steps: [...chosen('list'), ...routed('single')],
      candidates: [ready('twilio'), unused('company', 'UNSUBSCRIBED')],
      deliveries: [failed('twilio', '21211 Invalid number')],
    },
    '*Not delivered: Twilio refused it: `21211 Invalid number`.* Email was not tried: the preferences of the list allow only SMS. Nothing else is left.',
  ],
  'no address in the channel that the send allows': [
    {
      message: unroutable('INCOMPLETE_PROFILE_DATA'),
      steps: [...chosen('send'), ...withoutAddress(need('twilio', 'phone_number'))],
      candidates: [unused('company', 'UNSUBSCRIBED'), unused('twilio', 'INCOMPLETE_PROFILE_DATA')],
    },
    '*Not sent. Email was not tried: the preferences of the send allow only SMS.* No usable address: SMS (Twilio) needs `phone_number` in the profile.',
  ],
  'only channels that the recipient did not choose': [
    {
      message: undeliverable('UNSUBSCRIBED'),
      steps: [...chosen('recipient'), ...stop('channels_opted_out', {})],
      candidates: [unused('company', 'UNSUBSCRIBED')],
    },
    '*Not sent. The recipient chose to get such messages by SMS only, which its routing does not have.*',
  ],
  'only channels that were not chosen, for a reader who does not see whose choice that is': [
    {
      message: undeliverable('UNSUBSCRIBED'),
      steps: [...chosen('•••'), ...stop('channels_opted_out', {})],
      candidates: [unused('company', 'UNSUBSCRIBED')],
    },
    '*Not sent. The preferences allow only SMS, which its routing does not have.*',
  ],
  'by a provider, while the mailbox keeps another channel': [
    {
      message: { ...sentAfter(41), status: 'DELIVERED', delivered: ACCEPTED + 2 },
      deliveries: [delivery('company', ['sent']), delivery('mailboxSms', ['sent'], { status: 'DELIVERED' })],
    },
    '*Sent by email through Company mail, 41 ms after the call.* No receipt confirms that it arrived. SMS was delivered to the mailbox only, and did not leave this server.',
  ],
  'kept by the mailbox, when the provider failed': [
    {
      message: deliveredAfter(90),
      deliveries: [failed('company', '550 No'), delivery('mailboxSms', ['sent'], { status: 'DELIVERED' })],
    },
    '*Delivered by SMS through Mailbox, 90 ms after the call.* Company mail refused it: `550 No`. SMS was delivered to the mailbox only, and did not leave this server.',
  ],
  'kept by the mailbox, while the provider is called again': [
    {
      message: deliveredAfter(90),
      deliveries: [
        delivery('company', ['retry'], { error: '451 Later', next_attempt_at: until }),
        delivery('mailboxSms', ['sent'], { status: 'DELIVERED' }),
      ],
    },
    '*Delivered by SMS through Mailbox, 90 ms after the call.* Company mail failed: `451 Later`. SMS was delivered to the mailbox only, and did not leave this server. Company mail is called again at 22:14:20, attempt 2.',
  ],
  'by another channel than the one that only the mailbox serves': [
    {
      message: sentAfter(41),
      steps: routed('single'),
      candidates: [unused('mailboxSms', 'SANDBOX'), ready('company')],
      deliveries: [delivery('company', ['sent'])],
    },
    '*Sent by email through Company mail, 41 ms after the call.* SMS was not tried: only the mailbox serves it, and not beside a real integration. No receipt confirms that it arrived.',
  ],
  'sent by one channel, while another is being called': [
    { message: sentAfter(41), deliveries: [delivery('company', ['sent']), delivery('twilio', [undefined])] },
    '*Sent by email through Company mail, 41 ms after the call.* No receipt confirms that it arrived.',
  ],
  'sent by one channel, while another waits for its turn': [
    {
      message: sentAfter(41),
      deliveries: [delivery('company', ['sent']), delivery('twilio', [], { status: 'ROUTED', next_attempt_at: until })],
      history: [
        event({ type: 'DELIVERING', integration: { id: 'I3' }, channel: { id: 'sms' }, held_back: 'circuit_breaker' }),
      ],
    },
    '*Sent by email through Company mail, 41 ms after the call.* No receipt confirms that it arrived. Twilio is not called now, because its latest calls failed. Twilio is called at 22:14:20.',
  ],
  'its time is over, and it was never called': [
    {
      message: undeliverable('EXPIRED'),
      decision: { status: 'ROUTED' },
      deliveries: [
        delivery('company', [], { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: 'A limit is reached' }),
      ],
      history: [event({ type: 'DELIVERING', integration: { id: 'I1' }, held_back: 'limit' })],
    },
    '*Not sent. Its time was over.* Company mail was not called, because a limit of it was reached.',
  ],
  'sent by the second, as a limit of the first is reached': [
    {
      message: deliveredAfter(90),
      deliveries: [
        delivery('company', [], { status: 'UNDELIVERABLE', error: 'A limit is reached' }),
        delivery('second', ['sent'], { status: 'DELIVERED' }),
      ],
      history: [event({ type: 'DELIVERING', integration: { id: 'I1' }, held_back: 'limit' })],
    },
    '*Delivered by email through Second mail, 90 ms after the call.* Company mail was not called, because a limit of it was reached.',
  ],
  'sent, and the next one had no turn': [
    {
      message: deliveredAfter(90),
      deliveries: [
        delivery('company', ['sent'], { status: 'DELIVERED' }),
        delivery('second', [], { status: 'UNDELIVERABLE', error: 'Another candidate was accepted' }),
      ],
    },
    '*Delivered by email through Company mail, 90 ms after the call.*',
  ],
  'sent by all channels': [
    {
      message: deliveredAfter(90),
      deliveries: ['company', 'twilio'].map((name) => delivery(name as Name, ['sent'], { status: 'DELIVERED' })),
    },
    '*Delivered by email through Company mail and by SMS through Twilio, 90 ms after the call.*',
  ],
  'sent by two channels, and delivered by one': [
    {
      message: deliveredAfter(90),
      deliveries: [delivery('push', ['sent']), delivery('company', ['sent'], { status: 'DELIVERED' })],
    },
    '*Delivered by email through Company mail, 90 ms after the call.* Sent by push through Phones.',
  ],
  'sent by one of all channels': [
    {
      message: sentAfter(90),
      deliveries: [delivery('company', ['sent']), failed('twilio', '21211 Invalid number')],
    },
    '*Sent by email through Company mail, 90 ms after the call.* Twilio refused it: `21211 Invalid number`. No receipt confirms that it arrived.',
  ],
  'sent to two of three devices': [
    {
      message: sentAfter(90),
      deliveries: [
        delivery('push', ['sent'], { device: { id: 'D1', token: 'a' } as never }),
        failed('push', 'UNREGISTERED', { device: { id: 'D2', token: 'b' } as never }),
        delivery('push', ['sent'], { device: { id: 'D3', token: 'c' } as never }),
      ],
    },
    '*Sent by push through Phones, to 2 of 3 devices, 90 ms after the call.* No receipt confirms that it arrived.',
  ],
  'kept by the mailbox': [
    { message: sentAfter(41), deliveries: [delivery('mailbox', ['sent'])] },
    '*Sent by email through Mailbox, 41 ms after the call.* The mailbox keeps it: nothing left this server.',
  ],
  'delivered, without its deliveries': [{ message: deliveredAfter(90) }, '*Delivered, 90 ms after the call.*'],
  'put off by the mail server': [
    {
      message: sentAfter(41),
      deliveries: [delivery('company', ['sent'])],
      history: [event({ type: 'DEFERRED', error_message: '452 Mailbox full' })],
    },
    '*Sent by email through Company mail, 41 ms after the call.* The mail server of the recipient has put it off and keeps trying: `452 Mailbox full`.',
  ],
  opened: [
    {
      message: { status: 'OPENED', sent: ACCEPTED + 40, opened: ACCEPTED + 40 + 30 * SECOND },
      deliveries: [delivery('company', ['sent'], { status: 'OPENED' })],
    },
    '*Opened, 30 s after it was sent by email through Company mail.*',
  ],
  'opened by a program': [
    {
      message: deliveredAfter(90),
      deliveries: [delivery('company', ['sent'], { status: 'DELIVERED' })],
      history: [event({ type: 'OPENED', automated: true })],
    },
    '*Delivered by email through Company mail, 90 ms after the call.* Not counted as opened: a program fetched its pictures.',
  ],
  clicked: [
    {
      message: { status: 'CLICKED', sent: ACCEPTED, opened: ACCEPTED + SECOND, clicked: ACCEPTED + 9 * SECOND },
      deliveries: [delivery('company', ['sent'], { status: 'CLICKED' })],
    },
    '*A link in it was clicked, 9 s after it was sent by email through Company mail.*',
  ],
  'reported as spam': [
    {
      message: deliveredAfter(90),
      deliveries: [delivery('company', ['sent'], { status: 'DELIVERED' })],
      history: [event({ type: 'COMPLAINED' })],
    },
    '*Delivered by email through Company mail, 90 ms after the call.* The recipient reported it as spam.',
  ],
  'unsubscribed afterwards': [
    {
      message: deliveredAfter(90),
      deliveries: [delivery('company', ['sent'], { status: 'DELIVERED' })],
      history: [event({ type: 'UNSUBSCRIBED' })],
    },
    '*Delivered by email through Company mail, 90 ms after the call.* The recipient unsubscribed at the provider.',
  ],

  'an event without a template': [
    { message: { status: 'UNMAPPED' }, steps: stop('event_unknown', { event: 'x' }) },
    '*Not sent. The event `x` leads to no template.*',
  ],
  'an event that has a template by now': [
    { message: { status: 'UNMAPPED' }, decision: { status: 'ROUTED' } },
    '*Not sent. Its event leads to no template.*',
  ],
  'no address': [
    { message: unroutable('INCOMPLETE_PROFILE_DATA'), steps: withoutAddress(need('company', 'email')) },
    '*Not sent. No usable address: email (Company mail) needs `email` in the profile.*',
  ],
  'no address for many integrations, and one with another name': [
    {
      message: unroutable('INCOMPLETE_PROFILE_DATA'),
      steps: withoutAddress(...[need('company', 'email'), need('twilio', 'phone_number'), need('second', 'email')], {
        ...need('push', 'firebaseToken'),
        misspelled: 'firebaseTokn',
        suggestion: 'firebaseToken',
      }),
    },
    '*Not sent. No usable address: push (Phones) needs `firebaseToken` in the profile (which has `firebaseTokn`: did you mean `firebaseToken`?), email (Company mail and Second mail) needs `email` in the profile and 1 more.*',
  ],
  'a condition on the channel that has an address': [
    {
      message: unroutable('INCOMPLETE_PROFILE_DATA'),
      steps: withoutAddress(need('twilio', 'phone_number')),
      candidates: [
        ...[unused('company', 'FILTERED'), unused('second', 'FILTERED'), unused('mailbox', 'SANDBOX')],
        ...[unused('twilio', 'INCOMPLETE_PROFILE_DATA'), unused('push', 'INCOMPLETE_PROFILE_DATA')],
      ],
    },
    '*Not sent. Email was not tried: a condition is not met.* No usable address: SMS (Twilio) needs `phone_number` in the profile.',
  ],
  'a condition on some integrations of a channel without an address': [
    {
      message: unroutable('INCOMPLETE_PROFILE_DATA'),
      steps: withoutAddress(need('second', 'email')),
      candidates: [unused('company', 'FILTERED'), unused('second', 'INCOMPLETE_PROFILE_DATA')],
    },
    '*Not sent. No usable address: email (Second mail) needs `email` in the profile.*',
  ],
  'an address of a channel that the mailbox has left for a real integration': [
    {
      message: unroutable('INCOMPLETE_PROFILE_DATA'),
      steps: stop('no_address', {
        ...{ needs: [need('company', 'email')], more: 0 },
        ...{ sandbox_channels: ['sms'], real_channels: ['email'] },
      }),
    },
    '*Not sent. No usable address: email (Company mail) needs `email` in the profile.*',
  ],
  'a condition on the channel that has an integration': [
    {
      message: unroutable('NO_PROVIDERS'),
      steps: stop('no_providers', {}),
      candidates: [unused('company', 'FILTERED'), unused('twilio', 'NO_PROVIDERS')],
    },
    '*Not sent. Email was not tried: a condition is not met.* Its other channels have no integration.',
  ],
  'an address that is not valid': [
    {
      message: unroutable('INCOMPLETE_PROFILE_DATA'),
      steps: withoutAddress(
        ...(['company', 'second'] as const).map((name) => ({ ...need(name, 'email'), need: 'usable_value' as const })),
        need('twilio', 'phone_number'),
      ),
    },
    '*Not sent. No usable address: `email` is not valid for email (Company mail and Second mail), SMS (Twilio) needs `phone_number` in the profile.*',
  ],
  'a cause of a later version': [
    { message: { status: 'FILTERED' }, steps: stopOfLaterVersion('Too much of it.') },
    '*Not sent. Too much of it.*',
  ],
  'no channels, and another reason now': [
    {
      message: unroutable('NO_CHANNELS'),
      decision: { status: 'UNROUTABLE', reason: 'NO_PROVIDERS' },
      steps: stop('no_providers', {}),
    },
    '*Not sent. Its routing has no channel.*',
  ],
  'no integrations': [
    { message: unroutable('NO_PROVIDERS'), steps: stop('no_providers', {}) },
    '*Not sent. Its channels have no integration.*',
  ],
  'not published': [
    { message: { status: 'UNDELIVERABLE', reason: 'UNPUBLISHED' }, decision: { status: 'ROUTED' } },
    '*Not sent. The template has no published version.*',
  ],
  'a condition': [
    { message: { status: 'FILTERED', reason: 'FILTERED' }, steps: stop('condition_unmet', { condition: 'data.x' }) },
    '*Not sent. The condition `data.x` is not met.*',
  ],
  'a condition that holds by now': [
    { message: { status: 'FILTERED', reason: 'FILTERED', error: 'data.x' }, decision: { status: 'ROUTED' } },
    '*Not sent. A condition stopped it.* data.x.',
  ],
  'a send limit': [
    { message: { status: 'THROTTLED' }, decision: { status: 'ROUTED' } },
    '*Not sent. A send limit stopped it.*',
  ],
  'opted out': [
    { message: undeliverable('UNSUBSCRIBED'), steps: stop('opted_out', {}) },
    '*Not sent. The recipient opted out.*',
  ],
  'opted out of a topic on the page of preferences': [
    {
      message: undeliverable('UNSUBSCRIBED'),
      steps: preference('opted_out_on_page', { at: until }, { source: 'recipient', topic_id: 'news', change: {} }),
    },
    '*Not sent. The recipient opted out on the page of preferences, by a link (22:14:20).* That is the choice for the topic `news`.',
  ],
  'opted out in a tenant': [
    {
      message: undeliverable('UNSUBSCRIBED'),
      steps: preference(
        'opted_out_by_actor',
        { actor: 'key/app', at: until },
        { source: 'recipient', topic_id: 'news', tenant_id: 'acme', change: {} },
      ),
    },
    '*Not sent. The recipient was opted out by the key app (22:14:20).* That is the choice for the topic `news` in the tenant `acme`.',
  ],
  'opted out by a choice or a document, which is not known': [
    {
      message: undeliverable('UNSUBSCRIBED'),
      steps: preference('opted_out', {}, { source: 'recipient', topic_id: 'news' }),
    },
    '*Not sent. The recipient opted out.*',
  ],
  'opted out by the send': [
    { message: undeliverable('UNSUBSCRIBED'), steps: preference('opted_out', {}, { source: 'send' }) },
    '*Not sent. The recipient opted out.* The preferences of the send say so.',
  ],
  'not opted in, by the default of a tenant': [
    {
      message: undeliverable('OPT_IN_REQUIRED'),
      steps: preference('not_opted_in', {}, { source: 'tenant', tenant_id: 'acme', topic_id: 'news' }),
    },
    '*Not sent. It is only for those who opted in, and the recipient did not.* That is the default of the tenant `acme` for the topic `news`.',
  ],
  'not opted in, by the default of the topic': [
    {
      message: undeliverable('OPT_IN_REQUIRED'),
      steps: preference('not_opted_in', {}, { source: 'topic', topic_id: 'news' }),
    },
    '*Not sent. It is only for those who opted in, and the recipient did not.* That is the default of the topic `news`.',
  ],
  'opted out while a retry waited': [
    {
      message: undeliverable('UNSUBSCRIBED'),
      steps: stop('opted_out', {}),
      deliveries: [stoppedAfter('company', '451 Later', { reason: 'UNSUBSCRIBED', error: 'Opted out by user' })],
    },
    '*Not sent. The recipient opted out.* Company mail failed: `451 Later`.',
  ],
  'not opted in': [
    { message: undeliverable('OPT_IN_REQUIRED'), steps: stop('not_opted_in', {}) },
    '*Not sent. It is only for those who opted in, and the recipient did not.*',
  ],
  suppressed: [
    { message: undeliverable('SUPPRESSED'), steps: stop('address_suppressed', { suppressions: [suppression] }) },
    '*Not sent. The address for email has been suppressed since 22:13:20: the address does not exist (added by SMTP).*',
  ],
  'suppressed with a key': [
    {
      message: undeliverable('SUPPRESSED'),
      steps: stop('address_suppressed', { suppressions: [{ ...suppression, source: 'key/first key' }] }),
    },
    '*Not sent. The address for email has been suppressed since 22:13:20: the address does not exist (added with the key `first key`).*',
  ],
  'suppressed by hand': [
    {
      message: undeliverable('SUPPRESSED'),
      steps: stop('address_suppressed', { suppressions: [{ ...suppression, reason: 'manual', source: 'key/app' }] }),
    },
    '*Not sent. The address for email has been suppressed since 22:13:20: added by hand, with the key `app`.*',
  ],
  'suppressed by one integration, while the retry of another waited': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      deliveries: [
        stoppedAfter('company', '451 Later', {
          reason: 'SUPPRESSED',
          error: 'The email address is suppressed since …',
        }),
        failed('second', '550 5.1.1 User unknown'),
      ],
      history: [event({ type: 'UNDELIVERABLE', integration: { id: 'I2' }, suppressed: 'hard_bounce' })],
    },
    '*Not delivered: Company mail failed: `451 Later`; Second mail refused the address: `550 5.1.1 User unknown`.* Nothing else is left.',
  ],
  'refused without an answer of the provider': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      deliveries: [
        failed('company', 'The server offers no encryption', {
          attempts: [{ number: 1, started: ACCEPTED, outcome: 'rejected', reply: { failure: 'tls' } }],
        }),
      ],
    },
    '*Not delivered: Company mail failed: `The server offers no encryption`.* Nothing else is left.',
  ],
  'removed from the list by now': [
    {
      message: undeliverable('SUPPRESSED', { error: 'The email address is suppressed: hard_bounce by provider/smtp' }),
      decision: { status: 'ROUTED' },
    },
    '*Not sent. Each address that it could go to is suppressed.*',
  ],
  'its time is over while it is held': [
    {
      message: undeliverable('EXPIRED', { error: 'The time to send this message ran out' }),
      steps: stop('deadline_passed', { deadline: until }),
      history: [event({ type: 'HELD', until, error_message: 'email (Company mail) is switched off' })],
    },
    '*Not sent. Its deadline was 22:14:20.* It was held for a repair that did not come in time: `email (Company mail) is switched off`.',
  ],
  'a name that is no channel': [
    {
      message: unroutable('NO_CHANNELS'),
      steps: stop('route_name_unknown', { name: 'emial', suggestion: 'email' }),
    },
    '*Not sent. `emial` is neither a channel nor a provider with an integration. Did you mean `email`?*',
  ],
  'its time is over before any call': [
    { message: undeliverable('EXPIRED', { error: 'The message timed out' }), decision: { status: 'ROUTED' } },
    '*Not sent. Its time was over.*',
  ],
  'its time is over after retries': [
    {
      message: undeliverable('EXPIRED'),
      steps: [{ step: 'window', code: 'due_now', facts: { deadline: until } }],
      deliveries: [delivery('company', ['retry'], { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: '451 Later' })],
    },
    '*Not delivered: Company mail did not take it in time: `451 Later`.* Its time was over at 22:14:20.',
  ],
  'every provider refused': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      candidates: [
        ...[ready('company'), ready('second'), unused('mailbox', 'SANDBOX')],
        ...[unused('push', 'INCOMPLETE_PROFILE_DATA'), unused('twilio', 'INCOMPLETE_PROFILE_DATA')],
      ],
      deliveries: [
        failed('company', '550 5.1.1 User unknown'),
        failed('second', '403 The from address is not verified'),
      ],
      history: [event({ type: 'UNDELIVERABLE', integration: { id: 'I1' }, suppressed: 'hard_bounce' })],
    },
    '*Not delivered: Company mail refused the address: `550 5.1.1 User unknown`; Second mail refused it: `403 The from address is not verified`.* Push was not tried: no usable token of a device. SMS was not tried: no usable phone number in the profile. Nothing else is left.',
  ],
  'refused for the address, so that the next integration is skipped': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      candidates: [ready('company'), ready('second')],
      deliveries: [failed('company', '550 5.1.1 User unknown')],
      history: [event({ type: 'UNDELIVERABLE', integration: { id: 'I1' }, suppressed: 'hard_bounce' })],
    },
    '*Not delivered: Company mail refused the address: `550 5.1.1 User unknown`.* Second mail had no turn, because the same rejection is expected there. Nothing else is left.',
  ],
  'refused, and the mailbox is skipped in another channel': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      candidates: [ready('twilio'), unused('mailbox', 'SANDBOX')],
      deliveries: [failed('twilio', '21211 Invalid number')],
    },
    '*Not delivered: Twilio refused it: `21211 Invalid number`.* Nothing else is left.',
  ],
  'five providers failed': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      deliveries: (['company', 'second', 'twilio', 'push', 'mailbox'] as const).map((name) => failed(name, '')),
    },
    '*Not delivered: Company mail refused it; Second mail refused it; Twilio refused it; 2 more.* Nothing else is left.',
  ],
  'an error that the reader does not see': [
    { message: undeliverable('PROVIDER_ERROR'), deliveries: [failed('company', '•••')] },
    '*Not delivered: Company mail refused it.* Nothing else is left.',
  ],
  'a decision that the reader does not see': [
    { message: undeliverable('UNSUBSCRIBED', { error: '•••' }), steps: stopOfLaterVersion('•••') },
    '*Not sent. The recipient opted out.*',
  ],
  'an error of several lines, with backticks': [
    { message: undeliverable('PROVIDER_ERROR'), deliveries: [failed('company', 'no `x`\r\n  here')] },
    "*Not delivered: Company mail refused it: `no 'x' here`.* Nothing else is left.",
  ],
  bounced: [
    {
      message: undeliverable('BOUNCED', { reasonCode: 'HARD' }),
      deliveries: [
        delivery('company', ['sent'], { status: 'UNDELIVERABLE', reason: 'BOUNCED', error: '550 No such user' }),
      ],
    },
    '*Not delivered: Company mail reported a bounce: `550 No such user`.* Nothing else is left.',
  ],
  'in doubt at most once, by the end of its process': [
    {
      message: undeliverable('IN_DOUBT', { error: 'The attempt was interrupted' }),
      deliveries: [
        delivery('company', [], { status: 'UNDELIVERABLE', reason: 'IN_DOUBT', error: 'The attempt was interrupted' }),
      ],
    },
    '*It is not known whether it was sent: Company mail was interrupted while it was called.* It may be sent at most once, so no attempt follows.',
  ],
  'in doubt at most once, without an answer': [
    {
      message: undeliverable('IN_DOUBT'),
      deliveries: [delivery('company', ['in_doubt'], { reason: 'IN_DOUBT', error: 'timeout: 30 s' })],
    },
    '*It is not known whether it was sent: Company mail was handed the message, and gave no clear answer: `timeout: 30 s`.* It may be sent at most once, so no attempt follows.',
  ],
  'in doubt, and then no integration can be used': [
    {
      message: undeliverable('NO_PROVIDERS', { error: 'reset: cut' }),
      decision: { status: 'UNROUTABLE', reason: 'NO_PROVIDERS' },
      steps: switchedOff,
      deliveries: [doubted('company', ['in_doubt'], { status: 'UNDELIVERABLE', reason: 'NO_PROVIDERS' })],
    },
    '*It is not known whether it was sent: Company mail was handed the message, and then the connection broke: `reset: cut`.* No integration can be used: email (Company mail) is switched off.',
  ],
  'in doubt, and then no integration can be used, for a reader of a decision of now': [
    {
      message: undeliverable('NO_PROVIDERS', { error: 'reset: cut' }),
      decision: { status: 'ROUTED' },
      deliveries: [doubted('company', ['in_doubt'], { status: 'UNDELIVERABLE', reason: 'NO_PROVIDERS' })],
    },
    '*It is not known whether it was sent: Company mail was handed the message, and then the connection broke: `reset: cut`.* No integration of its channels can be used.',
  ],
  'in doubt, and then its integration is gone': [
    {
      message: undeliverable('FAILED', { error: 'The integration has been deleted' }),
      deliveries: [
        doubted('company', ['in_doubt'], {
          ...{ status: 'UNDELIVERABLE', reason: 'FAILED', error: 'The integration has been deleted' },
        }),
      ],
    },
    '*It is not known whether it was sent: Company mail was handed the message, and then the connection broke: `reset: cut`.* The integration has been deleted.',
  ],
  'in doubt, and refused at the next attempt': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      deliveries: [doubted('company', ['in_doubt', 'rejected'], { reason: 'PROVIDER_ERROR', error: '550 No' })],
    },
    '*It is not known whether it was sent: Company mail was handed the message, and then the connection broke: `reset: cut`; Company mail refused it: `550 No`.* Nothing else is left.',
  ],
  'in doubt, and opted out before the next attempt': [
    {
      message: undeliverable('UNSUBSCRIBED'),
      steps: stop('opted_out', {}),
      deliveries: [
        doubted('company', ['in_doubt'], {
          status: 'UNDELIVERABLE',
          reason: 'UNSUBSCRIBED',
          error: 'Opted out by user',
        }),
      ],
    },
    '*It is not known whether it was sent. The recipient opted out.* Company mail was handed the message, and then the connection broke: `reset: cut`.',
  ],
  'not rendered for several, for one cause': [
    {
      message: undeliverable('FAILED'),
      candidates: [ready('company'), ready('second'), ready('twilio')],
      deliveries: [
        delivery('company', [], { status: 'UNDELIVERABLE', reason: 'FAILED', error: 'No code' }),
        delivery('twilio', [], { status: 'UNDELIVERABLE', reason: 'FAILED', error: 'Too long' }),
        delivery('second', [], { status: 'UNDELIVERABLE', reason: 'FAILED', error: 'No code' }),
      ],
    },
    '*Not delivered: Company mail and Second mail had nothing to send, because the content cannot be rendered: `No code`; Twilio had nothing to send, because the content cannot be rendered: `Too long`.* Nothing else is left.',
  ],
  'not rendered': [
    {
      message: undeliverable('FAILED'),
      deliveries: [delivery('company', [], { status: 'UNDELIVERABLE', reason: 'FAILED', error: 'Unknown helper' })],
    },
    '*Not delivered: Company mail had nothing to send, because the content cannot be rendered: `Unknown helper`.* Nothing else is left.',
  ],
  'its integration is deleted before it is called': [
    {
      message: undeliverable('FAILED', { error: 'The integration has been deleted' }),
      deliveries: [
        delivery('company', [], {
          ...{ status: 'UNDELIVERABLE', reason: 'FAILED', error: 'The integration has been deleted', title: undefined },
        }),
        delivery('second', [], { status: 'UNDELIVERABLE', reason: 'FAILED', error: 'Unknown helper' }),
      ],
    },
    '*Not delivered: SMTP was not called: the integration has been deleted; Second mail had nothing to send, because the content cannot be rendered: `Unknown helper`.* Nothing else is left.',
  ],
  'its integration is deleted after an attempt, and no other has an address': [
    {
      message: undeliverable('INCOMPLETE_PROFILE_DATA'),
      decision: { status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA' },
      steps: withoutAddress(need('twilio', 'phone_number')),
      deliveries: [
        delivery('company', ['retry'], {
          ...{ title: undefined, status: 'UNDELIVERABLE', reason: 'INCOMPLETE_PROFILE_DATA', error: '503 Later' },
        }),
      ],
    },
    '*Not delivered: SMTP failed: `503 Later`.* SMTP has been deleted.',
  ],
  'an open circuit breaker, and then it is deleted': [
    {
      message: undeliverable('FAILED'),
      deliveries: [
        delivery('company', [], {
          ...{ status: 'UNDELIVERABLE', reason: 'FAILED', error: 'The integration has been deleted', title: undefined },
        }),
      ],
      history: [event({ type: 'DELIVERING', integration: { id: 'I1' }, held_back: 'circuit_breaker' })],
    },
    '*Not delivered: SMTP was not called: the integration has been deleted.* Nothing else is left.',
  ],
  'words of a provider that end with a full stop, and with three': [
    {
      message: undeliverable('PROVIDER_ERROR'),
      deliveries: [failed('company', 'The user is unknown.'), failed('second', 'And so on...')],
    },
    '*Not delivered: Company mail refused it: `The user is unknown`; Second mail refused it: `And so on...`.* Nothing else is left.',
  ],
  'its integration is switched off after an attempt': [
    {
      message: undeliverable('FAILED'),
      deliveries: [
        stoppedAfter('company', '451 Later', {
          reason: 'FAILED',
          error: 'The integration is switched off, or its secrets cannot be read',
        }),
      ],
    },
    '*Not delivered: Company mail failed: `451 Later`; Company mail was not called again: the integration is switched off, or its secrets cannot be read.* Nothing else is left.',
  ],
  'without a call, for a reader who does not see why': [
    {
      message: undeliverable('FAILED', { error: '•••' }),
      deliveries: [delivery('company', [], { status: 'UNDELIVERABLE', reason: 'FAILED', error: '•••' })],
    },
    '*Not delivered: Company mail was not called.* Nothing else is left.',
  ],
  'given up': [
    { message: undeliverable('FAILED', { error: 'It blocked the process twice' }), decision: { status: 'ROUTED' } },
    '*Not sent. It could not be rendered or handed over.* It blocked the process twice.',
  ],

  'canceled before a call': [
    { message: { status: 'CANCELED', canceledAt: ACCEPTED + 3 * SECOND } },
    '*Canceled 3 s after the call.* No provider was called.',
  ],
  'canceled by a key': [
    {
      message: { status: 'CANCELED', canceledAt: ACCEPTED + 3 * SECOND },
      history: [event({ type: 'CANCELED', source: 'key/first key' })],
    },
    '*Canceled by the key first key 3 s after the call.* No provider was called.',
  ],
  'canceled by a key whose name is masked': [
    {
      message: { status: 'CANCELED', canceledAt: ACCEPTED + 3 * SECOND },
      history: [event({ type: 'CANCELED', source: '•••' })],
    },
    '*Canceled 3 s after the call.* No provider was called.',
  ],
  'canceled because the person was erased': [
    {
      message: { status: 'CANCELED', canceledAt: ACCEPTED + 3 * SECOND },
      history: [event({ type: 'CANCELED', source: 'erasure' })],
    },
    '*Canceled 3 s after the call, as the person was erased.* No provider was called.',
  ],
  'canceled between two attempts': [
    {
      message: { status: 'CANCELED', canceledAt: ACCEPTED + 3 * SECOND },
      deliveries: [delivery('company', ['retry'], { error: '451 Later' })],
    },
    '*Canceled 3 s after the call.* Company mail failed: `451 Later`.',
  ],
  'canceled after an attempt in doubt': [
    {
      message: { status: 'CANCELED', canceledAt: ACCEPTED + 3 * SECOND },
      deliveries: [doubted('company', ['in_doubt'])],
    },
    '*Canceled 3 s after the call. An earlier attempt may have arrived.* Company mail was handed the message, and then the connection broke: `reset: cut`.',
  ],
  'part of a digest': [
    { message: { status: 'DIGESTED' }, history: [event({ type: 'DIGESTED', topic_id: 'news', until })] },
    '*Part of the digest of the topic `news`, which goes out by 22:14:20.*',
  ],
  simulated: [
    { message: { status: 'SIMULATED' }, rendered: ['email', 'sms'] },
    '*Simulated: rendered for email and SMS, and no provider was called, because the key is a mock key.*',
  ],
  'simulated without content': [
    { message: { status: 'SIMULATED' } },
    '*Simulated: no provider was called, because the key is a mock key.*',
  ],
}

test.each(Object.entries(situations))('%s', (_, [situation, expected]) => {
  const parts = messageSentence(facts(situation), { format })
  const answer = parts.filter(({ isAnswer }) => isAnswer)
  const rest = parts.filter(({ isAnswer }) => !isAnswer)
  expect(`*${sentenceText(answer)}*${sentenceText(rest)}`).toBe(expected)
  // The answer comes first.
  expect(sentenceText(parts)).toBe(sentenceText([...answer, ...rest]))
})

test('a template and a topic are named where their names are known', () => {
  const names: Record<string, string> = { T1: 'Welcome', news: 'Newsletter' }
  const named = { ...format, nameOf: (_kind: string, id: string) => names[id] }
  const sentenceOf = (situation: Situation) => sentenceText(messageSentence(facts(situation), { format: named }))
  const digest = (topic_id: string) =>
    sentenceOf({ message: { status: 'DIGESTED' }, history: [event({ type: 'DIGESTED', topic_id, until })] })
  expect(digest('news')).toBe('Part of the digest of the topic Newsletter, which goes out by 22:14:20.')
  expect(digest('other')).toBe('Part of the digest of the topic `other`, which goes out by 22:14:20.')
  expect(
    sentenceOf({
      message: { status: 'UNROUTABLE', reason: 'UNPUBLISHED' },
      steps: stop('notification_unpublished', { notification_id: 'T1' }),
    }),
  ).toBe('Not sent. The template Welcome has no published version.')
})

test('an error of the server is in the language of its reader', () => {
  const german = { ...format, error: (text: string) => (text === 'Interrupted' ? 'Unterbrochen' : text) }
  const sentenceOf = (error: string) => {
    const situation = { message: undeliverable('PROVIDER_ERROR'), deliveries: [failed('company', error)] }
    return sentenceText(messageSentence(facts(situation), { format: german }))
  }
  expect(sentenceOf('Interrupted')).toBe(
    'Not delivered: Company mail refused it: `Unterbrochen`. Nothing else is left.',
  )
  expect(sentenceOf('550 No')).toBe('Not delivered: Company mail refused it: `550 No`. Nothing else is left.')
})
