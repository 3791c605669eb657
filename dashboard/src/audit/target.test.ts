/** A change leads to the screen of its record, as long as there is one. */
import { expect, test } from 'vitest'
import { addressOf } from './target.ts'

test('the screen of the record, unless it is gone or has none', () => {
  expect(addressOf('integration:updated', 'a/b')).toBe('/integrations/a%2Fb')
  expect(addressOf('automation:updated', 'onboarding')).toBe('/automations/onboarding')
  expect(addressOf('integration:deleted', 'a')).toBeUndefined()
  expect(addressOf('key:created', 'a')).toBeUndefined()
})
