/** Settings of an integration: their types, which of them are secret, whether they are valid, what an override may change. */
import { isDeepStrictEqual } from 'node:util'
import type { CatalogSetting } from '@postrider/contract'
import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { Errors } from 'typebox/schema'
import { isObject, type JsonObject, merge } from '../base/json/json.ts'
import { checkAddress } from '../base/mail-address.ts'
import { quoted } from '../base/quote.ts'
import { ruleError } from '../base/schema/check.ts'
import { dkimKeysError } from './dkim-keys.ts'
import { holdsLogin, webAddress } from './http-api.ts'
import { namesError } from './names-by-locale.ts'
import { keyOf, vapidPublicKey } from './signed-token.ts'

interface Annotations {
  secret?: boolean
  destination?: boolean
  login?: boolean
  default?: unknown
  form?: keyof typeof FORMS
  group?: CatalogSetting['group']
  /** The rule of its pattern as an error states it: "must be …". */
  patternText?: string
}
type HasSettings = { settings: TObject; settingsError?(settings: JsonObject): string | undefined }

/** Rules for a string that no pattern can express; each returns what is wrong with a value. */
const FORMS = {
  url: urlError,
  'mail address': addressError,
  'names by locale': namesError,
  'private key': privateKeyError,
  'VAPID key': vapidKeyError,
  'service account': serviceAccountError,
  'DKIM keys': dkimKeysError,
}
/** Forms of several lines. */
const FILES: readonly (keyof typeof FORMS)[] = ['private key', 'service account', 'DKIM keys']

/** Settings that a first delivery can do without, by their subject: forms fold them. The others are basic. */
export function inGroup<P extends TProperties>(group: NonNullable<CatalogSetting['group']>, settings: P): P {
  for (const schema of Object.values(settings)) Object.assign(schema, { group })
  return settings
}

/** A string of one line that may be shown. */
export const Text = (title: string, description: string, bounds: { minLength?: number; maxLength: number }) =>
  Type.String({ title, description, ...bounds })

/** One mail address, without a name: a sender, or the address for replies. */
export const Address = (title: string, description: string) =>
  Type.String({ title, description, maxLength: 320, form: 'mail address' })

/** A web address that requests go to. */
export const Url = (title: string, description: string, { secret = false } = {}) =>
  Type.String({
    title,
    description,
    maxLength: 2048,
    form: 'url',
    destination: true,
    ...(secret ? { secret } : {}),
  })

/** A name or an id that belongs to the secrets: a provider refuses them together. */
export const Login = (title: string, description: string, bounds: { minLength?: number; maxLength: number }) =>
  Type.String({ title, description, ...bounds, login: true })

/** A setting that is stored encrypted and never shown again. */
export const Secret = (title: string, description: string) =>
  Type.String({ title, description, minLength: 1, maxLength: 4096, secret: true })

/** The same, where it is a key that signs requests and never leaves the server. */
export const SigningKey = (
  title: string,
  description: string,
  form: 'private key' | 'VAPID key' | 'service account' | 'DKIM keys',
) => Type.String({ title, description, minLength: 1, maxLength: 8_192, secret: true, form })

/** The sender of a mail provider. */
export const sender = (description = 'The from address of the mails') => ({
  fromAddress: Address('From address', description),
  fromName: Type.Optional(Text('From name', 'The name of the sender', { maxLength: 200 })),
  ...inGroup('sender', {
    fromNames: Type.Optional(
      Type.String({
        title: 'From names by locale',
        description: 'Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`',
        maxLength: 4_000,
        form: 'names by locale',
      }),
    ),
    replyTo: Type.Optional(Address('Reply to', 'The address for replies')),
  }),
})

const BASE = '^https?://[^\\s/?#@]+(/[^\\s?#@]*)?$'

/** The base address of an HTTP API; proxies and tests replace it. Without a standard one it follows from other settings. */
export const BaseUrl = (standard?: string) =>
  Type.Optional(
    Type.String({
      title: 'Base URL',
      description: 'The URL of the API. Change it for a proxy or another region',
      group: 'advanced',
      ...(standard ? { default: standard } : {}),
      pattern: BASE,
      patternText: 'an http or https URL without a query',
      maxLength: 2048,
      form: 'url',
      destination: true,
    }),
  )

const annotations = (schema: TSchema): Annotations => schema as Annotations
const properties = (provider: HasSettings) => Object.entries(provider.settings.properties)

export function secretKeys(provider: HasSettings): string[] {
  return properties(provider).flatMap(([key, schema]) => (annotations(schema).secret === true ? [key] : []))
}

export type SettingsSubject = 'address' | 'credentials' | 'encryption'

/** Together they say whether a connection is encrypted, also where neither is set. */
const OF_ENCRYPTION = ['security', 'port']

/** The settings that a failed sign-in is about: those that are set, or the basic ones, where one is missing. */
export function settingsAbout(provider: HasSettings, about: SettingsSubject, settings: JsonObject): string[] {
  if (about === 'encryption') return OF_ENCRYPTION.filter((key) => key in provider.settings.properties)
  const named = properties(provider).filter(([, schema]) => {
    const { destination, login, secret, group } = annotations(schema)
    return about === 'address' ? destination : (login || secret) && (group === undefined || group === 'oauth')
  })
  const set = named.filter(([key]) => settings[key] !== undefined)
  return (set.length > 0 ? set : named.filter(([, schema]) => !annotations(schema).group)).map(([key]) => key)
}

/** Two objects: one to show, one to encrypt. */
export function splitSecrets(
  provider: HasSettings,
  settings: JsonObject,
): { settings: JsonObject; secrets: JsonObject } {
  const secret = new Set(secretKeys(provider))
  const entries = Object.entries(settings)
  return {
    settings: Object.fromEntries(entries.filter(([key]) => !secret.has(key))),
    secrets: Object.fromEntries(entries.filter(([key]) => secret.has(key))),
  }
}

// Only files of keys have several lines.
const CONTROL = /\p{Cc}/u

/** One message for each invalid setting. Values are never repeated: they may be secrets. */
export function checkSettings(provider: HasSettings, settings: unknown): string[] {
  if (!isObject(settings)) return ['settings must be an object']
  const files = properties(provider).filter(([, schema]) => FILES.includes(annotations(schema).form ?? 'url'))
  const isFile = new Set(files.map(([key]) => key))
  const broken = Object.keys(settings).filter((key) => {
    const value = settings[key]
    return typeof value === 'string' && CONTROL.test(value) && !isFile.has(key)
  })
  if (broken.length > 0) return broken.map((key) => `${key} must not contain line breaks or control characters`)
  const malformed = properties(provider).flatMap(([key, schema]) => {
    const [{ form }, value] = [annotations(schema), settings[key]]
    const error = form && typeof value === 'string' ? FORMS[form](value, provider) : undefined
    return error ? [[key, error] as const] : []
  })
  const issues = [
    ...malformed.map(([key, error]) => `${key}${error.startsWith('must ') ? '' : ':'} ${error}`),
    ...schemaIssues(provider, settings, new Map(malformed)),
  ]
  const error = issues.length === 0 ? provider.settingsError?.(settings) : undefined
  return error ? [error] : issues
}

function schemaIssues(
  { settings: schema }: HasSettings,
  settings: JsonObject,
  reported: ReadonlyMap<string, string>,
): string[] {
  const [, errors] = Errors(schema, settings)
  return errors.flatMap((error) => {
    // An unknown key is reported twice; the second report names it.
    if (error.keyword === 'boolean') return []
    if (error.keyword === 'additionalProperties')
      return error.params.additionalProperties.map((name) => `Unknown field ${quoted(name)}`)
    if (error.keyword === 'required') return error.params.requiredProperties.map((name) => `${name} is required`)
    const key = error.instancePath.slice(1).replaceAll('/', '.')
    if (reported.has(key)) return []
    const { patternText } = annotations(schema.properties[key] ?? {})
    if (error.keyword === 'pattern' && patternText) return [`${key} must be ${patternText}`]
    return [`${key} ${ruleError(error)}`]
  })
}

function urlError(text: string, { settings }: HasSettings): string | undefined {
  if (/^https?:/i.test(text) && holdsLogin(text)) {
    const instead = 'authentication' in settings.properties ? '; use authentication' : ''
    return `a user and password do not belong in a URL, where they would be shown${instead}`
  }
  return /^https?:\/\//.test(text) && webAddress(text) ? undefined : 'must be an http or https URL'
}

function addressError(text: string): string | undefined {
  return checkAddress(text) ? undefined : 'must be one mail address, without a name'
}

function privateKeyError(text: string): string | undefined {
  return keyOf(text, 'ES256') ? undefined : 'must be a private key on P-256 as PEM: the content of the .p8 file'
}

function vapidKeyError(text: string): string | undefined {
  return vapidPublicKey(text) ? undefined : 'must be a private key of `postrider providers vapid-keys`'
}

/** The fields of the file that requests are signed with. */
export interface ServiceAccount {
  project_id: string
  client_email: string
  private_key: string
  token_uri?: string
}

const ACCOUNT_FIELDS = ['project_id', 'client_email', 'private_key'] as const

/** Undefined where the text is no JSON object with the fields that are needed. */
export function serviceAccountOf(text: string): ServiceAccount | undefined {
  try {
    const account: unknown = JSON.parse(text)
    if (!isObject(account) || ACCOUNT_FIELDS.some((key) => typeof account[key] !== 'string')) return undefined
    return account as unknown as ServiceAccount
  } catch {
    return undefined
  }
}

function serviceAccountError(text: string): string | undefined {
  const account = serviceAccountOf(text)
  if (!account) return `must be the JSON file of a service account with ${ACCOUNT_FIELDS.join(', ')}`
  if (!/^[a-z0-9:.-]{1,100}$/.test(account.project_id)) return 'must have the id of a project as project_id'
  return keyOf(account.private_key, 'RS256') ? undefined : 'must have a private_key that can be read (PEM, RSA)'
}

/** The settings of an attempt, and the errors in them. */
export interface AppliedConfig {
  settings: JsonObject
  issues: string[]
  /** Requests go to another address than the integration's: no stored secret may go along. */
  moved: boolean
  /** Keys of the stored secrets that are left out for it. */
  withheld: string[]
}

/**
 * `override.<provider>.config` merged onto the settings of the integration, and the errors in the result.
 * When it moves requests to another address, every stored secret is dropped: only secrets of the same override go along.
 */
export function applyConfig(provider: HasSettings, settings: JsonObject, config: unknown): AppliedConfig {
  if (config === undefined) return { settings, issues: [], moved: false, withheld: [] }
  if (!isObject(config)) return { settings: {}, issues: ['config must be an object'], moved: false, withheld: [] }
  const moved = isMovedBy(provider, settings, config)
  const { settings: open, secrets } = splitSecrets(provider, settings)
  const merged = merge(moved ? open : settings, config)
  const withheld = moved ? Object.keys(secrets).filter((key) => !Object.hasOwn(config, key)) : []
  return { settings: merged, issues: checkSettings(provider, merged), moved, withheld }
}

function isMovedBy(provider: HasSettings, settings: JsonObject, config: JsonObject): boolean {
  return properties(provider).some(([key, schema]) => {
    const { destination, default: standard } = annotations(schema)
    if (destination !== true || !Object.hasOwn(config, key)) return false
    return !isDeepStrictEqual(config[key], settings[key] ?? standard)
  })
}

/** Secrets that a change of an integration must repeat: `setting` changes the address that they are sent to. */
export interface SecretsToRepeat {
  setting: string
  secrets: string[]
}

/** Undefined when the address stays. A secret that is an address itself, such as an incoming webhook, moves no other one. */
export function secretsToRepeat(
  provider: HasSettings,
  storedSettings: JsonObject,
  changes: JsonObject,
): SecretsToRepeat | undefined {
  const secrets = secretKeys(provider).filter((key) => Object.hasOwn(storedSettings, key) && changes[key] === undefined)
  const moving = properties(provider).find(([key, schema]) => {
    const { destination, secret, default: standard } = annotations(schema)
    if (destination !== true || secret === true || changes[key] === undefined) return false
    // Null takes a setting away, and its default holds again.
    return !isDeepStrictEqual(changes[key] ?? standard, storedSettings[key] ?? standard)
  })
  return moving && secrets.length > 0 ? { setting: moving[0], secrets } : undefined
}
