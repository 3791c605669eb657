/** The settings of an integration as a form holds them, and as the API takes them. */
import type { CatalogSetting } from '@postrider/client'

/** The value that the API shows for a stored secret, and that keeps it. */
export const SECRET_MASK = '********'

export type SettingsInput = Readonly<Record<string, string | boolean>>

export function inputOf(
  schema: Readonly<Record<string, CatalogSetting>>,
  settings: Readonly<Record<string, unknown>>,
): SettingsInput {
  return Object.fromEntries(
    Object.entries(schema).map(([name, { type }]) => {
      const value = settings[name]
      if (type === 'boolean') return [name, value === true]
      if (value === undefined || value === null) return [name, '']
      return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]
    }),
  )
}

/** Only the settings that the form changes; one that was emptied is null, which removes it. */
export function settingsOf(
  schema: Readonly<Record<string, CatalogSetting>>,
  input: SettingsInput,
  settings: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const before = inputOf(schema, settings)
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, { type }]): [string, unknown][] => {
      const value = input[name] ?? ''
      if (value === before[name]) return []
      if (value === '') return settings[name] === undefined ? [] : [[name, null]]
      if (typeof value === 'boolean') return [[name, value]]
      if (type === 'integer' || type === 'number') return [[name, Number.isNaN(Number(value)) ? value : Number(value)]]
      if (type === 'array' || type === 'object') return [[name, parsed(value)]]
      return [[name, value]]
    }),
  )
}

/** The API says what is wrong with a text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const missingSettings = (schema: Readonly<Record<string, CatalogSetting>>, input: SettingsInput) =>
  Object.entries(schema)
    .filter(([name, { required, type }]) => required && type !== 'boolean' && input[name] === '')
    .map(([name]) => name)
