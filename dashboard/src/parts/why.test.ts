/** A row says in the reader's language why a message waits or ended, and quotes only those who know more. */
import type { Message } from '@postrider/client'
import { expect, test } from 'vitest'
import { reasonMeanings } from './meanings.ts'
import { serverTexts } from './server-texts.ts'
import { whyOf, whyTexts } from './why.tsx'

const ACCEPTED = 1_710_334_643_000
const format = { timeOfDay: (at: number) => `<${at - ACCEPTED}>`, duration: (ms: number) => `${ms} ms` }
const english = { t: whyTexts.en, meanings: reasonMeanings.en, errorOf: serverTexts.en.error, ...format }
const german = { t: whyTexts.de, meanings: reasonMeanings.de, errorOf: serverTexts.de.error, ...format }
const message = (more: Partial<Message>): Message => ({
  ...{ id: '1', status: 'UNDELIVERABLE', recipient: 'ada', event: 'e', notification: '', enqueued: ACCEPTED },
  ...more,
})

test('a message that waits says until when', () => {
  const until = ACCEPTED + 60_000
  expect(whyOf(message({ status: 'DELAYED', until }), english)).toBe('Due at <60000>')
  const retry = { channel: 'email', provider: 'smtp', integration: 'I', attempts: 2, next_attempt_at: until } as const
  expect(whyOf(message({ status: 'ROUTED', retry }), english)).toBe('Next at <60000>')
  const failed = { ...retry, error: '451 try later' }
  expect(whyOf(message({ status: 'ROUTED', retry: failed }), german)).toBe('Nächster um <60000>: 451 try later')
  const limited = { ...retry, error: "The integration's limit of 5 per day is reached" }
  expect(whyOf(message({ status: 'ROUTED', retry: limited }), german)).toBe(
    'Nächster um <60000>: Das Limit der Integration von 5 am Tag ist erreicht',
  )
  // A held message waits for its integration.
  expect(whyOf(message({ status: 'HELD', until, error: '535 refused' }), english)).toBe('535 refused')
  expect(whyOf(message({ status: 'ENQUEUED' }), english)).toBeUndefined()
})

test('a canceled message says by whom and when', () => {
  const canceled = message({ status: 'CANCELED', canceledAt: ACCEPTED + 90_000 })
  expect(whyOf({ ...canceled, canceledBy: 'key/backend' }, english)).toBe('By the key backend 90000 ms after the call')
  expect(whyOf(canceled, german)).toBe('Abgebrochen 90000 ms nach dem Aufruf')
  expect(whyOf({ ...canceled, canceledBy: 'erasure' }, english)).toBe('The person was erased.')
})

test('providers and templates are quoted, reasons are translated', () => {
  const suppressed = { reason: 'SUPPRESSED', error: 'The email address is suppressed since 2026-11-29T09:00Z' } as const
  expect(whyOf(message(suppressed), english)).toBe(reasonMeanings.en.SUPPRESSED)
  expect(whyOf(message(suppressed), german)).toBe(reasonMeanings.de.SUPPRESSED)
  const bounced = message({ reason: 'BOUNCED', error: '550 no such user' })
  expect(whyOf(bounced, german)).toBe('550 no such user')
  // A viewer does not see it.
  expect(whyOf({ ...bounced, error: '•••' }, german)).toBe(reasonMeanings.de.BOUNCED)
  expect(whyOf(message({ error: 'unknown to this release' }), english)).toBe('unknown to this release')
})

test('a template that the send names is not that of an event', () => {
  expect(whyOf(message({ status: 'UNMAPPED', error: 'Unknown template `x`' }), german)).toBe(
    'Eine Vorlage `x` gibt es nicht.',
  )
  const unmapped = message({ status: 'UNMAPPED', error: 'Event not mapped to a notification: `x`' })
  expect(whyOf(unmapped, english)).toBe(whyTexts.en.UNMAPPED)
})

test.each(['THROTTLED', 'DIGESTED', 'SIMULATED', 'UNMAPPED'] as const)(
  '%s without a reason has a sentence',
  (status) => {
    expect(whyOf(message({ status }), english)).toBe(whyTexts.en[status])
  },
)
