/** Receipts promise: a status never goes back, and in any order, any number of times, they end in the same state. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoredDelivery } from '../messages/delivery.ts'
import { deliveryStatus } from '../messages/delivery.ts'
import { receiptKinds } from '../providers/callback.ts'
import { applyReceipts, isExpected, type NumberedReceipt, type ReceivedMessage } from './apply.ts'

const delivery = (n: number, changes: Partial<StoredDelivery> = {}): StoredDelivery => ({
  ...{ n, channel: 'email', provider: 'sendgrid', integration: `I${n}`, state: 'sent', attempts: 1 },
  ...{ firstAt: 1_000, sentAt: 2_000, log: [] },
  ...changes,
})
const sent = (...deliveries: StoredDelivery[]): ReceivedMessage => ({
  ...{ status: 'SENT', due_at: null, error: null, reason: null, reason_code: null },
  deliveries: deliveries.length > 0 ? deliveries : [delivery(0)],
})
const receipt = (kind: NumberedReceipt['kind'], changes: Partial<NumberedReceipt> = {}): NumberedReceipt => ({
  ...{ n: 0, kind, at: 5_000 },
  ...changes,
})
const after = (message: ReceivedMessage, ...receipts: NumberedReceipt[]): ReceivedMessage => ({
  ...message,
  ...applyReceipts(message, receipts),
})
const states = ({ status, reason, reason_code, deliveries }: ReceivedMessage) => ({
  ...{ status, reason, reason_code },
  deliveries: deliveries.map((delivery) => [
    delivery.state,
    deliveryStatus(delivery),
    delivery.deliveredAt,
    delivery.openedAt,
    delivery.clickedAt,
    delivery.bouncedAt,
    delivery.endedCopies,
  ]),
})

test.each([
  ['delivered', { status: 'DELIVERED' }],
  ['opened', { status: 'OPENED' }],
  ['clicked', { status: 'CLICKED' }],
  ['complained', { status: 'SENT' }],
  ['unsubscribed', { status: 'SENT' }],
  [
    'bounced',
    { status: 'UNDELIVERABLE', reason: 'BOUNCED', reason_code: 'SOFT', error: 'The provider reported a bounce' },
  ],
] as const)('%s', (kind, state) => {
  const message = applyReceipts(sent(), [receipt(kind)])
  expect(message).toMatchObject(state)
  expect(message?.events).toMatchObject([{ ts: 5_000, n: 0 }])
})

test('a hard bounce names its cause and its code', () => {
  const message = after(sent(), receipt('bounced', { gone: 'hard_bounce', error: '550 5.1.1 unknown' }))
  expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason_code: 'HARD', error: '550 5.1.1 unknown' })
})

test('a bounce after a real receipt is shown, and the status stays', () => {
  const message = after(sent(), receipt('delivered'), receipt('bounced', { gone: 'hard_bounce', error: 'late' }))
  expect(message).toMatchObject({ status: 'DELIVERED', reason: null, reason_code: null, error: 'late' })
})

test('a message is undeliverable only when each of its deliveries is', () => {
  const both = sent(delivery(0), delivery(1, { channel: 'sms' }))
  const once = after(both, receipt('bounced'))
  expect(once).toMatchObject({ status: 'SENT', reason: null })
  expect(after(once, receipt('bounced', { n: 1 }))).toMatchObject({ status: 'UNDELIVERABLE', reason: 'BOUNCED' })
})

test('a message that arrived in spite of a lost answer is delivered', () => {
  const doubted = delivery(0, { state: 'failed', reason: 'IN_DOUBT', error: 'reset: cut' })
  const message: ReceivedMessage = {
    ...sent(doubted),
    status: 'UNDELIVERABLE',
    reason: 'IN_DOUBT',
    error: 'reset: cut',
  }
  expect(after(message, receipt('delivered'))).toMatchObject({ status: 'DELIVERED', reason: null, error: null })
})

test('a live message is decided again at once; a canceled one stays canceled', () => {
  const live = { ...sent(delivery(0, { state: 'waiting', nextAt: 9_000 })), due_at: 9_000, status: 'ROUTED' as const }
  expect(applyReceipts(live, [receipt('delivered')])).toMatchObject({ wakes: true, status: 'DELIVERED' })
  expect(after({ ...sent(), status: 'CANCELED' }, receipt('delivered')).status).toBe('CANCELED')
})

test('programs that open and click are distinguished from people', () => {
  const automated = after(sent(), receipt('opened', { isAutomated: true }), receipt('clicked', { isAutomated: true }))
  expect(automated.status).toBe('SENT')
  expect(automated).toMatchObject({
    events: [
      { type: 'OPENED', automated: true },
      { type: 'CLICKED', automated: true },
    ],
  })
  expect(after(automated, receipt('opened')).status).toBe('OPENED')
})

test('a click counts as an opening, and an earlier time replaces a later one without another event', () => {
  const clicked = after(sent(), receipt('clicked', { url: 'https://example.com/' }))
  expect(clicked.deliveries[0]).toMatchObject({ clickedAt: 5_000, openedAt: 5_000 })
  expect(applyReceipts(clicked, [receipt('clicked', { at: 4_000 })])).toMatchObject({ events: [] })
})

test('each link that a person follows has one event, in any order; a program has one for all', () => {
  const followed = ['b', 'a', 'b', 'c'].map((url, n) => receipt('clicked', { url, at: 5_000 + n }))
  const once = after(sent(), ...followed)
  expect(applyReceipts(sent(), followed)?.events).toMatchObject([{ url: 'b' }, { url: 'a' }, { url: 'c' }])
  expect(after(sent(), ...followed.toReversed()).deliveries[0]).toEqual(once.deliveries[0])
  expect(applyReceipts(once, followed)).toBeUndefined()
  const scanned = followed.map(
    (receipt): NumberedReceipt => ({ ...receipt, isAutomated: true, automatedReason: 'burst' }),
  )
  expect(applyReceipts(sent(), scanned)?.events).toEqual([
    { type: 'CLICKED', ts: 5_000, n: 0, url: 'b', automated: true, automated_reason: 'burst' },
  ])
})

test('each deferred copy has one event, and the delivery stays as it was', () => {
  const of = (kind: NumberedReceipt['kind'], address: string, error?: string) =>
    receipt(kind, { address, ...(error !== undefined && { error }) })
  const receipts = [
    of('copy_sent', 'a@x.example'),
    of('copy_failed', 'b@x.example', '550 no'),
    of('copy_sent', 'a@x.example'),
  ]
  const message = applyReceipts(sent(), receipts)
  expect(message).toMatchObject({
    status: 'SENT',
    error: null,
    events: [
      { type: 'COPY_SENT', address: 'a@x.example' },
      { type: 'COPY_UNDELIVERABLE', address: 'b@x.example', error_message: '550 no' },
    ],
  })
  expect(message?.deliveries[0]).toMatchObject({ state: 'sent', sentAt: 2_000 })
})

describe('in any order and any number of times', () => {
  const anyReceipt = fc.record(
    {
      n: fc.constantFrom(0, 1),
      kind: fc.constantFrom(...receiptKinds),
      at: fc.integer({ min: 3_000, max: 3_010 }),
      gone: fc.constant('hard_bounce' as const),
      address: fc.constantFrom('a@x.example', 'b@x.example'),
    },
    { requiredKeys: ['n', 'kind', 'at'] },
  )
  const start = fc.constantFrom(
    sent(delivery(0), delivery(1)),
    sent(delivery(0, { state: 'failed', reason: 'PROVIDER_ERROR', error: '500' }), delivery(1)),
  )

  test('the state is the same', () => {
    fc.assert(
      fc.property(
        start,
        fc.array(anyReceipt, { maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        (message, some, draws) => {
          const order = some.map((receipt) => ({ receipt, key: draws.next().value as number }))
          const shuffled = order.sort((a, b) => a.key - b.key).map(({ receipt }) => receipt)
          const once = after(message, ...some)
          let again = message
          for (const receipt of [...shuffled, ...some]) again = after(again, receipt)
          expect(states(again)).toEqual(states(once))
          expect(applyReceipts(again, some)).toBeUndefined()
        },
      ),
    )
  })

  test('no status goes back', () => {
    const ranks = ['UNDELIVERABLE', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED']
    fc.assert(
      fc.property(start, fc.array(anyReceipt, { maxLength: 8 }), (message, some) => {
        let state = message
        for (const receipt of some) {
          const next = after(state, receipt)
          const isBounce = next.status === 'UNDELIVERABLE' && state.status === 'SENT'
          if (!isBounce) expect(ranks.indexOf(next.status)).toBeGreaterThanOrEqual(ranks.indexOf(state.status))
          state = next
        }
      }),
    )
  })
})

test('a receipt waits for the commit of its delivery', () => {
  const waiting = delivery(0, { state: 'waiting', attempts: 0 })
  expect(isExpected(receipt('delivered'), sent(waiting))).toBe(false)
  expect(isExpected(receipt('delivered', { n: 1 }), sent())).toBe(false)
  expect(isExpected(receipt('delivered'), sent())).toBe(true)
})
