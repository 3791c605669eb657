/** /audiences: groups of users who currently match a filter. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { nameCharactersMax, pageMax, textCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, isoTimestamp, nullable } from '../../api/values.ts'

/** Every changed profile is matched against every audience of its workspace. */
export const audiencesMax = 500
export const audiencesPage = 25
export const audienceMembersPage = 100
/** Nested groups; two or three levels are usual. */
export const audienceFilterDepthMax = 8
/** Conditions of one filter; each is evaluated for every user. */
export const audienceConditionsMax = 100
/** Values of one condition, any of which matches. */
export const audienceValuesMax = 100
/** A filter as JSON; it is read with every batch of changed profiles. */
export const audienceFilterBytesMax = 16_384
/** A path has a few nested keys. */
export const audiencePathCharactersMax = 256
/** A reason is stored with each member. */
export const audienceReasonCharactersMax = 1_024
/** Users whom a preview evaluates at most: a second of work. */
export const audiencePreviewUsersMax = 20_000
export const audiencePreviewPage = 25

const nested = (description: string) =>
  Type.Optional(Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), { description }))

/** Operators of groups, then of conditions. */
export const audienceOperators = [
  ...['AND', 'OR', 'EQ', 'NEQ', 'GT', 'GTE', 'LT', 'LTE', 'INCLUDES', 'OMIT', 'EXISTS', 'STARTS_WITH', 'ENDS_WITH'],
  ...['IS_BEFORE', 'IS_AFTER', 'MEMBER_OF'],
] as const
const conditionOperators = audienceOperators
  .slice(2)
  .map((operator) => `\`${operator}\``)
  .join(', ')

export const AudienceFilter = Type.Object(
  {
    operator: Type.Optional(
      Type.String({
        description: `Operator. For a group: \`AND\`, \`OR\`. For a condition: ${conditionOperators}. Optional for the outermost group.`,
      }),
    ),
    path: Type.Optional(
      Type.String({
        description:
          'Condition: path of the value in the profile, with keys joined by dots (`address.country`). `tenant_id` for `MEMBER_OF`.',
      }),
    ),
    value: Type.Optional(
      Type.Unknown({
        description: 'Condition: a string, number or boolean, or an array of them, any of which matches.',
      }),
    ),
    filters: nested('Group: nested filters.'),
    rules: nested('Alias of `filters` for older clients.'),
  },
  { title: 'AudienceFilter', description: 'A condition on the profile, or a group of filters.' },
)
export type AudienceFilter = Static<typeof AudienceFilter>

const Operator = Type.Enum(['AND', 'OR'], {
  description: 'Operator of a `filter` without one. Default: `AND`.',
})

export const Audience = Type.Object(
  {
    id: Type.String({ description: 'The audience id.' }),
    name: Type.String({ description: 'Display name; can be empty.' }),
    description: Type.String({ description: 'Description; can be empty.' }),
    filter: Type.Union([AudienceFilter, Type.Null()], {
      description: 'Filter of the audience; null matches no users.',
    }),
    operator: Type.Optional(Operator),
    created_at: isoTimestamp('Time of creation.'),
    updated_at: isoTimestamp('Time of the last change.'),
  },
  { title: 'Audience', description: 'A group of users who match a filter.' },
)
export type Audience = Static<typeof Audience>

export const AudienceMember = Type.Object(
  {
    member_id: Type.String({ description: 'The user id.' }),
    audience_id: Type.String({ description: 'The audience id.' }),
    audience_version: Type.Integer({
      description: 'Latest version of the audience that the user matched; each write creates a version.',
    }),
    added_at: isoTimestamp('Time the user became a member.'),
    reason: Type.String({ description: 'The evaluated conditions with their results.' }),
  },
  { title: 'AudienceMember', description: 'A member of an audience, with the reason.' },
)
export type AudienceMember = Static<typeof AudienceMember>

export const AudiencePreviewWrite = Type.Object(
  {
    filter: Type.Union([AudienceFilter, Type.Null()], { description: 'The filter; null matches no users.' }),
    operator: Type.Optional(nullable(Operator)),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: pageMax,
        description: `Number of users to return. Default: ${audiencePreviewPage}.`,
      }),
    ),
  },
  {
    title: 'AudiencePreviewWrite',
    description: 'A filter to try.',
    // A misspelled field would show the users of another filter.
    additionalProperties: false,
  },
)

export const AudiencePreview = Type.Object(
  {
    matched: Type.Integer({ minimum: 0, description: 'Users of those evaluated who match.' }),
    evaluated: Type.Integer({ minimum: 0, description: 'Users who were evaluated, in the order of their ids.' }),
    complete: Type.Boolean({ description: 'True if every user was evaluated.' }),
    items: Type.Array(
      Type.Object({
        member_id: Type.String({ description: 'The user id.' }),
        reason: Type.String({ description: 'The evaluated conditions with their results.' }),
      }),
      { maxItems: pageMax, description: 'The first users who match.' },
    ),
  },
  { title: 'AudiencePreview', description: 'The users who match a filter now.' },
)
export type AudiencePreview = Static<typeof AudiencePreview>

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
  description: 'Groups of users who currently match a filter.',
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
            description: 'The audience, and again under `audience` for older clients.',
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
      summary: 'Create or change an audience',
      audit: 'audience:updated',
      description:
        'Omitted fields are unchanged. Members are recomputed at a few thousand users a second; until a user is evaluated, the list of members has the previous result.',
      preconditions: ['absent'],
      params,
      body: Type.Object({
        name: Type.Optional(nullable(Type.String({ maxLength: nameCharactersMax, description: 'Display name.' }))),
        description: Type.Optional(
          nullable(Type.String({ maxLength: textCharactersMax, description: 'Description.' })),
        ),
        filter: Type.Optional(
          Type.Union([AudienceFilter, Type.Null()], { description: 'Filter of the audience; null matches no users.' }),
        ),
        operator: Type.Optional(nullable(Operator)),
      }),
      replies: {
        200: Type.Object(
          { audience: Audience },
          { title: 'AudienceWritten', description: 'The audience after the write.' },
        ),
      },
      example: { params: example, body: { name: 'Engineers', filter }, reply: { audience: record } },
    }),
    operation({
      id: 'audiences.preview',
      origin: 'postrider',
      method: 'POST',
      path: '/audiences/preview',
      summary: 'Preview an audience',
      description: `The users who match a filter that is not stored. At most ${audiencePreviewUsersMax.toLocaleString('en-US')} users are evaluated, for about a second: \`complete\` says whether these were all. Nothing is written.`,
      body: AudiencePreviewWrite,
      replies: { 200: AudiencePreview },
      example: {
        body: { filter },
        reply: {
          matched: 1,
          evaluated: 1,
          complete: true,
          items: [{ member_id: 'user-7', reason: "EQ('title', 'Software Engineer') => true" }],
        },
      },
    }),
    operation({
      id: 'audiences.delete',
      method: 'DELETE',
      path: '/audiences/:audience_id',
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
      description: 'Ordered by id. A change of a profile takes effect within a second.',
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
