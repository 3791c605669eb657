/** Errors of settings stand at their fields, in the words of the server without the name of the field. */
import { PostriderError } from '@postrider/client'
import { expect, test } from 'vitest'
import { fieldErrorsOf, rejectedSettings, secretsInUse } from './settings-problem.ts'

const errorOf = (message: string, param?: string) =>
  Object.assign(Object.create(PostriderError.prototype) as Error, { message, param })

test('an error that names a setting of the form belongs to its field', () => {
  const error = errorOf('settings.user must have at most 320 characters', 'settings.user')
  expect(fieldErrorsOf(error, ['user'])).toEqual({ user: 'Must have at most 320 characters' })
})

test('limits and the alias have fields, too', () => {
  expect(fieldErrorsOf(errorOf('limits.per_day must be at least 1', 'limits.per_day'), ['per_day'])).toEqual({
    per_day: 'Must be at least 1',
  })
  expect(fieldErrorsOf(errorOf('The alias "a" belongs to another integration', 'alias'), ['alias'])).toEqual({
    alias: 'The alias "a" belongs to another integration',
  })
})

test('any other error belongs to no field', () => {
  expect(fieldErrorsOf(errorOf('settings.other is unknown', 'settings.other'), ['user'])).toEqual({})
  expect(fieldErrorsOf(errorOf('Too many tests'), ['user'])).toEqual({})
  expect(fieldErrorsOf(new Error('no connection'), ['user'])).toEqual({})
})

test('only a failed sign-in has settings to correct', () => {
  expect(rejectedSettings({ state: 'fail', detail: '535', settings: ['user', 'password'] })).toEqual([
    'user',
    'password',
  ])
  expect(rejectedSettings({ state: 'ok', detail: 'fine', settings: ['user'] })).toEqual([])
  expect(rejectedSettings(undefined)).toEqual([])
})

test('stored secrets that sign in are entered again, and no others', () => {
  const secret = { type: 'string', required: false, secret: true } as const
  const schema = {
    user: { type: 'string', required: false },
    password: secret,
    accessToken: { ...secret, group: 'oauth' },
    dkimPrivateKey: { ...secret, group: 'dkim' },
  } as const
  const mask = '********'
  const settings = { user: 'post', password: mask, dkimPrivateKey: mask }
  expect(secretsInUse(schema, settings)).toEqual(['password'])
  expect(secretsInUse(schema, { accessToken: mask })).toEqual(['accessToken'])
  expect(secretsInUse(schema)).toEqual([])
})
