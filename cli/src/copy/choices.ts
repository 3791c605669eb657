/**
 * Choices of a user: for topics, in tenants, and by template and category. The settings in effect at the source are compared
 * with those in effect here. A choice that was made here stays: the ledger of consent has its author.
 */
import { isDeepStrictEqual } from 'node:util'
import { isPostriderError } from '@postrider/client'
import { isObject } from '../definitions/definition.ts'
import type { JsonObject } from '../rows/columns.ts'
import { type Api, pick, read, readPages } from './api.ts'

export interface ChoiceSource {
  source: Api
  target: Api
  /** The name of the key that copies, as the ledger has it: its changes are those of earlier copies. */
  actor: string
  /** Replace choices that were made here. */
  overwrite: boolean
  /** The ids that the template has here which a name of the source stands for. */
  templateAtTarget(name: string): Promise<TemplateIds>
}

export interface TemplateIds {
  byAlias?: string | undefined
  byEvent?: string | undefined
}

export type Author = 'copy' | 'other'

/** The author of the latest change of each choice of a user here; absent: it was never made, or was removed. */
export interface Authors {
  topics: ReadonlyMap<string, Author>
  notifications: ReadonlyMap<string, Author>
  categories: ReadonlyMap<string, Author>
}

export const topicKey = (topic: unknown, tenant: unknown) => JSON.stringify([topic, tenant ?? null])

/** Reads the ledger of consent. With `overwrite` nothing is protected. */
export async function authorsAtTarget({ target, actor, overwrite }: ChoiceSource, id: string): Promise<Authors> {
  const latest = new Map<string, Author | undefined>()
  const documents: { author: Author; preferences: JsonObject }[] = []
  if (!overwrite)
    for await (const change of readPages(target, ['users', id, 'preference-history'])) {
      const author = change.actor === actor ? 'copy' : 'other'
      const key = topicKey(change.topic_id, change.tenant_id)
      if (isObject(change.preferences)) documents.push({ author, preferences: change.preferences })
      else if (!latest.has(key)) latest.set(key, change.status == null ? undefined : author)
    }
  const topics = new Map([...latest].flatMap(([key, author]) => (author ? [[key, author] as const] : [])))
  return { topics, notifications: namesOf(documents, 'notifications'), categories: namesOf(documents, 'categories') }
}

/** Each entry of the ledger has all preferences after its change; newest first. */
function namesOf(
  documents: readonly { author: Author; preferences: JsonObject }[],
  part: 'notifications' | 'categories',
): Map<string, Author> {
  const authors = new Map<string, Author>()
  for (const [index, { author, preferences }] of documents.entries()) {
    const [after, before] = [partsOf(preferences)[part], partsOf(documents[index + 1]?.preferences)[part]]
    for (const [name, choice] of Object.entries(after))
      if (!authors.has(name) && !isDeepStrictEqual(choice, before[name])) authors.set(name, author)
  }
  return authors
}

/** A choice that was made here stays; a later opt-out at the source replaces one that an earlier copy made. */
const isProtected = (author: Author | undefined, isOptOut: boolean) =>
  author === 'other' || (author === 'copy' && !isOptOut)

/** Settings in effect, by topic. */
export type Settings = ReadonlyMap<unknown, JsonObject>

/** Settings of a user on both servers: in a tenant, or in none. */
export interface BothSettings {
  there: Settings
  here: Settings
}

export async function settingsIn(
  { source, target }: ChoiceSource,
  id: string,
  query: Record<string, string>,
): Promise<BothSettings> {
  const there = await settingsOf(source, id, query)
  return { there, here: there.size > 0 ? await settingsOf(target, id, query) : new Map() }
}

export interface TopicChoices {
  choices: JsonObject[]
  /** Topics whose choice here is removed, because the source has none. */
  removals: string[]
}

/**
 * Choices for topics that apply at the source and not here. An opt-out counts also where it is a default there, of a topic
 * that is here; anything else only as a choice of the user, and only with `allChoices`: no default opts in to another one.
 * A choice without a tenant applies in each tenant: it is none of the tenant.
 */
export function topicChoices(
  { there, here }: BothSettings,
  authorOf: (topic: unknown) => Author | undefined,
  { withoutTenant, allChoices }: { withoutTenant: BothSettings | undefined; allChoices: boolean },
): TopicChoices {
  const isInherited = (setting: JsonObject) => {
    const { topic_id } = setting
    const general = withoutTenant?.there.get(topic_id)
    if (!general || !isSame(setting, general)) return false
    const generalHere = withoutTenant?.here.get(topic_id) ?? {}
    return isChoice(general) || (!isChoice(setting) && isSame(generalHere, here.get(topic_id)))
  }
  const isChoiceHere = ({ topic_id }: JsonObject) => isChoice(here.get(topic_id) ?? {})
  // A choice that is only the default here would not apply in a tenant with another default.
  const isStored = (setting: JsonObject) => isChoiceHere(setting) || authorOf(setting.topic_id) !== undefined
  const differing = [...there.values()].filter(
    (setting) =>
      !isInherited(setting) &&
      (!isSame(setting, here.get(setting.topic_id)) || (isChoice(setting) && !isStored(setting))),
  )
  const choices = differing
    .filter(({ status }) => status !== 'REQUIRED' && (allChoices || status === 'OPTED_OUT'))
    .filter((setting) => isChoice(setting) || (setting.status === 'OPTED_OUT' && here.has(setting.topic_id)))
    .filter(({ topic_id, status }) => !isProtected(authorOf(topic_id), status === 'OPTED_OUT'))
    .map((choice) => pick(choice, ['topic_id', 'status', 'has_custom_routing', 'custom_routing']))
  const removals = differing
    .filter((setting) => !isChoice(setting) && setting.status !== 'OPTED_OUT' && isChoiceHere(setting))
    .map(({ topic_id }) => String(topic_id))
  return { choices, removals }
}

/** Empty for a user whom the server does not have. */
export async function settingsOf(api: Api, id: string, query: Record<string, string>): Promise<Settings> {
  const settings = new Map<unknown, JsonObject>()
  try {
    for await (const entry of readPages(api, ['users', id, 'preferences'], query)) settings.set(entry.topic_id, entry)
  } catch (error) {
    if (!isPostriderError(error, 'not_found')) throw error
  }
  return settings
}

const isChoice = ({ status, default_status, has_custom_routing }: JsonObject) =>
  status !== default_status || has_custom_routing === true

/** Channels of an opt-out have no effect. */
function isSame(left: JsonObject, right: JsonObject | undefined): boolean {
  const channelsOf = ({ status, has_custom_routing, custom_routing }: JsonObject) =>
    status !== 'OPTED_OUT' && has_custom_routing === true && custom_routing
  if (!right) return false
  return right.status === left.status && isDeepStrictEqual(channelsOf(left), channelsOf(right))
}

type Part = 'notifications' | 'categories'

/** One choice in its place. */
export type NamedChoice = Partial<Record<Part, JsonObject>>

/** Preferences by template and category that are at the source and not here. */
export async function namedChoices(
  from: ChoiceSource,
  authors: Authors,
  id: string,
  { preferences, allChoices }: { preferences: unknown; allChoices: boolean },
): Promise<NamedChoice[]> {
  const { notifications = {}, categories = {} } = await preferencesAtTarget(from, preferences)
  if (Object.keys(notifications).length + Object.keys(categories).length === 0) return []
  const here = partsOf(await read(from.target, ['preferences', id]))
  const differing = (part: Part, choices: JsonObject) =>
    Object.entries(choices)
      .filter(([name, choice]) => !isDeepStrictEqual(namedSetting(choice), namedSetting(here[part][name])))
      .filter(([, choice]) => allChoices || isOptOut(choice))
      .filter(([name, choice]) => !isProtected(authors[part].get(name), isOptOut(choice)))
      .map(([name, choice]) => ({ [part]: { [name]: choice } }))
  return [...differing('notifications', notifications), ...differing('categories', categories)]
}

/**
 * Preferences with the ids that templates have here. Several names can be one template: an opt-out wins. A choice for an
 * event is one for its template only if it is an opt-out.
 */
export async function preferencesAtTarget(
  { templateAtTarget }: ChoiceSource,
  preferences: unknown,
): Promise<NamedChoice> {
  const { notifications, categories } = partsOf(preferences)
  const choices = new Map<string, unknown>()
  for (const [name, choice] of Object.entries(notifications)) {
    const { byAlias, byEvent } = await templateAtTarget(name)
    const here = byAlias ?? (isOptOut(choice) ? byEvent : undefined) ?? name
    if (!isOptOut(choices.get(here))) choices.set(here, choice)
  }
  return {
    ...(choices.size > 0 && { notifications: Object.fromEntries(choices) }),
    ...(Object.keys(categories).length > 0 && { categories }),
  }
}

function partsOf(preferences: unknown): Record<Part, JsonObject> {
  const { notifications, categories } = isObject(preferences) ? preferences : {}
  return {
    notifications: isObject(notifications) ? notifications : {},
    categories: isObject(categories) ? categories : {},
  }
}

const isOptOut = (choice: unknown) => isObject(choice) && choice.status === 'OPTED_OUT'

const namedSetting = (choice: unknown) => {
  const { status, channel_preferences, rules } = isObject(choice) ? choice : {}
  return [status, channel_preferences ?? [], rules ?? []]
}
