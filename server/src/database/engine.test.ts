/** What a driver throws is either the database's refusal of a statement, or a database that cannot be asked. */
import { expect, test } from 'vitest'
import { DatabaseRefused, DatabaseUnavailable, databaseError } from './engine.ts'

const thrown = (code?: string) => Object.assign(new Error('thrown'), code && { code })

test.each(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ENOENT', 'EPERM', '57P01', '08006', '53300', '40P01', '58030'])(
  '%s is a database that cannot be asked',
  (code) => expect(databaseError(thrown(code))).toBeInstanceOf(DatabaseUnavailable),
)

test('an error without a code is one that cannot be asked, too', () =>
  expect(databaseError(thrown())).toBeInstanceOf(DatabaseUnavailable))

test.each(['23505', '22P02', 'XX000', '42P01', 'P0001'])('%s is a refusal', (code) => {
  const error = databaseError(thrown(code))
  expect(error).toBeInstanceOf(DatabaseRefused)
  expect(error).toMatchObject({ code, isDataError: code.startsWith('2') })
})
