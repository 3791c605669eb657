/** A warning about a key of the recipient is one about the profile; every other one stays as the server says it. */
import { expect, test } from 'vitest'
import { sortWarnings } from './warnings.ts'

test('a misspelled key of the recipient is one of the profile', () => {
  const others = ['Unknown field `dat` at message. Did you mean `data`?', '`city` has no value.']
  const warnings = [others[0] ?? '', 'Unknown field `emial` at message.to. Did you mean `email`?', others[1] ?? '']
  expect(sortWarnings(warnings)).toEqual({ misspelled: [{ name: 'emial', meant: 'email' }], others })
})
