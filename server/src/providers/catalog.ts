/** The catalog: the adapters of this release, and each as the API shows it. */
import type { CatalogEntry, CatalogSetting } from '@postrider/contract'
import type { TSchema } from 'typebox'
import { adapters } from './adapters.generated.ts'
import { namesOf, type Provider } from './provider.ts'

export type { Provider }

export const providers: ReadonlyMap<string, Provider> = new Map(adapters.map((adapter) => [adapter.key, adapter]))

/** Keys and aliases. */
export const providerNames: ReadonlySet<string> = new Set([...providers.values()].flatMap(namesOf))

/** By its key, or by an alias. */
export const providerNamed = (all: ReadonlyMap<string, Provider>, name: string): Provider | undefined =>
  all.get(name) ?? [...all.values()].find(({ aliases }) => aliases.includes(name))

export function catalogEntry({
  key,
  title,
  channels,
  description,
  website,
  profileKeys,
  limits: { requestBytes, payloadBytes, characters, segments } = {},
  settings,
}: Provider): CatalogEntry {
  const required = new Set((settings.required ?? []) as string[])
  const limits = {
    ...(requestBytes && { request_bytes: requestBytes }),
    ...(payloadBytes && { payload_bytes: payloadBytes }),
    ...(characters && { characters: { ...characters } }),
    ...(segments && { segments: { ...segments } }),
  }
  const entries = Object.entries(settings.properties)
  return {
    provider: key,
    name: title,
    // Every provider serves one; the registry sees to it.
    channel: channels[0] ?? 'email',
    channels: [...channels],
    description,
    ...(website ? { website } : {}),
    profile_keys: [...profileKeys],
    ...(Object.keys(limits).length > 0 && { limits }),
    settings: Object.fromEntries(entries.map(([name, schema]) => [name, setting(schema, required.has(name))])),
  }
}

interface PlainSetting {
  type?: CatalogSetting['type']
  enum?: string[]
  secret?: boolean
  group?: CatalogSetting['group']
  title?: string
  description?: string
  default?: unknown
}

function setting(schema: TSchema, required: boolean): CatalogSetting {
  const { type = 'string', enum: values, secret, group, title, description, default: standard } = schema as PlainSetting
  return {
    type: values ? 'enum' : type,
    required,
    ...(values ? { values } : {}),
    ...(secret ? { secret } : {}),
    ...(group ? { group } : {}),
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
    ...(standard === undefined ? {} : { default: standard }),
  }
}
