/** /keys: the API keys of the workspace. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, name, nullable, timestamp } from '../../api/values.ts'

/** Keys of one workspace; they are listed without pages. */
export const keysMax = 1_000

const DAY_MS = 86_400_000
/** Operators are warned so long before a key expires, and so long another one with full access must outlast it. */
export const keyWarningMs = 14 * DAY_MS

export const keyKinds = ['published', 'draft', 'mock'] as const
export const keyEnvironments = ['production', 'test'] as const
/** In descending order of what they permit. */
export const keyRoles = ['full', 'editor', 'reader', 'viewer'] as const

/** Prefixes of keys by kind and environment. */
export const keyPrefixes = {
  published: { production: 'pk_prod_', test: 'pk_test_' },
  draft: { production: 'dk_prod_', test: 'dk_test_' },
  mock: { production: 'mk_prod_', test: 'mk_test_' },
} as const satisfies Record<KeyKind, Record<KeyEnvironment, string>>

export const KeyKind = Type.Enum([...keyKinds], {
  title: 'KeyKind',
  description:
    '`published` (`pk_…`) sends published notifications, `draft` (`dk_…`) sends drafts, `mock` (`mk_…`) renders without calling providers. Draft and mock keys change drafts, saved views, their tokens and sessions, and what keys of their kind have sent; only published keys change anything else.',
})
export type KeyKind = (typeof keyKinds)[number]

export const KeyEnvironment = Type.Enum([...keyEnvironments], {
  title: 'KeyEnvironment',
  description: 'Environment of the key; environments share no data.',
})
export type KeyEnvironment = (typeof keyEnvironments)[number]

export const KeyRole = Type.Enum([...keyRoles], {
  title: 'KeyRole',
  description:
    '`full` may do everything that the kind permits. `editor` reads everything, changes notifications, brands, translations and routing strategies, and previews them; it sends nothing. `reader` reads everything and changes nothing. `viewer` reads, with personal data masked.',
})
export type KeyRole = (typeof keyRoles)[number]

const ApiKeyUse = Type.Object(
  {
    day: Type.String({ description: 'Latest day of use, in UTC: `2026-11-29`.' }),
    address: nullable(
      Type.String({
        description:
          'Address of the latest client of that day, to ten minutes; null where only tokens of the key called, and after the retention of messages. Masked for viewers.',
        'x-masked': true,
      }),
    ),
  },
  { title: 'ApiKeyUse', description: 'Latest use of a key, by a program, a session or a token.' },
)

const expiryCharactersMax = 64

const expiryText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: expiryCharactersMax,
    description: `${description} A time (ISO 8601 or milliseconds since the Unix epoch, as a string), or a length from now such as \`90 days\`.`,
  })

const fields = {
  id: Type.String({ description: 'Id of the key, not the key itself.' }),
  name: Type.String({ description: 'Display name.' }),
  kind: KeyKind,
  role: KeyRole,
  environment: KeyEnvironment,
  created: timestamp('Time of creation.'),
  expires: nullable(timestamp('From then on calls with it are refused; null: it is valid until it is revoked.')),
  last_used: nullable(ApiKeyUse),
}

export const ApiKey = Type.Object(fields, { title: 'ApiKey', description: 'An API key; the key itself is not stored.' })
export type ApiKey = Static<typeof ApiKey>

export const CreatedKey = Type.Object(
  { ...fields, key: Type.String({ description: 'The API key; returned only once.' }) },
  { title: 'CreatedKey', description: 'A new API key.' },
)
export type CreatedKey = Static<typeof CreatedKey>

const record = {
  id: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7',
  name: 'backend',
  kind: 'published',
  role: 'full',
  environment: 'production',
  created: 1_710_334_643_000,
  expires: null,
  last_used: { day: '2024-03-14', address: '203.0.113.7' },
}

export default resource({
  name: 'keys',
  position: 270,
  title: 'Keys',
  description: 'API keys of the workspace.',
  impersonal: true,
  operations: [
    operation({
      id: 'keys.list',
      origin: 'postrider',
      method: 'GET',
      path: '/keys',
      summary: 'List API keys',
      replies: { 200: Type.Object({ results: Type.Array(ApiKey, { maxItems: keysMax }) }) },
      example: { reply: { results: [record] } },
    }),
    operation({
      id: 'keys.create',
      origin: 'postrider',
      method: 'POST',
      path: '/keys',
      summary: 'Create an API key',
      secretReply: 'caller',
      audit: 'key:created',
      body: Type.Object(
        {
          name: Type.Optional(name('Display name. Default: the kind.')),
          kind: Type.Optional(KeyKind),
          role: Type.Optional(KeyRole),
          environment: Type.Optional(KeyEnvironment),
          expires: Type.Optional(nullable(expiryText('When it expires. Default: never.'))),
        },
        // A misspelled `kind` must not create the key with the most permissions.
        { additionalProperties: false },
      ),
      bodyOptional: true,
      description:
        'Default: `published`, of role `full`, in the environment of the calling key. Unknown fields are refused.',
      replies: { 201: CreatedKey, 409: ErrorBody },
      example: {
        body: { name: 'backend' },
        reply: { ...record, last_used: null, key: 'pk_prod_EXAMPLEEXAMPLEEXAMPLEEXAMPLE' },
      },
    }),
    operation({
      id: 'keys.update',
      origin: 'postrider',
      method: 'PATCH',
      path: '/keys/:id',
      summary: 'Set when an API key expires',
      audit: 'key:updated',
      description:
        'Calls with the key, its tokens and its sessions are refused from then on with 401. 409 `in_use` where no other published key of role `full` is valid for 14 days longer.',
      params: Type.Object({ id: id('Id of the key.') }),
      body: Type.Object(
        { expires: nullable(expiryText('When it expires; null: it is valid until it is revoked.')) },
        { additionalProperties: false },
      ),
      replies: { 200: ApiKey, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: { id: record.id },
        body: { expires: '2099-12-31T00:00:00Z' },
        reply: { ...record, expires: 4_102_358_400_000, last_used: null },
      },
    }),
    operation({
      id: 'keys.revoke',
      origin: 'postrider',
      method: 'DELETE',
      path: '/keys/:id',
      summary: 'Revoke an API key',
      audit: 'key:revoked',
      description:
        'The key is rejected immediately. 409 `in_use` where no other published key of role `full` is valid for 14 days.',
      params: Type.Object({ id: id('Id of the key.') }),
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: { id: record.id } },
    }),
  ],
})
