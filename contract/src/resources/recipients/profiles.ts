/** /profiles: profiles of recipients, and the lists to which they are subscribed. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, nullable, Success, timestamp } from '../../api/values.ts'
import { PatchOperation, patchOperationsMax } from '../../shapes/patch.ts'
import { Preferences } from '../../shapes/preferences.ts'
import { RowError, rowPlace } from '../../shapes/row-error.ts'
import { Erasure } from './erasures.ts'
import { listExample, listId, listItems, listPreferences, listsPage, listsPerCallMax } from './lists.ts'

/** A stored profile, as JSON; it is read for every message to its recipient. */
export const profileBytesMax = 256_000

/** As many as users of a bulk job: one commit of some 50 ms. */
export const profilesPerImportMax = 1_000
/** The stored profiles that one import merges into, together as JSON: somewhat more than a body. */
export const importedProfilesBytesMax = 8 * 1_048_576
/** More warnings about one profile say nothing that the first ones do not. */
export const warningsPerProfileMax = 10

export const profilesPage = 50
/** The longest mail address; ids that are longer are found by their beginning. */
export const profileSearchCharactersMax = 320

export const ProfileSummary = Type.Object(
  {
    id: Type.String({ description: 'The recipient id.' }),
    name: nullable(
      Type.String({
        description:
          'The name to show: `name` of the profile, else its `given_name` and `family_name`, else `nickname`.',
      }),
    ),
    email: nullable(Type.String({ description: '`email` of the profile.' })),
    phone_number: nullable(Type.String({ description: '`phone_number` of the profile.' })),
    created: timestamp('Time of creation.'),
    updated: timestamp('Time of the last change.'),
  },
  { title: 'ProfileSummary', description: 'A profile as an entry of a list. Long values are cut.' },
)
export type ProfileSummary = Static<typeof ProfileSummary>

const Patch = Type.Array(PatchOperation, {
  maxItems: patchOperationsMax,
  description: 'Operations, applied in order, all or none. An empty array changes nothing.',
})
const profile = jsonObject(
  'Profile data with any keys. Common keys: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider.',
)
const params = Type.Object({ user_id: id('The recipient id.') })

export const ImportedProfile = Type.Object(
  { id: id('The recipient id.'), profile },
  { title: 'ImportedProfile', description: 'The profile of a recipient.' },
)
export type ImportedProfile = Static<typeof ImportedProfile>

export const ProfilesImported = Type.Object(
  {
    written: Type.Integer({ minimum: 0, description: 'Number of profiles of the call that were written.' }),
    errors: Type.Array(RowError, { description: 'Profiles that were not written, in the order of the call.' }),
    warnings: Type.Array(
      Type.Object({
        row: rowPlace,
        id: Type.String({ description: 'The recipient id.' }),
        warnings: Type.Array(Type.String(), {
          maxItems: warningsPerProfileMax,
          description: `Sentences about values that nothing can use, at most ${warningsPerProfileMax}.`,
        }),
      }),
      { description: 'Profiles that were written with a value of no use, in the order of the call.' },
    ),
  },
  { title: 'ProfilesImported', description: 'Result of the call for its profiles.' },
)
export type ProfilesImported = Static<typeof ProfilesImported>

const example = { user_id: 'user-7' }

const chosen = { notifications: { 'weekly-digest': { status: 'OPTED_OUT' } } }

export default resource({
  name: 'profiles',
  position: 70,
  title: 'Profiles',
  description: 'Profiles of recipients: addresses and other data.',
  operations: [
    operation({
      id: 'profiles.list',
      origin: 'postrider',
      method: 'GET',
      path: '/profiles',
      summary: 'List and search profiles',
      description:
        'Newest first. With `search`: those whose id, email address, name, family name (these in any case) or telephone number (by its digits) begins with it, in the order of what begins with it. A page of a search can have fewer entries than its limit although more follow.',
      query: Type.Object({
        ...pageQuery(profilesPage),
        search: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: profileSearchCharactersMax,
            description:
              'The beginning of an id, an email address, a name, a family name or a telephone number with its country code.',
          }),
        ),
      }),
      replies: {
        200: Type.Object({ paging: Paging, results: Type.Array(ProfileSummary, { maxItems: pageMax }) }),
      },
      example: {
        query: { search: 'ada@' },
        reply: {
          paging: { more: false },
          results: [
            {
              id: 'user-7',
              name: 'Ada Lovelace',
              email: 'ada@example.com',
              phone_number: '+12025550143',
              created: 1_710_334_643_000,
              updated: 1_710_334_643_000,
            },
          ],
        },
      },
    }),
    operation({
      id: 'profiles.import',
      origin: 'postrider',
      method: 'POST',
      path: '/imports/profiles',
      summary: 'Import profiles',
      description: `At most ${profilesPerImportMax.toLocaleString('en')} profiles a call, stored together. Each is merged or replaced as by a call of its own, in the order of the call; one that is refused is listed in \`errors\`, and the others are written. The same call again leaves the same profiles. A call whose profiles, or the stored ones that they are merged into, are too large together is 413: send fewer at once.`,
      body: Type.Object({
        // Each is validated alone: an invalid one is listed in `errors`, and the others are written.
        profiles: Type.Array(
          Type.Union([
            ImportedProfile,
            jsonObject('A profile that does not match the schema; it is listed in `errors`.'),
          ]),
          { minItems: 1, maxItems: profilesPerImportMax, description: 'Profiles by recipient.' },
        ),
        replace: Type.Optional(
          Type.Boolean({
            description: 'Whether a profile replaces the stored one. Default: false, it is merged key by key.',
          }),
        ),
      }),
      replies: { 200: ProfilesImported, 409: ErrorBody },
      example: {
        body: {
          profiles: [
            { id: 'user-7', profile: { email: 'ada@example.com' } },
            { id: 'user-8', profile: { email: 'grace@example.com', locale: 'english' } },
          ],
        },
        reply: {
          written: 2,
          errors: [],
          warnings: [
            {
              row: 1,
              id: 'user-8',
              warnings: ['The `locale` of the profile, `english`, is not a locale such as `de` or `pt-BR`.'],
            },
          ],
        },
      },
    }),
    operation({
      id: 'profiles.get',
      method: 'GET',
      path: '/profiles/:user_id',
      summary: 'Get a profile',
      params,
      replies: {
        200: Type.Object(
          { profile, preferences: Preferences },
          { title: 'Profile', description: 'A stored profile with the preferences of its recipient.' },
        ),
        404: ErrorBody,
      },
      example: {
        params: example,
        reply: { profile: { email: 'ada@example.com' }, preferences: { notifications: {}, categories: {} } },
      },
    }),
    operation({
      id: 'profiles.merge',
      method: 'POST',
      path: '/profiles/:user_id',
      summary: 'Merge into a profile',
      description:
        'Objects are merged key by key; arrays and scalar values are replaced. Creates the profile when it does not exist. A body with `patch` and without `profile` is handled as PATCH.',
      params,
      body: Type.Object(
        { profile: Type.Optional(profile), patch: Type.Optional(Patch) },
        { anyOf: [{ required: ['profile'] }, { required: ['patch'] }] },
      ),
      replies: { 200: Success },
      example: { params: example, body: { profile: { phone_number: '+12025550143' } }, reply: { status: 'SUCCESS' } },
    }),
    operation({
      id: 'profiles.replace',
      method: 'PUT',
      path: '/profiles/:user_id',
      summary: 'Replace a profile',
      description: 'Creates the profile, or replaces the whole of it. Preferences are unchanged.',
      preconditions: ['absent'],
      params,
      body: Type.Object({ profile }),
      replies: { 200: Success },
      example: { params: example, body: { profile: { email: 'ada@example.com' } }, reply: { status: 'SUCCESS' } },
    }),
    operation({
      id: 'profiles.patch',
      method: 'PATCH',
      path: '/profiles/:user_id',
      summary: 'Patch a profile',
      description:
        'JSON Patch (RFC 6902) against the profile. A failed `test` or a missing path rejects the whole patch. Creates the profile when it does not exist.',
      params,
      body: Type.Union([Type.Object({ patch: Patch }), Patch], {
        description: '`{patch}`, or an array of operations.',
      }),
      replies: { 200: Success, 409: ErrorBody },
      example: {
        params: example,
        body: { patch: [{ op: 'replace', path: '/email', value: 'ada@example.org' }] },
        reply: { status: 'SUCCESS' },
      },
    }),
    operation({
      id: 'profiles.delete',
      method: 'DELETE',
      path: '/profiles/:user_id',
      summary: 'Delete a profile',
      description:
        'Deletes the profile and the preferences; unknown ids succeed. With `erase` all other data of the user is erased too, and the reply is 202 with the record of the erasure: the profile is deleted and no more messages are sent; the remaining data is erased in the background.',
      params,
      query: Type.Object({
        erase: Type.Optional(
          Type.Boolean({
            description: 'Whether the user is erased everywhere: messages, lists, tenants, devices, jobs.',
          }),
        ),
      }),
      replies: { 200: Success, 202: Erasure },
      example: { params: example, reply: { status: 'SUCCESS' } },
    }),
    operation({
      id: 'profiles.lists',
      method: 'GET',
      path: '/profiles/:user_id/lists',
      summary: 'List the lists of a recipient',
      description:
        'Includes the preferences of each subscription. Empty for a recipient without lists or without a profile.',
      params,
      query: Type.Object(pageQuery(listsPage)),
      replies: { 200: Type.Object({ paging: Paging, results: listItems }) },
      example: {
        params: example,
        reply: { paging: { more: false }, results: [{ ...listExample, preferences: chosen }] },
      },
    }),
    operation({
      id: 'profiles.subscribe',
      method: 'POST',
      path: '/profiles/:user_id/lists',
      summary: 'Subscribe a recipient to lists',
      description: 'Other subscriptions and omitted preferences are unchanged. Creates lists that do not exist.',
      params,
      body: Type.Object({
        lists: Type.Array(
          Type.Object({
            listId: listId('The list id.'),
            preferences: listPreferences('Preferences of the recipient for messages to the list.'),
          }),
          { maxItems: listsPerCallMax, description: 'Subscriptions. If a list occurs twice, the last entry applies.' },
        ),
      }),
      replies: { 200: Success },
      example: {
        params: example,
        body: { lists: [{ listId: listExample.id }] },
        reply: { status: 'SUCCESS' },
      },
    }),
    operation({
      id: 'profiles.unsubscribe',
      method: 'DELETE',
      path: '/profiles/:user_id/lists',
      summary: 'Unsubscribe a recipient from every list',
      description: 'Includes deleted lists: restoring one does not restore the subscription.',
      params,
      replies: { 200: Success },
      example: { params: example, reply: { status: 'SUCCESS' } },
    }),
  ],
})
