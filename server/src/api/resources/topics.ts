/** /preferences/sections/:section_id/topics: the subjects recipients can opt in to or out of. */
import { type TopicWrite, topicsMax } from '@postrider/contract'
import { busy, conflict, notFound } from '../../base/errors.ts'
import { recordId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { findSection } from '../../database/tables/preferences/sections.ts'
import {
  archiveTopic,
  findTopic,
  insertTopic,
  listTopics,
  type TopicChange,
  type TopicRow,
  updateTopic,
} from '../../database/tables/preferences/topics.ts'
import { topicRecord, topicSettings } from '../../preferences/topic.ts'
import { type Call, type ResourceHandlers, success } from '../call.ts'

/** Writers of one topic that meet more often than this are programs. */
const WRITES_MAX = 5

export const topics = {
  'topics.list': async ({ params: { section_id } }, call) => {
    const { engine } = call.house
    const [section, found] = await Promise.all([
      findSection(engine, call.caller.workspaceId, section_id),
      listTopics(engine, call.caller.workspaceId, section_id, topicsMax),
    ])
    if (!section) throw notFound()
    return success('topics.list', { results: found.map(topicRecord) })
  },
  'topics.create': async ({ params: { section_id }, body }, call) => {
    const { workspaceId } = call.caller
    const write = change(call, body, {})
    const row = { id: recordId(), sectionId: section_id, ...write, created: call.now, updated: call.now }
    const reply = success('topics.create', topicRecord({ ...row, creator: write.author, updater: write.author }))
    if (await insertTopic(call.keeping(reply), workspaceId, section_id, row.id, write, topicsMax)) return reply
    if (!(await findSection(call.house.engine, workspaceId, section_id))) throw notFound()
    throw conflict(`There are ${topicsMax} topics, as many as there can be`)
  },
  'topics.get': async ({ params: { section_id, topic_id } }, call) =>
    success('topics.get', topicRecord(await find(call, section_id, topic_id))),
  'topics.replace': async ({ params: { section_id, topic_id }, body }, call) => {
    for (let write = 0; write < WRITES_MAX; write += 1) {
      const { settings } = await find(call, section_id, topic_id)
      const { engine } = call.house
      const next = change(call, body, settings)
      if (await updateTopic(engine, call.caller.workspaceId, section_id, topic_id, next, settings))
        return success('topics.replace', topicRecord(await find(call, section_id, topic_id)))
    }
    throw busy('The topic is being changed by others')
  },
  'topics.archive': async ({ params: { section_id, topic_id } }, { house, caller, now }) => {
    if (!(await archiveTopic(house.engine, caller.workspaceId, section_id, topic_id, caller.name, now)))
      throw notFound()
    return success('topics.archive', undefined)
  },
} satisfies ResourceHandlers<'topics'>

async function find({ house, caller }: Call, sectionId: string, id: string): Promise<TopicRow> {
  const row = await findTopic(house.engine, caller.workspaceId, id)
  if (row?.sectionId !== sectionId) throw notFound()
  return row
}

function change({ caller, now }: Call, body: TopicWrite, before: JsonObject): TopicChange {
  const { name, default_status: defaultStatus } = body
  return { name, defaultStatus, settings: topicSettings(body, before, now), author: caller.name, now }
}
