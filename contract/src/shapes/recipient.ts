/** Whom a message is for: a user, an ad-hoc contact, a list, an audience or a tenant. */
import { type Static, Type } from 'typebox'
import { idCharactersMax, textCharactersMax } from '../api/limits.ts'
import { id, nullable } from '../api/values.ts'
import { Preferences } from './preferences.ts'

/** Recipients of one call, as the public API bounds them; lists and bulk jobs are for more. */
export const recipientsMax = 500
/** Conditions on who of a list gets it; one is usual. */
export const membershipFiltersMax = 10

const optional = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))
const word = (description: string) => Type.String({ minLength: 1, maxLength: textCharactersMax, description })

const MembershipFilter = Type.Object(
  {
    operator: Type.Literal('MEMBER_OF', { description: 'The one operator there is here.' }),
    path: Type.Enum(['account_id', 'tenant_id'], { description: 'What the value names; both are tenants.' }),
    value: id('The tenant.'),
  },
  { title: 'MembershipFilter', description: 'Keeps only the members of a tenant.' },
)

/** One schema for every form: which keys are there says which form it is. */
export const MessageRecipient = Type.Object(
  {
    user_id: optional(
      Type.Union([Type.String({ minLength: 1, maxLength: idCharactersMax }), Type.Integer()], {
        description: 'A user. Without any id the other keys are an ad-hoc contact, and an id is made for it.',
      }),
    ),
    list_id: optional(id('Everybody subscribed to this list.')),
    list_pattern: optional(id('Everybody subscribed to a list that matches: `team.*`, `team.**`.')),
    audience_id: optional(id('Every member of this audience.')),
    tenant_id: optional(id('With `user_id`: the tenant the user is addressed in. Alone: every member of the tenant.')),
    account_id: optional(id('`tenant_id` under its older name.')),
    include_children: optional(
      Type.Boolean({ description: 'With a tenant: members of the tenants below it as well.' }),
    ),
    filters: optional(
      Type.Array(MembershipFilter, {
        maxItems: membershipFiltersMax,
        description: 'With a list or an audience: only who passes all of them.',
      }),
    ),
    email: optional(word('Email address.')),
    phone_number: optional(
      Type.Union([Type.String({ minLength: 1, maxLength: textCharactersMax }), Type.Integer({ minimum: 0 })], {
        description: 'Telephone number, with its country code.',
      }),
    ),
    locale: optional(word('Language and region: `de-AT`.')),
    timezone: optional(word('IANA name or offset: `Europe/Vienna`, `+02:00`.')),
    data: Type.Optional(
      Type.Union([Type.Unsafe<Record<string, unknown>>({ type: 'object' }), Type.String(), Type.Null()], {
        description: 'Merged over the data of the message, key by key. A string is ignored.',
      }),
    ),
    preferences: optional(Preferences),
    context: optional(Type.Object({ tenant_id: optional(id('As `tenant_id`.')) }, { description: 'In which tenant.' })),
  },
  {
    title: 'MessageRecipient',
    description:
      'A user, an ad-hoc contact, a list, lists by pattern, an audience or a tenant. Any further key is profile data: `slack`, `ms_teams`, `webhook`, …',
    additionalProperties: true,
  },
)
export type MessageRecipient = Static<typeof MessageRecipient>
