/** A submitted form of the page: the writes that it leads to, and the page that answers it. Pure. */
import type { TopicChoiceRow } from '../database/tables/preferences/preferences.ts'
import type { LinkedMessage } from '../preferences/recipient-links.ts'
import { changedChoice, choiceOf, type OfferedSection, type OfferedTopic } from './choices.ts'
import { type EarlierChoice, earlierRow, type Submission } from './form.ts'
import type { Notice } from './page.ts'
import type { PageData } from './page-data.ts'

export interface Submitted {
  put: readonly TopicChoiceRow[]
  remove: readonly string[]
  sections: readonly OfferedSection[]
  notice: Notice | undefined
  earlier: readonly EarlierChoice[]
}

type Changes = Pick<Submitted, 'put' | 'remove' | 'notice'>

export function submitted(submission: Submission, link: LinkedMessage, data: PageData): Submitted {
  const { put, remove, notice } = changesBy(submission, link, data)
  const changed = [...put.map(({ topicId }) => topicId), ...remove]
  return {
    ...{ put, remove, notice },
    sections: changedSections(data.sections, put, remove),
    earlier: submission.kind === 'undo' ? [] : changed.map((topicId) => earlierChoice(topicId, data)),
  }
}

function changesBy(submission: Submission, link: LinkedMessage, { sections, storedChoices }: PageData): Changes {
  const topics = sections.flatMap((section) => section.topics).filter(({ isRequired }) => !isRequired)
  const { topicId } = link
  switch (submission.kind) {
    case 'one_click':
    case 'unsubscribe': {
      // Also for a topic that is archived or required by now: the choice counts when it is offered again.
      const all = sections.flatMap((section) => section.topics)
      const topic = all.find(({ id }) => id === topicId)
      if (topicId === '') return nothing
      return {
        put:
          storedChoices.get(topicId)?.status === 'OPTED_OUT'
            ? []
            : [optOut(topicId, topic, storedChoices.get(topicId))],
        remove: [],
        notice: { kind: 'unsubscribed', topic: topic?.name ?? '' },
      }
    }
    case 'unsubscribe_all': {
      const put = topics.filter(({ isOn }) => isOn).map((topic) => choiceOf(topic, 'OPTED_OUT'))
      return { put, remove: [], notice: { kind: 'unsubscribedAll' } }
    }
    case 'save': {
      const put = topics.flatMap((topic) => {
        const choice = submission.choices.get(topic.id)
        return choice ? (changedChoice(topic, choice) ?? []) : []
      })
      return { put, remove: [], notice: { kind: 'saved' } }
    }
    case 'undo': {
      const earlier = submission.earlier.filter((choice) => topics.some(({ id }) => id === choice.topicId))
      return {
        put: earlier.flatMap((choice) => (choice.status === null ? [] : [earlierRow(choice, choice.status)])),
        remove: earlier.flatMap((choice) =>
          choice.status === null && storedChoices.has(choice.topicId) ? [choice.topicId] : [],
        ),
        notice: { kind: 'undone' },
      }
    }
    case 'expired':
      return { ...nothing, notice: { kind: 'expired' } }
    case 'unknown':
      return nothing
  }
}

const nothing: Changes = { put: [], remove: [], notice: undefined }

function optOut(
  topicId: string,
  topic: OfferedTopic | undefined,
  storedChoice: TopicChoiceRow | undefined,
): TopicChoiceRow {
  if (topic) return choiceOf(topic, 'OPTED_OUT')
  const { hasCustomRouting = false, customRouting = [] } = storedChoice ?? {}
  return { topicId, status: 'OPTED_OUT', hasCustomRouting, customRouting }
}

function earlierChoice(topicId: string, { storedChoices }: PageData): EarlierChoice {
  const choice = storedChoices.get(topicId)
  const status = choice?.status === 'OPTED_IN' || choice?.status === 'OPTED_OUT' ? choice.status : null
  return {
    ...{ topicId, status },
    hasCustomRouting: choice?.hasCustomRouting ?? false,
    customRouting: choice?.customRouting ?? [],
  }
}

/** The page as it is after the commit. A removed choice leaves the default. */
function changedSections(
  sections: readonly OfferedSection[],
  put: readonly TopicChoiceRow[],
  remove: readonly string[],
): OfferedSection[] {
  const choices = new Map(put.map((choice) => [choice.topicId, choice]))
  const changedTopic = (topic: OfferedTopic): OfferedTopic => {
    const choice = choices.get(topic.id)
    if (topic.isRequired) return topic
    if (remove.includes(topic.id))
      return {
        ...topic,
        isOn: topic.preference.default_status !== 'OPTED_OUT',
        channels: topic.channels.map(({ name }) => ({ name, isOn: true })),
      }
    if (!choice) return topic
    const channels = topic.channels.map(({ name }) => ({
      name,
      isOn: !choice.hasCustomRouting || choice.customRouting.includes(name),
    }))
    return { ...topic, isOn: choice.status !== 'OPTED_OUT', channels }
  }
  return sections.map((section) => ({ ...section, topics: section.topics.map(changedTopic) }))
}
