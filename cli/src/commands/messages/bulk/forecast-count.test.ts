/** Forecasts are counted by integration, by cause and by variable; the first lines of each are kept. */
import type { BulkUserForecast } from '@postrider/client'
import { expect, test } from 'vitest'
import { countForecast, forecastText, forecastValue, newForecastCount, rowProblem } from './forecast-count.ts'

const delivery = { channel: 'email', provider: 'smtp', integration: 'I', title: 'Company mail' } as const
const forecast = (more: Partial<BulkUserForecast>): BulkUserForecast => ({
  ...{ user: 0, recipient: 'ada', status: 'ROUTED', deliveries: [] },
  ...more,
})

function counted(forecasts: readonly Partial<BulkUserForecast>[]) {
  const count = newForecastCount()
  for (const [n, more] of forecasts.entries()) {
    count.rows += 1
    countForecast(count, forecast(more), n + 2)
  }
  return count
}

test('a message counts once for each integration that is called first', () => {
  const sms = { ...delivery, channel: 'sms' as const, integration: 'J', title: 'Twilio' }
  const { sent, deliveries } = forecastValue(counted([{ deliveries: [delivery, sms] }, { deliveries: [sms] }]))
  expect([sent, deliveries.map(({ title, recipients }) => [title, recipients])]).toEqual([
    2,
    [
      ['Twilio', 2],
      ['Company mail', 1],
    ],
  ])
})

test('later messages, digests and repairs are counted by themselves', () => {
  const text = forecastText(
    counted([
      { status: 'DELAYED', deliveries: [delivery] },
      { status: 'DIGESTED', code: 'digested' },
      { status: 'HELD', reason: 'PROVIDER_ERROR', error: 'The password is refused' },
    ]),
  )
  expect(text).toMatch(
    /^3 rows checked, nothing was sent: 1 message would be sent \(1 later\), 1 would be added to a digest, 1 would not\.$/m,
  )
  expect(text).toMatch(/^an integration has to be repaired +1 +4$/m)
  expect(forecastText(counted([{ status: 'SIMULATED', deliveries: [delivery] }]))).toContain(
    '1 message would be simulated.',
  )
})

test('the first ten lines of a cause and of rows without a value are named, the others counted', () => {
  const lacking = { deliveries: [delivery], missing: ['{name}', '{plan}'] }
  const text = forecastText(
    counted([
      ...Array.from({ length: 12 }, () => ({ status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA' }) as const),
      ...Array.from({ length: 11 }, () => lacking),
    ]),
  )
  expect(text).toMatch(/^no address +12 +2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …$/m)
  expect(text).toMatch(/^11 rows without a value for a variable:\nLINE +VARIABLES\n14 +\{name\}, \{plan\}$/m)
  expect(text).toMatch(/\n… and 1 more$/)
})

test('a message that goes another way, because an address cannot be used, is counted as sent, and its row is named', () => {
  const unusable = { deliveries: [delivery], unusable: ['phone_number'] }
  const count = counted([unusable, { status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA', unusable: ['email'] }])
  expect(forecastValue(count)).toMatchObject({ sent: 1, notSent: 1, unusable: { rows: 1, first: [{ line: 2 }] } })
  expect(forecastText(count)).toMatch(
    /^1 row sent another way: an address cannot be used:\nLINE +ADDRESS\n2 +phone_number$/m,
  )
  expect(rowProblem(forecast(unusable))).toBe('No usable value in `phone_number`')
  expect(rowProblem(forecast({ ...unusable, missing: ['{a}'] }))).toBe(
    'No usable value in `phone_number`, No value for `{a}`',
  )
})

test('the problem of a row is why it gets no message, or what its message lacks', () => {
  expect(rowProblem(forecast({ deliveries: [delivery] }))).toBeUndefined()
  expect(rowProblem(forecast({ status: 'DIGESTED' }))).toBeUndefined()
  expect(rowProblem(forecast({ deliveries: [delivery], missing: ['{a}', '{b}'] }))).toBe('No value for `{a}`, `{b}`')
  const optedOut = { status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED', error: 'The recipient opted out.' } as const
  expect(rowProblem(forecast(optedOut))).toBe('The recipient opted out.')
})
