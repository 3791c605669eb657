/** Where an error of settings belongs: at the fields that the server or the provider names. */
import { type CatalogSetting, isPostriderError, type ProviderTest } from '@postrider/client'
import { SECRET_MASK } from './settings-input.ts'

/** Sentences by the name of a setting, or of a field of the integration. */
export type FieldErrors = Readonly<Record<string, string>>

/** The field that an error names, as the form calls it: `settings.user` is `user`, `limits.per_day` is `per_day`. */
function fieldOf(error: unknown): string | undefined {
  if (!isPostriderError(error) || error.param === undefined) return undefined
  return /^(?:settings\.|limits\.)?(\w+)/.exec(error.param)?.[1]
}

/** A form shows it at its field, or above its buttons. */
export const isAtField = (error: unknown): boolean => fieldOf(error) !== undefined

/** Empty where the error names no field of the form. */
export function fieldErrorsOf(error: unknown, fields: readonly string[]): FieldErrors {
  const field = fieldOf(error)
  if (field === undefined || !fields.includes(field) || !(error instanceof Error)) return {}
  const rest = error.message.replace(/^`?(?:settings\.|limits\.)?\w+`?:? (?=must |is )/, '')
  return { [field]: rest.charAt(0).toUpperCase() + rest.slice(1) }
}

/** Settings that a failed sign-in is about. */
export const rejectedSettings = (signIn: ProviderTest['sign_in'] | undefined): readonly string[] =>
  signIn?.state === 'fail' ? (signIn.settings ?? []) : []

/** Stored secrets that sign in; others sign mail, or verify callbacks. */
export const secretsInUse = (
  schema: Readonly<Record<string, CatalogSetting>>,
  settings: Readonly<Record<string, unknown>> = {},
): readonly string[] =>
  Object.entries(schema)
    .filter(([name, { secret, group }]) => secret && settings[name] === SECRET_MASK && isOfSignIn(group))
    .map(([name]) => name)

const isOfSignIn = (group: CatalogSetting['group']) => group === undefined || group === 'oauth'
