/** A provider as the catalog shows it: its settings, read from the adapter's own schema. */
import type { CatalogEntry, CatalogSetting } from '@postrider/contract'
import type { TSchema } from 'typebox'
import type { Provider } from './provider.ts'

export function catalogEntry({
  key,
  title,
  channels,
  description,
  website,
  profileKeys,
  settings,
}: Provider): CatalogEntry {
  const required = new Set((settings.required ?? []) as string[])
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
    settings: Object.fromEntries(entries.map(([name, schema]) => [name, setting(schema, required.has(name))])),
  }
}

interface PlainSetting {
  type?: CatalogSetting['type']
  enum?: string[]
  secret?: boolean
  title?: string
  description?: string
  default?: unknown
}

function setting(schema: TSchema, required: boolean): CatalogSetting {
  const { type = 'string', enum: values, secret, title, description, default: standard } = schema as PlainSetting
  return {
    type: values ? 'enum' : type,
    required,
    ...(values ? { values } : {}),
    ...(secret ? { secret } : {}),
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
    ...(standard === undefined ? {} : { default: standard }),
  }
}
