/** Topic preferences of a user on the wire, and the check of choices before they are stored. */
import {
  type NamedTopicChoice,
  type StoredTopicChoice,
  sectionsMax,
  type TopicChoice,
  type TopicError,
  type TopicPreference,
  topicsMax,
} from '@postrider/contract'
import { quoted } from '../base/quote.ts'
import type { Reader } from '../database/engine.ts'
import { type TopicFactsRow, topicFacts } from '../database/tables/messages/facts.ts'
import type { TopicChoiceRow } from '../database/tables/preferences/preferences.ts'
import {
  listSections,
  listTopics,
  type PageTopicRow,
  type SectionRow,
  type TopicRow,
} from '../database/tables/preferences/topics.ts'
import type { TenantTopicDefault } from '../database/tables/tenants/tenants.ts'
import { defaultStatus, type TopicFacts, topicEntries } from './precedence.ts'
import { isActiveSchedule } from './topic.ts'

/** The choices of a user everywhere, or in one tenant. */
export interface PreferenceOwner {
  workspaceId: number
  userId: string
  tenantId: string | undefined
}

/** One for each topic, in their order. */
export async function preferencesAbout(
  database: Reader,
  { workspaceId, userId, tenantId }: PreferenceOwner,
  topics: readonly TopicRow[],
): Promise<TopicPreference[]> {
  if (topics.length === 0) return []
  const tenant = tenantId === undefined ? {} : { tenant: tenantId }
  const [sections, facts] = await Promise.all([
    listSections(database, workspaceId, sectionsMax),
    topicFacts(
      database,
      topics.map(({ id }, n) => ({ n, workspaceId, user: userId, topic: id, ...tenant })),
    ),
  ])
  const names = new Map(sections.map(({ id, name }) => [id, name]))
  const byNumber = new Map(facts.map((row) => [row.n, row]))
  return topics.map((topic, n) => ({
    topic_id: topic.id,
    topic_name: topic.name,
    section_id: topic.sectionId,
    section_name: names.get(topic.sectionId) ?? '',
    ...preferenceOf(topic, byNumber.get(n), tenantId),
    ...chosenDigest(topic, byNumber.get(n)),
  }))
}

/** The stored choices of a user and the defaults of tenants, which are about any topics. */
export interface StoredChoices {
  tenantId: string | undefined
  ofUser: readonly (TopicChoiceRow & { tenantId: string })[]
  /** The defaults of the tenant and its ancestors, the nearest first. */
  ofTenants: readonly TenantTopicDefault[]
}

/** The same for the page of preferences, which shows every topic and no digests: choices are fewer rows than facts. */
export function preferencesOnPage(
  sections: readonly SectionRow[],
  topics: readonly PageTopicRow[],
  { tenantId, ofUser, ofTenants }: StoredChoices,
): TopicPreference[] {
  const sectionById = new Map(sections.map((section) => [section.id, section]))
  const anywhere = new Map(ofUser.flatMap((choice) => (choice.tenantId === '' ? [[choice.topicId, choice]] : [])))
  const inTenant = new Map(ofUser.flatMap((choice) => (choice.tenantId === '' ? [] : [[choice.topicId, choice]])))
  const defaults = new Map<string, NonNullable<TopicFacts['tenants']>[number][]>()
  for (const choice of ofTenants) {
    const ofTopic = defaults.get(choice.topicId) ?? []
    ofTopic.push({ ...choiceFacts(choice), tenant: choice.tenantId })
    defaults.set(choice.topicId, ofTopic)
  }
  return topics.map((topic) => {
    const section = sectionById.get(topic.sectionId)
    const [ofUserInTenant, ofUserAnywhere] = [inTenant.get(topic.id), anywhere.get(topic.id)]
    const facts = {
      in_tenant: ofUserInTenant ? choiceFacts(ofUserInTenant) : null,
      anywhere: ofUserAnywhere ? choiceFacts(ofUserAnywhere) : null,
      tenants: defaults.get(topic.id) ?? null,
      topic: { status: topic.defaultStatus, has_custom_routing: false, custom_routing: [] },
    }
    return {
      topic_id: topic.id,
      topic_name: topic.name,
      section_id: topic.sectionId,
      section_name: section?.name ?? '',
      ...preferenceOf(topic, facts, tenantId),
    }
  })
}

const choiceFacts = ({ status, hasCustomRouting, customRouting }: Omit<TopicChoiceRow, 'topicId'>) => ({
  status,
  has_custom_routing: hasCustomRouting,
  custom_routing: customRouting,
})

function preferenceOf(
  topic: Pick<TopicRow, 'defaultStatus'>,
  facts: TopicFacts | undefined,
  tenantId: string | undefined,
) {
  const entries = facts ? topicEntries(facts, tenantId) : []
  const initial = defaultStatus(entries) ?? (topic.defaultStatus as TopicPreference['status'])
  // The channels of the topic itself were not chosen.
  const channels = entries.find((entry) => entry.source !== 'topic' && entry.channels)?.channels
  return {
    default_status: initial,
    status: initial === 'REQUIRED' ? initial : (entries.find(({ status }) => status)?.status ?? initial),
    has_custom_routing: channels !== undefined,
    custom_routing: [...(channels ?? [])] as TopicPreference['custom_routing'],
  }
}

/** The stored choice, as long as it is valid. */
function chosenDigest({ settings }: TopicRow, facts: TopicFactsRow | undefined) {
  const chosen = facts?.in_tenant?.digest_schedule_id ?? facts?.anywhere?.digest_schedule_id
  return chosen && isActiveSchedule(settings, chosen) ? { digest_schedule_id: chosen } : {}
}

/** Sorts what can be stored from what cannot; of a topic that is named twice the last choice counts. */
export async function sortedChoices(
  database: Reader,
  owner: PreferenceOwner,
  choices: readonly NamedTopicChoice[],
): Promise<{ storedRows: TopicChoiceRow[]; items: StoredTopicChoice[]; errors: TopicError[] }> {
  const choiceByTopic = new Map(choices.map((choice) => [choice.topic_id, choice]))
  const all = await listTopics(database, owner.workspaceId, undefined, topicsMax)
  const named = all.filter(({ id }) => choiceByTopic.has(id))
  const preferences = new Map(
    (await preferencesAbout(database, owner, named)).map((preference) => [preference.topic_id, preference]),
  )
  const errors = [...choiceByTopic.values()].flatMap((choice): TopicError[] => {
    const topic = named.find(({ id }) => id === choice.topic_id)
    const preference = preferences.get(choice.topic_id)
    const reason = topic && preference ? choiceProblem(topic, preference, choice) : unknownTopic(choice.topic_id)
    return reason ? [{ topic_id: choice.topic_id, reason }] : []
  })
  const refused = new Set(errors.map(({ topic_id }) => topic_id))
  const kept = [...choiceByTopic.values()].filter(({ topic_id }) => !refused.has(topic_id))
  return {
    errors,
    storedRows: kept.map(choiceRow),
    items: kept.map((choice) => storedChoice(choice, preferences.get(choice.topic_id))),
  }
}

export const unknownTopic = (id: string) =>
  `Unknown topic ${quoted(id)}. Topics are created with POST /preferences/sections/{section_id}/topics.`

/** Undefined when it can be chosen. */
export function choiceProblem(
  topic: TopicRow,
  preference: TopicPreference,
  { status, digest_schedule_id }: TopicChoice,
): string | undefined {
  if (preference.default_status === 'REQUIRED' && status === 'OPTED_OUT')
    return `The topic ${quoted(topic.name)} is required: it cannot be opted out of`
  if (digest_schedule_id && !isActiveSchedule(topic.settings, digest_schedule_id))
    return `The topic ${quoted(topic.name)} has no digest schedule ${quoted(digest_schedule_id)}`
  return undefined
}

export function choiceRow(choice: NamedTopicChoice): TopicChoiceRow {
  const { topic_id, status, has_custom_routing, custom_routing, digest_schedule_id } = choice
  return {
    topicId: topic_id,
    status,
    hasCustomRouting: has_custom_routing ?? false,
    customRouting: custom_routing ?? [],
    ...(digest_schedule_id !== undefined && { digestScheduleId: digest_schedule_id }),
  }
}

/** A schedule that the choice says nothing of stays what it was. */
function storedChoice(choice: NamedTopicChoice, before: TopicPreference | undefined): StoredTopicChoice {
  const { topic_id, status, has_custom_routing, custom_routing, digest_schedule_id } = choice
  const schedule = digest_schedule_id === undefined ? before?.digest_schedule_id : digest_schedule_id
  return {
    topic_id,
    status,
    has_custom_routing: has_custom_routing ?? false,
    custom_routing: custom_routing ?? [],
    ...(schedule && { digest_schedule_id: schedule }),
  }
}
