/** The sentence about failed messages is in the singular where one message ended. */
import { expect, test } from 'vitest'
import { failureTexts } from './failures.tsx'

test('one message of one, and of several', () => {
  const { en, de } = failureTexts
  expect(`${en.ended('1', '1', en.today)} ${en.failed(1)}`).toBe('1 of 1 message that ended today failed.')
  expect(`${en.ended('1', '2', en.today)} ${en.failed(1)}`).toBe('1 of 2 messages that ended today failed.')
  expect(`${de.ended('1', '1', de.today)} ${de.failed(1)}`).toBe('1 von 1 Nachricht, die heute endete, schlug fehl.')
})
