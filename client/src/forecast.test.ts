/** The sentence of each way that a send can go, before it is made. */
import { expect, test } from 'vitest'
import { forecast } from './forecast.ts'
import type { Candidate, DecisionStep, Explanation, RenderedCandidate } from './generated.ts'
import type { SentenceFormat } from './sentence-format.ts'
import { sentenceText } from './sentence-parts.ts'
import { englishSteps, type StepTexts } from './steps.ts'

const format: SentenceFormat = {
  time: (at) => new Date(at).toISOString().slice(11, 19),
  duration: (ms) => `${ms} ms`,
  list: (items) => new Intl.ListFormat('en').format(items),
}
const until = Date.UTC(2024, 0, 1, 8)

const integrations = {
  company: { channel: 'email', provider: 'smtp', integration: 'I1', title: 'Company mail' },
  second: { channel: 'email', provider: 'sendgrid', integration: 'I2', title: 'Second mail' },
  twilio: { channel: 'sms', provider: 'twilio', integration: 'I3', title: 'Twilio' },
  push: { channel: 'push', provider: 'firebase-fcm', integration: 'I4', title: 'Phones' },
  mailbox: { channel: 'email', provider: 'mailbox', integration: 'I5', title: 'Mailbox' },
  mailboxSms: { channel: 'sms', provider: 'mailbox', integration: 'I5', title: 'Mailbox' },
} as const
type Name = keyof typeof integrations

interface Situation {
  status: Explanation['decision']['status']
  reason?: Explanation['decision']['reason']
  delayed?: true
  error?: string
  /** Those that can be called; those that follow a failure begin with an arrow. */
  ways?: (Name | `→${Name}` | { devices: number; name: Name })[]
  /** Those whose content cannot be rendered, with the error. */
  failed?: Partial<Record<Name, string>>
  criterion?: 'viewed'
  /** Not called before this time: its circuit breaker is open, or a limit is reached. */
  deferred?: Partial<Record<Name, RenderedCandidate['held_back']>>
  /** A probe is due, and the call is it; one that is `deferred`: another call is it. */
  probed?: Name
  isHeldIfRejected?: boolean
  unused?: Partial<Record<Name, NonNullable<Candidate['reason']>>>
  /** Those before the ways. */
  before?: Situation['unused']
  method?: 'all'
  steps?: Partial<DecisionStep>[]
  to?: string
}

const passed: DecisionStep = { step: 'map', outcome: 'passed', code: 'due_now', params: {}, summary: '', facts: {} }

function explanationOf({ status, reason, delayed, error, ways = [], ...situation }: Situation): Explanation {
  const { unused = {}, before = {}, method = 'single', steps = [], ...more } = situation
  const { failed = {}, deferred = {}, probed, criterion } = more
  const named = ways.map((way) => {
    const fallback = typeof way === 'string' && way.startsWith('→')
    const name = (typeof way === 'string' ? way.replace('→', '') : way.name) as Name
    return { name, fallback, devices: typeof way === 'string' ? 0 : way.devices }
  })
  const devices = (count: number) => Array.from({ length: count }, (_, at) => ({ device: { id: String(at) } }))
  const selected = named.flatMap(({ name, devices: count }) =>
    (count === 0 ? [{}] : devices(count)).map(
      (device) => ({ ...integrations[name], ...device, selected: true, order: 0 }) as Candidate,
    ),
  )
  const left = (reasons: NonNullable<Situation['unused']>) =>
    Object.entries(reasons).map(
      ([name, reason]): Candidate => ({ ...integrations[name as Name], selected: false, reason, order: 0 }),
    )
  const routed = {
    step: 'route',
    code: 'routed',
    params: { method, ...(criterion && { criterion }) },
  } as const
  const turnOf = (name: Name, fallback?: boolean) => {
    const by = deferred[name]
    const hasBreaker = by === 'circuit_breaker' || probed === name
    return {
      ...(fallback !== undefined && { fallback }),
      ...(by && { held_back: by, next_attempt_at: until + Object.keys(deferred).indexOf(name) * 1_000 }),
      ...(hasBreaker && {
        circuit_breaker: { state: by && probed === name ? 'half_open' : 'open', error: '401 Unauthorized' },
      }),
    }
  }
  const rendered = [
    ...Object.entries(failed).map(([name, cause]) => ({
      ...{
        ...integrations[name as Name],
        error: cause,
        ...turnOf(name as Name, deferred[name as Name] ? false : undefined),
      },
    })),
    ...named.map(({ name, fallback }) => ({ ...integrations[name], ...turnOf(name, fallback) })),
  ]
  return {
    decision: {
      status,
      ...(reason && { reason }),
      ...(error && { error }),
      due_at: until,
      ...(delayed && { delayed_until: until }),
      ...(situation.isHeldIfRejected && { held_if_rejected: true }),
    },
    steps: [...steps, ...(ways.length > 0 ? [routed] : [])].map((step) => ({ ...passed, ...step })),
    candidates: [...left(before), ...selected, ...left(unused)],
    rendered: rendered.map((candidate) => ({ ...candidate, content: {} })) as RenderedCandidate[],
    profile: {},
  }
}

const unknownEvent = { outcome: 'stopped', code: 'event_unknown', params: { event: 'hello' } } as const
const smsChosen: Partial<DecisionStep> = {
  ...{ step: 'preferences', code: 'channels_limited', params: { channels: ['sms'] } },
  facts: { channels_source: 'recipient' },
}
const hoursClosed = { code: 'hours_closed', params: { until } } as const
/** Its code is one that this version does not know. */
const laterStop: Partial<DecisionStep> = { outcome: 'stopped', code: 'of_a_later_version' as DecisionStep['code'] }

/** The part in asterisks is the answer. */
const situations: Record<string, [Situation, string]> = {
  'one way': [{ status: 'ROUTED', ways: ['company'], to: 'Ada' }, '*Would go to Ada by email through Company mail.*'],
  'a recipient without a name': [{ status: 'ROUTED', ways: ['company'] }, '*Would go by email through Company mail.*'],
  'the preferred channel is not tried': [
    {
      ...{ status: 'ROUTED', ways: ['twilio', '→push'], before: { company: 'INCOMPLETE_PROFILE_DATA' } },
      unused: { mailbox: 'UNSUBSCRIBED' },
    },
    '*Would go by SMS through Twilio.* Email would not be tried: no usable email address in the profile. If that fails: push through Phones.',
  ],
  'one of all channels is left out': [
    { status: 'ROUTED', method: 'all', ways: ['company'], unused: { twilio: 'SUPPRESSED' } },
    '*Would go by email through Company mail.* SMS would not be tried: suppressed address.',
  ],
  'the recipient chose another channel': [
    { status: 'ROUTED', ways: ['twilio'], unused: { company: 'UNSUBSCRIBED' }, steps: [smsChosen] },
    '*Would go by SMS through Twilio.* Email would not be tried: the recipient chose to get such messages by SMS only.',
  ],
  'the recipient chose none of its channels': [
    {
      ...{ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED', unused: { company: 'UNSUBSCRIBED' } },
      steps: [smsChosen, { step: 'route', outcome: 'stopped', code: 'channels_opted_out' }],
    },
    '*Would not be sent. The recipient chose to get such messages by SMS only, which its routing does not have.*',
  ],
  failovers: [
    { status: 'ROUTED', ways: ['company', '→second', '→twilio'], unused: { mailbox: 'SANDBOX' } },
    '*Would go by email through Company mail.* If that fails: email through Second mail, then SMS through Twilio.',
  ],
  'every channel, with a failover in one': [
    { status: 'ROUTED', ways: ['company', '→second', 'twilio'] },
    '*Would go by email through Company mail and by SMS through Twilio.* In reserve: email through Second mail.',
  ],
  'several devices': [
    { status: 'ROUTED', ways: [{ name: 'push', devices: 3 }, '→company'] },
    '*Would go by push through Phones, to 3 devices.* If that fails: email through Company mail.',
  ],
  'the mailbox': [
    { status: 'ROUTED', ways: ['mailbox', '→mailboxSms'], to: 'Ada' },
    '*Would go to Ada by email through Mailbox.* If that fails: SMS through Mailbox. The mailbox would keep it: nothing would leave this server.',
  ],
  'the mailbox beside a provider': [
    { status: 'ROUTED', ways: ['company', 'mailboxSms'] },
    '*Would go by email through Company mail.* SMS would go to the mailbox only, and not leave this server.',
  ],
  'the first has nothing to send': [
    { status: 'ROUTED', ways: ['second', '→twilio'], failed: { company: 'no from' } },
    '*Would go by email through Second mail.* If that fails: SMS through Twilio. Company mail would have nothing to send, because the content cannot be rendered: `no from`.',
  ],
  'a channel follows one that is not opened': [
    { status: 'ROUTED', ways: ['company', '→twilio'], criterion: 'viewed' },
    '*Would go by email through Company mail.* If that fails, or it is not opened in time: SMS through Twilio.',
  ],
  'the first must not be called': [
    { status: 'ROUTED', ways: ['→company', 'second', '→twilio'], deferred: { company: 'circuit_breaker' } },
    '*Would go by email through Second mail.* If that fails: email through Company mail, then SMS through Twilio. Company mail is not called before 08:00:00, because its latest calls failed: `401 Unauthorized`.',
  ],
  'a limit of the first is reached': [
    { status: 'ROUTED', ways: ['→company', 'second'], deferred: { company: 'limit' } },
    '*Would go by email through Second mail.* If that fails: email through Company mail. Company mail is not called before 08:00:00, because a limit of it is reached.',
  ],
  'a channel of all must not be called': [
    { status: 'ROUTED', ways: ['company', 'twilio'], deferred: { twilio: 'circuit_breaker' } },
    '*Would go by email through Company mail.* Twilio is not called before 08:00:00, because its latest calls failed: `401 Unauthorized`.',
  ],
  'none can be called': [
    {
      status: 'ROUTED',
      ways: ['company', 'twilio', '→second'],
      deferred: { twilio: 'circuit_breaker', company: 'limit' },
    },
    '*Would not be sent yet: Twilio is not called now, because its latest calls failed: `401 Unauthorized`.* Twilio would have its turn at about 08:00:00. In reserve: email through Second mail. Company mail is not called before 08:00:01, because a limit of it is reached.',
  ],
  'none can be called, and there would be nothing to send': [
    { status: 'ROUTED', failed: { twilio: 'no text' }, deferred: { twilio: 'circuit_breaker' } },
    '*Would not be sent yet: Twilio is not called now, because its latest calls failed: `401 Unauthorized`.* Twilio would have its turn at about 08:00:00. Twilio would have nothing to send, because the content cannot be rendered: `no text`.',
  ],
  'a fallback that must not be called now is said to be': [
    { status: 'ROUTED', ways: ['company', '→twilio'], deferred: { twilio: 'circuit_breaker' } },
    '*Would go by email through Company mail.* If that fails: SMS through Twilio. Twilio is not called before 08:00:00, because its latest calls failed: `401 Unauthorized`.',
  ],
  'its time is over before any call': [
    { status: 'UNDELIVERABLE', reason: 'EXPIRED', ways: ['company'], deferred: { company: 'limit' } },
    '*Would not be sent. Its time would be over before an integration can be called.*',
  ],
  'the call is a probe': [
    { status: 'ROUTED', ways: ['company', '→second'], probed: 'company' },
    '*Would go by email through Company mail.* If that fails: email through Second mail. The latest calls of Company mail failed, and this call would test whether it works again: `401 Unauthorized`.',
  ],
  'the call is a probe, and its rejection holds the message': [
    { status: 'ROUTED', ways: ['company'], probed: 'company', isHeldIfRejected: true },
    '*Would go by email through Company mail.* The latest calls of Company mail failed, and this call would test whether it works again: `401 Unauthorized`. Refused again, it would be held for a repair.',
  ],
  'another call is the probe': [
    { status: 'ROUTED', ways: ['twilio'], deferred: { twilio: 'circuit_breaker' }, probed: 'twilio' },
    '*Would not be sent yet: Twilio is not called now, because its latest calls failed: `401 Unauthorized`.* A call is testing whether Twilio works again, which decides when its turn comes.',
  ],
  'another call is the probe of the first': [
    {
      status: 'ROUTED',
      ways: ['→company', 'second'],
      deferred: { company: 'circuit_breaker' },
      probed: 'company',
    },
    '*Would go by email through Second mail.* If that fails: email through Company mail. Company mail is not called while another call tests whether it works again: `401 Unauthorized`.',
  ],
  'held for an integration that refuses': [
    { status: 'HELD', ways: ['twilio'], deferred: { twilio: 'circuit_breaker' } },
    '*Would be held until Twilio is repaired.* Without a repair it would fail at 08:00:00.',
  ],
  'no content can be rendered': [
    {
      status: 'UNDELIVERABLE',
      failed: { company: 'no value for `name`', second: 'no value for `name`', twilio: 'no text' },
    },
    "*Would not be delivered: Company mail and Second mail would have nothing to send, because the content cannot be rendered: `no value for 'name'`; Twilio would have nothing to send, because the content cannot be rendered: `no text`.*",
  ],
  'due later': [
    { status: 'DELAYED', delayed: true, ways: ['company', '→second'], to: 'Ada' },
    '*Would wait until 08:00:00: the send says so.* As things are now: would go to Ada by email through Company mail. If that fails: email through Second mail.',
  ],
  'due later, and not sent then': [
    { status: 'UNMAPPED', delayed: true, steps: [unknownEvent] },
    '*Would wait until 08:00:00: the send says so.* As things are now: would not be sent. The event `hello` leads to no template.',
  ],
  'before its hours': [
    { status: 'DELAYED', delayed: true, ways: ['company', '→second'], steps: [hoursClosed] },
    '*Would wait until 08:00:00: its hours begin then.* As things are now: would go by email through Company mail. If that fails: email through Second mail.',
  ],
  'before its hours, and not sent then': [
    {
      ...{ status: 'FILTERED', delayed: true },
      steps: [
        {
          ...{ step: 'window', outcome: 'stopped', code: 'condition_unmet', params: { condition: 'data.x' } },
          notes: [{ ...hoursClosed, text: '' }],
        },
      ],
    },
    '*Would wait until 08:00:00: its hours begin then.* As things are now: would not be sent. The condition `data.x` is not met.',
  ],
  'a digest': [
    {
      status: 'DIGESTED',
      steps: [{ step: 'preferences', outcome: 'stopped', code: 'digested', params: { topic_id: 'news', until } }],
    },
    '*Would become part of the digest of the topic `news`, which goes out by 08:00:00.*',
  ],
  held: [
    { status: 'HELD', unused: { company: 'MISSING_CONFIGURATION', mailbox: 'SANDBOX' } },
    '*Would be held until Company mail is repaired.* Without a repair it would fail at 08:00:00.',
  ],
  'held for several': [
    { status: 'HELD', unused: { company: 'MISSING_CONFIGURATION', second: 'MISSING_CONFIGURATION' } },
    '*Would be held until Company mail or Second mail is repaired.* Without a repair it would fail at 08:00:00.',
  ],
  'a mock key': [
    { status: 'SIMULATED', ways: ['company', '→twilio'] },
    '*Would be simulated: rendered for email and SMS, and no provider would be called, because the key is a mock key.*',
  ],
  'a step stops it': [
    {
      status: 'UNDELIVERABLE',
      steps: [{ step: 'preferences', outcome: 'stopped', code: 'opted_out', summary: 'The recipient opted out.' }],
      to: 'Ada',
    },
    '*Would not be sent. The recipient opted out.*',
  ],
  'a default of the topic stops it': [
    {
      status: 'UNDELIVERABLE',
      steps: [
        {
          ...{ step: 'preferences', outcome: 'stopped', code: 'not_opted_in', summary: '' },
          facts: { source: 'topic', topic_id: 'news' },
        },
      ],
    },
    '*Would not be sent. It is only for those who opted in, and the recipient did not.* That is the default of the topic `news`.',
  ],
  unmapped: [
    { status: 'UNMAPPED', steps: [unknownEvent] },
    '*Would not be sent. The event `hello` leads to no template.*',
  ],
  'a condition on the channel that has an address': [
    {
      ...{ status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA', error: 'No usable address: push needs a token' },
      unused: { company: 'FILTERED', second: 'FILTERED', twilio: 'UNSUBSCRIBED', push: 'INCOMPLETE_PROFILE_DATA' },
    },
    '*Would not be sent. Email would not be tried: a condition is not met. SMS would not be tried: the preferences allow only other channels.* No usable address: push needs a token.',
  ],
  'a condition on the channel that has an integration': [
    {
      ...{ status: 'UNROUTABLE', reason: 'NO_PROVIDERS', unused: { company: 'FILTERED', twilio: 'NO_PROVIDERS' } },
      steps: [{ step: 'route', outcome: 'stopped', code: 'no_providers' }],
    },
    '*Would not be sent. Email would not be tried: a condition is not met.* Its other channels have no integration.',
  ],
  'for a reader who does not see why': [
    { status: 'FILTERED', steps: [{ ...laterStop, summary: '•••' }] },
    '*Would not be sent.*',
  ],
  'without a step that stopped it': [
    { status: 'UNROUTABLE', error: 'No channels added' },
    '*Would not be sent. No channels added.*',
  ],
}

test.each(Object.entries(situations))('%s', (_, [{ to, ...situation }, sentence]) => {
  const parts = forecast(explanationOf(situation), { format, ...(to && { to }) })
  const answer = sentenceText(parts.filter(({ isAnswer }) => isAnswer))
  expect(`*${answer}*${sentenceText(parts).slice(answer.length)}`).toBe(sentence)
})

test('a step stops it in the words of the reader, and in those of the server where its code is not known', () => {
  const sentenceOf = (step: Partial<DecisionStep>, steps?: StepTexts) =>
    sentenceText(forecast(explanationOf({ status: 'UNMAPPED', steps: [step] }), { format, ...(steps && { steps }) }))
  expect(sentenceOf(unknownEvent)).toBe('Would not be sent. The event `hello` leads to no template.')
  const german = { ...englishSteps, event_unknown: ({ event }: { event: string }) => `Kein Ereignis ${event}.` }
  expect(sentenceOf(unknownEvent, german)).toBe('Would not be sent. Kein Ereignis hello.')
  expect(sentenceOf({ ...laterStop, summary: 'Too much of it.' })).toBe('Would not be sent. Too much of it.')
})
