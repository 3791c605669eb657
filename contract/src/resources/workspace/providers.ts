/** /providers: the integrations of a workspace, and the catalogue of what can be integrated. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { filterValuesMax, pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, moment, name, nullable, text } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'

/** Room for any ordering, far inside a database integer. */
export const providerPriorityMax = 1_000_000
export const providersPage = 50

/** What stands in place of a stored secret in every reply. */
export const secretMask = '********'

const priority = Type.Integer({
  minimum: 0,
  maximum: providerPriorityMax,
  description: 'Within a channel, integrations are tried by rising priority.',
})
const enabled = Type.Boolean({ description: 'False keeps it and sends nothing through it.' })

export const Integration = Type.Object(
  {
    id: Type.String({ description: 'The integration id.' }),
    provider: Type.String({ description: 'The provider, a `provider` of the catalogue.' }),
    channel: ChannelName,
    channels: Type.Array(ChannelName, { description: 'Every channel it serves; `channel` is the first.' }),
    title: Type.String({ description: 'Name for people.' }),
    alias: Type.Optional(Type.String({ description: 'A second name, unique in the workspace.' })),
    settings: jsonObject(`Its settings; every secret reads \`${secretMask}\`.`),
    enabled,
    unreadable: Type.Optional(
      Type.Literal(true, {
        description: 'Its secrets were encrypted with another secret key: it is not used until they are given again.',
      }),
    ),
    priority,
    created: moment('When it was created.'),
    updated: Type.Optional(moment('When it last changed.')),
  },
  { title: 'Integration', description: 'A provider with credentials.' },
)
export type Integration = Static<typeof Integration>

export const IntegrationWrite = Type.Object(
  {
    provider: name('The provider, a `provider` of the catalogue.'),
    channel: Type.Optional(
      Type.Enum([...ChannelName.enum], {
        description: 'The channel it serves. Default: every channel of the provider.',
      }),
    ),
    title: Type.Optional(name('Name for people. Default: the title of the provider.')),
    alias: Type.Optional(nullable(id('A second name, unique in the workspace.'))),
    settings: Type.Optional(
      jsonObject(
        `Its settings, as the catalogue lists them. In an update, absent settings stay as they are and a secret sent as \`${secretMask}\` keeps its value.`,
      ),
    ),
    enabled: Type.Optional(enabled),
    priority: Type.Optional(priority),
  },
  {
    title: 'IntegrationWrite',
    description: 'An integration as it is written. `enabled` is true and `priority` 0 unless given.',
  },
)
export type IntegrationWrite = Static<typeof IntegrationWrite>

export const IntegrationUpdate = Type.Object(IntegrationWrite.properties, {
  title: 'IntegrationUpdate',
  description: 'A change of an integration. What is left out stays; null takes a setting away.',
})

export const CatalogSetting = Type.Object(
  {
    type: Type.Enum(['string', 'number', 'integer', 'boolean', 'enum', 'array', 'object'], {
      description: 'What it holds.',
    }),
    required: Type.Boolean({ description: 'Whether it must be given.' }),
    values: Type.Optional(Type.Array(Type.String(), { description: 'Of an `enum`: what it can be.' })),
    secret: Type.Optional(Type.Boolean({ description: 'True when it is never shown again.' })),
    title: Type.Optional(Type.String({ description: 'Its name for people.' })),
    description: Type.Optional(Type.String({ description: 'What it is for.' })),
    default: Type.Optional(Type.Unknown({ description: 'What holds when it is not given.' })),
  },
  { title: 'CatalogSetting', description: 'One setting of a provider.' },
)
export type CatalogSetting = Static<typeof CatalogSetting>

export const CatalogEntry = Type.Object(
  {
    provider: Type.String({ description: 'The name on the wire.' }),
    name: Type.String({ description: 'Its name for people.' }),
    channel: ChannelName,
    channels: Type.Array(ChannelName, { description: 'Every channel it serves.' }),
    description: Type.String({ description: 'What it is.' }),
    website: Type.Optional(Type.String({ description: 'Where to read about it.' })),
    profile_keys: Type.Optional(Type.Array(Type.String(), { description: 'The profile keys it needs.' })),
    settings: Type.Record(Type.String(), CatalogSetting, { description: 'Its settings by key.' }),
  },
  { title: 'CatalogEntry', description: 'A provider that can be integrated.' },
)
export type CatalogEntry = Static<typeof CatalogEntry>

const params = Type.Object({ id: id('The integration id or its alias.') })
const example = { id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8' }
const record = {
  id: example.id,
  provider: 'sendgrid',
  channel: 'email',
  channels: ['email'],
  title: 'SendGrid',
  settings: { apiKey: secretMask, fromAddress: 'hello@example.com' },
  enabled: true,
  priority: 0,
  created: 1_710_334_643_000,
}
const body = { provider: 'sendgrid', settings: { apiKey: 'SG.example', fromAddress: 'hello@example.com' } }

export default resource({
  name: 'providers',
  position: 250,
  title: 'Providers',
  description: 'Integrations with providers, and the catalogue of them.',
  operations: [
    operation({
      id: 'providers.list',
      method: 'GET',
      path: '/providers',
      summary: 'List integrations',
      query: Type.Object(pageQuery(providersPage)),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(Integration, { maxItems: pageMax }) }) },
      example: { reply: { paging: { more: false }, results: [record] } },
    }),
    operation({
      id: 'providers.catalog',
      method: 'GET',
      path: '/providers/catalog',
      summary: 'List what can be integrated',
      query: Type.Object({
        keys: Type.Optional(
          Type.Array(text('A provider.'), { maxItems: filterValuesMax, description: 'Only these providers.' }),
        ),
        name: Type.Optional(text('Only providers whose name contains this.')),
        channel: Type.Optional(Type.Enum([...ChannelName.enum], { description: 'Only providers of this channel.' })),
      }),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(CatalogEntry) }) },
      example: {
        query: { channel: 'email' },
        reply: {
          paging: { more: false },
          results: [
            {
              provider: 'sendgrid',
              name: 'SendGrid',
              channel: 'email',
              channels: ['email'],
              description: 'Email over the SendGrid API.',
              website: 'https://sendgrid.com',
              profile_keys: ['email'],
              settings: { apiKey: { type: 'string', required: true, secret: true } },
            },
          ],
        },
      },
    }),
    operation({
      id: 'providers.create',
      method: 'POST',
      path: '/providers',
      access: 'published',
      summary: 'Create an integration',
      audit: 'integration:created',
      body: IntegrationWrite,
      replies: { 201: Integration, 409: ErrorBody },
      example: { body, reply: record },
    }),
    operation({
      id: 'providers.get',
      method: 'GET',
      path: '/providers/:id',
      summary: 'Get an integration',
      params,
      replies: { 200: Integration, 404: ErrorBody },
      example: { params: example, reply: record },
    }),
    operation({
      id: 'providers.update',
      method: 'PUT',
      path: '/providers/:id',
      access: 'published',
      summary: 'Change an integration',
      audit: 'integration:updated',
      description:
        'Fields that are left out stay as they are. A change of the address that requests go to must give the stored secrets again. Messages being sent use the new settings from their next attempt on.',
      params,
      body: IntegrationUpdate,
      replies: { 200: Integration, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: example,
        body: { ...body, settings: { apiKey: secretMask, fromAddress: 'hello@example.com' } },
        reply: { ...record, updated: 1_710_421_043_000 },
      },
    }),
    operation({
      id: 'providers.delete',
      method: 'DELETE',
      path: '/providers/:id',
      access: 'published',
      summary: 'Delete an integration',
      audit: 'integration:deleted',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
  ],
})
