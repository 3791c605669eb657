/** The recipients of a message: a user, an ad-hoc contact, a list, an audience or a tenant. */
import { type Static, Type } from 'typebox'
import { idCharactersMax, textCharactersMax } from '../api/limits.ts'
import { id, nullable } from '../api/values.ts'
import { Preferences } from './preferences.ts'

/** The limit of the public API; lists and bulk jobs are for more recipients. */
export const recipientsMax = 500
/** Filters on the members of a list; one is usual. */
export const membershipFiltersMax = 10

const optional = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))
const word = (description: string) => Type.String({ minLength: 1, maxLength: textCharactersMax, description })

const MembershipFilter = Type.Object(
  {
    operator: Type.Literal('MEMBER_OF', { description: 'Always `MEMBER_OF`.' }),
    path: Type.Enum(['account_id', 'tenant_id'], { description: 'Key of the value; both keys stand for a tenant.' }),
    value: id('The tenant id.'),
  },
  { title: 'MembershipFilter', description: 'Restricts the recipients to members of a tenant.' },
)

/** One schema for every form; the keys that are present decide the form. */
export const MessageRecipient = Type.Object(
  {
    user_id: optional(
      Type.Union([Type.String({ minLength: 1, maxLength: idCharactersMax }), Type.Integer()], {
        description: 'User id. Without any id the other keys form an ad-hoc contact, for which an id is generated.',
      }),
    ),
    list_id: optional(id('Id of a list: all of its subscribers.')),
    list_pattern: optional(
      id('Pattern of list ids, such as `team.*` or `team.**`: all subscribers of the matching lists.'),
    ),
    audience_id: optional(id('Id of an audience: all of its members.')),
    tenant_id: optional(id('With `user_id`: tenant in which the user is addressed. Alone: all members of the tenant.')),
    account_id: optional(id('Older name of `tenant_id`.')),
    include_children: optional(
      Type.Boolean({ description: 'With a tenant: whether members of its child tenants are included.' }),
    ),
    filters: optional(
      Type.Array(MembershipFilter, {
        maxItems: membershipFiltersMax,
        description: 'With a list or an audience: filters that every recipient must match.',
      }),
    ),
    email: optional(word('Email address.')),
    phone_number: optional(
      Type.Union([Type.String({ minLength: 1, maxLength: textCharactersMax }), Type.Integer({ minimum: 0 })], {
        description: 'Phone number with country code.',
      }),
    ),
    locale: optional(word('Language and region: `de-AT`.')),
    timezone: optional(word('Time zone as IANA name or offset: `Europe/Vienna`, `+02:00`.')),
    data: Type.Optional(
      Type.Union([Type.Unsafe<Record<string, unknown>>({ type: 'object' }), Type.String(), Type.Null()], {
        description: 'Merged over the data of the message, key by key. A string is ignored.',
      }),
    ),
    preferences: optional(Preferences),
    context: optional(
      Type.Object(
        { tenant_id: optional(id('Same as the top-level `tenant_id`.')) },
        { description: 'Tenant context.' },
      ),
    ),
  },
  {
    title: 'MessageRecipient',
    description:
      'A user, an ad-hoc contact, a list, lists by pattern, an audience or a tenant. Every other key is profile data: `slack`, `ms_teams`, `webhook`, …',
    additionalProperties: true,
  },
)
export type MessageRecipient = Static<typeof MessageRecipient>
