/** The rules about an integration's settings: which are secret, whether they are valid, what an override may change. */
import { isDeepStrictEqual } from 'node:util'
import { type TObject, type TSchema, Type } from 'typebox'
import { Errors } from 'typebox/schema'
import { isObject, type JsonObject, merge } from '../base/merge.ts'

interface Annotations {
  secret?: boolean
  destination?: boolean
  default?: unknown
}
type HasSettings = { settings: TObject }

/** Plain enough that a typing error is seen at the door; the mail itself checks addresses in full. */
export const ADDRESS = '^[^\\s@<>,;"]+@[^\\s@<>,;"]+$'

/** A setting that is stored encrypted and never shown again. */
export const Secret = (title: string, description: string) =>
  Type.String({ title, description, minLength: 1, maxLength: 4096, secret: true })

/** Where an HTTP API lives. Tests and proxies point it elsewhere. */
export const BaseUrl = (standard: string) =>
  Type.Optional(
    Type.String({
      title: 'Base URL',
      description: 'Where the API is reached, for a proxy or another region',
      default: standard,
      pattern: '^https?://[^\\s/?#@]+(/[^\\s?#@]*)?$',
      maxLength: 2048,
      destination: true,
    }),
  )

const annotations = (schema: TSchema): Annotations => schema as Annotations
const properties = (provider: HasSettings) => Object.entries(provider.settings.properties)

export function secretKeys(provider: HasSettings): string[] {
  return properties(provider).flatMap(([key, schema]) => (annotations(schema).secret === true ? [key] : []))
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

// No setting of any provider is a text of several lines.
const CONTROL = /\p{Cc}/u

/** What is wrong with them, a sentence for each fault; the values themselves are never repeated. */
export function checkSettings(provider: HasSettings, settings: unknown): string[] {
  if (!isObject(settings)) return ['must be object']
  const broken = Object.keys(settings).filter((key) => typeof settings[key] === 'string' && CONTROL.test(settings[key]))
  if (broken.length > 0) return broken.map((key) => `${key}: must not contain line breaks or control characters`)
  const [, errors] = Errors(provider.settings, settings)
  return errors.flatMap((error) => {
    // An unknown key is reported twice; the second report names it.
    if (error.keyword === 'boolean') return []
    const key = error.instancePath.slice(1).replaceAll('/', '.')
    const place = key ? `${key}: ` : ''
    if (error.keyword === 'enum') return [`${place}must be one of ${error.params.allowedValues.join(', ')}`]
    if (error.keyword === 'additionalProperties')
      return [`${place}has no key ${error.params.additionalProperties.join(', ')}`]
    return [`${place}${error.message}`]
  })
}

/**
 * `override.<provider>.config` merged onto the settings of the integration, and what is wrong with the result.
 * When it sends requests somewhere else, every stored secret is dropped: only secrets of the same override go along.
 */
export function applyConfig(
  provider: HasSettings,
  settings: JsonObject,
  config: unknown,
): { settings: JsonObject; issues: string[] } {
  if (config === undefined) return { settings, issues: [] }
  if (!isObject(config)) return { settings: {}, issues: ['config: must be object'] }
  const kept = redirects(provider, settings, config) ? splitSecrets(provider, settings).settings : settings
  const merged = merge(kept, config)
  return { settings: merged, issues: checkSettings(provider, merged) }
}

function redirects(provider: HasSettings, settings: JsonObject, config: JsonObject): boolean {
  return properties(provider).some(([key, schema]) => {
    const { destination, default: standard } = annotations(schema)
    if (destination !== true || !Object.hasOwn(config, key)) return false
    return !isDeepStrictEqual(config[key], settings[key] ?? standard)
  })
}
