/** The rows of a timeline: each attempt with the events that report it, and everything else in the order of time. */
import type { AttemptRecord, DeliveryRecord, HistoryEvent, MessageStatus } from '@postrider/client'
import { expect, test } from 'vitest'
import { isDecided, rowNamed, type TimelineRow, timelineCounts, timelineRows } from './rows.ts'

const START = 1_000_000
const via = (id: string) => ({ channel: { id: 'email' }, integration: { id, provider: 'smtp' } })
const accepted: HistoryEvent = {
  ...{ type: 'ENQUEUED', ts: START, event: 'order-shipped', recipient: 'ada' },
  ...{ data: {}, profile: {}, override: {} },
}
const decided = (ms: number): HistoryEvent[] => [
  { type: 'MAPPED', ts: START + ms, event_id: 'order-shipped', notification_id: 'T' },
  {
    ...{ type: 'PROFILE_LOADED', ts: START + ms },
    ...{ received_profile: {}, stored_profile: {}, merged_profile: {} },
  },
]
const attempt = (
  number: number,
  started: number,
  ended: number | undefined,
  outcome?: AttemptRecord['outcome'],
): AttemptRecord => ({
  ...{ number, started: START + started },
  ...(ended !== undefined && { ended: START + ended }),
  ...(outcome && { outcome }),
})
const delivery = (id: string, attempts: AttemptRecord[], more: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  ...{ id: `d${id}`, channel: 'email', provider: 'smtp', integration: id, status: 'ROUTED', attempts },
  ...{ attempts_total: attempts.length, ...more },
})
const rowsOf = (status: MessageStatus, deliveries: DeliveryRecord[], events: HistoryEvent[]) =>
  timelineRows({ message: { status, enqueued: START }, explanation: { deliveries }, events })

/** A row in a few characters: its kind, when it is, and the events that it shows. */
const shown = (row: TimelineRow) => {
  const kind = row.kind === 'event' ? (row.isReceipt ? 'receipt' : 'event') : row.kind
  const time = row.end === undefined ? `${row.at}` : `${row.at}–${row.end}`
  return [kind, time, ...row.events.map(({ type }) => type)].join(' ')
}

test('a retry, a failover and a rejection: what reports an attempt is shown with it, and the failure ends the list', () => {
  const events: HistoryEvent[] = [
    accepted,
    ...decided(9),
    { type: 'RENDERED', ts: START + 14, ...via('A'), output: {} },
    {
      type: 'DELIVERING',
      ts: START + 202,
      ...via('A'),
      attempt: 1,
      error: '451 later',
      next_attempt_at: START + 5_410,
    },
    { type: 'RENDERED', ts: START + 204, ...via('B'), output: {} },
    { type: 'UNDELIVERABLE', ts: START + 371, ...via('B'), error_message: '403', reason: 'PROVIDER_ERROR' },
    {
      ...{ type: 'UNDELIVERABLE', ts: START + 5_613, ...via('A'), error_message: '550', reason: 'PROVIDER_ERROR' },
      suppressed: 'hard_bounce',
    },
  ]
  const deliveries = [
    delivery('A', [attempt(1, 14, 202, 'retry'), attempt(2, 5_410, 5_613, 'rejected')], { status: 'UNDELIVERABLE' }),
    delivery('B', [attempt(1, 204, 371, 'rejected')], { status: 'UNDELIVERABLE' }),
  ]
  const rows = rowsOf('UNDELIVERABLE', deliveries, events)
  expect(rows.map(shown)).toEqual([
    'event 0 ENQUEUED',
    'decided 0–9 MAPPED PROFILE_LOADED',
    'attempt 14–202 RENDERED DELIVERING',
    'attempt 204–371 RENDERED UNDELIVERABLE',
    'attempt 5410–5613 UNDELIVERABLE',
    'failed 5613 UNDELIVERABLE',
  ])
  // The wait of a retry begins where the attempt before it ended.
  expect(rows.map(({ waitStart }) => waitStart)).toEqual([...Array(4).fill(undefined), 202, undefined])
  expect(rows.at(-1)!.events).toEqual([events.at(-1)])
  expect(rowNamed(rows, 'dA')).toBe(rows[4])
  expect(rowNamed(rows, rows[2]!.id)).toBe(rows[2])
  expect(rowNamed(rows, 'unknown')).toBeUndefined()
  expect(timelineCounts(rows, deliveries)).toEqual({ attempts: 3, integrations: 2, receipts: 0, ms: 5_599 })
})

test('a report after the provider accepted it is a receipt: a delivery, a program that opened it, a bounce', () => {
  const rows = rowsOf(
    'UNDELIVERABLE',
    [delivery('A', [attempt(1, 12, 30, 'sent')], { status: 'UNDELIVERABLE', reason: 'BOUNCED' })],
    [
      ...[accepted, ...decided(8)],
      { type: 'SENT', ts: START + 30, ...via('A') },
      { type: 'DEFERRED', ts: START + 400, ...via('A') },
      { type: 'OPENED', ts: START + 500, ...via('A'), automated: true },
      { type: 'UNDELIVERABLE', ts: START + 900, ...via('A'), reason: 'BOUNCED', reasonCode: 'HARD' },
    ],
  )
  expect(rows.map(shown)).toEqual([
    'event 0 ENQUEUED',
    'decided 0–8 MAPPED PROFILE_LOADED',
    'attempt 12–30 SENT',
    'receipt 400 DEFERRED',
    'receipt 500 OPENED',
    'receipt 900 UNDELIVERABLE',
  ])
})

test('an attempt in progress and one that is due are rows of a message on its way', () => {
  const inProgress = delivery('A', [attempt(1, 12, 30, 'retry'), attempt(2, 900, undefined)])
  const due = delivery('B', [attempt(1, 40, 60, 'retry')], { next_attempt_at: START + 8_000 })
  const rows = rowsOf('ROUTED', [inProgress, due], [accepted, ...decided(8)])
  expect(rows.map(shown).slice(2)).toEqual(['attempt 12–30', 'attempt 40–60', 'attempt 900–900', 'next 8000'])
  expect(rows.at(-1)!.waitStart).toBe(60)
  // A next attempt does not outlive the message.
  expect(rowsOf('CANCELED', [due], [accepted]).map(({ kind }) => kind)).toEqual(['event', 'attempt'])
})

test('a delayed message waits until it is due, a held one until its release; the latter is decided once more', () => {
  const delayed: HistoryEvent = { type: 'DELAYED', ts: START, until: START + 60_000 }
  const waiting = rowsOf('DELAYED', [], [accepted, delayed])
  expect(waiting.at(-1)).toMatchObject({ kind: 'event', at: 0, waitEnd: 60_000 })
  const after = rowsOf('ROUTED', [], [accepted, delayed, ...decided(60_020)])
  expect(after.map(({ kind, at, end, waitEnd }) => [kind, at, end, waitEnd])).toEqual([
    ['event', 0, undefined, undefined],
    ['event', 0, undefined, 60_000],
    ['decided', 60_000, 60_020, undefined],
  ])
  const canceled = rowsOf('CANCELED', [], [accepted, delayed, { type: 'CANCELED', ts: START + 900 }])
  expect(canceled[1]).toMatchObject({ waitEnd: 900 })

  const hold: HistoryEvent = { type: 'HELD', ts: START + 10, until: START + 90_000 }
  const released: HistoryEvent = { type: 'RELEASED', ts: START + 700, cause: 'repair' }
  const again = rowsOf('ROUTED', [], [accepted, ...decided(8), hold, released, ...decided(712)])
  expect(again.map(shown)).toEqual([
    'event 0 ENQUEUED',
    'decided 0–8 MAPPED PROFILE_LOADED',
    'event 10 HELD',
    'event 700 RELEASED',
    'decided 700–712 MAPPED PROFILE_LOADED',
  ])
  expect(again[2]).toMatchObject({ waitEnd: 700 })
  // When it fails at the latest is no attempt.
  const waits = delivery('A', [attempt(1, 2, 9, 'rejected')], { next_attempt_at: START + 90_000 })
  expect(rowsOf('HELD', [waits], [accepted, hold]).map(({ kind }) => kind)).toEqual(['event', 'attempt', 'event'])
})

test('attempts that are no longer kept are shown by their events; what was never tried has no end of its own', () => {
  const kept = delivery('A', [attempt(9, 5_000, 5_010, 'retry')], { attempts_total: 9 })
  const rows = rowsOf(
    'ROUTED',
    [kept],
    [
      accepted,
      { type: 'DELIVERING', ts: START + 20, ...via('A'), attempt: 1, error: '451' },
      { type: 'DELIVERING', ts: START + 5_010, ...via('A'), attempt: 9, error: '451' },
      { type: 'DELIVERING', ts: START + 5_020, ...via('A'), attempt: 9, held_back: 'limit', error: 'limit' },
    ],
  )
  expect(rows.map(shown)).toEqual([
    ...['event 0 ENQUEUED', 'event 20 DELIVERING', 'attempt 5000–5010 DELIVERING', 'event 5020 DELIVERING'],
  ])
  const unmapped: HistoryEvent = { type: 'UNMAPPED', ts: START + 4, event_id: 'order-shipped' }
  expect(rowsOf('UNMAPPED', [], [accepted, unmapped]).map(shown)).toEqual([
    ...['event 0 ENQUEUED', 'decided 0–4 UNMAPPED', 'event 4 UNMAPPED'],
  ])
  const stopped: HistoryEvent = { type: 'UNDELIVERABLE', ts: START + 5, channel: { id: '' }, reason: 'UNSUBSCRIBED' }
  expect(rowsOf('UNDELIVERABLE', [], [accepted, ...decided(5), stopped]).map(shown)).toEqual([
    ...['event 0 ENQUEUED', 'decided 0–5 MAPPED PROFILE_LOADED', 'event 5 UNDELIVERABLE'],
  ])
})

test('an end that is no attempt has a row at its time: a deadline, a hold that is over, a crash', () => {
  const gaveUp = (ms: number, more: object = {}): HistoryEvent => ({
    ...{ type: 'UNDELIVERABLE', ts: START + ms, ...via('A'), error_message: '451', reason: 'EXPIRED', ...more },
  })
  const tried = delivery('A', [attempt(1, 12, 30, 'retry')], { status: 'UNDELIVERABLE' })
  const expired = rowsOf('UNDELIVERABLE', [tried], [accepted, gaveUp(7_200_000)])
  expect(expired.map(shown)).toEqual(['event 0 ENQUEUED', 'attempt 12–30', 'event 7200000 UNDELIVERABLE'])
  // A part of the sentence names the delivery: its attempt, and without one its event.
  expect(rowNamed(expired, 'dA')).toBe(expired[1])
  const neverTried = delivery('A', [], { status: 'UNDELIVERABLE' })
  const over = rowsOf('UNDELIVERABLE', [neverTried], [accepted, gaveUp(5, { reason: 'FAILED' })])
  expect(rowNamed(over, 'dA')).toBe(over[1])

  const hold: HistoryEvent = { type: 'HELD', ts: START + 30, until: START + 900 }
  expect(
    rowsOf('UNDELIVERABLE', [tried], [accepted, hold, gaveUp(900)])
      .map(shown)
      .at(-1),
  ).toBe('event 900 UNDELIVERABLE')
})

test('a limit of the provider uses up no attempt, and has a row with the wait', () => {
  const limited: HistoryEvent = { type: 'DELIVERING', ts: START + 40, ...via('A'), attempt: 1, error: '429' }
  const sent = delivery('A', [attempt(1, 700, 720, 'sent')])
  const rows = rowsOf(
    'SENT',
    [sent],
    [...[accepted, { ...limited, next_attempt_at: START + 690 }], { type: 'SENT', ts: START + 720, ...via('A') }],
  )
  expect(rows.map(shown)).toEqual(['event 0 ENQUEUED', 'event 40 DELIVERING', 'attempt 700–720 SENT'])
  expect(rows[1]!.waitEnd).toBe(690)
})

test('the failure comes with the last of attempts side by side; a second device is still due when the first was sent', () => {
  const slow = delivery('A', [attempt(1, 10, 900, 'rejected')], { status: 'UNDELIVERABLE' })
  const quick = delivery('B', [attempt(1, 12, 200, 'rejected')], { status: 'UNDELIVERABLE' })
  const end = (id: string, ms: number): HistoryEvent => ({
    ...{ type: 'UNDELIVERABLE', ts: START + ms, ...via(id), reason: 'PROVIDER_ERROR' },
  })
  const rows = rowsOf('UNDELIVERABLE', [slow, quick], [accepted, end('B', 200), end('A', 900)])
  expect(rows.map(shown)).toEqual([
    ...['event 0 ENQUEUED', 'attempt 10–900 UNDELIVERABLE', 'attempt 12–200 UNDELIVERABLE'],
    'failed 900 UNDELIVERABLE',
  ])
  const due = delivery('B', [attempt(1, 12, 20, 'retry')], { next_attempt_at: START + 4_000 })
  const sent = delivery('A', [attempt(1, 10, 30, 'sent')], { status: 'SENT' })
  expect(
    rowsOf('SENT', [sent, due], [accepted])
      .map(({ kind }) => kind)
      .at(-1),
  ).toBe('next')
})

test('an integration that was not called does not end the message: that is the failure of a call', () => {
  const events: HistoryEvent[] = [
    accepted,
    { type: 'DELIVERING', ts: START + 14, ...via('A'), attempt: 1, error: 'Open', held_back: 'circuit_breaker' },
    { type: 'UNDELIVERABLE', ts: START + 371, ...via('B'), error_message: '550', suppressed: 'hard_bounce' },
    { type: 'UNDELIVERABLE', ts: START + 900, ...via('A'), error_message: 'Suppressed', reason: 'SUPPRESSED' },
  ]
  const deliveries = [
    delivery('A', [], { status: 'UNDELIVERABLE' }),
    delivery('B', [attempt(1, 204, 371, 'rejected')], { status: 'UNDELIVERABLE' }),
  ]
  const rows = rowsOf('UNDELIVERABLE', deliveries, events)
  expect(rows.slice(2).map(shown)).toEqual([
    'attempt 204–371 UNDELIVERABLE',
    'event 900 UNDELIVERABLE',
    'failed 900 UNDELIVERABLE',
  ])
  expect(rows.at(-1)!.events).toEqual([events[2]])
})

test('a candidate that was given up for another one is shown with its last attempt', () => {
  const first = delivery('A', [attempt(1, 10, 20, 'retry')], { status: 'UNDELIVERABLE' })
  const second = delivery('B', [attempt(1, 22, 40, 'sent')], { status: 'SENT' })
  const rows = rowsOf(
    'SENT',
    [first, second],
    [
      ...[accepted, { type: 'SENT', ts: START + 40, ...via('B') } as const],
      { type: 'UNDELIVERABLE', ts: START + 41, ...via('A'), reason: 'PROVIDER_ERROR' },
    ],
  )
  expect(rows.map(shown)).toEqual(['event 0 ENQUEUED', 'attempt 10–20 UNDELIVERABLE', 'attempt 22–40 SENT'])
})

test('a receipt in whole seconds is not before the attempt that it confirms', () => {
  const sent = delivery('A', [attempt(1, 340, 670, 'sent')])
  const delivered: HistoryEvent = { type: 'DELIVERED', ts: START - 400, ...via('A') }
  const rows = rowsOf('DELIVERED', [sent], [accepted, delivered, { type: 'SENT', ts: START + 670, ...via('A') }])
  expect(rows.map(shown)).toEqual(['event 0 ENQUEUED', 'attempt 340–670 SENT', 'receipt 670 DELIVERED'])
})

test('the clock of another machine moves nothing before the acceptance', () => {
  const early = delivery('A', [attempt(1, -30, -10, 'sent')])
  const rows = rowsOf('SENT', [early], [accepted, ...decided(-40), { type: 'SENT', ts: START - 10, ...via('A') }])
  expect(rows.map(shown)).toEqual([...['event 0 ENQUEUED', 'decided 0–0 MAPPED PROFILE_LOADED', 'attempt 0–0 SENT']])
})

test('a message is decided by what was done for it, not by its status: one that was canceled before has no way', () => {
  const until = START + 60_000
  const delayed: HistoryEvent = { type: 'DELAYED', ts: START, until }
  const canceled: HistoryEvent = { type: 'CANCELED', ts: START + 9, source: 'key/backend' }
  const isDecidedBy = (events: HistoryEvent[], deliveries: DeliveryRecord[] = []) =>
    isDecided({ events, explanation: { deliveries } })
  expect(isDecidedBy([accepted, delayed, canceled])).toBe(false)
  expect(isDecidedBy([accepted, ...decided(5), canceled])).toBe(true)
  expect(isDecidedBy([accepted, { type: 'UNMAPPED', ts: START, event_id: 'x' }])).toBe(true)
  // Its events are stored with the end of its first call.
  expect(isDecidedBy([accepted], [delivery('a', [attempt(1, 1, undefined)])])).toBe(true)
})
