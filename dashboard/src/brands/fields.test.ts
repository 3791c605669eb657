/** Settings of a brand: a value is set and removed at its path, and each path is in the form once. */
import { expect, test } from 'vitest'
import { groups, valueAt, withValue } from './fields.ts'

test('a value is set beside others, and what it leaves empty is removed', () => {
  const settings = { colors: { primary: '#111111' }, inapp: { placement: 'top' } }
  const set = withValue(settings, ['email', 'header', 'logo', 'image'], 'https://x.y/l.png')
  expect(set).toEqual({ ...settings, email: { header: { logo: { image: 'https://x.y/l.png' } } } })
  expect(withValue(set, ['email', 'header', 'logo', 'image'], undefined)).toEqual(settings)
  expect(withValue({ colors: { primary: '#111111' } }, ['colors', 'primary'], undefined)).toEqual({})
  expect(valueAt(set, ['email', 'header', 'logo', 'image'])).toBe('https://x.y/l.png')
  expect(valueAt({ email: null }, ['email', 'header'])).toBeUndefined()
})

test('each place is in the form once', () => {
  const places = groups.flatMap(({ fields }) => fields.map(({ path }) => path.join('.')))
  expect(new Set(places).size).toBe(places.length)
})
