/** Stores a user of the source here, with everything that belongs to the user. */
import { isObject } from '../definitions/definition.ts'
import type { JsonObject } from '../rows/columns.ts'
import { type Api, isNotServed, isRejected, objectsOf, pick, read, readPages } from './api.ts'
import {
  authorsAtTarget,
  type BothSettings,
  type ChoiceSource,
  type NamedChoice,
  namedChoices,
  preferencesAtTarget,
  settingsIn,
  settingsOf,
  topicChoices,
  topicKey,
} from './choices.ts'
import type { Affiliations } from './source-users.ts'

export interface Write {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: readonly string[]
  query?: Record<string, string>
  body?: JsonObject
  ifAbsent?: boolean
}

export interface UserCopy extends ChoiceSource {
  dryRun: boolean
  /** Every list of the source. */
  lists: ReadonlySet<string>
  isListAtTarget(id: string): Promise<boolean>
  write(write: Write): Promise<JsonObject | undefined>
}

export interface UserResult {
  /** Parts that were stored, or that were to be. */
  parts: number
  problems: string[]
}

/** Items of one call: within the bounds of each, and few enough that one that is refused is found soon. */
const ITEMS_MAX = 50

/**
 * The profile comes last: a copy that ends before is repeated as a whole. A user with a profile here gets only opt-outs,
 * unless it is to be overwritten. Undefined for a user whom the source does not have.
 */
export async function copyUser(
  from: UserCopy,
  id: string,
  affiliations: Affiliations,
): Promise<UserResult | undefined> {
  const { source, target, overwrite } = from
  const { lists, tenants } = affiliations
  const result: UserResult = { parts: 0, problems: [] }
  const isPresent = (await read(target, ['profiles', id])) !== undefined
  const record = await read(source, ['profiles', id])
  const preferences = record ? record.preferences : await preferencesOf(source, id)
  const isComplete = isPresent && !overwrite
  if (isComplete) await storeChoices(from, result, id, { tenants, preferences, allChoices: false })
  else {
    await storeTenants(from, result, id, tenants)
    await storeLists(from, result, id, lists)
    if (isPresent) await storeDepartures(from, result, id, lists)
    // Without a profile here, memberships and subscriptions that failed are tried again by a repetition.
    const hasAffiliations = result.problems.length === 0
    await storeChoices(from, result, id, { tenants, preferences, allChoices: true })
    await storeTokens(from, result, id)
    const profile = isObject(record?.profile) ? record.profile : undefined
    const isListed = lists.length + tenants.length + result.parts > 0
    if (!profile && !isListed && !isPresent) return undefined
    if (hasAffiliations && (profile || !isPresent))
      await store(from, result, 'profile', [profile ?? {}], ([body]) => ({
        ...{ method: 'PUT', path: ['profiles', id] },
        body: { profile: body },
        ifAbsent: !overwrite,
      }))
  }
  return result
}

/** Preferences of a user without a profile, by an operation of the first generation that a source need not have. */
async function preferencesOf(source: Api, id: string): Promise<JsonObject | undefined> {
  try {
    return await read(source, ['preferences', id])
  } catch (error) {
    if (isNotServed(error)) return undefined
    throw error
  }
}

/** In portions. A portion that is refused is stored item by item, so that one that is wrong keeps no other back. */
async function store<T>(
  from: UserCopy,
  result: UserResult,
  part: string,
  items: readonly T[],
  requestOf: (items: readonly T[]) => Write,
): Promise<void> {
  for (let first = 0; first < items.length; first += ITEMS_MAX) {
    const portion = items.slice(first, first + ITEMS_MAX)
    result.parts += portion.length
    if (from.dryRun) continue
    try {
      const reply = await from.write(requestOf(portion))
      for (const { topic_id, reason } of objectsOf(reply?.errors))
        result.problems.push(`${part}: ${String(topic_id)}: ${String(reason)}`)
    } catch (error) {
      if (!isRejected(error)) throw error
      if (portion.length === 1) result.problems.push(`${part}: ${error.message}`)
      else for (const item of portion) await store(from, result, part, [item], requestOf)
    }
  }
}

const tenantOf = ({ tenant_id }: JsonObject) => String(tenant_id)

async function storeTenants(from: UserCopy, result: UserResult, id: string, tenants: readonly JsonObject[]) {
  const here = from.overwrite ? new Set() : await idsOf(from.target, ['users', id, 'tenants'], 'tenant_id')
  const memberships = tenants.filter(({ tenant_id }) => !here.has(tenant_id))
  await store(from, result, 'tenants', memberships, (portion) => ({
    method: 'PUT',
    path: ['users', id, 'tenants'],
    body: { tenants: portion },
  }))
}

interface Choices {
  tenants: readonly JsonObject[]
  /** Those by template and category. */
  preferences: unknown
  /** False: only opt-outs. */
  allChoices: boolean
}

async function storeChoices(from: UserCopy, result: UserResult, id: string, choices: Choices) {
  const { allChoices, preferences } = choices
  const authors = await authorsAtTarget(from, id)
  const storeTopics = async (tenant: string | undefined, withoutTenant: BothSettings | undefined) => {
    const path = ['users', id, 'preferences']
    const query = tenant === undefined ? {} : { tenant_id: tenant }
    const settings = await settingsIn(from, id, query)
    const authorOf = (topic: unknown) => authors.topics.get(topicKey(topic, tenant))
    const topics = topicChoices(settings, authorOf, { withoutTenant, allChoices })
    await store(from, result, 'preferences', topics.choices, (portion) => ({
      ...{ method: 'POST', path, query },
      body: { topics: portion },
    }))
    for (const topic of from.overwrite ? topics.removals : [])
      await store(from, result, 'preferences', [topic], () => ({ method: 'DELETE', path: [...path, topic], query }))
    return settings
  }
  // Choices without a tenant come first: they are the defaults of those in one.
  const { there } = await storeTopics(undefined, undefined)
  if (choices.tenants.length > 0) {
    const here = await settingsOf(from.target, id, {})
    for (const tenant of choices.tenants) await storeTopics(tenantOf(tenant), { there, here })
  }
  const named = await namedChoices(from, authors, id, { preferences, allChoices })
  await store(from, result, 'preferences', named, (portion) => ({
    ...{ method: 'PATCH', path: ['preferences', id] },
    body: merged(portion),
  }))
}

const merged = (choices: readonly NamedChoice[]): JsonObject => ({
  notifications: Object.assign({}, ...choices.map(({ notifications }) => notifications)),
  categories: Object.assign({}, ...choices.map(({ categories }) => categories)),
})

async function storeLists(from: UserCopy, result: UserResult, id: string, lists: readonly JsonObject[]) {
  const here = from.overwrite ? new Set() : await idsOf(from.target, ['profiles', id, 'lists'], 'id')
  const subscriptions: JsonObject[] = []
  for (const { listId, preferences } of lists.filter((list) => !here.has(list.listId))) {
    // A subscription would create the list without its name and preferences.
    if (!from.dryRun && !(await from.isListAtTarget(String(listId))))
      result.problems.push(`lists: The list ${String(listId)} is not on this server`)
    else
      subscriptions.push({
        listId,
        ...(preferences !== undefined && { preferences: await preferencesAtTarget(from, preferences) }),
      })
  }
  await store(from, result, 'lists', subscriptions, (portion) => ({
    method: 'POST',
    path: ['profiles', id, 'lists'],
    body: { lists: portion },
  }))
}

/** Subscriptions here to lists that the user has left at the source. */
async function storeDepartures(from: UserCopy, result: UserResult, id: string, lists: readonly JsonObject[]) {
  const joined = new Set(lists.map(({ listId }) => listId))
  for (const list of await idsOf(from.target, ['profiles', id, 'lists'], 'id'))
    if (from.lists.has(list) && !joined.has(list))
      await store(from, result, 'lists', [list], () => ({
        method: 'DELETE',
        path: ['lists', list, 'subscriptions', id],
      }))
}

async function storeTokens(from: UserCopy, result: UserResult, id: string) {
  const { source, target, overwrite } = from
  const here = new Set<unknown>()
  if (!overwrite)
    for (const { token } of objectsOf((await read(target, ['users', id, 'tokens']))?.tokens)) here.add(token)
  for (const token of objectsOf((await read(source, ['users', id, 'tokens']))?.tokens))
    if (!here.has(token.token))
      await store(from, result, 'device token', [pick(token, tokenFields)], ([body]) => ({
        method: 'PUT',
        path: ['users', id, 'tokens', String(token.token)],
        body: body ?? {},
      }))
}

const tokenFields = [
  ...['token', 'provider_key', 'device', 'tracking'],
  ...['properties', 'expiry_date', 'status', 'status_reason'],
]

async function idsOf(api: Api, path: readonly string[], field: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const entry of readPages(api, path)) ids.add(String(entry[field]))
  return ids
}
