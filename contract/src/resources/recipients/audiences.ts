/** /audiences: users who match a filter at this moment. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { nameCharactersMax, pageMax, textCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, nullable } from '../../api/values.ts'

/** Every changed profile is looked at by every audience of its workspace. */
export const audiencesMax = 500
export const audiencesPage = 25
export const audienceMembersPage = 100
/** Groups in groups; people think in two or three levels. */
export const audienceFilterDepthMax = 8
/** Single conditions of one filter: each is asked of every user. */
export const audienceConditionsMax = 100
/** Values of one condition, of which any will do. */
export const audienceValuesMax = 100
/** A filter as JSON; it is read with every slice of changed profiles. */
export const audienceFilterBytesMax = 16_384
/** A path names a few nested keys. */
export const audiencePathCharactersMax = 256
/** A reason is stored with each member. */
export const audienceReasonCharactersMax = 1_024

const isoMoment = (description: string) => Type.String({ description: `${description} ISO 8601, UTC.` })
const nested = (description: string) =>
  Type.Optional(Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), { description }))

export const AudienceFilter = Type.Object(
  {
    operator: Type.Optional(
      Type.String({
        description:
          'Of a group: `AND`, `OR`. Of a condition: `EQ`, `NEQ`, `GT`, `GTE`, `LT`, `LTE`, `INCLUDES`, `OMIT`, `EXISTS`, `STARTS_WITH`, `ENDS_WITH`, `IS_BEFORE`, `IS_AFTER`, `MEMBER_OF`. The outermost group may leave it out.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        description:
          'Of a condition: the keys that lead to the value in the profile, joined by dots (`address.country`). `tenant_id` for `MEMBER_OF`.',
      }),
    ),
    value: Type.Optional(
      Type.Unknown({
        description: 'Of a condition: a text, number or boolean, or a list of them of which any will do.',
      }),
    ),
    filters: nested('Of a group: groups and conditions of this same shape.'),
    rules: nested('The same as `filters`, as older clients call it.'),
  },
  { title: 'AudienceFilter', description: 'A condition on the profile, or a group of filters.' },
)
export type AudienceFilter = Static<typeof AudienceFilter>

const Operator = Type.Enum(['AND', 'OR'], {
  description: 'What joins a `filter` that names no operator; `AND` by default.',
})

export const Audience = Type.Object(
  {
    id: Type.String({ description: 'The audience id.' }),
    name: Type.String({ description: 'Empty when none was given.' }),
    description: Type.String({ description: 'Empty when none was given.' }),
    filter: Type.Union([AudienceFilter, Type.Null()], { description: 'As it was given; null matches nobody.' }),
    operator: Type.Optional(Operator),
    created_at: isoMoment('When it was made.'),
    updated_at: isoMoment('When it was last written.'),
  },
  { title: 'Audience', description: 'Users who match a filter.' },
)
export type Audience = Static<typeof Audience>

export const AudienceMember = Type.Object(
  {
    member_id: Type.String({ description: 'The user id.' }),
    audience_id: Type.String({ description: 'The audience.' }),
    audience_version: Type.Integer({
      description:
        'The version of the audience the user was last found to match; each write of the audience makes one.',
    }),
    added_at: isoMoment('Since when the user is a member.'),
    reason: Type.String({ description: 'The conditions that were looked at, and what each gave.' }),
  },
  { title: 'AudienceMember', description: 'A user in an audience, and why.' },
)
export type AudienceMember = Static<typeof AudienceMember>

const params = Type.Object({ audience_id: id('The audience id.') })
const example = { audience_id: 'engineers' }
const filter = { operator: 'EQ', path: 'title', value: 'Software Engineer' }
const record = {
  id: 'engineers',
  name: 'Engineers',
  description: '',
  filter,
  created_at: '2026-01-05T12:00:30.000Z',
  updated_at: '2026-01-05T12:00:30.000Z',
}

export default resource({
  name: 'audiences',
  position: 180,
  title: 'Audiences',
  description: 'Users who match a filter at this moment.',
  operations: [
    operation({
      id: 'audiences.list',
      method: 'GET',
      path: '/audiences',
      summary: 'List audiences',
      query: Type.Object(pageQuery(audiencesPage)),
      replies: { 200: Type.Object({ items: Type.Array(Audience, { maxItems: pageMax }), paging: Paging }) },
      example: { reply: { items: [record], paging: { more: false } } },
    }),
    operation({
      id: 'audiences.get',
      method: 'GET',
      path: '/audiences/:audience_id',
      summary: 'Get an audience',
      params,
      replies: {
        200: Type.Object(
          { ...Audience.properties, audience: Audience },
          {
            title: 'AudienceFound',
            description: 'The audience, and once more under `audience`, where older clients look.',
          },
        ),
        404: ErrorBody,
      },
      example: { params: example, reply: { ...record, audience: record } },
    }),
    operation({
      id: 'audiences.put',
      method: 'PUT',
      path: '/audiences/:audience_id',
      access: 'published',
      summary: 'Create or change an audience',
      audit: 'audience:updated',
      description:
        'What is left out stays as it is. The members are found anew, a few thousand users a second; until a user is looked at, the list of members shows what held before.',
      params,
      body: Type.Object({
        name: Type.Optional(nullable(Type.String({ maxLength: nameCharactersMax, description: 'Its name.' }))),
        description: Type.Optional(
          nullable(Type.String({ maxLength: textCharactersMax, description: 'What it is for.' })),
        ),
        filter: Type.Optional(
          Type.Union([AudienceFilter, Type.Null()], { description: 'Whom it matches; null matches nobody.' }),
        ),
        operator: Type.Optional(nullable(Operator)),
      }),
      replies: {
        200: Type.Object(
          { audience: Audience },
          { title: 'AudienceWritten', description: 'The audience as it is now.' },
        ),
      },
      example: { params: example, body: { name: 'Engineers', filter }, reply: { audience: record } },
    }),
    operation({
      id: 'audiences.delete',
      method: 'DELETE',
      path: '/audiences/:audience_id',
      access: 'published',
      summary: 'Delete an audience',
      audit: 'audience:deleted',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'audiences.members',
      method: 'GET',
      path: '/audiences/:audience_id/members',
      summary: 'List the members of an audience',
      description: 'In the order of their ids. A change of a profile shows within a second.',
      params,
      query: Type.Object(pageQuery(audienceMembersPage)),
      replies: {
        200: Type.Object({ items: Type.Array(AudienceMember, { maxItems: pageMax }), paging: Paging }),
        404: ErrorBody,
      },
      example: {
        params: example,
        reply: {
          items: [
            {
              member_id: 'user-7',
              added_at: '2026-01-05T12:00:31.000Z',
              audience_id: 'engineers',
              audience_version: 1,
              reason: "EQ('title', 'Software Engineer') => true",
            },
          ],
          paging: { more: false },
        },
      },
    }),
  ],
})
