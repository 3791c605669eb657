/** A message that went wrong has one finding, which names what a person can repair. */
import type { Candidate, DecisionStep, DeliveryRecord, HistoryEvent } from '@postrider/client'
import { expect, test } from 'vitest'
import { type Finding, type FindingInput, findingOf } from './finding.ts'

const merged = (sentProfile: Record<string, unknown>, storedProfile: Record<string, unknown>): HistoryEvent => ({
  ...{
    type: 'PROFILE_LOADED',
    ts: 1,
    received_profile: sentProfile,
    stored_profile: storedProfile,
    merged_profile: sentProfile,
  },
})
const candidate = (more: Partial<Candidate>): Candidate => ({
  ...{ channel: 'email', provider: 'smtp', integration: 'I', title: 'Company mail', selected: false, order: 0 },
  ...more,
})
const failed = (more: Partial<Extract<HistoryEvent, { type: 'UNDELIVERABLE' }>>): HistoryEvent => ({
  ...{ type: 'UNDELIVERABLE', ts: 2, channel: { id: 'email' }, integration: { id: 'I', provider: 'smtp' } },
  ...more,
})
const unaddressed = { status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA' } as const
const stop = (code: DecisionStep['code'], params: DecisionStep['params']): DecisionStep => ({
  ...{ step: 'route', outcome: 'stopped', code, params, summary: '', facts: {} },
})
const invalid = (key: string) =>
  stop('no_address', {
    needs: [
      { channel: 'email', title: 'Company mail', need: 'usable_value', keys: [key], keys_total: 1, or_token: false },
    ],
  })
const suppression = { id: 's', reason: 'hard_bounce', source: 'provider/smtp', created: 1 } as const

type Row = [
  name: string,
  message: Partial<FindingInput['message']>,
  more: {
    candidates?: Candidate[]
    profile?: Record<string, unknown>
    events?: HistoryEvent[]
    steps?: DecisionStep[]
  },
  expected: Finding | undefined,
]
test.each<Row>([
  ['delivered', { status: 'DELIVERED' }, { events: [merged({ email: 'a@x' }, { email: 'b@x' })] }, undefined],
  [
    ...(['the address of the send', { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR' }] as const),
    { events: [merged({ email: 'grcae@x' }, { email: 'grace@x' }), failed({ suppressed: 'hard_bounce' })] },
    { kind: 'otherAddress', used: 'grcae@x', stored: 'grace@x' },
  ],
  [
    ...(['the stored address', { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR' }] as const),
    { events: [merged({}, { email: 'grace@x' })] },
    undefined,
  ],
  [
    ...(['another cause than the address', { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR' }] as const),
    { events: [merged({ email: 'grcae@x' }, { email: 'grace@x' }), failed({ reason: 'PROVIDER_ERROR' })] },
    undefined,
  ],
  [
    ...(['an address of another channel', { status: 'UNDELIVERABLE', reason: 'BOUNCED' }] as const),
    { events: [merged({ phone_number: '+1' }, { phone_number: '+2' }), failed({ reason: 'BOUNCED' })] },
    undefined,
  ],
  [
    ...(['suppressed before, and not the stored one', { status: 'UNDELIVERABLE', reason: 'SUPPRESSED' }] as const),
    { candidates: [candidate({ suppression })], events: [merged({ email: 'old@x' }, { email: 'new@x' })] },
    { kind: 'otherAddress', used: 'old@x', stored: 'new@x' },
  ],
  [
    ...(['suppressed, for a role that sees no addresses', { status: 'UNDELIVERABLE', reason: 'SUPPRESSED' }] as const),
    { candidates: [candidate({ suppression })], profile: { email: '•••' } },
    { kind: 'suppressed', address: undefined, reason: 'hard_bounce', isByMessage: false },
  ],
  [
    ...(['a condition on the channel with an address', unaddressed] as const),
    { candidates: [candidate({ reason: 'FILTERED' }), candidate({ channel: 'sms', reason: unaddressed.reason })] },
    undefined,
  ],
  [
    ...(['a condition, and no integration', { status: 'UNROUTABLE', reason: 'NO_PROVIDERS' }] as const),
    { candidates: [candidate({ reason: 'FILTERED' }), candidate({ channel: 'sms', reason: 'NO_PROVIDERS' })] },
    undefined,
  ],
  [
    ...(['an address of the send that is not valid', unaddressed] as const),
    { events: [merged({ email: 'grace2@@x' }, { email: 'grace@x' })], steps: [invalid('email')] },
    { kind: 'otherAddress', used: 'grace2@@x', stored: 'grace@x' },
  ],
  [
    ...(['an address of the send that is not valid, and none that is stored', unaddressed] as const),
    { events: [merged({ email: 'grace2@@x' }, {})], steps: [invalid('email')] },
    { kind: 'invalidAddress' },
  ],
  [
    ...(['a stored address that is not valid', unaddressed] as const),
    { events: [merged({ locale: 'de' }, { email: 'grace2@@x' })], steps: [invalid('email')] },
    { kind: 'noAddress' },
  ],
  ['no address', { status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA' }, {}, { kind: 'noAddress' }],
  [
    ...(['suppressed', { status: 'UNDELIVERABLE', reason: 'SUPPRESSED' }] as const),
    { candidates: [candidate({ channel: 'sms', suppression })], profile: { phone_number: '+1', email: 'e@x' } },
    { kind: 'suppressed', address: '+1', reason: 'hard_bounce', isByMessage: false },
  ],
  ['opted out', { status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' }, {}, undefined],
  ['unmapped', { status: 'UNMAPPED' }, {}, { kind: 'unmapped' }],
  [
    'an unknown template',
    { status: 'UNMAPPED' },
    { steps: [stop('template_unknown', {})] },
    { kind: 'unknownTemplate' },
  ],
  [
    ...(['switched off', { status: 'UNROUTABLE', reason: 'NO_PROVIDERS' }] as const),
    { candidates: [candidate({ reason: 'MISSING_CONFIGURATION' })] },
    { kind: 'integrations', integrations: [{ id: 'I', title: 'Company mail' }], isHeld: false },
  ],
  ['no integration', { status: 'UNROUTABLE', reason: 'NO_PROVIDERS' }, {}, { kind: 'noIntegration' }],
])('%s', (_, message, { candidates = [], profile = {}, events = [], steps = [] }, expected) => {
  const explanation = { candidates, deliveries: [], profile, steps }
  expect(findingOf({ message: { status: 'SENT', enqueued: 10, ...message }, explanation, events })).toEqual(expected)
})

test('a held message names the integrations that it waits for, as its sentence does', () => {
  const waiting = (integration: string, title: string, more: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
    ...{ id: 'd', channel: 'email', provider: 'smtp', integration, title, status: 'ROUTED' },
    ...{ attempts: [], attempts_total: 1, next_attempt_at: 20 },
    ...more,
  })
  const { next_attempt_at: _, ...untried } = waiting('L', 'Fourth mail', { attempts_total: 0 })
  const deliveries = [
    waiting('I', 'Company mail'),
    waiting('J', 'Second mail'),
    waiting('K', 'Third mail', { status: 'UNDELIVERABLE' }),
    untried,
  ]
  const explanation = { candidates: [], profile: {}, deliveries, steps: [] }
  expect(findingOf({ message: { status: 'HELD', enqueued: 10 }, explanation, events: [] })).toEqual({
    kind: 'integrations',
    integrations: [
      { id: 'I', title: 'Company mail' },
      { id: 'J', title: 'Second mail' },
    ],
    isHeld: true,
  })
})

test('an integration that has been deleted has no page, and the profile is not to blame for it', () => {
  const deleted = (more: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
    ...{ id: 'd', channel: 'sms', provider: 'vonage', integration: 'V', status: 'ROUTED' },
    ...{ attempts: [], attempts_total: 1, next_attempt_at: 20 },
    ...more,
  })
  const explained = (delivery: DeliveryRecord) => ({
    ...{ candidates: [], profile: {}, deliveries: [delivery], steps: [] },
  })
  const heldInput = { message: { status: 'HELD', enqueued: 10 } as const, events: [] }
  const finding = { kind: 'deleted', titles: ['vonage'] }
  expect(findingOf({ ...heldInput, explanation: explained(deleted()) })).toEqual({ ...finding, isHeld: true })
  const ended = {
    message: { status: 'UNDELIVERABLE', reason: 'INCOMPLETE_PROFILE_DATA', enqueued: 10 } as const,
    events: [],
  }
  const { next_attempt_at: _, ...tried } = deleted({ status: 'UNDELIVERABLE', reason: 'INCOMPLETE_PROFILE_DATA' })
  expect(findingOf({ ...ended, explanation: explained(tried) })).toEqual({ ...finding, isHeld: false })
  const never = { ...tried, attempts_total: 0 }
  expect(findingOf({ ...ended, explanation: explained(never) })).toEqual({ kind: 'noAddress' })
})

const refusedWith = (
  protocol: 'http' | 'smtp',
  status: number,
  more: Partial<DeliveryRecord> = {},
): DeliveryRecord => ({
  ...{ id: 'd', channel: 'email', provider: 'smtp', integration: 'I', title: 'Company mail', status: 'UNDELIVERABLE' },
  attempts: [{ number: 1, started: 10, outcome: 'rejected', request: { protocol, url: 'x' }, reply: { status } }],
  attempts_total: 1,
  ...more,
})
const credentials = { kind: 'credentials', integrations: [{ id: 'I', title: 'Company mail' }] }
test.each([
  ['by a mail server', refusedWith('smtp', 535), credentials],
  ['over HTTP', refusedWith('http', 401), credentials],
  ['for the sender', refusedWith('http', 403), undefined],
  ['by a proxy whose status is a code of mail servers', refusedWith('http', 530), undefined],
  ['before a retry', refusedWith('smtp', 535, { attempts: [{ number: 1, started: 10, outcome: 'retry' }] }), undefined],
])('an integration that was refused %s', (_, delivery, expected) => {
  const message = { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR', enqueued: 10 } as const
  const explanation = { candidates: [], profile: {}, deliveries: [delivery], steps: [] }
  expect(findingOf({ message, explanation, events: [] })).toEqual(expected)
})

const bounced = { status: 'UNDELIVERABLE', reason: 'BOUNCED', enqueued: 10 } as const
const delivered = { status: 'DELIVERED', enqueued: 10 } as const
const hard = failed({ reason: 'BOUNCED', reasonCode: 'HARD' })
const complained: HistoryEvent = { ...failed({}), type: 'COMPLAINED' } as HistoryEvent
test.each([
  ['a hard bounce', bounced, hard, 11, { reason: 'hard_bounce', isByMessage: true }],
  ['a refused address', bounced, failed({ suppressed: 'hard_bounce' }), 11, { isByMessage: true }],
  ['a complaint', delivered, complained, 11, { isByMessage: true }],
  ['an entry that is older', bounced, hard, 9, { isByMessage: false }],
  ['an entry that was removed', bounced, hard, undefined, undefined],
  ['a soft bounce', bounced, failed({ reason: 'BOUNCED', reasonCode: 'SOFT' }), 11, undefined],
  ['a failover', delivered, failed({ suppressed: 'hard_bounce' }), 11, undefined],
] as const)('the address that is suppressed since %s', (_, message, event, created, expected) => {
  const explanation = { candidates: [], deliveries: [], profile: { email: 'then@x' }, steps: [] }
  const now = {
    candidates: [candidate(created === undefined ? {} : { suppression: { ...suppression, created } })],
    profile: { email: 'ada@x' },
  }
  const finding = findingOf({ message, explanation, events: [event], now })
  if (expected === undefined) expect(finding).toBeUndefined()
  else expect(finding).toMatchObject({ kind: 'suppressed', address: 'ada@x', ...expected })
})
