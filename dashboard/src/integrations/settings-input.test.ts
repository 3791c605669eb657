/** Settings between form and API: only changes are sent, and a stored secret is never sent back. */
import type { CatalogSetting } from '@postrider/client'
import { expect, test } from 'vitest'
import { inputOf, missingSettings, SECRET_MASK, settingsOf } from './settings-input.ts'

const schema: Record<string, CatalogSetting> = {
  host: { type: 'string', required: true },
  port: { type: 'integer', required: false },
  password: { type: 'string', required: false, secret: true },
  strict: { type: 'boolean', required: false },
  extra: { type: 'object', required: false },
}
const settings = { host: 'mail.example.com', port: 587, password: SECRET_MASK, strict: true, extra: { a: 1 } }

test('an unchanged form changes nothing', () => {
  expect(settingsOf(schema, inputOf(schema, settings), settings)).toEqual({})
})

test('values have the type of their setting, and what was emptied is removed', () => {
  const input = { ...inputOf(schema, settings), host: 'other.example.com', port: '465', strict: false, extra: '' }
  expect(settingsOf(schema, input, settings)).toEqual({
    ...{ host: 'other.example.com', port: 465, strict: false, extra: null },
  })
})

test('a new integration sends what was filled in', () => {
  const input = { ...inputOf(schema, {}), host: 'mail.example.com', password: 'secret' }
  expect(settingsOf(schema, input)).toEqual({ host: 'mail.example.com', password: 'secret' })
})

test('a text that is no number goes to the API, which says so', () => {
  expect(settingsOf(schema, { port: 'often' }, {})).toEqual({ port: 'often' })
})

test('required settings that are empty', () => {
  expect(missingSettings(schema, inputOf(schema, {}))).toEqual(['host'])
})
