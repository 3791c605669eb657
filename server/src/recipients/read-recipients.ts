/** Parses the recipients of a message: one recipient, or targets that are expanded later. */
import { randomUUID } from 'node:crypto'
import { type MessageRecipient, type MessageSend, recipientsMax } from '@postrider/contract'
import { invalidField } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { parseListPattern } from '../base/list-pattern.ts'
import { ANONYMOUS_PREFIX, type OwnInput } from '../messages/send.ts'

/** Many recipients, or a source of them. */
export type Target =
  /** Null: erased. */
  | { kind: 'users'; users: (OwnInput | null)[] }
  | ({ kind: 'list'; listId: string } & Narrowed)
  | ({ kind: 'pattern'; pattern: string } & Narrowed)
  | ({ kind: 'audience'; audienceId: string } & Narrowed)
  | ({ kind: 'tenant'; tenantId: string; includeChildren: boolean } & Narrowed)
  | { kind: 'bulk' }

interface Narrowed {
  data?: JsonObject
  /** Only recipients that belong to all of these tenants. */
  memberOf?: string[]
}

export type Recipients = { kind: 'one'; ownInput: OwnInput } | { kind: 'many'; targets: Target[] }

/** Throws a 400. */
export function readRecipients(to: MessageSend['to']): Recipients {
  // PHP writes an empty object as an empty list.
  if (Array.isArray(to) && to.length <= 1) return readRecipients(to[0] ?? {})
  if (!Array.isArray(to)) {
    const target = targetOf(to, 'message.to')
    return 'recipient' in target ? { kind: 'one', ownInput: target } : { kind: 'many', targets: [target] }
  }
  if (to.length > recipientsMax)
    throw invalidField('message.to', `has ${to.length} recipients. Max is ${recipientsMax}`)
  const targets: Target[] = []
  for (const [index, recipient] of to.entries()) {
    const target = targetOf(recipient, `message.to.${index}`)
    const last = targets.at(-1)
    if (!('recipient' in target)) targets.push(target)
    else if (last?.kind === 'users') last.users.push(target)
    else targets.push({ kind: 'users', users: [target] })
  }
  return { kind: 'many', targets }
}

function targetOf(to: MessageRecipient, at: string): OwnInput | Target {
  const { user_id, list_id, list_pattern, audience_id, filters } = to
  const named = [user_id, list_id, list_pattern, audience_id].filter(isGiven)
  if (named.length > 1) throw invalidField(at, 'names more than one of user_id, list_id, list_pattern, audience_id')
  const tenantId = to.tenant_id ?? to.account_id ?? to.context?.tenant_id
  const narrowed: Narrowed = {
    ...dataOf(to),
    ...(filters?.length && { memberOf: filters.map(({ value }) => value) }),
  }
  if (list_id) return { kind: 'list', listId: list_id, ...narrowed }
  if (list_pattern) {
    parseListPattern(list_pattern, `${at}.list_pattern`)
    return { kind: 'pattern', pattern: list_pattern, ...narrowed }
  }
  if (audience_id) return { kind: 'audience', audienceId: audience_id, ...narrowed }
  const ownInput = readUser(to)
  if (ownInput) return ownInput
  if (tenantId) return { kind: 'tenant', tenantId, includeChildren: to.include_children === true, ...narrowed }
  // Some providers need no address: the decision selects one of them, or none.
  return ownOf(to)
}

/** A string for an object is ignored. */
const dataOf = ({ data }: MessageRecipient) => (isObject(data) ? { data } : {})

/** Fields about the send; all other fields are the profile. */
const NO_PROFILE = new Set([
  'user_id',
  'list_id',
  'list_pattern',
  'audience_id',
  'tenant_id',
  'account_id',
  'include_children',
  'filters',
  'data',
  'preferences',
  'context',
])

/** Some clients send every field of a recipient, with empty values for unused ones. */
const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''

/** A user, or an ad-hoc contact with a generated id; undefined without id and address. */
export function readUser(to: MessageRecipient): OwnInput | undefined {
  const { locale: _locale, timezone: _timezone, ...contacts } = profileOf(to)
  return isGiven(to.user_id) || Object.keys(contacts).length > 0 ? ownOf(to) : undefined
}

function profileOf(to: MessageRecipient): JsonObject {
  const profile: JsonObject = {}
  for (const [key, value] of Object.entries(to))
    if (!NO_PROFILE.has(key) && isGiven(value) && key !== '__proto__') profile[key] = value
  return profile
}

function ownOf(to: MessageRecipient): OwnInput {
  const profile = profileOf(to)
  const tenantId = to.tenant_id ?? to.account_id ?? to.context?.tenant_id
  return {
    recipient: isGiven(to.user_id) ? String(to.user_id) : `${ANONYMOUS_PREFIX}${randomUUID()}`,
    ...(Object.keys(profile).length > 0 && { profile }),
    ...dataOf(to),
    ...(to.preferences && { preferences: to.preferences }),
    ...(tenantId && { tenantId }),
  }
}
