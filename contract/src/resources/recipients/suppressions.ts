/** /suppressions: addresses that nothing is sent to. */
import { type Static, Type } from 'typebox'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, nullable, timestamp, timestampText } from '../../api/values.ts'
import { RowError } from '../../shapes/row-error.ts'
import { AddressKind, SuppressionReason } from '../../shapes/suppression.ts'

/** With their notes 1,000 entries stay below 2 MB. */
export const suppressionsMax = 1_000
export const suppressionsPage = 50
/** The longest device tokens, endpoints of Web Push, have some 500 characters; it fits an index entry of PostgreSQL. */
export const suppressedAddressCharactersMax = 1_024
const noteCharactersMax = 500

const address = (description: string) =>
  Type.String({ minLength: 1, maxLength: suppressedAddressCharactersMax, description })
const forms =
  'Email addresses are compared in lower case, phone numbers by their digits with the country code, device tokens and ids of chats as they are.'

export const Suppression = Type.Object(
  {
    id: Type.String({ description: 'Id of the entry.' }),
    kind: AddressKind,
    address: nullable(
      Type.String({
        description: 'The address in the form in which it is compared; null after the erasure of its user.',
      }),
    ),
    reason: SuppressionReason,
    source: Type.String({
      description:
        'Origin of the entry: `provider/smtp`, a text message of the recipient (`inbound/twilio`), or the API key of the call (`key/backend`).',
    }),
    message_id: Type.Optional(Type.String({ description: 'The message whose delivery added it.' })),
    note: Type.Optional(Type.String({ description: 'Note of the call that added it.' })),
    created: timestamp('Time at which it was added.'),
    ends: Type.Optional(timestamp('Time from which it has no effect; absent: until it is removed.')),
  },
  { title: 'Suppression', description: 'A suppressed address.' },
)
export type Suppression = Static<typeof Suppression>

export const NewSuppression = Type.Object(
  {
    address: address(`The address. ${forms}`),
    kind: Type.Optional(AddressKind),
    reason: Type.Optional(SuppressionReason),
    ends: Type.Optional(nullable(timestampText('Time from which it has no effect. Default: never.'))),
    note: Type.Optional(
      nullable(Type.String({ maxLength: noteCharactersMax, description: 'Note for people; not a secret.' })),
    ),
  },
  {
    title: 'NewSuppression',
    description:
      'An address to suppress. Without `kind` an address with an `@` is an email address, and a telephone number is a phone number. Default of `reason`: `manual`.',
  },
)
export type NewSuppression = Static<typeof NewSuppression>

const record = {
  id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b6',
  kind: 'email',
  address: 'former@example.com',
  reason: 'manual',
  source: 'key/backend',
  note: 'By telephone',
  created: 1_710_334_643_000,
} satisfies Suppression

const counts = {
  added: Type.Integer({ minimum: 0, description: 'Number of addresses that were added.' }),
  existing: Type.Integer({ minimum: 0, description: 'Number of addresses that were on the list already.' }),
}

export default resource({
  name: 'suppressions',
  position: 75,
  title: 'Suppressions',
  description: 'Addresses that nothing is sent to: bounced, not in use, unsubscribed, complained, or listed by hand.',
  operations: [
    operation({
      id: 'suppressions.list',
      origin: 'postrider',
      method: 'GET',
      path: '/suppressions',
      summary: 'List suppressed addresses',
      description: 'Newest first. Entries whose time is over are not listed.',
      query: Type.Object({
        ...pageQuery(suppressionsPage),
        address: Type.Optional(address(`Only this address. ${forms}`)),
        kind: Type.Optional(AddressKind),
        reason: Type.Optional(SuppressionReason),
      }),
      replies: {
        200: Type.Object({ paging: Paging, results: Type.Array(Suppression, { maxItems: pageMax }) }),
      },
      example: {
        query: { address: record.address },
        reply: { paging: { more: false }, results: [record] },
      },
    }),
    operation({
      id: 'suppressions.add',
      origin: 'postrider',
      method: 'POST',
      path: '/suppressions',
      summary: 'Suppress addresses',
      description:
        'An address that is on the list keeps its entry, whatever its reason: remove it first to change it. All are added, or none.',
      audit: 'suppression:added',
      body: Type.Object({
        suppressions: Type.Array(NewSuppression, {
          minItems: 1,
          maxItems: suppressionsMax,
          description: 'The addresses.',
        }),
      }),
      replies: {
        200: Type.Object(counts),
      },
      example: {
        body: { suppressions: [{ address: 'Former@Example.com', note: record.note }] },
        reply: { added: 1, existing: 0 },
      },
    }),
    operation({
      id: 'suppressions.import',
      origin: 'postrider',
      method: 'POST',
      path: '/imports/suppressions',
      summary: 'Import suppressed addresses',
      description:
        'As the call that suppresses addresses, but one that is refused is listed in `errors`, and the others are added. The same call again adds nothing.',
      audit: 'suppression:added',
      body: Type.Object({
        // Each is validated alone: an invalid one is listed in `errors`, and the others are added.
        suppressions: Type.Array(
          Type.Union([
            NewSuppression,
            jsonObject('An address that does not match the schema; it is listed in `errors`.'),
          ]),
          { minItems: 1, maxItems: suppressionsMax, description: 'The addresses.' },
        ),
      }),
      replies: {
        200: Type.Object(
          {
            ...counts,
            errors: Type.Array(RowError, { description: 'Addresses that were refused, in the order of the call.' }),
          },
          { title: 'SuppressionsImported', description: 'Result of the call for its addresses.' },
        ),
      },
      example: {
        body: { suppressions: [{ address: 'Former@Example.com' }, { address: 'former', kind: 'email' }] },
        reply: {
          ...{ added: 1, existing: 0 },
          errors: [{ row: 1, error: 'address must be one email address', code: 'invalid_field', param: 'address' }],
        },
      },
    }),
    operation({
      id: 'suppressions.delete',
      origin: 'postrider',
      method: 'DELETE',
      path: '/suppressions/:suppression_id',
      summary: 'Remove an address from the list',
      description:
        'The next send to the address is tried. Providers keep lists of their own: remove it there, too. Unknown ids succeed.',
      audit: 'suppression:removed',
      params: Type.Object({ suppression_id: id('Id of the entry.') }),
      replies: { 204: null },
      example: { params: { suppression_id: record.id } },
    }),
  ],
})
