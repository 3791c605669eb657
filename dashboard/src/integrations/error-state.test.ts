/** The last error is not shown as the state of an integration that works again. */
import { expect, test } from 'vitest'
import { errorState } from './error-state.ts'

const last_error = { at: 100, result: 'authentication', error: '535' }

test('an error is over after a later call that went well', () => {
  expect(errorState({ last_error, last_success: 99 })).toBe('current')
  expect(errorState({ last_error, last_success: 101 })).toBe('over')
  expect(errorState({ last_error })).toBe('current')
  expect(errorState({ last_success: 101 })).toBeUndefined()
})

test('a change of the settings makes it open whether the error is over', () => {
  expect(errorState({ last_error }, 101)).toBe('changed')
  expect(errorState({ last_error }, 99)).toBe('current')
  expect(errorState({ last_error, last_success: 102 }, 101)).toBe('over')
})
