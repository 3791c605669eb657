/** The first real send of the checklist is one that a real provider accepted. */
import { expect, test } from 'vitest'
import { isSentBy } from './real-send.ts'

test('a message that failed over to the mailbox is no real send', () => {
  const failedOver = [
    { provider: 'smtp', status: 'UNDELIVERABLE' },
    { provider: 'mailbox', status: 'DELIVERED' },
  ] as const
  expect(isSentBy(['smtp'], failedOver)).toBe(false)
})

test('a message that a real provider accepted is one, whatever follows', () => {
  expect(isSentBy(['smtp'], [{ provider: 'smtp', status: 'SENT' }])).toBe(true)
  expect(isSentBy(['smtp', 'twilio'], [{ provider: 'twilio', status: 'DELIVERED' }])).toBe(true)
})
