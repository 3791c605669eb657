/** The providers that the server has adapters for, with their settings. */
import { type Static, Type } from 'typebox'
import { ChannelName } from './channel.ts'

/** Subjects of settings that a first delivery can do without. */
export const settingGroups = ['sender', 'oauth', 'dkim', 'callbacks', 'advanced'] as const

export const CatalogSetting = Type.Object(
  {
    type: Type.Enum(['string', 'number', 'integer', 'boolean', 'enum', 'array', 'object'], {
      description: 'Type of the setting.',
    }),
    required: Type.Boolean({ description: 'Whether the setting is required.' }),
    values: Type.Optional(Type.Array(Type.String(), { description: 'Values of an `enum`.' })),
    secret: Type.Optional(Type.Boolean({ description: 'Whether the setting is a secret, which is never returned.' })),
    group: Type.Optional(
      Type.Enum([...settingGroups], {
        description:
          'Subject of a setting that a first delivery can do without. A setting without a group is a basic one, which a form shows first.',
      }),
    ),
    title: Type.Optional(Type.String({ description: 'Display name.' })),
    description: Type.Optional(Type.String({ description: 'Purpose of the setting.' })),
    default: Type.Optional(Type.Unknown({ description: 'Default value.' })),
  },
  { title: 'CatalogSetting', description: 'One setting of a provider.' },
)
export type CatalogSetting = Static<typeof CatalogSetting>

const SizeLimits = Type.Object(
  {
    request_bytes: Type.Optional(Type.Integer({ description: 'Bytes of the request that hands a message over.' })),
    characters: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description: 'Characters of a field of that request, by its dotted path, without its markup.',
      }),
    ),
    payload_bytes: Type.Optional(Type.Integer({ description: 'Bytes of the payload of a push.' })),
    segments: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description:
          'Segments of the text message in a field, by its dotted path: of 153 characters of GSM-7, or 67 of Unicode.',
      }),
    ),
  },
  {
    title: 'SizeLimits',
    description: 'The sizes that the service publishes. A larger message is rejected before it leaves.',
  },
)

export const CatalogEntry = Type.Object(
  {
    provider: Type.String({ description: 'Key of the provider.' }),
    name: Type.String({ description: 'Display name.' }),
    channel: ChannelName,
    channels: Type.Array(ChannelName, { description: 'All channels of the provider.' }),
    description: Type.String({ description: 'Short description.' }),
    website: Type.Optional(Type.String({ description: 'Website of the provider.' })),
    profile_keys: Type.Optional(Type.Array(Type.String(), { description: 'Required profile keys.' })),
    limits: Type.Optional(SizeLimits),
    settings: Type.Record(Type.String(), CatalogSetting, { description: 'Settings by key.' }),
  },
  { title: 'CatalogEntry', description: 'A provider in the catalog.' },
)
export type CatalogEntry = Static<typeof CatalogEntry>
