/** The topics of a recipient as the page shows them, and what a submitted form changes. Pure. */
import { channels as everyChannel, type TopicPreference } from '@postrider/contract'
import type { TopicChoiceRow } from '../database/tables/preferences/preferences.ts'
import type { PageTopicRow, SectionRow } from '../database/tables/preferences/topics.ts'

export interface OfferedTopic {
  id: string
  name: string
  isRequired: boolean
  isOn: boolean
  channels: readonly OfferedChannel[]
  preference: TopicPreference
}

export interface OfferedChannel {
  name: string
  isOn: boolean
}

export interface OfferedSection {
  name: string
  topics: readonly OfferedTopic[]
}

/** Sections and topics in their order; a section without topics is left out. */
export function offeredSections(
  sections: readonly SectionRow[],
  topics: readonly PageTopicRow[],
  preferences: readonly TopicPreference[],
): OfferedSection[] {
  const preferenceOf = new Map(preferences.map((preference) => [preference.topic_id, preference]))
  return sections.flatMap((section) => {
    const offered = topics
      .filter(({ sectionId }) => sectionId === section.id)
      .flatMap((topic) => {
        const preference = preferenceOf.get(topic.id)
        return preference ? [offeredTopic(topic, section, preference)] : []
      })
    return offered.length > 0 ? [{ name: section.name, topics: offered }] : []
  })
}

function offeredTopic(topic: PageTopicRow, section: SectionRow, preference: TopicPreference): OfferedTopic {
  const isRequired = preference.default_status === 'REQUIRED'
  return {
    id: topic.id,
    name: topic.name,
    isRequired,
    isOn: preference.status !== 'OPTED_OUT',
    channels: isRequired ? [] : offeredChannels(topic, section, preference),
    preference,
  }
}

/** Channels are offered where the topic allows it, and it or its section names more than one. */
function offeredChannels(
  { settings }: PageTopicRow,
  section: SectionRow,
  preference: TopicPreference,
): OfferedChannel[] {
  const { allowed_preferences: allowed, routing_options: routingOptions } = settings
  if (!Array.isArray(allowed) || !allowed.includes('channel_preferences')) return []
  const ofTopic =
    Array.isArray(routingOptions) && routingOptions.length > 0
      ? routingOptions
      : section.hasCustomRouting
        ? section.routingOptions
        : []
  const names = ofTopic.filter((name): name is string => everyChannel.some((channel) => channel === name))
  if (names.length < 2) return []
  const { has_custom_routing, custom_routing } = preference
  return names.map((name) => ({
    name,
    isOn: !has_custom_routing || custom_routing.some((chosen) => chosen === name),
  }))
}

/** A submitted choice; channels are ignored where none are offered. */
export interface SubmittedChoice {
  isOn: boolean
  channels: readonly string[]
}

/** The choice to write; undefined where it stays as it is. A topic without any channel is switched off. */
export function changedChoice(topic: OfferedTopic, submitted: SubmittedChoice): TopicChoiceRow | undefined {
  if (topic.isRequired) return undefined
  const { channels } = topic
  const selected = channels.filter(({ name }) => submitted.channels.includes(name))
  const isOn = submitted.isOn && (channels.length === 0 || selected.length > 0)
  const sameChannels = channels.every(({ name, isOn: was }) => was === submitted.channels.includes(name))
  if (isOn === topic.isOn && (sameChannels || !isOn)) return undefined
  if (!isOn || sameChannels) return choiceOf(topic, isOn ? 'OPTED_IN' : 'OPTED_OUT')
  const offered = new Set(channels.map(({ name }) => name))
  // Channels that the page does not offer stay chosen.
  const others = topic.preference.custom_routing.filter((name) => !offered.has(name))
  const all = selected.length === channels.length && others.length === 0
  return {
    topicId: topic.id,
    status: 'OPTED_IN',
    hasCustomRouting: !all,
    customRouting: all ? [] : [...selected.map(({ name }) => name), ...others],
  }
}

/** The status alone: channels and the schedule of the digest stay. */
export function choiceOf({ id, preference }: OfferedTopic, status: 'OPTED_IN' | 'OPTED_OUT'): TopicChoiceRow {
  const { has_custom_routing, custom_routing } = preference
  return { topicId: id, status, hasCustomRouting: has_custom_routing, customRouting: [...custom_routing] }
}
