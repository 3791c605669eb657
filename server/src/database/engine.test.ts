/** Errors of the driver: the database refused the statement, or it is unavailable. */
import { expect, test } from 'vitest'
import { DatabaseRefused, DatabaseUnavailable, databaseError } from './engine.ts'

const thrown = (code?: string) => Object.assign(new Error('thrown'), code && { code })

test.each([
  'EPIPE',
  'ECONNRESET',
  'ECONNREFUSED',
  'ENOENT',
  'EPERM',
  '57P01',
  '08006',
  '53300',
  '40P01',
  '58030',
  '28P01',
  '28000',
  '3D000',
])('%s means that the database is unavailable', (code) =>
  expect(databaseError(thrown(code))).toBeInstanceOf(DatabaseUnavailable),
)

test('an error without a code means that the database is unavailable', () =>
  expect(databaseError(thrown())).toBeInstanceOf(DatabaseUnavailable))

test.each(['23505', '22P02', 'XX000', '42P01', 'P0001'])('%s is an error of the statement', (code) => {
  const error = databaseError(thrown(code))
  expect(error).toBeInstanceOf(DatabaseRefused)
  expect(error).toMatchObject({ code, isDataError: code.startsWith('2') })
})

test('an error that ends the connection means that the database is unavailable, whatever its code', () => {
  const ended = Object.assign(thrown('55000'), { severity: 'FATAL' })
  expect(databaseError(ended)).toBeInstanceOf(DatabaseUnavailable)
  expect(databaseError(thrown('55000'))).toBeInstanceOf(DatabaseRefused)
})
