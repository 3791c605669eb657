/** The check of the ledger finds each kind of broken promise, and accepts everything that a crash explains. */
import { expect, test } from 'vitest'
import { checkLedger } from './check-ledger.ts'
import { flawsOf } from './history.ts'
import { type Call, emptyLedger, type Kill, type Ledger, type Outage, type Receipt } from './ledger.ts'
import { runningMs } from './standstills.ts'

const rules = { leaseMs: 3_000 }
const call = (send: number, answered: number, more: Partial<Call> = {}): Call => ({
  ...{ send, sent: answered - 5, answered, status: 200, messageId: `m${send}` },
  ...more,
})
const receipt = (send: number, at: number, status = 200): Receipt => ({ send, messageId: `m${send}`, at, status })
const kill = (at: number): Kill => ({ node: 0, how: 'SIGKILL', at, gone: at + 10 })
const check = (ledger: Partial<Ledger>) => checkLedger({ ...emptyLedger(), ...ledger }, rules)
const brokenIn = (ledger: Partial<Ledger>) => {
  const { lost, late, unexplained, doubled } = check(ledger)
  return { lost, late, unexplained, doubled }
}
const broken = (calls: Call[], receipts: Receipt[], kills: Kill[] = [], outages: Outage[] = []) =>
  brokenIn({ calls, receipts, kills, outages })
const fine = { lost: [], late: [], unexplained: [], doubled: [] }

test('a message that was accepted and arrived once is fine', () => {
  expect(check({ calls: [call(1, 100)], receipts: [receipt(1, 120)] })).toEqual({
    ...{ ...fine, accepted: 1, received: 1, duplicates: 0, takeoverMsMax: 0 },
  })
})

test('accepted and never received is lost', () => {
  expect(broken([call(1, 100), call(2, 100)], [receipt(1, 120)], [kill(110)]).lost).toEqual(['m2'])
})

test('refused by the provider and never retried is lost', () => {
  expect(broken([call(1, 100)], [receipt(1, 120, 500)]).lost).toEqual(['m1'])
})

test('without an answer nothing was promised', () => {
  const unanswered: Call = { send: 1, sent: 100 }
  expect(
    broken(
      [unanswered, call(2, 100, { status: 503 })].map(({ messageId: _, ...rest }) => rest),
      [],
    ),
  ).toEqual(fine)
  expect(broken([unanswered], [receipt(1, 120)])).toEqual(fine)
})

test('a takeover ends within lease and margin', () => {
  const calls = [call(1, 900)]
  expect(broken(calls, [receipt(1, 1_010 + 18_000)], [kill(1_000)])).toEqual(fine)
  expect(broken(calls, [receipt(1, 1_010 + 18_001)], [kill(1_000)]).late).toEqual(['m1 after 18001 ms'])
  expect(check({ calls, receipts: [receipt(1, 4_010)], kills: [kill(1_000)] }).takeoverMsMax).toBe(3_000)
})

test('a second arrival can be late, too', () => {
  expect(broken([call(1, 900)], [receipt(1, 950), receipt(1, 30_000)], [kill(1_000)]).late).toHaveLength(1)
})

test('a message that was not due when the process crashed is not late', () => {
  expect(broken([call(1, 900, { notBefore: 30_000 })], [receipt(1, 30_010)], [kill(1_000)])).toEqual(fine)
  expect(broken([call(1, 900)], [receipt(1, 950, 500), receipt(1, 40_000)], [kill(1_000)])).toEqual(fine)
})

test('a second arrival is explained by a crash at most two seconds after the first', () => {
  const twice = [receipt(1, 1_000), receipt(1, 5_000)]
  expect(broken([call(1, 900)], twice, [kill(3_000)])).toEqual(fine)
  expect(broken([call(1, 900)], twice, [kill(3_001)]).unexplained).toEqual([
    'm1 at 1000 and 5000; nearest crash: SIGKILL, ordered 2001 and seen 2011 ms after the first',
  ])
  expect(broken([call(1, 900)], twice, [kill(500)]).unexplained).toHaveLength(1)
  expect(broken([call(1, 900)], twice).unexplained).toHaveLength(1)
})

test('a slow reply counts from its end: until then its outcome cannot be recorded', () => {
  const slow = (replied: number) => [{ ...receipt(1, 1_000), replied }, receipt(1, 9_000)]
  expect(broken([call(1, 900)], slow(6_000), [kill(4_000)])).toEqual(fine)
  expect(broken([call(1, 900)], slow(6_000), [kill(8_000)])).toEqual(fine)
  expect(broken([call(1, 900)], slow(5_999), [kill(8_000)]).unexplained).toHaveLength(1)
})

test('a time that was written down late, because the process stood still, breaks no promise', () => {
  const calls = [call(1, 900)]
  const kills = [kill(1_000)]
  const judged = (receipts: Receipt[], to: number) =>
    brokenIn({ calls, receipts, kills, standstills: [{ from: 1_000, to }] })
  const twice = [receipt(1, 2_010), receipt(1, 5_000)]
  expect(judged(twice, 1_760)).toEqual(fine)
  expect(judged(twice, 1_759).unexplained).toHaveLength(1)
  expect(judged([receipt(1, 20_010)], 2_010)).toEqual(fine)
  expect(judged([receipt(1, 20_010)], 2_009).late).toHaveLength(1)
})

test('only the part of a standstill that lies between two times counts', () => {
  const all = [
    { from: 0, to: 150 },
    { from: 180, to: 190 },
    { from: 290, to: 400 },
  ]
  expect(runningMs(all, 100, 300)).toBe(200 - 50 - 10 - 10)
  expect(runningMs(all, 300, 100)).toBe(-200)
})

test('a second arrival is explained by an outage that outlasts the lease, and by no shorter one', () => {
  const twice = [receipt(1, 1_500), receipt(1, 5_000)]
  expect(broken([call(1, 900)], twice, [], [{ at: 1_400, back: 3_000 }])).toEqual(fine)
  expect(broken([call(1, 900)], twice, [], [{ at: 1_400, back: 2_900 }]).unexplained).toHaveLength(1)
})

test('every further arrival needs its own explanation', () => {
  const thrice = [receipt(1, 1_000), receipt(1, 2_000), receipt(1, 9_000)]
  expect(broken([call(1, 900)], thrice, [kill(1_500)]).unexplained.join()).toMatch(/^m1 at 2000 and 9000/)
})

test('an attempt after an error reply is no duplicate', () => {
  expect(broken([call(1, 900)], [receipt(1, 1_000, 500), receipt(1, 6_000)])).toEqual(fine)
})

test('one send is one message, in answers and in arrivals', () => {
  const again = call(1, 300, { messageId: 'other' })
  expect(broken([call(1, 100), again], [receipt(1, 120), { ...receipt(1, 320), messageId: 'other' }]).doubled).toEqual([
    'send 1 became m1 and other',
  ])
  expect(broken([call(1, 100)], [receipt(1, 120), { ...receipt(1, 130), messageId: 'other' }]).doubled).toHaveLength(1)
})

const flawsIn = (text: string) => flawsOf(text.split(' ').map((type, ts) => ({ type, ts })))

test('possible histories', () => {
  expect(flawsIn('ENQUEUED MAPPED PROFILE_LOADED RENDERED SENT DELIVERED')).toEqual([])
  expect(flawsIn('ENQUEUED DELAYED MAPPED PROFILE_LOADED RENDERED DELIVERING SENT DELIVERED')).toEqual([])
})

test.each([
  ['MAPPED ENQUEUED RENDERED SENT DELIVERED', 'does not begin'],
  ['ENQUEUED SENT RENDERED DELIVERED', 'SENT before RENDERED'],
  ['ENQUEUED RENDERED SENT SENT DELIVERED', 'SENT more than once'],
  ['ENQUEUED RENDERED SENT DELIVERED DELIVERED', 'DELIVERED more than once'],
  ['ENQUEUED RENDERED SENT DELIVERED DELIVERING', 'DELIVERING after DELIVERED'],
  ['ENQUEUED RENDERED SENT', 'never DELIVERED'],
])('the history %s is not possible', (text, flaw) => {
  expect(flawsIn(text).join()).toContain(flaw)
})

test('time does not run backwards', () => {
  const history = ['ENQUEUED', 'RENDERED', 'SENT', 'DELIVERED'].map((type, index) => ({ type, ts: 10 - index }))
  expect(flawsOf(history).join()).toContain('backwards')
})
