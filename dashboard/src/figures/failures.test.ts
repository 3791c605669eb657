/** The sentence about failed messages is in the singular where one message ended. */
import { expect, test } from 'vitest'
import { failureTexts } from './failures.tsx'

test('one message of one, and of several', () => {
  const { en, de } = failureTexts
  expect(`${en.ended('1', '1')} ${en.failed(1, en.today)}`).toBe('1 of 1 finished message failed today.')
  expect(`${en.ended('1', '16')} ${en.failed(1, en.day)}`).toBe(
    '1 of 16 finished messages failed in the last 24 hours.',
  )
  expect([en.waiting(1, '1'), en.waiting(3, '3')]).toEqual(['1 is waiting.', '3 are waiting.'])
  expect(`${de.ended('1', '1')} ${de.failed(1, de.today)}`).toBe('1 von 1 abgeschlossenen Nachricht schlug heute fehl.')
  expect(`${de.ended('2', '16')} ${de.failed(2, de.today)}`).toBe(
    '2 von 16 abgeschlossenen Nachrichten schlugen heute fehl.',
  )
})
