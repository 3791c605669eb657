/** /profiles: what is known about a recipient. */
import { type Static, Type } from 'typebox'
import { Erasure } from './erasures.ts'
import { ErrorBody } from './errors.ts'
import { id, jsonObject, Success } from './json.ts'
import { patchOperationsMax, textCharactersMax } from './limits.ts'
import { operation } from './operation.ts'
import { Preferences } from './preference.ts'

const pointer = (description: string) => Type.String({ maxLength: textCharactersMax, description })

export const PatchOperation = Type.Object(
  {
    op: Type.Enum(['add', 'remove', 'replace', 'move', 'copy', 'test'], { description: 'What to do.' }),
    path: pointer(
      'JSON Pointer into the profile or token; a top-level key is `/<key>`, or `<key>` as some clients send it.',
    ),
    from: Type.Optional(pointer('Where `move` and `copy` take the value from.')),
    value: Type.Optional(Type.Unknown({ description: 'The value of `add`, `replace` and `test`; any JSON.' })),
  },
  { title: 'PatchOperation', description: 'One operation of RFC 6902.' },
)
export type PatchOperation = Static<typeof PatchOperation>

const Patch = Type.Array(PatchOperation, {
  maxItems: patchOperationsMax,
  description: 'Operations applied in order, all or none. An empty list changes nothing.',
})
const profile = jsonObject(
  'Any keys. Common ones: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider.',
)
const params = Type.Object({ user_id: id('The recipient id.') })
const example = { user_id: 'user-7' }

export const profileOperations = [
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
      'Objects are merged key by key, arrays and plain values replaced. Creates the profile when it does not exist. A body with `patch` and without `profile` is handled as PATCH.',
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
    description: 'The stored profile becomes exactly this object. Preferences stay as they are.',
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
      'JSON Patch (RFC 6902) against the profile. A failed `test` or a missing path refuses the whole patch. Creates the profile when it does not exist.',
    params,
    body: Type.Union([Type.Object({ patch: Patch }), Patch], {
      description: '`{patch}`, or the bare list of operations.',
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
      'Removes the profile and the preferences. An unknown id succeeds as well. With `erase` everything else about the user goes too, and the reply is a receipt (202): what is known about them is gone and nothing is sent to them any more; the rest follows in the background.',
    params,
    query: Type.Object({
      erase: Type.Optional(
        Type.Boolean({ description: 'Remove the user everywhere: messages, lists, tenants, devices, jobs.' }),
      ),
    }),
    replies: { 200: Success, 202: Erasure },
    example: { params: example, reply: { status: 'SUCCESS' } },
  }),
] as const
