/** A key that cannot be one ends the command before a call. */
import { expect, test } from 'vitest'
import { clientOf } from './session.ts'
import { terminal } from './terminal.ts'

const withKey = (apiKey: string) => () =>
  clientOf({
    terminal: terminal({ json: false, color: false }),
    server: { url: 'http://127.0.0.1:1', urlGiven: true, apiKey, color: false },
  })

test('the placeholder of a document is not a key', () => {
  expect(withKey('pk_prod_…')).toThrow('The API key has a character that no key has (`…`)')
  expect(withKey('pk_prod_T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7')).not.toThrow()
})
